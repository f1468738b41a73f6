/* operator.c -- the operators, and the bytes and flops of one element. */
#include "fem/operator.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include <stddef.h>
#include <string.h>

#define ROW(name, title, rule, points_beyond, components)                                          \
  {name, title, BP_##rule, points_beyond, components},
const bp_operator bp_operators[BP_OPERATORS] = {BP_OPERATOR_ROWS(ROW)};
#undef ROW

const bp_operator bp_operator_pair = {"pair", "products of pairs of species", BP_LOBATTO, 0, 0};

const bp_operator *bp_operator_find(const char *name)
{
  for (int n = 0; n < BP_OPERATORS; ++n)
    if (strcmp(bp_operators[n].name, name) == 0)
      return &bp_operators[n];
  return strcmp(bp_operator_pair.name, name) == 0 ? &bp_operator_pair : NULL;
}

const bp_operator *bp_operator_without_mass(const bp_operator *op)
{
  static bp_operator without[BP_OPERATORS];
  int n = (int)(op - bp_operators);
  if (op->components != 7)
    return op;
  BP_ASSERT(n >= 0 && n < BP_OPERATORS);
  without[n] = *op;
  without[n].title = "Poisson";
  without[n].components = 6;
  return &without[n];
}

bp_space bp_operator_space(const bp_operator *op, int degree)
{
  if (op == &bp_operator_pair)
    return (bp_space){1, 2, op->rule, degree, false};
  return (bp_space){degree, degree + op->points_beyond, op->rule, 1, false};
}

int bp_operator_degree(const bp_operator *op, bp_space space)
{
  return op == &bp_operator_pair ? space.fields : space.degree;
}

bp_space bp_operator_space_with(const bp_operator *op, int degree, int beyond, const char *rule)
{
  bp_space space = bp_operator_space(op, degree);
  BP_ASSERT(beyond >= 0 && beyond <= BP_POINTS_BEYOND_MAX);
  if (beyond)
    space.points = space.degree + beyond;
  if (strcmp(rule, "own") != 0)
    space.rule = strcmp(rule, "gauss") == 0 ? BP_GAUSS : BP_LOBATTO;
  return space;
}

bool bp_operator_is_collocated(const bp_operator *op)
{
  return bp_space_is_collocated(bp_operator_space(op, 1));
}

char *bp_operator_quadrature(const bp_operator *op, bp_space space)
{
  bp_space own = bp_operator_space(op, bp_operator_degree(op, space));
  if (own.points == space.points && own.rule == space.rule)
    return bp_strdup("");
  return bp_format("N+%d %s", space.points - space.degree,
                   space.rule == BP_GAUSS ? "gauss" : "lobatto");
}

int bp_operator_other_points(const bp_operator *op, bp_space space)
{
  int own = bp_operator_space(op, bp_operator_degree(op, space)).points;
  return space.points == own ? 0 : space.points;
}

static int64_t cube(int64_t n)
{
  return n * n * n;
}

int64_t bp_operator_inputs(const bp_operator *op, bp_space space)
{
  enum { VECTORS = 4 }; /* ax, bx, ay, by */
  return op == &bp_operator_pair ? VECTORS * space.fields : cube(space.degree + 1);
}

int64_t bp_operator_outputs(const bp_operator *op, bp_space space)
{
  int64_t species = space.fields;
  return op == &bp_operator_pair ? species * species : cube(space.degree + 1);
}

int64_t bp_operator_doubles_read(const bp_operator *op, bp_space space)
{
  return bp_operator_inputs(op, space) + op->components * cube(space.points);
}

int64_t bp_operator_doubles_written(const bp_operator *op, bp_space space)
{
  return bp_operator_outputs(op, space);
}

int64_t bp_operator_bytes(const bp_operator *op, bp_space space)
{
  return (int64_t)sizeof(double) *
         (bp_operator_doubles_read(op, space) + bp_operator_doubles_written(op, space));
}

/* Multiplications and additions of the sum-factorised operator. At a point, the metric takes 15;
 * the mass term's product and sum are counted with bp3.0 (19 with the interpolated value's) and, by
 * the authors' convention, not with bp3.5. */
int64_t bp_operator_flops(const bp_operator *op, bp_space space)
{
  enum { OF_PAIR = 3 };
  int64_t q = space.degree + 1, g = space.points;
  if (op == &bp_operator_pair)
    return OF_PAIR * bp_operator_outputs(op, space);
  bool collocated = bp_space_is_collocated(space);
  int64_t interpolate = collocated ? 0 : 4 * (g * cube(q) + g * g * q * q + cube(g) * q);
  if (op->components == 1)
    return interpolate + cube(g);
  return interpolate + 12 * cube(g) * g + (collocated ? 15 : 19) * cube(g);
}
