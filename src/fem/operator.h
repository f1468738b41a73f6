/* operator.h -- the bake-off operators as data, and their model of bytes and flops: the only place
 * where those numbers are made. */
#ifndef BP_FEM_OPERATOR_H
#define BP_FEM_OPERATOR_H

#include "fem/space.h"
#include <stdint.h>

typedef struct bp_problem bp_problem;

/* What an operator is that is no sum factorisation with its components. */
typedef struct {
  int64_t (*inputs)(bp_space space),
      (*outputs)(bp_space space);   /* doubles of an element's u and v */
  int64_t (*flops)(bp_space space); /* of an element */
  /* v of elements first..last-1, literally, in extended precision; u and v are the whole arrays. Parallel. */
  void (*reference)(const bp_problem *problem, int64_t first, int64_t last, const double *u,
                    double *v);
  double (*tolerance)(const bp_problem *problem); /* NULL: as of any operator on elements */
  double size;      /* errors are relative to at least that; 0: to the usual size of v */
  bool is_absolute; /* to that alone */
  bool by_fields;   /* the space's fields are what others have as degree */
  int iterations;   /* of a run, unless somebody asks for more; 0: there are none */
} bp_own_operator;

typedef struct {
  const char *name;  /* "bp1.0" */
  const char *title; /* "mass" */
  bp_rule rule;      /* of the quadrature in the bake-off, and how many points */
  int points_beyond; /* the degree it has per direction */
  int components; /* geometric factors per quadrature point: 1 (w detJ), 7, or 6 without it (see problem.h) */
  bp_cell shape;
  int fields;                 /* values at a node; 0: the problem says */
  const bp_own_operator *own; /* NULL: a sum factorisation */
} bp_operator;

/* A row for each: X(name, title, rule, points_beyond, components). The Makefile reads it, too. */
/* clang-format off */
#define BP_OPERATOR_ROWS(X)                                   \
  X("bp1.0", "mass", GAUSS, 2, 1)                             \
  X("bp3.0", "screened Poisson", GAUSS, 2, 7)                 \
  X("bp3.5", "screened Poisson, collocated", LOBATTO, 1, 7)
/* clang-format on */

#define BP_OPERATOR_COUNT(...) +1
enum { BP_OPERATORS = BP_OPERATOR_ROWS(BP_OPERATOR_COUNT) };
extern const bp_operator bp_operators[BP_OPERATORS];

/* Gradients at quadrature points (fem/gradient.h), one for each shape, of one value at a node or as many
 * as there are directions. They have no factors and the folder "gradient" of kernels. Not among
 * bp_operators. */
enum { BP_GRADIENTS = 8 };
extern const bp_operator bp_operator_gradients[BP_GRADIENTS];
bool bp_operator_is_gradient(const bp_operator *op);

/* The folder of its kernels; and which operators a folder's kernels compute, with a number for each: NULL
 * beyond the last. */
const char *bp_operator_kernels(const bp_operator *op);
const bp_operator *bp_operator_of_kernels(const char *folder, int n);

/* All of these, and kernels of other codes, each in a file fem/NAME.c: their elements share nothing and have
 * no factors. NULL beyond the last. */
const bp_operator *bp_operator_at(int n);

/* NULL when there is none of that name. */
const bp_operator *bp_operator_find(const char *name);

/* The same with lambda = 0: what it does not need, the factor of the mass term, is not among its factors. */
const bp_operator *bp_operator_without_mass(const bp_operator *op);

/* The bake-off's at degree N; of pair, with N species, of wave2d with N fields. */
bp_space bp_operator_space(const bp_operator *op, int degree);

/* N of that space. */
int bp_operator_degree(const bp_operator *op, bp_space space);

/* The same with degree + `beyond` points per direction (0: the bake-off's) of a rule, "gauss", "lobatto" or
 * "own". */
bp_space bp_operator_space_with(const bp_operator *op, int degree, int beyond, const char *rule);

/* The bake-off's alone, since its points have to be its nodes: bp3.5. */
bool bp_operator_is_collocated(const bp_operator *op);

/* A space that is not the bake-off's as records have it, "N+3 gauss"; "" for the bake-off's. Free with
 * bp_free. */
char *bp_operator_quadrature(const bp_operator *op, bp_space space);

/* The points of a space as tables and keys have them: 0 where they are the bake-off's own. */
int bp_operator_other_points(const bp_operator *op, bp_space space);

/* Doubles of an element's factors, or of what they are computed from. */
int64_t bp_operator_factors(const bp_operator *op, bp_space space);

/* Doubles of u and of v in an element; `op` NULL: its nodes. */
int64_t bp_operator_inputs(const bp_operator *op, bp_space space);
int64_t bp_operator_outputs(const bp_operator *op, bp_space space);

/* Per element. */
int64_t bp_operator_doubles_read(const bp_operator *op, bp_space space);
int64_t bp_operator_doubles_written(const bp_operator *op, bp_space space);
int64_t bp_operator_bytes(const bp_operator *op, bp_space space); /* read and written */
int64_t bp_operator_flops(const bp_operator *op, bp_space space);

#endif
