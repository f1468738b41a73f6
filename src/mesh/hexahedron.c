/* hexahedron.c -- Gmsh's element types, and its order of a hexahedron's nodes made by its own rule.
 */
#include "mesh/hexahedron.h"

#include <stddef.h>
#include <stdio.h>

const bp_hexahedron bp_hexahedra[BP_ELEMENT_KINDS] = {
    {5, 1, 8, true},      {12, 2, 27, true},   {92, 3, 64, true},   {93, 4, 125, true},
    {94, 5, 216, true},   {95, 6, 343, true},  {96, 7, 512, true},  {97, 8, 729, true},
    {98, 9, 1000, true},  {17, 2, 20, false},  {99, 3, 32, false},  {100, 4, 44, false},
    {101, 5, 56, false},  {102, 6, 68, false}, {103, 7, 80, false}, {104, 8, 92, false},
    {105, 9, 104, false}, {2, 1, 3, false},    {9, 2, 6, false},    {21, 3, 10, false},
    {20, 3, 9, false},    {3, 1, 4, false},    {10, 2, 9, false},   {16, 2, 8, false},
    {36, 3, 16, false},   {39, 3, 12, false},  {4, 1, 4, false},    {11, 2, 10, false},
    {29, 3, 20, false},   {137, 3, 16, false}};

enum { NONE, POINT, LINE, TRIANGLE, QUAD, POLYGON, TET, HEX, PRISM, PYRAMID, POLYHEDRON };

static const char *const shape_names[] = {"unknown",       "point",   "line",        "triangle",
                                          "quadrilateral", "polygon", "tetrahedron", "hexahedron",
                                          "prism",         "pyramid", "polyhedron"};

/* By type, from 0 on, five to a row; polygons and polyhedra carry their own number of nodes. */
static const struct {
  unsigned char shape, order;
  short nodes;
} types[BP_GMSH_TYPES] = {
    {NONE, 0, 0},       {LINE, 1, 2},       {TRIANGLE, 1, 3},  {QUAD, 1, 4},      {TET, 1, 4},
    {HEX, 1, 8},        {PRISM, 1, 6},      {PYRAMID, 1, 5},   {LINE, 2, 3},      {TRIANGLE, 2, 6},
    {QUAD, 2, 9},       {TET, 2, 10},       {HEX, 2, 27},      {PRISM, 2, 18},    {PYRAMID, 2, 14},
    {POINT, 0, 1},      {QUAD, 2, 8},       {HEX, 2, 20},      {PRISM, 2, 15},    {PYRAMID, 2, 13},
    {TRIANGLE, 3, 9},   {TRIANGLE, 3, 10},  {TRIANGLE, 4, 12}, {TRIANGLE, 4, 15}, {TRIANGLE, 5, 15},
    {TRIANGLE, 5, 21},  {LINE, 3, 4},       {LINE, 4, 5},      {LINE, 5, 6},      {TET, 3, 20},
    {TET, 4, 35},       {TET, 5, 56},       {TET, 4, 22},      {TET, 5, 28},      {POLYGON, 1, 0},
    {POLYHEDRON, 1, 0}, {QUAD, 3, 16},      {QUAD, 4, 25},     {QUAD, 5, 36},     {QUAD, 3, 12},
    {QUAD, 4, 16},      {QUAD, 5, 20},      {TRIANGLE, 6, 28}, {TRIANGLE, 7, 36}, {TRIANGLE, 8, 45},
    {TRIANGLE, 9, 55},  {TRIANGLE, 10, 66}, {QUAD, 6, 49},     {QUAD, 7, 64},     {QUAD, 8, 81},
    {QUAD, 9, 100},     {QUAD, 10, 121},    {TRIANGLE, 6, 18}, {TRIANGLE, 7, 21}, {TRIANGLE, 8, 24},
    {TRIANGLE, 9, 27},  {TRIANGLE, 10, 30}, {QUAD, 6, 24},     {QUAD, 7, 28},     {QUAD, 8, 32},
    {QUAD, 9, 36},      {QUAD, 10, 40},     {LINE, 6, 7},      {LINE, 7, 8},      {LINE, 8, 9},
    {LINE, 9, 10},      {LINE, 10, 11},     {LINE, 1, 2},      {TRIANGLE, 1, 3},  {POLYGON, 1, 0},
    {LINE, 1, 2},       {TET, 6, 84},       {TET, 7, 120},     {TET, 8, 165},     {TET, 9, 220},
    {TET, 10, 286},     {NONE, 0, 0},       {NONE, 0, 0},      {NONE, 0, 0},      {TET, 6, 34},
    {TET, 7, 40},       {TET, 8, 46},       {TET, 9, 52},      {TET, 10, 58},     {LINE, 0, 1},
    {TRIANGLE, 0, 1},   {QUAD, 0, 1},       {TET, 0, 1},       {HEX, 0, 1},       {PRISM, 0, 1},
    {PRISM, 3, 40},     {PRISM, 4, 75},     {HEX, 3, 64},      {HEX, 4, 125},     {HEX, 5, 216},
    {HEX, 6, 343},      {HEX, 7, 512},      {HEX, 8, 729},     {HEX, 9, 1000},    {HEX, 3, 32},
    {HEX, 4, 44},       {HEX, 5, 56},       {HEX, 6, 68},      {HEX, 7, 80},      {HEX, 8, 92},
    {HEX, 9, 104},      {PRISM, 5, 126},    {PRISM, 6, 196},   {PRISM, 7, 288},   {PRISM, 8, 405},
    {PRISM, 9, 550},    {PRISM, 3, 24},     {PRISM, 4, 33},    {PRISM, 5, 42},    {PRISM, 6, 51},
    {PRISM, 7, 60},     {PRISM, 8, 69},     {PRISM, 9, 78},    {PYRAMID, 3, 30},  {PYRAMID, 4, 55},
    {PYRAMID, 5, 91},   {PYRAMID, 6, 140},  {PYRAMID, 7, 204}, {PYRAMID, 8, 285}, {PYRAMID, 9, 385},
    {PYRAMID, 3, 21},   {PYRAMID, 4, 29},   {PYRAMID, 5, 37},  {PYRAMID, 6, 45},  {PYRAMID, 7, 53},
    {PYRAMID, 8, 61},   {PYRAMID, 9, 69},   {PYRAMID, 0, 1},   {NONE, 0, 0},      {NONE, 0, 0},
    {NONE, 0, 0},       {NONE, 0, 0},       {TET, 3, 16}};

int bp_kind_find(bp_cell shape, int type)
{
  static const int shapes[BP_CELLS] = {[BP_HEXAHEDRON] = HEX,
                                       [BP_TRIANGLE] = TRIANGLE,
                                       [BP_QUADRILATERAL] = QUAD,
                                       [BP_TETRAHEDRON] = TET};
  for (int kind = 0; kind < BP_ELEMENT_KINDS; ++kind)
    if (bp_hexahedra[kind].type == type && types[type].shape == shapes[shape])
      return kind;
  return -1;
}

int bp_gmsh_type_nodes(int type)
{
  return type < 1 || type >= BP_GMSH_TYPES || types[type].shape == NONE ? -1 : types[type].nodes;
}

bool bp_gmsh_type_is_quad(int type)
{
  return bp_gmsh_type_nodes(type) >= 4 && types[type].shape == QUAD;
}

bool bp_gmsh_type_is_volume(int type)
{
  return bp_gmsh_type_nodes(type) >= 0 && types[type].shape >= TET;
}

char *bp_gmsh_type_name(int type, char out[40])
{
  if (bp_gmsh_type_nodes(type) < 0)
    snprintf(out, 40, "type %d", type);
  else if (types[type].order <= 1)
    snprintf(out, 40, "%s", shape_names[types[type].shape]);
  else
    snprintf(out, 40, "%s of order %d", shape_names[types[type].shape], types[type].order);
  return out;
}

static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int edge[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
static const int face[6][4] = {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3},
                               {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}};

/* Where the places go while an element of order `order` is walked. */
typedef struct {
  int order, count;
  int *place;
} walk;

static void visit(walk *w, const int at[3])
{
  int n = w->order + 1;
  w->place[w->count++] = (at[2] * n + at[1]) * n + at[0];
}

/* The nodes inside a face: at a, b steps (1..p-1) from its first corner towards its second and
 * fourth; ring after ring, each corners first and then its four sides. */
static void visit_face(walk *w, const int origin[3], const int along[3], const int up[3], int first,
                       int last)
{
  static const int quad[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  int size = last - first;
  if (size < 0)
    return;
  for (int c = 0; c < (size == 0 ? 1 : 4 * size); ++c) {
    int side = c < 4 ? c : (c - 4) / (size - 1), step = c < 4 ? 0 : 1 + (c - 4) % (size - 1);
    const int *from = quad[side], *to = quad[(side + 1) % 4];
    int a = first + from[0] * size + (to[0] - from[0]) * step;
    int b = first + from[1] * size + (to[1] - from[1]) * step;
    int at[3];
    for (int d = 0; d < 3; ++d)
      at[d] = origin[d] + a * along[d] + b * up[d];
    visit(w, at);
  }
  visit_face(w, origin, along, up, first + 1, last - 1);
}

static void corner_at(int c, int first, int size, int at[3])
{
  for (int d = 0; d < 3; ++d)
    at[d] = first + corner[c][d] * size;
}

static void visit_edge(walk *w, int e, int first, int size)
{
  int from[3], at[3];
  corner_at(edge[e][0], first, size, from);
  for (int step = 1; step < size; ++step) {
    for (int d = 0; d < 3; ++d)
      at[d] = from[d] + step * (corner[edge[e][1]][d] - corner[edge[e][0]][d]);
    visit(w, at);
  }
}

/* The nodes on corners and edges of the hexahedron whose lattice runs from first to last, and with
 * `complete` those on its faces and inside. */
static void visit_hexahedron(walk *w, int first, int last, bool complete)
{
  int size = last - first, at[3];
  if (size < 0)
    return;
  for (int c = 0; c < (size == 0 ? 1 : 8); ++c) {
    corner_at(c, first, size, at);
    visit(w, at);
  }
  for (int e = 0; e < 12; ++e)
    visit_edge(w, e, first, size);
  if (!complete)
    return;
  for (int f = 0; f < 6; ++f) {
    int along[3], up[3];
    corner_at(face[f][0], first, size, at);
    for (int d = 0; d < 3; ++d) {
      along[d] = corner[face[f][1]][d] - corner[face[f][0]][d];
      up[d] = corner[face[f][3]][d] - corner[face[f][0]][d];
    }
    visit_face(w, at, along, up, 1, size - 1);
  }
  visit_hexahedron(w, first + 1, last - 1, true);
}

void bp_hexahedron_places(const bp_hexahedron *kind, int *place)
{
  walk w = {.order = kind->order, .place = place};
  visit_hexahedron(&w, 0, kind->order, kind->complete);
}
