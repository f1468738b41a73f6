/* mesh.c -- meshes from arrays, boxes, files. */
#include "lib/library.h"

#include "base/memory.h"
#include "mesh/curve.h"
#include "mesh/orient.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static libbp_status made(bp_status status, const char *call, libbp_context *context, bp_mesh *m,
                         libbp_mesh **mesh)
{
  if (mesh)
    *mesh = NULL;
  if (!status)
    status = context ? libbp_given(mesh, "a place for it") : libbp_given(NULL, "a context");
  status = libbp_leave(status);
  if (status || !mesh) {
    bp_mesh_destroy(m);
    return libbp_failed(status, call);
  }
  *mesh = bp_alloc(1, sizeof **mesh);
  **mesh = (libbp_mesh){.holders = 1, .context = libbp_hold_context(context), .mesh = m};
  return LIBBP_OK;
}

static bp_status check_arrays(int64_t nodes, const double *x, int order, int64_t elements,
                              const int32_t *node)
{
  if (order < 1 || order > BP_MESH_ORDER_MAX)
    return bp_fail(BP_BAD_INPUT, "expected an order from 1 to %d, found %d", BP_MESH_ORDER_MAX,
                   order);
  if (nodes < 1 || nodes > INT32_MAX || elements < 1 || elements > INT32_MAX)
    return bp_fail(BP_BAD_INPUT,
                   "expected 1 to %d nodes and elements, found %" PRId64 " and %" PRId64, INT32_MAX,
                   nodes, elements);
  if (!x || !node)
    return libbp_given(NULL, "arrays");
  const int64_t each = (int64_t)(order + 1) * (order + 1) * (order + 1);
  for (int64_t n = 0; n < 3 * nodes; ++n)
    if (!isfinite(x[n]))
      return bp_fail(BP_BAD_INPUT, "expected finite coordinates, found %g of node %" PRId64, x[n],
                     n / 3);
  for (int64_t n = 0; n < elements * each; ++n)
    if (node[n] < 0 || node[n] >= nodes)
      return bp_fail(BP_BAD_INPUT,
                     "expected nodes from 0 to %" PRId64 ", found %d in element %" PRId64,
                     nodes - 1, (int)node[n], n / each);
  return BP_OK;
}

/* The caller's arrays of values follow the order of nodes, so no element is turned. */
static bp_status orient(bp_mesh *m)
{
  const bp_orientation o = bp_orient(m);
  if (o.bad >= 0)
    return bp_fail(BP_BAD_INPUT, "expected right-handed elements, found %s element %" PRId64,
                   o.folded ? "a folded" : "a flat", o.bad);
  return m->reoriented == 0
             ? BP_OK
             : bp_fail(BP_BAD_INPUT,
                       "expected right-handed elements, found %" PRId64 " left-handed ones",
                       m->reoriented);
}

libbp_status libbp_mesh_create(libbp_context *context, int64_t nodes, const double *x, int order,
                               int64_t elements, const int32_t *node, libbp_mesh **mesh)
{
  bp_mesh *m = NULL;
  libbp_enter(context);
  bp_status status = check_arrays(nodes, x, order, elements, node);
  if (!status) {
    const size_t each = (size_t)(order + 1) * (size_t)(order + 1) * (size_t)(order + 1),
                 numbers = (size_t)elements * each;
    m = bp_alloc(1, sizeof *m);
    m->name = bp_strdup("the caller's mesh");
    m->format = bp_strdup("arrays");
    m->nodes = nodes;
    m->x = bp_alloc_array(3 * (size_t)nodes, sizeof *m->x);
    memcpy(m->x, x, 3 * (size_t)nodes * sizeof *x);
    m->order = order;
    m->elements = elements;
    m->node = bp_alloc_array(numbers, sizeof *m->node);
    memcpy(m->node, node, numbers * sizeof *node);
    m->tag = bp_alloc_array((size_t)elements, sizeof *m->tag);
    for (int64_t e = 0; e < elements; ++e)
      m->tag[e] = e;
    m->blocks = bp_alloc(1, sizeof *m->blocks);
    m->blocks_count = 1;
    m->blocks[0].count = elements;
    status = orient(m);
  }
  return made(status, "libbp_mesh_create", context, m, mesh);
}

libbp_status libbp_mesh_box(libbp_context *context, const int64_t n[3], double warp,
                            libbp_mesh **mesh)
{
  bp_mesh *m = NULL;
  libbp_enter(context);
  bp_status status = libbp_given(n, "numbers of elements");
  if (!status)
    status = bp_mesh_box(n[0], n[1], n[2], warp, &m);
  return made(status, "libbp_mesh_box", context, m, mesh);
}

libbp_status libbp_mesh_read(libbp_context *context, const char *path, libbp_mesh **mesh)
{
  bp_mesh *m = NULL;
  libbp_enter(context);
  bp_status status = libbp_given(path, "a path");
  if (!status)
    status = bp_mesh_read(path, &m);
  return made(status, "libbp_mesh_read", context, m, mesh);
}

int64_t libbp_mesh_elements(const libbp_mesh *mesh)
{
  return mesh ? mesh->mesh->elements : 0;
}

libbp_status libbp_mesh_sort(libbp_mesh *mesh, int64_t *former)
{
  bp_status status = libbp_given(mesh, "a mesh");
  if (!status && mesh->holders > 1)
    status = bp_fail(BP_BAD_INPUT, "expected a mesh without operators");
  if (!status) {
    libbp_enter(mesh->context);
    bp_mesh_sort(mesh->mesh, former);
    status = libbp_leave(BP_OK);
  }
  return libbp_failed(status, "libbp_mesh_sort");
}

libbp_mesh *libbp_hold_mesh(libbp_mesh *mesh)
{
  ++mesh->holders;
  return mesh;
}

void libbp_mesh_destroy(libbp_mesh *mesh)
{
  if (!mesh || --mesh->holders > 0)
    return;
  bp_mesh_destroy(mesh->mesh);
  libbp_context_destroy(mesh->context);
  bp_free(mesh);
}
