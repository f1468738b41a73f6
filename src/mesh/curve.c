/* curve.c -- Hilbert's curve, a parallel radix sort by place on it, and a mesh in that order. */
#include "mesh/curve.h"

#include "base/memory.h"
#include <math.h>
#include <omp.h>
#include <string.h>

static unsigned rotate_left(unsigned bits, unsigned by)
{
  return (bits << by | bits >> (3 - by)) & 7;
}

static unsigned gray_inverse(unsigned bits)
{
  return bits ^ bits >> 1 ^ bits >> 2;
}

/* A cube's octants are walked in the order of the Gray code, seen from the corner `entry` with axis
 * `axis` as the last to change; inside each octant the walk is the same, turned so that it enters
 * where the octant before was left. */
uint64_t bp_curve_place(const uint32_t cell[3])
{
  static const unsigned entries[8] = {0, 0, 0, 3, 3, 6, 6, 5}, axes[8] = {0, 1, 1, 2, 2, 1, 1, 0};
  uint64_t place = 0;
  unsigned entry = 0, axis = 0;
  for (int bit = BP_CURVE_BITS - 1; bit >= 0; --bit) {
    unsigned octant = (cell[0] >> bit & 1) | (cell[1] >> bit & 1) << 1 | (cell[2] >> bit & 1) << 2;
    unsigned turn = (axis + 1) % 3;
    unsigned step = gray_inverse(rotate_left(octant ^ entry, (3 - turn) % 3));
    place = place << 3 | step;
    entry ^= rotate_left(entries[step], turn);
    axis = (axis + axes[step] + 1) % 3;
  }
  return place;
}

/* ---- sorting ---- */

typedef struct {
  uint64_t place;
  int64_t element;
} item;

enum { DIGIT_BITS = 9, DIGITS = 1 << DIGIT_BITS, PASSES = 7 };
_Static_assert(DIGIT_BITS *PASSES >= 3 * BP_CURVE_BITS, "all of a place is sorted by");

/* counts[thread][digit] become the places where each thread's items of each digit go. */
static void shift_counts(int threads, int64_t *counts)
{
  int64_t total = 0;
  for (int digit = 0; digit < DIGITS; ++digit)
    for (int thread = 0; thread < threads; ++thread) {
      int64_t own = counts[thread * DIGITS + digit];
      counts[thread * DIGITS + digit] = total;
      total += own;
    }
}

/* One pass: stable, since a thread's share is a run of `from`. */
static void sort_by_digit(int64_t count, int shift, int64_t *counts, const item *from, item *to)
{
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t first = count * thread / threads, last = count * (thread + 1) / threads;
    int64_t *own = counts + thread * DIGITS;
    memset(own, 0, DIGITS * sizeof *own);
    for (int64_t n = first; n < last; ++n)
      ++own[from[n].place >> shift & (DIGITS - 1)];
#pragma omp barrier
#pragma omp single
    shift_counts((int)threads, counts);
    for (int64_t n = first; n < last; ++n)
      to[own[from[n].place >> shift & (DIGITS - 1)]++] = from[n];
  }
}

/* Returns the one of the two arrays that is sorted in the end. */
static item *sort(int64_t count, item *items, item *other)
{
  int64_t *counts = bp_alloc((size_t)omp_get_max_threads() * DIGITS, sizeof *counts);
  for (int pass = 0; pass < PASSES; ++pass) {
    sort_by_digit(count, pass * DIGIT_BITS, counts, items, other);
    item *swap = items;
    items = other;
    other = swap;
  }
  bp_free(counts);
  return items;
}

/* ---- the mesh ---- */

typedef struct {
  double low[3], extent;
} cube;

static cube bounding_cube(const bp_mesh *mesh)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
#pragma omp parallel for reduction(min : low[:3]) reduction(max : high[:3])
  for (int64_t n = 0; n < mesh->nodes; ++n)
    for (int d = 0; d < 3; ++d) {
      low[d] = fmin(low[d], mesh->x[3 * n + d]);
      high[d] = fmax(high[d], mesh->x[3 * n + d]);
    }
  cube c = {.low = {low[0], low[1], low[2]}};
  for (int d = 0; d < 3; ++d)
    c.extent = fmax(c.extent, high[d] - low[d]);
  return c;
}

/* Of the element's centre; halves keep sums of huge coordinates finite. */
static uint64_t place_of(const bp_mesh *mesh, const cube *c, int64_t e)
{
  const double cells = 1 << BP_CURVE_BITS;
  uint32_t cell[3];
  for (int d = 0; d < 3; ++d) {
    double centre = 0;
    for (int corner = 0; corner < 8; ++corner)
      centre += (mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, corner) + d] - c->low[d]) / 8;
    cell[d] = (uint32_t)fmin(cells - 1, floor(centre / c->extent * cells));
  }
  return bp_curve_place(cell);
}

static item *sorted_items(const bp_mesh *mesh, item **unused)
{
  size_t count = (size_t)mesh->elements;
  item *items = bp_alloc_array(count, sizeof *items), *other = bp_alloc_array(count, sizeof *other);
  cube c = bounding_cube(mesh);
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < mesh->elements; ++e)
    items[e] = (item){.place = place_of(mesh, &c, e), .element = e};
  item *sorted = sort(mesh->elements, items, other);
  *unused = sorted == items ? other : items;
  return sorted;
}

/* The block that element e was in. */
static int64_t block_of(const bp_mesh *mesh, int64_t e)
{
  int64_t low = 0, high = mesh->blocks_count - 1;
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    if (mesh->blocks[middle].first <= e)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Runs of elements that come from the same block. */
static void sort_blocks(bp_mesh *mesh, const item *items)
{
  if (mesh->blocks_count < 2)
    return;
  int64_t count = 0, capacity = 0, before = -1;
  bp_mesh_block *blocks = NULL;
  for (int64_t n = 0; n < mesh->elements; ++n) {
    int64_t from = block_of(mesh, items[n].element);
    if (!blocks || from != before) {
      if (count == capacity)
        blocks = bp_realloc(blocks, (size_t)(capacity = 2 * capacity + 16), sizeof *blocks);
      blocks[count] = mesh->blocks[from];
      blocks[count].first = n;
      blocks[count++].count = 0;
    }
    ++blocks[count - 1].count;
    before = from;
  }
  bp_free(mesh->blocks);
  mesh->blocks = blocks;
  mesh->blocks_count = count;
}

void bp_mesh_sort(bp_mesh *mesh, int64_t *former)
{
  item *unused, *items = sorted_items(mesh, &unused);
  int64_t size = bp_mesh_element_nodes(mesh);
  size_t elements = (size_t)mesh->elements;
  int32_t *node = bp_alloc_array(elements * (size_t)size, sizeof *node);
  int64_t *tag = bp_alloc_array(elements, sizeof *tag);
  int32_t *partition = mesh->partition ? bp_alloc_array(elements, sizeof *partition) : NULL;
  sort_blocks(mesh, items);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < mesh->elements; ++n) {
    int64_t e = items[n].element;
    memcpy(node + n * size, mesh->node + e * size, (size_t)size * sizeof *node);
    tag[n] = mesh->tag[e];
    if (partition)
      partition[n] = mesh->partition[e];
    if (former)
      former[n] = e;
  }
  bp_free(mesh->node);
  bp_free(mesh->tag);
  mesh->node = node;
  mesh->tag = tag;
  bp_free(mesh->partition);
  mesh->partition = partition;
  bp_free(items);
  bp_free(unused);
}
