/* multigrid_elements.c -- levels with elements: operators, vectors, smoothers. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "fem/basis.h"
#include "fem/map.h"
#include "kernels/abi/multigrid.h"
#include <math.h>
#include <string.h>

/* ---- operators ---- */

static bp_best_wanted wanted_of(const bp_device *device, const bp_problem *p, const char *problem,
                                int64_t elements)
{
  return (bp_best_wanted){.device = device->name,
                          .problem = problem,
                          .degree = p->space.degree,
                          .points = bp_operator_other_points(p->op, p->space),
                          .elements = elements,
                          .sms = device->sms,
                          .language = device->backend->language,
                          .limits = bp_device_best_limits(device),
                          .op = p->op,
                          .space = p->space};
}

/* On elements the best kernel for the operator on all ranks' elements, else the first that has its space. */
static bp_status choose(const bp_device *device, const bp_problem *p, int64_t elements,
                        bp_choice *choice)
{
  const bp_best_wanted wanted = wanted_of(device, p, bp_operator_kernels(p->op), elements);
  int count, n = 0;
  const bp_variant *all = bp_variants(&count);
  while (n < count &&
         (strcmp(all[n].problem, wanted.problem) != 0 || all[n].language != wanted.language ||
          bp_variant_check(&all[n], p->op, p->space)))
    ++n;
  if (n == count)
    return bp_fail(BP_SKIPPED, "no kernel of %s in %s precision at N = %d%s%s", wanted.problem,
                   bp_precisions[p->space.precision], p->space.degree,
                   p->space.geometry ? ", " : "", bp_space_geometry(p->space));
  bool found;
  bp_status status = bp_best_find(&wanted, choice, &found);
  if (!status && !found)
    *choice = bp_choice_standard(&all[n]);
  return status;
}

/* On vectors solve/level, with the options of the best solve as far as it has them. */
static bp_status choose_level(const bp_multigrid *m, const bp_problem *p, int64_t elements,
                              bp_choice *choice)
{
  const char *problem = m->choice.variant->problem;
  const bp_best_wanted wanted = wanted_of(m->device, p, problem, elements);
  char *id = bp_format("%s/level", problem);
  const bp_variant *variant = bp_variant_find(id, BP_LANGUAGE_CUDA);
  bp_free(id);
  BP_ASSERT(variant);
  bp_status status = bp_variant_check(variant, p->op, p->space);
  *choice = bp_choice_standard(variant);
  return status ? status : bp_best_options(&wanted, choice);
}

/* Its problem, and the kernel for it. Element kernels have a mass term, whatever lambda is. */
static bp_status choose_of(bp_multigrid *m, bp_elements_level *l, bp_element_geometry geometry)
{
  const bp_system *first = m->scheme->system;
  bp_space space = l->assembled.space;
  space.jacobi = space.multigrid = false;
  space.geometry = geometry;
  space.level = bp_multigrid_is_on_gpu(m);
  space.fields = space.level ? space.fields : 1;
  bp_status status =
      bp_problem_create(space.level ? l->assembled.op : bp_operator_find(first->row->operator),
                        space, first->problem->lambda, first->mesh, &l->separate);
  const int64_t elements = first->piece ? first->piece->elements : first->mesh->elements;
  status = bp_comm_agree(first->comm, status);
  if (status)
    return status;
  if (!space.level)
    return choose(m->device, l->separate, elements, &l->choice);
  l->separate->unknowns = l->system->unknowns;
  return choose_level(m, l->separate, elements, &l->choice);
}

/* Levels compute factors where all ranks' elements are affine or trilinear and a kernel does so: fewer bytes,
 * and right to the rounding of the cycle. */
static bp_status choose_operator(bp_multigrid *m, bp_elements_level *l)
{
  const bp_mesh *mesh = m->scheme->system->mesh;
  const bp_element_geometry asked = l->assembled.space.geometry;
  const bool is_free = l != &m->outer && !asked;
  for (bp_element_geometry n = BP_AFFINE; is_free && n <= BP_TRILINEAR; ++n) {
    const bool is_other = bp_map_count(n, mesh) < mesh->elements;
    if (bp_comm_largest(m->scheme->system->comm, is_other) > 0)
      continue;
    bp_status status = choose_of(m, l, n);
    if (status != BP_SKIPPED)
      return status;
    bp_problem_destroy(l->separate);
  }
  return choose_of(m, l, asked);
}

/* Kernels leave fixed nodes alone, which are 0. */
static bp_status clear(bp_multigrid *m, const bp_elements_level *l)
{
  const bp_array *const arrays[] = {&l->elements->arrays[BP_OPERAND_u], &l->fields_u};
  bp_status status = BP_OK;
  for (int n = 0; n < 2 && !status; ++n)
    if (arrays[n]->data)
      status = bp_array_clear(m->device, arrays[n]);
  return status;
}

/* solve/level leaves A p of surface nodes where the level's other kernels read it; the iterations have all of
 * it. */
static bp_status make_copies(bp_multigrid *m, bp_elements_level *l)
{
  bp_status status =
      bp_workspace_create(m->device, l->separate, m->scheme->workspace->guarded, &l->elements);
  if (status)
    return status;
  bp_workspace_give(l->elements, BP_OPERAND_ids, l->system->unknowns->ids);
  status = bp_plan_create(l->elements, &l->choice, &l->apply);
  if (status)
    return status;
  bp_array *const own = l->apply->own;
  bp_array_destroy(m->device, &own[BP_OPERAND_p]);
  bp_array_destroy(m->device, &own[BP_OPERAND_copies]);
  if (l == &m->outer) {
    bp_array_destroy(m->device, &own[BP_OPERAND_ap]);
    return BP_OK;
  }
  l->v = own[BP_OPERAND_ap].data;
  l->copies = l->own->own[BP_OPERAND_copies].data;
  return BP_OK;
}

/* Of surface nodes the unknowns whose first element has them, in the whole mesh. */
static bp_status list_own(bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  const int64_t count = u->elements * u->surface_nodes;
  int *own = bp_alloc_array((size_t)count + 1, sizeof *own);
  for (int64_t n = 0; n < count; ++n) {
    const int32_t id = u->ids[n];
    own[n] = id >= 0 && u->copies[u->starts[id - u->inner]] == (uint32_t)n ? id : -1;
  }
  bp_status status =
      bp_multigrid_upload(m, "unknowns of elements", count, own, false, &l->box_nodes);
  bp_free(own);
  return status;
}

static bp_status make_operator(bp_multigrid *m, bp_elements_level *l)
{
  const bool guarded = m->scheme->workspace->guarded;
  const int64_t fields = l->assembled.space.fields;
  if (bp_multigrid_is_on_gpu(m))
    return make_copies(m, l);
  bp_status status = bp_workspace_create(m->device, l->separate, guarded, &l->elements);
  if (!status)
    status = bp_plan_create(l->elements, &l->choice, &l->apply);
  if (status)
    return status;
  l->u = l->elements->arrays[BP_OPERAND_u].data;
  l->v = l->elements->arrays[BP_OPERAND_v].data;
  if (fields == 1 && !l->ranks)
    return clear(m, l);
  if (fields == 1) {
    bp_workspace_drop(l->elements, BP_OPERAND_u);
    bp_workspace_drop(l->elements, BP_OPERAND_v);
  }
  const int64_t count =
                    fields * BP_MG_ELEMENTS(m->all_elements) * bp_space_nodes(l->separate->space),
                bytes = bp_real_bytes(l->separate->space);
  status = bp_array_create(m->device, "vectors by element", count, bytes, guarded, &l->fields_u);
  if (!status)
    status = bp_array_create(m->device, "vectors by element", count, bytes, guarded, &l->fields_v);
  l->u = l->fields_u.data;
  l->v = l->fields_v.data;
  return status ? status : clear(m, l);
}

/* ---- vectors ---- */

/* Of unknowns: 1 / diagonal; or what a sum over boxes is weighted by. */
static void find_weights(const bp_multigrid *m, bp_elements_level *l, bool is_last)
{
  const bp_unknowns *u = l->system->unknowns;
  const int64_t stride = bp_unknowns_stride(u);
  const bp_smoother smoother = is_last ? BP_SMOOTHER_JACOBI : m->options.smoother;
  l->weights = bp_alloc_array((size_t)stride, sizeof *l->weights);
  if (smoother == BP_SMOOTHER_JACOBI)
    bp_system_diagonal(l->system, l->weights);
  for (int64_t n = 0; n < stride; ++n) {
    const int64_t s = n - u->inner;
    const double copies = s >= 0 && n < u->count ? u->starts[s + 1] - u->starts[s] : 1;
    l->weights[n] = n >= u->count || copies == 0      ? 1
                    : smoother == BP_SMOOTHER_JACOBI  ? 1 / l->weights[n]
                    : smoother == BP_SMOOTHER_SCHWARZ ? 1 / sqrt(copies)
                                                      : 1 / copies;
  }
}

static void give_vectors(const bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  bp_workspace_give(l->vectors, BP_OPERAND_halo, u->sharing ? u->sharing->halo : m->scheme->halo);
  bp_workspace_give(l->vectors, BP_OPERAND_ids, u->ids);
  bp_workspace_give(l->vectors, BP_OPERAND_first, u->first);
  bp_workspace_give(l->vectors, BP_OPERAND_starts, u->starts);
  bp_workspace_give(l->vectors, BP_OPERAND_copied, u->copies);
  bp_workspace_give(l->vectors, BP_OPERAND_copy_slots, l->slots);
  bp_workspace_give(l->vectors, BP_OPERAND_diagonal, l->weights);
  bp_workspace_give(l->vectors, BP_OPERAND_transfer, l->transfer);
  bp_workspace_give(l->vectors, BP_OPERAND_mail, m->scheme->mail);
  if (u->sharing)
    bp_workspace_give(l->vectors, BP_OPERAND_sent, u->sharing->sent);
}

/* Values at this level's nodes of the next one's functions. */
static void find_transfer(bp_elements_level *l, int next)
{
  double fine[BP_POINTS_MAX], coarse[BP_POINTS_MAX], weights[BP_POINTS_MAX];
  const int nq = l->assembled.space.degree + 1;
  l->transfer = bp_alloc((size_t)nq * (size_t)nq, sizeof *l->transfer);
  if (next == 0)
    return;
  bp_quadrature_lobatto(nq, fine, weights);
  bp_quadrature_lobatto(next + 1, coarse, weights);
  bp_basis_interpolate(next + 1, coarse, nq, fine, l->transfer);
}

static bp_status make_system(bp_multigrid *m, bp_elements_level *l, int degree)
{
  const bp_system *first = m->scheme->system;
  bp_space space = first->problem->space;
  space.points += degree - space.degree;
  space.degree = degree;
  return bp_system_create_like(first, space, m->options.fixed, &l->system);
}

/* What needs no device yet. */
static bp_status describe(bp_multigrid *m, int n)
{
  bp_elements_level *l = &m->levels[n];
  bp_status status = BP_OK;
  if (n == 0)
    l->system = m->outer.system;
  else
    status = make_system(m, l, m->degrees[n]);
  if (status)
    return status;
  l->assembled = *l->system->problem;
  l->assembled.space.precision = l->assembled.space.double_cycle ? BP_DOUBLE : BP_SINGLE;
  l->assembled.space.jacobi = true;
  l->assembled.iterations = 1;
  find_transfer(l, n < m->count - 1 ? m->degrees[n + 1] : 0);
  find_weights(m, l, n == m->count - 1);
  l->slots = bp_multigrid_is_on_gpu(m) ? bp_scheme_slots(l->system->unknowns) : NULL;
  return choose_operator(m, l);
}

static bp_status make_level(bp_multigrid *m, bp_elements_level *l)
{
  bp_status status =
      bp_workspace_create(m->device, &l->assembled, m->scheme->workspace->guarded, &l->vectors);
  if (status)
    return status;
  give_vectors(m, l);
  status = bp_plan_create(l->vectors, &m->choice, &l->own);
  return status ? status : make_operator(m, l);
}

/* ---- smoothers ---- */

typedef struct {
  bp_multigrid *m;
  bp_elements_level *l;
} on_device;

static bp_status apply(void *context, const double *p, double *ap)
{
  const on_device *c = context;
  const bp_level_vectors v = bp_multigrid_vectors(c->l);
  bp_program program = {0};
  const bp_multigrid_maker k = bp_multigrid_begin(c->m, &program);
  bp_multigrid_smooth(&k, c->l, (bp_smooth){.flags = BP_MG_SPREADS_D});
  bp_multigrid_apply(&k, c->l, v.d);
  bp_multigrid_smooth(&k, c->l, (bp_smooth){.flags = BP_MG_TAKES_B});
  return bp_multigrid_run(&k, c->l, (bp_multigrid_io){v.d, v.b, p, ap});
}

static bp_status smooth(void *context, const double *r, double *z)
{
  const on_device *c = context;
  const bp_level_vectors v = bp_multigrid_vectors(c->l);
  const int64_t count = c->l->system->unknowns->count;
  bp_program program = {0};
  if (c->l->schwarz) {
    const bp_multigrid_maker k = bp_multigrid_begin(c->m, &program);
    bp_multigrid_schwarz(&k, c->l);
    return bp_multigrid_run(&k, c->l, (bp_multigrid_io){v.r, v.d, r, z});
  }
  for (int64_t n = 0; n < bp_system_size(c->l->system); ++n)
    z[n] = r[n] * c->l->weights[n % count];
  return BP_OK;
}

static bp_status make_schwarz(bp_multigrid *m, bp_elements_level *l)
{
  const bool layer = m->options.smoother == BP_SMOOTHER_RAS;
  const int64_t elements = l->assembled.elements;
  if (m->options.smoother == BP_SMOOTHER_JACOBI)
    return BP_OK;
  bp_status status = bp_schwarz_create(l->system, layer, &l->schwarz);
  if (status)
    return status;
  const int n = l->schwarz->nodes;
  status = bp_multigrid_upload(m, "boxes of elements", elements * 3 * (n + 1) * l->schwarz->pitch,
                               l->schwarz->boxes, true, &l->boxes);
  if (!status)
    status = bp_multigrid_upload(m, "nodes of boxes", elements * n * n * n, l->schwarz->unknowns,
                                 false, &l->box_nodes);
  return status ? status : bp_multigrid_make_far(m, l);
}

static bp_status find_smoother(bp_multigrid *m, bp_elements_level *l)
{
  const bp_unknowns *u = l->system->unknowns;
  on_device context = {m, l};
  const bp_pencil s = {l->system, u->count, bp_system_size(l->system), apply, smooth, &context};
  uint8_t *is_fixed = bp_alloc((size_t)u->count, sizeof *is_fixed);
  double largest = 1;
  bp_unknowns_fixed(u, is_fixed);
  bp_status status = make_schwarz(m, l);
  if (!status)
    status = l->schwarz && l->schwarz->layer ? bp_pencil_largest_power(&s, is_fixed, &largest)
                                             : bp_pencil_largest(&s, is_fixed, &largest);
  bp_multigrid_set_smoother(m, largest, l->smoother);
  bp_free(is_fixed);
  return status;
}

/* ---- all of them ---- */

/* At once what they need compiled. */
static void build(bp_multigrid *m)
{
  bp_build builds[2 * BP_MULTIGRID_LEVELS + 1];
  int count = 0;
  builds[count++] = (bp_build){m->outer.choice, m->outer.separate->op, m->outer.separate->space};
  for (int n = 0; n < m->count; ++n) {
    const bp_elements_level *l = &m->levels[n];
    builds[count++] = (bp_build){m->choice, l->assembled.op, l->assembled.space};
    builds[count++] = (bp_build){l->choice, l->separate->op, l->separate->space};
  }
  bp_plans_build(m->device, builds, count);
}

/* Together: room for what comes, and the way by which it does. */
static bp_status connect(bp_multigrid *m)
{
  enum { ALIGN = 256, SUMS = 3 };
  const bp_elements_level *last = &m->levels[m->count > 0 ? m->count - 1 : 0];
  bp_comm *comm = m->scheme->system->comm;
  double corners =
      m->count ? (double)last->system->unknowns->count * last->assembled.space.fields : 0;
  int64_t behind = bp_multigrid_behind(&m->outer), bytes = bp_multigrid_message_bytes(&m->outer);
  bp_status status = bp_comm_sum(comm, &corners, 1);
  for (int n = 0; n < m->count; ++n) {
    const int64_t own = bp_multigrid_message_bytes(&m->levels[n]),
                  of_level = bp_multigrid_behind(&m->levels[n]);
    bytes = own > bytes ? own : bytes;
    behind = of_level > behind ? of_level : behind;
  }
  m->all_elements += behind;
  bytes = (int64_t)bp_comm_largest(comm, fmax((double)bytes, corners * sizeof(double))) +
          SUMS * BP_MG_WORDS * comm->size * (int64_t)sizeof(double);
  m->half_bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  return status ? status : bp_device_connect(m->device, 2 * m->half_bytes);
}

bp_status bp_multigrid_make_elements(bp_multigrid *m)
{
  bp_status status = choose_operator(m, &m->outer);
  for (int n = 0; n < m->count && !status; ++n)
    status = describe(m, n);
  m->all_elements = m->outer.separate ? m->outer.separate->elements : 0;
  if (!status && bp_multigrid_has_ranks(m))
    status = connect(m);
  if (!status)
    status = bp_multigrid_make_ranks(m, &m->outer);
  for (int n = 0; n < m->count && !status; ++n)
    status = bp_multigrid_make_ranks(m, &m->levels[n]);
  if (!status) {
    build(m);
    status = make_operator(m, &m->outer);
    if (!status && bp_multigrid_has_dot(m))
      status = list_own(m, &m->outer);
  }
  for (int n = 0; n < m->count && !status; ++n)
    status = make_level(m, &m->levels[n]);
  for (int n = 0; n < m->count - 1 && !status; ++n)
    status = find_smoother(m, &m->levels[n]);
  return status;
}

static void destroy(bp_multigrid *m, bp_elements_level *l)
{
  bp_multigrid_destroy_ranks(m->device, l);
  bp_array_destroy(m->device, &l->fields_u);
  bp_array_destroy(m->device, &l->fields_v);
  bp_array_destroy(m->device, &l->box_nodes);
  bp_plan_destroy(l->apply);
  bp_workspace_destroy(l->elements);
  bp_problem_destroy(l->separate);
  if (l == &m->outer) /* the scheme's */
    return;
  bp_plan_destroy(l->own);
  bp_workspace_destroy(l->vectors);
  bp_array_destroy(m->device, &l->boxes);
  bp_schwarz_destroy(l->schwarz);
  bp_free(l->weights);
  bp_free(l->transfer);
  bp_free(l->slots);
  if (l > m->levels)
    bp_system_destroy(l->system);
}

void bp_multigrid_destroy_elements(bp_multigrid *m)
{
  for (int n = 0; n < m->count; ++n)
    destroy(m, &m->levels[n]);
  destroy(m, &m->outer);
}
