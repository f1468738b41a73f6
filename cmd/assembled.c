/* assembled.c -- from arguments to a system, and from a system to files. */
#include "assembled.h"
#include "terminal.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/curve.h"
#include "registry/best.h"
#include "solve/collect.h"
#include <stdio.h>
#include <string.h>

bp_status bp_assembled_space(const bp_config *config, const bp_bake_off *row, int degree,
                             bp_space *space)
{
  const bp_config_numbers *asked = &config->quadrature;
  const int beyond = asked->count ? (int)asked->items[0] : 0;
  const char *place = bp_config_where(config, beyond ? "quadrature" : "rule");
  if (asked->count > 1)
    return bp_fail(BP_BAD_INPUT, "%s: expected one number of points, found %d of them", place,
                   asked->count);
  *space = bp_bake_off_space_with(row, degree, beyond, config->rule);
  return bp_bake_off_check_points(row->name, beyond, config->rule, place ? place : "rule");
}

static bp_status read_mesh(bp_assembled *a, const bp_config *c)
{
  if (!c->mesh && !c->box[0])
    return bp_fail(BP_BAD_INPUT, "%s: expected --mesh FILE or --box AxBxC, found neither",
                   a->command);
  if (c->box[0])
    return bp_mesh_box(c->box[0], c->box[1], c->box[2], c->warp, &a->mesh);
  return bp_mesh_open(c->mesh, c->group, &a->mesh);
}

static bp_status check_output(const bp_assembled *a)
{
  if (!a->prefix)
    return bp_fail(BP_BAD_INPUT, "%s: expected --output PREFIX, found none", a->command);
  char *path = bp_format("%s-x.npy", a->prefix);
  bp_status status = bp_output_check(path);
  bp_free(path);
  return status;
}

/* Rank 0 reads the mesh. */
static bp_status open_mesh(bp_assembled *a, const bp_config *config)
{
  bp_status status = check_output(a);
  if (!status)
    status = read_mesh(a, config);
  if (status)
    return status;
  a->former = bp_alloc_array((size_t)a->mesh->elements, sizeof *a->former);
  bp_mesh_sort(a->mesh, a->former);
  return BP_OK;
}

static bp_status distribute(bp_assembled *a, const bp_config *config, const char *fixed,
                            bp_system_options options)
{
  bp_partition_kind partition = bp_partition_find(config->partition);
  bp_status status = bp_system_distribute(options, fixed, a->mesh, partition, a->comm, &a->system);
  if (!status && a->comm->rank == 0)
    status = bp_system_number(options, fixed, a->mesh, &a->own);
  a->unknowns = a->own;
  return bp_comm_agree(a->comm, status);
}

static bp_status fill(bp_assembled *a, const bp_arguments *arguments, const bp_config *config,
                      bp_system_options options)
{
  const char *fixed = bp_argument_string(arguments, "fixed");
  bp_status status = bp_comm_agree(a->comm, a->comm->rank == 0 ? open_mesh(a, config) : BP_OK);
  if (!status && a->comm->size > 1)
    return distribute(a, config, fixed, options);
  if (!status)
    status = bp_system_create_fixed(options, fixed, a->mesh, &a->system);
  if (!status)
    a->unknowns = a->system->unknowns;
  return status;
}

bp_status bp_assembled_create(const bp_arguments *arguments, const char *command,
                              bp_system_options options, bp_comm *comm, bp_assembled *assembled)
{
  *assembled = (bp_assembled){
      .command = command, .prefix = bp_argument_string(arguments, "output"), .comm = comm};
  bp_config *config = bp_config_default();
  bp_status status = bp_arguments_to_config(arguments, config);
  if (!status)
    status = fill(assembled, arguments, config, options);
  bp_config_destroy(config);
  return status;
}

void bp_assembled_destroy(bp_assembled *assembled)
{
  bp_system_destroy(assembled->system);
  bp_unknowns_destroy(assembled->own);
  bp_mesh_destroy(assembled->mesh);
  bp_free(assembled->former);
}

void bp_assembled_print(const bp_assembled *assembled)
{
  const bp_system *s = assembled->system;
  char *points = bp_operator_quadrature(bp_operator_find(s->row->operator), s->problem->space);
  bp_print(stdout,
           "%s, degree %d%s%s%s, lambda %g, %lld elements of %s: %lld unknowns%s, %lld of them "
           "fixed\n",
           s->row->name, s->unknowns->degree, *points ? ", " : "", points, *points ? " points" : "",
           s->problem->lambda, (long long)(s->piece ? s->piece->elements : s->mesh->elements),
           s->mesh->name, (long long)bp_system_total(s),
           s->row->components > 1 ? " of 3 components" : "", (long long)bp_system_total_fixed(s));
  bp_free(points);
}

bp_status bp_assembled_choose(const bp_assembled *assembled, const bp_device *device,
                              const char *name, const char *otherwise, bp_choice *choice)
{
  const bp_system *s = assembled->system;
  const int ranks = assembled->comm->size;
  const bp_best_wanted wanted = {
      .device = device->name,
      .problem = s->row->name,
      .degree = s->problem->space.degree,
      .points = bp_operator_other_points(s->problem->op, s->problem->space),
      .elements = (s->piece ? s->piece->elements : s->mesh->elements) / ranks,
      .sms = device->sms,
      .language = device->backend->language};
  bool is_best = strcmp(name, "best") == 0, found = false;
  bp_status status = !is_best    ? BP_OK
                     : ranks > 1 ? bp_best_find_for_ranks(&wanted, choice, &found)
                                 : bp_best_find(&wanted, choice, &found);
  if (status || found)
    return status;
  char *id = bp_format("%s/%s", s->row->kernels, is_best ? otherwise : name);
  const bp_variant *variant = bp_variant_find(id, wanted.language);
  bp_free(id);
  if (!variant)
    return bp_fail(BP_BAD_INPUT, "--variants: expected best or a variant of %s, found '%s'",
                   s->row->kernels, name);
  *choice = bp_choice_standard(variant);
  return BP_OK;
}

/* ---- files ---- */

bp_status bp_write_npy(const char *prefix, const char *name, bp_npy_type type, int rank,
                       const int64_t *shape, const void *data)
{
  char *path = bp_format("%s-%s.npy", prefix, name);
  bp_status status = bp_npy_write(type, path, rank, shape, data);
  if (!status) {
    bp_print(stdout, "wrote %s (", path);
    for (int d = 0; d < rank; ++d)
      printf("%s%lld", d ? ", " : "", (long long)shape[d]);
    printf(")\n");
  }
  bp_free(path);
  return status;
}

/* vector[c][n], all ranks'. */
static bp_status write_whole(const bp_assembled *assembled, const char *name, const double *vector)
{
  int components = assembled->system->row->components;
  int64_t count = assembled->unknowns->count, shape[2] = {count, components};
  if (components == 1)
    return bp_write_npy(assembled->prefix, name, BP_NPY_FLOAT64, 1, shape, vector);
  double *rows = bp_alloc_array((size_t)(count * components), sizeof *rows);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < count; ++n)
    for (int c = 0; c < components; ++c)
      rows[n * components + c] = vector[c * count + n];
  bp_status status = bp_write_npy(assembled->prefix, name, BP_NPY_FLOAT64, 2, shape, rows);
  bp_free(rows);
  return status;
}

bp_status bp_assembled_write_vector(const bp_assembled *assembled, const char *name,
                                    const double *vector)
{
  const bp_assembled *a = assembled;
  if (a->comm->size == 1)
    return write_whole(a, name, vector);
  int64_t count = a->unknowns ? a->system->row->components * a->unknowns->count : 0;
  double *whole = bp_alloc_array((size_t)count, sizeof *whole);
  bp_status status = bp_system_collect(a->system, a->unknowns, vector, whole);
  if (!status && a->comm->rank == 0)
    status = write_whole(a, name, whole);
  bp_free(whole);
  return bp_comm_agree(a->comm, status);
}

static bp_status write_ids(const bp_assembled *a)
{
  const bp_unknowns *u = a->unknowns;
  int64_t nq = u->degree + 1, nodes = nq * nq * nq, shape[4] = {u->elements, nq, nq, nq};
  int64_t *ids = bp_alloc_array((size_t)(u->elements * nodes), sizeof *ids);
  int64_t *sorted = bp_alloc_array((size_t)(u->elements * nodes), sizeof *sorted);
  bp_unknowns_number(u, 0, u->elements, sorted);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < u->elements; ++e)
    memcpy(ids + a->former[e] * nodes, sorted + e * nodes, (size_t)nodes * sizeof *ids);
  bp_status status = bp_write_npy(a->prefix, "ids", BP_NPY_INT64, 4, shape, ids);
  bp_free(ids);
  bp_free(sorted);
  return status;
}

static bp_status write_space(const bp_assembled *assembled)
{
  const bp_unknowns *u = assembled->unknowns;
  int64_t shape[2] = {u->count, 3};
  double *x = bp_alloc_array(3 * (size_t)u->count, sizeof *x);
  uint8_t *is_fixed = bp_alloc_array((size_t)u->count, sizeof *is_fixed);
  bp_unknowns_nodes(u, assembled->mesh, x);
  bp_unknowns_fixed(u, is_fixed);
  bp_status status = bp_write_npy(assembled->prefix, "x", BP_NPY_FLOAT64, 2, shape, x);
  if (!status)
    status = write_ids(assembled);
  if (!status)
    status = bp_write_npy(assembled->prefix, "fixed", BP_NPY_UINT8, 1, shape, is_fixed);
  bp_free(x);
  bp_free(is_fixed);
  return status;
}

bp_status bp_assembled_write_space(const bp_assembled *assembled)
{
  const bool writes = assembled->comm->rank == 0;
  return bp_comm_agree(assembled->comm, writes ? write_space(assembled) : BP_OK);
}
