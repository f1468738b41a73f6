/* load.c -- quadrature with exact functions, element by element, two points more than the nodes. */
#include "solve/load.h"

#include "base/memory.h"
#include "base/npy.h"
#include "base/text.h"
#include "fem/geometry.h"
#include "fem/reference.h"
#include "fem/tensor.h"
#include "solve/solution.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- quadrature ---- */

/* What all elements share. */
typedef struct {
  bp_system *system;
  bp_solution exact;
  bp_load_kind kind;
  bool has_gradient;
  double mass; /* a(u, v) = (grad u, grad v) + mass (u, v), the first one with has_gradient */
  int nq, n;   /* nodes, points per direction */
  double value[BP_POINTS_MAX * BP_POINTS_MAX], slope[BP_POINTS_MAX * BP_POINTS_MAX];
  double weight[BP_POINTS_MAX];
  bp_geometry geometry;
} rule;

static rule *rule_create(bp_system *system, bp_load_kind kind)
{
  rule *r = bp_alloc(1, sizeof *r);
  const bp_problem *p = system->problem;
  double point[BP_POINTS_MAX];
  r->system = system;
  r->kind = kind;
  r->exact = bp_solution_on(system);
  r->has_gradient = kind == BP_LOAD_MANUFACTURED && p->op->components > 1;
  r->mass = kind == BP_LOAD_MANUFACTURED && p->op->components > 1 ? p->lambda : 1;
  r->nq = p->basis.nq;
  r->n = r->nq + 2 < BP_POINTS_MAX ? r->nq + 2 : BP_POINTS_MAX;
  bp_quadrature_gauss(r->n, point, r->weight);
  bp_basis_interpolate(r->nq, p->basis.node, r->n, point, r->value);
  bp_basis_differentiate(r->nq, p->basis.node, r->n, point, r->slope);
  bp_geometry_create(&r->geometry, system->mesh->order, r->n, point);
  return r;
}

static int cube(int n)
{
  return n * n * n;
}

/* One thread's arrays, of values at points: weight[q], x[c][q], J[d][c][q], the solution's factors
 * along x, y, z
 * and their derivatives; terms[0..2]: along r, s, t, terms[3]: values. */
typedef struct {
  double *weight, *x, *J, *geometry, *factor[3], *derivative[3], *terms[4], *nodal, *scratch;
} work;

static work work_create(const rule *r)
{
  enum { ARRAYS = 1 + 3 + 9 + 3 + 3 + 4 };
  size_t points = (size_t)cube(r->n), nodes = (size_t)cube(r->nq);
  const bp_tensor shape = {.rows = r->n, .columns = r->nq};
  work w = {.weight = bp_alloc(ARRAYS * points + nodes + (size_t)bp_tensor_scratch(&shape),
                               sizeof(double)),
            .geometry = bp_alloc((size_t)bp_geometry_scratch(&r->geometry), sizeof(double))};
  w.x = w.weight + points;
  w.J = w.x + 3 * points;
  for (size_t d = 0; d < 3; ++d) {
    w.factor[d] = w.J + (9 + d) * points;
    w.derivative[d] = w.J + (12 + d) * points;
  }
  for (size_t d = 0; d < 4; ++d)
    w.terms[d] = w.J + (15 + d) * points;
  w.nodal = w.terms[3] + points;
  w.scratch = w.nodal + nodes;
  for (int q = 0, n = r->n; q < cube(n); ++q)
    w.weight[q] = r->weight[q % n] * r->weight[q / n % n] * r->weight[q / n / n];
  return w;
}

static void work_destroy(work *w)
{
  bp_free(w->weight);
  bp_free(w->geometry);
}

static void visit(const rule *r, int64_t e, work *w)
{
  bp_geometry_positions(&r->geometry, r->system->mesh, e, w->geometry, w->x);
  bp_geometry_jacobians(&r->geometry, r->system->mesh, e, w->geometry, w->J);
}

/* The factors of component c of the solution at the points of the element at hand. */
static void sample_solution(const rule *r, int c, bool has_derivatives, work *w)
{
  int points = cube(r->n);
  for (int d = 0; d < 3; ++d)
    bp_solution_factor(&r->exact, c, d, points, w->x + d * points, w->factor[d],
                       has_derivatives ? w->derivative[d] : NULL);
}

/* (J_a x J_b) . g: the determinant with the third column replaced by g. */
static double replaced(const double *J, int points, int q, int a, int b, const double g[3])
{
  const double *u = J + 3 * a * points + q, *v = J + 3 * b * points + q;
  int y = points, z = 2 * points;
  return (u[y] * v[z] - u[z] * v[y]) * g[0] + (u[z] * v[0] - u[0] * v[z]) * g[1] +
         (u[0] * v[y] - u[y] * v[0]) * g[2];
}

/* The weighted integrand of a(u*, v), before v and its slopes by r, s, t. */
static void sample_load(const rule *r, int c, work *w)
{
  int points = cube(r->n);
  const double *X = w->factor[0], *Y = w->factor[1], *Z = w->factor[2];
  if (r->kind != BP_LOAD_CONSTANT)
    sample_solution(r, c, r->has_gradient, w);
  for (int q = 0; q < points; ++q) {
    double value = r->kind == BP_LOAD_CONSTANT ? 1 : X[q] * Y[q] * Z[q];
    w->terms[3][q] = w->weight[q] * r->mass * bp_geometry_determinant(w->J, points, q) * value;
  }
  for (int q = 0; q < points && r->has_gradient; ++q) {
    const double gradient[3] = {w->derivative[0][q] * Y[q] * Z[q],
                                X[q] * w->derivative[1][q] * Z[q],
                                X[q] * Y[q] * w->derivative[2][q]};
    for (int d = 0; d < 3; ++d)
      w->terms[d][q] = w->weight[q] * replaced(w->J, points, q, (d + 1) % 3, (d + 2) % 3, gradient);
  }
}

static void element_load(const rule *r, int c, work *w, double *b)
{
  const double *V = r->value, *S = r->slope;
  const bp_tensor shapes[4] = {{r->n, r->nq, S, V, V},
                               {r->n, r->nq, V, S, V},
                               {r->n, r->nq, V, V, S},
                               {r->n, r->nq, V, V, V}};
  sample_load(r, c, w);
  memset(b, 0, (size_t)cube(r->nq) * sizeof *b);
  for (int d = r->has_gradient ? 0 : 3; d < 4; ++d)
    bp_tensor_add_transposed_quickly(&shapes[d], w->terms[d], w->scratch, b);
}

/* ---- fixed values ---- */

/* One thread's arrays: nodes of an element x[c][n]; of the fixed ones their place, the factors of
 * u* there. */
typedef struct {
  double *x, *geometry, *at[3];
  int *place;
} fixing;

static fixing fixing_create(const bp_geometry *geometry, int nodes, int surface)
{
  size_t S = (size_t)surface;
  fixing f = {.x = bp_alloc(3 * ((size_t)nodes + S), sizeof(double)),
              .geometry = bp_alloc((size_t)bp_geometry_scratch(geometry), sizeof(double)),
              .place = bp_alloc(S, sizeof(int))};
  for (size_t d = 0; d < 3; ++d)
    f.at[d] = f.x + 3 * (size_t)nodes + d * S;
  return f;
}

static void fixing_destroy(fixing *f)
{
  bp_free(f->x);
  bp_free(f->geometry);
  bp_free(f->place);
}

/* Component c of u* at the fixed nodes of element e, into u[nodes]; returns whether any is not 0. */
static bool fix_element(const rule *r, int c, int64_t e, const int *place, fixing *f, double *u)
{
  const bp_unknowns *all = r->system->unknowns;
  int S = all->surface_nodes, nodes = cube(r->nq), count = 0;
  bool any = false;
  for (int m = 0; m < S; ++m)
    if (all->ids[e * S + m] < 0) {
      f->place[count] = place[m];
      for (int d = 0; d < 3; ++d)
        f->at[d][count] = f->x[d * nodes + place[m]];
      ++count;
    }
  for (int d = 0; d < 3; ++d)
    bp_solution_factor(&r->exact, c, d, count, f->at[d], f->at[d], NULL);
  for (int n = 0; n < count; ++n) {
    u[f->place[n]] = f->at[0][n] * f->at[1][n] * f->at[2][n];
    any = any || u[f->place[n]] != 0;
  }
  return any;
}

static bool has_fixed(const bp_unknowns *u, int64_t e)
{
  for (int m = 0; m < u->surface_nodes; ++m)
    if (u->ids[e * u->surface_nodes + m] < 0)
      return true;
  return false;
}

/* local_u = g: component c of u* at fixed unknowns of elements first..last-1, else 0. Returns whether
 * there are any. */
static bool place_fixed(const rule *r, int c, int64_t first, int64_t last)
{
  bp_system *s = r->system;
  const bp_unknowns *u = s->unknowns;
  bp_geometry at_nodes;
  int64_t nodes = cube(r->nq), nonzero = 0;
  int *place = bp_alloc((size_t)u->surface_nodes, sizeof *place);
  bp_unknowns_places(u->degree, place, NULL);
  bp_geometry_create(&at_nodes, s->mesh->order, r->nq, s->problem->basis.node);
#pragma omp parallel reduction(+ : nonzero)
  {
    fixing f = fixing_create(&at_nodes, (int)nodes, u->surface_nodes);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      double *to = s->local_u + (e - first) * nodes;
      memset(to, 0, (size_t)nodes * sizeof *to);
      if (!has_fixed(u, e))
        continue;
      bp_geometry_positions(&at_nodes, s->mesh, e, f.geometry, f.x);
      nonzero += fix_element(r, c, e, place, &f, to);
    }
    fixing_destroy(&f);
  }
  bp_free(place);
  return nonzero > 0;
}

/* Whether some rank has a value there that is not 0. */
static bool any_is_fixed(const rule *r, int c)
{
  const bp_system *s = r->system;
  bool any = false;
  if (bp_system_total_fixed(s) == 0)
    return false;
  for (int64_t first = 0, last; first < s->mesh->elements && !any; first = last) {
    last = bp_system_chunk_end(s, first);
    any = place_fixed(r, c, first, last);
  }
  return bp_comm_largest(s->comm, any) > 0;
}

/* f -= A g. */
static void move_fixed(const rule *r, int c, double *copies, double *f)
{
  bp_system *s = r->system;
  int64_t count = s->unknowns->count;
  if (!any_is_fixed(r, c))
    return;
  double *Ag = bp_alloc_array((size_t)count, sizeof *Ag);
  for (int64_t first = 0, last; first < s->mesh->elements; first = last) {
    last = bp_system_chunk_end(s, first);
    place_fixed(r, c, first, last);
    bp_reference_apply_part(s->problem, first, last, s->local_u, s->local_v);
    bp_unknowns_keep(s->unknowns, first, last, s->local_v, Ag, copies);
  }
  bp_unknowns_add_copies(s->unknowns, copies, Ag);
  for (int64_t n = 0; n < count; ++n)
    f[n] -= Ag[n];
  bp_free(Ag);
}

/* ---- the interface ---- */

/* Of elements first..last-1, into local_v. */
static void chunk_load(const rule *r, int c, int64_t first, int64_t last)
{
#pragma omp parallel
  {
    work w = work_create(r);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      visit(r, e, &w);
      element_load(r, c, &w, r->system->local_v + (e - first) * cube(r->nq));
    }
    work_destroy(&w);
  }
}

void bp_load_create(bp_system *system, bp_load_kind kind, double *f)
{
  const bp_unknowns *u = system->unknowns;
  rule *r = rule_create(system, kind);
  double *copies = bp_alloc_array((size_t)(u->elements * u->surface_nodes), sizeof *copies);
  for (int c = 0; c < system->row->components; ++c) {
    double *of = f + c * u->count;
    for (int64_t first = 0, last; first < u->elements; first = last) {
      last = bp_system_chunk_end(system, first);
      chunk_load(r, c, first, last);
      bp_unknowns_keep(u, first, last, system->local_v, of, copies);
    }
    bp_unknowns_add_copies(u, copies, of);
    if (kind == BP_LOAD_MANUFACTURED)
      move_fixed(r, c, copies, of);
  }
  bp_free(copies);
  bp_free(r);
}

bp_status bp_load_read(const bp_system *system, const char *path, double *f)
{
  int components = system->row->components;
  int64_t count = system->unknowns->count, shape[2] = {count, components};
  double *values;
  bp_status status = bp_npy_read(path, components > 1 ? 2 : 1, shape, &values);
  for (int64_t n = 0; !status && n < count * components; ++n)
    if (!isfinite(values[n]))
      status = bp_fail(BP_BAD_INPUT, "%s: expected finite numbers, found %g at index %lld", path,
                       values[n], (long long)n);
  if (!status) {
    uint8_t *is_fixed = bp_alloc((size_t)count, sizeof *is_fixed);
    bp_unknowns_fixed(system->unknowns, is_fixed);
    for (int64_t n = 0; n < count; ++n)
      for (int c = 0; c < components; ++c)
        f[c * count + n] = is_fixed[n] ? 0 : values[n * components + c];
    bp_free(is_fixed);
  }
  bp_free(values);
  return status;
}

bool bp_load_has_solution(const char *name)
{
  return strcmp(name, "manufactured") == 0;
}

static bool is_file(const char *name)
{
  return !bp_load_has_solution(name) && strcmp(name, "constant") != 0;
}

bp_status bp_load_check(const char *name)
{
  return is_file(name) && access(name, R_OK) != 0
             ? bp_fail(BP_BAD_INPUT, "%s: cannot be opened: %s", name, strerror(errno))
             : BP_OK;
}

bp_status bp_load_named(bp_system *system, const char *name, double *f)
{
  const bool is_known = bp_load_has_solution(name);
  if (is_known && system->mesh->wraps < 0)
    return bp_fail(
        BP_BAD_INPUT,
        "%s: rhs: expected constant or a file on a mesh whose periodic nodes are not apart "
        "by its length along x, y or z, found manufactured",
        system->mesh->name);
  if (is_file(name) &&
      system->comm->size > 1) /* which would number its unknowns as one rank does */
    return bp_fail(BP_BAD_INPUT,
                   "rhs: expected manufactured or constant with several ranks, found '%s'", name);
  if (is_file(name))
    return bp_load_read(system, name, f);
  bp_load_create(system, is_known ? BP_LOAD_MANUFACTURED : BP_LOAD_CONSTANT, f);
  return BP_OK;
}

/* Squares of the error and of u* on an element, from its values. */
static void element_error(const rule *r, int c, const double *values, work *w, double sums[2])
{
  int points = cube(r->n);
  const bp_tensor shape = {r->n, r->nq, r->value, r->value, r->value};
  bp_tensor_apply_quickly(&shape, values, w->scratch, w->terms[0]);
  sample_solution(r, c, false, w);
  for (int q = 0; q < points; ++q) {
    double u = w->factor[0][q] * w->factor[1][q] * w->factor[2][q], difference = w->terms[0][q] - u;
    double weight = w->weight[q] * bp_geometry_determinant(w->J, points, q);
    sums[0] += weight * difference * difference;
    sums[1] += weight * u * u;
  }
}

/* local_u = component c of u + g on elements first..last-1. */
static void place_solution(const rule *r, int c, const double *u, int64_t first, int64_t last)
{
  bp_system *s = r->system;
  int64_t count = s->unknowns->count, nodes = (last - first) * cube(r->nq);
  bp_unknowns_scatter(s->unknowns, first, last, u + c * count, s->local_v);
  if (bp_system_total_fixed(s) == 0)
    memset(s->local_u, 0, (size_t)nodes * sizeof *s->local_u);
  else
    place_fixed(r, c, first, last);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < nodes; ++n)
    s->local_u[n] += s->local_v[n];
}

/* sums[e][2] of elements first..last-1, from local_u. */
static void chunk_error(const rule *r, int c, int64_t first, int64_t last, double *sums)
{
#pragma omp parallel
  {
    work w = work_create(r);
#pragma omp for schedule(static)
    for (int64_t e = first; e < last; ++e) {
      visit(r, e, &w);
      element_error(r, c, r->system->local_u + (e - first) * cube(r->nq), &w, sums + 2 * e);
    }
    work_destroy(&w);
  }
}

bp_load_error bp_load_compare(bp_system *system, const double *u)
{
  rule *r = rule_create(system, BP_LOAD_MANUFACTURED);
  int64_t elements = system->mesh->elements;
  double *sums = bp_alloc(2 * (size_t)elements, sizeof *sums);
  long double total[2] = {0, 0};
  for (int c = 0; c < system->row->components; ++c)
    for (int64_t first = 0, last; first < elements; first = last) {
      last = bp_system_chunk_end(system, first);
      place_solution(r, c, u, first, last);
      chunk_error(r, c, first, last, sums);
    }
  for (int64_t e = 0; e < 2 * elements; ++e)
    total[e % 2] += sums[e];
  double all[2] = {(double)total[0], (double)total[1]};
  bp_comm_sum(system->comm, all, 2);
  bp_free(sums);
  bp_free(r);
  return (bp_load_error){.error = sqrt(all[0]), .norm = sqrt(all[1])};
}
