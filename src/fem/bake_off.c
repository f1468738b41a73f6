/* bake_off.c -- the rows. */
#include "fem/bake_off.h"

#include <stddef.h>
#include <string.h>

const bp_bake_off bp_bake_offs[BP_SOLVES] = {
    {"bp1", "mass, scalar", "bp1.0", "bp1", 1, false},
    {"bp2", "mass, vector", "bp1.0", "bp1", 3, false},
    {"bp3", "stiffness, scalar", "bp3.0", "bp3", 1, true},
    {"bp4", "stiffness, vector", "bp3.0", "bp3", 3, true},
    {"bp5", "stiffness, collocated, scalar", "bp3.5", "bp5", 1, true},
    {"bp6", "stiffness, collocated, vector", "bp3.5", "bp5", 3, true},
    {"wave", "wave equation, leapfrog", "bp3.5", "wave", 1, true},
};

const bp_bake_off *bp_bake_off_find(const char *name)
{
  for (int n = 0; n < BP_SOLVES; ++n)
    if (strcmp(bp_bake_offs[n].name, name) == 0)
      return &bp_bake_offs[n];
  return NULL;
}

const char *bp_bake_off_of_solver(const char *name)
{
  for (int n = 0; n < BP_BAKE_OFFS; ++n)
    if (strncmp(name, "bps", 3) == 0 && strcmp(name + 3, bp_bake_offs[n].name + 2) == 0)
      return bp_bake_offs[n].name;
  return NULL;
}

const char *bp_bake_off_kernels(const char *problem)
{
  const char *solved = bp_bake_off_of_solver(problem);
  const bp_bake_off *row = bp_bake_off_find(solved ? solved : problem);
  const bp_operator *op = bp_operator_find(problem);
  return row ? row->kernels : op ? bp_operator_kernels(op) : problem;
}

bool bp_bake_off_is_wave(const bp_bake_off *row)
{
  return row == &bp_bake_offs[BP_WAVE];
}

const bp_operator *bp_bake_off_operator(const bp_bake_off *row, double lambda)
{
  const bp_operator *op = bp_operator_find(row->operator);
  return lambda == 0 ? bp_operator_without_mass(op) : op;
}

bp_space bp_bake_off_space(const bp_bake_off *row, int degree)
{
  return bp_bake_off_space_with(row, degree, 0, "own");
}

bp_space bp_bake_off_space_with(const bp_bake_off *row, int degree, int beyond, const char *rule)
{
  bp_space space = bp_operator_space_with(bp_operator_find(row->operator), degree, beyond, rule);
  space.fields = row->components;
  return space;
}

bp_status bp_bake_off_check_points(const char *problem, int beyond, const char *rule,
                                   const char *place)
{
  const bp_bake_off *row = bp_bake_off_find(problem);
  const bp_operator *op = bp_operator_find(row ? row->operator : problem);
  if ((!beyond && strcmp(rule, "own") == 0) || (op && !bp_operator_is_collocated(op)))
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected bp1.0, bp3.0 or bp1 to bp4, whose points are free, found %s", place,
                 problem);
}
