/* multigrid.h -- p-multigrid on a GPU: the vectors of a level, levels without elements, and the conjugate
 * gradients around the cycle. */
#ifndef BP_KERNELS_SOLVE_MULTIGRID_H
#define BP_KERNELS_SOLVE_MULTIGRID_H

#include "abi/multigrid.h"
#include "lib/solve/vectors.h"

#define EACH(n, count)                                                                             \
  for (long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x; n < (count);                \
       n += (long long)gridDim.x * blockDim.x)
#define EACH_HERE(n, count) for (int n = bp_thread(); n < (count); n += bp_threads())

BP_DEVICE const double *row_of(const double *schedule, int row)
{
  return schedule + (size_t)row * BP_MG_ROW;
}

/* Of the next message of ranks, or of the last one with `back` = 1: which half of a mailbox. */
BP_DEVICE int half_of(const long long *mail, int back)
{
  return mail[BP_MAIL_RANKS] > 0 ? (int)((*mail_posts(mail) - back) & 1) : 0;
}

/* By all threads: with what has come from other ranks. */
BP_DEVICE surface_lists lists_with_mail(const solve_arrays *a)
{
  surface_lists l = surface_lists_of(a);
  if (EXACT_SUMS) {
    mail_wait(a->mail);
    l.inbox = mail_inbox(a->mail, a->inbox, half_of(a->mail, 1));
  }
  return l;
}

/* ---- a level ---- */

/* What a step has of a thread's unknowns: some in a row, or of a surface every VECTOR_THREADS-th one. t is
 * their A p, or z. */
typedef struct {
  real t[VECTOR_TURNS], b[VECTOR_TURNS], r[VECTOR_TURNS], d[VECTOR_TURNS], weight[VECTOR_TURNS],
      x[VECTOR_TURNS];
} smooth_values;

/* Which they are: n, n + step, .. below `count`. */
typedef struct {
  int n, step, turns, count;
} smooth_place;

BP_DEVICE bool is_whole(const smooth_place *p)
{
  return p->step == 1 && p->n + VECTOR_TURNS <= p->count;
}

BP_DEVICE void smooth_read(const smooth_place *p, const real *from, real *to)
{
  if (is_whole(p)) {
    BP_UNROLL
    for (int t = 0; t < VECTOR_TURNS; t += PACK) {
      const real_pack pack = *(const real_pack *)(from + p->n + t);
      BP_UNROLL
      for (int i = 0; i < PACK; ++i)
        to[t + i] = ((const real *)&pack)[i];
    }
    return;
  }
  BP_UNROLL
  for (int t = 0; t < p->turns; ++t)
    to[t] = p->n + t * p->step < p->count ? from[p->n + t * p->step] : 0;
}

BP_DEVICE void smooth_write(const smooth_place *p, const real *from, real *to)
{
  if (is_whole(p)) {
    BP_UNROLL
    for (int t = 0; t < VECTOR_TURNS; t += PACK) {
      real_pack pack;
      BP_UNROLL
      for (int i = 0; i < PACK; ++i)
        ((real *)&pack)[i] = from[t + i];
      *(real_pack *)(to + p->n + t) = pack;
    }
    return;
  }
  BP_UNROLL
  for (int t = 0; t < p->turns; ++t)
    if (p->n + t * p->step < p->count)
      to[p->n + t * p->step] = from[t];
}

typedef struct {
  int flags;
  real before, keep, gain, after;
  const real *weight; /* vectors of a field */
  real *b, *r, *d, *x;
} smooth_step;

/* All but t, which takes longer. */
BP_DEVICE void smooth_load(const smooth_step *s, const smooth_place *p, smooth_values *v)
{
  const int flags = s->flags;
  BP_UNROLL
  for (int t = 0; t < VECTOR_TURNS; ++t)
    v->t[t] = v->b[t] = v->r[t] = v->d[t] = v->weight[t] = v->x[t] = 0;
  if (flags & BP_MG_FROM_R)
    smooth_read(p, s->r, v->r);
  else if (flags & BP_MG_FROM_B && !(flags & BP_MG_TAKES_B))
    smooth_read(p, s->b, v->b);
  if (flags & (BP_MG_KEEPS | BP_MG_ADDS))
    smooth_read(p, s->d, v->d);
  if (flags & (BP_MG_JACOBI | BP_MG_SCHWARZ))
    smooth_read(p, s->weight, v->weight);
  if (flags & (BP_MG_ADDS | BP_MG_ADDS_NEW) && !(flags & BP_MG_ZERO))
    smooth_read(p, s->x, v->x);
}

/* abi/multigrid.h says what it does. */
BP_DEVICE void smooth_one(const smooth_step *s, smooth_values *v, int n)
{
  const int flags = s->flags;
  const real t = v->t[n], b = flags & BP_MG_TAKES_B ? t : v->b[n],
             y = (flags & BP_MG_FROM_R ? v->r[n] : b) - (flags & BP_MG_LESS ? t : 0),
             before = v->d[n],
             d = (flags & BP_MG_KEEPS ? s->keep * before : 0) +
                 s->gain * v->weight[n] * (flags & BP_MG_JACOBI ? y : t);
  v->b[n] = b;
  v->r[n] = y;
  v->d[n] = d;
  v->x[n] +=
      (flags & BP_MG_ADDS ? s->before * before : 0) + (flags & BP_MG_ADDS_NEW ? s->after * d : 0);
}

BP_DEVICE void smooth_finish(const smooth_step *s, const smooth_place *p, smooth_values *v)
{
  const int flags = s->flags;
  BP_UNROLL
  for (int t = 0; t < p->turns; ++t)
    smooth_one(s, v, t);
  if (flags & BP_MG_TAKES_B)
    smooth_write(p, v->b, s->b);
  if (flags & BP_MG_LEAVES_R)
    smooth_write(p, v->r, s->r);
  if (flags & (BP_MG_ADDS | BP_MG_ADDS_NEW))
    smooth_write(p, v->x, s->x);
  if (flags & BP_MG_LEAVES_D)
    smooth_write(p, v->d, s->d);
}

/* The thread's unknowns of chunk c of those that have t in a vector. */
BP_DEVICE smooth_place in_row(int c, int count)
{
  const smooth_place p = {(c * VECTOR_THREADS + (int)threadIdx.x) * VECTOR_TURNS, 1, VECTOR_TURNS,
                          count};
  return p;
}

/* Of those on surfaces, with `pairs` pairs of slots each. */
BP_DEVICE void smooth_surface(const smooth_step *s, smooth_place p, int pairs,
                              const surface_lists *l, const slot_pair *slots, const real *of,
                              int field)
{
  smooth_values v;
  unsigned counted;
  smooth_load(s, &p, &v);
  if (s->flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ))
    surface_values(p.turns, pairs, l, slots, of, field, p.n, p.count, v.t, &counted);
  smooth_finish(s, &p, &v);
}

BP_DEVICE smooth_step step_from(const smooth_step *s, long long first, long long field)
{
  smooth_step other = *s;
  other.weight += first;
  other.b += first + field;
  other.r += first + field;
  other.d += first + field;
  other.x += first + field;
  return other;
}

/* A chunk of VECTOR_THREADS times some unknowns for each block, if there are as many. Of a level without
 * elements `applied` has all of t. */
BP_KERNEL_BOUNDED(smooth, VECTOR_THREADS, 0)
{
  SOLVE_ARRAYS(arrays);
  const double *const numbers = row_of(schedule, row);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const bool wants = (int)numbers[BP_MG_FLAGS] & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ),
             is_plain = (int)numbers[BP_MG_FLAGS] & BP_MG_PLAIN;
  const surface_lists lists =
      wants && !is_plain ? lists_with_mail(&arrays) : surface_lists_of(&arrays);
  const smooth_step all = {(int)numbers[BP_MG_FLAGS],
                           (real)numbers[BP_MG_BEFORE],
                           (real)numbers[BP_MG_KEEP],
                           (real)numbers[BP_MG_GAIN],
                           (real)numbers[BP_MG_AFTER],
                           diagonal,
                           ap,
                           r,
                           p,
                           x};
  const int in_rows = is_plain ? elements : inner, kinds = is_plain ? 0 : 3;
  int c = (int)blockIdx.x, from = 0,
      end = (in_rows + VECTOR_THREADS * VECTOR_TURNS - 1) / (VECTOR_THREADS * VECTOR_TURNS);
  for (; c < end; c += (int)gridDim.x)
    for (int f = 0; f < BP_FIELDS; ++f) {
      const smooth_place place = in_row(c, in_rows);
      const smooth_step s = step_from(&all, 0, f * stride);
      smooth_values v;
      smooth_load(&s, &place, &v);
      if (s.flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ))
        smooth_read(&place, applied + f * stride, v.t);
      smooth_finish(&s, &place, &v);
    }
  const int begin[3] = {u.inner, u.faces, u.edges}, last[3] = {u.faces, u.edges, u.all};
  const slot_pair *slots = lists.slots;
  BP_UNROLL
  for (int kind = 0; kind < 3; ++kind) {
    const int turns = VECTOR_TURNS >> kind, each = turns * VECTOR_THREADS,
              count = kind < kinds ? last[kind] - begin[kind] : 0;
    from = end;
    for (end += (count + each - 1) / each; c < end; c += (int)gridDim.x)
      for (int f = 0; f < BP_FIELDS; ++f) {
        const smooth_step s = step_from(&all, begin[kind], f * stride);
        const smooth_place place = {(c - from) * each + (int)threadIdx.x, VECTOR_THREADS, turns,
                                    count};
        smooth_surface(&s, place, 1 << kind, &lists, slots,
                       copies + f * (long long)elements * ELEMENT_SURFACE, f);
      }
    slots += (size_t)count << kind;
  }
}

/* ---- levels without elements ---- */

/* A warp for each row. From field to field it is `stride` in `out`, and in `in` what the row has as
 * `before`. */
BP_KERNEL_BOUNDED(sparse, 256, 0)
{
  const double *const numbers = row_of(schedule, row);
  const long long columns = (long long)numbers[BP_MG_COARSE],
                  in_stride = (long long)numbers[BP_MG_BEFORE];
  const bool is_full = !sparse_starts, adds = numbers[BP_MG_ADDITION] != 0;
  const int warps = bp_threads() / 32;
  for (int f = 0; f < BP_FIELDS; ++f)
    for (long long n = (long long)blockIdx.x * warps + bp_warp(); n < elements;
         n += (long long)gridDim.x * warps) {
      const long long begin = is_full ? n * columns : sparse_starts[n],
                      end = is_full ? begin + columns : sparse_starts[n + 1];
      const real *const in = sparse_in + f * in_stride;
      real sum = 0;
      for (long long at = begin + bp_lane(); at < end; at += 32)
        sum += sparse_values[at] * in[is_full ? at - begin : sparse_columns[at]];
      BP_UNROLL
      for (int mask = 16; mask > 0; mask /= 2)
        sum += bp_shuffle_xor(sum, mask);
      real *const out = sparse_out + f * stride + n;
      if (bp_lane() == 0)
        *out = adds ? *out + sum : sum;
    }
}

/* ---- conjugate gradients around the cycle ---- */

/* The sum over the block, in all threads; buffer[32]. */
BP_DEVICE double block_sum(double x, double *buffer)
{
  BP_UNROLL
  for (int mask = 16; mask > 0; mask /= 2)
    x += bp_shuffle_xor(x, mask);
  if (bp_lane() == 0)
    buffer[bp_warp()] = x;
  BP_BARRIER();
  x = 0;
  for (int n = 0; n < bp_threads() / 32; ++n)
    x += buffer[n];
  BP_BARRIER();
  return x;
}

/* The block's part of a sum; of ranks the kernel `dot` makes it. */
BP_DEVICE void leave(double x, int sum, double *state, double *buffer)
{
  if (EXACT_SUMS)
    return;
  x = block_sum(x, buffer);
  if (threadIdx.x == 0)
    state[sum * BP_MG_PARTS + blockIdx.x] = x;
}

BP_DEVICE double ratio(double a, double b)
{
  return b != 0 ? a / b : 0;
}

/* All launches but the last have as many blocks. */
BP_DEVICE double total(const double *state, int sum, int blocks, double *buffer)
{
  double x = 0;
  for (int w = BP_MG_WORDS - 1; w >= 0 && EXACT_SUMS; --w)
    x += state[BP_MG_TOTALS + sum * BP_MG_WORDS + w];
  for (int n = bp_thread(); n < blocks && !EXACT_SUMS; n += bp_threads())
    x += state[sum * BP_MG_PARTS + n];
  return EXACT_SUMS ? x : block_sum(x, buffer);
}

BP_KERNEL_BOUNDED(start, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const double scale = row_of(schedule, row)[BP_MG_SCALE];
  double rr = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const real y = f[at];
      r[at] = y;
      x[at] = 0;
      cycle_b[at] = (cycled)(scale * y);
      rr += y * y;
    }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counts[COUNT_COMPLETED] = counts[COUNT_CURRENT] = 0;
    counts[COUNT_RR_BLOCKS] = bp_blocks();
  }
  leave(rr, BP_MG_RR, state, buffer);
}

BP_KERNEL_BOUNDED(products, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const bool is_first = counts[COUNT_COMPLETED] == 0;
  double rz = 0, zap = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const double z = cycle_x[at];
      rz += r[at] * z;
      if (!is_first)
        zap += ap[at] * z;
    }
  leave(rz, BP_MG_RZ, state, buffer);
  leave(zap, BP_MG_ZAP, state, buffer);
}

/* p = z + beta p, A-orthogonal to the last one whatever the cycle did. */
BP_KERNEL_BOUNDED(direction, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_COMPLETED], blocks = counts[COUNT_RR_BLOCKS];
  double beta = 0;
  if (k > 0) {
    const double zap = total(state, BP_MG_ZAP, blocks, buffer);
    beta = -ratio(zap, total(state, BP_MG_PAP, blocks, buffer));
  }
  const double rr = total(state, BP_MG_RR, blocks, buffer);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counts[COUNT_CURRENT] = k;
    residuals[k] = rr;
  }
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      p[at] = k > 0 ? cycle_x[at] + beta * p[at] : cycle_x[at];
    }
}

/* A p of surface nodes, which ap has inside elements, and p . A p. */
BP_KERNEL_BOUNDED(gather, VECTOR_THREADS, 0)
{
  BP_SHARED(double, buffer, [32]);
  SOLVE_ARRAYS(arrays);
  const unknown_kinds u = unknown_kinds_of(&arrays);
  const surface_lists lists = lists_with_mail(&arrays);
  const int begin[3] = {u.inner, u.faces, u.edges}, last[3] = {u.faces, u.edges, u.all};
  const slot_pair *slots = lists.slots;
  double sum = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, inner)
  sum += p[m * stride + n] * ap[m * stride + n];
  int c = (int)blockIdx.x, from = 0;
  BP_UNROLL
  for (int kind = 0; kind < 3; ++kind) {
    const int turns = VECTOR_TURNS >> kind, each = turns * VECTOR_THREADS,
              count = last[kind] - begin[kind], end = from + (count + each - 1) / each;
    for (; c < end; c += (int)gridDim.x)
      for (int m = 0; m < BP_FIELDS; ++m) {
        const smooth_place place = {(c - from) * each + (int)threadIdx.x, VECTOR_THREADS, turns,
                                    count};
        const long long field = begin[kind] + m * stride;
        real v[VECTOR_TURNS], before[VECTOR_TURNS];
        unsigned counted;
        smooth_read(&place, p + field, before);
        surface_values(turns, 1 << kind, &lists, slots,
                       copies + m * (long long)elements * ELEMENT_SURFACE, m, place.n, count, v,
                       &counted);
        smooth_write(&place, v, ap + field);
        BP_UNROLL
        for (int t = 0; t < turns; ++t)
          sum += before[t] * v[t];
      }
    slots += (size_t)count << kind;
    from = end;
  }
  leave(sum, BP_MG_PAP, state, buffer);
}

BP_KERNEL_BOUNDED(update, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const int k = counts[COUNT_CURRENT], blocks = counts[COUNT_RR_BLOCKS];
  const double scale = row_of(schedule, row)[BP_MG_SCALE],
               rz = total(state, BP_MG_RZ, blocks, buffer),
               alpha = ratio(rz, total(state, BP_MG_PAP, blocks, buffer));
  double rr = 0;
  for (int m = 0; m < BP_FIELDS; ++m)
    EACH(n, unknowns)
    {
      const long long at = m * stride + n;
      const double y = r[at] - alpha * ap[at];
      x[at] += alpha * p[at];
      r[at] = y;
      cycle_b[at] = (cycled)(scale * y);
      rr += y * y;
    }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    counts[COUNT_COMPLETED] = k + 1;
  leave(rr, BP_MG_RR, state, buffer);
}

/* The last residual; one block. */
BP_KERNEL_BOUNDED(finish, 256, 0)
{
  BP_SHARED(double, buffer, [32]);
  const double rr = total(state, BP_MG_RR, counts[COUNT_RR_BLOCKS], buffer);
  if (threadIdx.x == 0)
    residuals[counts[COUNT_COMPLETED]] = rr;
}

#include "lib/solve/multigrid_boxes.h"
#include "lib/solve/multigrid_transfers.h"

#if EXACT_SUMS
#include "lib/solve/multigrid_ranks.h"
#endif

#endif
