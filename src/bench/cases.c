/* cases.c -- expanding a config into cases. */
#include "bench/cases.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/open.h"
#include <math.h>
#include <string.h>

/* ---- sizes ---- */

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

/* A box of about `dofs` element nodes at this degree; at least one element. */
static void box_of_dofs(int64_t dofs, int degree, int64_t box[3])
{
  int64_t nodes = (int64_t)(degree + 1) * (degree + 1) * (degree + 1);
  int64_t elements = dofs / nodes > 1 ? dofs / nodes : 1;
  box[0] = (int64_t)fmax(1, floor(cbrt((double)elements)));
  box[1] = (int64_t)fmax(1, floor(sqrt((double)elements / (double)box[0])));
  box[2] = (int64_t)fmax(1, round((double)elements / (double)(box[0] * box[1])));
}

/* The n-th size that the config asks for, at this degree; false when there are fewer. */
static bool size_of(const bp_cases *cases, int n, int degree, int64_t box[3], int64_t *target)
{
  const bp_config *c = cases->config;
  box[0] = box[1] = box[2] = 0;
  *target = -1;
  if (c->mesh)
    return n == 0;
  if (c->box[0]) {
    memcpy(box, c->box, sizeof c->box);
    return n == 0;
  }
  if (c->elements.count) {
    if (n < c->elements.count)
      near_cube(c->elements.items[n], box);
    return n < c->elements.count;
  }
  const int64_t standard = cases->device->backend->language == BP_LANGUAGE_C ? 2000000 : 20000000;
  if (n < c->dofs.count || (c->dofs.count == 0 && n == 0)) {
    *target = c->dofs.count ? c->dofs.items[n] : standard;
    box_of_dofs(*target, degree, box);
    return true;
  }
  return false;
}

/* ---- expanding ---- */

/* A new case of nothing but choices; none is added where no variant fits. */
static bp_status add_case(bp_cases *cases, const bp_sweep *sweeps, const bp_operator *op,
                          int degree, const int64_t box[3], int64_t target)
{
  const bp_config *c = cases->config;
  bp_selection selection = {
      .problem = op->name,
      .degree = degree,
      .elements = box[0] ? box[0] * box[1] * box[2] : cases->mesh->elements,
      .language = cases->device->backend->language,
      .device = cases->device->name,
      .patterns = (const char *const *)c->variants.items,
      .patterns_count = c->variants.count,
      .sweeps = sweeps,
      .sweeps_count = c->options.count,
  };
  bp_case new = {.op = op, .space = bp_operator_space(op, degree), .target_dofs = target};
  bp_status status;
  memcpy(new.box, box, sizeof new.box);
  new.elements = selection.elements;
  new.choices_count = bp_select(&selection, &new.choices, &status);
  if (status || new.choices_count == 0) {
    bp_free(new.choices);
    return status;
  }
  cases->items = bp_realloc(cases->items, (size_t)cases->count + 1, sizeof *cases->items);
  cases->items[cases->count++] = new;
  return BP_OK;
}

static bp_status expand(bp_cases *cases, const bp_sweep *sweeps)
{
  const bp_config *c = cases->config;
  const char *place = bp_config_where(c, "variants");
  int64_t box[3], target;
  place = place ? place : "variants";
  bp_status status = bp_select_check(place, (const char *const *)c->variants.items,
                                     c->variants.count, sweeps, c->options.count);
  for (int p = 0; p < c->problems.count && !status; ++p)
    for (int s = 0; !status && size_of(cases, s, 1, box, &target); ++s)
      for (int d = 0; d < c->degrees.count && !status; ++d) {
        int degree = (int)c->degrees.items[d];
        size_of(cases, s, degree, box, &target);
        status =
            add_case(cases, sweeps, bp_operator_find(c->problems.items[p]), degree, box, target);
      }
  if (!status && cases->count == 0)
    status = bp_fail(BP_BAD_INPUT,
                     "%s: expected a variant that backend %s can run, found those of another "
                     "problem, backend or degree",
                     place, cases->device->backend->name);
  return status;
}

static bp_status read_mesh(bp_cases *cases)
{
  double begin = bp_clock();
  bp_status status = bp_mesh_read(cases->config->mesh, &cases->mesh);
  if (!status && cases->config->group) {
    bp_mesh *part = NULL;
    status = bp_mesh_select(cases->mesh, cases->config->group, &part);
    bp_mesh_destroy(cases->mesh);
    cases->mesh = part;
  }
  double end = bp_clock();
  cases->read_seconds = end - begin;
  if (!status)
    status = bp_connectivity_create(cases->mesh, &cases->connectivity);
  cases->connect_seconds = bp_clock() - end;
  return status;
}

bp_status bp_cases_create(const bp_config *config, bp_device *device, bp_cases **cases)
{
  bp_cases *c = bp_alloc(1, sizeof *c);
  bp_sweep *sweeps = bp_alloc((size_t)config->options.count, sizeof *sweeps);
  bp_bench_sweeps(config, sweeps);
  c->config = config;
  c->device = device;
  bp_status status = config->mesh ? read_mesh(c) : BP_OK;
  if (!status)
    status = expand(c, sweeps);
  if (status) {
    bp_cases_destroy(c);
    c = NULL;
  }
  bp_free(sweeps);
  *cases = c;
  return status;
}

void bp_cases_destroy(bp_cases *cases)
{
  if (!cases)
    return;
  for (int n = 0; n < cases->count; ++n)
    bp_free(cases->items[n].choices);
  bp_free(cases->items);
  bp_connectivity_destroy(cases->connectivity);
  bp_mesh_destroy(cases->mesh);
  bp_free(cases);
}

/* The problem's own data, u, v and the reference on the host; on the CPU also the workspace's u and
 * v, one copy of the factors for each order that the choices want, and the two buffers of the copy.
 */
int64_t bp_case_bytes(const bp_case *c, bp_language language)
{
  int64_t vector = 8 * bp_case_nodes(c);
  int64_t model = bp_operator_bytes(c->op, c->space) * c->elements;
  int64_t bytes = bp_problem_bytes(c->op, c->space, c->elements) + 3 * vector;
  int orders = 0;
  for (int a = 0; a < c->choices_count; ++a) {
    bool is_new = true;
    for (int b = 0; b < a; ++b)
      is_new =
          is_new && strcmp(c->choices[a].variant->factors, c->choices[b].variant->factors) != 0;
    orders += is_new;
  }
  return language == BP_LANGUAGE_C ? bytes + 2 * vector + orders * (model - 2 * vector) + model
                                   : bytes;
}

int64_t bp_case_nodes(const bp_case *c)
{
  int64_t nq = c->space.degree + 1;
  return c->elements * nq * nq * nq;
}

char *bp_case_mesh_name(const bp_cases *cases, const bp_case *c)
{
  return c->box[0] ? bp_format("box %lldx%lldx%lld", (long long)c->box[0], (long long)c->box[1],
                               (long long)c->box[2])
                   : bp_strdup(cases->mesh->name);
}

int64_t bp_case_unique_dofs(const bp_cases *cases, const bp_case *c)
{
  if (!c->box[0])
    return bp_connectivity_unique(cases->connectivity, c->space.degree);
  int64_t degree = c->space.degree;
  return (c->box[0] * degree + 1) * (c->box[1] * degree + 1) * (c->box[2] * degree + 1);
}

void bp_cases_build(const bp_cases *cases)
{
  size_t count = 0;
  for (int n = 0; n < cases->count; ++n)
    count += (size_t)cases->items[n].choices_count;
  bp_build *builds = bp_alloc(count, sizeof *builds);
  count = 0;
  for (int n = 0; n < cases->count; ++n)
    for (int i = 0; i < cases->items[n].choices_count; ++i)
      builds[count++] =
          (bp_build){cases->items[n].choices[i], cases->items[n].op, cases->items[n].space};
  bp_plans_build(cases->device, builds, (int)count);
  bp_free(builds);
}
