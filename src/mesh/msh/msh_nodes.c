/* msh_nodes.c -- the sections of nodes: lists (1.0, 2.x), blocks (4.x), parametric ones. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include "mesh/number.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const number_of_nodes = "the number of nodes";
static const char *const node_tag = "the tag of a node";
static const char *const coordinate = "a finite coordinate";

static void reserve_nodes(bp_msh *msh, int64_t more)
{
  int64_t count = msh->nodes + more;
  if (!bp_msh_ok(msh) || count <= msh->nodes_capacity)
    return;
  if (count > INT32_MAX) {
    bp_msh_fail(msh, msh->p, "expected at most %d nodes, found %" PRId64, INT32_MAX, count);
    return;
  }
  int64_t *tags = bp_alloc_array((size_t)count, sizeof *tags);
  double *x = bp_alloc_array((size_t)count, 3 * sizeof *x);
  if (msh->nodes) {
    memcpy(tags, msh->node_tag, (size_t)msh->nodes * sizeof *tags);
    memcpy(x, msh->x, (size_t)msh->nodes * 3 * sizeof *x);
  }
  bp_free(msh->node_tag);
  bp_free(msh->x);
  msh->node_tag = tags;
  msh->x = x;
  msh->nodes_capacity = count;
}

static void add_batch(bp_msh *msh, const char *at, int64_t step)
{
  if (!bp_msh_ok(msh))
    return;
  BP_MSH_GROW(msh, batches);
  msh->batches[msh->batches_count++] = (bp_msh_batch){msh->nodes, at, step};
}

/* ---- text: lines of a tag and coordinates, of tags alone, of coordinates alone ---- */

typedef struct {
  bp_msh *msh;
  bool tags, coordinates;
  int parameters; /* numbers after the coordinates, not kept */
  int64_t base;   /* of the block's first node */
} layout;

static int64_t read_lines(const void *context, const char *begin, const char *end, int64_t limit,
                          void *buffer, const char **stop)
{
  const layout *l = context;
  double *x = (void *)((char *)buffer + BP_MSH_HEAD), unused;
  int64_t count = 0;
  const char *p = begin;
  for (const char *q; p < end && count < limit; p = q + 1, ++count) {
    q = p;
    if (l->tags) {
      int64_t tag;
      if (!(q = bp_scan_int(q, &tag)) || tag < 0)
        break;
      memcpy(x++, &tag, sizeof tag);
    }
    for (int d = 0; q && l->coordinates && d < 3; ++d)
      q = bp_scan_double(q, end, x++);
    for (int n = 0; q && n < l->parameters; ++n)
      q = bp_scan_double(q, end, &unused);
    if (!q || *(q = bp_skip_blanks(q)) != '\n')
      break;
  }
  *stop = p;
  return count;
}

static void keep_lines(void *context, const void *buffer, int64_t count)
{
  layout *l = context;
  bp_msh *msh = l->msh;
  const double *x = (const void *)((const char *)buffer + BP_MSH_HEAD);
  for (int64_t n = l->base; n < l->base + count; ++n) {
    if (l->tags)
      memcpy(&msh->node_tag[n], x++, sizeof *x);
    if (l->coordinates) {
      memcpy(&msh->x[3 * n], x, 3 * sizeof *x);
      x += 3;
    }
  }
  l->base += count;
}

static void take_node(void *context)
{
  layout *l = context;
  bp_msh *msh = l->msh;
  if (l->tags)
    msh->node_tag[l->base] = bp_msh_take_tag(msh, node_tag);
  for (int d = 0; l->coordinates && d < 3; ++d)
    msh->x[3 * l->base + d] = bp_msh_take_double(msh, coordinate);
  for (int n = 0; n < l->parameters; ++n)
    bp_msh_take_double(msh, "a parametric coordinate");
  ++l->base;
}

static void read_text(layout *l, int64_t count)
{
  const bp_msh_lines lines = {read_lines, keep_lines, take_node, l};
  bp_msh_read_lines(l->msh, &lines, count);
}

/* ---- binary ---- */

enum { BATCH = 32768 }; /* nodes that a thread takes at once */

/* Nodes first..last-1 of those that follow msh->nodes, tags and coordinates each at their own step; returns
 * the first bad one, or `last`. */
static int64_t decode_batch(const bp_msh *msh, const char *tags, int64_t tags_step, int tag_width,
                            const char *x, int64_t x_step, int64_t first, int64_t last)
{
  int64_t bad = last, base = msh->nodes;
  bool swap = msh->swap;
  for (int64_t n = first; n < last; ++n) {
    int64_t tag = bp_msh_load_int(tags + n * tags_step, tag_width, swap);
    double *to = &msh->x[3 * (base + n)];
    for (int d = 0; d < 3; ++d)
      to[d] = bp_msh_load_double(x + n * x_step + 8 * d, swap);
    msh->node_tag[base + n] = tag;
    if (tag < 0 || !isfinite(to[0]) || !isfinite(to[1]) || !isfinite(to[2]))
      bad = n < bad ? n : bad;
  }
  bp_msh_drop(msh, tags + first * tags_step, tags + last * tags_step);
  bp_msh_drop(msh, x + first * x_step, x + last * x_step);
  return bad;
}

static void decode_nodes(bp_msh *msh, const char *tags, int64_t tags_step, int tag_width,
                         const char *x, int64_t x_step, int64_t count)
{
  int64_t bad = count, base = msh->nodes, batches = (count + BATCH - 1) / BATCH;
#pragma omp parallel for reduction(min : bad) schedule(dynamic, 1) if (batches > 1)
  for (int64_t b = 0; b < batches; ++b) {
    int64_t first = b * BATCH, last = first + BATCH < count ? first + BATCH : count;
    int64_t found = decode_batch(msh, tags, tags_step, tag_width, x, x_step, first, last);
    bad = found < last && found < bad ? found : bad;
  }
  if (bad == count) {
    msh->nodes += count;
    return;
  }
  int64_t tag = msh->node_tag[base + bad];
  if (tag < 0)
    bp_msh_fail(msh, tags + bad * tags_step, "expected %s, found %" PRId64, node_tag, tag);
  for (int d = 0; d < 3; ++d)
    if (!isfinite(msh->x[3 * (base + bad) + d]))
      bp_msh_fail(msh, x + bad * x_step + 8 * d, "expected %s, found %s", coordinate,
                  isnan(msh->x[3 * (base + bad) + d]) ? "nan" : "infinity");
}

enum { RECORD = 4 + 3 * 8 }; /* a tag and coordinates in binary 2.x and 4.0 */

static void read_records(bp_msh *msh, int64_t count, int64_t step)
{
  const char *first = bp_msh_take_bytes(msh, "nodes", count, step);
  add_batch(msh, first, step);
  if (first)
    decode_nodes(msh, first, step, 4, first + 4, step, count);
}

/* ---- the sections ---- */

void bp_msh_read_nodes(bp_msh *msh)
{
  int64_t count = bp_msh_take_count(msh, number_of_nodes, 8, RECORD);
  reserve_nodes(msh, count);
  if (!bp_msh_ok(msh))
    return;
  if (msh->binary) {
    read_records(msh, count, RECORD);
    return;
  }
  layout l = {.msh = msh, .tags = true, .coordinates = true, .base = msh->nodes};
  add_batch(msh, msh->p, 4);
  read_text(&l, count);
  msh->nodes += count;
}

/* $ParametricNodes: after the coordinates the dimension and the tag of the entity that the node
 * lies on, and as many parameters as that dimension, but none in a volume. */
void bp_msh_read_parametric_nodes(bp_msh *msh)
{
  int64_t count = bp_msh_take_count(msh, number_of_nodes, 12, RECORD + 8);
  reserve_nodes(msh, count);
  for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n) {
    add_batch(msh, msh->p, 0);
    int64_t tag = msh->binary ? bp_msh_take_int(msh, node_tag) : bp_msh_take_tag(msh, node_tag);
    for (int d = 0; d < 3; ++d)
      msh->x[3 * msh->nodes + d] = bp_msh_take_double(msh, coordinate);
    int dimension = bp_msh_take_int(msh, "the dimension of an entity");
    bp_msh_take_int(msh, "the tag of an entity");
    for (int d = 0; d < dimension && dimension < 3 && bp_msh_ok(msh); ++d)
      bp_msh_take_double(msh, "a parametric coordinate");
    msh->node_tag[msh->nodes++] = tag;
  }
}

/* 4.1: all tags of a block, then all coordinates. 4.0: node after node. */
static void read_block(bp_msh *msh, int64_t count, int parameters)
{
  int64_t step = 8 * (3 + parameters);
  if (msh->binary && msh->version == 40) {
    read_records(msh, count, 4 + step);
  } else if (msh->binary) {
    const char *tags = bp_msh_take_bytes(msh, "tags of nodes", count, msh->width);
    add_batch(msh, tags, msh->width);
    const char *x = bp_msh_take_bytes(msh, "coordinates", count, step);
    if (x)
      decode_nodes(msh, tags, msh->width, msh->width, x, step, count);
  } else if (msh->version == 40) {
    layout l = {msh, true, true, parameters, msh->nodes};
    add_batch(msh, msh->p, 4 + parameters);
    read_text(&l, count);
    msh->nodes += count;
  } else {
    layout tags = {.msh = msh, .tags = true, .base = msh->nodes};
    layout x = {msh, false, true, parameters, msh->nodes};
    add_batch(msh, msh->p, 1);
    read_text(&tags, count);
    if (bp_msh_ok(msh))
      read_text(&x, count);
    msh->nodes += count;
  }
}

void bp_msh_read_node_blocks(bp_msh *msh)
{
  int width = msh->width;
  int64_t blocks = bp_msh_take_count(msh, "the number of blocks of nodes", 8, 12 + width);
  const char *at = msh->p;
  int64_t total = bp_msh_take_count(msh, number_of_nodes, 8, 3 * 8 + 4);
  int64_t expected = msh->nodes + total;
  if (msh->version == 41) {
    bp_msh_take_size(msh, "the smallest tag of a node");
    bp_msh_take_size(msh, "the largest tag of a node");
  }
  reserve_nodes(msh, total);
  for (int64_t b = 0; b < blocks && bp_msh_ok(msh); ++b) {
    int one = bp_msh_take_int(msh, "the dimension or tag of an entity");
    int other = bp_msh_take_int(msh, "the dimension or tag of an entity");
    const char *parametric_at = msh->p;
    int parametric = bp_msh_take_int(msh, "0 or 1 for parametric coordinates");
    const char *count_at = msh->p;
    int64_t count = bp_msh_take_size(msh, number_of_nodes);
    int dimension = msh->version == 41 ? one : other;
    if (bp_msh_ok(msh) && (dimension < 0 || dimension > 3))
      bp_msh_fail(msh, parametric_at, "expected the dimension of an entity, 0 to 3, found %d",
                  dimension);
    if (bp_msh_ok(msh) && parametric != 0 && parametric != 1)
      bp_msh_fail(msh, parametric_at, "expected 0 or 1 for parametric coordinates, found %d",
                  parametric);
    if (bp_msh_ok(msh) && count > expected - msh->nodes)
      bp_msh_fail(msh, count_at,
                  "expected at most %" PRId64 " more nodes of the %" PRId64
                  " in this section, found a block of %" PRId64,
                  expected - msh->nodes, total, count);
    if (bp_msh_ok(msh))
      read_block(msh, count, parametric ? dimension : 0);
  }
  if (bp_msh_ok(msh) && msh->nodes != expected)
    bp_msh_fail(msh, at, "expected %" PRId64 " nodes in the blocks, found %" PRId64, total,
                total - (expected - msh->nodes));
}

/* ---- tags ---- */

/* Where node `n` stands in the file. */
static const char *place_of(const bp_msh *msh, int64_t n)
{
  int64_t b = 0;
  while (b + 1 < msh->batches_count && msh->batches[b + 1].first <= n)
    ++b;
  const bp_msh_batch *batch = &msh->batches[b];
  const char *p = batch->at;
  if (msh->binary)
    return p + (n - batch->first) * batch->step;
  p = bp_msh_skip_space(msh, p);
  for (int64_t skip = (n - batch->first) * batch->step; skip > 0; --skip) {
    while (p < msh->end && (unsigned char)*p > ' ')
      ++p;
    p = bp_msh_skip_space(msh, p);
  }
  return p;
}

void bp_msh_map_nodes(bp_msh *msh)
{
  if (!bp_msh_ok(msh) || (msh->mapped_nodes == msh->nodes && msh->nodes))
    return;
  bp_tag_map_destroy(&msh->map);
  int64_t repeated = bp_tag_map_create(&msh->map, msh->node_tag, msh->nodes);
  msh->mapped_nodes = msh->nodes;
  if (repeated >= 0)
    bp_msh_fail(msh, place_of(msh, repeated),
                "expected a new tag of a node, found %" PRId64 " again", msh->node_tag[repeated]);
}
