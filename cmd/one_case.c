/* one_case.c -- from a config to a case, and from a case to files. */
#include "one_case.h"
#include "terminal.h"

#include "base/file.h"
#include "base/memory.h"
#include <stdio.h>
#include <string.h>

static bp_status expect_one(const bp_one_case *one, const char *option, const char *what, int found)
{
  if (found == 1)
    return BP_OK;
  if (found == 0)
    return bp_fail(BP_BAD_INPUT, "%s: %s: expected one %s, found none", one->command, option, what);
  return bp_fail(BP_BAD_INPUT, "%s: %s: expected one %s, found %d of them", one->command, option,
                 what, found);
}

static bp_status check_size(const bp_one_case *one, const bp_kind *kind)
{
  const bp_config *c = one->config;
  if (kind->by_points)
    return expect_one(one, "--points", "number of points", c->points.count);
  if (c->mesh || c->box[0] || c->elements.count == 1)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "%s: expected --mesh FILE or %s, found neither", one->command,
                 kind->has_mesh ? "--box AxBxC" : "--elements N");
}

bp_status bp_one_case_check(const bp_one_case *one)
{
  const bp_config *c = one->config;
  bp_status status = expect_one(one, "--problem", "problem", c->problems.count);
  if (status)
    return status;
  const bp_kind *kind = bp_case_of(c, c->problems.items[0], 1, 0).kind;
  status = kind->by_species ? expect_one(one, "--species", "number of species", c->species.count)
                            : expect_one(one, "--degree", "degree", c->degrees.count);
  if (!status && c->quadrature.count > 1)
    status = bp_fail(BP_BAD_INPUT, "%s: expected one number of points, found %d of them",
                     bp_config_where(c, "quadrature"), c->quadrature.count);
  if (!status)
    status = check_size(one, kind);
  if (!status && !one->prefix && !one->needs_no_files)
    status = bp_fail(BP_BAD_INPUT, "%s: expected --output PREFIX, found none", one->command);
  return status;
}

bool bp_one_case_prints(const bp_one_case *one)
{
  return !one->device->comm || one->device->comm->rank == 0;
}

static bp_status check_output(const bp_one_case *one)
{
  if (!one->prefix)
    return BP_OK;
  char *path = bp_format("%s-x.npy", one->prefix);
  bp_status status = bp_output_check(path);
  bp_free(path);
  return status;
}

bp_status bp_one_case_find(bp_one_case *one)
{
  bp_comm *comm = one->device->comm ? one->device->comm : bp_comm_self();
  bp_status status = bp_comm_agree(comm, comm->rank == 0 ? check_output(one) : BP_OK);
  if (!status)
    status = bp_cases_create(one->config, one->device, true, &one->cases);
  if (status)
    return status;
  one->c = &one->cases->items[0];
  one->choice = one->is_literal ? NULL : &one->c->choices[0];
  return expect_one(one, "--variants", "variant", one->c->choices_count);
}

bp_status bp_one_case_begin(bp_one_case *one, bp_stage_options options)
{
  options.guarded = true;
  options.literal = one->is_literal;
  return bp_stage_create(one->c, one->config, one->device, options, &one->stage);
}

void bp_one_case_destroy(bp_one_case *one)
{
  bp_stage_destroy(one->stage);
  bp_cases_destroy(one->cases);
}

void bp_one_case_print(const bp_one_case *one)
{
  const bp_case *c = one->c;
  const bp_system *s = one->stage->system;
  char *mesh = bp_case_mesh_name(one->config, c);
  const char *points = c->quadrature, *geometry = bp_space_geometry(c->space);
  const int degree = bp_operator_degree(c->op, c->space);
  if (!c->kind->has_mesh)
    bp_print(stdout, "%s, %s %d, %s\n", bp_case_problem(c),
             c->kind->by_species ? "species" : "degree", degree, mesh);
  else
    bp_print(stdout, "%s, degree %d%s%s%s%s%s, lambda %g, %lld element%s of %s", bp_case_problem(c),
             degree, *points ? ", " : "", points, *points ? " points" : "", *geometry ? ", " : "",
             geometry, c->lambda, (long long)c->elements, c->elements == 1 ? "" : "s", mesh);
  if (s)
    printf(": %lld unknowns%s, %lld of them fixed\n", (long long)bp_system_total(s),
           s->row->components > 1 ? " of 3 components" : "", (long long)bp_system_total_fixed(s));
  else if (c->kind->has_mesh)
    printf("\n");
  if (one->stage->rounding > 0)
    printf("factors rounded to floats change the operator by %.2g of itself at most\n",
           one->stage->rounding);
  bp_free(mesh);
}

char *bp_one_case_variant(const bp_one_case *one)
{
  if (!one->choice)
    return bp_strdup("reference");
  char *options = bp_choice_options(one->choice);
  char *name = bp_format("%s%s%s", one->choice->variant->name, *options ? " " : "", options);
  bp_free(options);
  return name;
}

static bp_status write_array(void *prefix, const char *name, bp_npy_type type, int rank,
                             const int64_t *shape, const void *data)
{
  char *path = bp_format("%s-%s.npy", (const char *)prefix, name);
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

bp_files bp_one_case_files(const bp_one_case *one)
{
  return (bp_files){write_array, (void *)one->prefix};
}
