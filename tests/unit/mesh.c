/* mesh.c -- tests of meshes: the reader's formats and messages, the box, the writer, groups. */
#include "mesh/mesh.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "test.h"
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* One cube, as every version of the format has it. */
static const char one_22[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                             "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
                             "5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n"
                             "$Elements\n1\n1 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n";

static bp_mesh *read_text(const char *text)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read_bytes("test.msh", text, strlen(text), &mesh);
  CHECK(status == BP_OK, "%s", bp_message());
  return mesh;
}

/* That the text is refused with a message that holds `message`. */
static void refuse(const char *text, const char *message)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read_bytes("test.msh", text, strlen(text), &mesh);
  CHECK(status == BP_BAD_INPUT && mesh == NULL, "status %d for %s", status, message);
  CHECK(strstr(bp_message(), message) != NULL, "expected \"%s\", found \"%s\"", message,
        bp_message());
  bp_mesh_destroy(mesh);
}

/* `text` with its first `from` replaced by `to`; free with bp_free. */
static char *replaced(const char *text, const char *from, const char *to)
{
  const char *at = strstr(text, from);
  CU_ASSERT_FATAL(at != NULL);
  return bp_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void refuse_replaced(const char *from, const char *to, const char *message)
{
  char *text = replaced(one_22, from, to);
  refuse(text, message);
  bp_free(text);
}

static void accept_replaced(const char *from, const char *to)
{
  char *text = replaced(one_22, from, to);
  bp_mesh *mesh = read_text(text);
  CU_ASSERT(mesh && mesh->elements == 1 && mesh->nodes == 8);
  bp_mesh_destroy(mesh);
  bp_free(text);
}

/* Edge vectors at corner 0 span the volume of a parallelepiped. */
static double volume_at_corner(const bp_mesh *mesh, int64_t e)
{
  double t[3][3];
  const double *x = &mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, 0)];
  for (int d = 0; d < 3; ++d)
    for (int k = 0; k < 3; ++k)
      t[d][k] = mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, 1 << d) + k] - x[k];
  return t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
         t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
}

TEST(mesh, reads_one_cube)
{
  bp_mesh *mesh = read_text(one_22);
  CU_ASSERT_FATAL(mesh != NULL);
  CU_ASSERT(mesh->order == 1 && mesh->elements == 1 && mesh->nodes == 8 && mesh->tag[0] == 1);
  CU_ASSERT_STRING_EQUAL(mesh->name, "test.msh");
  CU_ASSERT_STRING_EQUAL(mesh->format, "Gmsh 2.2 ASCII");
  for (int c = 0; c < 8; ++c)
    for (int d = 0; d < 3; ++d)
      CU_ASSERT_EQUAL(mesh->x[3 * bp_mesh_corner(mesh, 0, c) + d], c >> d & 1);
  CU_ASSERT(mesh->blocks_count == 1 && mesh->groups_count == 0 && mesh->reoriented == 0);
  bp_mesh_destroy(mesh);
}

TEST(mesh, accepts_unusual_text)
{
  accept_replaced("1 0 0 0\n", "1 0 0 0   \t\n");
  accept_replaced("1 0 0 0\n", "\n 1\n0 0\r\n 0 ");
  accept_replaced("2 1 0 0\n3 1 1 0\n", "2 1 0 0 3 1 1 0\n");
  accept_replaced("2 1 0 0", "2 +1.000 0e5 -0.0");
  accept_replaced("2 1 0 0", "2 1D0 0.0d-3 0");
  accept_replaced("$MeshFormat", "\xef\xbb\xbf$MeshFormat");
  accept_replaced("$MeshFormat", "$Comments\nby hand\n$EndComments\n$MeshFormat");
  accept_replaced("$Elements", "$Unknown\n1 2 3\n$EndUnknown\n$Elements");
  accept_replaced("5 2 0 1 1", "5 0 1");
  accept_replaced("5 2 0 1 1", "5 5 1 2 3 4 5 1");
  accept_replaced("$Elements\n1\n", "$Elements\n3\n7 15 2 0 1 1\n8 3 2 0 1 1 2 3 4\n");
  accept_replaced("$EndElements\n", "$EndElements");
  accept_replaced("$Elements\n1\n", "$Elements\n2\n9 34 2 0 1 3 1 2 3\n");
}

TEST(mesh, accepts_crlf)
{
  bp_text text = {0};
  for (const char *c = one_22; *c; ++c)
    bp_text_append(&text, *c == '\n' ? "\r\n" : (char[]){*c, '\0'});
  bp_mesh *mesh = read_text(text.data);
  CU_ASSERT(mesh && mesh->elements == 1);
  bp_mesh_destroy(mesh);
  bp_text_destroy(&text);
}

TEST(mesh, accepts_any_tags)
{
  /* dense but permuted, sparse, huge, zero */
  static const char *const tags[][2] = {
      {"8", "1"}, {"1000000", "1000000"}, {"4611686018427387904", "77"}, {"0", "5"}};
  for (size_t n = 0; n < sizeof tags / sizeof *tags; ++n) {
    char *nodes = bp_format("%s 0 1 1\n$EndNodes", tags[n][0]);
    char *element = bp_format("6 7 %s\n", tags[n][0]);
    char *text = replaced(one_22, "8 0 1 1\n$EndNodes", nodes);
    char *all = replaced(text, "6 7 8\n", element);
    if (strcmp(tags[n][0], "8") == 0)
      CU_ASSERT_STRING_EQUAL(all, one_22);
    bp_mesh *mesh = read_text(all);
    CU_ASSERT(mesh && mesh->nodes == 8);
    bp_mesh_destroy(mesh);
    bp_free(all);
    bp_free(text);
    bp_free(element);
    bp_free(nodes);
  }
}

TEST(mesh, accepts_version_1)
{
  bp_mesh *mesh =
      read_text("$NOD\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n"
                "8 0 1 1\n$ENDNOD\n$ELM\n2\n1 3 1 1 4 1 2 3 4\n2 5 9 1 8 1 2 3 4 5 6 7 8\n"
                "$ENDELM\n");
  CU_ASSERT_FATAL(mesh != NULL);
  CU_ASSERT(mesh->elements == 1 && mesh->groups_count == 1 && mesh->groups[0].tag == 9);
  CU_ASSERT(mesh->skipped_count == 1 && mesh->skipped[0].type == 3 && mesh->skipped[0].count == 1);
  bp_mesh_destroy(mesh);
}

TEST(mesh, says_what_is_wrong)
{
  refuse("", "test.msh:1: expected a Gmsh mesh ($MeshFormat), found the end of the file");
  refuse("hello", "found \"hello\"");
  refuse("version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer");
  refuse("\x1f\x8b\x08", "gzip");
  refuse("(0 \"GAMBIT to Fluent File\")\n", "a Fluent or ANSYS mesh");
  refuse("MESH dimension 3 ElemType Hexahedra Nnode 8\n", "a GiD mesh");
  refuse("$Nodes\n", "expected a Gmsh mesh");
  refuse("$MeshFormat\n3 0 8\n$EndMeshFormat\n", "found 3.0 (convert it with `gmsh test.msh");
  refuse("$MeshFormat\n5 0 8\n$EndMeshFormat\n", "test.msh:2: expected a version of the format");
  refuse_replaced("2.2 0 8", "2.2 2 8", "test.msh:2: expected the file type");
  refuse_replaced("$EndMeshFormat", "", "expected $EndMeshFormat, found \"$Nodes\"");
  refuse_replaced("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
                  "$Comments\n$MeshFormat\n$EndComments\n", "expected $MeshFormat before $Nodes");
  refuse_replaced("2 1 0 0", "2 1 x 0", "test.msh:7: expected a finite coordinate, found \"x\"");
  refuse_replaced("2 1 0 0", "2 1 nan 0",
                  "test.msh:7: expected a finite coordinate, found \"nan\"");
  refuse_replaced("2 1 0 0", "2 1 1e400 0", "found \"1e400\"");
  refuse_replaced("2 1 0 0", "2 1,5 0 0", "found \"1,5\"");
  refuse_replaced("2 1 0 0", "1 1 0 0", "test.msh:7: expected a new tag of a node, found 1 again");
  refuse_replaced("2 1 0 0", "-2 1 0 0", "test.msh:7: expected the tag of a node, found \"-2\"");
  refuse_replaced("$Nodes\n8", "$Nodes\n1152921504606846976",
                  "test.msh:5: expected the number of nodes, "
                  "at most");
  refuse_replaced("$Nodes\n8", "$Nodes\n9",
                  "test.msh:14: expected the tag of a node, found \"$EndNodes\"");
  refuse_replaced("$Nodes\n8", "$Nodes\n7", "test.msh:13: expected $EndNodes, found \"8\"");
  refuse_replaced("6 7 8\n$End", "6 7 99\n$End",
                  "test.msh:17: expected the tag of a node that $Nodes has, "
                  "found \"99\"");
  refuse_replaced("1 5 2", "1 500 2",
                  "test.msh:17: expected an element type that Gmsh has, found \"500\"");
  refuse_replaced("1 5 2", "1 4 2", "test.msh:17: expected $EndElements");
  refuse_replaced("1 5 2 0 1 1 2 3 4 5 6 7 8", "1 4 2 0 1 1 2 3 5", "1 x tetrahedron");
  refuse_replaced("$EndElements\n", "", "expected $EndElements, found the end of the file");
}

TEST(mesh, turns_or_names_elements)
{
  char *text = replaced(one_22, "1 2 3 4 5 6 7 8\n", "2 1 4 3 6 5 8 7\n");
  bp_mesh *mesh = read_text(text);
  CU_ASSERT_FATAL(mesh != NULL);
  CU_ASSERT(mesh->reoriented == 1 && volume_at_corner(mesh, 0) == 1);
  bp_mesh_destroy(mesh);
  bp_free(text);
  refuse_replaced("7 1 1 1", "7 -3 -3 -3",
                  "element 1: expected a positive Jacobian at its corners, found "
                  "both signs");
  refuse_replaced("1 2 3 4 5 6 7 8\n", "1 2 3 4 1 2 3 4\n", "found zero");
}

TEST(mesh, does_not_mind_the_scale)
{
  static const char *const scales[] = {"e-300", "e-100", "e100", "e307"};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
    bp_text text = {0};
    for (const char *c = one_22; *c; ++c) {
      bool is_coordinate = *c == '1' && c > one_22 + 40 && strstr(c, "$EndNodes") && c[-1] == ' ';
      bp_text_append(&text, (char[]){*c, '\0'});
      if (is_coordinate)
        bp_text_append(&text, scales[s]);
    }
    bp_mesh *mesh = read_text(text.data);
    CU_ASSERT(mesh && mesh->reoriented == 0);
    bp_mesh_destroy(mesh);
    bp_text_destroy(&text);
  }
}

TEST(mesh, box)
{
  bp_mesh *mesh;
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(3, 4, 5, 0, &mesh), BP_OK);
  CU_ASSERT(mesh->elements == 60 && mesh->nodes == 4 * 5 * 6);
  for (int64_t e = 0; e < mesh->elements; ++e)
    CU_ASSERT_DOUBLE_EQUAL(volume_at_corner(mesh, e), 1.0 / 60, 1e-15);
  bp_mesh_destroy(mesh);
  CU_ASSERT_EQUAL(bp_mesh_box(0, 1, 1, 0, &mesh), BP_BAD_INPUT);
  CU_ASSERT_EQUAL(bp_mesh_box(1, 1, 1, 1, &mesh), BP_BAD_INPUT);
  CU_ASSERT_EQUAL(bp_mesh_box(1 << 20, 1 << 20, 1 << 20, 0, &mesh), BP_BAD_INPUT);
  CU_ASSERT(mesh == NULL);
}

/* By its corners, which a trilinear element's Jacobian depends on. */
static double smallest_jacobian(const bp_mesh *mesh)
{
  double smallest = 1e300;
  for (int64_t e = 0; e < mesh->elements; ++e)
    for (int c = 0; c < 8; ++c) {
      double t[3][3];
      for (int d = 0; d < 3; ++d)
        for (int k = 0; k < 3; ++k)
          t[d][k] = mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, c | 1 << d) + k] -
                    mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, c & ~(1 << d)) + k];
      double det = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
                   t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
                   t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
      smallest = fmin(smallest, det);
    }
  return smallest;
}

TEST(mesh, warped_boxes_are_right_handed)
{
  for (int n = 1; n < 6; ++n)
    for (int m = 1; m < 6; ++m) {
      bp_mesh *mesh;
      CU_ASSERT_EQUAL_FATAL(bp_mesh_box(n, m, 4, 0.9, &mesh), BP_OK);
      CHECK(smallest_jacobian(mesh) * n * m * 4 > 0.09, "%d x %d x 4", n, m);
      bp_mesh_destroy(mesh);
    }
}

static bp_mesh *read_and_remove(const char *path)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read(path, &mesh);
  CHECK(status == BP_OK, "%s", bp_message());
  unlink(path);
  return mesh;
}

static bool same_mesh(const bp_mesh *a, const bp_mesh *b)
{
  size_t entries = (size_t)(a->elements * bp_mesh_element_nodes(a));
  return a->elements == b->elements && a->nodes == b->nodes && a->order == b->order &&
         memcmp(a->x, b->x, 24 * (size_t)a->nodes) == 0 &&
         memcmp(a->node, b->node, 4 * entries) == 0 &&
         memcmp(a->tag, b->tag, 8 * (size_t)a->elements) == 0;
}

/* Large enough that text is read by several threads. */
TEST(mesh, writes_what_it_reads)
{
  char path[64];
  bp_mesh *box;
  snprintf(path, sizeof path, "/tmp/bp-test-%d.msh", (int)getpid());
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(40, 30, 25, 0.9, &box), BP_OK);
  for (int kind = 0; kind < 4; ++kind) {
    CU_ASSERT_EQUAL(bp_mesh_write(box, path, kind & 1 ? 41 : 22, kind & 2), BP_OK);
    bp_mesh *mesh = read_and_remove(path);
    CHECK(mesh && same_mesh(mesh, box) && mesh->reoriented == 0, "kind %d", kind);
    bp_mesh_destroy(mesh);
  }
  bp_mesh_destroy(box);
}

/* The bytes of a large box, as it is written; free with bp_free. */
static char *box_bytes(int version, bool binary, size_t *size)
{
  char path[64];
  bp_mesh *box;
  bp_file file;
  snprintf(path, sizeof path, "/tmp/bp-test-%d.msh", (int)getpid());
  CU_ASSERT_EQUAL_FATAL(bp_mesh_box(40, 40, 40, 0, &box), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_mesh_write(box, path, version, binary), BP_OK);
  CU_ASSERT_EQUAL_FATAL(bp_file_map(path, &file), BP_OK);
  char *bytes = bp_alloc(file.size, 1);
  memcpy(bytes, file.data, file.size);
  *size = file.size;
  bp_file_unmap(&file);
  bp_mesh_destroy(box);
  unlink(path);
  return bytes;
}

/* However many threads read it and in whatever order, the first mistake of the file is the one told. */
static void first_mistake(int version, bool binary)
{
  size_t size;
  char *bytes = box_bytes(version, binary, &size), first[300] = "";
  for (size_t at = 9 * size / 10; at > size / 2 && !binary; at -= size / 9)
    bytes[at] = 'x';
  for (size_t at = 9 * size / 10; at > size / 2 && binary; at -= size / 9)
    memset(bytes + at, 0x7f, 100);
  for (int n = 0; n < 20; ++n) {
    bp_mesh *mesh;
    CU_ASSERT_EQUAL(bp_mesh_read_bytes("f", bytes, size, &mesh), BP_BAD_INPUT);
    if (n == 0)
      snprintf(first, sizeof first, "%s", bp_message());
    CHECK(strcmp(first, bp_message()) == 0, "first \"%s\", now \"%s\"", first, bp_message());
    bp_mesh_destroy(mesh);
  }
  long place = strtol(first + (binary ? strlen("f: byte ") : strlen("f:")), NULL, 10);
  size_t earliest = 9 * size / 10;
  while (earliest - size / 9 > size / 2)
    earliest -= size / 9;
  int64_t line = 1;
  for (size_t at = 0; at < earliest; ++at)
    line += bytes[at] == '\n';
  CHECK(binary ? labs(place - (long)earliest) < 100 : place == line,
        "%s, not near byte %zu, line %d", first, earliest, (int)line);
  bp_free(bytes);
}

TEST(mesh, tells_the_first_mistake)
{
  first_mistake(22, false);
  first_mistake(41, false);
  first_mistake(22, true);
  first_mistake(41, true);
}

/* A count that is one too small is seen, however the lines after it look. */
TEST(mesh, sees_lines_beyond_the_count)
{
  static const char *const counts[][3] = {
      {"$Nodes\n68921\n", "$Nodes\n68920\n", "f:68926: expected $EndNodes, found \"68921\""},
      {"$Elements\n64000\n", "$Elements\n63999\n", "expected $EndElements, found \"64000\""}};
  size_t size;
  char *bytes = box_bytes(22, false, &size);
  char *text = bp_strndup(bytes, size);
  for (int n = 0; n < 2; ++n) {
    char *wrong = replaced(text, counts[n][0], counts[n][1]);
    bp_mesh *mesh;
    CU_ASSERT_EQUAL(bp_mesh_read_bytes("f", wrong, strlen(wrong), &mesh), BP_BAD_INPUT);
    CHECK(strstr(bp_message(), counts[n][2]) != NULL, "%s", bp_message());
    bp_free(wrong);
  }
  bp_free(text);
  bp_free(bytes);
}
