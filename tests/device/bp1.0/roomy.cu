/* bp1.0/roomy -- the naive operator, one block per element, in more shared memory than 48 KB: 200 KB
 *
 * degrees: 1..15
 * launch:  roomy; threads 128; shared 200 * 1024
 *
 * u, two work arrays and v in the dynamic shared memory's far end. */
#include "abi/gpu.h"
#include "operators.h"

BP_KERNEL(roomy)
{
  BP_DYNAMIC_SHARED(double, s);
  const int nq = BP_NQ, nc = BP_NC, e = (int)blockIdx.x;
  double *a = s + 25600 - 2 * 4913, *b = a + 4913;
  const double *w = factors + (long long)e * nc * nc * nc;
  const double *ue = u + (long long)e * nq * nq * nq;
  double *ve = v + (long long)e * nq * nq * nq;
  for (int n = bp_thread(); n < nq * nq * nc; n += 128) { /* a[k][j][c] */
    double sum = 0;
    for (int m = 0; m < nq; ++m)
      sum += I[n % nc * nq + m] * ue[n / nc * nq + m];
    a[n] = sum;
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < nq * nc * nc; n += 128) { /* b[k][d][c] */
    double sum = 0;
    for (int m = 0; m < nq; ++m)
      sum += I[n / nc % nc * nq + m] * a[(n / (nc * nc) * nq + m) * nc + n % nc];
    b[n] = sum;
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < nc * nc * nc; n += 128) { /* a[f][d][c] */
    double sum = 0;
    for (int m = 0; m < nq; ++m)
      sum += I[n / (nc * nc) * nq + m] * b[m * nc * nc + n % (nc * nc)];
    a[n] = w[n] * sum;
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < nq * nc * nc; n += 128) { /* b[k][d][c] */
    double sum = 0;
    for (int m = 0; m < nc; ++m)
      sum += I[m * nq + n / (nc * nc)] * a[m * nc * nc + n % (nc * nc)];
    b[n] = sum;
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < nq * nq * nc; n += 128) { /* a[k][j][c] */
    double sum = 0;
    for (int m = 0; m < nc; ++m)
      sum += I[m * nq + n / nc % nq] * b[(n / (nc * nq) * nc + m) * nc + n % nc];
    a[n] = sum;
  }
  BP_BARRIER();
  for (int n = bp_thread(); n < nq * nq * nq; n += 128) {
    double sum = 0;
    for (int m = 0; m < nc; ++m)
      sum += I[m * nq + n % nq] * a[n / nq * nc + m];
    ve[n] = sum + 0 * bp_I[0][0];
  }
}
