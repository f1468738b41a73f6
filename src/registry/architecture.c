/* architecture.c -- the table, and how kernels and `best` hear of it. */
#include "registry/architecture.h"

#include "base/text.h"
#include <stdio.h>
#include <string.h>

enum {
  AMPERE = BP_HAS_ASYNC | BP_HAS_MMA | BP_HAS_L2_POLICIES,
  HOPPER = AMPERE | BP_HAS_BULK | BP_HAS_MMA_16
};

const bp_architecture bp_architectures[] = {
    {75, 0, 64, 32},      {80, AMPERE, 163, 2}, {86, AMPERE, 99, 64},   {87, AMPERE, 163, 64},
    {89, AMPERE, 99, 64}, {90, HOPPER, 227, 2}, {103, HOPPER, 227, 50}, {120, HOPPER, 99, 64},
};
const int bp_architectures_count = sizeof bp_architectures / sizeof *bp_architectures;

static const struct {
  const char *name, *define;
  int feature;
} features[BP_FEATURES] = {
    {"async", "ASYNC", BP_HAS_ASYNC}, {"mma", "MMA", BP_HAS_MMA},
    {"bulk", "BULK", BP_HAS_BULK},    {NULL, "L2_POLICIES", BP_HAS_L2_POLICIES},
    {NULL, "MMA_16", BP_HAS_MMA_16},
};

const bp_architecture *bp_architecture_of(int sm)
{
  const bp_architecture *found = bp_architectures;
  for (int n = 1; n < bp_architectures_count; ++n)
    if (bp_architectures[n].sm <= sm)
      found = &bp_architectures[n];
  return found;
}

bp_status bp_architecture_read(const char *place, const char *name, int *sm)
{
  int end = 0;
  if (sscanf(name, "sm_%d%n", sm, &end) == 1 && !name[end] && *sm >= 10)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT, "%s: expected a name such as sm_90, found '%s'", place, name);
}

bool bp_feature_find(const char *name, int *feature)
{
  *feature = 0;
  for (int n = 0; n < BP_FEATURES; ++n)
    if (features[n].name && strcmp(features[n].name, name) == 0)
      *feature = features[n].feature;
  return *feature || strcmp(name, "none") == 0;
}

const char *bp_feature_lacking(int wanted, int sm)
{
  const int lacking = wanted & ~bp_architecture_of(sm)->features;
  for (int n = 0; n < BP_FEATURES; ++n)
    if (features[n].name && lacking & features[n].feature)
      return features[n].name;
  return "";
}

const char *bp_architecture_class(char text[BP_CLASS_MAX], int sm)
{
  const bp_architecture *a = bp_architecture_of(sm);
  snprintf(text, BP_CLASS_MAX, "%s:%d",
           a->features & BP_HAS_BULK    ? "bulk"
           : a->features & BP_HAS_ASYNC ? "async"
                                        : "none",
           a->shared_kb);
  return text;
}

int bp_architecture_defines(int sm, char *defines[BP_FEATURES])
{
  const int has = bp_architecture_of(sm)->features;
  for (int n = 0; n < BP_FEATURES; ++n)
    defines[n] = bp_format("-DBP_HAS_%s=%d", features[n].define, (has & features[n].feature) != 0);
  return BP_FEATURES;
}
