/* vtu.c -- points, cells and values behind a head of XML, as they lie in memory. */
#include "solve/vtu.h"

#include "base/file.h"
#include "base/memory.h"
#include "fem/geometry.h"
#include "fem/tensor.h"
#include <math.h>
#include <string.h>

enum { LAGRANGE_HEXAHEDRON = 72 };

/* ---- the order of a cell's nodes ---- */

/* Inside an edge: those along i, then j, at k = 0, then at k = n; then those along k. */
static int edge_place(int n, int i, int j, int k)
{
  const int m = n - 1;
  const bool inside_i = i > 0 && i<n, inside_j = j> 0 && j < n;
  if (inside_i)
    return i - 1 + (j ? 2 * m : 0) + (k ? 4 * m : 0);
  if (inside_j)
    return j - 1 + (i ? m : 3 * m) + (k ? 4 * m : 0);
  return 8 * m + k - 1 + m * (i ? (j ? 2 : 1) : (j ? 3 : 0));
}

/* Inside a face: i = 0, i = n, then those of j, then those of k. */
static int face_place(int n, int i, int j, int k)
{
  const int m = n - 1;
  if (i == 0 || i == n)
    return j - 1 + m * (k - 1) + (i ? m * m : 0);
  if (j == 0 || j == n)
    return 2 * m * m + i - 1 + m * (k - 1) + (j ? m * m : 0);
  return 4 * m * m + i - 1 + m * (j - 1) + (k ? m * m : 0);
}

/* Where VTK has node (i, j, k) of a Lagrange hexahedron of degree n, in files of version 2.2. */
static int place_of(int n, int i, int j, int k)
{
  enum { CORNERS = 8, EDGES = 12, FACES = 6 };
  const int m = n - 1, sides = (i == 0 || i == n) + (j == 0 || j == n) + (k == 0 || k == n);
  if (sides == 3)
    return (i ? (j ? 2 : 1) : (j ? 3 : 0)) + (k ? 4 : 0);
  if (sides == 2)
    return CORNERS + edge_place(n, i, j, k);
  if (sides == 1)
    return CORNERS + EDGES * m + face_place(n, i, j, k);
  return CORNERS + EDGES * m + FACES * m * m + i - 1 + m * (j - 1 + m * (k - 1));
}

/* ---- values and positions at equally spaced points ---- */

typedef struct {
  double *x, *values; /* [unknown][3], [unknown] */
  int64_t *cells;     /* [element][node], in VTK's order */
} drawing;

static void drawing_destroy(drawing *d)
{
  bp_free(d->x);
  bp_free(d->values);
  bp_free(d->cells);
}

/* One thread's arrays for one element. */
typedef struct {
  long double *nodal, *equal, *scratch;
  double *x, *geometry;
  int64_t *numbers;
} work;

static work work_create(int nodes, const bp_tensor *to_equal, const bp_geometry *geometry)
{
  work w = {.nodal = bp_alloc((size_t)nodes, sizeof *w.nodal),
            .equal = bp_alloc((size_t)nodes, sizeof *w.equal),
            .scratch = bp_alloc((size_t)bp_tensor_scratch(to_equal), sizeof *w.scratch),
            .x = bp_alloc(3 * (size_t)nodes, sizeof *w.x),
            .geometry = bp_alloc((size_t)bp_geometry_scratch(geometry), sizeof *w.geometry),
            .numbers = bp_alloc((size_t)nodes, sizeof *w.numbers)};
  return w;
}

static void work_destroy(work *w)
{
  bp_free(w->nodal);
  bp_free(w->equal);
  bp_free(w->scratch);
  bp_free(w->x);
  bp_free(w->geometry);
  bp_free(w->numbers);
}

/* Elements that share a point have the same there, but for rounding; the last one's stays. */
/* Where nodes are joined an unknown is at several places: there each element has its own points. */
static int64_t count_points(const bp_system *s)
{
  const int64_t nq = s->problem->basis.nq;
  return s->mesh->joined ? s->mesh->elements * nq * nq * nq : s->unknowns->count;
}

static void draw_element(const bp_system *s, const bp_tensor *to_equal, const bp_geometry *geometry,
                         int64_t e, const double *u, const work *w, const drawing *d)
{
  const int nq = s->problem->basis.nq, nodes = nq * nq * nq;
  const int64_t *numbers = w->numbers;
  bp_unknowns_number(s->unknowns, e, e + 1, w->numbers);
  for (int n = 0; n < nodes; ++n)
    w->nodal[n] = u[w->numbers[n]];
  for (int n = 0; n < nodes && s->mesh->joined; ++n)
    w->numbers[n] = e * nodes + n;
  bp_tensor_apply(to_equal, w->nodal, w->scratch, w->equal);
  bp_geometry_positions(geometry, s->mesh, e, w->geometry, w->x);
  for (int n = 0; n < nodes; ++n) {
    const int place = place_of(nq - 1, n % nq, n / nq % nq, n / nq / nq);
    d->values[numbers[n]] = (double)w->equal[n];
    for (int c = 0; c < 3; ++c)
      d->x[3 * numbers[n] + c] = w->x[c * nodes + n];
    d->cells[e * nodes + place] = numbers[n];
  }
}

static drawing draw(const bp_system *s, const double *u)
{
  const int nq = s->problem->basis.nq, nodes = nq * nq * nq;
  const size_t count = (size_t)count_points(s);
  double point[BP_POINTS_MAX], matrix[BP_POINTS_MAX * BP_POINTS_MAX];
  bp_geometry geometry;
  drawing d = {.x = bp_alloc_array(3 * count, sizeof *d.x),
               .values = bp_alloc_array(count, sizeof *d.values),
               .cells = bp_alloc_array((size_t)(s->mesh->elements * nodes), sizeof *d.cells)};
  for (int n = 0; n < nq; ++n)
    point[n] = -1 + 2.0 * n / (nq - 1);
  bp_basis_interpolate(nq, s->problem->basis.node, nq, point, matrix);
  bp_geometry_create(&geometry, s->mesh->order, nq, point);
  const bp_tensor to_equal = {nq, nq, matrix, matrix, matrix};
  work w = work_create(nodes, &to_equal, &geometry);
  for (int64_t e = 0; e < s->mesh->elements; ++e)
    draw_element(s, &to_equal, &geometry, e, u, &w, &d);
  work_destroy(&w);
  return d;
}

/* ---- the file ---- */

/* Where the next array begins behind the head: each has its bytes in 8 bytes ahead. */
typedef struct {
  FILE *file;
  int64_t offset;
} head;

static void declare(head *h, const char *type, const char *name, int components, int64_t bytes)
{
  fprintf(h->file,
          "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
          "offset=\"%lld\"/>\n",
          type, name, components, (long long)h->offset);
  h->offset += (int64_t)sizeof bytes + bytes;
}

static void append(FILE *file, const void *data, int64_t bytes)
{
  fwrite(&bytes, sizeof bytes, 1, file);
  fwrite(data, 1, (size_t)bytes, file);
}

static void write_head(FILE *file, const char *name, int64_t points, int64_t cells, int nodes)
{
  head h = {file, 0};
  fprintf(file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"2.2\" "
          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
          "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n",
          (long long)points, (long long)cells);
  declare(&h, "Float64", "Points", 3, 24 * points);
  fprintf(file, "</Points>\n<Cells>\n");
  declare(&h, "Int64", "connectivity", 1, 8 * cells * nodes);
  declare(&h, "Int64", "offsets", 1, 8 * cells);
  declare(&h, "UInt8", "types", 1, cells);
  fprintf(file, "</Cells>\n<PointData Scalars=\"%s\">\n", name);
  declare(&h, "Float64", name, 1, 8 * points);
  fprintf(file, "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

static void write_arrays(FILE *file, const drawing *d, int64_t points, int64_t cells, int nodes)
{
  int64_t *ends = bp_alloc_array((size_t)cells, sizeof *ends);
  uint8_t *types = bp_alloc_array((size_t)cells, sizeof *types);
  memset(types, LAGRANGE_HEXAHEDRON, (size_t)cells);
  for (int64_t e = 0; e < cells; ++e)
    ends[e] = (e + 1) * nodes;
  append(file, d->x, 24 * points);
  append(file, d->cells, 8 * cells * nodes);
  append(file, ends, 8 * cells);
  append(file, types, cells);
  append(file, d->values, 8 * points);
  fprintf(file, "\n</AppendedData>\n</VTKFile>\n");
  bp_free(ends);
  bp_free(types);
}

bp_status bp_vtu_write(const char *path, const bp_system *system, const char *name, const double *u)
{
  const int nq = system->problem->basis.nq, nodes = nq * nq * nq;
  const int64_t points = count_points(system);
  bp_output *output;
  bp_status status = bp_output_create(path, &output);
  if (status)
    return status;
  drawing d = draw(system, u);
  FILE *file = bp_output_stream(output);
  write_head(file, name, points, system->mesh->elements, nodes);
  write_arrays(file, &d, points, system->mesh->elements, nodes);
  drawing_destroy(&d);
  return bp_output_finish(output);
}
