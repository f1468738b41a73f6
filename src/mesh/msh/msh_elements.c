/* msh_elements.c -- the sections of elements in text, and the blocks of 4.x in text and binary. */
#include "base/memory.h"
#include "mesh/msh/msh.h"
#include "mesh/number.h"
#include <inttypes.h>
#include <string.h>

static const char *const number_of_elements = "the number of elements";
static const char *const element_tag = "the tag of an element";
static const char *const known_node = "the tag of a node that $Nodes has";

static void make_places(bp_msh *msh, int kind)
{
  int place[BP_HEXAHEDRON_NODES_MAX];
  bp_hexahedron_places(&bp_hexahedra[kind], place);
  for (int n = 0; n < bp_hexahedra[kind].nodes; ++n)
    msh->place[kind][n] = (short)(bp_hexahedra[kind].complete ? place[n] : n);
}

void bp_msh_reserve(bp_msh *msh, int kind, int64_t more)
{
  bp_msh_elements *e = &msh->elements[kind];
  size_t nodes = (size_t)bp_hexahedra[kind].nodes;
  if (e->count + more <= e->capacity && e->node)
    return;
  make_places(msh, kind);
  int64_t capacity = e->count + more > 2 * e->count ? e->count + more : 2 * e->count;
  int32_t *node = bp_alloc_array((size_t)capacity * nodes, sizeof *node);
  int64_t *tag = bp_alloc_array((size_t)capacity, sizeof *tag);
  if (e->count && e->node) {
    memcpy(node, e->node, (size_t)e->count * nodes * sizeof *node);
    memcpy(tag, e->tag, (size_t)e->count * sizeof *tag);
  }
  bp_free(e->node);
  bp_free(e->tag);
  e->node = node;
  e->tag = tag;
  e->capacity = capacity;
}

void bp_msh_add_run(bp_msh *msh, int key, int kind, int64_t count)
{
  bp_msh_run *last = msh->runs_count ? &msh->runs[msh->runs_count - 1] : NULL;
  if (count == 0)
    return;
  if (last && last->key == key && last->kind == kind && last->part == msh->part) {
    last->count += count;
    return;
  }
  BP_MSH_GROW(msh, runs);
  msh->runs[msh->runs_count++] = (bp_msh_run){key, kind, msh->part, count};
}

/* ---- regular lines ---- */

/* How the lines of a section or block go. */
typedef struct {
  bp_msh *msh;
  int type, key; /* 4.x: of the block; else type 0: each line has its own */
  int64_t left;  /* lines of this section or block to come: what arrays are made for */
} form;

/* A hexahedron in the buffer, followed by its nodes' indices in the order of the file; or a
 * quadrilateral (kind QUAD), followed by those of its corners. NONE ends the buffer. */
enum { NONE = -1, QUAD = -2, CORNERS = 4 };
typedef struct {
  int64_t tag;
  int32_t key, kind, part;
} record;

/* The buffer begins with how many elements of each type were skipped. */
typedef struct {
  int64_t skipped[BP_GMSH_TYPES];
} head;

/* Whether tag n of a 2.x element is its part: in 2.0 and 2.1 the third one, in 2.2 the fourth, behind how
 * many parts have it. */
static bool is_part(int64_t n, int64_t count)
{
  return n == (count > 3 ? 3 : 2);
}

/* What stands between an element's tag and its nodes. */
static const char *scan_header(const form *f, const char *p, int *type, record *r)
{
  int64_t value, physical = 0, part = 0, count;
  *type = f->type;
  r->key = f->key;
  r->part = 0;
  if (f->type)
    return p;
  if (!(p = bp_scan_int(p, &value)) || value < 1 || value >= BP_GMSH_TYPES)
    return NULL;
  *type = (int)value;
  if (f->msh->version == 10) {
    if (!(p = bp_scan_int(p, &physical)) || !(p = bp_scan_int(p, &value)) ||
        !(p = bp_scan_int(p, &count)) || count != bp_gmsh_type_nodes(*type))
      return NULL;
  } else {
    if (!(p = bp_scan_int(p, &count)) || count < 0)
      return NULL;
    for (int64_t n = 0; n < count && p; ++n)
      p = bp_scan_int(p, n == 0 ? &physical : is_part(n, count) ? &part : &value);
  }
  if (physical != (int32_t)physical || part != (int32_t)part)
    return NULL;
  r->key = (int32_t)physical;
  r->part = (int32_t)part;
  return p;
}

static const char *scan_nodes(const bp_tag_map *map, const char *p, int nodes, int32_t *node)
{
  for (int n = 0; n < nodes; ++n) {
    int64_t tag;
    if (!(p = bp_scan_int(p, &tag)) || (node[n] = bp_tag_map_find(map, tag)) < 0)
      return NULL;
  }
  return p;
}

/* A node that $Nodes lacks is -1: nobody minds it in an element that is skipped. */
static const char *scan_corners(const bp_tag_map *map, const char *p, int32_t *node)
{
  for (int n = 0; n < CORNERS; ++n) {
    int64_t tag;
    if (!(p = bp_scan_int(p, &tag)))
      return NULL;
    node[n] = bp_tag_map_find(map, tag);
  }
  return p;
}

static const char *skip_nodes(const char *p, int nodes)
{
  int64_t tag;
  for (int n = 0; n < nodes && p; ++n)
    p = bp_scan_int(p, &tag);
  return nodes > 0 ? p : NULL;
}

/* The nodes of an element of a known header, into the buffer behind its record. */
static const char *scan_element(const form *f, const char *p, int type, record *r, char *out)
{
  int nodes = bp_gmsh_type_nodes(type);
  int32_t *node = (int32_t *)(out + sizeof *r);
  r->kind = f->msh->kind_of_type[type];
  if (r->kind >= 0)
    return scan_nodes(&f->msh->map, p, nodes, node);
  if (!bp_gmsh_type_is_quad(type))
    return skip_nodes(p, nodes);
  r->kind = QUAD;
  p = scan_corners(&f->msh->map, p, node);
  return p && nodes > CORNERS ? skip_nodes(p, nodes - CORNERS) : p;
}

/* Bytes in the buffer. */
static size_t record_bytes(int kind)
{
  int nodes = kind == QUAD ? CORNERS : bp_hexahedra[kind].nodes;
  return sizeof(record) + ((size_t)nodes + 1) / 2 * 2 * sizeof(int32_t);
}

static int64_t read_lines(const void *context, const char *begin, const char *end, int64_t limit,
                          void *buffer, const char **stop)
{
  const form *f = context;
  head *h = buffer;
  char *out = (char *)buffer + BP_MSH_HEAD;
  memset(h, 0, sizeof *h);
  int64_t count = 0;
  const char *p = begin;
  for (const char *q; p < end && count < limit; p = q + 1, ++count) {
    int type;
    record r;
    if (!(q = bp_scan_int(p, &r.tag)) || !(q = scan_header(f, q, &type, &r)))
      break;
    q = scan_element(f, q, type, &r, out);
    if (!q || *(q = bp_skip_blanks(q)) != '\n')
      break;
    if (r.kind < 0)
      ++h->skipped[type];
    if (r.kind != NONE) {
      memcpy(out, &r, sizeof r);
      out += record_bytes(r.kind);
    }
  }
  record none = {.kind = NONE};
  memcpy(out, &none, sizeof none);
  *stop = p;
  return count;
}

static void store(bp_msh *msh, const record *r, const int32_t *node, int64_t left)
{
  bp_msh_elements *e = &msh->elements[r->kind];
  int nodes = bp_hexahedra[r->kind].nodes;
  if (e->count == e->capacity) {
    int64_t most = (msh->end - msh->data) / (2 * nodes) + 1; /* a line takes that at least */
    bp_msh_reserve(msh, r->kind, e->count || left < 1 ? 1 : left < most ? left : most);
  }
  const short *place = msh->place[r->kind];
  int32_t *to = &e->node[e->count * nodes];
  for (int n = 0; n < nodes; ++n)
    to[place[n]] = node[n]; /* NOLINT: whoever calls has set them all */
  e->tag[e->count++] = r->tag;
  msh->part = r->part;
  bp_msh_add_run(msh, r->key, r->kind, 1);
}

static void keep_lines(void *context, const void *buffer, int64_t count)
{
  form *f = context;
  const head *h = buffer;
  const char *p = (const char *)buffer + BP_MSH_HEAD;
  for (record r; memcpy(&r, p, sizeof r), r.kind != NONE; p += record_bytes(r.kind)) {
    const int32_t *node = (const int32_t *)(p + sizeof r);
    if (r.kind == QUAD)
      bp_msh_add_quad(f->msh, r.key, node);
    else
      store(f->msh, &r, node, f->left);
  }
  for (int type = 0; type < BP_GMSH_TYPES; ++type)
    f->msh->skipped[type] += h->skipped[type];
  f->left -= count;
}

/* ---- any lines, with messages ---- */

static int take_type(bp_msh *msh)
{
  const char *at = msh->p;
  int type = bp_msh_take_int(msh, "the type of an element");
  if (bp_msh_ok(msh) && bp_gmsh_type_nodes(type) < 0)
    bp_msh_unexpected(msh, at, "an element type that Gmsh has");
  return bp_msh_ok(msh) ? type : 1;
}

/* Type, tags and (1.0) the number of nodes; the physical group's tag goes to r->key. */
static int take_header(const form *f, record *r)
{
  bp_msh *msh = f->msh;
  r->key = f->key;
  r->part = 0;
  if (f->type)
    return f->type;
  int type = take_type(msh);
  if (msh->version == 10) {
    r->key = bp_msh_take_int(msh, "the tag of a physical group");
    bp_msh_take_int(msh, "the tag of an entity");
    const char *at = msh->p;
    int nodes = bp_msh_take_int(msh, "the number of nodes");
    if (bp_msh_ok(msh) && nodes != bp_gmsh_type_nodes(type))
      bp_msh_unexpected(msh, at, "as many nodes as the element's type has");
    return type;
  }
  r->key = 0;
  int64_t tags = bp_msh_take_count(msh, "the number of tags", 2, 4);
  for (int64_t n = 0; n < tags && bp_msh_ok(msh); ++n) {
    int tag = bp_msh_take_int(msh, "a tag");
    r->key = n == 0 ? tag : r->key;
    r->part = is_part(n, tags) ? tag : r->part;
  }
  return type;
}

static void take_element(void *context)
{
  form *f = context;
  bp_msh *msh = f->msh;
  int32_t node[BP_HEXAHEDRON_NODES_MAX];
  record r = {.tag = bp_msh_take_tag(msh, element_tag)};
  int type = take_header(f, &r);
  r.kind = msh->kind_of_type[type];
  int64_t nodes = bp_gmsh_type_nodes(type);
  bool is_quad = bp_gmsh_type_is_quad(type);
  if (nodes == 0)
    nodes = bp_msh_take_count(msh, "the number of nodes", 2, 4);
  for (int64_t n = 0; n < nodes && bp_msh_ok(msh); ++n) {
    const char *at = msh->p;
    int64_t tag = bp_msh_take_tag(msh, r.kind < 0 ? "the tag of a node" : known_node);
    if (r.kind >= 0 && (node[n] = bp_tag_map_find(&msh->map, tag)) < 0)
      bp_msh_unexpected(msh, at, known_node);
    if (is_quad && n < CORNERS)
      node[n] = bp_tag_map_find(&msh->map, tag);
  }
  if (!bp_msh_ok(msh))
    return;
  if (is_quad)
    bp_msh_add_quad(msh, r.key, node);
  if (r.kind >= 0)
    store(msh, &r, node, f->left);
  else
    ++msh->skipped[type];
  --f->left;
}

static void read_text(form *f)
{
  const bp_msh_lines lines = {read_lines, keep_lines, take_element, f};
  bp_msh_read_lines(f->msh, &lines, f->left);
}

/* ---- the sections ---- */

void bp_msh_read_elements(bp_msh *msh)
{
  bp_msh_map_nodes(msh);
  form f = {.msh = msh, .left = bp_msh_take_count(msh, number_of_elements, 8, 16)};
  if (bp_msh_ok(msh))
    read_text(&f);
}

static void read_binary_block(bp_msh *msh, int type, int key, int64_t count)
{
  int width = msh->version == 41 ? msh->width : 4, kind = msh->kind_of_type[type];
  int64_t step = (1 + (int64_t)bp_gmsh_type_nodes(type)) * width;
  const char *first = bp_msh_take_bytes(msh, "elements", count, step);
  if (!first)
    return;
  if (bp_gmsh_type_is_quad(type))
    bp_msh_decode_quads(msh, key, first, count, step, width, width);
  if (kind >= 0)
    bp_msh_decode(msh, kind, key, first, count, step, width, width);
  else
    msh->skipped[type] += count;
}

static void read_block(bp_msh *msh, int64_t *left)
{
  int one = bp_msh_take_int(msh, "the dimension or tag of an entity");
  int other = bp_msh_take_int(msh, "the dimension or tag of an entity");
  int type = take_type(msh);
  const char *at = msh->p;
  int64_t count = bp_msh_take_size(msh, number_of_elements);
  if (bp_msh_ok(msh) && count > *left)
    bp_msh_fail(msh, at,
                "expected at most %" PRId64
                " more elements in this section, found a block of %" PRId64,
                *left, count);
  if (bp_msh_ok(msh) && bp_gmsh_type_nodes(type) == 0 && msh->binary)
    bp_msh_fail(msh, at, "expected elements with a fixed number of nodes, found type %d", type);
  if (!bp_msh_ok(msh))
    return;
  *left -= count;
  int key = msh->version == 41 ? other : one;
  form f = {msh, type, key, count};
  if (msh->binary)
    read_binary_block(msh, type, key, count);
  else
    read_text(&f);
}

void bp_msh_read_element_blocks(bp_msh *msh)
{
  bp_msh_map_nodes(msh);
  int64_t blocks = bp_msh_take_count(msh, "the number of blocks of elements", 8, 12 + msh->width);
  const char *at = msh->p;
  int64_t left = bp_msh_take_count(msh, number_of_elements, 4, 8);
  if (msh->version == 41) {
    bp_msh_take_size(msh, "the smallest tag of an element");
    bp_msh_take_size(msh, "the largest tag of an element");
  }
  for (int64_t b = 0; b < blocks && bp_msh_ok(msh); ++b)
    read_block(msh, &left);
  if (bp_msh_ok(msh) && left)
    bp_msh_fail(msh, at,
                "expected as many elements in the blocks as the section says, found %" PRId64
                " fewer",
                left);
}
