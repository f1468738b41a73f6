/* msh_write.c -- writes a mesh as Gmsh does: 2.2 and 4.1, in text and in binary. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/cells.h"
#include "mesh/hexahedron.h"
#include "mesh/mesh.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A writer of one version; `binary` values are in this machine's byte order. */
typedef struct {
  const bp_mesh *mesh;
  FILE *f;
  bool binary;
  const bp_hexahedron *kind;
  int dimension; /* of elements, 2 or 3 */
  int place[BP_HEXAHEDRON_NODES_MAX];
  int *volume; /* volume[block], the entity of a block: blocks of the same groups share one */
  int volumes;
  int64_t *of_volume; /* a block of each */
} writer;

static void put_int(const writer *w, int64_t value, char after)
{
  int32_t v = (int32_t)value;
  if (w->binary)
    fwrite(&v, sizeof v, 1, w->f);
  else
    fprintf(w->f, "%" PRId32 "%c", v, after);
}

static void put_size(const writer *w, int64_t value, char after)
{
  if (w->binary)
    fwrite(&value, sizeof value, 1, w->f);
  else
    fprintf(w->f, "%" PRId64 "%c", value, after);
}

static void put_double(const writer *w, double value, char after)
{
  char text[32];
  if (w->binary)
    fwrite(&value, sizeof value, 1, w->f);
  else
    fprintf(w->f, "%s%c", bp_print_double(text, value), after);
}

static void put_point(const writer *w, const double *x, char after)
{
  put_double(w, x[0], ' ');
  put_double(w, x[1], ' ');
  put_double(w, x[2], after);
}

/* Binary data end with a newline, text has had its own. */
static void end_section(const writer *w, const char *name)
{
  fprintf(w->f, "%s$End%s\n", w->binary ? "\n" : "", name);
}

static void write_format(const writer *w, const char *version)
{
  const int32_t one = 1;
  fprintf(w->f, "$MeshFormat\n%s %d 8\n", version, w->binary);
  if (w->binary)
    fwrite(&one, sizeof one, 1, w->f);
  end_section(w, "MeshFormat");
}

static void write_names(const writer *w)
{
  int named = 0;
  for (int g = 0; g < w->mesh->groups_count; ++g)
    named += w->mesh->groups[g].name[0] != '\0';
  if (!named)
    return;
  fprintf(w->f, "$PhysicalNames\n%d\n", named);
  for (int g = 0; g < w->mesh->groups_count; ++g)
    if (w->mesh->groups[g].name[0])
      fprintf(w->f, "3 %d \"%s\"\n", w->mesh->groups[g].tag, w->mesh->groups[g].name);
  fprintf(w->f, "$EndPhysicalNames\n");
}

static int compare_groups(const bp_mesh_block *a, const bp_mesh_block *b)
{
  if (a->groups_count != b->groups_count)
    return a->groups_count < b->groups_count ? -1 : 1;
  for (int g = 0; g < a->groups_count; ++g)
    if (a->groups[g] != b->groups[g])
      return a->groups[g] < b->groups[g] ? -1 : 1;
  return 0;
}

static int compare_blocks(const void *a, const void *b, void *blocks)
{
  const bp_mesh_block *all = blocks;
  return compare_groups(&all[*(const int64_t *)a], &all[*(const int64_t *)b]);
}

/* Blocks of the same groups are one volume. */
static void find_volumes(writer *w)
{
  const bp_mesh *mesh = w->mesh;
  int64_t *sorted = bp_alloc((size_t)mesh->blocks_count, sizeof *sorted);
  for (int64_t b = 0; b < mesh->blocks_count; ++b)
    sorted[b] = b;
  qsort_r(sorted, (size_t)mesh->blocks_count, sizeof *sorted, compare_blocks, mesh->blocks);
  w->volume = bp_alloc((size_t)mesh->blocks_count, sizeof *w->volume);
  w->of_volume = sorted;
  for (int64_t n = 0; n < mesh->blocks_count; ++n) {
    int64_t b = sorted[n];
    if (n == 0 || compare_groups(&mesh->blocks[b], &mesh->blocks[sorted[w->volumes - 1]]) != 0)
      sorted[w->volumes++] = b;
    w->volume[b] = w->volumes;
  }
}

static int64_t group_tag(const writer *w, const bp_mesh_block *block, int g)
{
  return w->mesh->groups[block->groups[g]].tag;
}

/* ---- 4.1 ---- */

static void write_entities(const writer *w)
{
  double low[3], high[3];
  bp_mesh_bounds(w->mesh, low, high);
  fprintf(w->f, "$Entities\n");
  for (int d = 0; d < 4; ++d)
    put_size(w, d == w->dimension ? w->volumes : 0, d == 3 ? '\n' : ' ');
  for (int v = 0; v < w->volumes; ++v) {
    const bp_mesh_block *block = &w->mesh->blocks[w->of_volume[v]];
    put_int(w, v + 1, ' ');
    put_point(w, low, ' ');
    put_point(w, high, ' ');
    put_size(w, block->groups_count, ' ');
    for (int g = 0; g < block->groups_count; ++g)
      put_int(w, group_tag(w, block, g), ' ');
    put_size(w, 0, '\n');
  }
  end_section(w, "Entities");
}

/* Counts of blocks and of things, smallest and largest tag. */
static void put_section_header(const writer *w, int64_t blocks, int64_t count, int64_t smallest,
                               int64_t largest)
{
  put_size(w, blocks, ' ');
  put_size(w, count, ' ');
  put_size(w, smallest, ' ');
  put_size(w, largest, '\n');
}

static void write_nodes_41(const writer *w)
{
  const bp_mesh *mesh = w->mesh;
  fprintf(w->f, "$Nodes\n");
  put_section_header(w, 1, mesh->nodes, 1, mesh->nodes);
  put_int(w, w->dimension, ' ');
  put_int(w, 1, ' ');
  put_int(w, 0, ' ');
  put_size(w, mesh->nodes, '\n');
  for (int64_t n = 1; n <= mesh->nodes; ++n)
    put_size(w, n, '\n');
  for (int64_t n = 0; n < mesh->nodes; ++n)
    put_point(w, &mesh->x[3 * n], '\n');
  end_section(w, "Nodes");
}

static void write_elements_41(const writer *w)
{
  const bp_mesh *mesh = w->mesh;
  int64_t smallest = mesh->tag[0], largest = mesh->tag[0];
  for (int64_t e = 0; e < mesh->elements; ++e) {
    smallest = mesh->tag[e] < smallest ? mesh->tag[e] : smallest;
    largest = mesh->tag[e] > largest ? mesh->tag[e] : largest;
  }
  fprintf(w->f, "$Elements\n");
  put_section_header(w, mesh->blocks_count, mesh->elements, smallest, largest);
  for (int64_t b = 0; b < mesh->blocks_count; ++b) {
    const bp_mesh_block *block = &mesh->blocks[b];
    put_int(w, w->dimension, ' ');
    put_int(w, w->volume[b], ' ');
    put_int(w, w->kind->type, ' ');
    put_size(w, block->count, '\n');
    for (int64_t e = block->first; e < block->first + block->count; ++e) {
      const int32_t *node = &mesh->node[e * w->kind->nodes];
      put_size(w, mesh->tag[e], ' ');
      for (int n = 0; n < w->kind->nodes; ++n)
        put_size(w, node[w->place[n]] + 1, n + 1 < w->kind->nodes ? ' ' : '\n');
    }
  }
  end_section(w, "Elements");
}

static void write_41(const writer *w)
{
  write_format(w, "4.1");
  write_names(w);
  write_entities(w);
  write_nodes_41(w);
  write_elements_41(w);
}

/* ---- 2.2 ---- */

static void write_nodes_22(const writer *w)
{
  const bp_mesh *mesh = w->mesh;
  fprintf(w->f, "$Nodes\n%" PRId64 "\n", mesh->nodes);
  for (int64_t n = 0; n < mesh->nodes; ++n) {
    put_int(w, n + 1, ' ');
    put_point(w, &mesh->x[3 * n], '\n');
  }
  end_section(w, "Nodes");
}

/* Two tags: the physical group, 0 for none, and the volume. */
static void write_elements_22(const writer *w)
{
  const bp_mesh *mesh = w->mesh;
  fprintf(w->f, "$Elements\n%" PRId64 "\n", mesh->elements);
  for (int64_t b = 0; b < mesh->blocks_count; ++b) {
    const bp_mesh_block *block = &mesh->blocks[b];
    int64_t physical = block->groups_count ? group_tag(w, block, 0) : 0;
    if (w->binary) {
      put_int(w, w->kind->type, ' ');
      put_int(w, block->count, ' ');
      put_int(w, 2, '\n');
    }
    for (int64_t e = block->first; e < block->first + block->count; ++e) {
      const int32_t *node = &mesh->node[e * w->kind->nodes];
      put_int(w, mesh->tag[e], ' ');
      if (!w->binary)
        fprintf(w->f, "%d 2 ", w->kind->type);
      put_int(w, physical, ' ');
      put_int(w, w->volume[b], ' ');
      for (int n = 0; n < w->kind->nodes; ++n)
        put_int(w, node[w->place[n]] + 1, n + 1 < w->kind->nodes ? ' ' : '\n');
    }
  }
  end_section(w, "Elements");
}

static void write_22(const writer *w)
{
  write_format(w, "2.2");
  write_names(w);
  write_nodes_22(w);
  write_elements_22(w);
}

/* What 2.2 has no room for. */
static bp_status check_22(const bp_mesh *mesh)
{
  for (int64_t b = 0; b < mesh->blocks_count; ++b)
    if (mesh->blocks[b].groups_count > 1)
      return bp_fail(BP_BAD_INPUT,
                     "%s: element %" PRId64 " is in %d physical groups, version 2.2 "
                     "holds one; write version 4.1",
                     mesh->name, mesh->tag[mesh->blocks[b].first], mesh->blocks[b].groups_count);
  for (int64_t e = 0; e < mesh->elements; ++e)
    if (mesh->tag[e] > INT32_MAX)
      return bp_fail(BP_BAD_INPUT,
                     "%s: element tag %" PRId64 " is too large for version 2.2; write "
                     "version 4.1",
                     mesh->name, mesh->tag[e]);
  return BP_OK;
}

static bp_status write_mesh(const bp_mesh *mesh, bp_cell shape, const char *path, int version,
                            bool binary)
{
  static const short types[BP_CELLS] = {
      [BP_TRIANGLE] = 2, [BP_QUADRILATERAL] = 3, [BP_TETRAHEDRON] = 4, [BP_HEXAHEDRON] = 5};
  static const int places[BP_CELLS][4] = {[BP_TRIANGLE] = {0, 1, 2},
                                          [BP_QUADRILATERAL] = {0, 1, 3, 2},
                                          [BP_TETRAHEDRON] = {0, 1, 2, 3}};
  bp_output *output;
  BP_ASSERT(version == 22 || version == 41);
  bp_status status = version == 22 ? check_22(mesh) : BP_OK;
  if (status == BP_OK)
    status = bp_output_create(path, &output);
  if (status != BP_OK)
    return status;
  writer w = {.mesh = mesh,
              .f = bp_output_stream(output),
              .binary = binary,
              .dimension = bp_cell_dim(shape),
              .kind = shape == BP_HEXAHEDRON ? &bp_hexahedra[mesh->order - 1]
                                             : &bp_hexahedra[bp_kind_find(shape, types[shape])]};
  if (shape == BP_HEXAHEDRON)
    bp_hexahedron_places(w.kind, w.place);
  else
    memcpy(w.place, places[shape], sizeof places[shape]);
  find_volumes(&w);
  (version == 22 ? write_22 : write_41)(&w);
  bp_free(w.volume);
  bp_free(w.of_volume);
  return bp_output_finish(output);
}

bp_status bp_mesh_write(const bp_mesh *mesh, const char *path, int version, bool binary)
{
  return write_mesh(mesh, BP_HEXAHEDRON, path, version, binary);
}

bp_status bp_cells_write(const bp_cells *cells, int64_t nodes, double *x, const char *path,
                         int version, bool binary)
{
  bp_mesh_block all = {.count = cells->elements};
  bp_mesh mesh = {.name = cells->name,
                  .nodes = nodes,
                  .x = x,
                  .order = 1,
                  .elements = cells->elements,
                  .node = cells->corner,
                  .blocks = &all,
                  .blocks_count = 1};
  mesh.tag = bp_alloc_array((size_t)cells->elements, sizeof *mesh.tag);
  for (int64_t e = 0; e < cells->elements; ++e)
    mesh.tag[e] = e + 1;
  bp_status status = write_mesh(&mesh, cells->shape, path, version, binary);
  bp_free(mesh.tag);
  return status;
}
