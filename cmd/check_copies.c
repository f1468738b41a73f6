/* check_copies.c -- one mesh, one numbering, and factors that repeat. */
#include "check_copies.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/trilinear.h"
#include <string.h>

/* The same nodes for each. */
static bp_status repeat_mesh(const bp_mesh *few, int64_t copies, bp_mesh **mesh)
{
  const int64_t corners = 8 * few->elements;
  bp_status status = bp_mesh_box(copies * few->elements, 1, 1, 0, mesh);
  if (status)
    return status;
  bp_mesh *m = *mesh;
  BP_ASSERT(few->order == 1);
  m->nodes = copies * few->nodes;
  bp_free(m->x);
  m->x = bp_alloc_array(3 * (size_t)m->nodes, sizeof *m->x);
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < copies; ++c) {
    memcpy(m->x + c * 3 * few->nodes, few->x, 3 * (size_t)few->nodes * sizeof *m->x);
    for (int64_t n = 0; n < corners; ++n)
      m->node[c * corners + n] = (int32_t)(few->node[n] + c * few->nodes);
  }
  return BP_OK;
}

/* Of the host: lists of unknowns, as many while they are made, and vectors of the check. */
static bp_status check_memory(const bp_system *few, int64_t copies)
{
  enum { VECTORS = 8 };
  const int64_t unique = few->unknowns->count * copies;
  const int64_t needed =
      (int64_t)sizeof(double) * VECTORS * unique +
      2 * bp_unknowns_bytes(few->unknowns->degree, few->mesh->elements * copies, unique);
  const int64_t available = bp_memory_available();
  char a[32], b[32];
  if (needed <= available)
    return BP_OK;
  return bp_fail(BP_ENVIRONMENT, "needs %s of the host's memory; %s are available",
                 bp_print_bytes(a, (double)needed), bp_print_bytes(b, (double)available));
}

static bp_status number(bp_check_copies *c)
{
  const bp_unknowns *few = c->few->unknowns;
  const bp_fixed fixed = {.kind = few->fixed ? BP_FIXED_BOUNDARY : BP_FIXED_NONE};
  bp_connectivity *connectivity = NULL;
  bp_status status = bp_connectivity_create(c->mesh, &connectivity);
  if (!status)
    status = bp_unknowns_create(c->mesh, connectivity, few->degree, fixed, &c->system.unknowns);
  bp_connectivity_destroy(connectivity);
  return status;
}

/* Factors of the few are made once. */
static void keep_factors(bp_problem *problem, int64_t each)
{
  double *buffer = bp_alloc((size_t)bp_problem_buffer(problem), sizeof *buffer);
  double *factors = bp_alloc_array((size_t)(problem->elements * each), sizeof *factors);
  for (int64_t e = 0; e < problem->elements; ++e)
    memcpy(factors + e * each, bp_problem_element(problem, e, buffer),
           (size_t)each * sizeof *factors);
  bp_free(buffer);
  if (problem->space.geometry == BP_TRILINEAR) {
    double *shapes =
        bp_alloc_array((size_t)(problem->elements * BP_TRILINEAR_SHAPE), sizeof *shapes);
    for (int64_t e = 0; e < problem->elements; ++e)
      bp_problem_shape(problem, e, shapes + e * BP_TRILINEAR_SHAPE);
    problem->shapes = shapes;
  }
  bp_factory_destroy(problem->factory);
  problem->factory = NULL;
  problem->factors = factors;
}

static bp_status repeat_problem(bp_check_copies *c)
{
  const bp_problem *few = c->few->problem;
  bp_problem *p = NULL;
  bp_status status = bp_problem_create(few->op, few->space, few->lambda, c->few->mesh, &p);
  c->system.problem = p;
  if (status)
    return status;
  keep_factors(p, bp_problem_factors_count(few) / few->elements);
  p->iterations = few->iterations;
  p->distinct = few->elements;
  p->elements = c->mesh->elements;
  p->unknowns = c->system.unknowns;
  return BP_OK;
}

bp_status bp_check_copies_create(const bp_system *few, int64_t entries, bp_check_copies **made)
{
  bp_check_copies *c = bp_alloc(1, sizeof *c);
  const int64_t each = bp_problem_factors_count(few->problem);
  c->few = few;
  c->count = (entries - 1) / each + 2;
  bp_status status = c->count > INT32_MAX / few->mesh->nodes
                         ? bp_fail(BP_SKIPPED, "has more nodes than an int counts")
                         : check_memory(few, c->count);
  if (!status)
    status = repeat_mesh(few->mesh, c->count, &c->mesh);
  c->system = *few;
  c->system.mesh = c->mesh;
  c->system.unknowns = NULL;
  c->system.problem = NULL;
  if (!status)
    status = number(c);
  if (!status)
    status = repeat_problem(c);
  if (status)
    bp_check_copies_destroy(c);
  *made = status ? NULL : c;
  return status;
}

void bp_check_copies_destroy(bp_check_copies *copies)
{
  if (!copies)
    return;
  bp_problem_destroy(copies->system.problem);
  bp_unknowns_destroy(copies->system.unknowns);
  bp_mesh_destroy(copies->mesh);
  bp_free(copies);
}

void bp_check_copies_repeat(const bp_check_copies *copies, double **values)
{
  enum { TOGETHER = 64 };
  const bp_unknowns *all = copies->system.unknowns;
  const int64_t elements = copies->few->mesh->elements,
                each = elements * bp_space_nodes(copies->few->problem->space);
  double *repeated = bp_alloc_array((size_t)all->count, sizeof *repeated);
  int64_t *from = bp_alloc_array((size_t)each, sizeof *from),
          *to = bp_alloc_array((size_t)(TOGETHER * each), sizeof *to);
  bp_unknowns_number(copies->few->unknowns, 0, elements, from);
  for (int64_t first = 0; first < copies->count; first += TOGETHER) {
    const int64_t left = copies->count - first, now = left < TOGETHER ? left : TOGETHER;
    bp_unknowns_number(all, first * elements, (first + now) * elements, to);
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < now; ++c)
      for (int64_t n = 0; n < each; ++n)
        repeated[to[c * each + n]] = (*values)[from[n]];
  }
  bp_free(from);
  bp_free(to);
  bp_free(*values);
  *values = repeated;
}
