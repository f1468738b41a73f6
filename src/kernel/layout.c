/* layout.c -- reordering geometric factors. */
#include "kernel/layout.h"

#include <stdio.h>
#include <string.h>

enum { E, C, K, J, I, L, LETTERS };
static const char letters[LETTERS + 1] = "eckjil";

bp_status bp_layout_parse(const char *text, int lanes, bp_layout *layout)
{
  char order[8] = "";
  int align = 1, used = 0, more = 0;
  sscanf(text, "%7[eckjil]%n align %d%n", order, &used, &align, &more);
  const char *rest = text + (more ? more : used);
  bool rotated = strcmp(rest, " rotated") == 0;
  bool valid = (rotated || *rest == '\0') && align >= 1 && align <= 64 && order[0] == 'e';
  for (int n = 0; n < LETTERS - 1; ++n)
    valid = valid && strchr(order, letters[n]) &&
            strchr(order, letters[n]) == strrchr(order, letters[n]);
  bool has_lanes = strchr(order, 'l') != NULL;
  valid = valid && strlen(order) == (size_t)(LETTERS - 1 + has_lanes);
  valid = valid && !(rotated && strcmp(order + LETTERS - 3, "ji") != 0);
  if (!valid)
    return bp_fail(BP_BAD_INPUT,
                   "factors '%s': expected e first, then c k j i and perhaps l once each, then "
                   "perhaps 'align DOUBLES', then, after ...ji, perhaps 'rotated'",
                   text);
  *layout = (bp_layout){.lanes = has_lanes ? lanes : 1, .align = align, .rotated = rotated};
  memcpy(layout->order, order, sizeof order);
  return BP_OK;
}

bool bp_layout_is_same(const bp_layout *a, const bp_layout *b)
{
  return strcmp(a->order, b->order) == 0 && a->lanes == b->lanes && a->align == b->align &&
         a->rotated == b->rotated;
}

/* stride[letter] in doubles; returns the doubles of one group of elements, padding included. */
static int64_t strides_of(const bp_layout *layout, const bp_problem *problem,
                          int64_t stride[LETTERS])
{
  int nc = problem->basis.nc;
  const int64_t extent[LETTERS] = {0, problem->op->components, nc, nc, nc, layout->lanes};
  int64_t step = 1;
  stride[L] = 0;
  for (size_t n = strlen(layout->order); n-- > 1;) {
    int letter = (int)(strchr(letters, layout->order[n]) - letters);
    stride[letter] = step;
    step *= extent[letter];
  }
  return stride[E] = (step + layout->align - 1) / layout->align * layout->align;
}

static int64_t groups_of(const bp_layout *layout, const bp_problem *problem)
{
  return (problem->elements + layout->lanes - 1) / layout->lanes;
}

int64_t bp_layout_count(const bp_layout *layout, const bp_problem *problem)
{
  int64_t stride[LETTERS];
  return groups_of(layout, problem) * strides_of(layout, problem, stride);
}

static void fill_element(const int64_t *stride, bool rotated, const bp_problem *problem, int64_t e,
                         double *to)
{
  int nc = problem->basis.nc, components = problem->op->components;
  const double *from = problem->factors + e * components * nc * nc * nc;
  for (int c = 0; c < components; ++c)
    for (int k = 0; k < nc; ++k)
      for (int j = 0; j < nc; ++j)
        for (int i = 0; i < nc; ++i)
          to[c * stride[C] + k * stride[K] + j * stride[J] +
             (rotated ? (i + j) % nc : i) * stride[I]] = *from++;
}

void bp_layout_fill(const bp_layout *layout, const bp_problem *problem, double *factors)
{
  int64_t stride[LETTERS], group_count = strides_of(layout, problem, stride);
  int64_t used = problem->op->components * (int64_t)layout->lanes * problem->basis.nc *
                 problem->basis.nc * problem->basis.nc;
#pragma omp parallel for schedule(static)
  for (int64_t g = 0; g < groups_of(layout, problem); ++g) {
    double *to = factors + g * group_count;
    for (int lane = 0; lane < layout->lanes; ++lane) {
      int64_t e = g * layout->lanes + lane;
      fill_element(stride, layout->rotated && problem->basis.nc % 2 == 0, problem,
                   e < problem->elements ? e : problem->elements - 1, to + lane * stride[L]);
    }
    for (int64_t n = used; n < group_count; ++n)
      to[n] = 0;
  }
}
