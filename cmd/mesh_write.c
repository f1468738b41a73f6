/* mesh_write.c -- `bp mesh box` and `bp mesh kershaw`: meshes that are made, not read. */
#include "cli/command.h"

#include "fem/kershaw.h"
#include <string.h>

typedef bp_status make_function(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh);

static bp_status make(const bp_arguments *arguments, const char *command, make_function *function)
{
  int64_t n[3];
  bp_mesh *mesh;
  const char *path = bp_argument_string(arguments, "output");
  if (!bp_argument_box(arguments, "elements", n))
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --elements AxBxC, found none", command);
  if (!path)
    return bp_fail(BP_BAD_INPUT, "bp %s: expected --output FILE.msh, found none", command);
  int version = strcmp(bp_argument_string(arguments, "version"), "2.2") == 0 ? 22 : 41;
  bp_status status = function(arguments, n, &mesh);
  if (status)
    return status;
  status = bp_mesh_write(mesh, path, version, bp_argument_has(arguments, "binary"));
  bp_mesh_destroy(mesh);
  return status;
}

static bp_status make_box(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh)
{
  return bp_mesh_box(n[0], n[1], n[2], bp_argument_double(arguments, "warp"), mesh);
}

static bp_status make_kershaw(const bp_arguments *arguments, const int64_t n[3], bp_mesh **mesh)
{
  const bp_kershaw kershaw = {.epsilon = bp_argument_double(arguments, "epsilon"),
                              .quintic =
                                  strcmp(bp_argument_string(arguments, "profile"), "quintic") == 0,
                              .order = (int)bp_argument_int(arguments, "order")};
  return bp_kershaw_mesh(n, kershaw, mesh);
}

bp_status bp_command_mesh_box(const bp_arguments *arguments)
{
  return make(arguments, "mesh box", make_box);
}

bp_status bp_command_mesh_kershaw(const bp_arguments *arguments)
{
  return make(arguments, "mesh kershaw", make_kershaw);
}
