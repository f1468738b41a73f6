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
  bool rotated = strcmp(rest, " rotated") == 0, tiled = strcmp(rest, " tiled") == 0;
  bool turned = strcmp(rest, " turned") == 0, has_order = rotated || tiled || turned;
  bool valid = (has_order || *rest == '\0') && align >= 1 && align <= 64 && order[0] == 'e';
  for (int n = 0; n < LETTERS - 1; ++n)
    valid = valid && strchr(order, letters[n]) &&
            strchr(order, letters[n]) == strrchr(order, letters[n]);
  bool has_lanes = strchr(order, 'l') != NULL;
  valid = valid && strlen(order) == (size_t)(LETTERS - 1 + has_lanes);
  valid = valid && !(has_order && strcmp(order + LETTERS - 3, "ji") != 0);
  if (!valid)
    return bp_fail(
        BP_BAD_INPUT,
        "factors '%s': expected e first, then c k j i and perhaps l once each, then "
        "perhaps 'align DOUBLES', then, after ...ji, perhaps 'rotated', 'tiled' or 'turned'",
        text);
  *layout = (bp_layout){.lanes = has_lanes ? lanes : 1,
                        .align = align,
                        .rotated = rotated,
                        .tiled = tiled,
                        .turned = turned};
  memcpy(layout->order, order, sizeof order);
  return BP_OK;
}

bool bp_layout_is_same(const bp_layout *a, const bp_layout *b)
{
  return strcmp(a->order, b->order) == 0 && a->lanes == b->lanes && a->align == b->align &&
         a->rotated == b->rotated && a->tiled == b->tiled && a->turned == b->turned;
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

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* How far apart the rows are that half a warp reads. */
static int rows_apart(int nq)
{
  return nq % 2 || nq % 8 == 0 ? 4 : nq % 4 == 2 ? 2 : 1;
}

/* Rows before row j. */
static int tiled_row(int j, int apart, int nc)
{
  int before = j / apart;
  for (int first = 0; first < j % apart; ++first)
    before += (nc - first + apart - 1) / apart;
  return before;
}

/* Where entry i of row j lies in a slice: behind whole groups of four columns and their mirror images. */
static int tiled_index(int j, int i, int apart, int nc)
{
  int half = (nc + 1) / 2, mirror = nc - 1 - i, nearest = least(i, mirror), group = nearest / 4;
  int columns = least(4, half - 4 * group), before = 8 * group;
  if (i > mirror) {
    before += columns;
    columns = least(4, nc / 2 - 4 * group);
  }
  return before * nc + tiled_row(j, apart, nc) * columns + nearest % 4;
}

/* The same with rows and columns exchanged, and with a column next to its mirror image where all have one. */
static int turned_index(int j, int i, int nc)
{
  if (nc % 2)
    return tiled_index(i, j, 2, nc);
  int column = least(i, nc - 1 - i), row = least(j, nc - 1 - j), beyond = nc / 2 - 4;
  int group = row / 4, rows = least(4, nc / 2 - 4 * group);
  int pair = column < 4 ? column + least(column, beyond > 0 ? beyond : 0) : 2 * (column - 4) + 1;
  int before = 8 * group + (j > row ? rows : 0);
  return before * nc + (pair * rows + row % 4) * 2 + (i > column);
}

/* Where the points of a slice lie. */
static void find_places(const bp_layout *layout, const int64_t *stride, const bp_problem *problem,
                        int64_t *place)
{
  int nq = problem->basis.nq, nc = problem->basis.nc;
  bool rotated = layout->rotated && nc % 2 == 0;
  for (int j = 0; j < nc; ++j)
    for (int i = 0; i < nc; ++i)
      place[j * nc + i] = layout->tiled ? tiled_index(j, i, rows_apart(nq), nc)
                          : layout->turned
                              ? turned_index(j, i, nc)
                              : j * stride[J] + (rotated ? (i + j) % nc : i) * stride[I];
}

static void fill_element(const int64_t *stride, const int64_t *place, const bp_problem *problem,
                         int64_t e, double *to)
{
  int nc = problem->basis.nc, components = problem->op->components;
  const double *from = problem->factors + e * components * nc * nc * nc;
  for (int c = 0; c < components; ++c)
    for (int k = 0; k < nc; ++k)
      for (int n = 0; n < nc * nc; ++n)
        to[c * stride[C] + k * stride[K] + place[n]] = *from++;
}

void bp_layout_fill(const bp_layout *layout, const bp_problem *problem, double *factors)
{
  int64_t stride[LETTERS], group_count = strides_of(layout, problem, stride);
  int64_t place[BP_POINTS_MAX * BP_POINTS_MAX];
  find_places(layout, stride, problem, place);
  int64_t used = problem->op->components * (int64_t)layout->lanes * problem->basis.nc *
                 problem->basis.nc * problem->basis.nc;
#pragma omp parallel for schedule(static)
  for (int64_t g = 0; g < groups_of(layout, problem); ++g) {
    double *to = factors + g * group_count;
    for (int lane = 0; lane < layout->lanes; ++lane) {
      int64_t e = g * layout->lanes + lane;
      fill_element(stride, place, problem, e < problem->elements ? e : problem->elements - 1,
                   to + lane * stride[L]);
    }
    for (int64_t n = used; n < group_count; ++n)
      to[n] = 0;
  }
}
