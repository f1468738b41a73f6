/* volume.c -- from coordinates to an application of the mass, here for the volume of two cubes side by side.
 *
 *   cc volume.c -o volume $(pkg-config --cflags --libs bp) && ./volume */
#include <bp.h>
#include <stdio.h>

int main(void)
{
  const double x[12][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0},
                           {0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {0, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  const int32_t node[2][8] = {{0, 1, 3, 4, 6, 7, 9, 10},
                              {1, 2, 4, 5, 7, 8, 10, 11}}; /* [e][k][j][i] */
  double u[1000], v[1000], sum = 0;
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_info info = LIBBP_INFO;
  libbp_context *context;
  libbp_mesh *mesh;
  libbp_operator *a;
  options.problem = "bp1", options.degree = 3, options.layout = LIBBP_UNKNOWNS;
  if (libbp_context_create(NULL, &context) ||
      libbp_mesh_create(context, 12, *x, 1, 2, *node, &mesh) ||
      libbp_operator_create(mesh, &options, &a) || libbp_operator_info(a, &info))
    return puts(libbp_message()), 1;
  for (int n = 0; n < info.length; ++n)
    u[n] = 1;
  libbp_operator_apply(a, 1, u, 0, v); /* v = 1 A u + 0 v */
  for (int n = 0; n < info.length; ++n)
    sum += v[n];
  libbp_operator_destroy(a), libbp_mesh_destroy(mesh), libbp_context_destroy(context);
  return printf("%d unknowns, volume %g\n", (int)info.length, sum) < 0;
}
