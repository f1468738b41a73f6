/* element.c -- operators on the elements of a mesh, which share nothing: bp1.0, bp3.0, bp3.5. */
#include "work/applied.h"

#include "base/clock.h"
#include "base/memory.h"
#include <string.h>

static bool has(const bp_operator *op, const bp_bake_off *solve)
{
  return !solve && op->components > 0;
}

static int64_t vectors(const bp_case *c, bool on_device)
{
  enum { HOST = 3, DEVICE = 2 };
  return (int64_t)sizeof(double) * bp_case_nodes(c) * (on_device ? DEVICE : HOST);
}

/* u[e][k][j][i], and v. */
static int shape_of(const bp_stage *s, bool is_output, int64_t shape[BP_NPY_RANK_MAX])
{
  (void)is_output;
  const int64_t nq = s->problem->basis.nq, full[] = {s->problem->elements, nq, nq, nq};
  memcpy(shape, full, sizeof full);
  return sizeof full / sizeof *full;
}

/* A rank's elements of a mesh that rank 0 has. */
static bp_status cut(bp_stage *s)
{
  int32_t *rank_of = NULL;
  uint8_t *marks = NULL;
  bp_status status = BP_OK;
  if (s->comm->rank == 0) {
    rank_of = bp_alloc_array((size_t)s->mesh->elements, sizeof *rank_of);
    marks = bp_alloc((size_t)s->mesh->elements, sizeof *marks);
    status = bp_partition(bp_partition_find(s->config->partition), s->mesh, s->comm->size, rank_of);
  }
  status = bp_comm_agree(s->comm, status);
  if (!status)
    status = bp_piece_distribute(s->comm, s->mesh, rank_of, marks, &s->piece);
  bp_free(rank_of);
  bp_free(marks);
  return status;
}

static bp_status create(bp_stage *s)
{
  const bp_case *c = s->c;
  bp_status status = s->comm->size > 1 ? cut(s) : BP_OK;
  double begin = bp_clock();
  if (!status)
    status = bp_problem_create(c->op, c->space, c->lambda, s->piece ? s->piece->mesh : s->mesh,
                               &s->problem);
  s->geometry_seconds = bp_clock_lap(&begin);
  return status ? status : bp_applied_begin(s);
}

/* factors[e][c][k][j][i], of fem/problem.h. */
static bp_status write_factors(const bp_stage *s, const bp_files *to)
{
  const bp_problem *p = s->problem;
  const int64_t nc = p->space.points, shape[] = {p->elements, p->op->components, nc, nc, nc};
  const size_t each = (size_t)(bp_problem_factors_count(p) / p->elements);
  double *all = bp_alloc_array((size_t)bp_problem_factors_count(p), sizeof *all),
         *buffer = bp_alloc_array((size_t)bp_problem_buffer(p), sizeof *buffer);
  for (int64_t e = 0; e < p->elements; ++e)
    memcpy(all + (size_t)e * each, bp_problem_element(p, e, buffer), each * sizeof *all);
  bp_status status = to->write(to->context, "factors", BP_NPY_FLOAT64, 5, shape, all);
  bp_free(buffer);
  bp_free(all);
  return status;
}

/* And where the nodes are, x[e][k][j][i][3]. */
static bp_status files(bp_stage *s, const bp_files *to)
{
  int64_t shape[BP_NPY_RANK_MAX];
  const int rank = shape_of(s, false, shape);
  double *x = bp_alloc_array(3 * (size_t)bp_problem_dofs(s->problem), sizeof *x);
  shape[rank] = 3;
  bp_problem_nodes(s->mesh, s->problem->basis.degree, 0, s->mesh->elements, x);
  bp_status status = to->write(to->context, "x", BP_NPY_FLOAT64, rank + 1, shape, x);
  bp_free(x);
  if (!status && s->options.factors)
    status = write_factors(s, to);
  return status ? status : bp_applied_files(s, to);
}

const bp_kind bp_kind_element = {.name = "element",
                                 .has = has,
                                 .has_mesh = true,
                                 .has_mass = true,
                                 .unique = bp_case_mesh_unique,
                                 .bytes = bp_applied_bytes,
                                 .flops = bp_applied_flops,
                                 .vectors = vectors,
                                 .create = create,
                                 .plan = bp_applied_plan,
                                 .judge = bp_applied_judge,
                                 .compare = bp_applied_compare,
                                 .shape = shape_of,
                                 .files = files};
