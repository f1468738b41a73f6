/* host_multigrid.h -- p-multigrid on the CPU: the vectors of a level, of the transfers between two, and of
 * the conjugate gradients around the cycle. Threads have elements and own unknowns as host.h says; of a level without
 * elements they have rows.
 *
 * Of ranks each has all unknowns of its elements. Behind its elements are others, where copies come that belong to
 * other ranks: an unknown's list of copies goes there by itself. */
#ifndef BP_KERNELS_SOLVE_HOST_MULTIGRID_H
#define BP_KERNELS_SOLVE_HOST_MULTIGRID_H

#include "abi/cpu.h"
#include "abi/multigrid.h"
#include "lib/solve/exact.h"
#include "lib/solve/host.h"

enum {
  START,
  PRODUCTS,
  DIRECTION,
  GATHER,
  UPDATE,
  SMOOTH,
  RESTRICT,
  PROLONG,
  SCHWARZ,
  SPARSE,
  FINISH,
  BATCH = 512 /* unknowns that a thread works on at once */
};

BP_INLINE const double *row_of(const bp_cpu_arguments *a)
{
  return a->schedule + (int64_t)a->row * BP_MG_ROW;
}

/* ---- between vectors and elements ---- */

/* What elements have of a field. */
BP_INLINE real *elements_of(const bp_cpu_arguments *a, real *local, int64_t f)
{
  return local + f * (int64_t)row_of(a)[BP_MG_FIELD] * NODES;
}

/* Whether the rank's element e has copies elsewhere. */
BP_INLINE int is_in_halo(const bp_cpu_arguments *a, int64_t e)
{
  return ((const bp_rank_arguments *)(const void *)a)->halo[e];
}

/* The place of a surface unknown's first copy in the whole mesh. */
BP_INLINE int64_t first_copy(const bp_cpu_arguments *a, int64_t n)
{
  const int64_t s = n - a->inner;
  return a->starts[s] < a->starts[s + 1] ? (int64_t)a->copied[a->starts[s]] : -1;
}

/* t of `count` own unknowns from n on, all of one kind; and all of their copies become y. */
BP_INLINE void gather_some(const bp_cpu_arguments *a, const int *place, const real *local,
                           int64_t n, int count, real *t)
{
  for (int c = 0; c < count; ++c) {
    const int64_t s = n + c - a->inner;
    real sum = 0;
    for (unsigned at = a->starts[s]; at < a->starts[s + 1]; ++at) {
      const unsigned copy = a->copied[at];
      sum += local[(int64_t)(copy / SURFACE) * NODES + place[copy % SURFACE]];
    }
    t[c] = sum;
  }
}

BP_INLINE void spread_some(const bp_cpu_arguments *a, const int *place, real *local, int64_t n,
                           int count, const real *y)
{
  for (int c = 0; c < count; ++c) {
    const int64_t s = n + c - a->inner;
    for (unsigned at = a->starts[s]; at < a->starts[s + 1]; ++at) {
      const unsigned copy = a->copied[at];
      local[(int64_t)(copy / SURFACE) * NODES + place[copy % SURFACE]] = y[c];
    }
  }
}

BP_INLINE void gather_inside(const real *local, real *t)
{
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j)
      for (int i = 1; i <= INSIDE; ++i)
        *t++ = local[(k * BP_NQ + j) * BP_NQ + i];
}

BP_INLINE void spread_inside(real *local, const real *y)
{
  for (int k = 1; k <= INSIDE; ++k)
    for (int j = 1; j <= INSIDE; ++j)
      for (int i = 1; i <= INSIDE; ++i)
        local[(k * BP_NQ + j) * BP_NQ + i] = *y++;
}

/* Some unknowns at once: t of them, what becomes of t, and that into their copies. A macro, for `use`
 * has its own sums; it may change t. */
#define FOR_UNKNOWNS(h, f, t, n, count, gathers, spreads, use)                                     \
  do {                                                                                             \
    const bp_cpu_arguments *a_ = (h)->a;                                                           \
    real *const from_ = gathers ? elements_of(a_, a_->element_v, f) : 0,                           \
                *const to_ = spreads ? elements_of(a_, a_->element_u, f) : 0;                      \
    int place[SURFACE];                                                                            \
    host_places(place);                                                                            \
    for (int64_t e = (h)->first; e < (h)->last && INNER > 0; ++e) {                                \
      const int64_t n = e * INNER;                                                                 \
      const int count = INNER;                                                                     \
      if (gathers)                                                                                 \
        gather_inside(from_ + e * NODES, t);                                                       \
      use;                                                                                         \
      if (spreads)                                                                                 \
        spread_inside(to_ + e * NODES, t);                                                         \
    }                                                                                              \
    for (int run = 1; run < RUNS; ++run)                                                           \
      for (int64_t n = (h)->begin[run]; n < (h)->end[run]; n += BATCH) {                           \
        const int count = (int)((h)->end[run] - n < BATCH ? (h)->end[run] - n : BATCH);            \
        if (gathers)                                                                               \
          gather_some(a_, place, from_, n, count, t);                                              \
        use;                                                                                       \
        if (spreads)                                                                               \
          spread_some(a_, place, to_, n, count, t);                                                \
      }                                                                                            \
  } while (0)

enum { MOST = (int)INNER > (int)BATCH ? (int)INNER : (int)BATCH }; /* of t */

/* ---- a level ---- */

/* `at`: of the field; n: of the weights; t becomes what is spread. */
BP_INLINE void smooth_some(const bp_cpu_arguments *a, int64_t at, int64_t n, int count, real *t)
{
  const double *row = row_of(a);
  const int flags = (int)row[BP_MG_FLAGS], makes = flags & (BP_MG_JACOBI | BP_MG_SCHWARZ);
  const real before = (real)row[BP_MG_BEFORE], keep = (real)row[BP_MG_KEEP],
             gain = (real)row[BP_MG_GAIN], after = (real)row[BP_MG_AFTER];
  real *b = a->ap + at, *r = a->r + at, *d = a->p + at, *x = a->x + at;
  const real *from = flags & BP_MG_FROM_R ? r : b, *weight = a->diagonal + n;
  if (flags & BP_MG_TAKES_B)
    for (int i = 0; i < count; ++i)
      b[i] = t[i];
  if (flags & (BP_MG_FROM_B | BP_MG_FROM_R))
    for (int i = 0; i < count; ++i)
      t[i] = flags & BP_MG_LESS ? from[i] - t[i] : from[i];
  if (flags & BP_MG_LEAVES_R)
    for (int i = 0; i < count; ++i)
      r[i] = t[i];
  if (flags & BP_MG_ZERO)
    for (int i = 0; i < count; ++i)
      x[i] = 0;
  if (flags & BP_MG_ADDS)
    for (int i = 0; i < count; ++i)
      x[i] += before * d[i];
  if (makes)
    for (int i = 0; i < count; ++i)
      t[i] = flags & BP_MG_KEEPS ? keep * d[i] + gain * weight[i] * t[i] : gain * weight[i] * t[i];
  else if (flags & BP_MG_SPREADS_D)
    for (int i = 0; i < count; ++i)
      t[i] = d[i];
  if (flags & BP_MG_LEAVES_D)
    for (int i = 0; i < count; ++i)
      d[i] = t[i];
  if (flags & BP_MG_ADDS_NEW)
    for (int i = 0; i < count; ++i)
      x[i] += after * t[i];
  if (flags & BP_MG_SPREADS_X)
    for (int i = 0; i < count; ++i)
      t[i] = x[i];
}

BP_PHASE void smooth(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int flags = (int)row_of(a)[BP_MG_FLAGS],
            wants = flags & (BP_MG_TAKES_B | BP_MG_LESS | BP_MG_SCHWARZ),
            spreads = flags & (BP_MG_SPREADS_D | BP_MG_SPREADS_X);
  real t[MOST] = {0};
  for (int64_t f = 0; f < h->fields; ++f)
    FOR_UNKNOWNS(h, f, t, n, count, wants, spreads, smooth_some(a, f * a->stride + n, n, count, t));
}

/* Of a level without elements, whose rows the thread has. */
BP_PHASE void smooth_rows(const bp_cpu_arguments *a, int64_t first, int64_t last)
{
  for (int64_t f = 0; f < a->option[BP_SOLVE_FIELDS]; ++f)
    for (int64_t n = first; n < last; n += BATCH) {
      const int64_t at = f * a->stride + n;
      smooth_some(a, at, n, (int)(last - n < BATCH ? last - n : BATCH), a->element_v + at);
    }
}

/* ---- transfers ---- */

/* out[b][j][a] = sum over i of m[j][i] in[b][i][a], m by its steps */
BP_INLINE void contract(int before, int rows, int columns, int after, const real *m, int row_step,
                        int column_step, const real *in, real *out)
{
  for (int b = 0; b < before; ++b)
    for (int j = 0; j < rows; ++j) {
      real *to = out + (b * rows + j) * after;
      for (int a = 0; a < after; ++a)
        to[a] = 0;
      for (int i = 0; i < columns && after > 1; ++i) {
        const real factor = m[j * row_step + i * column_step],
                   *from = in + (b * columns + i) * after;
        for (int a = 0; a < after; ++a)
          to[a] += factor * from[a];
      }
    }
  for (int b = 0; b < before && after == 1; ++b)
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < rows; ++j)
        out[b * rows + j] += m[j * row_step + i * column_step] * in[b * columns + i];
}

/* Whether the element owns surface node m: it is the rank's first that has the unknown, fixed or not. */
BP_INLINE int owns(const bp_cpu_arguments *a, int64_t e, int m)
{
  const int id = a->ids[e * SURFACE + m];
  return (id < 0 ? ~id : id) >= a->first[CLASSES * e + host_class(m)];
}

/* The first of all ranks'; the unknown is free. */
BP_INLINE int owns_of_all(const bp_cpu_arguments *a, int64_t e, int m)
{
  return owns(a, e, m) &&
         (!is_in_halo(a, e) || first_copy(a, a->ids[e * SURFACE + m]) == e * SURFACE + m);
}

/* What is left of b without A x, which elements have: each unknown's b goes with the element that owns
 * it, A x with all of them. Functions of the next level are 0 where unknowns are fixed. */
BP_PHASE void restrict_residual(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int nc = (int)row_of(a)[BP_MG_COARSE];
  const int64_t field = (int64_t)row_of(a)[BP_MG_FIELD];
  int place[SURFACE];
  real u[NODES], v[NODES];
  host_places(place);
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t e = h->first; e < h->last; ++e) {
      const real *b = a->ap + f * a->stride, *taken = elements_of(a, a->element_v, f) + e * NODES;
      host_element_of(a->ids + e * SURFACE, place, b + e * INNER, b, u);
      for (int m = 0; m < SURFACE; ++m)
        u[place[m]] = a->ids[e * SURFACE + m] >= 0 && owns_of_all(a, e, m) ? u[place[m]] : 0;
      for (int n = 0; n < NODES; ++n)
        u[n] -= taken[n];
      contract(1, nc, BP_NQ, BP_NQ * BP_NQ, a->transfer, 1, nc, u, v);
      contract(nc, nc, BP_NQ, BP_NQ, a->transfer, 1, nc, v, u);
      contract(nc * nc, nc, BP_NQ, 1, a->transfer, 1, nc, u,
               a->coarse_elements + (f * field + e) * nc * nc * nc);
    }
}

/* r = x + what the next level has, at each unknown by the element that owns it; and as elements have it.
 * What another rank's element owns comes from there. */
BP_PHASE void prolong(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int nc = (int)row_of(a)[BP_MG_COARSE];
  const int64_t field = (int64_t)row_of(a)[BP_MG_FIELD];
  int place[SURFACE];
  real u[NODES], v[NODES];
  host_places(place);
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t e = h->first; e < h->last; ++e) {
      const real *in = a->coarse_elements + (f * field + e) * nc * nc * nc,
                 *x = a->x + f * a->stride;
      const int *ids = a->ids + e * SURFACE;
      real *r = a->r + f * a->stride, *out = elements_of(a, a->element_u, f) + e * NODES;
      contract(nc * nc, BP_NQ, nc, 1, a->transfer, nc, 1, in, v);
      contract(nc, BP_NQ, nc, BP_NQ, a->transfer, nc, 1, v, u);
      contract(1, BP_NQ, nc, BP_NQ * BP_NQ, a->transfer, nc, 1, u, v);
      host_element_of(ids, place, x + e * INNER, x, out);
      for (int n = 0; n < NODES; ++n)
        out[n] += v[n];
      for (int m = 0; m < SURFACE; ++m) {
        out[place[m]] = ids[m] < 0 ? 0 : out[place[m]];
        if (owns(a, e, m))
          r[ids[m] < 0 ? ~ids[m] : ids[m]] = out[place[m]];
      }
      gather_inside(out, r + e * INNER);
    }
}

/* ---- Schwarz ---- */

/* v = box^-1 u, both m^3. */
BP_INLINE void invert_box(const real *box, int m, real lambda, real *u, real *v)
{
  const int pitch = (m + 3) / 4 * 4, values = m * pitch;
  const real *s = box + values + pitch, *t = s + values + pitch;
  contract(m * m, m, m, 1, box, 1, pitch, u, v);
  contract(m, m, m, m, s, 1, pitch, v, u);
  contract(1, m, m, m * m, t, 1, pitch, u, v);
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i)
        v[(k * m + j) * m + i] /= box[values + i] + s[values + j] + t[values + k] + lambda;
  contract(m * m, m, m, 1, box, pitch, 1, v, u);
  contract(m, m, m, m, s, pitch, 1, u, v);
  contract(1, m, m, m * m, t, pitch, 1, v, u);
  for (int n = 0; n < m * m * m; ++n)
    v[n] = u[n];
}

/* The weight on the way out is an unknown's, so `smooth` has it. Of ranks sparse_in[] has other ranks' nodes
 * beyond faces. */
BP_PHASE void schwarz(const host *h)
{
  enum { SIDE = BP_NQ + 2 };
  const bp_cpu_arguments *a = h->a;
  const int layer = (int)row_of(a)[BP_MG_COARSE], m = BP_NQ + 2 * layer;
  const int count = m * m * m, numbers = 3 * (m + 1) * ((m + 3) / 4 * 4);
  real u[SIDE * SIDE * SIDE], v[SIDE * SIDE * SIDE];
  for (int64_t f = 0; f < h->fields; ++f)
    for (int64_t e = h->first; e < h->last; ++e) {
      const int *nodes = a->box_nodes + e * count;
      const real *r = a->r + f * a->stride, *box = a->boxes + e * numbers;
      const real *far = a->sparse_in + f * (int64_t)row_of(a)[BP_MG_BEFORE];
      real *out = elements_of(a, a->element_v, f) + e * NODES;
      for (int n = 0; n < count; ++n)
        u[n] = nodes[n] < 0           ? 0
               : nodes[n] < a->stride ? r[nodes[n]] * (layer ? 1 : a->diagonal[nodes[n]])
                                      : far[nodes[n] - a->stride];
      if (layer) /* the compiler wants to know how large they are */
        invert_box(box, BP_NQ + 2, (real)a->lambda, u, v);
      else
        invert_box(box, BP_NQ, (real)a->lambda, u, v);
      for (int k = 0; k < BP_NQ; ++k)
        for (int j = 0; j < BP_NQ; ++j)
          for (int i = 0; i < BP_NQ; ++i)
            out[(k * BP_NQ + j) * BP_NQ + i] = v[((k + layer) * m + j + layer) * m + i + layer];
    }
}

/* ---- levels without elements ---- */

BP_INLINE real row_product(const bp_cpu_arguments *a, int64_t row, int64_t columns, const real *in)
{
  enum { SUMS = 16 };
  real sums[SUMS] = {0}, total = 0;
  int64_t n = 0;
  if (a->sparse_starts) {
    for (int at = a->sparse_starts[row]; at < a->sparse_starts[row + 1]; ++at)
      total += a->sparse_values[at] * in[a->sparse_columns[at]];
    return total;
  }
  const real *values = a->sparse_values + row * columns;
  for (; n + SUMS <= columns; n += SUMS)
    for (int s = 0; s < SUMS; ++s)
      sums[s] += values[n + s] * in[n + s];
  for (; n < columns; ++n)
    total += values[n] * in[n];
  for (int s = 0; s < SUMS; ++s)
    total += sums[s];
  return total;
}

/* From field to field it is `stride` in `out`, and in `in` what the row has as `before`. */
BP_PHASE void multiply(const bp_cpu_arguments *a, int64_t first, int64_t last)
{
  const double *row = row_of(a);
  const int64_t columns = (int64_t)row[BP_MG_COARSE], in_stride = (int64_t)row[BP_MG_BEFORE];
  for (int64_t f = 0; f < a->option[BP_SOLVE_FIELDS]; ++f)
    for (int64_t n = first; n < last; ++n) {
      const real y = row_product(a, n, columns, a->sparse_in + f * in_stride);
      real *out = a->sparse_out + f * a->stride + n;
      *out = row[BP_MG_ADDITION] != 0 ? *out + y : y;
    }
}

/* ---- conjugate gradients around the cycle ---- */

/* A sum whose bits neither threads nor ranks nor the partition change: each element's products are added up
 * in the order of its unknowns, and their sum is cut into words, multiples of 2^168, 2^144, ..., whose sums have no
 * rounding. */
typedef struct {
  double word[BP_MG_WORDS];
} exact_words;

/* Four words have all bits of a double. */
BP_INLINE void put(exact_words *sum, double x)
{
  enum { BITS = 24, UNIT = 168, ALL = 4 };
  union {
    double number;
    uint64_t bits;
  } is = {x};
  const int exponent = (int)(is.bits >> 52 & 2047) - 1023, at = (UNIT + BITS - 1 - exponent) / BITS,
            first = at < 0 ? 0 : at;
  for (int w = first; w < first + ALL && w < BP_MG_WORDS; ++w) {
    is.bits = (uint64_t)(1023 + 52 + UNIT - BITS * w) << 52 | UINT64_C(1) << 51;
    double part = x + is.number; /* ends with the unit */
    EXACT_NUMBER(part);
    part -= is.number;
    EXACT_NUMBER(part);
    sum->word[w] += part;
    x -= part;
  }
}

BP_INLINE double *parts_of(const host *h, int sum)
{
  return h->a->state + (int64_t)sum * h->threads * BP_MG_WORDS;
}

BP_INLINE void leave(const host *h, int sum, const exact_words *own)
{
  double *to = parts_of(h, sum) + h->thread * BP_MG_WORDS;
  for (int w = 0; w < BP_MG_WORDS; ++w)
    to[w] = own->word[w];
}

BP_INLINE double total(const host *h, int sum)
{
  double x = 0;
  for (int w = BP_MG_WORDS - 1; w >= 0; --w) {
    double word = 0;
    for (int t = 0; t < h->threads; ++t)
      word += parts_of(h, sum)[t * BP_MG_WORDS + w];
    x += word;
  }
  return x;
}

/* Of two products that are added up, or of one and a sum, the compiler must not choose what to round. */
BP_INLINE double product(double x, double y)
{
  double xy = x * y;
  EXACT_NUMBER(xy);
  return xy;
}

/* Products of x and y at own unknowns, but those that another rank has first; x goes in times `scale`. */
#define LEAVE_PRODUCT(h, sum, scale, x, y)                                                         \
  do {                                                                                             \
    const bp_cpu_arguments *a_ = (h)->a;                                                           \
    exact_words words_ = {{0}};                                                                    \
    for (int64_t f_ = 0; f_ < (h)->fields; ++f_)                                                   \
      for (int64_t e_ = (h)->first; e_ < (h)->last; ++e_) {                                        \
        const int in_halo_ = is_in_halo(a_, e_);                                                   \
        const int64_t at_ = f_ * a_->stride;                                                       \
        double own_ = 0;                                                                           \
        for (int64_t n_ = e_ * INNER; n_ < (e_ + 1) * INNER; ++n_)                                 \
          own_ += product((scale) * (x)[at_ + n_], (y)[at_ + n_]);                                 \
        for (int c_ = 0; c_ < CLASSES; ++c_)                                                       \
          for (int64_t n_ = a_->first[CLASSES * e_ + c_],                                          \
                       end_ = a_->first[CLASSES * (e_ + 1) + c_];                                  \
               n_ < end_; ++n_)                                                                    \
            if (!in_halo_ || first_copy(a_, n_) < a_->elements * SURFACE)                          \
              own_ += product((scale) * (x)[at_ + n_], (y)[at_ + n_]);                             \
        put(&words_, own_);                                                                        \
      }                                                                                            \
    leave(h, sum, &words_);                                                                        \
  } while (0)

BP_INLINE double ratio(double a, double b)
{
  return b != 0 ? a / b : 0;
}

#define FOR_OWN(h, at)                                                                             \
  for (int64_t f = 0; f < (h)->fields; ++f)                                                        \
    for (int run = 0; run < RUNS; ++run)                                                           \
      for (int64_t at = f * (h)->a->stride + (h)->begin[run],                                      \
                   end = f * (h)->a->stride + (h)->end[run];                                       \
           at < end; ++at)

/* The scale is a power of two. */
BP_INLINE double scale_of(const bp_cpu_arguments *a)
{
  return row_of(a)[BP_MG_SCALE];
}

BP_INLINE double square_of_residual(const host *h)
{
  const double scale = scale_of(h->a);
  return total(h, BP_MG_RR) / scale / scale;
}

BP_INLINE void leave_residual(const host *h)
{
  const real *r = h->a->r;
  const double scale = scale_of(h->a);
  LEAVE_PRODUCT(h, BP_MG_RR, scale * scale, r, r);
}

BP_PHASE void start(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const double scale = scale_of(a);
  FOR_OWN(h, n)
  {
    a->r[n] = a->f[n];
    a->x[n] = 0;
    a->cycle_b[n] = (cycled)(scale * a->f[n]);
  }
  leave_residual(h);
  if (h->thread == 0)
    a->counts[COUNT_COMPLETED] = a->counts[COUNT_CURRENT] = 0;
}

BP_PHASE void products(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  LEAVE_PRODUCT(h, BP_MG_RZ, scale_of(a), a->r, a->cycle_x);
  if (a->counts[COUNT_COMPLETED] > 0)
    LEAVE_PRODUCT(h, BP_MG_ZAP, 1, a->ap, a->cycle_x);
}

/* p = z + beta p, A-orthogonal to the last one whatever the cycle did; returns it in t, too. */
BP_INLINE void direct_some(const bp_cpu_arguments *a, int64_t at, int count, real beta, real *t)
{
  const int is_first = a->counts[COUNT_COMPLETED] == 0;
  for (int i = 0; i < count; ++i)
    a->p[at + i] = t[i] = is_first ? a->cycle_x[at + i] : a->cycle_x[at + i] + beta * a->p[at + i];
}

BP_PHASE void direction(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_COMPLETED];
  const real beta = k ? (real)-ratio(total(h, BP_MG_ZAP), total(h, BP_MG_PAP)) : 0;
  real t[MOST];
  if (h->thread == 0) {
    a->counts[COUNT_CURRENT] = k;
    a->residuals[k] = square_of_residual(h);
  }
  for (int64_t f = 0; f < h->fields; ++f)
    FOR_UNKNOWNS(h, f, t, n, count, 0, 1, direct_some(a, f * a->stride + n, count, beta, t));
}

BP_INLINE void keep_some(const bp_cpu_arguments *a, int64_t at, int count, const real *t)
{
  for (int i = 0; i < count; ++i)
    a->ap[at + i] = t[i];
}

BP_PHASE void gather(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  real t[MOST];
  for (int64_t f = 0; f < h->fields; ++f)
    FOR_UNKNOWNS(h, f, t, n, count, 1, 0, keep_some(a, f * a->stride + n, count, t));
  LEAVE_PRODUCT(h, BP_MG_PAP, 1, a->p, a->ap);
}

BP_PHASE void update(const host *h)
{
  const bp_cpu_arguments *a = h->a;
  const int k = a->counts[COUNT_CURRENT];
  const double scale = scale_of(a);
  const real alpha = (real)(ratio(total(h, BP_MG_RZ), total(h, BP_MG_PAP)) / scale);
  FOR_OWN(h, n)
  {
    const real r = a->r[n] - alpha * a->ap[n];
    a->x[n] += alpha * a->p[n];
    a->r[n] = r;
    a->cycle_b[n] = (cycled)(scale * r);
  }
  leave_residual(h);
  if (h->thread == 0)
    a->counts[COUNT_COMPLETED] = k + 1;
}

BP_KERNEL
{
  const int launch = (int)a->option[BP_SOLVE_LAUNCH];
  if (launch == SPARSE) {
    multiply(a, first, last);
    return;
  }
  if (launch == SMOOTH && (int)row_of(a)[BP_MG_FLAGS] & BP_MG_PLAIN) {
    smooth_rows(a, first, last);
    return;
  }
  const host h = host_begin(a, first, last, 1);
  static void (*const phases[])(const host *) = {
      start, products, direction, gather, update, smooth, restrict_residual, prolong, schwarz};
  if (launch < SPARSE)
    phases[launch](&h);
  else if (h.thread == 0)
    a->residuals[a->counts[COUNT_COMPLETED]] = square_of_residual(&h);
}

#endif
