/* mesh_write.c -- `bp mesh box` and `bp mesh kershaw`: meshes that are made, not read. */
#include "cli/command.h"

#include "mesh/mesh.h"
#include <string.h>

typedef bp_status make_function(int64_t nx, int64_t ny, int64_t nz, double shape, bp_mesh **mesh);

static bp_status make(const bp_arguments *arguments, const char *command, make_function *function,
                      const char *shape)
{
  int64_t n[3];
  bp_mesh *mesh;
  const char *path = bp_argument_string(arguments, "output");
  if (!bp_argument_box(arguments, "elements", n))
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --elements AxBxC, found none", command);
  if (!path)
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --output FILE.msh, found none", command);
  int version = strcmp(bp_argument_string(arguments, "version"), "2.2") == 0 ? 22 : 41;
  bp_status status = function(n[0], n[1], n[2], bp_argument_double(arguments, shape), &mesh);
  if (status)
    return status;
  status = bp_mesh_write(mesh, path, version, bp_argument_has(arguments, "binary"));
  bp_mesh_destroy(mesh);
  return status;
}

bp_status bp_command_mesh_box(const bp_arguments *arguments)
{
  return make(arguments, "mesh box", bp_mesh_box, "warp");
}

bp_status bp_command_mesh_kershaw(const bp_arguments *arguments)
{
  return make(arguments, "mesh kershaw", bp_mesh_kershaw, "epsilon");
}
