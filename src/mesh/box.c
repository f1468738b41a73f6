/* box.c -- meshes made without a file: a box of elements, bent inside if asked. */
#include "base/memory.h"
#include "base/text.h"
#include "mesh/mesh.h"
#include <inttypes.h>
#include <math.h>

static bp_status check(int64_t nx, int64_t ny, int64_t nz, double warp)
{
  const int64_t n[3] = {nx, ny, nz};
  double nodes = 1, elements = 1;
  for (int d = 0; d < 3; ++d) {
    if (n[d] < 1)
      return bp_fail(BP_BAD_INPUT, "box: expected at least one element each way, found %" PRId64,
                     n[d]);
    nodes *= (double)n[d] + 1;
    elements *= (double)n[d];
  }
  if (nodes > INT32_MAX)
    return bp_fail(BP_BAD_INPUT, "box: expected at most %d vertices, found %.0f", INT32_MAX, nodes);
  if (!(warp >= 0 && warp < 1))
    return bp_fail(BP_BAD_INPUT, "box: expected a warp from 0 to less than 1, found %g", warp);
  double bytes = nodes * 3 * 8 + elements * (8 * 4 + 8);
  if (bytes > (double)bp_memory_available()) {
    char needed[32], available[32];
    return bp_fail(BP_ENVIRONMENT, "box: %.0f elements need %s of memory, found %s", elements,
                   bp_print_bytes(needed, bytes),
                   bp_print_bytes(available, (double)bp_memory_available()));
  }
  return BP_OK;
}

/* Moved along (1,1,1) by a bump that is zero on the boundary. Its slope is at most pi in each direction, and
 * so are those of the trilinear elements that follow it, however few they are: the volume factor
 * 1 + amplitude*(sum of three slopes) is at least 1 - warp. */
static void place(double *x, double warp)
{
  const double pi = 3.14159265358979323846, amplitude = warp / (3 * pi);
  double bump = amplitude * sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]);
  for (int d = 0; d < 3; ++d)
    if (x[d] > 0 && x[d] < 1)
      x[d] += bump;
}

static void make_nodes(bp_mesh *mesh, int64_t nx, int64_t ny, int64_t nz, double warp)
{
  mesh->nodes = (nx + 1) * (ny + 1) * (nz + 1);
  mesh->x = bp_alloc_array((size_t)mesh->nodes, 3 * sizeof *mesh->x);
#pragma omp parallel for
  for (int64_t k = 0; k <= nz; ++k)
    for (int64_t j = 0; j <= ny; ++j)
      for (int64_t i = 0; i <= nx; ++i) {
        double *x = &mesh->x[3 * ((k * (ny + 1) + j) * (nx + 1) + i)];
        x[0] = (double)i / (double)nx;
        x[1] = (double)j / (double)ny;
        x[2] = (double)k / (double)nz;
        if (warp > 0)
          place(x, warp);
      }
}

static void make_elements(bp_mesh *mesh, int64_t nx, int64_t ny, int64_t nz)
{
  const int64_t row = nx + 1, layer = row * (ny + 1);
  mesh->order = 1;
  mesh->elements = nx * ny * nz;
  mesh->node = bp_alloc_array((size_t)mesh->elements, 8 * sizeof *mesh->node);
  mesh->tag = bp_alloc_array((size_t)mesh->elements, sizeof *mesh->tag);
#pragma omp parallel for
  for (int64_t e = 0; e < mesh->elements; ++e) {
    int64_t i = e % nx, j = e / nx % ny, k = e / nx / ny;
    for (int c = 0; c < 8; ++c)
      mesh->node[8 * e + c] =
          (int32_t)((k + (c >> 2)) * layer + (j + (c >> 1 & 1)) * row + i + (c & 1));
    mesh->tag[e] = e + 1;
  }
}

bp_status bp_mesh_box(int64_t nx, int64_t ny, int64_t nz, double warp, bp_mesh **mesh)
{
  *mesh = NULL;
  bp_status status = check(nx, ny, nz, warp);
  if (status != BP_OK)
    return status;
  bp_mesh *m = bp_alloc(1, sizeof *m);
  m->name = bp_format("box %" PRId64 "x%" PRId64 "x%" PRId64, nx, ny, nz);
  m->format = bp_strdup(warp > 0 ? "warped box" : "box");
  make_nodes(m, nx, ny, nz, warp);
  make_elements(m, nx, ny, nz);
  m->blocks = bp_alloc(1, sizeof *m->blocks);
  m->blocks_count = 1;
  m->blocks[0].count = m->elements;
  *mesh = m;
  return BP_OK;
}
