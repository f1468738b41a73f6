/* ceed.c -- operators on the backend given against libCEED's reference: ceed RESOURCE [masses] (see ceed.sh).
 * Prints how many were compared. Brings a /gpu/cuda/gen where libCEED has none, whose device is the host. */
#include <ceed.h>
#include <ceed/backend.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 4, DATA = 7 };
typedef enum { MASS, DIFFUSION, BENT, LOPSIDED, SCALED } kind;

#define FUNCTION(name)                                                                             \
  static int name(void *ctx, CeedInt Q, const CeedScalar *const *in, CeedScalar *const *out)

FUNCTION(mass) /* of the last data, of as many components as ctx says */
{
  const int fields = *(const int *)ctx;
  for (CeedInt i = 0; i < fields * Q; ++i)
    out[0][i] = in[0][i] * in[1][i % Q + 6 * Q];
  return 0;
}

FUNCTION(scaled)
{
  for (CeedInt i = 0; i < Q; ++i)
    out[0][i] = ((const double *)ctx)[0] * in[0][i] * in[1][i + 2 * Q];
  return 0;
}

/* Slots 5 3 1 / 3 4 0 / 1 0 2; with bend != 0 no matrix, with tilt none that is symmetric. */
static void diffuse(int fields, CeedInt Q, const CeedScalar *u, const CeedScalar *q, CeedScalar *v,
                    double bend, double tilt)
{
  static const int slot[3][3] = {{5, 3, 1}, {3, 4, 0}, {1, 0, 2}};
  for (CeedInt i = 0; i < Q; ++i)
    for (int f = 0; f < fields; ++f)
      for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int e = 0; e < 3; ++e)
          sum += q[slot[d][e] * Q + i] * (1 + tilt * (d > e)) * u[(e * fields + f) * Q + i];
        v[(d * fields + f) * Q + i] = sum + bend * sum * sum;
      }
}

FUNCTION(diffusion)
{
  diffuse(*(const int *)ctx, Q, in[0], in[1], out[0], 0, 0);
  return 0;
}
FUNCTION(bent)
{
  diffuse(*(const int *)ctx, Q, in[0], in[1], out[0], 1, 0);
  return 0;
}
FUNCTION(lopsided)
{
  diffuse(*(const int *)ctx, Q, in[0], in[1], out[0], 0, 1);
  return 0;
}

static void fill(CeedVector v, CeedSize count, unsigned seed)
{
  CeedScalar *a;
  CeedVectorGetArrayWrite(v, CEED_MEM_HOST, &a);
  for (CeedSize n = 0; n < count; ++n)
    a[n] = (double)(seed = seed * 1664525u + 1013904223u) / 4e9;
  CeedVectorRestoreArray(v, &a);
}

/* ---- a GPU that pretends: either memory is the host's ---- */

typedef struct {
  CeedScalar *own, *array; /* which may be another's */
} pretended;

static int vector_set(CeedVector v, CeedMemType memory, CeedCopyMode mode, CeedScalar *from)
{
  pretended *p;
  CeedSize length;
  (void)memory;
  CeedVectorGetData(v, &p);
  CeedVectorGetLength(v, &length);
  p->array = mode == CEED_USE_POINTER ? from : p->own;
  if (from && mode != CEED_USE_POINTER)
    memcpy(p->own, from, (size_t)length * sizeof *from);
  return CEED_ERROR_SUCCESS;
}

static int vector_take(CeedVector v, CeedMemType memory, CeedScalar **array)
{
  pretended *p;
  (void)memory;
  CeedVectorGetData(v, &p);
  *array = p->array;
  p->array = p->own;
  return CEED_ERROR_SUCCESS;
}

static int vector_get(CeedVector v, CeedMemType memory, CeedScalar **array)
{
  pretended *p;
  (void)memory;
  CeedVectorGetData(v, &p);
  *array = p->array;
  return CEED_ERROR_SUCCESS;
}

static int vector_is_borrowed(CeedVector v, CeedMemType memory, bool *is)
{
  pretended *p;
  (void)memory;
  CeedVectorGetData(v, &p);
  *is = p->array != p->own;
  return CEED_ERROR_SUCCESS;
}

static int vector_restore(CeedVector v)
{
  (void)v;
  return CEED_ERROR_SUCCESS;
}

static int vector_is_valid(CeedVector v, bool *is)
{
  (void)v;
  *is = true;
  return CEED_ERROR_SUCCESS;
}

static int vector_destroy(CeedVector v)
{
  pretended *p;
  CeedVectorGetData(v, &p);
  free(p->own);
  free(p);
  return CEED_ERROR_SUCCESS;
}

static int vector_create(CeedSize length, CeedVector v)
{
  Ceed ceed;
  CeedVectorGetCeed(v, &ceed);
  CeedSetBackendFunction(ceed, "Vector", v, "HasValidArray", vector_is_valid);
  CeedSetBackendFunction(ceed, "Vector", v, "HasBorrowedArrayOfType", vector_is_borrowed);
  CeedSetBackendFunction(ceed, "Vector", v, "SetArray", vector_set);
  CeedSetBackendFunction(ceed, "Vector", v, "TakeArray", vector_take);
  CeedSetBackendFunction(ceed, "Vector", v, "GetArray", vector_get);
  CeedSetBackendFunction(ceed, "Vector", v, "GetArrayRead", vector_get);
  CeedSetBackendFunction(ceed, "Vector", v, "GetArrayWrite", vector_get);
  CeedSetBackendFunction(ceed, "Vector", v, "RestoreArray", vector_restore);
  CeedSetBackendFunction(ceed, "Vector", v, "RestoreArrayRead", vector_restore);
  CeedSetBackendFunction(ceed, "Vector", v, "Destroy", vector_destroy);
  CeedDestroy(&ceed);
  pretended *p = malloc(sizeof *p);
  p->own = p->array = calloc((size_t)length, sizeof *p->own);
  return CeedVectorSetData(v, p);
}

static int pretend(const char *resource, Ceed ceed)
{
  Ceed other;
  (void)resource;
  CeedInit("/cpu/self/ref/serial", &other);
  CeedSetDelegate(ceed, other);
  CeedSetOperatorFallbackCeed(ceed, other);
  CeedDestroy(&other);
  return CeedSetBackendFunction(ceed, "Ceed", ceed, "VectorCreate", vector_create);
}

/* ---- operators ---- */

typedef struct {
  kind kind;
  int N, Q, fields, beside, strided; /* beside: components next to each other */
  CeedQuadMode points;
} question;

/* A u, then A u with other data, then twice that by adding; into result, which begins as rubbish. */
static CeedSize answer(const char *resource, question q, double *result)
{
  enum { E = 11 };
  static const CeedQFunctionUser functions[] = {mass, diffusion, bent, lopsided, scaled};
  const int P = q.N + 1, nodes = P * P * P, points = q.Q * q.Q * q.Q,
            is_grad = q.kind != MASS && q.kind != SCALED;
  const CeedSize numbers = q.strided ? E * nodes : E * nodes / 2 + 9, length = numbers * q.fields;
  CeedInt *offsets = malloc(sizeof *offsets * E * nodes), steps[3] = {1, points, DATA * points};
  CeedInt strides[3] = {1, E * nodes, nodes};
  double context[2] = {0};
  Ceed ceed;
  CeedBasis basis;
  CeedElemRestriction to_elements, to_data;
  CeedQFunction f;
  CeedQFunctionContext c;
  CeedVector u, v, data;
  CeedOperator op;
  const CeedScalar *a;
  CeedInit(resource, &ceed);
  if (strncmp(resource, "/gpu", 4) == 0)
    CeedSetStream(ceed, &ceed); /* which a driver that pretends does not look at */
  for (int n = 0; n < E * nodes; ++n)
    offsets[n] = (n * 7 % (int)(numbers - 5)) * (q.beside ? q.fields : 1);
  if (q.strided)
    CeedElemRestrictionCreateStrided(ceed, E, nodes, q.fields, length, strides, &to_elements);
  else
    CeedElemRestrictionCreate(ceed, E, nodes, q.fields, q.beside ? 1 : (CeedInt)numbers, length,
                              CEED_MEM_HOST, CEED_COPY_VALUES, offsets, &to_elements);
  CeedElemRestrictionCreateStrided(ceed, E, points, DATA, (CeedSize)E * points * DATA, steps,
                                   &to_data);
  CeedBasisCreateTensorH1Lagrange(ceed, 3, q.fields, P, q.Q, q.points, &basis);
  CeedQFunctionCreateInterior(ceed, 1, functions[q.kind], "ceed.c:f", &f);
  memcpy(context, &q.fields, sizeof q.fields);
  if (q.kind == SCALED)
    context[0] = 2;
  CeedQFunctionContextCreate(ceed, &c);
  CeedQFunctionContextSetData(c, CEED_MEM_HOST, CEED_USE_POINTER, sizeof context, context);
  CeedQFunctionSetContext(f, c);
  CeedQFunctionAddInput(f, "u", q.fields * (is_grad ? 3 : 1),
                        is_grad ? CEED_EVAL_GRAD : CEED_EVAL_INTERP);
  CeedQFunctionAddInput(f, "q", DATA, CEED_EVAL_NONE);
  CeedQFunctionAddOutput(f, "v", q.fields * (is_grad ? 3 : 1),
                         is_grad ? CEED_EVAL_GRAD : CEED_EVAL_INTERP);
  CeedVectorCreate(ceed, length, &u);
  CeedVectorCreate(ceed, length, &v);
  CeedVectorCreate(ceed, (CeedSize)E * points * DATA, &data);
  fill(u, length, 1);
  fill(v, length, 2);
  fill(data, (CeedSize)E * points * DATA, 3);
  CeedOperatorCreate(ceed, f, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &op);
  CeedOperatorSetField(op, "u", to_elements, basis, CEED_VECTOR_ACTIVE);
  CeedOperatorSetField(op, "q", to_data, CEED_BASIS_NONE, data);
  CeedOperatorSetField(op, "v", to_elements, basis, CEED_VECTOR_ACTIVE);
  for (int n = 0; n < 4; ++n) {
    if (n == 1)
      fill(data, (CeedSize)E * points * DATA, 4);
    if (n == 3 && q.kind == SCALED) {
      double *inside;
      CeedQFunctionContextGetData(c, CEED_MEM_HOST, &inside);
      inside[0] = -3;
      CeedQFunctionContextRestoreData(c, &inside);
    }
    if (n == 2)
      CeedOperatorApplyAdd(op, u, v, CEED_REQUEST_IMMEDIATE);
    else
      CeedOperatorApply(op, u, v, CEED_REQUEST_IMMEDIATE);
    CeedVectorGetArrayRead(v, CEED_MEM_HOST, &a);
    memcpy(result + n * length, a, (size_t)length * sizeof *a);
    CeedVectorRestoreArrayRead(v, &a);
  }
  free(offsets);
  CeedVectorDestroy(&u), CeedVectorDestroy(&v), CeedVectorDestroy(&data);
  CeedOperatorDestroy(&op), CeedQFunctionDestroy(&f), CeedQFunctionContextDestroy(&c);
  CeedBasisDestroy(&basis), CeedElemRestrictionDestroy(&to_elements),
      CeedElemRestrictionDestroy(&to_data);
  CeedDestroy(&ceed);
  return 4 * length;
}

int main(int argc, char **argv)
{
  static const question questions[] = {
      {MASS, 1, 3, 1, 0, 0, CEED_GAUSS},         {MASS, 3, 4, 3, 1, 0, CEED_GAUSS},
      {MASS, 4, 5, 1, 0, 1, CEED_GAUSS_LOBATTO}, {DIFFUSION, 2, 4, 1, 0, 0, CEED_GAUSS},
      {DIFFUSION, 4, 5, 3, 0, 0, CEED_GAUSS},    {DIFFUSION, 3, 4, 3, 1, 0, CEED_GAUSS_LOBATTO},
      {DIFFUSION, 3, 5, 3, 0, 1, CEED_GAUSS},    {SCALED, 2, 4, 1, 0, 0, CEED_GAUSS},
      {BENT, 2, 4, 1, 0, 0, CEED_GAUSS},         {LOPSIDED, 2, 4, 1, 0, 0, CEED_GAUSS},
  };
  enum { COUNT = sizeof questions / sizeof *questions, ROOM = 4 * 3 * 11 * 125 };
  CeedRegister("/gpu/cuda/gen", pretend, 250);
  double *found = malloc(ROOM * sizeof *found), *expected = malloc(ROOM * sizeof *expected);
  int compared = 0;
  for (int n = 0; n < COUNT && argc > 1; ++n) {
    question q = questions[n];
    if (argc > 2 && q.kind != MASS && q.kind != SCALED)
      continue;
    if (argc > 2) /* as the driver that pretends has them */
      q.Q = q.N + 2, q.points = CEED_GAUSS;
    ++compared;
    double largest = 0, difference = 0;
    const CeedSize count = answer("/cpu/self/ref/serial", q, expected);
    answer(argv[1], q, found);
    for (CeedSize i = 0; i < count; ++i) {
      largest = fmax(largest, fabs(expected[i]));
      difference = found[i] == found[i] ? fmax(difference, fabs(found[i] - expected[i])) : INFINITY;
    }
    if (!(difference <= 1e-13 * largest)) {
      fprintf(stderr, "question %d: expected no difference, found %g of %g\n", n, difference,
              largest);
      return 1;
    }
  }
  free(found), free(expected);
  printf("%d operators\n", compared);
  return 0;
}
