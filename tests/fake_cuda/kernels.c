/* kernels.c -- the kernels of tests/unit/cuda.c and kernels/peaks as the driver that pretends does them:
 * in C, one call for all blocks. */
#include "kernels.h"

#include "kernels/abi/ranks.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bp_cu_result fake_broken;
bool fake_is_to_break;
double fake_clock;

static void doubled(const fake_call *c)
{
  for (unsigned n = 0; n < c->grid * c->threads; ++n)
    c->v[n] = 2 * c->u[n];
}

static void all_but_77(const fake_call *c)
{
  double kept = c->v[77];
  doubled(c);
  c->v[77] = kept;
}

static void beyond_v(const fake_call *c)
{
  doubled(c);
  c->v[640] = 1;
}

static void before_v(const fake_call *c)
{
  doubled(c);
  c->v[-1] = 1;
}

static void beyond_u(const fake_call *c)
{
  doubled(c);
  c->u[645] = 1;
}

static void into_u(const fake_call *c)
{
  doubled(c);
  c->u[5] = 1;
}

static void beyond_D(const fake_call *c)
{
  doubled(c);
  c->D[25] = 1;
}

static void before_factors(const fake_call *c)
{
  doubled(c);
  c->factors[-3] = 1;
}

static void beyond_scratch(const fake_call *c)
{
  doubled(c);
  c->scratch[100] = 1;
}

static void astray(const fake_call *c)
{
  (void)c;
  fake_broken = FAKE_ILLEGAL_ADDRESS;
}

static void endless(const fake_call *c)
{
  (void)c;
  sleep(1000);
}

static void late(const fake_call *c)
{
  doubled(c);
  fake_is_to_break = true;
}

static void gone(const fake_call *c)
{
  (void)c;
  _exit(1);
}

static void copy(const fake_call *c)
{
  memcpy(c->v, c->u, (size_t)c->elements * 16);
  fake_clock += c->elements * 32 / 1e11;
}

static void nothing(const fake_call *c)
{
  (void)c;
}

/* One direction: out[a][o][b] = sum over i of m[o][i] in[a][i][b], of m transposed where asked for. */
static void contract(const double *m, bool transposed, int to, int from, int a, int b,
                     const double *in, double *out)
{
  for (int n = 0; n < a * to * b; ++n) {
    out[n] = 0;
    for (int i = 0; i < from; ++i) {
      int o = n / b % to;
      out[n] +=
          (transposed ? m[i * to + o] : m[o * from + i]) * in[(n / b / to * from + i) * b + n % b];
    }
  }
}

/* bp1.0, right. */
static void apply_mass(const fake_call *c)
{
  enum { MOST = 17 * 17 * 17 };
  static _Thread_local double a[MOST], b[MOST];
  const int nq = c->degree + 1, nc = nq + 1;
  for (int e = 0; e < c->elements; ++e) {
    const double *w = c->factors + (long)e * nc * nc * nc;
    contract(c->I, false, nc, nq, nq * nq, 1, c->u + (long)e * nq * nq * nq, a);
    contract(c->I, false, nc, nq, nq, nc, a, b);
    contract(c->I, false, nc, nq, 1, nc * nc, b, a);
    for (int n = 0; n < nc * nc * nc; ++n)
      a[n] *= w[n];
    contract(c->I, true, nq, nc, nc * nc, 1, a, b);
    contract(c->I, true, nq, nc, nc, nq, b, a);
    contract(c->I, true, nq, nc, 1, nq * nq, a, c->v + (long)e * nq * nq * nq);
  }
}

/* Right if, within ten seconds, another one is under way in another stream. */
static void mass_together(const fake_call *c)
{
  static unsigned arrived;
  static bp_cu_stream streams[2];
  const unsigned n = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(&streams[n % 2], c->stream, __ATOMIC_RELEASE);
  for (int turn = 0; turn < 10000; ++turn, usleep(1000))
    if (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) >= n / 2 * 2 + 2 &&
        __atomic_load_n(&streams[1 - n % 2], __ATOMIC_ACQUIRE) != c->stream) {
      apply_mass(c);
      return;
    }
}

/* Fastest in blocks of 96 threads. */
static void mass(const fake_call *c)
{
  apply_mass(c);
  fake_clock += 1e-6 * (100 + abs((int)c->threads - 96));
}

/* The same, of factors whose last direction is the fastest: those of bp1.0/direct. */
static void mass_by_columns(const fake_call *c)
{
  const int nc = c->degree + 2;
  const long points = (long)nc * nc * nc;
  fake_call turned = *c;
  turned.factors = malloc((size_t)(c->elements * points) * sizeof(double));
  for (long n = 0; n < c->elements * points; ++n)
    turned.factors[n] =
        c->factors[n / points * points + n % nc * nc * nc + n / nc % nc * nc + n / nc / nc % nc];
  apply_mass(&turned);
  free(turned.factors);
}

/* Its indices of factors have 16 bits. */
static void mass_of_few(const fake_call *c)
{
  fake_call first = *c;
  const int nc = c->degree + 2, fit = 65536 / (nc * nc * nc);
  first.elements = c->elements < fit ? c->elements : fit;
  apply_mass(&first);
}

static bool is_flushed; /* by the launch before */

static void flush(const fake_call *c)
{
  (void)c;
  is_flushed = true;
}

/* Fastest in blocks of 96 threads where caches are hot, of 160 where they are cold, of 128 on the mean. */
static void mass_in_caches(const fake_call *c)
{
  int away = abs((int)c->threads - (is_flushed ? 160 : 96)) / 8;
  apply_mass(c);
  fake_clock += 1e-6 * (100 + away * away);
  is_flushed = false;
}

/* As mass, but blocks of 96 threads bear it only a few times that others were launched in between. */
static void mass_jealous(const fake_call *c)
{
  enum { FEW = 3 };
  static unsigned before;
  static int returns;
  returns += c->threads == 96 && before != 96;
  before = c->threads;
  if (returns > FEW)
    astray(c);
  mass(c);
}

/* Of kernels/peaks/gpu-mail: this rank has written, and the others are told, late if FAKE_MAIL_IS_LATE. */
static void tell(const fake_call *c)
{
  const int64_t *mail = (const int64_t *)(const void *)c->u;
  const int64_t own = mail[BP_MAIL_RANK];
  unsigned *posts = (unsigned *)(uintptr_t)(mail[BP_MAIL_BOXES + own] + BP_BOX_POSTS);
  ++*posts;
  if (mail[BP_MAIL_RANKS] > 1 && getenv("FAKE_MAIL_IS_LATE"))
    fake_clock += 1e-5;
  for (int64_t r = 0; r < mail[BP_MAIL_RANKS]; ++r)
    if (r != own)
      __atomic_store_n((unsigned *)(uintptr_t)(mail[BP_MAIL_BOXES + r] + BP_BOX_FLAGS) + own,
                       *posts, __ATOMIC_RELEASE);
}

static void hear(const fake_call *c)
{
  const int64_t *mail = (const int64_t *)(const void *)c->u;
  const int64_t box = mail[BP_MAIL_BOXES + mail[BP_MAIL_RANK]];
  const unsigned posts = *(const unsigned *)(uintptr_t)(box + BP_BOX_POSTS);
  for (int64_t r = 0; r < mail[BP_MAIL_RANKS]; ++r)
    while (r != mail[BP_MAIL_RANK] &&
           (int)(__atomic_load_n((const unsigned *)(uintptr_t)(box + BP_BOX_FLAGS) + r,
                                 __ATOMIC_ACQUIRE) -
                 posts) < 0)
      sched_yield();
}

/* ---- peaks/gpu-unknowns ---- */

typedef struct {
  double *vector, *element_u, *element_v, alpha, beta;
  const int *ids;
  const unsigned *starts, *copied;
  long nodes, stride, unknowns;
} lists;

static void *pointer_of(uint64_t operand)
{
  return (void *)(uintptr_t)operand;
}

static lists lists_of(const fake_call *c)
{
  const uint64_t *o = c->operands;
  lists l = {.vector = pointer_of(o[0]),
             .element_u = pointer_of(o[1]),
             .element_v = pointer_of(o[2]),
             .ids = pointer_of(o[3]),
             .starts = pointer_of(o[4]),
             .copied = pointer_of(o[5]),
             .nodes = c->elements * (long)o[6],
             .stride = (long)o[7],
             .unknowns = (long)o[8]};
  l.vector += (long)o[9] * l.stride;
  memcpy(&l.alpha, &o[10], sizeof l.alpha);
  memcpy(&l.beta, &o[11], sizeof l.beta);
  return l;
}

static void take(const fake_call *c)
{
  const lists l = lists_of(c);
  for (long n = 0; n < l.nodes; ++n)
    l.element_u[n] = l.ids[n] < 0 ? 0 : l.vector[l.ids[n]];
}

static void add(const fake_call *c)
{
  const lists l = lists_of(c);
  for (long n = 0; n < l.unknowns; ++n) {
    double sum = 0;
    for (unsigned at = l.starts[n]; at < l.starts[n + 1]; ++at)
      sum += l.copied[at] == 0xffffffffu ? 0 : l.element_v[l.copied[at]];
    if (l.starts[n] < l.starts[n + 1])
      l.vector[n] = l.alpha * sum + (l.beta == 0 ? 0 : l.beta * l.vector[n]);
  }
}

/* By blocks as they come; what follows adds them up. */
static void dot_parts(const fake_call *c)
{
  lists l = lists_of(c);
  const long components = (long)c->operands[9];
  l.vector -= components * l.stride;
  memset(l.element_u, 0, c->grid * sizeof *l.element_u);
  for (long n = 0; n < components * l.unknowns; ++n) {
    const long id = n % l.unknowns, at = n / l.unknowns * l.stride + id;
    if (l.starts[id] < l.starts[id + 1])
      l.element_u[n % c->grid] += l.vector[at] * l.element_v[at];
  }
}

static void product(const fake_call *c)
{
  double *to = pointer_of(c->operands[0]);
  const double *sums = pointer_of(c->operands[1]);
  *to = 0;
  for (uint64_t n = 0; n < c->operands[6]; ++n)
    *to += sums[n];
}

static const fake_kernel kernels[] = {
    {"doubled", doubled},
    {"all_but_77", all_but_77},
    {"beyond_v", beyond_v},
    {"before_v", before_v},
    {"beyond_u", beyond_u},
    {"into_u", into_u},
    {"beyond_D", beyond_D},
    {"before_factors", before_factors},
    {"astray", astray},
    {"beyond_scratch", beyond_scratch},
    {"endless", endless},
    {"gone", gone},
    {"copy", copy},
    {"flush", flush},
    {"empty", nothing},
    {"tell", tell},
    {"hear", hear},
    {"roomy", doubled},
    {"heavy", doubled},
    {"mass", mass},
    {"mass_in_caches", mass_in_caches},
    {"late", late},
    {"mass_jealous", mass_jealous},
    {"mass_of_few", mass_of_few},
    {"mass_together", mass_together},
    {"mass_by_columns", mass_by_columns},
    {"take", take},
    {"add", add},
    {"free_only", nothing},
    {"dot_parts", dot_parts},
    {"product", product},
};

/* FAKE_CUDA_APPLY: what kernels of that name, as most have, are. */
const fake_kernel *fake_kernel_find(const char *name)
{
  if (strcmp(name, "apply") == 0 && getenv("FAKE_CUDA_APPLY"))
    name = getenv("FAKE_CUDA_APPLY");
  for (size_t n = 0; n < sizeof kernels / sizeof *kernels; ++n)
    if (strcmp(kernels[n].name, name) == 0)
      return &kernels[n];
  return NULL;
}
