/* sizes.c -- the sizes that a config asks for: boxes of so many elements or unknowns. */
#include "bench/cases.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

/* Factors nx <= ny <= nz of `elements`, as near to each other as they can be. */
static void near_cube(int64_t elements, int64_t box[3])
{
  int64_t a = (int64_t)floor(cbrt((double)elements) + 1e-9);
  while (a > 1 && elements % a)
    --a;
  int64_t rest = elements / a, b = (int64_t)floor(sqrt((double)rest) + 1e-9);
  while (b > 1 && rest % b)
    --b;
  box[0] = a;
  box[1] = b;
  box[2] = rest / b;
}

/* A box of about `dofs` numbers where an element has `own` of them; at least one element. */
static void box_of_dofs(int64_t dofs, int64_t own, int64_t box[3])
{
  int64_t elements = dofs / own > 1 ? dofs / own : 1;
  box[0] = (int64_t)fmax(1, floor(cbrt((double)elements)));
  box[1] = (int64_t)fmax(1, floor(sqrt((double)elements / (double)box[0])));
  box[2] = (int64_t)fmax(1, round((double)elements / (double)(box[0] * box[1])));
}

/* Six layers along x; about as many elements as before. */
static void make_layers(int64_t box[3])
{
  const double layers = 6, elements = (double)box[0] * (double)box[1] * (double)box[2];
  box[0] = (int64_t)(layers * fmax(1, round((double)box[0] / layers)));
  box[1] = (int64_t)fmax(1, floor(sqrt(elements / (double)box[0])));
  box[2] = (int64_t)fmax(1, round(elements / (double)(box[0] * box[1])));
}

/* Nodes of an element, or unknowns that it adds. */
static int64_t own_numbers(const bp_case *c, bool is_nodes)
{
  int64_t n = c->space.degree + is_nodes;
  return n * n * n * (is_nodes ? 1 : c->space.fields);
}

/* Least bytes of one node's data, over all degrees: what decides when a cache is too small. */
static double bytes_per_node(const bp_case *c)
{
  double least = INFINITY;
  if (c->solve)
    return 7 * sizeof(double);
  for (int degree = 1; degree <= BP_CONFIG_DEGREE_MAX; ++degree) {
    double n = degree + 1;
    bp_space space = bp_operator_space(c->op, degree);
    least = fmin(least, (double)bp_operator_bytes(c->op, space) / (n * n * n));
  }
  return least;
}

/* Two digits are enough. */
static int64_t round_up(double count)
{
  double unit = pow(10, floor(log10(count)) - 1);
  return (int64_t)(ceil(count / unit) * unit);
}

/* So many that data and its copy are twice what the last cache holds, at every degree; never so many that a
 * case takes more than an eighth of the memory. Enough to keep a GPU busy, whose caches are small. */
static int64_t automatic_dofs(const bp_cases *cases, const bp_case *c)
{
  const double least = 2e6, gpu = 20e6, times_cache = 2;
  if (cases->device->backend->language != BP_LANGUAGE_C)
    return (int64_t)gpu;
  double bytes =
      fmin(times_cache * (double)cases->device->cache_bytes, (double)bp_memory_available() / 8);
  return round_up(fmax(least, bytes / bytes_per_node(c)));
}

bool bp_case_size(const bp_cases *cases, int n, bp_case *of)
{
  const bp_config *c = cases->config;
  int64_t *box = of->box, *target = &of->target_dofs;
  *target = -1;
  box[1] = box[2] = 1;
  if (of->kind->size)
    return of->kind->size(c, cases->device, n, of);
  box[0] = box[1] = box[2] = 0;
  if (c->mesh)
    return n == 0;
  if (c->box[0]) {
    memcpy(box, c->box, sizeof c->box);
    return n == 0;
  }
  if (c->elements.count) {
    if (n < c->elements.count)
      near_cube(c->elements.items[n], box);
    if (n < c->elements.count && c->kershaw > 0)
      make_layers(box);
    return n < c->elements.count;
  }
  const bp_config_numbers *counts = c->nodes.count ? &c->nodes : &c->dofs;
  if (n < counts->count || (counts->count == 0 && n == 0)) {
    const int64_t asked = counts->count ? counts->items[n] : 0;
    const bool is_nodes = asked ? counts == &c->nodes : !of->solve;
    *target = asked ? asked : automatic_dofs(cases, of);
    box_of_dofs(*target, own_numbers(of, is_nodes), box);
    if (c->kershaw > 0)
      make_layers(box);
    return true;
  }
  return false;
}
