/* msh.h -- what the parts of the Gmsh reader share: the file being read and what has been found in
 * it.
 *
 * Failure is sticky: the first one sets `status` and keeps its message; from then on every
 * bp_msh_take_ function returns 0 without reading. So a parser reads on in a straight line and
 * looks at `status` where it loops or stores. Counts are compared with the bytes left before
 * anything is allocated for them. */
#ifndef BP_MESH_MSH_MSH_H
#define BP_MESH_MSH_MSH_H

#include "base/file.h"
#include "base/status.h"
#include "mesh/cells.h"
#include "mesh/hexahedron.h"
#include "mesh/mesh.h"
#include "mesh/msh/tag_map.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Consecutive elements of one kind in the same physical group (1.0, 2.x: key = its tag, 0 for none)
 * or of the same volume (4.x: key = the entity's tag); of 2.x in the same part, 0 for none. */
typedef struct {
  int key, kind, part; /* kind: index in bp_hexahedra */
  int64_t count;
} bp_msh_run;

/* The elements of one kind, in file order. */
typedef struct {
  int64_t count, capacity;
  int32_t *node; /* node[e][...], complete kinds in bp's order, others in the file's */
  int64_t *tag;
} bp_msh_elements;

/* Nodes first, first+1, ... stand one after the other from `at` on: where node n is, for messages.
 */
typedef struct {
  int64_t first;
  const char *at;
  int64_t step; /* bytes (binary) or tokens (ASCII) from one to the next; 0: not known */
} bp_msh_batch;

/* Binary elements: a tag and, nodes_at bytes further, the nodes, all of `width` bytes. */
typedef struct {
  const char *first;
  int64_t count, step, nodes_at; /* step: bytes from one to the next */
  int width;
} bp_msh_records;

typedef struct {
  int dimension; /* -1: the file does not say */
  int tag;
  char *name;
} bp_msh_name;

/* A quadrilateral: key as in bp_msh_run, of a group of surfaces or a surface. */
typedef struct {
  int key;
  int32_t corner[4];
} bp_msh_quad;

/* Volume (surface) `tag` is in `count` physical groups, at `first` in bp_msh.physicals; of a
 * partitioned mesh, in that part, from 1 on, else 0. */
typedef struct {
  int tag, count, partition;
  int64_t first;
} bp_msh_entity;

/* By tag. */
typedef struct {
  bp_msh_entity *items;
  int64_t items_count, items_capacity;
} bp_msh_entities;

/* Tags of two nodes that are one. */
typedef struct {
  int64_t node, master;
} bp_msh_pair;

typedef struct {
  const char *name; /* for messages */
  const char *data, *end;
  const char *lines_end; /* after the last newline */
  const char *p;         /* what is read next */
  bp_file file;          /* where `mapped`: pages may be dropped once they are read */
  bool mapped;
  bool binary, swap; /* what is read next; text sections of a binary file are read as text */
  bool bytes;        /* the file is binary: messages tell bytes, not lines */
  int version;       /* 10, 20 (2.0 to 2.2), 40, 41; 0: not known yet */
  int width;         /* bytes of a count or (4.1) a tag in binary 4.x */
  bp_status status;
  bp_cell shape; /* of elements that are read; others are skipped */

  int64_t nodes, nodes_capacity;
  int64_t *node_tag;
  double *x; /* x[node][3] */
  bp_tag_map map;
  int64_t mapped_nodes; /* how many nodes `map` knows */
  bp_msh_batch *batches;
  int64_t batches_count, batches_capacity;

  bp_msh_records *records; /* all hexahedra of a binary file */
  int64_t records_count, records_capacity;

  bp_msh_elements elements[BP_ELEMENT_KINDS];
  int kind_of_type[BP_GMSH_TYPES];                        /* -1: not of the shape that is read */
  short place[BP_ELEMENT_KINDS][BP_HEXAHEDRON_NODES_MAX]; /* made when a kind is first met */
  bp_msh_run *runs;
  int part; /* of elements that are added next, as 2.x has it; 0: none */
  int64_t runs_count, runs_capacity;
  int64_t skipped[BP_GMSH_TYPES];

  bp_msh_name *names;
  int64_t names_count, names_capacity;
  bp_msh_entities entities[4]; /* by dimension, 2 and 3 */
  bp_msh_quad *quads;
  int64_t quads_count, quads_capacity;
  bool by_entity; /* the runs' keys are tags of entities, not of groups */
  int *physicals;
  int64_t physicals_count, physicals_capacity;
  bp_msh_pair *pairs; /* of periodic sections */
  int64_t pairs_count, pairs_capacity;
  void *buffer; /* of the thread that reads lines alone */
} bp_msh;

/* ---- msh_scan.c: messages and single values ---- */

/* `name:line:` or `name: byte N:` of `at`, then the text. Keeps only the first failure. */
void bp_msh_fail(bp_msh *msh, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* `expected WHAT, found TOKEN`, the token being what stands at `at` in ASCII text. */
void bp_msh_unexpected(bp_msh *msh, const char *at, const char *what);

static inline bool bp_msh_ok(const bp_msh *msh)
{
  return msh->status == BP_OK;
}
static inline int64_t bp_msh_left(const bp_msh *msh)
{
  return msh->end - msh->p;
}

/* The next value, in text or in binary (there: int32; a count's width; a double). */
int bp_msh_take_int(bp_msh *msh, const char *what);
int64_t bp_msh_take_size(bp_msh *msh, const char *what);
double bp_msh_take_double(bp_msh *msh, const char *what); /* finite */
/* A tag: any integer that is not negative, in text. */
int64_t bp_msh_take_tag(bp_msh *msh, const char *what);
/* As bp_msh_take_size, of things that take `text_bytes` or `binary_bytes` at least; in binary 2.x a
 * line of text, too. */
int64_t bp_msh_take_count(bp_msh *msh, const char *what, int64_t text_bytes, int64_t binary_bytes);
/* `count` items of `bytes` each in binary: where they begin, or NULL when the file ends before. */
const char *bp_msh_take_bytes(bp_msh *msh, const char *what, int64_t count, int64_t bytes);
/* The bytes begin..end of the file have been read: their pages stay in the page cache, but this process
 * need not hold them. */
void bp_msh_drop(const bp_msh *msh, const char *begin, const char *end);
/* To the start of the next line; the second only when nothing but blanks is left of this one. */
void bp_msh_skip_line(bp_msh *msh);
void bp_msh_finish_line(bp_msh *msh);
/* The first byte that is not white space, at or after `p`. */
const char *bp_msh_skip_space(const bp_msh *msh, const char *p);

/* A binary integer of 4 or 8 bytes. */
static inline int64_t bp_msh_load_int(const char *p, int width, bool swap)
{
  if (width == 4) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return (int32_t)(swap ? __builtin_bswap32(v) : v);
  }
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return (int64_t)(swap ? __builtin_bswap64(v) : v);
}

static inline double bp_msh_load_double(const char *p, bool swap)
{
  int64_t bits = bp_msh_load_int(p, 8, swap);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* *array with room for one more item of `size` bytes; the macro: an array of the struct, with its
 * count and capacity. */
void bp_msh_grow(void **array, int64_t count, int64_t *capacity, size_t size);
#define BP_MSH_GROW(of, array)                                                                     \
  bp_msh_grow((void **)&(of)->array, (of)->array##_count, &(of)->array##_capacity,                 \
              sizeof *(of)->array)

/* ---- msh_lines.c: regular lines of text, in parallel ---- */
typedef struct {
  /* Reads whole lines of begin..end (which ends after a newline) into `buffer`, at most `limit`;
   * *stop is the line it did not take: one that is not regular is left to the caller. Returns the
   * lines taken. */
  int64_t (*read)(const void *context, const char *begin, const char *end, int64_t limit,
                  void *buffer, const char **stop);
  /* Stores what `read` put into `buffer`; called in the order of the file, one call at a time. */
  void (*keep)(void *context, const void *buffer, int64_t count);
  /* Takes one thing however it is laid out: its values may stand anywhere between blanks and
   * newlines. */
  void (*take_one)(void *context);
  void *context;
} bp_msh_lines;

/* Reads `count` things of a line each from msh->p on: regular lines in parallel, others one by one, with
 * messages. A line gives no more than four bytes in the buffer for each byte of text, after a head of
 * BP_MSH_HEAD bytes. */
enum { BP_MSH_HEAD = 2048 };
void bp_msh_read_lines(bp_msh *msh, const bp_msh_lines *lines, int64_t count);

/* ---- msh_nodes.c ---- */
void bp_msh_read_nodes(bp_msh *msh);            /* 1.0, 2.x */
void bp_msh_read_parametric_nodes(bp_msh *msh); /* 2.x */
void bp_msh_read_node_blocks(bp_msh *msh);      /* 4.x */
void bp_msh_map_nodes(bp_msh *msh);             /* makes `map`; fails where a tag repeats */

/* ---- msh_elements.c, msh_records.c ---- */
void bp_msh_read_elements(bp_msh *msh);        /* 1.0, 2.x ASCII */
void bp_msh_read_element_records(bp_msh *msh); /* 2.x binary */
void bp_msh_read_element_blocks(bp_msh *msh);  /* 4.x */
/* Room for `more` elements of a kind. */
void bp_msh_reserve(bp_msh *msh, int kind, int64_t more);
void bp_msh_add_run(bp_msh *msh, int key, int kind, int64_t count);
/* `count` binary records: a tag, then at nodes_at the nodes, of `width` bytes each, `step` bytes
 * apart. */
void bp_msh_decode(bp_msh *msh, int kind, int key, const char *first, int64_t count, int64_t step,
                   int64_t nodes_at, int width);

/* ---- msh_entities.c ---- */
void bp_msh_read_names(bp_msh *msh);
void bp_msh_read_entities(bp_msh *msh);
void bp_msh_read_partitioned_entities(bp_msh *msh);
void bp_msh_read_periodic(bp_msh *msh);
/* mesh->joined, of the nodes as msh has them. */
void bp_msh_make_joined(bp_msh *msh, bp_mesh *mesh);
const bp_msh_entity *bp_msh_find_entity(const bp_msh *msh, int dimension, int tag); /* or NULL */
/* The tag of a physical group: Gmsh writes it negative where an entity of it is reversed. */
static inline int bp_msh_group_tag(int tag)
{
  return tag < 0 && tag > INT_MIN ? -tag : tag;
}

/* ---- msh_groups.c ---- */
/* mesh->groups and mesh->blocks, from the runs, names and entities. */
void bp_msh_make_blocks(bp_msh *msh, bp_mesh *mesh);

/* ---- msh_surfaces.c ---- */
/* Keeps a quadrilateral of known nodes; one with a corner below 0 is dropped. */
void bp_msh_add_quad(bp_msh *msh, int key, const int32_t corner[4]);
/* As bp_msh_decode, for quadrilaterals. */
void bp_msh_decode_quads(bp_msh *msh, int key, const char *first, int64_t count, int64_t step,
                         int64_t nodes_at, int width);
/* mesh->surfaces and mesh->quads, with nodes as msh has them. */
void bp_msh_make_surfaces(bp_msh *msh, bp_mesh *mesh);

/* ---- msh_find.c ---- */
/* Where in the file the last hexahedron with this tag stands, for messages; the end of the file
 * where it is not found, as in text that has several elements on a line. */
const char *bp_msh_find_element(const bp_msh *msh, int64_t tag);

/* ---- msh_merge.c ---- */
/* 1.0 and 2.x list an element that is in several physical groups once for each: makes one of them, in
 * entities that are in all the groups. */
void bp_msh_merge_repeated(bp_msh *msh);

/* ---- msh_build.c ---- */
/* Takes the arrays out of `msh`; NULL and a status in msh on failure. */
bp_mesh *bp_msh_build(bp_msh *msh);
/* `expected WHAT in the mesh`, and what there is. */
void bp_msh_fail_without(bp_msh *msh, const char *what);

/* ---- msh_read.c ---- */
/* Reads all sections of a file, or of its bytes, for elements of one shape; close it whether that
 * failed or not. */
bp_msh *bp_msh_open(const char *path, bp_cell shape);
bp_msh *bp_msh_open_bytes(const char *name, const char *data, size_t size, bp_cell shape);
/* The status: bad where the file has changed, too. */
bp_status bp_msh_close(bp_msh *msh);

#endif
