/* ceed_pointwise.c -- what a pointwise function computes, found by calling it.
 *
 * Each pair of an entry of u and an entry of q, all others being 0, is a point of its own. If the function is
 * bilinear, the results are all of it. Random points tell whether it is. Then the matrix between u and v has to
 * be the same for each component, and symmetric. */
#include "ceed/ceed_bp.h"

#include <stdlib.h>
#include <string.h>

enum { U_MAX = 9, POINTS = 128, RANDOM = 16 };

/* Arrays of a call, [entry][point]. */
typedef struct {
  CeedScalar u[U_MAX * POINTS], q[BP_POINT_DATA_MAX * POINTS], v[U_MAX * POINTS];
} arrays;

int bp_point_state(CeedQFunction q, uint64_t *state)
{
  CeedQFunctionContext context;
  *state = 0; /* the context stays the function's: this call adds no holder */
  CeedCallBackend(CeedQFunctionGetInnerContext(q, &context));
  return context ? CeedQFunctionContextGetState(context, state) : CEED_ERROR_SUCCESS;
}

/* A copy of the context, which a call may write: NULL where there is none. */
static int copy_context(CeedQFunction q, void **copy, size_t *size)
{
  CeedQFunctionContext context;
  void *data;
  *copy = NULL;
  *size = 0;
  CeedCallBackend(CeedQFunctionGetContext(q, &context));
  if (!context)
    return CEED_ERROR_SUCCESS;
  CeedCallBackend(CeedQFunctionContextGetContextSize(context, size));
  CeedCallBackend(CeedQFunctionContextGetDataRead(context, CEED_MEM_HOST, &data));
  *copy = malloc(*size);
  if (*copy)
    memcpy(*copy, data, *size);
  CeedCallBackend(CeedQFunctionContextRestoreDataRead(context, &data));
  return CeedQFunctionContextDestroy(&context);
}

/* False: it failed, or writes its context. */
static bool call(CeedQFunction q, bool data_first, int count, arrays *a)
{
  const CeedScalar *const in[] = {data_first ? a->q : a->u, data_first ? a->u : a->q};
  CeedScalar *const out[] = {a->v};
  CeedQFunctionUser function;
  void *copy, *before;
  size_t size;
  CeedQFunctionGetUserFunction(q, &function);
  if (copy_context(q, &copy, &size) || (size && !copy))
    return false;
  before = malloc(size + 1);
  if (before && size)
    memcpy(before, copy, size);
  const bool is_good = before && function && function(copy, count, in, out) == 0 &&
                       (!size || memcmp(before, copy, size) == 0);
  free(before);
  free(copy);
  return is_good;
}

/* Between -1 and 1. */
static double draw(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / (double)(1ull << 52) - 1;
}

/* t[i][j][c]: v_i is the sum of t u_j q_c. */
typedef double map[U_MAX][U_MAX][BP_POINT_DATA_MAX];

static bool probe(CeedQFunction q, bool data_first, int width, int data, map t, arrays *a)
{
  const int points = width * data;
  memset(a, 0, sizeof *a);
  for (int j = 0; j < width; ++j)
    for (int c = 0; c < data; ++c)
      a->u[j * points + j * data + c] = a->q[c * points + j * data + c] = 1;
  if (!call(q, data_first, points, a))
    return false;
  for (int i = 0; i < width; ++i)
    for (int j = 0; j < width; ++j)
      for (int c = 0; c < data; ++c)
        t[i][j][c] = a->v[i * points + j * data + c];
  return true;
}

/* At points of any size, what was found is what it computes. */
static bool holds(CeedQFunction q, bool data_first, int width, int data, map t, arrays *a)
{
  uint64_t state = 1;
  for (int n = 0; n < RANDOM * U_MAX; ++n) {
    a->u[n] = draw(&state) * (n % 3 ? 1 : 1000);
    a->v[n] = draw(&state);
  }
  for (int n = 0; n < RANDOM * BP_POINT_DATA_MAX; ++n)
    a->q[n] = draw(&state) * (n % 5 ? 1 : 1000);
  if (!call(q, data_first, RANDOM, a))
    return false;
  for (int i = 0; i < width; ++i)
    for (int p = 0; p < RANDOM; ++p) {
      double sum = 0, size = 0;
      for (int j = 0; j < width; ++j)
        for (int c = 0; c < data; ++c) {
          const double part = t[i][j][c] * a->u[j * RANDOM + p] * a->q[c * RANDOM + p];
          sum += part;
          size += fabs(part);
        }
      if (!(fabs(a->v[i * RANDOM + p] - sum) <= 1e-14 * size))
        return false;
    }
  return true;
}

/* Entry d of component f is number d * components + f. */
static bool is_alike(int dimensions, int components, int data, map t, bp_pointwise *point)
{
  bool is_so = true;
  for (int d = 0; d < dimensions; ++d)
    for (int e = 0; e < dimensions; ++e)
      for (int f = 0; f < components * components; ++f)
        for (int c = 0; c < data; ++c) {
          const int g = f / components, h = f % components;
          const double found = t[d * components + g][e * components + h][c];
          is_so &= found == (g == h ? t[d * components][e * components][c] : 0) &&
                   found == t[e * components + h][d * components + g][c];
        }
  for (int d = 0, n = 0; d < dimensions; ++d)
    for (int e = d; e < dimensions; ++e, ++n)
      for (int c = 0; c < data; ++c)
        point->factor[n][c] = t[d * components][e * components][c];
  return is_so;
}

const char *bp_point_fit(CeedQFunction q, CeedInt components, bool is_mass, bp_pointwise *point,
                         uint64_t *state)
{
  CeedQFunctionField *in;
  CeedInt sizes[2];
  CeedEvalMode mode;
  map t;
  const int dimensions = is_mass ? 1 : 3, width = dimensions * components;
  if (bp_point_state(q, state) || CeedQFunctionGetFields(q, NULL, &in, NULL, NULL))
    return "a function that cannot be asked";
  CeedQFunctionFieldGetEvalMode(in[0], &mode);
  const bool data_first = mode == CEED_EVAL_NONE;
  for (int f = 0; f < 2; ++f)
    CeedQFunctionFieldGetSize(in[f], &sizes[f]);
  const int data = sizes[!data_first];
  *point = (bp_pointwise){.is_mass = is_mass};
  if (sizes[data_first] != width || data > BP_POINT_DATA_MAX)
    return "a function of other sizes";
  arrays *a = malloc(sizeof *a);
  const bool is_found =
      a && probe(q, data_first, width, data, t, a) && holds(q, data_first, width, data, t, a);
  free(a);
  return !is_found                                          ? "a function that is not bilinear"
         : is_alike(dimensions, components, data, t, point) ? NULL
                                                            : "neither a mass nor diffusion";
}
