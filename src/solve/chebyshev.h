/* chebyshev.h -- polynomial smoothers x += q(S A) S r of Chebyshev's fourth kind (Lottes 2022), or of the
 * first, step by step:
 *
 *   d = gain[0] S r;  for k = 1 .. degree-1:  x += step[k-1] d,  r -= A d,  d = keep[k] d + gain[k] S r;
 *   x += step[degree-1] d
 */
#ifndef BP_SOLVE_CHEBYSHEV_H
#define BP_SOLVE_CHEBYSHEV_H

enum { BP_CHEBYSHEV_MAX = 8 };

typedef struct {
  int degree; /* applications of S */
  double keep[BP_CHEBYSHEV_MAX], gain[BP_CHEBYSHEV_MAX], step[BP_CHEBYSHEV_MAX];
} bp_chebyshev;

/* For eigenvalues of S A up to `largest`, with the optimal coefficients; degree 1..BP_CHEBYSHEV_MAX. */
bp_chebyshev bp_chebyshev_of(int degree, double largest);

/* Of the first kind, for eigenvalues of S A from `least` to `largest`. */
bp_chebyshev bp_chebyshev_first(int degree, double least, double largest);

/* beta[degree]: the steps, which no eigenvalue decides. */
void bp_chebyshev_optimal(int degree, double *beta);

/* The largest eigenvalue of the matrix that m steps of preconditioned conjugate gradients leave,
 * from their alpha[m] and beta[m] (beta[k] leads from step k to k + 1). */
double bp_lanczos_largest(int m, const double *alpha, const double *beta);

#endif
