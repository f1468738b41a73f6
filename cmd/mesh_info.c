/* mesh_info.c -- `bp mesh info`: what a mesh holds. */
#include "cli/command.h"
#include "terminal.h"

#include "base/json.h"
#include "base/memory.h"
#include "fem/map.h"
#include "fem/problem.h"
#include "mesh/connectivity.h"
#include "mesh/curve.h"
#include "mesh/hexahedron.h"
#include "mesh/piece.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Everything that is told of a mesh, whatever the format. */
typedef struct {
  const bp_mesh *mesh;
  bp_config_numbers degrees;
  int ranks;
  bp_partition_kind partition;
  bp_part_size *parts; /* parts[rank]; NULL: there is one */
  bp_connectivity *connectivity;
  int64_t boundary_faces, bytes;
  int64_t worst; /* the element of the smallest Jacobian */
  double smallest, largest, volume;
  double midpoint_volume; /* by the Jacobians at the centres; NaN unless the elements are linear */
  double low[3], high[3];
} facts;

/* What a rule of one point makes of an element: the determinant of its mean edges. Gmsh takes that
 * for the volume of linear elements, for which it is exact where opposite faces are parallel. */
static double find_midpoint_volume(const bp_mesh *mesh, int64_t e)
{
  double t[3][3] = {{0}};
  for (int c = 0; c < 8; ++c)
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < 3; ++k)
        t[d][k] +=
            (c >> d & 1 ? 0.25 : -0.25) * mesh->x[3 * (int64_t)bp_mesh_corner(mesh, e, c) + k];
  return t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
         t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
}

static bp_status find_facts(facts *f)
{
  const bp_mesh *mesh = f->mesh;
  bp_status status = bp_connectivity_create(mesh, &f->connectivity);
  if (status)
    return status;
  for (int64_t face = 0; face < f->connectivity->faces; ++face)
    f->boundary_faces += f->connectivity->face_sides[face] == 1;
  bp_problem_jacobians(mesh, &f->smallest, &f->largest, &f->worst, &f->volume);
  f->midpoint_volume = mesh->order == 1 ? 0 : NAN;
  for (int64_t e = 0; e < mesh->elements && mesh->order == 1; ++e)
    f->midpoint_volume += find_midpoint_volume(mesh, e);
  bp_mesh_bounds(mesh, f->low, f->high);
  f->bytes = mesh->nodes * 3 * 8 + mesh->elements * (8 + 4 * bp_mesh_element_nodes(mesh));
  return BP_OK;
}

static void print_point(const char *name, const double x[3])
{
  printf("%-20s %.6g %.6g %.6g\n", name, x[0], x[1], x[2]);
}

static void print_group(const char *kind, int tag, const char *name, int64_t count,
                        const char *what)
{
  bp_print(stdout, "%-20s %d%s%s%s, %" PRId64 " %s%s\n", kind, tag, *name ? " \"" : "", name,
           *name ? "\"" : "", count, what, count == 1 ? "" : "s");
}

static void print_lists(const facts *f)
{
  const bp_mesh *mesh = f->mesh;
  for (int g = 0; g < mesh->groups_count; ++g) {
    const bp_mesh_group *group = &mesh->groups[g];
    print_group("physical group", group->tag, group->name, group->elements, "element");
  }
  for (int n = 0; n < mesh->surfaces_count; ++n) {
    const bp_mesh_surface *surface = &mesh->surfaces[n];
    print_group("physical surface", surface->tag, surface->name, surface->count, "quadrilateral");
  }
  for (int n = 0; n < mesh->skipped_count; ++n) {
    char name[40];
    printf("%-20s %" PRId64 " x %s (type %d)\n", "skipped", mesh->skipped[n].count,
           bp_gmsh_type_name(mesh->skipped[n].type, name), mesh->skipped[n].type);
  }
  for (int n = 0; n < f->degrees.count; ++n) {
    int degree = (int)f->degrees.items[n];
    printf("%s N=%-*d %" PRId64 "\n", "unique nodes", 5, degree,
           bp_connectivity_unique(f->connectivity, degree));
  }
}

/* ---- ranks ---- */

static bp_status measure_parts(facts *f)
{
  int32_t *rank_of = bp_alloc_array((size_t)f->mesh->elements, sizeof *rank_of);
  bp_status status = bp_partition(f->partition, f->mesh, f->ranks, rank_of);
  f->parts = bp_alloc((size_t)f->ranks, sizeof *f->parts);
  if (!status)
    bp_partition_measure(f->connectivity, rank_of, f->ranks, f->parts);
  bp_free(rank_of);
  return status;
}

static void print_parts(const facts *f)
{
  const bp_part_size *sizes = f->parts;
  int64_t most = 0;
  printf("\n%6s %12s %14s %16s %12s\n", "rank", "elements", "shared faces", "shared vertices",
         "neighbours");
  for (int r = 0; r < f->ranks; ++r) {
    most = sizes[r].elements > most ? sizes[r].elements : most;
    printf("%6d %12" PRId64 " %14" PRId64 " %16" PRId64 " %12d\n", r, sizes[r].elements,
           sizes[r].faces, sizes[r].vertices, sizes[r].neighbours);
  }
  printf("%-20s %.4g %%\n", "balance",
         100.0 * (double)f->mesh->elements / ((double)most * (double)f->ranks));
}

static void write_parts(bp_json *json, const facts *f)
{
  const bp_part_size *sizes = f->parts;
  bp_json_begin_array(json, "parts");
  for (int r = 0; r < f->ranks; ++r) {
    bp_json_begin_object(json, NULL);
    bp_json_int(json, "elements", sizes[r].elements);
    bp_json_int(json, "shared_faces", sizes[r].faces);
    bp_json_int(json, "shared_vertices", sizes[r].vertices);
    bp_json_int(json, "neighbours", sizes[r].neighbours);
    bp_json_end_object(json);
  }
  bp_json_end_array(json);
}

static void print_table(const facts *f)
{
  const bp_mesh *mesh = f->mesh;
  char bytes[32];
  bp_print(stdout, "%-20s %s\n", "file", mesh->name);
  printf("%-20s %s\n", "format", mesh->format);
  printf("%-20s %" PRId64 "\n", "elements", mesh->elements);
  printf("%-20s %" PRId64 "\n", "other cells", bp_mesh_other_cells(mesh));
  printf("%-20s %d\n", "order", mesh->order);
  for (bp_element_geometry n = BP_STORED + 1; n < BP_GEOMETRIES; ++n)
    printf("%s elements%*s %" PRId64 "\n", bp_geometries[n], 11 - (int)strlen(bp_geometries[n]), "",
           bp_map_count(n, mesh));
  printf("%-20s %" PRId64 "\n", "nodes", mesh->nodes);
  printf("%-20s %" PRId64 "\n", "vertices", f->connectivity->vertices);
  printf("%-20s %" PRId64 "\n", "faces", f->connectivity->faces);
  printf("%-20s %" PRId64 "\n", "boundary faces", f->boundary_faces);
  printf("%-20s %.10g\n", "volume", f->volume);
  if (mesh->order == 1)
    printf("%-20s %.10g (as Gmsh computes it)\n", "volume by midpoints", f->midpoint_volume);
  print_point("lower corner", f->low);
  print_point("upper corner", f->high);
  printf("%-20s %.6g (element %" PRId64 ", tag %" PRId64 ")\n", "smallest Jacobian", f->smallest,
         f->worst, mesh->tag[f->worst]);
  printf("%-20s %.6g\n", "largest Jacobian", f->largest);
  printf("%-20s %" PRId64 "\n", "reoriented", mesh->reoriented);
  printf("%-20s %" PRId64 "%s\n", "periodic nodes", mesh->periodic_nodes,
         mesh->joined ? ", joined" : "");
  printf("%-20s %s\n", "memory", bp_print_bytes(bytes, (double)f->bytes));
  print_lists(f);
  if (f->ranks > 1)
    print_parts(f);
}

static void write_named(bp_json *json, const char *kind, int tag, const char *name,
                        const char *what, int64_t count)
{
  bp_json_begin_object(json, NULL);
  bp_json_int(json, kind, tag);
  bp_json_string(json, "name", name);
  bp_json_int(json, what, count);
  bp_json_end_object(json);
}

static void write_lists(bp_json *json, const facts *f)
{
  const bp_mesh *mesh = f->mesh;
  char name[40];
  bp_json_begin_array(json, "groups");
  for (const bp_mesh_group *g = mesh->groups; g < mesh->groups + mesh->groups_count; ++g)
    write_named(json, "tag", g->tag, g->name, "elements", g->elements);
  bp_json_end_array(json);
  bp_json_begin_array(json, "surfaces");
  for (const bp_mesh_surface *s = mesh->surfaces; s < mesh->surfaces + mesh->surfaces_count; ++s)
    write_named(json, "tag", s->tag, s->name, "quadrilaterals", s->count);
  bp_json_end_array(json);
  bp_json_begin_array(json, "skipped");
  for (const bp_mesh_skipped *s = mesh->skipped; s < mesh->skipped + mesh->skipped_count; ++s)
    write_named(json, "type", s->type, bp_gmsh_type_name(s->type, name), "elements", s->count);
  bp_json_end_array(json);
  bp_json_begin_array(json, "unique_nodes");
  for (int n = 0; n < f->degrees.count; ++n) {
    int degree = (int)f->degrees.items[n];
    bp_json_begin_object(json, NULL);
    bp_json_int(json, "degree", degree);
    bp_json_int(json, "nodes", bp_connectivity_unique(f->connectivity, degree));
    bp_json_end_object(json);
  }
  bp_json_end_array(json);
}

static void print_json(const facts *f)
{
  const bp_mesh *mesh = f->mesh;
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_object(&json, NULL);
  bp_json_string(&json, "file", mesh->name);
  bp_json_string(&json, "format", mesh->format);
  bp_json_int(&json, "elements", mesh->elements);
  bp_json_int(&json, "other_cells", bp_mesh_other_cells(mesh));
  bp_json_int(&json, "order", mesh->order);
  for (bp_element_geometry n = BP_STORED + 1; n < BP_GEOMETRIES; ++n) {
    char *name = bp_format("%s_elements", bp_geometries[n]);
    bp_json_int(&json, name, bp_map_count(n, mesh));
    bp_free(name);
  }
  bp_json_int(&json, "nodes", mesh->nodes);
  bp_json_int(&json, "vertices", f->connectivity->vertices);
  bp_json_int(&json, "faces", f->connectivity->faces);
  bp_json_int(&json, "boundary_faces", f->boundary_faces);
  bp_json_double(&json, "volume", f->volume);
  bp_json_double(&json, "midpoint_volume", f->midpoint_volume);
  bp_json_doubles(&json, "lower", f->low, 3);
  bp_json_doubles(&json, "upper", f->high, 3);
  bp_json_begin_object(&json, "jacobian");
  bp_json_double(&json, "smallest", f->smallest);
  bp_json_double(&json, "largest", f->largest);
  bp_json_int(&json, "element", f->worst);
  bp_json_int(&json, "tag", mesh->tag[f->worst]);
  bp_json_end_object(&json);
  bp_json_int(&json, "reoriented", mesh->reoriented);
  bp_json_int(&json, "periodic_nodes", mesh->periodic_nodes);
  bp_json_int(&json, "bytes", f->bytes);
  write_lists(&json, f);
  if (f->ranks > 1)
    write_parts(&json, f);
  bp_json_end_object(&json);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
}

bp_status bp_command_mesh_info(const bp_arguments *arguments)
{
  bp_mesh *mesh = NULL;
  bp_status status =
      bp_mesh_open(bp_argument_at(arguments, 0), bp_argument_string(arguments, "group"),
                   bp_argument_has(arguments, "periodic"), &mesh);
  if (status)
    return status;
  facts f = {.mesh = mesh,
             .degrees = bp_argument_numbers(arguments, "degrees"),
             .ranks = (int)bp_argument_int(arguments, "ranks"),
             .partition = bp_partition_find(bp_argument_string(arguments, "partition"))};
  if (f.ranks > 1)
    bp_mesh_sort(mesh, NULL);
  status = find_facts(&f);
  if (!status && f.ranks > 1)
    status = measure_parts(&f);
  if (status == BP_OK)
    (strcmp(bp_argument_string(arguments, "format"), "json") == 0 ? print_json : print_table)(&f);
  bp_connectivity_destroy(f.connectivity);
  bp_free(f.parts);
  bp_free(f.degrees.items);
  bp_mesh_destroy(mesh);
  return status;
}
