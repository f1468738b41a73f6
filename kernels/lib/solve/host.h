/* host.h -- conjugate gradients on the CPU: what the schemes share. Threads have ranges of elements; the
 * unknowns that a range's elements touch first are the thread's own, four runs of numbers
 * (fem/unknowns.h). A launch ends with a barrier; sums are left as one part per thread, and every thread
 * of the next launch adds them up for itself in the same order.
 *
 * Where there is a diagonal, the vector r holds z = r / diagonal: p = z + beta p, and only this file divides. */
#ifndef BP_KERNELS_SOLVE_HOST_H
#define BP_KERNELS_SOLVE_HOST_H

#include "abi/simd.h"
#include "abi/solve.h"

enum {
  INSIDE = BP_NQ - 2, /* nodes inside an edge */
  NODES = BP_NQ * BP_NQ * BP_NQ,
  INNER = INSIDE * INSIDE * INSIDE,
  SURFACE = NODES - INNER,
  IN_FACES = 6 * INSIDE * INSIDE,
  IN_EDGES = IN_FACES + 12 * INSIDE,
  CLASSES = 3,
  RUNS = CLASSES + 1,
  /* of state[]: r . z of the iterations, even and odd; alpha of the last ones; the threads' parts */
  STATE_ALPHA = 2,
  STATE_PAP = 32,
  STATE_RZ = STATE_PAP + 8192, /* r . z, which is r . r without a preconditioner */
  STATE_RR = STATE_RZ + 8192,
  COUNT_COMPLETED = 0,
  COUNT_CURRENT
};

typedef struct {
  const bp_cpu_arguments *a;
  int64_t first, last;            /* elements */
  int64_t begin[RUNS], end[RUNS]; /* own unknowns: inside elements, faces, edges, at vertices */
  int history, k;                 /* directions kept; the iteration */
  int64_t fields, length;         /* numbers of a vector, all components */
  int thread, threads;
} host;

BP_INLINE host host_begin(const bp_cpu_arguments *a, int64_t first, int64_t last, int history)
{
  host h = {.a = a, .first = first, .last = last, .history = history};
  h.begin[0] = first * INNER;
  h.end[0] = last * INNER;
  for (int c = 0; c < CLASSES; ++c) {
    h.begin[c + 1] = a->first[CLASSES * first + c];
    h.end[c + 1] = a->first[CLASSES * last + c];
  }
  h.thread = (int)a->option[BP_SOLVE_THREAD];
  h.threads = (int)a->option[BP_SOLVE_THREADS];
  h.fields = a->option[BP_SOLVE_FIELDS];
  h.length = h.fields * a->stride;
  return h;
}

/* The direction of iteration k. */
BP_INLINE real *host_p(const host *h, int k)
{
  return h->a->p + (k + h->history) % h->history * h->length;
}

/* ---- scalars ---- */

BP_INLINE double host_total(const host *h, int parts)
{
  double sum = 0;
  for (int t = 0; t < h->threads; ++t)
    sum += h->a->state[parts + t];
  return sum;
}

BP_INLINE double host_ratio(double a, double b)
{
  return b > 0 ? a / b : 0;
}

/* beta, before the direction of an iteration. */
BP_INLINE double host_beta(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = h->k = a->counts[COUNT_COMPLETED];
  const double rz = host_total(h, STATE_RZ), before = a->state[(k + 1) % 2];
  if (h->thread == 0) {
    a->state[k % 2] = rz;
    a->counts[COUNT_CURRENT] = k;
    a->residuals[k] = host_total(h, STATE_RR);
  }
  return k > 0 ? host_ratio(rz, before) : 0;
}

/* alpha, after it. */
BP_INLINE double host_alpha(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = h->k = a->counts[COUNT_CURRENT];
  const double alpha = host_ratio(a->state[k % 2], host_total(h, STATE_PAP));
  if (h->thread == 0) {
    a->state[STATE_ALPHA + k % h->history] = alpha;
    a->counts[COUNT_COMPLETED] = k + 1;
  }
  return alpha;
}

BP_INLINE void host_leave(const host *h, int parts, double sum)
{
  h->a->state[parts + h->thread] = sum;
}

/* ---- vectors ---- */

/* x += the sum over the first `count` directions of alpha p, for own unknowns. */
BP_INLINE void host_solution(const host *h, double last, int count)
{
  const bp_cpu_arguments *a = h->a;
  const double *alpha = a->state + STATE_ALPHA;
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run)
      for (int n = 0; n < count; ++n) {
        const real factor = (real)(n == h->history - 1 ? last : alpha[n]);
        const real *p = a->p + n * h->length + f * a->stride;
        real *x = a->x + f * a->stride;
        for (int64_t i = h->begin[run]; i < h->end[run]; ++i)
          x[i] += factor * p[i];
      }
}

/* The sum of x[n] y[n], in an order that only `count` decides. */
BP_INLINE double host_dot(int64_t count, const real *x, const real *y)
{
  enum { SUMS = 4, STEP = SUMS * BP_LANES };
  bp_wide sums[SUMS] = {0};
  double total = 0;
  int64_t n = 0;
  for (; n + STEP <= count; n += STEP)
    for (int s = 0; s < SUMS; ++s)
      sums[s] += BP_WIDE(*(const bp_unaligned *)(x + n + s * BP_LANES) *
                         *(const bp_unaligned *)(y + n + s * BP_LANES));
  for (; n < count; ++n)
    total += x[n] * y[n];
  for (int s = 0; s < SUMS; ++s)
    for (int l = 0; l < BP_LANES; ++l)
      total += sums[s][l];
  return total;
}

/* Parts of r . z and r . r. */
typedef struct {
  double rz, rr;
} host_sums;

BP_INLINE void host_leave_sums(const host *h, host_sums sums)
{
  host_leave(h, STATE_RZ, sums.rz);
  host_leave(h, STATE_RR, sums.rr);
}

/* z -= alpha v / diagonal. */
BP_INLINE void host_preconditioned(int64_t count, real alpha, const real *v, const real *d, real *z,
                                   host_sums *total)
{
  bp_wide rz = {0}, rr = {0};
  int64_t n = 0;
  for (; n + BP_LANES <= count; n += BP_LANES) {
    const bp_vector e = *(const bp_unaligned *)(d + n);
    const bp_vector x = *(bp_unaligned *)(z + n) - alpha * *(const bp_unaligned *)(v + n) / e;
    *(bp_unaligned *)(z + n) = x;
    rz += BP_WIDE(x * (x * e));
    rr += BP_WIDE((x * e) * (x * e));
  }
  for (; n < count; ++n) {
    z[n] -= alpha * v[n] / d[n];
    total->rz += z[n] * (z[n] * d[n]);
    total->rr += (z[n] * d[n]) * (z[n] * d[n]);
  }
  for (int l = 0; l < BP_LANES; ++l) {
    total->rz += rz[l];
    total->rr += rr[l];
  }
}

/* r -= alpha v; returns r . r. */
BP_INLINE double host_plain(int64_t count, real alpha, const real *v, real *r)
{
  enum { SUMS = 4, STEP = SUMS * BP_LANES };
  bp_wide sums[SUMS] = {0};
  double total = 0;
  int64_t n = 0;
  for (; n + STEP <= count; n += STEP)
    for (int s = 0; s < SUMS; ++s) {
      bp_unaligned *at = (bp_unaligned *)(r + n + s * BP_LANES);
      const bp_vector x = *at - alpha * *(const bp_unaligned *)(v + n + s * BP_LANES);
      *at = x;
      sums[s] += BP_WIDE(x * x);
    }
  for (; n < count; ++n) {
    r[n] -= alpha * v[n];
    total += r[n] * r[n];
  }
  for (int s = 0; s < SUMS; ++s)
    for (int l = 0; l < BP_LANES; ++l)
      total += sums[s][l];
  return total;
}

/* r -= alpha v, r . r, and x where enough directions are there. */
BP_INLINE void host_update(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const double now = host_alpha(h);
  const real alpha = (real)now;
  host_sums sums = {0, 0};
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run) {
      const int64_t begin = h->begin[run], count = h->end[run] - begin, at = f * a->stride + begin;
      if (a->diagonal)
        host_preconditioned(count, alpha, a->ap + at, a->diagonal + begin, a->r + at, &sums);
      else
        sums.rz += host_plain(count, alpha, a->ap + at, a->r + at);
    }
  if (!a->diagonal)
    sums.rr = sums.rz;
  if ((h->k + 1) % h->history == 0)
    host_solution(h, now, h->history);
  host_leave_sums(h, sums);
}

/* r = f, or f / diagonal, x = 0, no direction yet. */
BP_INLINE void host_start(host *h)
{
  const bp_cpu_arguments *a = h->a;
  host_sums sums = {0, 0};
  for (int64_t f = 0; f < h->fields; ++f)
    for (int run = 0; run < RUNS; ++run)
      for (int64_t at = h->begin[run]; at < h->end[run]; ++at) {
        const int64_t i = f * a->stride + at;
        const real d = a->diagonal ? a->diagonal[at] : 1;
        a->r[i] = a->f[i] / d;
        a->x[i] = a->ap[i] = 0;
        for (int n = 0; n < h->history; ++n)
          a->p[n * h->length + i] = 0;
        sums.rz += a->f[i] * a->r[i];
        sums.rr += a->f[i] * a->f[i];
      }
  if (h->thread == 0)
    a->counts[COUNT_COMPLETED] = a->counts[COUNT_CURRENT] = 0;
  host_leave_sums(h, sums);
}

/* What x still lacks, and the last r . r. */
BP_INLINE void host_finish(host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_COMPLETED];
  const double rr = host_total(h, STATE_RR);
  if (h->thread == 0)
    a->residuals[k] = rr;
  host_solution(h, 0, k % h->history);
}

/* ---- elements ---- */

/* Where surface node m lies in an element. */
BP_INLINE void host_places(int *place)
{
  const int step[3] = {1, BP_NQ, BP_NQ * BP_NQ}, far = BP_NQ - 1;
  for (int f = 0; f < 6; ++f) {
    const int d = f / 2, low = d == 0 ? 1 : 0, high = d == 2 ? 1 : 2;
    for (int b = 1; b <= INSIDE; ++b)
      for (int a = 1; a <= INSIDE; ++a)
        *place++ = f % 2 * far * step[d] + a * step[low] + b * step[high];
  }
  for (int q = 0; q < 12; ++q) {
    const int d = q / 4, low = d == 0 ? 1 : 0, high = d == 2 ? 1 : 2;
    for (int a = 1; a <= INSIDE; ++a)
      *place++ = a * step[d] + q % 2 * far * step[low] + q / 2 % 2 * far * step[high];
  }
  for (int c = 0; c < 8; ++c)
    *place++ = far * (c % 2 * step[0] + c / 2 % 2 * step[1] + c / 4 * step[2]);
}

BP_INLINE int host_class(int m)
{
  return m < IN_FACES ? 0 : m < IN_EDGES ? 1 : 2;
}

/* local = what an element has of p: `inner` inside, by ids on its surface, 0 where that is fixed. */
BP_INLINE void host_element_of(const int *ids, const int *place, const real *inner, const real *p,
                               real *local)
{
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j, inner += INSIDE)
      for (int i = 0; i < INSIDE; ++i)
        local[(k * BP_NQ + j) * BP_NQ + 1 + i] = inner[i];
  for (int m = 0; m < SURFACE; ++m)
    local[place[m]] = ids[m] < 0 ? 0 : p[ids[m]];
}

/* Row l of the group's elements from vectors. */
BP_INLINE void host_store(const bp_vector *from, int plane, int stride, real *rows)
{
  for (int n = 0; n < NODES; n += BP_LANES) {
    const int at = n + BP_LANES <= NODES ? n : NODES - BP_LANES;
    bp_vector x[BP_LANES];
    bp_group_rows(from, plane, stride, at, x);
    for (int l = 0; l < BP_LANES; ++l)
      *(bp_unaligned *)(rows + l * NODES + at) = x[l];
  }
}

#endif
