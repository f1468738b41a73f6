/* msh_files.c -- tests of the Gmsh reader on the files of tests/meshes: every format that Gmsh writes, the
 * same for another machine, and each cut short everywhere. */
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "mesh/mesh.h"
#include "msh_swap.h"
#include "test.h"
#include <glob.h>
#include <locale.h>

static void for_each_file(const char *pattern, void (*test)(const char *path, bp_file file))
{
  glob_t files;
  CU_ASSERT_EQUAL_FATAL(glob(pattern, 0, NULL, &files), 0);
  for (size_t n = 0; n < files.gl_pathc; ++n) {
    bp_file file;
    CU_ASSERT_EQUAL_FATAL(bp_file_map(files.gl_pathv[n], &file), BP_OK);
    test(files.gl_pathv[n], file);
    bp_file_unmap(&file);
  }
  globfree(&files);
}

static bool same_mesh(const bp_mesh *a, const bp_mesh *b)
{
  size_t entries = (size_t)(a->elements * bp_mesh_element_nodes(a));
  return a->elements == b->elements && a->nodes == b->nodes && a->order == b->order &&
         a->groups_count == b->groups_count && a->blocks_count == b->blocks_count &&
         a->periodic_nodes == b->periodic_nodes && a->reoriented == b->reoriented &&
         memcmp(a->x, b->x, 24 * (size_t)a->nodes) == 0 &&
         memcmp(a->node, b->node, 4 * entries) == 0 &&
         memcmp(a->tag, b->tag, 8 * (size_t)a->elements) == 0;
}

/* Two cubes or the same refined, side by side, in two groups of volumes. */
static void is_the_box(const char *path, bp_file file)
{
  bp_mesh *mesh;
  bp_status status = bp_mesh_read_bytes(path, file.data, file.size, &mesh);
  CHECK(status == BP_OK, "%s", bp_message());
  if (status)
    return;
  CHECK(mesh->elements == 2 || mesh->elements == 16, "%s", path);
  bool unnamed = strstr(path, "-10") != NULL;
  if (mesh->groups_count) {
    CHECK(strcmp(mesh->groups[0].name, unnamed ? "" : "left part") == 0, "%s", path);
    CHECK(strcmp(mesh->groups[1].name, unnamed ? "" : "rechts äöü") == 0, "%s", path);
    CHECK(mesh->groups[0].elements == mesh->elements / 2, "%s", path);
  }
  for (int64_t n = 0; n < mesh->nodes; ++n)
    for (int d = 0; d < 3; ++d)
      CHECK(mesh->x[3 * n + d] >= 0 && mesh->x[3 * n + d] <= (d == 0 ? 2 : 1), "%s", path);
  bp_mesh_destroy(mesh);
}

TEST(msh_files, are_the_box)
{
  for_each_file("tests/meshes/good/*.msh", is_the_box);
}

/* Nodes at the places that a box of cubes has them, whatever order Gmsh lists them in. */
static void is_lattice(const char *path, bp_file file)
{
  bp_mesh *mesh;
  if (bp_mesh_read_bytes(path, file.data, file.size, &mesh))
    return;
  int p = mesh->order, n = p + 1;
  for (int64_t e = 0; e < mesh->elements; ++e) {
    const int32_t *node = &mesh->node[e * n * n * n];
    const double *low = &mesh->x[3 * (int64_t)node[0]];
    double far = 0;
    for (int at = 0; at < n * n * n; ++at)
      for (int d = 0; d < 3; ++d) {
        double x = 0;
        const int i[3] = {at % n, at / n % n, at / n / n};
        for (int axis = 0; axis < 3; ++axis)
          x +=
              (mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, 1 << axis) + d] - low[d]) * i[axis] / p;
        far = fmax(far, fabs(mesh->x[3 * (int64_t)node[at] + d] - low[d] - x));
      }
    CHECK(far < 1e-12, "%s: element %d is off by %g", path, (int)e, far);
  }
  bp_mesh_destroy(mesh);
}

TEST(msh_files, have_nodes_in_order)
{
  for_each_file("tests/meshes/good/*.msh", is_lattice);
}

static void reads_swapped(const char *path, bp_file file)
{
  bp_mesh *mesh, *other;
  if (bp_mesh_read_bytes(path, file.data, file.size, &mesh))
    return;
  for (int kind = 1; kind < 4; ++kind) {
    bp_text text = {0};
    msh_swap(file.data, file.size, kind & 1, kind & 2 ? 4 : 8, &text);
    bp_status status = bp_mesh_read_bytes(path, text.data, text.length, &other);
    CHECK(status == BP_OK && same_mesh(mesh, other), "%s: kind %d: %s", path, kind, bp_message());
    bp_mesh_destroy(other);
    bp_text_destroy(&text);
  }
  bp_mesh_destroy(mesh);
}

TEST(msh_files, read_the_same_from_other_machines)
{
  for_each_file("tests/meshes/good/*-binary.msh", reads_swapped);
}

/* Exact copies, so that a sanitizer sees a byte read past the end. */
static void survives_any_end(const char *path, bp_file file)
{
  for (size_t size = 0; size < file.size; ++size) {
    bp_mesh *mesh;
    char *copy = bp_alloc(size, 1);
    memcpy(copy, file.data, size);
    bp_status status = bp_mesh_read_bytes("f", copy, size, &mesh);
    CHECK(status == BP_OK || (status == BP_BAD_INPUT && strncmp(bp_message(), "f:", 2) == 0),
          "%s: %zu bytes: %d %s", path, size, status, bp_message());
    bp_mesh_destroy(mesh);
    bp_free(copy);
  }
}

TEST(msh_files, survive_any_end)
{
  for_each_file("tests/meshes/good/*.msh", survives_any_end);
}

TEST(msh_files, do_not_mind_a_decimal_comma)
{
  const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                 "nl_NL.UTF-8"};
  char *old = bp_strdup(setlocale(LC_ALL, NULL));
  for (size_t n = 0; n < sizeof locales / sizeof *locales; ++n)
    if (setlocale(LC_ALL, locales[n]))
      break;
  for_each_file("tests/meshes/good/*-2*.msh", is_the_box);
  setlocale(LC_ALL, old);
  bp_free(old);
}
