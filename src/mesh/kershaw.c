/* kershaw.c -- a straight box whose vertices are moved in y and z. */
#include "mesh/mesh.h"

#include "base/memory.h"
#include "base/text.h"
#include <inttypes.h>

enum { LAYERS = 6 };

/* From `first` sixth of x to `last`, the profile goes from `from` to `to`; 0 is left, 1 right. */
static const struct {
  int first, last;
  double from, to;
} parts[] = {{0, 1, 0, 0}, {1, 2, 0, 1}, {2, 4, 1, 0}, {4, 5, 0, 1}, {5, 6, 1, 1}};

/* 0 to 1 with two derivatives that vanish at both ends. */
static double smooth_step(double t)
{
  return t * t * t * (t * (6 * t - 15) + 10);
}

/* Which profile, between left and right, the plane at x has. */
static double profile_at(double x)
{
  int n = 0;
  while (n < (int)(sizeof parts / sizeof *parts) - 1 && x * LAYERS >= parts[n].last)
    ++n;
  double t = (x * LAYERS - parts[n].first) / (parts[n].last - parts[n].first);
  return parts[n].from + (parts[n].to - parts[n].from) * smooth_step(t);
}

/* Slope 2 - epsilon in the lower half, epsilon in the upper one. */
static double right(double epsilon, double y)
{
  return y <= 0.5 ? (2 - epsilon) * y : 1 - epsilon * (1 - y);
}

static double left(double epsilon, double y)
{
  return 1 - right(epsilon, 1 - y);
}

bp_status bp_mesh_kershaw(int64_t nx, int64_t ny, int64_t nz, double epsilon, bp_mesh **mesh)
{
  *mesh = NULL;
  if (nx % LAYERS)
    return bp_fail(BP_BAD_INPUT,
                   "kershaw: expected a multiple of 6 elements along x, found %" PRId64, nx);
  if (!(epsilon > 0 && epsilon <= 1))
    return bp_fail(BP_BAD_INPUT, "kershaw: expected an epsilon above 0 and at most 1, found %g",
                   epsilon);
  bp_status status = bp_mesh_box(nx, ny, nz, 0, mesh);
  if (status)
    return status;
  bp_mesh *m = *mesh;
  bp_free(m->name);
  bp_free(m->format);
  m->name =
      bp_format("kershaw %" PRId64 "x%" PRId64 "x%" PRId64 ", epsilon %g", nx, ny, nz, epsilon);
  m->format = bp_strdup("Kershaw box");
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < m->nodes; ++n) {
    double *x = m->x + 3 * n, share = profile_at(x[0]);
    for (int d = 1; d < 3; ++d)
      x[d] = (1 - share) * left(epsilon, x[d]) + share * right(epsilon, x[d]);
  }
  return BP_OK;
}
