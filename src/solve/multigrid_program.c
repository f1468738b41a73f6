/* multigrid_program.c -- the steps of a cycle, and of the iterations around it. */
#include "solve/multigrid_levels.h"

#include "base/memory.h"
#include "kernels/abi/multigrid.h"
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
  BP_ASSERT(k->m->schedule_count < BP_SCHEDULE_ROWS);
  double *row = k->m->schedule + (size_t)k->m->schedule_count++ * BP_MG_ROW;
  memset(row, 0, BP_MG_ROW * sizeof *row);
  return row;
}

static void bind(bp_step *step, int operand, uint64_t value)
{
  for (int n = 0; n < step->operands_count; ++n)
    if (step->operands[n].operand == operand)
      step->operands[n].value = value;
}

static bp_step *add(const bp_multigrid_maker *k, const bp_elements_level *l, const char *kernel)
{
  const bp_variant *variant = l->own->choice.variant;
  int n = 0;
  while (strcmp(variant->launches[n].kernel, kernel) != 0)
    ++n;
  bp_step *step = bp_program_add(k->program, BP_STEP_LAUNCH);
  *step = l->own->steps[n];
  bind(step, BP_OPERAND_element_u, l->u);
  bind(step, BP_OPERAND_element_v, l->v);
  bind(step, BP_OPERAND_schedule, k->m->schedule_on_device.data);
  return step;
}

/* With the row of the schedule that the next call of new_row makes. */
static bp_step *add_scheduled(const bp_multigrid_maker *k, const bp_elements_level *l,
                              const char *kernel)
{
  bp_step *step = add(k, l, kernel);
  bind(step, BP_OPERAND_row, (uint64_t)k->m->schedule_count);
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

static void scatter(const bp_multigrid_maker *k, const bp_elements_level *l, bp_address vector)
{
  bind(add(k, l, "scatter"), BP_OPERAND_p, vector);
}

static void copy(const bp_multigrid_maker *k, bp_address from, bp_address to, int64_t bytes)
{
  bp_step *step = bp_program_add(k->program, BP_STEP_COPY);
  step->from = from;
  step->to = to;
  step->bytes = bytes;
}

/* Each field by itself. The emulator has no arrays inside others: fields are copied there. */
void bp_multigrid_apply(const bp_multigrid_maker *maker, const bp_elements_level *l,
                        bp_address vector)
{
  const bp_problem *p = l->separate;
  const int64_t each = bp_real_bytes(p->space), bytes = bp_problem_dofs(p) * each,
                field = BP_MG_ELEMENTS(p->elements) * bp_space_nodes(p->space) * each;
  const bp_address u = l->elements->arrays[BP_OPERAND_u].data,
                   v = l->elements->arrays[BP_OPERAND_v].data;
  const int fields = l->assembled.space.fields;
  const bool copies = fields > 1 && maker->m->device->backend->is_emulation;
  scatter(maker, l, vector);
  for (int f = 0; f < fields; ++f) {
    const bp_address from = l->u + (bp_address)(f * field), to = l->v + (bp_address)(f * field);
    if (copies)
      copy(maker, from, u, bytes);
    for (int n = 0; n < l->apply->steps_count; ++n) {
      bp_step *step = bp_program_add(maker->program, BP_STEP_LAUNCH);
      *step = l->apply->steps[n];
      bind(step, BP_OPERAND_u, copies ? u : from);
      bind(step, BP_OPERAND_v, copies ? v : to);
    }
    if (copies)
      copy(maker, v, to, bytes);
  }
}

static void fill_smooth(const bp_multigrid_maker *k, bp_smooth s)
{
  double *row = new_row(k);
  row[BP_MG_FLAGS] = s.flags;
  row[BP_MG_BEFORE] = s.before;
  row[BP_MG_KEEP] = s.keep;
  row[BP_MG_GAIN] = s.gain;
  row[BP_MG_AFTER] = s.after;
}

void bp_multigrid_smooth(const bp_multigrid_maker *maker, const bp_elements_level *l, bp_smooth s)
{
  add_scheduled(maker, l, "smooth");
  fill_smooth(maker, s);
}

/* t = S r. */
static void add_schwarz(const bp_multigrid_maker *k, const bp_elements_level *l)
{
  bp_step *step = add_scheduled(k, l, "schwarz");
  bind(step, BP_OPERAND_boxes, l->boxes.data);
  bind(step, BP_OPERAND_beyond, l->beyond.data);
  new_row(k)[BP_MG_COARSE] = l->schwarz->layer;
}

void bp_multigrid_schwarz(const bp_multigrid_maker *maker, const bp_elements_level *l)
{
  add_schwarz(maker, l);
  bp_multigrid_smooth(maker, l, (bp_smooth){.flags = BP_MG_SCHWARZ, .gain = 1});
}

/* ---- levels without elements ---- */

/* Of rows, by kernels of the last level with elements. */
static bp_step *add_rows(const bp_multigrid_maker *k, const char *kernel, const bp_rows_level *l)
{
  const bp_level_vectors *v = &l->at;
  bp_step *step = add_scheduled(k, &k->m->levels[k->m->count - 1], kernel);
  step->elements = v->rows;
  bind(step, BP_OPERAND_stride, (uint64_t)v->stride);
  bind(step, BP_OPERAND_ap, v->b);
  bind(step, BP_OPERAND_x, v->x);
  bind(step, BP_OPERAND_r, v->r);
  bind(step, BP_OPERAND_p, v->d);
  bind(step, BP_OPERAND_element_v, v->t);
  bind(step, BP_OPERAND_diagonal, v->diagonal);
  return step;
}

/* out = matrix in, or out +=; `of`: the level whose vector `out` is. matrix NULL: the inverse. */
static void multiply(const bp_multigrid_maker *k, const bp_rows_level *of,
                     const bp_device_sparse *matrix, const bp_rows_level *from, bp_address in,
                     bp_address out, bool adds)
{
  enum { THREADS = 256, WARP = 32, RESIDENT = 16 };
  bp_step *step = add_rows(k, "sparse", of);
  double *row = new_row(k);
  const int64_t blocks = (of->at.rows * WARP + THREADS - 1) / THREADS,
                most = (int64_t)k->m->device->sms * RESIDENT;
  step->shape.blocks = blocks < 1 ? 1 : blocks < most ? blocks : most;
  bind(step, BP_OPERAND_sparse_starts, matrix ? matrix->starts.data : 0);
  bind(step, BP_OPERAND_sparse_columns, matrix ? matrix->columns.data : 0);
  bind(step, BP_OPERAND_sparse_values, matrix ? matrix->values.data : k->m->inverse_on_device.data);
  bind(step, BP_OPERAND_sparse_in, in);
  bind(step, BP_OPERAND_sparse_out, out);
  row[BP_MG_COARSE] = (double)of->at.rows;
  row[BP_MG_BEFORE] = (double)from->at.stride;
  row[BP_MG_ADDITION] = adds;
}

/* ---- smoothing, of either kind of level ---- */

typedef struct {
  const bp_elements_level *elements; /* NULL: rows */
  const bp_rows_level *rows;
  const bp_chebyshev *smoother;
  bp_level_vectors at;
} level;

static level of_elements(const bp_elements_level *l)
{
  return (level){l, NULL, &l->smoother, bp_multigrid_vectors(l)};
}

static level of_rows(const bp_rows_level *l)
{
  return (level){NULL, l, &l->smoother, l->at};
}

static void apply(const bp_multigrid_maker *k, const level *l, bp_address vector)
{
  if (l->elements)
    bp_multigrid_apply(k, l->elements, vector);
  else
    multiply(k, l->rows, &l->rows->on_device[0], l->rows, vector, l->at.t, false);
}

static void smooth(const bp_multigrid_maker *k, const level *l, bp_smooth s)
{
  if (l->elements) {
    bp_multigrid_smooth(k, l->elements, s);
    return;
  }
  s.flags |= BP_MG_PLAIN;
  add_rows(k, "smooth", l->rows);
  fill_smooth(k, s);
}

/* From x = 0, or from what x is; takes_b: t is b. */
static void relax(const bp_multigrid_maker *k, const level *l, bool from_zero, bool takes_b)
{
  const bp_chebyshev *c = l->smoother;
  if (!from_zero)
    apply(k, l, l->at.x);
  for (int n = 0; n < c->degree; ++n) {
    bp_smooth s = {.keep = c->keep[n], .gain = c->gain[n], .after = c->step[n]};
    if (n == 0) {
      s.flags =
          BP_MG_FROM_B | (from_zero ? BP_MG_ZERO : BP_MG_LESS) | (takes_b ? BP_MG_TAKES_B : 0);
    } else {
      apply(k, l, l->at.d);
      s.flags = BP_MG_FROM_R | BP_MG_LESS | BP_MG_ADDS | BP_MG_KEEPS;
      s.before = c->step[n - 1];
    }
    const int last = n == c->degree - 1 ? BP_MG_ADDS_NEW : 0;
    if (l->elements && l->elements->schwarz) {
      const int keeps = s.flags & BP_MG_KEEPS;
      s.flags &= ~BP_MG_KEEPS;
      smooth(k, l, s);
      add_schwarz(k, l->elements);
      s.flags = BP_MG_SCHWARZ | keeps | last;
    } else {
      s.flags |= BP_MG_JACOBI | last;
    }
    smooth(k, l, s);
  }
}

/* r = b - A x. */
static void find_residual(const bp_multigrid_maker *k, const level *l)
{
  apply(k, l, l->at.x);
  smooth(k, l, (bp_smooth){.flags = BP_MG_FROM_B | BP_MG_LESS});
}

/* ---- the cycle ---- */

static void cycle_rows(const bp_multigrid_maker *k, int n)
{
  const bp_rows_level *l = &k->m->rows[n], *next = l + 1;
  const level all = of_rows(l);
  if (n == k->m->rows_count - 1) {
    multiply(k, l, NULL, l, l->at.b, l->at.x, false);
    return;
  }
  if (l->is_smoothed) {
    relax(k, &all, true, false);
    find_residual(k, &all);
  }
  multiply(k, next, &l->on_device[1], l, l->is_smoothed ? l->at.r : l->at.b, next->at.b, false);
  cycle_rows(k, n + 1);
  multiply(k, l, &l->on_device[2], next, next->at.x, l->at.x, l->is_smoothed);
  if (l->is_smoothed)
    relax(k, &all, false, false);
}

static void transfer(const bp_multigrid_maker *k, const bp_elements_level *l, const char *kernel,
                     bp_address coarse)
{
  bind(add_scheduled(k, l, kernel), BP_OPERAND_coarse_elements, coarse);
  new_row(k)[BP_MG_COARSE] = l[1].assembled.space.degree + 1;
}

static void cycle(const bp_multigrid_maker *k, int n)
{
  const bp_elements_level *l = &k->m->levels[n];
  const level all = of_elements(l);
  if (n == k->m->count - 1) {
    if (n > 0)
      smooth(k, &all, (bp_smooth){.flags = BP_MG_TAKES_B});
    cycle_rows(k, 0);
    return;
  }
  relax(k, &all, true, n > 0);
  find_residual(k, &all);
  transfer(k, l, "restrict_residual", l[1].v);
  cycle(k, n + 1);
  scatter(k, l + 1, bp_multigrid_vectors(l + 1).x);
  transfer(k, l, "prolong", l[1].u);
  relax(k, &all, false, false);
}

void bp_multigrid_add_cycle(const bp_multigrid_maker *maker)
{
  cycle(maker, 0);
}

/* ---- iterations ---- */

static bp_step *add_outer(const bp_multigrid_maker *k, const char *kernel)
{
  const bp_multigrid_other *other = &k->m->other;
  bp_level_vectors first = {.b = other->b, .x = other->x};
  if (!other->append)
    first = bp_multigrid_vectors(&k->m->levels[0]);
  bp_step *step = add_scheduled(k, &k->m->outer, kernel);
  bind(step, BP_OPERAND_cycle_b, first.b);
  bind(step, BP_OPERAND_cycle_x, first.x);
  new_row(k)[BP_MG_SCALE] = k->m->scale;
  return step;
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
  add_outer(k, "products");
  add_outer(k, "direction");
  bp_multigrid_apply(k, &k->m->outer, p);
  add_outer(k, "gather");
  add_outer(k, "update");
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
  m->outer.vectors = plan->workspace;
  add_outer(&k, "start");
  const bool is_alike = !m->other.append;
  const int loop = is_alike ? bp_program_repeat(program, plan->iterations) : 0;
  for (int n = 0; n < (is_alike ? 1 : plan->iterations); ++n)
    iterate(&k, p, n);
  if (is_alike)
    bp_program_end(program, loop);
  add_outer(&k, "finish");
  return bp_multigrid_end(&k);
}

static bp_status append(void *context, bp_plan *plan, bp_program *program)
{
  return bp_multigrid_append(context, plan, program);
}

void bp_multigrid_attach(bp_multigrid *multigrid, bp_plan *plan)
{
  plan->append = append;
  plan->context = multigrid;
  plan->applications = multigrid->count == 1 ? 1 : 1 + 2 * multigrid->options.smoothing;
}
