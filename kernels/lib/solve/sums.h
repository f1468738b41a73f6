/* sums.h -- the scalars of a conjugate gradient solve, which never leave the device.
 *
 * Each kernel leaves one partial sum per block. Every block of the next kernel adds them up for itself,
 * in the same fixed order, so results do not depend on the order in which blocks run, no block waits for
 * another one, and there are no atomic operations. The launch in between orders writes and reads.
 *
 * state[] has the rows of abi/ranks.h. A merged scheme (merged.h) has all of them, and so has one that predicts beta
 * (predicted.h), which uses one set. With the size exact_sums, for ranks, sums have three parts each, the same bits in
 * whatever order they are added (exact_gpu.h); between kernels the first block's part becomes that of all ranks, or
 * they are in mailboxes (mail.h).
 *
 * size: scheme = 1 -- how an iteration is cut into kernels: 0 a kernel for each step, 1 two, 2 merged, 3 one, 4 predicted; 5 mapped, 6 a level: no iteration
 * size: kept = history -- directions p, of which one is made and the others are not yet in x */
#ifndef BP_KERNELS_SOLVE_SUMS_H
#define BP_KERNELS_SOLVE_SUMS_H

#include "lib/solve/arrays.h"
#include "lib/solve/exact_gpu.h"
#include "lib/solve/mail.h"

/* By what functions that several schemes call differ. */
#define UNFUSED    (SCHEME == 0)
#define MERGED     (SCHEME == 2 || ONE_KERNEL)
#define ONE_KERNEL (SCHEME == 3)
#define PREDICTED  (SCHEME == 4)
#define MAPPED     (SCHEME == 5)
#define LEVEL      (SCHEME == 6)

/* SUMS_PAP and so on: where each row of state[] begins. */
enum { SUMS_BLOCKS = MERGED || PREDICTED ? 2048 : BP_SOLVE_BLOCKS /* at most */ };
#define SUMS_ROW(name, length) SUMS_##name, SUMS_##name##_LAST = SUMS_##name + (length)-1,
enum { BP_STATE(SUMS_ROW, EXACT_PARTS, SUMS_BLOCKS, MERGED || PREDICTED) SUMS_LENGTH };
static_assert((int)SUMS_LENGTH <= (int)BP_SOLVE_STATE, "state[] is too short");

enum {
  SUMS_NORM = BP_JACOBI ? SUMS_PLAIN_RR : SUMS_RR, /* r . r, whatever there is */
  SUMS_SET = SUMS_ODD - SUMS_PAP, /* from a sum of an even iteration to that of an odd one */
  SUMS_AT_ONCE = 6,               /* at most, of sums_block_many */
  SUMS_BUFFER = 32 * SUMS_AT_ONCE
};

/* counts[] */
enum {
  COUNT_COMPLETED, /* iterations: written by the last kernel of an iteration, read by the first */
  COUNT_CURRENT,   /* the one under way: written by the first kernel, read by the others */
  COUNT_APPLY_BLOCKS, /* how many blocks left parts of p . A p, of r . r, of v . v */
  COUNT_RR_BLOCKS,
  COUNT_VV_BLOCKS
};

/* The sums of x[0 .. count-1] over the block's threads, a multiple of 32, in all of them. buffer[32 *
 * count]. By all threads; the buffer must not be in use. */
BP_DEVICE void sums_block_many(double *x, int count, double *buffer)
{
  const int warps = bp_threads() / 32;
  BP_UNROLL
  for (int c = 0; c < count; ++c) {
    BP_UNROLL
    for (int mask = 16; mask > 0; mask /= 2)
      x[c] += bp_shuffle_xor(x[c], mask);
    if (bp_lane() == 0)
      buffer[32 * c + bp_warp()] = x[c];
  }
  BP_BARRIER();
  BP_UNROLL
  for (int c = 0; c < count; ++c) {
    x[c] = 0;
    for (int n = 0; n < warps; ++n)
      x[c] += buffer[32 * c + n];
  }
  BP_BARRIER();
}

BP_DEVICE double sums_block(double x, double *buffer)
{
  sums_block_many(&x, 1, buffer);
  return x;
}

/* The sum of what `count` blocks left, each in parts. By all threads; buffer[32 * EXACT_PARTS]. */
BP_DEVICE double sums_total(const double *partial, int count, double *buffer)
{
  if (EXACT_SUMS) {
    double x[EXACT_PARTS] = {0}, total = 0;
    for (int n = bp_thread(); n < count; n += bp_threads()) {
      BP_UNROLL
      for (int i = 0; i < EXACT_PARTS; ++i)
        x[i] += partial[EXACT_PARTS * n + i];
    }
    sums_block_many(x, EXACT_PARTS, buffer);
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      total += x[i];
    return total;
  }
  double x = 0;
  for (int n = bp_thread(); n < count; n += bp_threads())
    x += partial[n];
  return sums_block(x, buffer);
}

/* The same over all ranks, of the parts at `place` of the mailbox where there is one. */
BP_DEVICE double sums_of_all(const solve_arrays *a, int place, const double *partial, int count,
                             double *buffer)
{
  const long long *const mail = a->mail;
  if (!EXACT_SUMS || mail[BP_MAIL_RANKS] == 0)
    return sums_total(partial, count, buffer);
  mail_wait(mail);
  return sums_total((const double *)mail_box(mail, mail[BP_MAIL_RANK], place),
                    (int)mail[BP_MAIL_RANKS], buffer);
}

/* What `count` blocks left of a sum becomes one, for all ranks at `place` of their mailboxes; where there are
 * none the first part here, and the others 0. By one block. */
BP_DEVICE void sums_share(const long long *mail, int place, double *partial, int count,
                          double *buffer)
{
  const int ranks = (int)mail[BP_MAIL_RANKS], thread = bp_thread();
  double x[EXACT_PARTS] = {0};
  for (int n = thread; n < count; n += bp_threads()) {
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      x[i] += bp_load_fresh(partial + EXACT_PARTS * n + i);
  }
  sums_block_many(x, EXACT_PARTS, buffer);
  for (int r = thread; r < ranks; r += bp_threads()) {
    double *const to = (double *)mail_box(mail, r, place) + EXACT_PARTS * mail[BP_MAIL_RANK];
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      to[i] = x[i];
  }
  if (ranks > 0)
    return;
  for (int n = thread; n < count; n += bp_threads()) {
    BP_UNROLL
    for (int i = 0; i < EXACT_PARTS; ++i)
      partial[EXACT_PARTS * n + i] = n == 0 ? x[i] : 0;
  }
}

/* Sums of the residual, see sums_share. */
BP_DEVICE void sums_share_residual(const long long *mail, int place, double *state, int count,
                                   double *buffer)
{
  sums_share(mail, place, state + SUMS_RR, count, buffer);
  if (BP_JACOBI)
    sums_share(mail, place + BP_BOX_SUMS, state + SUMS_NORM, count, buffer);
}

/* At the end of a kernel whose blocks left parts of sums: whether this block is the one that shares them,
 * and then posts. */
BP_DEVICE bool sums_is_last(const solve_arrays *a, double *buffer)
{
  if (!EXACT_SUMS || a->mail[BP_MAIL_RANKS] == 0 || !mail_is_last_block(a->mail, buffer))
    return false;
  BP_BARRIER();
  return true;
}

/* Rounding errors of formulas for beta, of r . r: beyond exact convergence there is nothing else. */
#define SUMS_NOISE (sizeof(real) == sizeof(double) ? 1e-13 : 1e-6)

/* a / b, or 0 where there is nothing left to do. */
BP_DEVICE double sums_ratio(double a, double b)
{
  return b > 0 ? a / b : 0;
}

/* By all threads of the kernel that makes p: beta of this iteration, which thread 0 of block 0 notes as
 * the one under way. residuals[k] becomes r . r before iteration k. Where sums are exact, *energy begins: p . A p (exact.h has
 * the bound). */
BP_DEVICE double sums_begin(const solve_arrays *a, exact_sum *energy, double *buffer)
{
  double *const state = a->state;
  int *const counts = a->counts;
  const int k = counts[COUNT_COMPLETED];
  const int blocks = counts[COUNT_RR_BLOCKS], place = k > 0 ? BP_BOX_RR : BP_BOX_FIRST;
  const double rr = sums_of_all(a, place, state + SUMS_RR, blocks, buffer);
  const double norm =
      BP_JACOBI ? sums_of_all(a, place + BP_BOX_SUMS, state + SUMS_NORM, blocks, buffer) : rr;
  const double before = state[(k + 1) % 2];
  if (EXACT_SUMS) {
    const double p_before = state[SUMS_BETA + (k + 1) % 2],
                 p = bp_square_root(rr) +
                     (k > 0 ? bp_multiply(sums_ratio(rr, before), p_before) : 0);
    *energy =
        exact_start(bp_multiply(bp_multiply(1.01, a->bounds[1]), bp_multiply(p, p)), a->bounds[2]);
    if (blockIdx.x == 0 && bp_thread() == 0)
      state[SUMS_BETA + k % 2] = p;
  }
  if (blockIdx.x == 0 && bp_thread() == 0) {
    state[k % 2] = rr;
    counts[COUNT_CURRENT] = k;
    if (!UNFUSED)
      counts[COUNT_APPLY_BLOCKS] = bp_blocks();
    a->residuals[k] = norm;
  }
  return k > 0 ? sums_ratio(rr, before) : 0;
}

/* By all threads of update: alpha of this iteration. */
BP_DEVICE double sums_alpha(const solve_arrays *a, double *buffer)
{
  double *const state = a->state;
  int *const counts = a->counts;
  const int k = counts[COUNT_CURRENT];
  const double pap =
      sums_of_all(a, BP_BOX_PAP, state + SUMS_PAP, counts[COUNT_APPLY_BLOCKS], buffer);
  const double alpha = sums_ratio(state[k % 2], pap);
  if (blockIdx.x == 0 && bp_thread() == 0) {
    state[SUMS_ALPHA + k % KEPT] = alpha;
    counts[COUNT_COMPLETED] = k + 1;
    counts[COUNT_RR_BLOCKS] = bp_blocks();
  }
  return alpha;
}

/* Of a residual, or of z = r / diagonal: r . z and r . r, which are one without a preconditioner. */
typedef struct {
  exact_sum rz, rr;
} residual_sums;

/* Of a residual r . z is no larger than `bound`, where sums are exact. */
BP_DEVICE residual_sums residual_start(double bound, const solve_arrays *a)
{
  const bool is_bounded = EXACT_SUMS && BP_JACOBI;
  const double terms = EXACT_SUMS ? a->bounds[2] : 0;
  const residual_sums sums = {
      exact_start(bound, terms),
      exact_start(is_bounded ? bp_multiply(bound, a->bounds[3]) : 0, is_bounded ? terms : 0)};
  return sums;
}

/* r d r, of which the compiler makes no part of a sum where sums are exact. */
BP_DEVICE double sums_product(double r, double d)
{
  return EXACT_SUMS ? bp_multiply(r, bp_multiply(r, d)) : r * (r * d);
}

BP_DEVICE double sums_square(double r)
{
  return EXACT_SUMS ? bp_multiply(r, r) : r * r;
}

/* Adds entry r, or with a preconditioner z, where the diagonal is d. */
BP_DEVICE void sums_add(residual_sums *s, double r, double d)
{
  if (BP_JACOBI) {
    exact_add(&s->rz, sums_product(r, d));
    exact_add(&s->rr, sums_square(r * d));
  } else {
    exact_add(&s->rz, sums_square(r));
  }
}

/* Adds two entries of an element to an exact sum. */
BP_DEVICE void sums_add_pair(residual_sums *s, const real *r, const real *d)
{
  if (BP_JACOBI) {
    exact_add(&s->rz, sums_product(r[0], d[0]) + sums_product(r[1], d[1]));
    exact_add(&s->rr, sums_square(r[0] * d[0]) + sums_square(r[1] * d[1]));
  } else {
    exact_add(&s->rz, sums_square(r[0]) + sums_square(r[1]));
  }
}

/* By all threads, at the end of a kernel: the block's part of a sum. */
BP_DEVICE void sums_leave(double x, double *partial, double *buffer)
{
  x = sums_block(x, buffer);
  if (bp_thread() == 0)
    partial[blockIdx.x] = x;
}

/* The same of a sum of parts. */
BP_DEVICE void sums_leave_parts(const exact_sum *sum, double *partial, double *buffer)
{
  if (!EXACT_SUMS) {
    sums_leave(sum->part[0], partial, buffer);
    return;
  }
  double x[EXACT_PARTS];
  BP_UNROLL
  for (int i = 0; i < EXACT_PARTS; ++i)
    x[i] = exact_part(sum, i);
  sums_block_many(x, EXACT_PARTS, buffer);
  if (bp_thread() > 0)
    return;
  BP_UNROLL
  for (int i = 0; i < EXACT_PARTS; ++i)
    partial[EXACT_PARTS * blockIdx.x + i] = x[i];
}

BP_DEVICE void sums_leave_residual(const residual_sums *sums, double *state, double *buffer)
{
  sums_leave_parts(&sums->rz, state + SUMS_RR, buffer);
  if (BP_JACOBI)
    sums_leave_parts(&sums->rr, state + SUMS_NORM, buffer);
}

#endif
