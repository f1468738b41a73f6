/* mesh_kershaw.c -- `bp mesh kershaw`: writes a Kershaw mesh. */
#include "cli/command.h"

#include "mesh/kershaw.h"
#include <string.h>

bp_status bp_command_mesh_kershaw(const bp_arguments *arguments)
{
  int64_t n[3];
  bp_mesh *mesh;
  const char *path = bp_argument_string(arguments, "output");
  if (!bp_argument_box(arguments, "elements", n))
    return bp_fail(BP_BAD_INPUT, "bp mesh kershaw: expected --elements AxBxC, found none");
  if (!path)
    return bp_fail(BP_BAD_INPUT, "bp mesh kershaw: expected --output FILE.msh, found none");
  int version = strcmp(bp_argument_string(arguments, "version"), "2.2") == 0 ? 22 : 41;
  bp_status status =
      bp_mesh_kershaw(n[0], n[1], n[2], bp_argument_double(arguments, "epsilon"), &mesh);
  if (status)
    return status;
  status = bp_mesh_write(mesh, path, version, bp_argument_has(arguments, "binary"));
  bp_mesh_destroy(mesh);
  return status;
}
