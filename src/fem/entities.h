/* entities.h -- faces, edges and vertices while they get their numbers: between unknowns.c and sharing.c. */
#ifndef BP_FEM_ENTITIES_H
#define BP_FEM_ENTITIES_H

#include "fem/unknowns.h"

enum { FACES_AT = 6, EDGES_AT = 12, VERTICES_AT = 8, TURNS = 8 };

/* One face, edge or vertex. */
typedef struct {
  int32_t number; /* of its first node */
  uint8_t code;   /* how its owner sees it */
  bool fixed;
} entity;

/* All faces, edges or vertices. A slot is the place of one in an element: per_element * e + n. */
typedef struct {
  int per_element, codes; /* codes: in how many ways an element can see one */
  int size;               /* nodes inside, 0 where the class has none */
  int64_t total, begin;   /* begin: the first number of the class */
  int64_t *owner;         /* owner[id]: the smallest slot; only while numbers are given */
  entity *entities;       /* entities[id] */
  int *turned;            /* turned[owner's code][code][t]: node t of a slot as the owner counts */
} class;

typedef struct {
  const bp_connectivity *connectivity;
  int M;
  class classes[BP_SURFACE_CLASSES];
} numbering;

static inline int64_t id_at(const bp_connectivity *c, int k, int64_t slot)
{
  return k == BP_IN_FACE ? c->face[slot] : k == BP_IN_EDGE ? c->edge[slot] : c->vertex[slot];
}

/* How the element sees it: see connectivity.h. */
static inline int code_at(const bp_connectivity *c, int k, int64_t slot)
{
  if (k == BP_IN_FACE)
    return c->face_turn[slot];
  return k == BP_IN_EDGE ? c->edge_flip[slot / EDGES_AT] >> slot % EDGES_AT & 1 : 0;
}

/* The unknown at node t of a slot that sees the entity with that code. */
static inline int32_t number_at(const class *c, int64_t id, int code, int t)
{
  const entity *found = &c->entities[id];
  return found->number + c->turned[(found->code * c->codes + code) * c->size + t];
}

/* Together: finds out which other ranks have elements at the piece's faces, edges and vertices,
 * marks as fixed
 * what is fixed there, and lists all messages. Numbers must have been given. */
bp_sharing *bp_sharing_create(numbering *n, const bp_mesh *mesh, const bp_piece *piece,
                              bp_comm *comm);

#endif
