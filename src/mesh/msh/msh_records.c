/* msh_records.c -- elements in binary: records decoded in parallel, and 2.x's blocks, of which
 * there may be one per element. */
#include "mesh/msh/msh.h"
#include <inttypes.h>

typedef bp_msh_records records;

enum { BATCH = 8192 }; /* records that a thread takes at once */

/* Inlined for each width and byte order, so that the compiler sees both as constants. Decodes records
 * first..last-1; returns the first bad one, or the number of all. */
static inline __attribute__((always_inline)) int64_t decode_batch(const bp_msh *msh, int kind,
                                                                  const records *r, int width,
                                                                  bool swap, int64_t base,
                                                                  int64_t first, int64_t last)
{
  const bp_msh_elements *e = &msh->elements[kind];
  const int nodes = bp_hexahedra[kind].nodes;
  const short *place = msh->place[kind];
  int64_t bad = r->count;
  for (int64_t n = first; n < last; ++n) {
    const char *p = r->first + n * r->step, *q = p + r->nodes_at;
    int32_t *to = &e->node[(base + n) * nodes], missing = 0;
    e->tag[base + n] = bp_msh_load_int(p, width, swap);
    for (int i = 0; i < nodes; ++i, q += width)
      missing |= to[place[i]] = bp_tag_map_find(&msh->map, bp_msh_load_int(q, width, swap));
    if (missing < 0 || e->tag[base + n] < 0)
      bad = n < bad ? n : bad;
  }
  bp_msh_drop(msh, r->first + first * r->step, r->first + last * r->step);
  return bad;
}

static int64_t decode(const bp_msh *msh, int kind, const records *r, int64_t base)
{
  int64_t bad = r->count, batches = (r->count + BATCH - 1) / BATCH;
#pragma omp parallel for reduction(min : bad) schedule(dynamic, 1) if (batches > 1)
  for (int64_t b = 0; b < batches; ++b) {
    int64_t first = b * BATCH, last = first + BATCH < r->count ? first + BATCH : r->count, found;
    if (r->width == 4)
      found = msh->swap ? decode_batch(msh, kind, r, 4, true, base, first, last)
                        : decode_batch(msh, kind, r, 4, false, base, first, last);
    else
      found = msh->swap ? decode_batch(msh, kind, r, 8, true, base, first, last)
                        : decode_batch(msh, kind, r, 8, false, base, first, last);
    bad = found < bad ? found : bad;
  }
  return bad;
}

static void fail_record(bp_msh *msh, int kind, const records *r, int64_t n)
{
  const char *p = r->first + n * r->step, *q = p + r->nodes_at;
  int64_t tag = bp_msh_load_int(p, r->width, msh->swap);
  if (tag < 0)
    bp_msh_fail(msh, p, "expected the tag of an element, found %" PRId64, tag);
  for (int i = 0; i < bp_hexahedra[kind].nodes; ++i, q += r->width) {
    int64_t node = bp_msh_load_int(q, r->width, msh->swap);
    if (bp_tag_map_find(&msh->map, node) < 0)
      bp_msh_fail(msh, q, "expected the tag of a node that $Nodes has, found %" PRId64, node);
  }
}

void bp_msh_decode(bp_msh *msh, int kind, int key, const char *first, int64_t count, int64_t step,
                   int64_t nodes_at, int width)
{
  const records r = {first, count, step, nodes_at, width};
  BP_MSH_GROW(msh, records);
  msh->records[msh->records_count++] = r;
  bp_msh_reserve(msh, kind, count);
  int64_t base = msh->elements[kind].count, bad = decode(msh, kind, &r, base);
  if (bad < count) {
    fail_record(msh, kind, &r, bad);
    return;
  }
  msh->elements[kind].count += count;
  bp_msh_add_run(msh, key, kind, count);
}

/* Elements of 2.x that look alike, so many bytes apart: the header of each, where each has its own,
 * is part of the step. */
typedef struct {
  const char *first;
  int64_t count, step;
  int type, tags, key, part;
} likes;

static void flush(bp_msh *msh, likes *l, int64_t left)
{
  int kind = msh->kind_of_type[l->type];
  msh->part = l->part;
  if (l->count && bp_gmsh_type_is_quad(l->type) && l->key)
    bp_msh_decode_quads(msh, l->key, l->first, l->count, l->step, 4 + 4 * (int64_t)l->tags, 4);
  if (l->count && kind < 0)
    msh->skipped[l->type] += l->count;
  else if (l->count) {
    if (!msh->elements[kind].node) { /* the first of many flushes, where groups alternate */
      int64_t most = (msh->end - l->first) / l->step + 1;
      bp_msh_reserve(msh, kind, left < most ? left : most);
    }
    bp_msh_decode(msh, kind, l->key, l->first, l->count, l->step, 4 + 4 * (int64_t)l->tags, 4);
  }
  l->count = 0;
}

/* The elements of one block, added to those before where they continue them. */
static void add_block(bp_msh *msh, likes *l, const char *first, int64_t count, int64_t size,
                      int type, int tags, int64_t left)
{
  for (int64_t n = 0; n < count && bp_msh_ok(msh); ++n) {
    const char *at = first + n * size;
    int key = tags > 0 ? (int)bp_msh_load_int(at + 4, 4, msh->swap) : 0;
    int part = tags > 2 ? (int)bp_msh_load_int(at + (tags > 3 ? 16 : 12), 4, msh->swap) : 0;
    bool alike = l->count && l->type == type && l->tags == tags && l->key == key && l->part == part;
    if (alike && l->count == 1)
      l->step = at - l->first;
    if (!alike || at != l->first + l->count * l->step) {
      flush(msh, l, left);
      *l = (likes){at, 0, size, type, tags, key, part};
    }
    ++l->count;
  }
}

void bp_msh_read_element_records(bp_msh *msh)
{
  enum { HEADER = 12 };
  bp_msh_map_nodes(msh);
  int64_t left = bp_msh_take_count(msh, "the number of elements", 8, 8);
  likes l = {0};
  while (left > 0 && bp_msh_ok(msh)) {
    const char *at = bp_msh_take_bytes(msh, "the header of a block of elements", 1, HEADER);
    if (!at)
      return;
    int type = (int)bp_msh_load_int(at, 4, msh->swap);
    int64_t count = bp_msh_load_int(at + 4, 4, msh->swap);
    int64_t tags = bp_msh_load_int(at + 8, 4, msh->swap);
    int nodes = bp_gmsh_type_nodes(type);
    if (nodes <= 0)
      bp_msh_fail(msh, at, "expected an element type that Gmsh has, found %d", type);
    if (count < 1 || count > left)
      bp_msh_fail(msh, at + 4, "expected 1 to %" PRId64 " elements in a block, found %" PRId64,
                  left, count);
    if (tags < 0)
      bp_msh_fail(msh, at + 8, "expected a number of tags, found %" PRId64, tags);
    int64_t size = 4 * (1 + tags + nodes);
    const char *first = bp_msh_take_bytes(msh, "elements", count, size);
    if (first)
      add_block(msh, &l, first, count, size, type, (int)tags, left);
    left -= count;
  }
  if (bp_msh_ok(msh))
    flush(msh, &l, 0);
}
