/* multigrid_program.c -- the steps of a cycle, and of the iterations around it. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "kernels/abi/multigrid.h"
#include <math.h>
#include <string.h>

/* ---- steps ---- */

bp_multigrid_maker bp_multigrid_begin(bp_multigrid *m, bp_program *program)
{
  m->schedule_count = 0;
  return (bp_multigrid_maker){m, program};
}

bp_status bp_multigrid_end(const bp_multigrid_maker *maker)
{
  return bp_array_write(maker->m->device, &maker->m->schedule_on_device, maker->m->schedule);
}

/* A new row of the schedule. */
static double *new_row(const bp_multigrid_maker *k)
{
  const int64_t field = BP_MG_ELEMENTS(k->m->all_elements);
  BP_ASSERT(k->m->schedule_count < BP_SCHEDULE_ROWS);
  double *row = k->m->schedule + (size_t)k->m->schedule_count++ * BP_MG_ROW;
  memset(row, 0, BP_MG_ROW * sizeof *row);
  row[BP_MG_FIELD] = (double)field;
  return row;
}

void bp_multigrid_bind(bp_step *step, int operand, uint64_t value)
{
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      step->operands[n].value = value;
}

/* Shares are numbered: those of the levels, then these. */
enum { OPERATOR = 1, SMOOTHER, TRANSFER, COARSE = 3 * BP_MULTIGRID_LEVELS + 1, ITERATIONS, SHARES };

static int share_of(const bp_multigrid_maker *k, const bp_elements_level *l, int part)
{
  return l == &k->m->outer ? ITERATIONS : 3 * (int)(l - k->m->levels) + part;
}

bp_step *bp_multigrid_add(const bp_multigrid_maker *maker, const bp_elements_level *l,
                          const char *kernel)
{
  const bp_multigrid_maker *k = maker;
  const bp_variant *variant = l->own->choice.variant;
  int n = 0;
  while (strcmp(variant->launches[n].kernel, kernel) != 0)
    ++n;
  bp_step *step = bp_program_add(k->program, BP_STEP_LAUNCH);
  *step = l->own->steps[n];
  step->share = share_of(k, l, SMOOTHER);
  bp_multigrid_bind(step, BP_OPERAND_element_u, l->u);
  bp_multigrid_bind(step, BP_OPERAND_element_v, l->v);
  bp_multigrid_bind(step, BP_OPERAND_applied, l->v);
  bp_multigrid_bind(step, BP_OPERAND_copies, l->copies);
  bp_multigrid_bind(step, BP_OPERAND_schedule, k->m->schedule_on_device.data);
  bp_multigrid_bind_messages(step, l);
  return step;
}

/* With the row of the schedule that the next call of new_row makes. */
static bp_step *add_scheduled(const bp_multigrid_maker *k, const bp_elements_level *l,
                              const char *kernel)
{
  bp_step *step = bp_multigrid_add(k, l, kernel);
  bp_multigrid_bind(step, BP_OPERAND_row, (uint64_t)k->m->schedule_count);
  return step;
}

bp_level_vectors bp_multigrid_vectors(const bp_elements_level *l)
{
  const bp_array *own = l->own->own, *shared = l->vectors->arrays;
  return (bp_level_vectors){l->system->unknowns->count,
                            bp_unknowns_stride(l->system->unknowns),
                            own[BP_OPERAND_ap].data,
                            shared[BP_OPERAND_x].data,
                            own[BP_OPERAND_r].data,
                            own[BP_OPERAND_p].data,
                            l->v,
                            shared[BP_OPERAND_diagonal].data};
}

/* On a CPU each field by itself. */
static void apply_to_elements(const bp_multigrid_maker *maker, const bp_elements_level *l)
{
  const int64_t each = bp_real_bytes(l->separate->space),
                field = BP_MG_ELEMENTS(maker->m->all_elements) * bp_space_nodes(l->separate->space);
  for (int f = 0; f < l->assembled.space.fields; ++f)
    for (int n = 0; n < l->apply->steps_count && l->separate->elements > 0; ++n) {
      bp_step *step = bp_program_add(maker->program, BP_STEP_LAUNCH);
      *step = l->apply->steps[n];
      step->share = share_of(maker, l, OPERATOR);
      bp_multigrid_bind(step, BP_OPERAND_u, l->u + (bp_address)(f * field * each));
      bp_multigrid_bind(step, BP_OPERAND_v, l->v + (bp_address)(f * field * each));
    }
}

void bp_multigrid_apply(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector)
{
  if (!l->copies) {
    apply_to_elements(maker, l);
    return;
  }
  if (l->separate->elements == 0)
    return;
  bp_step *step = bp_program_add(maker->program, BP_STEP_LAUNCH);
  *step = l->apply->steps[0];
  step->share = share_of(maker, l, OPERATOR);
  bp_multigrid_bind(step, BP_OPERAND_p, vector);
  bp_multigrid_bind(step, BP_OPERAND_ap, l->v);
  bp_multigrid_bind(step, BP_OPERAND_copies, l->copies);
}

bool bp_multigrid_has_dot(const bp_multigrid *m)
{
  return bp_multigrid_is_on_gpu(m) && bp_variant_is_for_ranks(m->choice.variant);
}

/* As many blocks as that; the kernels loop. */
static void set_threads(bp_step *step, int64_t threads)
{
  enum { EACH = 256 };
  step->shape.blocks = threads > 0 ? (threads + EACH - 1) / EACH : 1;
}

/* A thread has several unknowns; a block, those of one of four kinds. */
static void fill_smooth(const bp_multigrid_maker *k, bp_step *step, int64_t rows, bp_smooth s)
{
  enum { TURNS = 4, KINDS = 4 };
  double *row = new_row(k);
  set_threads(step, (rows + TURNS - 1) / TURNS);
  step->shape.blocks += KINDS - 1;
  row[BP_MG_FLAGS] = s.flags;
  row[BP_MG_BEFORE] = s.before;
  row[BP_MG_KEEP] = s.keep;
  row[BP_MG_GAIN] = s.gain;
  row[BP_MG_AFTER] = s.after;
}

/* Kernels for GPUs take vectors, and nothing is spread over elements. */
static void smooth_at(const bp_multigrid_maker *k, const bp_elements_level *l,
                      const bp_level_vectors *at, bp_smooth s)
{
  if (l->copies)
    s.flags &= ~(BP_MG_SPREADS_D | BP_MG_SPREADS_X);
  if (s.flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ))
    bp_multigrid_exchange(k, l);
  if (!s.flags)
    return;
  bp_step *step = add_scheduled(k, l, "smooth");
  bp_multigrid_bind(step, BP_OPERAND_x, at->x);
  bp_multigrid_bind(step, BP_OPERAND_r, at->r);
  fill_smooth(k, step, at->rows, s);
}

void bp_multigrid_smooth(const bp_multigrid_maker *maker, const bp_elements_level *l, bp_smooth s)
{
  const bp_level_vectors at = bp_multigrid_vectors(l);
  smooth_at(maker, l, &at, s);
}

/* t = S r but for the weights on the way out; by element. */
static void add_schwarz(const bp_multigrid_maker *k, const bp_elements_level *l, bp_address r)
{
  int64_t field;
  const bp_address far = bp_multigrid_reach(k, l, r, &field);
  bp_step *step = add_scheduled(k, l, "schwarz");
  bp_multigrid_bind(step, BP_OPERAND_r, r);
  bp_multigrid_bind(step, BP_OPERAND_boxes, l->boxes.data);
  bp_multigrid_bind(step, BP_OPERAND_box_nodes, l->box_nodes.data);
  bp_multigrid_bind(step, BP_OPERAND_sparse_in, far);
  double *row = new_row(k);
  row[BP_MG_COARSE] = l->schwarz->layer;
  row[BP_MG_BEFORE] = (double)field;
}

void bp_multigrid_schwarz(const bp_multigrid_maker *maker, const bp_elements_level *l)
{
  add_schwarz(maker, l, bp_multigrid_vectors(l).r);
  bp_multigrid_smooth(maker, l, (bp_smooth){.flags = BP_MG_SCHWARZ | BP_MG_LEAVES_D, .gain = 1});
}

/* ---- levels without elements ---- */

/* Of rows, by kernels of the last level with elements. */
static bp_step *add_rows(const bp_multigrid_maker *k, const char *kernel, const bp_rows_level *l)
{
  const bp_level_vectors *v = &l->at;
  bp_step *step = add_scheduled(k, &k->m->levels[k->m->count - 1], kernel);
  step->elements = v->rows;
  step->share = COARSE;
  bp_multigrid_bind(step, BP_OPERAND_stride, (uint64_t)v->stride);
  bp_multigrid_bind(step, BP_OPERAND_ap, v->b);
  bp_multigrid_bind(step, BP_OPERAND_x, v->x);
  bp_multigrid_bind(step, BP_OPERAND_r, v->r);
  bp_multigrid_bind(step, BP_OPERAND_p, v->d);
  bp_multigrid_bind(step, BP_OPERAND_element_v, v->t);
  bp_multigrid_bind(step, BP_OPERAND_applied, v->t);
  bp_multigrid_bind(step, BP_OPERAND_diagonal, v->weights);
  return step;
}

/* Where a matrix reads or writes: so much from field to field. */
typedef struct {
  bp_address data;
  int64_t rows, stride;
} place;

static place place_of(const bp_rows_level *l, bp_address vector)
{
  return (place){vector, l->at.rows, l->at.stride};
}

/* What elements of N = 1 have, whose nodes are all on surfaces. */
static place by_element(const bp_elements_level *l, bp_address data)
{
  enum { VERTICES = 8 };
  const int64_t elements = l->assembled.elements;
  return (place){data, VERTICES * elements,
                 VERTICES * (l->copies ? elements : BP_MG_ELEMENTS(elements))};
}

/* out = matrix in, or out +=; matrix NULL: the inverse. */
static void multiply(const bp_multigrid_maker *k, const bp_device_sparse *matrix, place in,
                     place out, bool adds)
{
  enum { WARP = 32, RESIDENT = 16 };
  bp_step *step = add_rows(k, "sparse", &k->m->rows[0]);
  double *row = new_row(k);
  const int64_t most = (int64_t)k->m->device->sms * RESIDENT;
  step->elements = out.rows;
  set_threads(step, out.rows * WARP);
  step->shape.blocks = step->shape.blocks < most ? step->shape.blocks : most;
  bp_multigrid_bind(step, BP_OPERAND_stride, (uint64_t)out.stride);
  bp_multigrid_bind(step, BP_OPERAND_sparse_starts, matrix ? matrix->starts.data : 0);
  bp_multigrid_bind(step, BP_OPERAND_sparse_columns, matrix ? matrix->columns.data : 0);
  bp_multigrid_bind(step, BP_OPERAND_sparse_values,
                    matrix ? matrix->values.data : k->m->inverse_on_device.data);
  bp_multigrid_bind(step, BP_OPERAND_sparse_in, in.data);
  bp_multigrid_bind(step, BP_OPERAND_sparse_out, out.data);
  row[BP_MG_COARSE] = (double)out.rows;
  row[BP_MG_BEFORE] = (double)in.stride;
  row[BP_MG_ADDITION] = adds;
}

/* ---- smoothing, of either kind of level ---- */

typedef struct {
  const bp_elements_level *elements; /* NULL: rows */
  const bp_rows_level *rows;
  const bp_chebyshev *smoother; /* [2] */
  bp_level_vectors at;
} level;

static level of_elements(const bp_elements_level *l)
{
  return (level){l, NULL, l->smoother, bp_multigrid_vectors(l)};
}

static level of_rows(const bp_rows_level *l)
{
  return (level){NULL, l, l->smoother, l->at};
}

/* t = A of what elements have, or of that vector. */
static void apply(const bp_multigrid_maker *k, const level *l, bp_address vector)
{
  if (l->elements)
    bp_multigrid_apply(k, l->elements, vector);
  else
    multiply(k, &l->rows->on_device[0], place_of(l->rows, vector), place_of(l->rows, l->at.t),
             false);
}

static void smooth(const bp_multigrid_maker *k, const level *l, bp_smooth s)
{
  if (l->elements) {
    smooth_at(k, l->elements, &l->at, s);
    return;
  }
  s.flags = (s.flags & ~(BP_MG_SPREADS_D | BP_MG_SPREADS_X)) | BP_MG_PLAIN;
  fill_smooth(k, add_rows(k, "smooth", l->rows), l->at.rows, s);
}

/* y, as abi/multigrid.h has it: b, b - A x, or r - A d. From x = 0 the first r is b, and is not copied. */
static int residual_flags(int n, bool from_zero, bool takes_b)
{
  if (n == 0 && from_zero)
    return BP_MG_FROM_B | (takes_b ? BP_MG_TAKES_B : 0);
  return BP_MG_LESS | (n == 0 || (n == 1 && from_zero) ? BP_MG_FROM_B : BP_MG_FROM_R);
}

/* Down, from x = 0, t being b if it `takes_b`; or up, from what x is, elements having it. `spreads`: they get
 * the last one. */
static void relax(const bp_multigrid_maker *k, const level *l, bool from_zero, bool takes_b,
                  bool spreads)
{
  const bp_chebyshev *c = &l->smoother[!from_zero];
  if (!from_zero)
    apply(k, l, l->at.x);
  for (int n = 0; n < c->degree; ++n) {
    const bool is_last = n == c->degree - 1, is_b = n == 0 && from_zero;
    bp_smooth s = {.flags = residual_flags(n, from_zero, takes_b),
                   .before = n ? c->step[n - 1] : 0,
                   .keep = c->keep[n],
                   .gain = c->gain[n],
                   .after = c->step[n]};
    const int moves = (n ? BP_MG_KEEPS | BP_MG_ADDS : 0) | (from_zero && n <= 1 ? BP_MG_ZERO : 0) |
                      (!is_last  ? BP_MG_LEAVES_D | BP_MG_SPREADS_D
                       : spreads ? BP_MG_ADDS_NEW | BP_MG_SPREADS_X
                                 : BP_MG_ADDS_NEW);
    if (n)
      apply(k, l, l->at.d);
    if (l->elements && l->elements->schwarz) {
      s.flags |= is_b ? 0 : BP_MG_LEAVES_R;
      if (!is_b || takes_b)
        smooth(k, l, s);
      add_schwarz(k, l->elements, is_b ? l->at.b : l->at.r);
      s.flags = BP_MG_SCHWARZ | moves;
    } else {
      s.flags |= BP_MG_JACOBI | moves | (is_b || is_last ? 0 : BP_MG_LEAVES_R);
    }
    smooth(k, l, s);
  }
}

/* ---- the cycle ---- */

static void cycle_rows(const bp_multigrid_maker *k, int n)
{
  const bp_rows_level *l = &k->m->rows[n], *next = l + 1;
  const level all = of_rows(l);
  if (n == k->m->rows_count - 1) {
    multiply(k, NULL, place_of(l, l->at.b), place_of(l, l->at.x), false);
    return;
  }
  if (l->is_smoothed) {
    relax(k, &all, true, false, false);
    apply(k, &all, l->at.x);
    smooth(k, &all, (bp_smooth){.flags = BP_MG_FROM_B | BP_MG_LESS | BP_MG_LEAVES_R});
  }
  multiply(k, &l->on_device[1], place_of(l, l->is_smoothed ? l->at.r : l->at.b),
           place_of(next, next->at.b), false);
  cycle_rows(k, n + 1);
  multiply(k, &l->on_device[2], place_of(next, next->at.x), place_of(l, l->at.x), l->is_smoothed);
  if (l->is_smoothed)
    relax(k, &all, false, false, false);
}

/* N = 1 of all ranks by the first one. */
static void cycle_all_rows(const bp_multigrid_maker *k)
{
  bp_multigrid_collect(k);
  if (k->m->rows_count > 0)
    cycle_rows(k, 0);
  bp_multigrid_spread(k);
}

bool bp_multigrid_skips_corners(const bp_multigrid *m)
{
  return m->count > 1 && !bp_multigrid_has_ranks(m) && !bp_multigrid_has_dot(m);
}

/* N = 1 below other degrees: from what elements have to what they have. */
static void cycle_last(const bp_multigrid_maker *k)
{
  const bp_elements_level *l = &k->m->levels[k->m->count - 1];
  const bp_rows_level *rows = k->m->rows, *next = rows + 1;
  if (rows->is_smoothed || !bp_multigrid_skips_corners(k->m)) {
    bp_multigrid_smooth(k, l, (bp_smooth){.flags = BP_MG_TAKES_B});
    cycle_all_rows(k);
    bp_multigrid_smooth(k, l, (bp_smooth){.flags = BP_MG_SPREADS_X});
    return;
  }
  multiply(k, &rows->on_device[1], by_element(l, l->copies ? l->copies : l->v),
           place_of(next, next->at.b), false);
  cycle_rows(k, 1);
  multiply(k, &rows->on_device[2], place_of(next, next->at.x),
           l->copies ? place_of(rows, rows->at.x) : by_element(l, l->u), false);
}

/* Down to what is to be summed, or up from x. */
static void transfer(const bp_multigrid_maker *k, const level *l, bool is_down)
{
  const bp_elements_level *next = l->elements + 1;
  const bp_level_vectors below = bp_multigrid_vectors(next);
  const bool is_last = next == &k->m->levels[k->m->count - 1];
  bp_step *step = add_scheduled(k, l->elements, is_down ? "restrict_residual" : "prolong");
  step->share = share_of(k, l->elements, TRANSFER);
  bp_multigrid_bind(step, BP_OPERAND_coarse_elements, is_down ? next->v : next->u);
  bp_multigrid_bind(step, BP_OPERAND_coarse_vector,
                    is_down   ? next->v
                    : is_last ? below.x
                              : below.r);
  bp_multigrid_bind(step, BP_OPERAND_coarse_copies, next->copies);
  bp_multigrid_bind(step, BP_OPERAND_coarse_ids, next->vectors->arrays[BP_OPERAND_ids].data);
  double *row = new_row(k);
  row[BP_MG_COARSE] = next->assembled.space.degree + 1;
  row[BP_MG_BEFORE] = (double)below.stride;
}

/* After prolongation x lies where r was, for elements read the neighbours' x meanwhile. */
static void cycle(const bp_multigrid_maker *k, int n)
{
  const bp_elements_level *l = &k->m->levels[n];
  level all = of_elements(l);
  if (n == k->m->count - 1) {
    if (n > 0)
      cycle_last(k);
    else
      cycle_all_rows(k);
    return;
  }
  relax(k, &all, true, n > 0, true);
  apply(k, &all, all.at.x);
  transfer(k, &all, true);
  cycle(k, n + 1);
  transfer(k, &all, false);
  bp_multigrid_unify(k, l, all.at.r);
  const bp_address r = all.at.x;
  all.at.x = all.at.r;
  all.at.r = r;
  relax(k, &all, false, false, n > 0);
}

void bp_multigrid_add_cycle(const bp_multigrid_maker *maker)
{
  cycle(maker, 0);
}

bp_address bp_multigrid_result(const bp_multigrid *m)
{
  const bp_level_vectors first = bp_multigrid_vectors(&m->levels[0]);
  return m->count > 1 ? first.r : first.x;
}

/* ---- iterations ---- */

static bp_step *add_outer(const bp_multigrid_maker *k, const char *kernel)
{
  const bp_multigrid_other *other = &k->m->other;
  bp_step *step = add_scheduled(k, &k->m->outer, kernel);
  bp_multigrid_bind(step, BP_OPERAND_cycle_b,
                    other->append ? other->b : bp_multigrid_vectors(k->m->levels).b);
  bp_multigrid_bind(step, BP_OPERAND_cycle_x, other->append ? other->x : bp_multigrid_result(k->m));
  new_row(k)[BP_MG_SCALE] = k->m->scale;
  return step;
}

static double *last_row(const bp_multigrid_maker *k)
{
  return k->m->schedule + (k->m->schedule_count - 1) * BP_MG_ROW;
}

/* Of so many sums, by a kernel that ranks of GPUs have for it. */
static bp_step *add_of_sums(const bp_multigrid_maker *k, const char *kernel, int first, int count)
{
  bp_step *step = add_outer(k, kernel);
  last_row(k)[BP_MG_FLAGS] = first;
  last_row(k)[BP_MG_COARSE] = count;
  step->share = 0;
  bp_multigrid_bind(step, BP_OPERAND_box_nodes, k->m->outer.box_nodes.data);
  return step;
}

/* Over ranks, of what threads or blocks have left. */
static void add_sums(const bp_multigrid_maker *k, int first, int count)
{
  const bool has_dot = bp_multigrid_has_dot(k->m);
  const int64_t bytes = BP_MG_WORDS * (int64_t)sizeof(double);
  bp_address state = k->m->outer.own->own[BP_OPERAND_state].data;
  if (has_dot) {
    const int64_t blocks = add_of_sums(k, "dot", first, count)->shape.blocks;
    (void)add_of_sums(k, "words", first, count);
    last_row(k)[BP_MG_BEFORE] = (double)blocks;
    state += BP_MG_TOTALS * sizeof(double);
  }
  if (!bp_multigrid_has_ranks(k->m))
    return;
  if (k->m->device->boxes) {
    bp_program_wait(k->program, k->m->device);
    (void)add_of_sums(k, "hear", first, count);
    return;
  }
  for (int sum = first; sum < first + count; ++sum) {
    bp_step *step = bp_program_add(k->program, BP_STEP_SUM);
    step->parts = has_dot ? 1 : k->m->device->sms;
    step->bytes = bytes;
    step->to = state + (bp_address)(sum * step->parts * bytes);
  }
}

/* What a lost device had is not made again. */
static bp_status check_device(const bp_multigrid *m)
{
  return m->generation == m->device->generation
             ? BP_OK
             : bp_fail(BP_ENVIRONMENT, "multigrid: the device was lost, and the levels with it");
}

static void iterate(const bp_multigrid_maker *k, bp_address p, int n)
{
  if (k->m->other.append)
    k->m->other.append(k->m->other.context, n, k->program);
  else
    cycle(k, 0);
  const bool has_dot = bp_multigrid_has_dot(k->m);
  if (!has_dot)
    add_outer(k, "products");
  add_sums(k, has_dot ? BP_MG_RR : BP_MG_RZ, has_dot ? 3 : 2);
  add_outer(k, "direction");
  bp_multigrid_apply(k, &k->m->outer, p);
  bp_multigrid_exchange(k, &k->m->outer);
  add_outer(k, "gather");
  add_sums(k, BP_MG_PAP, 1);
  add_outer(k, "update");
  if (!has_dot)
    add_sums(k, BP_MG_RR, 1);
}

/* Others than cycles differ from iteration to iteration. */
bp_status bp_multigrid_append(bp_multigrid *m, bp_plan *plan, bp_program *program)
{
  const bp_address p = plan->own[BP_OPERAND_p].data;
  bp_status status = check_device(m);
  if (status)
    return status;
  const bp_multigrid_maker k = bp_multigrid_begin(m, program);
  m->outer.own = plan;
  if (plan->own[BP_OPERAND_copies].data) {
    m->outer.v = plan->own[BP_OPERAND_ap].data;
    m->outer.copies = plan->own[BP_OPERAND_copies].data;
  }
  m->outer.vectors = plan->workspace;
  add_outer(&k, "start");
  if (!bp_multigrid_has_dot(m))
    add_sums(&k, BP_MG_RR, 1);
  const bool is_alike = !m->other.append;
  const int loop = is_alike ? bp_program_repeat(program, plan->iterations) : 0;
  for (int n = 0; n < (is_alike ? 1 : plan->iterations); ++n)
    iterate(&k, p, n);
  if (is_alike)
    bp_program_end(program, loop);
  if (bp_multigrid_has_dot(m))
    add_sums(&k, BP_MG_RR, 1);
  add_outer(&k, "finish");
  return bp_multigrid_end(&k);
}

static bp_status append(void *context, bp_plan *plan, bp_program *program)
{
  return bp_multigrid_append(context, plan, program);
}

/* ---- shares of the time ---- */

/* The best of some runs of the launches of one share, `start` before them: they count iterations. Of ranks it
 * is this one's, without exchanges. */
static bp_status time_share(const bp_multigrid *m, const bp_program *all, int share, int64_t times,
                            double *seconds)
{
  enum { RUNS = 3 };
  bp_program own = {0};
  int at = 0;
  while (all->steps[at].kind != BP_STEP_REPEAT)
    ++at; /* `start` is the first step; sums over ranks are left out */
  const int end = at + 1 + all->steps[at].body;
  for (int n = at + 1; n < end; ++n)
    if (all->steps[n].share == share)
      *bp_program_add(&own, BP_STEP_LAUNCH) = all->steps[n];
  const bp_run run = {all->steps, own.steps, 1, own.count, times, true};
  bp_status status = BP_OK;
  *seconds = own.count ? INFINITY : 0;
  for (int n = 0; n < RUNS && own.count && !status; ++n) {
    double found = 0;
    status = m->device->backend->run(m->device, &run, m->choice.variant->id, &found);
    *seconds = fmin(*seconds, found);
  }
  bp_program_destroy(&own);
  return status;
}

bp_status bp_multigrid_time(bp_multigrid *multigrid, bp_plan *plan,
                            bp_multigrid_share shares[BP_MULTIGRID_SHARES], int *count)
{
  enum { MOST = 20 };
  static const char *const of_level[] = {"operator", "smoother", "transfer"};
  bp_multigrid *m = multigrid;
  const int64_t half = plan->iterations / 2, times = half < 1 ? 1 : half < MOST ? half : MOST;
  bp_program all = {0};
  bp_status status = append(m, plan, &all);
  *count = 0;
  for (int share = 1; share < SHARES && !status; ++share) {
    bp_multigrid_share *s = &shares[*count];
    if (share == COARSE)
      *s = (bp_multigrid_share){0, "coarse", 0};
    else if (share == ITERATIONS)
      *s = (bp_multigrid_share){m->degrees[0], "iterations", 0};
    else
      *s = (bp_multigrid_share){m->degrees[(share - 1) / 3], of_level[(share - 1) % 3], 0};
    status = time_share(m, &all, share, times, &s->seconds);
    *count += s->seconds > 0;
  }
  bp_program_destroy(&all);
  return status;
}

void bp_multigrid_attach(bp_multigrid *multigrid, bp_plan *plan)
{
  plan->append = append;
  plan->context = multigrid;
  const int *smoothing = multigrid->options.smoothing;
  plan->applications = multigrid->count == 1 ? 1 : 1 + smoothing[0] + smoothing[1];
}
