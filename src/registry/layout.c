/* layout.c -- reordering geometric factors. */
#include "registry/layout.h"

#include "base/memory.h"
#include "fem/map.h"
#include <stdio.h>
#include <string.h>

enum { E, C, K, J, I, L, LETTERS };
static const char letters[LETTERS + 1] = "eckjil";

static const char *const arrangements[] = {[BP_DENSE] = "",
                                           [BP_ROTATED] = " rotated",
                                           [BP_TILED] = " tiled",
                                           [BP_TRANSPOSED] = " transposed",
                                           [BP_TILED_16] = " tiled 16",
                                           [BP_TILED_16X8] = " tiled 16x8"};

bp_status bp_layout_parse(const char *text, int lanes, bp_layout *layout)
{
  char order[8] = "";
  int align = 1, used = 0, more = 0;
  sscanf(text, "%7[eckjil]%n align %d%n", order, &used, &align, &more);
  const char *rest = text + (more ? more : used);
  bp_arrangement arrangement = BP_DENSE;
  while (arrangement < BP_TILED_16X8 && strcmp(rest, arrangements[arrangement]) != 0)
    ++arrangement;
  bool valid =
      strcmp(rest, arrangements[arrangement]) == 0 && align >= 1 && align <= 64 && order[0] == 'e';
  for (int n = 0; n < LETTERS - 1; ++n)
    valid = valid && strchr(order, letters[n]) &&
            strchr(order, letters[n]) == strrchr(order, letters[n]);
  bool has_lanes = strchr(order, 'l') != NULL;
  valid = valid && strlen(order) == LETTERS - 1 + (size_t)has_lanes;
  bool has_slices = order[LETTERS - 2] != 'c' && order[LETTERS - 3] != 'c';
  valid = valid && !(arrangement == BP_ROTATED && strcmp(order + LETTERS - 3, "ji") != 0) &&
          !(arrangement != BP_DENSE && (has_lanes || !has_slices)) &&
          !(arrangement >= BP_TILED_16 && order[1] != 'c');
  if (!valid)
    return bp_fail(
        BP_BAD_INPUT,
        "factors '%s': expected e first, then c k j i and perhaps l once each, then "
        "perhaps 'align DOUBLES', then perhaps 'rotated' (after ...ji), 'tiled', 'transposed', "
        "'tiled 16' or 'tiled 16x8' (after ec...)",
        text);
  *layout = (bp_layout){.lanes = has_lanes ? lanes : 1, .align = align, .arrangement = arrangement};
  memcpy(layout->order, order, sizeof order);
  return BP_OK;
}

bool bp_layout_is_same(const bp_layout *a, const bp_layout *b)
{
  return strcmp(a->order, b->order) == 0 && a->lanes == b->lanes && a->align == b->align &&
         a->arrangement == b->arrangement;
}

/* stride[letter] in items; returns the items of one group of elements, padding included. */
static int64_t strides_of(const bp_layout *layout, const bp_problem *problem,
                          int64_t stride[LETTERS])
{
  int nc = problem->basis.nc;
  const int64_t extent[LETTERS] = {0, problem->op->components, nc, nc, nc, layout->lanes};
  int64_t step = 1;
  stride[L] = 0;
  if (problem->space.geometry) {
    stride[C] = layout->lanes;
    stride[L] = layout->lanes > 1;
    return stride[E] = bp_operator_factors(problem->op, problem->space) * layout->lanes;
  }
  for (size_t n = strlen(layout->order); n-- > 1;) {
    int letter = (int)(strchr(letters, layout->order[n]) - letters);
    stride[letter] = step;
    step *= extent[letter];
  }
  const int64_t items = layout->align * (int64_t)sizeof(double) / bp_stored_bytes(problem->space);
  const int64_t align = layout->align > 1 ? items : 1;
  return stride[E] = (step + align - 1) / align * align;
}

int64_t bp_layout_groups(const bp_layout *layout, const bp_problem *problem)
{
  return (problem->elements + layout->lanes - 1) / layout->lanes;
}

int64_t bp_layout_count(const bp_layout *layout, const bp_problem *problem)
{
  int64_t stride[LETTERS] = {0};
  return bp_layout_groups(layout, problem) * strides_of(layout, problem, stride);
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

/* Where entry i of row j of `rows` lies: behind whole groups of `width` columns and their mirror images. */
static int tiled_index(int j, int i, int rows, int apart, int width, int nc)
{
  int half = (nc + 1) / 2, mirror = nc - 1 - i, nearest = least(i, mirror), group = nearest / width;
  int columns = least(width, half - width * group), before = 2 * width * group, row = j / apart;
  if (i > mirror) {
    before += columns;
    columns = least(width, nc / 2 - width * group);
  }
  for (int first = 0; first < j % apart; ++first)
    row += (rows - first + apart - 1) / apart;
  return before * rows + row * columns + nearest % width;
}

/* The same with rows and columns exchanged, and with a column next to its mirror image where all have one. */
static int transposed_index(int j, int i, int nc)
{
  if (nc % 2)
    return tiled_index(i, j, nc, 2, 4, nc);
  int column = least(i, nc - 1 - i), row = least(j, nc - 1 - j), beyond = nc / 2 - 4;
  int group = row / 4, rows = least(4, nc / 2 - 4 * group);
  int pair = column < 4 ? column + least(column, beyond > 0 ? beyond : 0) : 2 * (column - 4) + 1;
  int before = 8 * group + (j > row ? rows : 0);
  return before * nc + (pair * rows + row % 4) * 2 + (i > column);
}

/* Where entry i of row j of slice k lies in a component. */
static int tiled_place(const bp_layout *layout, int k, int j, int i, int nq, int nc)
{
  if (layout->arrangement == BP_TILED)
    return k * nc * nc + tiled_index(j, i, nc, rows_apart(nq), 4, nc);
  if (layout->arrangement == BP_TRANSPOSED)
    return k * nc * nc + transposed_index(j, i, nc);
  int row = k * nc + j, within = row % 16, first = row - within, rows = least(16, nc * nc - first);
  if (layout->arrangement == BP_TILED_16X8)
    return first * nc + tiled_index(within, i, rows, 1, 8, nc);
  return first * nc + (rows == 16 ? tiled_index(within, i, 16, 1, 4, nc) : within * nc + i);
}

/* Where the points of a component lie. */
static void find_places(const bp_layout *layout, const int64_t *stride, const bp_problem *problem,
                        int64_t *place)
{
  int nq = problem->basis.nq, nc = problem->basis.nc, letter[3] = {K, J, I};
  bool rotated = layout->arrangement == BP_ROTATED && nc % 2 == 0;
  bool tiled = layout->arrangement >= BP_TILED;
  int found = 0; /* the words' letters of slice, row and column */
  for (const char *word = layout->order; *word; ++word)
    if (strchr("kji", *word))
      letter[found++] = (int)(strchr(letters, *word) - letters);
  for (int k = 0; k < nc; ++k)
    for (int j = 0; j < nc; ++j)
      for (int i = 0; i < nc; ++i) {
        const int index[LETTERS] = {[K] = k, [J] = j, [I] = i};
        int slice = index[letter[0]], row = index[letter[1]], column = index[letter[2]];
        *place++ = tiled ? tiled_place(layout, slice, row, column, nq, nc) +
                               slice * (stride[letter[0]] - nc * nc)
                         : k * stride[K] + j * stride[J] + (rotated ? (i + j) % nc : i) * stride[I];
      }
}

/* Item n of what a kernel takes as stored. */
static void put(const bp_problem *problem, void *items, int64_t n, double x)
{
  if (problem->space.precision == BP_DOUBLE)
    ((double *)items)[n] = x;
  else
    ((float *)items)[n] = (float)x;
}

/* From item `first` on. */
static void fill_element(const int64_t *stride, const int64_t *place, const bp_problem *problem,
                         int64_t e, double *buffer, void *to, int64_t first)
{
  if (problem->space.geometry) {
    double numbers[3 * BP_MAP_TERMS];
    const int count = bp_problem_numbers(problem, e, numbers);
    for (int n = 0; n < count; ++n)
      put(problem, to, first + n * stride[C], numbers[n]);
    return;
  }
  int nc = problem->basis.nc, components = problem->op->components;
  const double *from = bp_problem_element(problem, e, buffer);
  for (int c = 0; c < components; ++c)
    for (int n = 0; n < nc * nc * nc; ++n)
      put(problem, to, first + c * stride[C] + place[n], *from++);
}

void bp_layout_fill(const bp_layout *layout, const bp_problem *problem, void *factors)
{
  bp_layout_fill_part(layout, problem, 0, bp_layout_groups(layout, problem), factors);
}

void bp_layout_fill_part(const bp_layout *layout, const bp_problem *problem, int64_t first,
                         int64_t last, void *factors)
{
  int64_t stride[LETTERS] = {0}, group_count = strides_of(layout, problem, stride);
  int64_t place[BP_POINTS_MAX * BP_POINTS_MAX * BP_POINTS_MAX];
  find_places(layout, stride, problem, place);
  int64_t used = bp_operator_factors(problem->op, problem->space) * layout->lanes;
#pragma omp parallel
  {
    double *buffer = bp_alloc((size_t)bp_problem_buffer(problem), sizeof *buffer);
#pragma omp for schedule(static)
    for (int64_t g = first; g < last; ++g) {
      const int64_t begin = (g - first) * group_count;
      for (int lane = 0; lane < layout->lanes; ++lane) {
        int64_t e = g * layout->lanes + lane;
        fill_element(stride, place, problem, e < problem->elements ? e : problem->elements - 1,
                     buffer, factors, begin + lane * stride[L]);
      }
      for (int64_t n = used; n < group_count; ++n)
        put(problem, factors, begin + n, 0);
    }
    bp_free(buffer);
  }
}
