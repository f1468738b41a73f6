/* scheme.c -- from a system to a device and back. */
#include "solve/scheme.h"

#include "base/memory.h"
#include "device/plan.h"
#include <math.h>

enum { ALIGN = 16, KINDS = 3 };

uint32_t *bp_scheme_copy_slots(const bp_unknowns *unknowns)
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

/* What the host has for the kernels, while they run. */
typedef struct {
  uint32_t *slots;
  double *padded; /* f, later x: components `stride` apart */
  int64_t stride;
} material;

static double *pad(const bp_system *system, int64_t stride, const double *vector)
{
  int64_t count = system->unknowns->count;
  double *padded = bp_alloc((size_t)(system->row->components * stride), sizeof *padded);
  for (int c = 0; c < system->row->components; ++c)
    for (int64_t n = 0; n < count; ++n)
      padded[c * stride + n] = vector[c * count + n];
  return padded;
}

static void give(bp_workspace *w, const bp_unknowns *u, const material *m)
{
  bp_workspace_give(w, BP_OPERAND_ids, u->ids);
  bp_workspace_give(w, BP_OPERAND_first, u->first);
  bp_workspace_give(w, BP_OPERAND_starts, u->starts);
  bp_workspace_give(w, BP_OPERAND_copied, u->copies);
  bp_workspace_give(w, BP_OPERAND_copy_slots, m->slots);
  bp_workspace_give(w, BP_OPERAND_f, m->padded);
}

static bp_status read_back(bp_workspace *w, const bp_system *system, const material *m, double *x,
                           bp_scheme_run *run)
{
  double squares[BP_SCHEME_ITERATIONS_MAX + 1] = {0};
  int64_t count = system->unknowns->count;
  double *padded = bp_alloc((size_t)(system->row->components * m->stride), sizeof *padded);
  bp_status status = bp_workspace_read_operand(w, BP_OPERAND_x, padded);
  if (!status)
    status = bp_workspace_read_operand(w, BP_OPERAND_residuals, squares);
  for (int c = 0; c < system->row->components && !status; ++c)
    for (int64_t n = 0; n < count; ++n)
      x[c * count + n] = padded[c * m->stride + n];
  for (int n = 0; n <= run->iterations && !status; ++n)
    run->residuals[n] = sqrt(squares[n]);
  bp_free(padded);
  return status;
}

static bp_status time_it(bp_plan *plan, bp_scheme_run *run)
{
  bp_status status = BP_OK;
  for (int n = 0; n < run->timed && !status; ++n) {
    double seconds;
    status = bp_plan_time(plan, run->iterations, false, &seconds);
    if (!status)
      run->seconds = n == 0 ? seconds : fmin(seconds, run->seconds);
  }
  return status;
}

bp_status bp_scheme_solve(bp_device *device, const bp_choice *choice, bp_system *system,
                          const double *f, double *x, bp_scheme_run *run)
{
  const bp_unknowns *u = system->unknowns;
  material m = {.slots = bp_scheme_copy_slots(u), .stride = (u->count + ALIGN - 1) / ALIGN * ALIGN};
  bp_workspace *w = NULL;
  bp_plan *plan = NULL;
  BP_ASSERT(run->iterations >= 1 && run->iterations <= BP_SCHEME_ITERATIONS_MAX);
  run->seconds = NAN;
  m.padded = pad(system, m.stride, f);
  bp_status status = bp_workspace_create(device, system->problem, true, &w);
  if (!status) {
    give(w, u, &m);
    status = bp_plan_create(w, choice, &plan);
  }
  if (!status) {
    plan->iterations = run->iterations;
    status = bp_workspace_poison(w);
  }
  if (!status)
    status = bp_plan_apply(plan);
  if (!status)
    status = bp_workspace_guards(w);
  if (!status)
    status = read_back(w, system, &m, x, run);
  if (!status)
    status = time_it(plan, run);
  bp_plan_destroy(plan);
  bp_workspace_destroy(w);
  bp_free(m.slots);
  bp_free(m.padded);
  return status;
}
