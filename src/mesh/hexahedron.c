/* hexahedron.c -- Gmsh's element types, and its order of a hexahedron's nodes made by its own rule.
 */
#include "mesh/hexahedron.h"

#include <stddef.h>
#include <stdio.h>

const bp_hexahedron bp_hexahedra[BP_HEXAHEDRON_KINDS] = {
    {5, 1, 8, true},     {12, 2, 27, true},   {92, 3, 64, true},   {93, 4, 125, true},
    {94, 5, 216, true},  {95, 6, 343, true},  {96, 7, 512, true},  {97, 8, 729, true},
    {98, 9, 1000, true}, {17, 2, 20, false},  {99, 3, 32, false},  {100, 4, 44, false},
    {101, 5, 56, false}, {102, 6, 68, false}, {103, 7, 80, false}, {104, 8, 92, false},
    {105, 9, 104, false}};

typedef enum {
  NONE,
  POINT,
  LINE,
  TRIANGLE,
  QUADRILATERAL,
  POLYGON,
  TETRAHEDRON,
  HEXAHEDRON,
  PRISM,
  PYRAMID,
  POLYHEDRON
} shape;

static const char *const shape_names[] = {"unknown",       "point",   "line",        "triangle",
                                          "quadrilateral", "polygon", "tetrahedron", "hexahedron",
                                          "prism",         "pyramid", "polyhedron"};

/* By type; polygons and polyhedra carry their own number of nodes. */
static const struct {
  unsigned char shape, order;
  short nodes;
} types[BP_GMSH_TYPES] = {[1] = {LINE, 1, 2},
                          [2] = {TRIANGLE, 1, 3},
                          [3] = {QUADRILATERAL, 1, 4},
                          [4] = {TETRAHEDRON, 1, 4},
                          [5] = {HEXAHEDRON, 1, 8},
                          [6] = {PRISM, 1, 6},
                          [7] = {PYRAMID, 1, 5},
                          [8] = {LINE, 2, 3},
                          [9] = {TRIANGLE, 2, 6},
                          [10] = {QUADRILATERAL, 2, 9},
                          [11] = {TETRAHEDRON, 2, 10},
                          [12] = {HEXAHEDRON, 2, 27},
                          [13] = {PRISM, 2, 18},
                          [14] = {PYRAMID, 2, 14},
                          [15] = {POINT, 0, 1},
                          [16] = {QUADRILATERAL, 2, 8},
                          [17] = {HEXAHEDRON, 2, 20},
                          [18] = {PRISM, 2, 15},
                          [19] = {PYRAMID, 2, 13},
                          [20] = {TRIANGLE, 3, 9},
                          [21] = {TRIANGLE, 3, 10},
                          [22] = {TRIANGLE, 4, 12},
                          [23] = {TRIANGLE, 4, 15},
                          [24] = {TRIANGLE, 5, 15},
                          [25] = {TRIANGLE, 5, 21},
                          [26] = {LINE, 3, 4},
                          [27] = {LINE, 4, 5},
                          [28] = {LINE, 5, 6},
                          [29] = {TETRAHEDRON, 3, 20},
                          [30] = {TETRAHEDRON, 4, 35},
                          [31] = {TETRAHEDRON, 5, 56},
                          [32] = {TETRAHEDRON, 4, 22},
                          [33] = {TETRAHEDRON, 5, 28},
                          [34] = {POLYGON, 1, 0},
                          [35] = {POLYHEDRON, 1, 0},
                          [36] = {QUADRILATERAL, 3, 16},
                          [37] = {QUADRILATERAL, 4, 25},
                          [38] = {QUADRILATERAL, 5, 36},
                          [39] = {QUADRILATERAL, 3, 12},
                          [40] = {QUADRILATERAL, 4, 16},
                          [41] = {QUADRILATERAL, 5, 20},
                          [42] = {TRIANGLE, 6, 28},
                          [43] = {TRIANGLE, 7, 36},
                          [44] = {TRIANGLE, 8, 45},
                          [45] = {TRIANGLE, 9, 55},
                          [46] = {TRIANGLE, 10, 66},
                          [47] = {QUADRILATERAL, 6, 49},
                          [48] = {QUADRILATERAL, 7, 64},
                          [49] = {QUADRILATERAL, 8, 81},
                          [50] = {QUADRILATERAL, 9, 100},
                          [51] = {QUADRILATERAL, 10, 121},
                          [52] = {TRIANGLE, 6, 18},
                          [53] = {TRIANGLE, 7, 21},
                          [54] = {TRIANGLE, 8, 24},
                          [55] = {TRIANGLE, 9, 27},
                          [56] = {TRIANGLE, 10, 30},
                          [57] = {QUADRILATERAL, 6, 24},
                          [58] = {QUADRILATERAL, 7, 28},
                          [59] = {QUADRILATERAL, 8, 32},
                          [60] = {QUADRILATERAL, 9, 36},
                          [61] = {QUADRILATERAL, 10, 40},
                          [62] = {LINE, 6, 7},
                          [63] = {LINE, 7, 8},
                          [64] = {LINE, 8, 9},
                          [65] = {LINE, 9, 10},
                          [66] = {LINE, 10, 11},
                          [67] = {LINE, 1, 2},
                          [68] = {TRIANGLE, 1, 3},
                          [69] = {POLYGON, 1, 0},
                          [70] = {LINE, 1, 2},
                          [71] = {TETRAHEDRON, 6, 84},
                          [72] = {TETRAHEDRON, 7, 120},
                          [73] = {TETRAHEDRON, 8, 165},
                          [74] = {TETRAHEDRON, 9, 220},
                          [75] = {TETRAHEDRON, 10, 286},
                          [79] = {TETRAHEDRON, 6, 34},
                          [80] = {TETRAHEDRON, 7, 40},
                          [81] = {TETRAHEDRON, 8, 46},
                          [82] = {TETRAHEDRON, 9, 52},
                          [83] = {TETRAHEDRON, 10, 58},
                          [84] = {LINE, 0, 1},
                          [85] = {TRIANGLE, 0, 1},
                          [86] = {QUADRILATERAL, 0, 1},
                          [87] = {TETRAHEDRON, 0, 1},
                          [88] = {HEXAHEDRON, 0, 1},
                          [89] = {PRISM, 0, 1},
                          [90] = {PRISM, 3, 40},
                          [91] = {PRISM, 4, 75},
                          [92] = {HEXAHEDRON, 3, 64},
                          [93] = {HEXAHEDRON, 4, 125},
                          [94] = {HEXAHEDRON, 5, 216},
                          [95] = {HEXAHEDRON, 6, 343},
                          [96] = {HEXAHEDRON, 7, 512},
                          [97] = {HEXAHEDRON, 8, 729},
                          [98] = {HEXAHEDRON, 9, 1000},
                          [99] = {HEXAHEDRON, 3, 32},
                          [100] = {HEXAHEDRON, 4, 44},
                          [101] = {HEXAHEDRON, 5, 56},
                          [102] = {HEXAHEDRON, 6, 68},
                          [103] = {HEXAHEDRON, 7, 80},
                          [104] = {HEXAHEDRON, 8, 92},
                          [105] = {HEXAHEDRON, 9, 104},
                          [106] = {PRISM, 5, 126},
                          [107] = {PRISM, 6, 196},
                          [108] = {PRISM, 7, 288},
                          [109] = {PRISM, 8, 405},
                          [110] = {PRISM, 9, 550},
                          [111] = {PRISM, 3, 24},
                          [112] = {PRISM, 4, 33},
                          [113] = {PRISM, 5, 42},
                          [114] = {PRISM, 6, 51},
                          [115] = {PRISM, 7, 60},
                          [116] = {PRISM, 8, 69},
                          [117] = {PRISM, 9, 78},
                          [118] = {PYRAMID, 3, 30},
                          [119] = {PYRAMID, 4, 55},
                          [120] = {PYRAMID, 5, 91},
                          [121] = {PYRAMID, 6, 140},
                          [122] = {PYRAMID, 7, 204},
                          [123] = {PYRAMID, 8, 285},
                          [124] = {PYRAMID, 9, 385},
                          [125] = {PYRAMID, 3, 21},
                          [126] = {PYRAMID, 4, 29},
                          [127] = {PYRAMID, 5, 37},
                          [128] = {PYRAMID, 6, 45},
                          [129] = {PYRAMID, 7, 53},
                          [130] = {PYRAMID, 8, 61},
                          [131] = {PYRAMID, 9, 69},
                          [132] = {PYRAMID, 0, 1},
                          [137] = {TETRAHEDRON, 3, 16}};

int bp_hexahedron_find(int type)
{
  for (int kind = 0; kind < BP_HEXAHEDRON_KINDS; ++kind)
    if (bp_hexahedra[kind].type == type)
      return kind;
  return -1;
}

int bp_gmsh_type_nodes(int type)
{
  return type < 1 || type >= BP_GMSH_TYPES || types[type].shape == NONE ? -1 : types[type].nodes;
}

bool bp_gmsh_type_is_quad(int type)
{
  return bp_gmsh_type_nodes(type) >= 4 && types[type].shape == QUADRILATERAL;
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
