/* cells.c -- numbering corners, edges and faces of elements of any shape. */
#include "mesh/cells.h"

#include "base/memory.h"
#include "base/random.h"
#include "mesh/mesh.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int bp_cell_corners(bp_cell shape)
{
  return bp_cell_count(shape, 2);
}

int bp_cell_edges(bp_cell shape)
{
  static const int edges[BP_CELLS] = {
      [BP_HEXAHEDRON] = 12, [BP_TRIANGLE] = 3, [BP_QUADRILATERAL] = 4, [BP_TETRAHEDRON] = 6};
  return edges[shape];
}

/* Of simplices every two corners, else those that differ in one direction. */
void bp_cell_edge(bp_cell shape, int n, int pair[2])
{
  int corners = bp_cell_corners(shape);
  for (int a = 0; a < corners; ++a)
    for (int b = a + 1; b < corners; ++b) {
      int differs = a ^ b;
      if (!bp_cell_is_simplex(shape) && (differs & (differs - 1)))
        continue;
      if (n-- == 0) {
        pair[0] = a;
        pair[1] = b;
      }
    }
}

int bp_cell_faces(bp_cell shape)
{
  return shape == BP_TETRAHEDRON ? 4 : shape == BP_HEXAHEDRON ? 6 : 0;
}

/* Three or four corners, rising. */
static int list_corners(bp_cell shape, int n, int corners[4])
{
  int count = 0;
  for (int c = 0; c < bp_cell_corners(shape); ++c)
    if (shape == BP_TETRAHEDRON ? c != n : (c >> n / 2 & 1) == n % 2)
      corners[count++] = c;
  return count;
}

/* ---- a hash table of edges or faces by their lowest corners ---- */

enum { KEY = 3 };

typedef struct {
  int32_t key[KEY], id; /* -1: free */
} entry;

typedef struct {
  entry *entries;
  uint64_t mask, seed;
  int64_t count;
} table;

static uint64_t place_of(const table *t, const int32_t *key)
{
  uint64_t z = t->seed;
  for (int n = 0; n < KEY; ++n) {
    z = (z ^ (uint32_t)key[n]) * 0xbf58476d1ce4e5b9u;
    z ^= z >> 31;
  }
  return z & t->mask;
}

static entry *find(const table *t, const int32_t *key)
{
  uint64_t at = place_of(t, key);
  while (t->entries[at].id >= 0 && memcmp(t->entries[at].key, key, sizeof t->entries->key) != 0)
    at = (at + 1) & t->mask;
  return &t->entries[at];
}

static entry *new_entries(uint64_t size)
{
  entry *entries = bp_alloc_array(size, sizeof *entries);
  memset(entries, 0xff, size * sizeof *entries);
  return entries;
}

static void grow(table *t)
{
  entry *old = t->entries;
  uint64_t size = t->mask + 1;
  t->entries = new_entries(2 * size);
  t->mask = 2 * size - 1;
  for (uint64_t n = 0; n < size; ++n)
    if (old[n].id >= 0)
      *find(t, old[n].key) = old[n];
  bp_free(old);
}

static int compare(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The number of what has these corners, a new one if it is met for the first time. */
static int32_t number_of(table *t, int32_t *corners, int count)
{
  int32_t key[KEY] = {-1, -1, -1};
  qsort(corners, (size_t)count, sizeof *corners, compare);
  memcpy(key, corners, (size_t)(count < KEY ? count : KEY) * sizeof *key);
  entry *e = find(t, key);
  if (e->id >= 0)
    return e->id;
  memcpy(e->key, key, sizeof key);
  e->id = (int32_t)t->count++;
  if (2 * (uint64_t)t->count > t->mask)
    grow(t);
  return (int32_t)t->count - 1;
}

static void start(table *t)
{
  enum { FIRST = 1024 };
  *t = (table){.entries = new_entries(FIRST), .mask = FIRST - 1};
  if (getrandom(&t->seed, sizeof t->seed, GRND_NONBLOCK) < 0)
    t->seed = (uint64_t)(uintptr_t)t;
}

/* ---- numbers ---- */

static void number_corners(bp_cells *c, const int32_t *corners, int64_t most)
{
  int64_t count = c->elements * bp_cell_corners(c->shape);
  int32_t *number = bp_alloc_array((size_t)most, sizeof *number);
  memset(number, 0xff, (size_t)most * sizeof *number);
  for (int64_t n = 0; n < count; ++n) {
    if (number[corners[n]] < 0)
      number[corners[n]] = (int32_t)c->vertices++;
    c->corner[n] = number[corners[n]];
  }
  bp_free(number);
}

static void number_edges(bp_cells *c)
{
  int edges = bp_cell_edges(c->shape), corners = bp_cell_corners(c->shape),
      pair[BP_CELL_EDGES_MAX][2];
  table t;
  start(&t);
  for (int n = 0; n < edges; ++n)
    bp_cell_edge(c->shape, n, pair[n]);
  for (int64_t e = 0; e < c->elements; ++e)
    for (int n = 0; n < edges; ++n) {
      const int32_t *own = c->corner + e * corners;
      int32_t ends[2] = {own[pair[n][0]], own[pair[n][1]]};
      c->edge[e * edges + n] = number_of(&t, ends, 2);
    }
  c->edges = t.count;
  bp_free(t.entries);
}

static void number_faces(bp_cells *c)
{
  int faces = bp_cell_faces(c->shape), corners = bp_cell_corners(c->shape), count = 0,
      of[BP_CELL_FACES_MAX][4];
  table t;
  start(&t);
  for (int n = 0; n < faces; ++n)
    count = list_corners(c->shape, n, of[n]);
  for (int64_t e = 0; e < c->elements; ++e)
    for (int n = 0; n < faces; ++n) {
      int32_t own[4] = {0};
      for (int m = 0; m < count; ++m)
        own[m] = c->corner[e * corners + of[n][m]];
      c->face[e * faces + n] = number_of(&t, own, count);
    }
  c->faces = t.count;
  bp_free(t.entries);
}

bp_cells *bp_cells_create(const char *name, bp_cell shape, int64_t elements, const int32_t *corners,
                          int64_t most)
{
  bp_cells *c = bp_alloc(1, sizeof *c);
  size_t count = (size_t)elements;
  c->name = bp_strdup(name);
  c->shape = shape;
  c->elements = elements;
  c->corner = bp_alloc_array(count * (size_t)bp_cell_corners(shape), sizeof *c->corner);
  c->edge = bp_alloc_array(count * (size_t)bp_cell_edges(shape), sizeof *c->edge);
  c->face = bp_alloc_array(count * (size_t)bp_cell_faces(shape), sizeof *c->face);
  number_corners(c, corners, most);
  number_edges(c);
  number_faces(c);
  return c;
}

void bp_cells_destroy(bp_cells *cells)
{
  if (!cells)
    return;
  bp_free(cells->name);
  bp_free(cells->corner);
  bp_free(cells->edge);
  bp_free(cells->face);
  bp_free(cells);
}
