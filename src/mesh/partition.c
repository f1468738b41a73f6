/* partition.c -- the ways to share elements among ranks. */
#include "mesh/partition.h"

#include "base/memory.h"
#include <inttypes.h>
#include <string.h>

const char *const bp_partition_names[] = {"curve", "cyclic", "metis", "file", NULL};

bp_partition_kind bp_partition_find(const char *name)
{
  int kind = 0;
  while (bp_partition_names[kind] && strcmp(bp_partition_names[kind], name) != 0)
    ++kind;
  BP_ASSERT(bp_partition_names[kind]);
  return (bp_partition_kind)kind;
}

static bp_status share_runs(const bp_mesh *mesh, int ranks, int32_t *rank_of)
{
  for (int64_t r = 0; r < ranks; ++r)
    for (int64_t e = mesh->elements * r / ranks; e < mesh->elements * (r + 1) / ranks; ++e)
      rank_of[e] = (int32_t)r;
  return BP_OK;
}

static bp_status share_in_turns(const bp_mesh *mesh, int ranks, int32_t *rank_of)
{
  for (int64_t e = 0; e < mesh->elements; ++e)
    rank_of[e] = (int32_t)(e % ranks);
  return BP_OK;
}

static bp_status take_file(const bp_mesh *mesh, int ranks, int32_t *rank_of)
{
  int32_t most = 0;
  if (!mesh->partition)
    return bp_fail(BP_BAD_INPUT,
                   "%s: partition: file: expected the parts that gmsh -part %d writes, found none",
                   mesh->name, ranks);
  for (int64_t e = 0; e < mesh->elements; ++e) {
    if (mesh->partition[e] < 1)
      return bp_fail(BP_BAD_INPUT,
                     "%s: partition: file: expected a part for element %" PRId64 ", found none",
                     mesh->name, mesh->tag[e]);
    most = mesh->partition[e] > most ? mesh->partition[e] : most;
    rank_of[e] = mesh->partition[e] - 1;
  }
  return most == ranks ? BP_OK
                       : bp_fail(BP_BAD_INPUT,
                                 "%s: partition: file: expected the parts of %d ranks, found %d",
                                 mesh->name, ranks, (int)most);
}

bp_status bp_partition(bp_partition_kind kind, const bp_mesh *mesh, int ranks, int32_t *rank_of)
{
  static bp_status (*const ways[])(const bp_mesh *, int,
                                   int32_t *) = {[BP_PARTITION_CURVE] = share_runs,
                                                 [BP_PARTITION_CYCLIC] = share_in_turns,
                                                 [BP_PARTITION_METIS] = bp_metis_partition,
                                                 [BP_PARTITION_FILE] = take_file};
  return ways[kind](mesh, ranks, rank_of);
}
