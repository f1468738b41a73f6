/* libceed_qfunctions.h -- what libceed.c does at a quadrature point: mass; stiffness and mass. */
#include <ceed/types.h>
CEED_QFUNCTION(qf_mass)
(void *ctx, const CeedInt Q, const CeedScalar *const *in, CeedScalar *const *out)
{
  const CeedScalar *u = in[0], *qd = in[1];
  CeedScalar *v = out[0];
  CeedPragmaSIMD for (CeedInt i = 0; i < Q; i++)
  {
    v[i] = qd[i] * u[i];
  }
  return 0;
}
CEED_QFUNCTION(qf_helm)
(void *ctx, const CeedInt Q, const CeedScalar *const *in, CeedScalar *const *out)
{
  const CeedScalar *ug = in[0], *u = in[1], *qd = in[2];
  CeedScalar *vg = out[0], *v = out[1];
  CeedPragmaSIMD for (CeedInt i = 0; i < Q; i++)
  {
    const CeedScalar u0 = ug[i + Q * 0], u1 = ug[i + Q * 1], u2 = ug[i + Q * 2];
    const CeedScalar g0 = qd[i + Q * 0], g1 = qd[i + Q * 1], g2 = qd[i + Q * 2], g3 = qd[i + Q * 3],
                     g4 = qd[i + Q * 4], g5 = qd[i + Q * 5], g6 = qd[i + Q * 6];
    vg[i + Q * 0] = g0 * u0 + g1 * u1 + g2 * u2;
    vg[i + Q * 1] = g1 * u0 + g3 * u1 + g4 * u2;
    vg[i + Q * 2] = g2 * u0 + g4 * u1 + g5 * u2;
    v[i] = g6 * u[i];
  }
  return 0;
}
