/* ceed_bp.c -- the libCEED backends /cpu/self/bp and /gpu/cuda/bp: operators that libbp has run on it.
 *
 * An operator is taken for what its pointwise function computes, whatever its name: ceed_pointwise.c. Number of
 * threads: "/cpu/self/bp:threads=4", else one, as libCEED's other CPU backends have. On a GPU, "/gpu/cuda/bp" or with
 * ":device_id=1", operators run in the stream that CeedSetStream names, a CUstream; all else is /gpu/cuda/gen's, in the
 * default stream. With ":atomic=1" elements add by atomic operations, as they do there: faster, and the last bits differ
 * from time to time. CEED_DEBUG=1 in the environment says of each operator what it runs on, and why. */
#include "ceed/ceed_bp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what stands behind a Ceed, and behind an operator ---- */

typedef struct {
  libbp_context *context;
  Ceed host;          /* makes the bases that others are compared with */
  CeedMemType memory; /* where vectors are */
  int atomic;         /* as libbp has it */
  void *stream;
} backend;

/* Of a libCEED field: of element e, node n, component c the entry is at(e, n) + c * component. */
typedef struct {
  CeedInt elements, nodes, components, strides[3], component;
  const CeedInt *offsets; /* NULL: strided */
  CeedElemRestriction restriction;
} places;

typedef struct {
  bool is_known; /* what it is; then it is libbp's unless `a` is NULL */
  libbp_operator *a;
  bool is_whole; /* every entry of a vector is some node's */
  bp_pointwise point;
  CeedVector data; /* of quadrature points */
  CeedElemRestriction data_restriction;
  uint64_t data_state, context_state;
} backend_operator;

static int destroy_what(backend_operator *o)
{
  libbp_operator_destroy(o->a);
  o->a = NULL;
  CeedCallBackend(CeedVectorDestroy(&o->data));
  return CeedElemRestrictionDestroy(&o->data_restriction);
}

/* ---- where entries are ---- */

/* 1: of another kind. */
static int places_open(CeedElemRestriction restriction, places *p)
{
  CeedRestrictionType type;
  bool by_backend = false;
  *p = (places){.restriction = restriction};
  CeedCallBackend(CeedElemRestrictionGetType(restriction, &type));
  if (type != CEED_RESTRICTION_STANDARD && type != CEED_RESTRICTION_STRIDED)
    return 1;
  CeedCallBackend(CeedElemRestrictionGetNumElements(restriction, &p->elements));
  CeedCallBackend(CeedElemRestrictionGetElementSize(restriction, &p->nodes));
  CeedCallBackend(CeedElemRestrictionGetNumComponents(restriction, &p->components));
  if (type == CEED_RESTRICTION_STANDARD) {
    CeedCallBackend(CeedElemRestrictionGetCompStride(restriction, &p->component));
    return CeedElemRestrictionGetOffsets(restriction, CEED_MEM_HOST, &p->offsets);
  }
  CeedCallBackend(CeedElemRestrictionHasBackendStrides(restriction, &by_backend));
  if (by_backend)
    CeedCallBackend(CeedElemRestrictionGetELayout(restriction, p->strides));
  else
    CeedCallBackend(CeedElemRestrictionGetStrides(restriction, p->strides));
  p->component = p->strides[1];
  return CEED_ERROR_SUCCESS;
}

static int places_close(places *p)
{
  return p->offsets ? CeedElemRestrictionRestoreOffsets(p->restriction, &p->offsets)
                    : CEED_ERROR_SUCCESS;
}

static int64_t place(const places *p, int64_t e, int64_t n)
{
  return p->offsets ? p->offsets[e * p->nodes + n] : e * p->strides[2] + n * p->strides[0];
}

/* map[e][n], NULL: no memory; whether all of `length` entries are there. */
static int64_t *read_map(const places *p, CeedSize length, int64_t *count, bool *is_whole)
{
  int64_t *map = malloc((size_t)p->elements * (size_t)p->nodes * sizeof *map), seen = 0;
  bool *is_seen = calloc((size_t)length, sizeof *is_seen);
  *count = 0;
  if (!map || !is_seen) {
    free(map);
    free(is_seen);
    return NULL;
  }
  for (int64_t e = 0; e < p->elements; ++e)
    for (int64_t n = 0; n < p->nodes; ++n) {
      const int64_t at = place(p, e, n);
      map[e * p->nodes + n] = at;
      *count = at >= *count ? at + 1 : *count;
      for (int c = 0; c < p->components; ++c) {
        seen += !is_seen[at + c * (int64_t)p->component];
        is_seen[at + c * (int64_t)p->component] = true;
      }
    }
  *is_whole = seen == length;
  free(is_seen);
  return map;
}

/* ---- data of quadrature points ---- */

/* Factors as bp.h has them. NULL: no memory. */
static double *make_factors(const places *p, const bp_pointwise *point, const CeedScalar *data)
{
  const int count = point->is_mass ? 1 : 7;
  double *factors =
      malloc((size_t)count * (size_t)p->elements * (size_t)p->nodes * sizeof *factors);
  for (int64_t e = 0; e < (factors ? p->elements : 0); ++e)
    for (int f = 0; f < count; ++f)
      for (int64_t n = 0; n < p->nodes; ++n) {
        const CeedScalar *at = data + place(p, e, n);
        double sum = 0;
        for (int c = 0; c < (f < 6 ? p->components : 0); ++c)
          sum += point->factor[f][c] * at[(int64_t)c * p->component];
        factors[(e * count + f) * p->nodes + n] = sum;
      }
  return factors;
}

/* Makes the operator, or gives it other factors. 1: libbp said no. */
static int bring_factors(Ceed ceed, backend_operator *o, const libbp_operator_options *options)
{
  const CeedScalar *data;
  places p;
  CeedCallBackend(places_open(o->data_restriction, &p));
  CeedCallBackend(CeedVectorGetState(o->data, &o->data_state));
  CeedCallBackend(CeedVectorGetArrayRead(o->data, CEED_MEM_HOST, &data));
  double *factors = make_factors(&p, &o->point, data);
  CeedCallBackend(CeedVectorRestoreArrayRead(o->data, &data));
  libbp_status status = factors ? LIBBP_OK : LIBBP_ENVIRONMENT;
  backend *b;
  CeedCallBackend(CeedGetData(ceed, &b));
  if (!status)
    status = options
                 ? libbp_operator_create_factors(b->context, options, p.elements, factors, &o->a)
                 : libbp_operator_set_factors(o->a, factors);
  free(factors);
  CeedCallBackend(places_close(&p));
  if (status)
    CeedDebug(ceed, "bp: %s\n", factors ? libbp_message() : "no memory");
  return status != LIBBP_OK;
}

/* ---- what an operator is ---- */

/* The two fields of the point's function and the data; NULL: it is as it has to be. */
static const char *look_at_fields(CeedOperator op, CeedOperatorField fields[3], CeedEvalMode *mode)
{
  CeedInt inputs, outputs;
  CeedOperatorField *in, *out;
  CeedQFunctionField *q_in, *q_out;
  CeedQFunction q;
  CeedEvalMode modes[3];
  CeedVector vectors[3];
  CeedOperatorGetQFunction(op, &q);
  CeedOperatorGetFields(op, &inputs, &in, &outputs, &out);
  CeedQFunctionGetFields(q, NULL, &q_in, NULL, &q_out);
  CeedQFunctionDestroy(&q);
  if (inputs != 2 || outputs != 1)
    return "not two inputs and one output";
  for (int f = 0; f < 3; ++f) {
    fields[f] = f < 2 ? in[f] : out[0];
    CeedQFunctionFieldGetEvalMode(f < 2 ? q_in[f] : q_out[0], &modes[f]);
    CeedOperatorFieldGetVector(fields[f], &vectors[f]);
    CeedVector held = vectors[f];
    CeedVectorDestroy(&held);
  }
  const int data = vectors[0] == CEED_VECTOR_ACTIVE;
  *mode = modes[2];
  if (vectors[!data] != CEED_VECTOR_ACTIVE || vectors[2] != CEED_VECTOR_ACTIVE ||
      vectors[data] == CEED_VECTOR_ACTIVE || vectors[data] == CEED_VECTOR_NONE)
    return "not u, data and v";
  if (modes[data] != CEED_EVAL_NONE || modes[!data] != *mode ||
      (*mode != CEED_EVAL_GRAD && *mode != CEED_EVAL_INTERP))
    return "neither values nor derivatives, with data as they are";
  if (data == 0) {
    CeedOperatorField swapped = fields[0];
    fields[0] = fields[1], fields[1] = swapped;
  }
  return NULL;
}

static bool is_same_matrix(const CeedScalar *a, const CeedScalar *b, int count)
{
  double largest = 0, difference = 0;
  for (int n = 0; n < count; ++n) {
    largest = fabs(b[n]) > largest ? fabs(b[n]) : largest;
    difference = fabs(a[n] - b[n]) > difference ? fabs(a[n] - b[n]) : difference;
  }
  return difference <= 1e-13 * largest;
}

/* Lagrange polynomials of the Lobatto points, at points of Gauss or Lobatto; NULL: they are. */
static const char *look_at_basis(Ceed host, CeedBasis basis, libbp_operator_options *options,
                                 CeedInt *fields)
{
  const CeedScalar *I, *D, *like_I, *like_D;
  CeedInt dimension, nodes, points;
  bool is_tensor, is_like = false;
  CeedBasisIsTensor(basis, &is_tensor);
  CeedBasisGetDimension(basis, &dimension);
  if (!is_tensor || dimension != 3)
    return "no tensor basis of three dimensions";
  CeedBasisGetNumComponents(basis, fields);
  CeedBasisGetNumNodes1D(basis, &nodes);
  CeedBasisGetNumQuadraturePoints1D(basis, &points);
  options->degree = nodes - 1;
  options->beyond = points - options->degree;
  if ((*fields != 1 && *fields != 3) || nodes < 2 || nodes > 16 || options->beyond < 1 ||
      options->beyond > 5)
    return "other components, nodes or points than libbp's";
  CeedBasisGetInterp1D(basis, &I);
  CeedBasisGetGrad1D(basis, &D);
  for (int lobatto = 0; lobatto < 2 && !is_like; ++lobatto) {
    CeedBasis like;
    CeedBasisCreateTensorH1Lagrange(host, 3, 1, nodes, points,
                                    lobatto ? CEED_GAUSS_LOBATTO : CEED_GAUSS, &like);
    CeedBasisGetInterp1D(like, &like_I);
    CeedBasisGetGrad1D(like, &like_D);
    is_like =
        is_same_matrix(I, like_I, nodes * points) && is_same_matrix(D, like_D, nodes * points);
    options->rule = lobatto ? "lobatto" : "gauss";
    CeedBasisDestroy(&like);
  }
  return is_like ? NULL : "another basis";
}

/* "bp1" to "bp6", by what it computes, its points and its components. */
static void choose_problem(const bp_pointwise *point, CeedInt fields,
                           libbp_operator_options *options)
{
  static const char *const names[] = {"bp1", "bp2", "bp3", "bp4", "bp5", "bp6"};
  const bool is_collocated = options->beyond == 1 && strcmp(options->rule, "lobatto") == 0;
  options->problem = names[(point->is_mass ? 0 : is_collocated ? 4 : 2) + (fields == 3)];
  if (!point->is_mass && is_collocated)
    options->beyond = 0, options->rule = "own";
}

/* NULL: o->a is there. */
static const char *make_operator(Ceed ceed, CeedOperatorField fields[3], CeedInt components,
                                 libbp_operator_options *options, backend_operator *o)
{
  CeedElemRestriction restrictions[3];
  CeedSize length;
  places p = {0}, data = {0};
  const char *why = NULL;
  for (int f = 0; f < 3; ++f)
    CeedOperatorFieldGetElemRestriction(fields[f], &restrictions[f]);
  CeedOperatorFieldGetVector(fields[1], &o->data);
  o->data_restriction = restrictions[1];
  if (restrictions[0] != restrictions[2] || places_open(restrictions[0], &p) ||
      places_open(restrictions[1], &data) || p.elements < 1 || p.components != components ||
      data.components > BP_POINT_DATA_MAX)
    why = "other restrictions";
  if (!why) {
    int64_t *map;
    CeedElemRestrictionGetLVectorSize(restrictions[0], &length);
    map = read_map(&p, length, &options->count, &o->is_whole);
    options->layout = LIBBP_UNKNOWNS;
    options->map = map;
    options->stride = p.component ? p.component : 1;
    backend *b;
    CeedGetData(ceed, &b);
    options->atomic = b->atomic;
    why = map && !bring_factors(ceed, o, options) ? NULL : "libbp";
    free(map);
  }
  places_close(&p);
  places_close(&data);
  CeedElemRestrictionDestroy(&restrictions[0]);
  CeedElemRestrictionDestroy(&restrictions[2]);
  return why;
}

static int know(CeedOperator op, backend_operator *o)
{
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_info info = LIBBP_INFO;
  CeedOperatorField fields[3];
  CeedEvalMode mode;
  CeedBasis basis, other = NULL;
  CeedQFunction q;
  CeedInt components = 0;
  Ceed ceed;
  backend *b;
  CeedCallBackend(CeedOperatorGetCeed(op, &ceed));
  CeedCallBackend(CeedGetData(ceed, &b));
  CeedCallBackend(CeedOperatorGetQFunction(op, &q));
  o->is_known = true;
  const char *why = look_at_fields(op, fields, &mode);
  if (!why) {
    CeedOperatorFieldGetBasis(fields[0], &basis);
    CeedOperatorFieldGetBasis(fields[2], &other);
    why = basis == other ? look_at_basis(b->host, basis, &options, &components) : "two bases";
    CeedBasisDestroy(&basis);
    CeedBasisDestroy(&other);
  }
  if (!why)
    why = bp_point_fit(q, components, mode == CEED_EVAL_INTERP, &o->point, &o->context_state);
  if (!why) {
    choose_problem(&o->point, components, &options);
    why = make_operator(ceed, fields, components, &options, o);
  }
  if (!why)
    (void)libbp_operator_info(o->a, &info);
  else
    CeedCallBackend(destroy_what(o));
  CeedDebug(ceed, "bp: %s%s\n", why ? "other backend: " : "", why ? why : info.variant);
  CeedCallBackend(CeedQFunctionDestroy(&q));
  return CeedDestroy(&ceed);
}

/* Knows what it is, and that its data and context are still those. */
static int get_ready(CeedOperator op, backend_operator *o)
{
  uint64_t data_state, context_state;
  CeedQFunction q;
  Ceed ceed;
  if (o->a) {
    CeedCallBackend(CeedOperatorGetQFunction(op, &q));
    CeedCallBackend(bp_point_state(q, &context_state));
    CeedCallBackend(CeedQFunctionDestroy(&q));
    CeedCallBackend(CeedVectorGetState(o->data, &data_state));
    if (context_state != o->context_state) {
      CeedCallBackend(destroy_what(o));
      o->is_known = false;
    } else if (data_state != o->data_state) {
      CeedCallBackend(CeedOperatorGetCeed(op, &ceed));
      CeedCallBackend(bring_factors(ceed, o, NULL));
      CeedCallBackend(CeedDestroy(&ceed));
    }
  }
  return o->is_known ? CEED_ERROR_SUCCESS : know(op, o);
}

/* ---- applying it ---- */

static int apply_on(CeedOperator op, backend_operator *o, CeedVector u, CeedVector v, bool adds)
{
  const CeedScalar *from;
  CeedScalar *to;
  Ceed ceed;
  backend *b;
  CeedCallBackend(CeedOperatorGetCeed(op, &ceed));
  CeedCallBackend(CeedGetData(ceed, &b));
  if (!adds && !o->is_whole)
    CeedCallBackend(CeedVectorSetValue(v, 0));
  CeedCallBackend(CeedVectorGetArrayRead(u, b->memory, &from));
  if (adds || !o->is_whole)
    CeedCallBackend(CeedVectorGetArray(v, b->memory, &to));
  else
    CeedCallBackend(CeedVectorGetArrayWrite(v, b->memory, &to));
  const libbp_status status =
      b->memory == CEED_MEM_DEVICE
          ? libbp_operator_apply_on(o->a, b->stream, 1, from, adds ? 1 : 0, to)
          : libbp_operator_apply(o->a, 1, from, adds ? 1 : 0, to);
  CeedCallBackend(CeedVectorRestoreArrayRead(u, &from));
  CeedCallBackend(CeedVectorRestoreArray(v, &to));
  if (status)
    return CeedError(ceed, CEED_ERROR_BACKEND, "%s", libbp_message());
  return CeedDestroy(&ceed);
}

static int apply(CeedOperator op, CeedVector u, CeedVector v, CeedRequest *request, bool adds)
{
  backend_operator *o;
  CeedOperator other;
  CeedCallBackend(CeedOperatorGetData(op, &o));
  CeedCallBackend(get_ready(op, o));
  if (o->a)
    return apply_on(op, o, u, v, adds);
  CeedCallBackend(CeedOperatorGetFallback(op, &other));
  return adds ? CeedOperatorApplyAdd(other, u, v, request)
              : CeedOperatorApply(other, u, v, request);
}

static int apply_alone(CeedOperator op, CeedVector u, CeedVector v, CeedRequest *request)
{
  return apply(op, u, v, request, false);
}

static int apply_add(CeedOperator op, CeedVector u, CeedVector v, CeedRequest *request)
{
  return apply(op, u, v, request, true);
}

static int destroy_operator(CeedOperator op)
{
  backend_operator *o;
  CeedCallBackend(CeedOperatorGetData(op, &o));
  CeedCallBackend(destroy_what(o));
  free(o);
  return CEED_ERROR_SUCCESS;
}

static int create_operator(CeedOperator op)
{
  Ceed ceed;
  backend_operator *o = calloc(1, sizeof *o);
  CeedCallBackend(CeedOperatorGetCeed(op, &ceed));
  if (!o)
    return CeedError(ceed, CEED_ERROR_BACKEND, "no memory");
  CeedCallBackend(CeedOperatorSetData(op, o));
  CeedCallBackend(CeedSetBackendFunction(ceed, "Operator", op, "Apply", apply_alone));
  CeedCallBackend(CeedSetBackendFunction(ceed, "Operator", op, "ApplyAdd", apply_add));
  CeedCallBackend(CeedSetBackendFunction(ceed, "Operator", op, "Destroy", destroy_operator));
  return CeedDestroy(&ceed);
}

/* ---- the backend ---- */

static const char cpu_name[] = "/cpu/self/bp", gpu_name[] = "/gpu/cuda/bp";

static int destroy(Ceed ceed)
{
  backend *b;
  CeedCallBackend(CeedGetData(ceed, &b));
  libbp_context_destroy(b->context);
  CeedCallBackend(CeedDestroy(&b->host));
  free(b);
  return CEED_ERROR_SUCCESS;
}

static int set_stream(Ceed ceed, void *stream)
{
  backend *b;
  CeedCallBackend(CeedGetData(ceed, &b));
  b->stream = stream;
  return CEED_ERROR_SUCCESS;
}

/* The name, then ":key=number" as often as one likes, each of the two keys at its value. */
static bool read_resource(const char *resource, const char *name, const char *const keys[2],
                          int *const values[2])
{
  const size_t length = strlen(name);
  const char *rest = resource + length;
  if (strncmp(resource, name, length) != 0)
    return false;
  while (*rest) {
    int used = 0, k = 0;
    while (k < 2 && (*rest != ':' || strncmp(rest + 1, keys[k], strlen(keys[k])) != 0))
      ++k;
    if (k == 2 || sscanf(rest + 1 + strlen(keys[k]), "=%d%n", values[k], &used) != 1)
      return false;
    rest += 1 + strlen(keys[k]) + (size_t)used;
  }
  return true;
}

/* What libbp has not is done by the backend of that name. */
static int make(Ceed ceed, const char *other_name, const libbp_context_options *options, int atomic)
{
  Ceed other;
  backend *b = calloc(1, sizeof *b);
  if (!b)
    return CeedError(ceed, CEED_ERROR_BACKEND, "no memory");
  CeedCallBackend(CeedSetData(ceed, b));
  if (sizeof(CeedScalar) != sizeof(double))
    return CeedError(ceed, CEED_ERROR_BACKEND, "bp: expected a libCEED in double precision");
  CeedCallBackend(CeedSetDeterministic(ceed, !atomic));
  CeedCallBackend(CeedInit("/cpu/self", &b->host));
  CeedCallBackend(CeedInit(other_name, &other));
  CeedCallBackend(CeedSetDelegate(ceed, other));
  CeedCallBackend(CeedSetOperatorFallbackCeed(ceed, other));
  CeedCallBackend(CeedDestroy(&other));
  CeedCallBackend(CeedSetBackendFunction(ceed, "Ceed", ceed, "OperatorCreate", create_operator));
  CeedCallBackend(CeedSetBackendFunction(ceed, "Ceed", ceed, "Destroy", destroy));
  b->memory = options->gpu < 0 ? CEED_MEM_HOST : CEED_MEM_DEVICE;
  b->atomic = atomic;
  if (options->gpu >= 0)
    CeedCallBackend(CeedSetBackendFunction(ceed, "Ceed", ceed, "SetStream", set_stream));
  return libbp_context_create(options, &b->context)
             ? CeedError(ceed, CEED_ERROR_BACKEND, "%s", libbp_message())
             : CEED_ERROR_SUCCESS;
}

static int init_cpu(const char *resource, Ceed ceed)
{
  libbp_context_options options = LIBBP_CONTEXT_OPTIONS;
  options.threads = 1;
  if (!read_resource(resource, cpu_name, (const char *[2]){"threads", "threads"},
                     (int *[2]){&options.threads, &options.threads}) ||
      options.threads < 1)
    return CeedError(ceed, CEED_ERROR_BACKEND, "expected %s or %s:threads=4, found %s", cpu_name,
                     cpu_name, resource);
  return make(ceed, "/cpu/self", &options, 0);
}

static int init_gpu(const char *resource, Ceed ceed)
{
  libbp_context_options options = LIBBP_CONTEXT_OPTIONS;
  char other[64];
  int atomic = 0;
  options.gpu = 0;
  if (!read_resource(resource, gpu_name, (const char *[2]){"device_id", "atomic"},
                     (int *[2]){&options.gpu, &atomic}) ||
      options.gpu < 0)
    return CeedError(ceed, CEED_ERROR_BACKEND,
                     "expected %s, %s:device_id=1 or %s:atomic=1, found %s", gpu_name, gpu_name,
                     gpu_name, resource);
  snprintf(other, sizeof other, "/gpu/cuda/gen:device_id=%d", options.gpu);
  return make(ceed, other, &options, atomic);
}

/* Who links or preloads this library has the backends. "/cpu/self" alone never means one of them. */
__attribute__((constructor)) static void bring(void)
{
  enum { BEHIND_ALL_OTHERS = 200 };
  (void)CeedRegister(cpu_name, init_cpu, BEHIND_ALL_OTHERS);
  (void)CeedRegister(gpu_name, init_gpu, BEHIND_ALL_OTHERS);
}
