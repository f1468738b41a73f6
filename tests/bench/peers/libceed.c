/* libceed.c -- the bake-off operators by libCEED, as a peer of bp (README.md here).
 *
 *     gcc -O3 -DGPU libceed.c -IlibCEED/include -LlibCEED/lib -lceed -lcudart -lm -o libceed
 *     libceed RESOURCE 1|3|5|3d|5d N ELEMENTS REPETITIONS [lines|cells]
 *     libceed /gpu/cuda/gen 5 7 4096 200
 *
 * 1: BP1.0, 3: BP3.0, 5: BP3.5; 3d, 5d: diffusion alone. Element by element; or unknowns of a box of about so many
 * elements, numbered along its lines, or by cells, faces, edges and vertices, as DMPlex does. Run it beside
 * libceed_qfunctions.h, which the backend compiles; on a CPU without -DGPU and -lcudart, and with
 * /cpu/self/xsmm/blocked. It prints the best of five, and v . w with a w of its own. With WAIT in the environment it
 * says when it is ready, and waits for a line of input. */
#include <ceed.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef GPU
#include <cuda_runtime.h>
#endif
#include "libceed_qfunctions.h"
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static double *rnd(long n)
{
  double *a = malloc(n * sizeof(double));
  long b = n < (1 << 20) ? n : (1 << 20);
  for (long i = 0; i < b; i++)
    a[i] = 0.1 + drand48();
  for (long i = b; i < n; i += b)
    memcpy(a + i, a, 8 * (n - i < b ? n - i : b));
  return a;
}
/* Of the node at c[3] of a box of `side` elements a direction. */
static long number_of(int by_cells, long side, int N, const long *c)
{
  const long line = side * N + 1;
  if (!by_cells)
    return (c[2] * line + c[1]) * line + c[0];
  int kind = 0;
  long number = 0, entity = 0, inside = 0, each = 1;
  for (int d = 2; d >= 0; d--) {
    const int is_on = c[d] % N == 0;
    kind |= is_on << d;
    entity = entity * (side + is_on) + c[d] / N;
    inside = is_on ? inside : inside * (N - 1) + c[d] % N - 1;
    each *= is_on ? 1 : N - 1;
  }
  for (int k = 0; k < kind; k++) { /* those before, the cells first */
    long all = 1;
    for (int d = 0; d < 3; d++)
      all *= k >> d & 1 ? side + 1 : side * (N - 1);
    number += all;
  }
  return number + entity * each + inside;
}
static void restriction_of(Ceed ceed, int by_cells, long side, int N, CeedElemRestriction *r)
{
  const long P = N + 1, line = side * N + 1;
  CeedInt *at = malloc(side * side * side * P * P * P * sizeof *at);
  for (long e = 0; e < side * side * side; e++)
    for (long n = 0; n < P * P * P; n++) {
      const long c[3] = {e % side * N + n % P, e / side % side * N + n / P % P,
                         e / side / side * N + n / P / P};
      at[e * P * P * P + n] = (CeedInt)number_of(by_cells, side, N, c);
    }
  CeedElemRestrictionCreate(ceed, side * side * side, P * P * P, 1, 1, line * line * line,
                            CEED_MEM_HOST, CEED_COPY_VALUES, at, r);
  free(at);
}
int main(int c, char **v)
{
  const char *res = v[1];
  int prob = atoi(v[2]);
  int N = atoi(v[3]);
  CeedInt ne = atoi(v[4]);
  int reps = atoi(v[5]);
  const char *numbers = c > 6 ? v[6] : "elements";
  const long side = lround(cbrt(ne));
  ne = c > 6 ? side * side * side : ne;
  Ceed ceed;
  CeedInit(res, &ceed);
  CeedMemType mt;
  CeedGetPreferredMemType(ceed, &mt);
  int P = N + 1, Q = prob == 5 ? N + 1 : N + 2;
  long Pn = (long)P * P * P, Qn = (long)Q * Q * Q;
  const int is_plain = strchr(v[2], 'd') != 0, nc = prob == 1 ? 1 : is_plain ? 6 : 7;
  CeedElemRestriction ru, rq;
  CeedBasis b;
  CeedQFunction qf;
  CeedOperator op;
  CeedVector u, w, q;
  if (c > 6)
    restriction_of(ceed, strcmp(numbers, "cells") == 0, side, N, &ru);
  else
    CeedElemRestrictionCreateStrided(ceed, ne, Pn, 1, ne * Pn, CEED_STRIDES_BACKEND, &ru);
  CeedElemRestrictionCreateStrided(ceed, ne, Qn, nc, (CeedSize)ne * Qn * nc, CEED_STRIDES_BACKEND,
                                   &rq);
  CeedBasisCreateTensorH1Lagrange(ceed, 3, 1, P, Q, prob == 5 ? CEED_GAUSS_LOBATTO : CEED_GAUSS,
                                  &b);
  CeedSize length;
  CeedElemRestrictionGetLVectorSize(ru, &length);
  CeedVectorCreate(ceed, length, &u);
  CeedVectorCreate(ceed, length, &w);
  CeedVectorCreate(ceed, (CeedSize)ne * Qn * nc, &q);
  double *a = rnd(length);
  CeedVectorSetArray(u, CEED_MEM_HOST, CEED_COPY_VALUES, a);
  free(a);
  a = rnd((long)ne * Qn * nc);
  CeedVectorSetArray(q, CEED_MEM_HOST, CEED_COPY_VALUES, a);
  free(a);
  CeedVectorSetValue(w, 0);
  if (prob == 1) {
    CeedQFunctionCreateInterior(ceed, 1, qf_mass, qf_mass_loc, &qf);
    CeedQFunctionAddInput(qf, "u", 1, CEED_EVAL_INTERP);
    CeedQFunctionAddInput(qf, "qd", nc, CEED_EVAL_NONE);
    CeedQFunctionAddOutput(qf, "v", 1, CEED_EVAL_INTERP);
  } else if (is_plain) {
    CeedQFunctionCreateInteriorByName(ceed, "Poisson3DApply", &qf);
  } else {
    CeedQFunctionCreateInterior(ceed, 1, qf_helm, qf_helm_loc, &qf);
    CeedQFunctionAddInput(qf, "du", 3, CEED_EVAL_GRAD);
    CeedQFunctionAddInput(qf, "u", 1, CEED_EVAL_INTERP);
    CeedQFunctionAddInput(qf, "qd", nc, CEED_EVAL_NONE);
    CeedQFunctionAddOutput(qf, "dv", 3, CEED_EVAL_GRAD);
    CeedQFunctionAddOutput(qf, "v", 1, CEED_EVAL_INTERP);
  }
  CeedOperatorCreate(ceed, qf, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &op);
  if (prob != 1) {
    CeedOperatorSetField(op, "du", ru, b, CEED_VECTOR_ACTIVE);
    CeedOperatorSetField(op, "dv", ru, b, CEED_VECTOR_ACTIVE);
  }
  if (!is_plain) {
    CeedOperatorSetField(op, "u", ru, b, CEED_VECTOR_ACTIVE);
    CeedOperatorSetField(op, "v", ru, b, CEED_VECTOR_ACTIVE);
  }
  CeedOperatorSetField(op, is_plain ? "qdata" : "qd", rq, CEED_BASIS_NONE, q);
  for (int i = 0; i < 3; i++)
    CeedOperatorApply(op, u, w, CEED_REQUEST_IMMEDIATE);
#ifdef GPU
  cudaDeviceSynchronize();
#endif
  if (getenv("WAIT")) {
    puts("ready");
    fflush(stdout);
    getchar();
  }
  double best = 1e30, tot = 0;
  int batches = 5;
  for (int k = 0; k < batches; k++) {
    double t0 = now();
    for (int i = 0; i < reps; i++)
      CeedOperatorApply(op, u, w, CEED_REQUEST_IMMEDIATE);
#ifdef GPU
    cudaDeviceSynchronize();
#endif
    double t = (now() - t0) / reps;
    if (t < best)
      best = t;
    tot += t;
  }
  /* model: paper's bytes and flops */
  double Nq = P, G = Q, bytes, fl;
  double interp = 2 * (Nq * Nq * Nq * G + Nq * Nq * G * G + Nq * G * G * G);
  if (prob == 1) {
    bytes = 8 * (2 * Pn + Qn);
    fl = 2 * interp + Qn;
  } else if (prob == 3) {
    bytes = 8 * (2 * Pn + 7 * Qn);
    fl = 2 * interp + 12 * G * G * G * G + (15 + 2 + 1) * Qn;
  } else {
    bytes = 8 * (2 * Pn + 7 * Qn);
    fl = 12 * Nq * Nq * Nq * Nq + (15 + 2 + 1) * Pn;
  }
  const CeedScalar *result;
  double dot = 0;
  CeedVectorGetArrayRead(w, CEED_MEM_HOST, &result);
  for (long n = 0; n < length; n++)
    dot += result[n] * (n * 2654435761u % 1000003);
  CeedVectorRestoreArrayRead(w, &result);
  printf("%s bp%s N=%d ne=%d best_us=%.2f mean_us=%.2f GBps=%.1f GFLOPS=%.1f GDOFs=%.3f %s %.2f M "
         "v.w=%.13e\n",
         res, v[2], N, ne, best * 1e6, tot / batches * 1e6, bytes * ne / best * 1e-9,
         fl * ne / best * 1e-9, (double)Pn * ne / best * 1e-9, numbers, 1e-6 * length, dot);
  return 0;
}
