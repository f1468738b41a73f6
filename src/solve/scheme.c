/* scheme.c -- from a system to a device and back. */
#include "solve/scheme.h"

#include "base/memory.h"
#include "solve/inner_products.h"
#include <math.h>
#include <string.h>

enum { KINDS = 3 };

uint32_t *bp_scheme_slots(const bp_unknowns *unknowns)
{
  const bp_unknowns *u = unknowns;
  const int64_t first[KINDS] = {u->inner, u->faces_end, u->edges_end};
  const int64_t last[KINDS] = {u->faces_end, u->edges_end, u->count};
  size_t count = 0;
  for (int kind = 0; kind < KINDS; ++kind)
    count += (size_t)(last[kind] - first[kind]) * (2u << kind);
  uint32_t *slots = bp_alloc_array(count + 1, sizeof *slots), *at = slots;
  for (int kind = 0; kind < KINDS; ++kind) {
    const uint32_t most = 2u << kind;
#pragma omp parallel for schedule(static)
    for (int64_t n = first[kind]; n < last[kind]; ++n) {
      uint32_t *own = at + (n - first[kind]) * most, s = (uint32_t)(n - u->inner);
      uint32_t begin = u->starts[s], here = u->starts[s + 1] - begin;
      for (uint32_t c = 0; c < most; ++c)
        own[c] = c < here && here <= most ? u->copies[begin + c] : UINT32_MAX;
      if (here > most)
        own[0] = 0x80000000u + s;
    }
    at += (last[kind] - first[kind]) * most;
  }
  return slots;
}

/* Not 0 behind the last one either: kernels divide by it. */
static double *pad_diagonal(const bp_scheme *s, bp_system *system)
{
  double *diagonal = bp_alloc_array((size_t)s->stride, sizeof *diagonal);
  bp_system_diagonal(system, diagonal);
  for (int64_t n = system->unknowns->count; n < s->stride; ++n)
    diagonal[n] = 1;
  return diagonal;
}

/* Floats from r . r downwards are few powers of ten from their smallest. */
static void scale_load(bp_scheme *s, const double *f)
{
  const int64_t size = bp_system_size(s->system);
  s->f = f;
  s->scale = 1;
  if (!f || s->system->problem->space.precision != BP_SINGLE)
    return;
  const double square =
      bp_system_product(s->system, NULL, f, f) / (double)bp_system_total(s->system);
  if (!(square > 0))
    return;
  s->scale = exp2(-round(log2(square) / 2));
  s->f = s->scaled = bp_alloc_array((size_t)size, sizeof *s->scaled);
  for (int64_t n = 0; n < size; ++n)
    s->scaled[n] = s->scale * f[n];
}

static void give(bp_scheme *s)
{
  const bp_unknowns *u = s->system->unknowns;
  bp_workspace_give(s->workspace, BP_OPERAND_ids, u->ids);
  bp_workspace_give(s->workspace, BP_OPERAND_first, u->first);
  bp_workspace_give(s->workspace, BP_OPERAND_starts, u->starts);
  bp_workspace_give(s->workspace, BP_OPERAND_copied, u->copies);
  bp_workspace_give(s->workspace, BP_OPERAND_copy_slots, s->slots);
  bp_workspace_give_fields(s->workspace, BP_OPERAND_f, s->f, u->count);
  bp_workspace_give(s->workspace, BP_OPERAND_bounds, s->bounds);
  bp_workspace_give(s->workspace, BP_OPERAND_mail, s->mail);
  bp_workspace_give(s->workspace, BP_OPERAND_halo, u->sharing ? u->sharing->halo : s->halo);
  bp_workspace_give(s->workspace, BP_OPERAND_post_ends, s->post_ends ? s->post_ends : s->halo);
  bp_workspace_give(s->workspace, BP_OPERAND_posts, s->posts);
  if (u->sharing)
    bp_workspace_give(s->workspace, BP_OPERAND_sent, u->sharing->sent);
  bp_workspace_give(s->workspace, BP_OPERAND_diagonal, s->diagonal);
}

/* Among a rank's copies: where a neighbour's come, and how many there are. */
typedef struct {
  int64_t first, all;
} place;

/* Each neighbour is told. */
static bp_status tell_places(const bp_sharing *sharing, place *theirs)
{
  bp_part sent[BP_RANKS_MAX], received[BP_RANKS_MAX];
  place own[BP_RANKS_MAX];
  for (int b = 0; b < sharing->neighbours; ++b) {
    own[b] = (place){sharing->received_first[b], sharing->received};
    sent[b] = (bp_part){sharing->rank[b], &own[b], sizeof own[b]};
    received[b] = (bp_part){sharing->rank[b], &theirs[b], sizeof theirs[b]};
  }
  return bp_comm_exchange(sharing->comm, sent, sharing->neighbours, received, sharing->neighbours);
}

bp_status bp_mail_fill(const bp_device *device, const bp_sharing *sharing, int64_t each,
                       int64_t half, int64_t *mail)
{
  place theirs[BP_RANKS_MAX] = {{0}};
  if (!device->boxes)
    return BP_OK;
  bp_status status = tell_places(sharing, theirs);
  mail[BP_MAIL_RANKS] = sharing->comm->size;
  mail[BP_MAIL_RANK] = sharing->comm->rank;
  mail[BP_MAIL_NEIGHBOURS] = sharing->neighbours;
  mail[BP_MAIL_WAITS] = device->kernels_wait;
  mail[BP_MAIL_HALF] = half ? half : each * sharing->received;
  for (int r = 0; r < sharing->comm->size; ++r)
    mail[BP_MAIL_BOXES + r] = (int64_t)device->boxes[r];
  for (int b = 0; b < sharing->neighbours; ++b) {
    mail[BP_MAIL_TO + b] =
        (int64_t)device->boxes[sharing->rank[b]] + BP_BOX_COPIES + theirs[b].first * each;
    mail[BP_MAIL_HALVES + b] = half ? half : theirs[b].all * each;
    mail[BP_MAIL_FIRST + b] = sharing->sent_first[b];
  }
  mail[BP_MAIL_FIRST + sharing->neighbours] = sharing->sent_first[sharing->neighbours];
  return bp_comm_agree(sharing->comm, status);
}

/* Of each element what goes where, as soon as it is computed; mail[] is there. */
static void list_posts(bp_scheme *s)
{
  const bp_unknowns *u = s->system->unknowns;
  const bp_sharing *sharing = u->sharing;
  const int64_t each = s->system->row->components * (int64_t)sizeof(double);
  const uint32_t surface = (uint32_t)u->surface_nodes;
  int32_t *next = bp_alloc((size_t)u->elements + 1, sizeof *next);
  for (int64_t n = 0; n < sharing->sent_first[sharing->neighbours]; ++n)
    ++next[sharing->sent[n] / surface + 1];
  for (int64_t e = 0; e < u->elements; ++e)
    s->post_ends[e] = next[e + 1] += next[e];
  for (int b = 0; b < sharing->neighbours; ++b)
    for (int64_t n = sharing->sent_first[b]; n < sharing->sent_first[b + 1]; ++n) {
      int64_t *post = s->posts + 2 * (int64_t)next[sharing->sent[n] / surface]++;
      post[0] = sharing->sent[n];
      post[1] = s->mail[BP_MAIL_TO + b] + (n - sharing->sent_first[b]) * each;
    }
  bp_free(next);
}

static bp_status connect(bp_scheme *s, bp_device *device)
{
  const bp_sharing *sharing = s->system->unknowns->sharing;
  const int64_t each = s->system->row->components * (int64_t)sizeof(double);
  const int halves = bp_bake_off_is_wave(s->system->row) ? 2 : 1;
  if (!sharing)
    return BP_OK;
  bp_status status = bp_device_connect(device, halves * each * sharing->received);
  if (device->backend->language == BP_LANGUAGE_CUDA) {
    s->post_ends = bp_alloc((size_t)s->system->unknowns->elements, sizeof *s->post_ends);
    s->posts = bp_alloc(2 * (size_t)sharing->sent_first[sharing->neighbours] + 1, sizeof *s->posts);
  }
  if (status || !device->boxes)
    return status;
  status = bp_mail_fill(device, sharing, each, 0, s->mail);
  list_posts(s);
  return status;
}

bp_status bp_scheme_create(bp_device *device, bp_system *system, const double *f, bool guarded,
                           bp_scheme **scheme)
{
  bp_scheme *s = bp_alloc(1, sizeof *s);
  s->system = system;
  s->stride = bp_unknowns_stride(system->unknowns);
  bp_status status = bp_workspace_create(device, system->problem, guarded, &s->workspace);
  status = bp_comm_agree(system->comm, status);
  if (!status)
    status = connect(s, device);
  if (!status) {
    if (!system->unknowns->sharing)
      s->halo = bp_alloc((size_t)system->unknowns->elements, sizeof *s->halo);
    if (device->backend->language == BP_LANGUAGE_CUDA)
      s->slots = bp_scheme_slots(system->unknowns);
    scale_load(s, f);
    if (system->problem->space.jacobi)
      s->diagonal = pad_diagonal(s, system);
    if (f)
      bp_bounds(system, s->f, s->diagonal, s->bounds);
    give(s);
  }
  *scheme = status ? NULL : s;
  if (status)
    bp_scheme_destroy(s);
  return status;
}

void bp_scheme_destroy(bp_scheme *scheme)
{
  if (!scheme)
    return;
  bp_workspace_destroy(scheme->workspace);
  bp_matrix_destroy(scheme->matrix);
  bp_free(scheme->slots);
  bp_free(scheme->halo);
  bp_free(scheme->post_ends);
  bp_free(scheme->posts);
  bp_free(scheme->diagonal);
  bp_free(scheme->scaled);
  bp_free(scheme);
}

static bp_status assemble(bp_scheme *s)
{
  bp_status status = bp_matrix_create(s->system, &s->matrix);
  if (status)
    return status;
  bp_workspace_give(s->workspace, BP_OPERAND_row_starts, s->matrix->starts);
  bp_workspace_give(s->workspace, BP_OPERAND_columns, s->matrix->columns);
  bp_workspace_give(s->workspace, BP_OPERAND_entries, s->matrix->values);
  return BP_OK;
}

bp_status bp_scheme_plan(bp_scheme *scheme, const bp_choice *choice, bp_plan **plan)
{
  bool is_assembled = bp_variant_takes(choice->variant, BP_OPERAND_entries);
  bp_status status = is_assembled && !scheme->matrix ? assemble(scheme) : BP_OK;
  *plan = NULL;
  if (!status)
    status = bp_plan_create(scheme->workspace, choice, plan);
  if (!status && is_assembled)
    (*plan)->details.setup_seconds += scheme->matrix->seconds;
  return status;
}

/* As far as they are there. */
static bp_status read_residuals(bp_scheme *s, int iterations, double *residuals)
{
  bp_array part = s->workspace->arrays[BP_OPERAND_residuals];
  part.count = iterations + 1;
  bp_status status = bp_array_read(s->workspace->device, &part, residuals);
  for (int n = 0; n <= iterations && !status; ++n)
    residuals[n] = sqrt(residuals[n]) / s->scale;
  return status;
}

static bp_status read_back(bp_scheme *s, int iterations, double *x, double *residuals)
{
  bp_status status =
      x ? bp_workspace_read_fields(s->workspace, BP_OPERAND_x, x, s->system->unknowns->count)
        : BP_OK;
  for (int64_t n = 0; x && n < bp_system_size(s->system) && s->scale != 1 && !status; ++n)
    x[n] /= s->scale;
  return status ? status : read_residuals(s, iterations, residuals);
}

bp_status bp_scheme_run(bp_scheme *scheme, bp_plan *plan, double *x, double *residuals)
{
  BP_ASSERT(plan->iterations >= 1 && plan->iterations <= scheme->system->problem->iterations);
  bp_comm *comm = scheme->system->comm;
  bp_status status = bp_comm_agree(comm, bp_workspace_poison(scheme->workspace));
  if (!status)
    status = bp_plan_apply(plan);
  if (!status)
    status = bp_comm_agree(comm, bp_workspace_guards(scheme->workspace));
  return status ? status : read_back(scheme, plan->iterations, x, residuals);
}

static bp_status time_it(bp_plan *plan, bp_scheme_once *once)
{
  bp_status status = BP_OK;
  for (int n = 0; n < once->timed && !status; ++n) {
    double seconds;
    status = bp_plan_time(plan, 1, false, &seconds);
    if (!status)
      once->seconds = fmin(seconds / once->iterations, n == 0 ? INFINITY : once->seconds);
  }
  return status;
}

bp_status bp_scheme_run_to(bp_scheme *scheme, bp_plan *plan, double tolerance, double *x,
                           double *residuals, bool *reached)
{
  enum { FIRST = 100, FEW = 16, GROWTH = 4 };
  const int most = plan->iterations;
  int n = 0;
  *reached = false;
  /* kernels do not stop by themselves: what they did in some tells how many are enough */
  for (int64_t next = plan->append ? FEW : FIRST; !*reached && n < most; next *= GROWTH) {
    plan->iterations = next < most ? (int)next : most;
    bp_status status = bp_scheme_run(scheme, plan, x, residuals);
    if (status)
      return status;
    for (n = 1; n < plan->iterations && !(residuals[n] <= tolerance * residuals[0]); ++n)
      ;
    *reached = residuals[n] <= tolerance * residuals[0];
  }
  if (!*reached || n == plan->iterations)
    return BP_OK;
  plan->iterations = n;
  return bp_scheme_run(scheme, plan, x, residuals);
}

/* The first of `count` iterations that has reached it; 0: none. */
static int reached_at(const double *residuals, int count, double tolerance)
{
  for (int n = 1; n <= count; ++n)
    if (residuals[n] <= tolerance * residuals[0])
      return n;
  return 0;
}

bp_status bp_scheme_run_past(bp_scheme *scheme, bp_plan *plan, double tolerance, double *x,
                             double *residuals, bool *reached)
{
  enum { AT_ONCE = 16 };
  const int most = plan->iterations;
  int done = 0, at = 0;
  *reached = false;
  BP_ASSERT(!plan->append && most <= scheme->system->problem->iterations);
  if (plan->device->backend->is_emulation) /* forgets what kernels have left when a run ends */
    return bp_scheme_run_to(scheme, plan, tolerance, x, residuals, reached);
  bp_status status = bp_workspace_poison(scheme->workspace);
  for (plan->stops = true; !status && !at && done < most; plan->goes_on = true) {
    plan->iterations = most - done < AT_ONCE ? most - done : AT_ONCE;
    status = bp_plan_apply(plan);
    done += plan->iterations;
    if (!status)
      status = read_residuals(scheme, done, residuals); /* NaN where kernels tell later */
    at = status ? 0 : reached_at(residuals, done, tolerance);
  }
  plan->stops = false;
  plan->iterations = 0;
  if (!status)
    status = bp_plan_apply(plan); /* the end alone */
  plan->goes_on = false;
  plan->iterations = done;
  if (!status)
    status = bp_workspace_guards(scheme->workspace);
  if (!status)
    status = read_back(scheme, done, x, residuals);
  at = status ? 0 : reached_at(residuals, done, tolerance);
  *reached = at > 0;
  if (at == 0 || residuals[done] <= tolerance * residuals[0])
    return status;
  plan->iterations = at; /* it has grown again */
  return bp_scheme_run(scheme, plan, x, residuals);
}

static bp_status run_once(bp_scheme *s, bp_plan *plan, double *x, bp_scheme_once *once)
{
  bool reached;
  plan->iterations = once->iterations;
  bp_status status = once->tolerance == 0
                         ? bp_scheme_run(s, plan, x, once->residuals)
                         : bp_scheme_run_to(s, plan, once->tolerance, x, once->residuals, &reached);
  once->iterations = plan->iterations;
  return status;
}

bp_status bp_scheme_solve(bp_device *device, const bp_choice *choice, bp_system *system,
                          const double *f, double *x, bp_scheme_once *once)
{
  bp_scheme *s = NULL;
  bp_plan *plan = NULL;
  once->seconds = NAN;
  bp_status status = bp_scheme_create(device, system, f, true, &s);
  if (!status)
    status = bp_comm_agree(system->comm, bp_scheme_plan(s, choice, &plan));
  if (!status)
    status = run_once(s, plan, x, once);
  if (!status)
    status = time_it(plan, once);
  bp_plan_destroy(plan);
  bp_scheme_destroy(s);
  return status;
}
