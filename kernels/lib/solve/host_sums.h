/* host_sums.h -- the sums of an iteration in one pass, exact ones or usual ones (exact.h): of a thread,
 * of all threads and ranks. With a preconditioner, where the vector r holds z, r . r is z . z diagonal and
 * v . v is v . v / diagonal. */
#ifndef BP_KERNELS_SOLVE_HOST_SUMS_H
#define BP_KERNELS_SOLVE_HOST_SUMS_H

#include "lib/solve/exact.h"
#include "lib/solve/host_pass.h"
#include "lib/solve/host_shared.h"

enum {
  SUM_PV,
  SUM_VV,
  SUM_RR,
  SUM_PLAIN_RR, /* with a preconditioner */
  SUMS,
  MOST = STATE_FREE /* of state[]: exact sums of the next pass are at most that */
};
_Static_assert(!EXACT_SUMS || SUMS * EXACT_PARTS == BP_SOLVE_SUMS,
               "what becomes that of all ranks");

typedef struct {
  exact_units units[SUMS];
  exact_sum sum[SUMS];
} sums_of;

BP_INLINE sums_of sums_start(const host *h)
{
  sums_of s;
  for (int n = 0; n < SUMS; ++n) {
    const double terms = EXACT_SUMS ? ranks_of(h)->bounds[2] : 0;
    s.units[n] = exact_units_of(h->a->state[MOST + n], terms);
    s.sum[n] = exact_start(&s.units[n]);
  }
  return s;
}

/* The thread's part. */
BP_INLINE double *part_of(const host *h, int thread, int sum)
{
  return h->a->state + BP_SOLVE_PAP + EXACT_PARTS * (SUMS * thread + sum);
}

/* What is left already stays in the sums where there is more. */
BP_INLINE void sums_leave(const host *h, const sums_of *s, bool is_more)
{
  for (int which = 0; which < SUMS; ++which)
    for (int n = 0; n < EXACT_PARTS; ++n) {
      double *const part = part_of(h, h->thread, which) + n;
      *part = (is_more ? *part : 0) + exact_part(&s->units[which], &s->sum[which], n);
    }
}

BP_INLINE double total_of(const host *h, int which)
{
  double parts[EXACT_PARTS] = {0}, total = 0;
  for (int t = 0; t < h->threads; ++t)
    for (int n = 0; n < EXACT_PARTS; ++n)
      parts[n] += part_of(h, t, which)[n];
  for (int n = 0; n < EXACT_PARTS; ++n)
    total += parts[n];
  return total;
}

/* What becomes of a product where there is a diagonal d. */
typedef enum { DIVIDED, TIMES, TIMES_SQUARED } weighting;

BP_INLINE bp_vector weighted(bp_vector x, bp_vector y, const real *d, weighting how)
{
  if (!d)
    return x * y;
  const bp_vector e = *(const bp_unaligned *)d;
  return how == DIVIDED ? x * y / e : how == TIMES ? x * (y * e) : x * e * (y * e);
}

BP_INLINE real weighted_one(real x, real y, const real *d, weighting how)
{
  if (!d)
    return x * y;
  return how == DIVIDED ? x * y / *d : how == TIMES ? x * (y * *d) : x * *d * (y * *d);
}

/* Takes out of x . x what another rank counts: the one that has an unknown's first copy. */
BP_INLINE void leave_out_shared(const host *h, const real *x, weighting how, exact_sum *sum)
{
  const bp_cpu_arguments *a = h->a;
  for (const int *at = list_of(h, SHARED); *at >= 0; ++at)
    if (a->copied[a->starts[*at - a->inner]] >= copies_here(h)) {
      const real *d = a->diagonal ? a->diagonal + *at : NULL;
      exact_add(sum, (bp_vector){-weighted_one(x[*at], x[*at], d, how)});
    }
}

/* x . x, number by number. */
BP_INLINE void exact_add_squares(exact_sum *sum, int64_t count, const real *x, const real *d)
{
  int64_t n = 0;
  for (; n + BP_LANES <= count; n += BP_LANES) {
    const bp_vector y = *(const bp_unaligned *)(x + n);
    exact_add(sum, weighted(y, y, d ? d + n : NULL, DIVIDED));
  }
  for (; n < count; ++n)
    exact_add(sum, (bp_vector){weighted_one(x[n], x[n], d ? d + n : NULL, DIVIDED)});
}

/* x . y in parts. */
BP_INLINE bp_vector product(int64_t count, const real *x, const real *y, const real *d,
                            weighting how)
{
  enum { PARTS = 4, STEP = PARTS * BP_LANES };
  bp_vector parts[PARTS] = {{0}};
  real rest = 0;
  int64_t n = 0;
  for (; n + STEP <= count; n += STEP)
    for (int s = 0; s < PARTS; ++s) {
      const int64_t at = n + s * BP_LANES;
      parts[s] += weighted(*(const bp_unaligned *)(x + at), *(const bp_unaligned *)(y + at),
                           d ? d + at : NULL, how);
    }
  for (; n + BP_LANES <= count; n += BP_LANES)
    parts[0] += weighted(*(const bp_unaligned *)(x + n), *(const bp_unaligned *)(y + n),
                         d ? d + n : NULL, how);
  for (; n < count; ++n)
    rest += weighted_one(x[n], y[n], d ? d + n : NULL, how);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]) + (bp_vector){rest};
}

/* The same of a group's elements, `count` numbers each: exact sums want it element by element, one in each
 * lane; 0 of those that are missing. */
BP_INLINE bp_vector group_dots(int count, int here, const real *x, const real *y, const real *d,
                               weighting how)
{
  bp_vector dots[BP_LANES];
  if (!EXACT_SUMS)
    return product((int64_t)here * count, x, y, d, how);
  for (int l = 0; l < BP_LANES; ++l)
    dots[l] = l < here ? product(count, x + l * count, y + l * count, d ? d + l * count : NULL, how)
                       : (bp_vector){0};
  bp_transpose(dots);
  for (int l = 1; l < BP_LANES; ++l)
    dots[0] += dots[l];
  return dots[0];
}

#endif
