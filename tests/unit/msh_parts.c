/* msh_parts.c -- tests of the parts of the Gmsh reader and writer: numbers, tags, orders, groups. */
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "mesh/hexahedron.h"
#include "mesh/lattice.h"
#include "mesh/mesh.h"
#include "mesh/msh/tag_map.h"
#include "mesh/number.h"
#include "test.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- numbers ---- */

/* Where the scanner is sure of a number, it is the one that the C library finds. */
static void check_number(const char *text, int *taken)
{
  char line[64];
  double value = -1, expected = strtod(text, NULL);
  int length = snprintf(line, sizeof line, " %s\n", text);
  const char *end = bp_scan_double(line, line + length, &value);
  if (!end)
    return;
  ++*taken;
  CHECK(memcmp(&value, &expected, sizeof value) == 0 && *end == '\n', "%s: %.17g, not %.17g", text,
        value, expected);
}

TEST(number, is_rounded_as_strtod_does)
{
  enum { COUNT = 300000 };
  bp_random random = bp_random_start(3);
  int taken = 0, usual = 0;
  for (int n = 0; n < COUNT; ++n) {
    char text[48];
    uint64_t bits = bp_random_next(&random);
    double x = (bp_random_unit(&random) - 0.5) * pow(10, (double)bp_random_below(&random, 12) - 6);
    snprintf(text, sizeof text, "%.*g", 15 + n % 3, x);
    check_number(text, &usual);
    snprintf(text, sizeof text, "%" PRIu64 "e%d", bits >> bp_random_below(&random, 40),
             (int)bp_random_below(&random, 60) - 30);
    check_number(text, &taken);
  }
  CHECK(usual > COUNT * 9 / 10, "only %d of %d usual numbers were taken the fast way", usual,
        COUNT);
  CHECK(taken > COUNT / 2, "only %d of %d", taken, COUNT);
}

/* Decimals halfway between two doubles, and one unit of their last digit to either side. */
TEST(number, halfway_cases)
{
  static const char *const texts[] = {"9007199254740993",
                                      "9007199254740992.9999",
                                      "9007199254740993.0001",
                                      "1.00000000000000011102",
                                      "1.0000000000000001110",
                                      "1.0000000000000001111",
                                      "4503599627370496.5",
                                      "4503599627370497.5",
                                      "18014398509481985",
                                      "18014398509481986",
                                      "18014398509481987",
                                      "0.500000000000000166",
                                      "1152921504606847104",
                                      "1152921504606847103",
                                      "1152921504606847105",
                                      "9999999999999999999",
                                      "0.1",
                                      "0.30000000000000004"};
  int taken = 0;
  for (size_t n = 0; n < sizeof texts / sizeof *texts; ++n)
    check_number(texts[n], &taken);
  CU_ASSERT(taken > 5);
}

TEST(number, refuses_what_it_is_not_sure_of)
{
  static const char *const doubtful[] = {
      "",    "-",   ".",   "e5",  "1e",  "1e+",     "1x",    "nan",
      "inf", "0x1", "1,5", "1-2", "--1", "1e99999", "1e400", "12345678901234567890123"};
  for (size_t n = 0; n < sizeof doubtful / sizeof *doubtful; ++n) {
    char line[64];
    double value;
    int length = snprintf(line, sizeof line, "%s\n", doubtful[n]);
    CHECK(bp_scan_double(line, line + length, &value) == NULL, "%s", doubtful[n]);
  }
  int64_t value;
  CU_ASSERT(bp_scan_int("1234567890123456789 ", &value) == NULL);
  CU_ASSERT(bp_scan_int("12a ", &value) == NULL && bp_scan_int("\n", &value) == NULL);
  CU_ASSERT(bp_scan_int(" -12\n", &value) != NULL && value == -12);
}

/* ---- tags ---- */

static void check_map(const int64_t *tags, int64_t count)
{
  bp_tag_map map;
  CU_ASSERT_EQUAL(bp_tag_map_create(&map, tags, count), -1);
  for (int64_t n = 0; n < count; ++n)
    CU_ASSERT_EQUAL(bp_tag_map_find(&map, tags[n]), n);
  CU_ASSERT_EQUAL(bp_tag_map_find(&map, tags[0] - 1), -1);
  CU_ASSERT_EQUAL(bp_tag_map_find(&map, INT64_MIN), -1);
  bp_tag_map_destroy(&map);
}

TEST(tag_map, finds_every_tag)
{
  enum { COUNT = 1000 };
  int64_t tags[COUNT];
  for (int64_t n = 0; n < COUNT; ++n)
    tags[n] = 5 + n;
  check_map(tags, COUNT);
  for (int64_t n = 0; n < COUNT; ++n)
    tags[n] = 1 + n * 7 % COUNT;
  check_map(tags, COUNT);
  for (int64_t n = 0; n < COUNT; ++n)
    tags[n] = 1 + n * (INT64_MAX / COUNT - 1);
  check_map(tags, COUNT);
  check_map((int64_t[]){INT64_MAX, 0}, 2);
}

TEST(tag_map, says_which_tag_repeats)
{
  bp_tag_map map;
  CU_ASSERT_EQUAL(bp_tag_map_create(&map, (int64_t[]){4, 5, 4}, 3), 2);
  bp_tag_map_destroy(&map);
  CU_ASSERT_EQUAL(bp_tag_map_create(&map, (int64_t[]){4, 5000000, 5000000, 4}, 4), 2);
  bp_tag_map_destroy(&map);
  CU_ASSERT_EQUAL(bp_tag_map_create(&map, NULL, 0), -1);
  CU_ASSERT_EQUAL(bp_tag_map_find(&map, 0), -1);
  bp_tag_map_destroy(&map);
}

/* ---- orders ---- */

TEST(hexahedron, places_are_a_permutation)
{
  for (int kind = 0; kind < BP_HEXAHEDRON_KINDS; ++kind) {
    const bp_hexahedron *h = &bp_hexahedra[kind];
    int place[BP_HEXAHEDRON_NODES_MAX], p = h->order, n = p + 1;
    bool seen[BP_HEXAHEDRON_NODES_MAX] = {false};
    bp_hexahedron_places(h, place);
    CU_ASSERT_EQUAL(bp_kind_find(BP_HEXAHEDRON, h->type), kind);
    CU_ASSERT_EQUAL(bp_gmsh_type_nodes(h->type), h->nodes);
    CU_ASSERT(h->complete == (h->nodes == n * n * n));
    for (int at = 0; at < h->nodes; ++at) {
      int i[3] = {place[at] % n, place[at] / n % n, place[at] / n / n};
      int inner = (i[0] % p != 0) + (i[1] % p != 0) + (i[2] % p != 0);
      CHECK(!seen[place[at]], "type %d, node %d", h->type, at);
      CHECK(h->complete || inner <= 1, "type %d, node %d", h->type, at);
      seen[place[at]] = true;
    }
  }
}

TEST(hexahedron, names_types)
{
  char name[40];
  CU_ASSERT_STRING_EQUAL(bp_gmsh_type_name(4, name), "tetrahedron");
  CU_ASSERT_STRING_EQUAL(bp_gmsh_type_name(36, name), "quadrilateral of order 3");
  CU_ASSERT_STRING_EQUAL(bp_gmsh_type_name(15, name), "point");
  CU_ASSERT_STRING_EQUAL(bp_gmsh_type_name(12345, name), "type 12345");
  CU_ASSERT(bp_gmsh_type_nodes(0) == -1 && bp_gmsh_type_nodes(-3) == -1);
}

TEST(lattice, is_exact_on_polynomials)
{
  for (int q = 1; q <= 9; ++q) {
    double d[10], m[100];
    bp_lattice_derivative(q, d);
    bp_lattice_interpolate(q, 9, m);
    for (int power = 0; power <= q; ++power) {
      double slope = 0;
      for (int a = 0; a <= q; ++a)
        slope += d[a] * pow((double)a / q, power);
      CHECK(fabs(slope - (power == 1)) < 1e-10, "order %d, power %d: %g", q, power, slope);
      for (int b = 0; b <= 9; ++b) {
        double value = 0;
        for (int a = 0; a <= q; ++a)
          value += m[b * (q + 1) + a] * pow((double)a / q, power);
        CHECK(fabs(value - pow(b / 9.0, power)) < 1e-12, "order %d, power %d: %g", q, power, value);
      }
    }
  }
}

/* An element of type 17 whose edges follow a field that its 20 nodes span is that field everywhere. */
TEST(lattice, completes_incomplete_elements)
{
  const int p = 5;
  for (int kind = 9; kind < BP_HEXAHEDRON_KINDS; ++kind) {
    const bp_hexahedron *h = &bp_hexahedra[kind];
    int place[BP_HEXAHEDRON_NODES_MAX], n = h->order + 1;
    int32_t from[BP_HEXAHEDRON_NODES_MAX], to[BP_HEXAHEDRON_NODES_MAX];
    int order = h->order > p ? h->order : p, m = order + 1;
    bp_lattice lattice = {.x = bp_alloc_array((size_t)h->nodes, 24), .capacity = h->nodes};
    bp_hexahedron_places(h, place);
    for (int at = 0; at < h->nodes; ++at) {
      double r = place[at] % n / (double)h->order, s = place[at] / n % n / (double)h->order,
             t = place[at] / n / n / (double)h->order;
      double x[3] = {r + 0.1 * s * t * r * r, s - 0.2 * r * s * s * t, t + r * s * t * t};
      memcpy(&lattice.x[3 * at], x, sizeof x);
      from[at] = at;
    }
    lattice.nodes = h->nodes;
    bp_lattice_raise(&lattice, h, from, order, to);
    for (int at = 0; at < m * m * m; ++at) {
      double r = at % m / (double)order, s = at / m % m / (double)order,
             t = at / m / m / (double)order;
      const double *x = &lattice.x[3 * (int64_t)to[at]];
      CHECK(fabs(x[0] - (r + 0.1 * s * t * r * r)) + fabs(x[1] - (s - 0.2 * r * s * s * t)) +
                    fabs(x[2] - (t + r * s * t * t)) <
                1e-11,
            "type %d, node %d", h->type, at);
    }
    bp_lattice_destroy(&lattice);
    bp_free(lattice.x);
  }
}

/* Too many nodes for so small a file: thousands of linear elements and one of order 9. */
TEST(lattice, refuses_orders_too_far_apart)
{
  bp_text text = {0};
  bp_mesh *mesh;
  bp_text_append(&text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1008\n");
  for (int c = 0; c < 8; ++c)
    bp_text_appendf(&text, "%d %d %d %d\n", c + 1, c & 1, c >> 1 & 1, c >> 2);
  int place[BP_HEXAHEDRON_NODES_MAX];
  bp_hexahedron_places(&bp_hexahedra[8], place);
  for (int n = 0; n < 1000; ++n)
    bp_text_appendf(&text, "%d %d %d %d\n", n + 9, place[n] % 10, place[n] / 10 % 10,
                    place[n] / 100);
  bp_text_append(&text, "$EndNodes\n$Elements\n5001\n1 98 0");
  for (int n = 0; n < 1000; ++n)
    bp_text_appendf(&text, " %d", n + 9);
  for (int e = 0; e < 5000; ++e)
    bp_text_appendf(&text, "\n%d 5 0 1 2 4 3 5 6 8 7", e + 2);
  bp_text_append(&text, "\n$EndElements\n");
  CU_ASSERT_EQUAL(bp_mesh_read_bytes("f", text.data, text.length, &mesh), BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "elements of similar orders") != NULL, "%s", bp_message());
  bp_text_destroy(&text);
}

/* ---- groups and the writer ---- */

static bp_mesh *read_file(const char *path)
{
  bp_mesh *mesh;
  CHECK(bp_mesh_read(path, &mesh) == BP_OK, "%s", bp_message());
  CU_ASSERT_FATAL(mesh != NULL);
  return mesh;
}

static void check_same(const bp_mesh *a, const bp_mesh *b)
{
  CU_ASSERT(a->elements == b->elements && a->nodes == b->nodes && a->order == b->order);
  CU_ASSERT(memcmp(a->x, b->x, 24 * (size_t)a->nodes) == 0);
  CU_ASSERT(memcmp(a->node, b->node, 4 * (size_t)(a->elements * bp_mesh_element_nodes(a))) == 0);
  CU_ASSERT(a->blocks_count == b->blocks_count && a->groups_count == b->groups_count);
  for (int g = 0; g < a->groups_count && g < b->groups_count; ++g) {
    CU_ASSERT_STRING_EQUAL(a->groups[g].name, b->groups[g].name);
    CU_ASSERT(a->groups[g].tag == b->groups[g].tag &&
              a->groups[g].elements == b->groups[g].elements);
  }
}

TEST(msh_write, keeps_orders_and_groups)
{
  static const char *const files[] = {"tests/meshes/good/third-41-binary.msh", "meshes/pipe.msh",
                                      "tests/meshes/good/twice-41.msh", "meshes/plate.msh"};
  char path[64];
  snprintf(path, sizeof path, "/tmp/bp-parts-%d.msh", (int)getpid());
  for (size_t n = 0; n < sizeof files / sizeof *files; ++n)
    for (int kind = 0; kind < 4; ++kind) {
      bp_mesh *mesh = read_file(files[n]);
      bp_status status = bp_mesh_write(mesh, path, kind & 1 ? 41 : 22, kind & 2);
      if (strstr(files[n], "twice") && !(kind & 1)) {
        CU_ASSERT_EQUAL(status, BP_BAD_INPUT);
        CU_ASSERT(strstr(bp_message(), "is in 2 physical groups, version 2.2 holds one") != NULL);
      } else {
        CU_ASSERT_EQUAL_FATAL(status, BP_OK);
        bp_mesh *again = read_file(path);
        check_same(mesh, again);
        bp_mesh_destroy(again);
      }
      bp_mesh_destroy(mesh);
      unlink(path);
    }
}

TEST(msh_write, says_what_2_2_cannot_hold)
{
  bp_mesh *mesh;
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(1, 1, 2, 0, &mesh), BP_OK);
  mesh->tag[1] = 1ll << 40;
  CU_ASSERT_EQUAL(bp_mesh_write(mesh, "/tmp/never.msh", 22, true), BP_BAD_INPUT);
  CU_ASSERT(strstr(bp_message(), "element tag 1099511627776 is too large for version 2.2") != NULL);
  bp_mesh_destroy(mesh);
}

TEST(select, takes_a_part)
{
  bp_mesh *mesh = read_file("tests/meshes/good/twice-41.msh"), *part;
  CU_ASSERT_EQUAL_FATAL(bp_mesh_select(mesh, "rechts äöü", &part), BP_OK);
  CU_ASSERT(part->elements == 1 && part->nodes == 8 && part->blocks_count == 1);
  CU_ASSERT(part->groups[1].elements == 1 && part->groups[0].elements == 0);
  for (int64_t n = 0; n < part->nodes; ++n)
    CU_ASSERT(part->x[3 * n] >= 1);
  bp_mesh_destroy(part);
  CU_ASSERT_EQUAL_FATAL(bp_mesh_select(mesh, "7", &part), BP_OK);
  CU_ASSERT(part->elements == 2 && part->nodes == 12);
  bp_mesh_destroy(part);
  CU_ASSERT_EQUAL(bp_mesh_select(mesh, "8", &part), BP_BAD_INPUT);
  CU_ASSERT(part == NULL);
  bp_mesh_destroy(mesh);
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(1, 1, 1, 0, &mesh), BP_OK);
  CU_ASSERT_EQUAL(bp_mesh_select(mesh, "any", &part), BP_BAD_INPUT);
  CU_ASSERT(strstr(bp_message(), "(the mesh has none)") != NULL);
  bp_mesh_destroy(mesh);
}
