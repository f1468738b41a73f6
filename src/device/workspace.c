/* workspace.c -- making, filling, poisoning and checking a problem's arrays. */
#include "device/workspace.h"

#include "base/clock.h"
#include "base/memory.h"
#include "device/plan.h"
#include "fem/pair.h"
#include <string.h>

/* ---- making ---- */

static bool is_current(const bp_workspace *w)
{
  return w->generation == w->device->generation;
}

static void drop(bp_workspace *w, bp_array *array)
{
  if (is_current(w))
    bp_array_destroy(w->device, array);
  *array = (bp_array){0};
}

static void drop_arrays(bp_workspace *w)
{
  for (int n = 0; n < BP_OPERANDS_COUNT; ++n)
    drop(w, &w->arrays[n]);
  while (w->factors_count > 0)
    drop(w, &w->factors[--w->factors_count].factors);
}

static bp_status count_of(const bp_workspace *w, const bp_operand *operand, int64_t *count)
{
  bp_name names[BP_NAMES_MAX];
  const bp_problem *p = w->problem;
  bp_space_names(p->op, p->space, p->elements, bp_space_lanes(p->space, w->device->lanes),
                 w->device->sms, names);
  bp_problem_names(p, names);
  return bp_expression_evaluate(operand->count, names, count);
}

/* Of the field f, the `count` values without the padding. */
static bp_array field_of(const bp_workspace *w, int operand, int64_t count, int f)
{
  bp_array part = w->arrays[operand];
  part.data += (bp_address)(part.count / w->problem->space.fields * f * part.bytes);
  part.count = count;
  part.guard = 0;
  return part;
}

static const void *values_of(const bp_workspace *w, int operand, int f)
{
  return (const char *)w->values[operand] +
         f * w->counts[operand] * (int64_t)bp_operands[operand].bytes;
}

/* What the host has, to the device; what it has not of an array is 0. */
static bp_status bring(bp_workspace *w, int operand)
{
  const bp_array *array = &w->arrays[operand];
  if (!w->by_fields[operand])
    return bp_array_write(w->device, array, w->values[operand]);
  bp_status status = bp_array_clear(w->device, array);
  for (int f = 0; f < w->problem->space.fields && !status; ++f) {
    bp_array part = field_of(w, operand, w->counts[operand], f);
    status = bp_array_write(w->device, &part, values_of(w, operand, f));
  }
  return status;
}

static bp_status make_array(bp_workspace *w, int operand)
{
  const bp_operand *o = &bp_operands[operand];
  int64_t count;
  bp_status status = count_of(w, o, &count);
  if (status || count == 0)
    return status;
  const int bytes = bp_operand_bytes(o, w->problem->space);
  status = bp_array_create(w->device, o->name, count, bytes, w->guarded, &w->arrays[operand]);
  w->arrays[operand].is_narrow = bytes < o->bytes;
  if (!status && w->values[operand])
    status = bring(w, operand);
  return status;
}

bp_status bp_workspace_array(bp_workspace *workspace, int operand, bp_address *address)
{
  bp_status status = BP_OK;
  if (!workspace->arrays[operand].data)
    status = make_array(workspace, operand);
  *address = workspace->arrays[operand].data;
  return status;
}

/* u and v at once: where they find no room nothing can run. Solves have neither. */
static bp_status make_arrays(bp_workspace *w)
{
  bp_address address;
  if (w->problem->unknowns)
    return BP_OK;
  bp_status status = bp_workspace_array(w, BP_OPERAND_u, &address);
  return status ? status : bp_workspace_array(w, BP_OPERAND_v, &address);
}

bp_status bp_workspace_ready(bp_workspace *workspace)
{
  if (is_current(workspace))
    return BP_OK;
  drop_arrays(workspace);
  workspace->generation = workspace->device->generation;
  return make_arrays(workspace);
}

bp_status bp_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                              bp_workspace **workspace)
{
  bp_workspace *w = bp_alloc(1, sizeof *w);
  w->device = device;
  w->problem = problem;
  w->guarded = guarded;
  w->generation = device->generation;
  w->values[BP_OPERAND_I] = problem->basis.I;
  w->values[BP_OPERAND_D] = problem->basis.D;
  w->rule = bp_alloc(2 * (size_t)problem->basis.nc, sizeof *w->rule);
  memcpy(w->rule, problem->basis.point, (size_t)problem->basis.nc * sizeof *w->rule);
  memcpy(w->rule + problem->basis.nc, problem->basis.weight,
         (size_t)problem->basis.nc * sizeof *w->rule);
  w->values[BP_OPERAND_rule] = w->rule;
  w->values[BP_OPERAND_gather] = problem->gather;
  w->values[BP_OPERAND_table] = problem->table;
  w->values[BP_OPERAND_steps] = &problem->iterations;
  bp_status status = make_arrays(w);
  if (status && !is_current(w)) /* an error of what ran before came out only now */
    status = bp_workspace_ready(w);
  *workspace = w;
  if (status) {
    bp_workspace_destroy(w);
    *workspace = NULL;
  }
  return status;
}

void bp_workspace_destroy(bp_workspace *workspace)
{
  if (!workspace)
    return;
  drop_arrays(workspace);
  bp_free(workspace->factors);
  bp_free(workspace->u);
  bp_free(workspace->rule);
  bp_free(workspace->u_by_species);
  bp_free(workspace);
}

/* ---- factors ---- */

/* Of all words, the last of which may be half a one, and their places, as fast as memory is. */
static uint64_t sum_of(const void *values, const bp_array *array)
{
  const int64_t bytes = array->count * array->bytes, each = sizeof(uint64_t);
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int64_t n = 0; n < (bytes + each - 1) / each; ++n) {
    uint64_t word = 0;
    const int64_t left = bytes - n * each;
    memcpy(&word, (const char *)values + n * each, left < each ? (size_t)left : sizeof word);
    word = (word ^ (uint64_t)n) * 0x9e3779b97f4a7c15u;
    sum += word ^ word >> 32;
  }
  return sum;
}

static const void *in_place(const bp_workspace *w, const bp_array *array)
{
  const bp_backend *backend = w->device->backend;
  return backend->map ? backend->map(w->device, array->data) : NULL;
}

/* Groups of elements whose factors are made at once where the host cannot make them in place. */
typedef struct {
  int64_t groups, each, most; /* items of a group; groups in a piece */
  void *piece;
} pieces;

static pieces pieces_of(const bp_workspace *w, const bp_factors *f)
{
  enum { PIECE_ITEMS = 1 << 22 };
  pieces p = {.groups = bp_layout_groups(&f->layout, w->problem)};
  p.each = p.groups ? f->factors.count / p.groups : 1;
  p.most = p.each < PIECE_ITEMS ? PIECE_ITEMS / p.each : 1;
  p.most = p.most < p.groups ? p.most : p.groups;
  p.piece = bp_alloc_array((size_t)(p.most * p.each), (size_t)f->factors.bytes);
  return p;
}

/* Makes the groups from `first` on; returns where they belong. */
static bp_array make_piece(const bp_workspace *w, const bp_factors *f, const pieces *p,
                           int64_t first)
{
  bp_array part = f->factors;
  int64_t last = first + p->most < p->groups ? first + p->most : p->groups;
  bp_layout_fill_part(&f->layout, w->problem, first, last, p->piece);
  part.data += (bp_address)(first * p->each * part.bytes);
  part.count = (last - first) * p->each;
  part.guard = 0;
  return part;
}

/* In place where the host can, so that memory holds them once. */
static bp_status fill_factors(bp_workspace *w, bp_factors *f, double *setup, double *upload)
{
  double start = bp_clock();
  void *mapped =
      w->device->backend->map ? w->device->backend->map(w->device, f->factors.data) : NULL;
  bp_status status = BP_OK;
  if (mapped) {
    bp_layout_fill(&f->layout, w->problem, mapped);
    *setup = bp_clock() - start;
    f->sum = sum_of(mapped, &f->factors);
    return BP_OK;
  }
  pieces p = pieces_of(w, f);
  *setup = *upload = 0;
  for (int64_t first = 0; first < p.groups && !status; first += p.most) {
    bp_array part = make_piece(w, f, &p, first);
    double made = bp_clock();
    status = bp_array_write(w->device, &part, p.piece);
    *setup += made - start;
    *upload += (start = bp_clock()) - made;
  }
  bp_free(p.piece);
  return status;
}

bp_status bp_workspace_factors(bp_workspace *workspace, const bp_layout *layout,
                               double *setup_seconds, double *upload_seconds, bp_address *address)
{
  bp_workspace *w = workspace;
  for (int n = 0; n < w->factors_count; ++n)
    if (bp_layout_is_same(&w->factors[n].layout, layout)) {
      *address = w->factors[n].factors.data;
      return BP_OK;
    }
  w->factors = bp_realloc(w->factors, (size_t)w->factors_count + 1, sizeof *w->factors);
  bp_factors *f = &w->factors[w->factors_count];
  f->layout = *layout;
  bp_status status = bp_array_create(w->device, "the factors", bp_layout_count(layout, w->problem),
                                     bp_stored_bytes(w->problem->space), w->guarded, &f->factors);
  if (!status)
    status = fill_factors(w, f, setup_seconds, upload_seconds);
  *address = f->factors.data;
  if (status)
    drop(w, &f->factors);
  else
    ++w->factors_count;
  return status;
}

void bp_workspace_drop(bp_workspace *workspace, int operand)
{
  drop(workspace, &workspace->arrays[operand]);
}

bp_status bp_workspace_refill(bp_workspace *workspace)
{
  double setup, upload;
  bp_status status = BP_OK;
  for (int n = 0; n < workspace->factors_count && !status; ++n)
    status = fill_factors(workspace, &workspace->factors[n], &setup, &upload);
  return status;
}

/* ---- using ---- */

/* The other order of u, if the problem has one. */
static bp_status write_by_species(bp_workspace *w, const double *u)
{
  const bp_array *array = &w->arrays[BP_OPERAND_u_by_species];
  if (!bp_problem_is_pair(w->problem))
    return BP_OK;
  if (!w->u_by_species)
    w->u_by_species = bp_alloc_array((size_t)bp_problem_dofs(w->problem), sizeof *u);
  bp_pair_by_species(w->problem, u, w->u_by_species);
  w->values[BP_OPERAND_u_by_species] = w->u_by_species;
  return array->data ? bp_array_write(w->device, array, w->u_by_species) : BP_OK;
}

bp_status bp_workspace_write(bp_workspace *workspace, const double *u)
{
  bp_workspace *w = workspace;
  bp_status status = bp_workspace_ready(w);
  if (status)
    return status;
  size_t bytes = (size_t)w->arrays[BP_OPERAND_u].count * sizeof *u; /* of the host */
  if (!w->u)
    w->values[BP_OPERAND_u] = w->u = bp_alloc_array(bytes, 1);
  memcpy(w->u, u, bytes);
  status = write_by_species(w, u);
  return status ? status : bp_array_write(w->device, &w->arrays[BP_OPERAND_u], u);
}

bp_status bp_workspace_read(bp_workspace *workspace, double *v)
{
  bp_status status = bp_workspace_ready(workspace);
  return status ? status : bp_array_read(workspace->device, &workspace->arrays[BP_OPERAND_v], v);
}

void bp_workspace_give(bp_workspace *workspace, int operand, const void *values)
{
  workspace->values[operand] = values;
  workspace->by_fields[operand] = false;
}

void bp_workspace_give_fields(bp_workspace *workspace, int operand, const double *values,
                              int64_t count)
{
  workspace->values[operand] = values;
  workspace->by_fields[operand] = true;
  workspace->counts[operand] = count;
}

bp_status bp_workspace_update(bp_workspace *workspace, int operand)
{
  const bp_array *array = &workspace->arrays[operand];
  bp_status status = bp_workspace_ready(workspace);
  return status || !array->data ? status : bring(workspace, operand);
}

bp_status bp_workspace_read_operand(bp_workspace *workspace, int operand, void *values)
{
  bp_status status = bp_workspace_ready(workspace);
  BP_ASSERT(workspace->arrays[operand].data);
  return status ? status : bp_array_read(workspace->device, &workspace->arrays[operand], values);
}

bp_status bp_workspace_read_fields(bp_workspace *workspace, int operand, double *values,
                                   int64_t count)
{
  bp_status status = bp_workspace_ready(workspace);
  BP_ASSERT(workspace->arrays[operand].data);
  for (int f = 0; f < workspace->problem->space.fields && !status; ++f) {
    bp_array part = field_of(workspace, operand, count, f);
    status = bp_array_read(workspace->device, &part, values + f * count);
  }
  return status;
}

bp_status bp_workspace_poison(bp_workspace *workspace)
{
  bp_workspace *w = workspace;
  bp_status status = bp_workspace_ready(w);
  for (int n = 0; n < BP_OPERANDS_COUNT && !status; ++n)
    if (bp_operand_is_output(n) && w->arrays[n].data)
      status = bp_array_poison(w->device, &w->arrays[n]);
  for (bp_plan *p = w->plans; p && !status; p = p->next)
    status = bp_plan_poison(p);
  return status;
}

/* Whether inputs may have been written: the emulator watches by itself, and a GPU's are looked at where time
 * is no matter. */
static bool may_differ(const bp_workspace *w, const bp_array *array)
{
  return array->data && !w->device->backend->is_emulation && (w->guarded || in_place(w, array));
}

/* The host has no copy of them, so they are made once more. */
static bp_status check_factors(bp_workspace *w, const bp_factors *f)
{
  bp_status status = bp_array_check(w->device, &f->factors);
  if (status || !may_differ(w, &f->factors))
    return status;
  const void *values = in_place(w, &f->factors);
  if (values && sum_of(values, &f->factors) == f->sum)
    return BP_OK;
  pieces p = pieces_of(w, f);
  for (int64_t first = 0; first < p.groups && !status; first += p.most) {
    bp_array part = make_piece(w, f, &p, first);
    status = bp_array_compare(w->device, &part, p.piece);
  }
  bp_free(p.piece);
  return status;
}

static bp_status compare(bp_workspace *w, int n)
{
  bp_status status = BP_OK;
  if (!w->by_fields[n])
    return bp_array_compare(w->device, &w->arrays[n], w->values[n]);
  for (int f = 0; f < w->problem->space.fields && !status; ++f) {
    bp_array part = field_of(w, n, w->counts[n], f);
    status = bp_array_compare(w->device, &part, values_of(w, n, f));
  }
  return status;
}

static bp_status check_array(bp_workspace *w, int n)
{
  bp_status status = w->arrays[n].data ? bp_array_check(w->device, &w->arrays[n]) : BP_OK;
  bool is_input = bp_operands[n].access == BP_ACCESS_READ && w->values[n];
  if (!status && is_input && may_differ(w, &w->arrays[n]))
    status = compare(w, n);
  return status;
}

bp_status bp_workspace_guards(bp_workspace *workspace)
{
  bp_workspace *w = workspace;
  bp_status status = bp_workspace_ready(w);
  for (int n = 0; n < BP_OPERANDS_COUNT && !status; ++n)
    status = check_array(w, n);
  for (int n = 0; n < w->factors_count && !status; ++n)
    status = check_factors(w, &w->factors[n]);
  for (bp_plan *p = w->plans; p && !status; p = p->next)
    status = bp_plan_check(p);
  return status;
}
