/* metis.c -- partitions by METIS 5, opened at run time: only those who ask for it need it. */
#include "base/memory.h"
#include "mesh/partition.h"
#include <dlfcn.h>
#include <string.h>

/* A build of METIS has integers of 4 or 8 bytes, and does not say which. */
enum { OPTIONS = 40, METIS_OK = 1, FACE = 4 };

typedef int set_options_type(void *options);
typedef int partition_type(void *elements, void *nodes, void *starts, void *node, void *weights,
                           void *sizes, void *common, void *parts, void *shares, void *options,
                           void *cut, void *part_of_element, void *part_of_node);

static void *open_library(void)
{
  void *library = dlopen("libmetis.so.5", RTLD_NOW);
  return library ? library : dlopen("libmetis.so", RTLD_NOW);
}

/* It writes so many of them that the width shows. */
static int find_width(set_options_type *set_options, void *options)
{
  memset(options, 0x55, 8 * OPTIONS);
  set_options(options);
  return ((const unsigned char *)options)[8 * OPTIONS - 1] == 0x55 ? 4 : 8;
}

/* An array of integers of that width. */
typedef struct {
  int width;
  char *data;
} integers;

static integers make(int width, int64_t count)
{
  return (integers){width, bp_alloc((size_t)count, (size_t)width)};
}

static void put(const integers *a, int64_t n, int64_t value)
{
  if (a->width == 4)
    ((int32_t *)(void *)a->data)[n] = (int32_t)value;
  else
    ((int64_t *)(void *)a->data)[n] = value;
}

static int64_t at(const integers *a, int64_t n)
{
  return a->width == 4 ? ((int32_t *)(void *)a->data)[n] : ((int64_t *)(void *)a->data)[n];
}

static bp_status divide(partition_type *partition, void *options, int width, const bp_mesh *mesh,
                        int ranks, int32_t *rank_of)
{
  enum { ELEMENTS, NODES, COMMON, PARTS, CUT, SCALARS };
  const int64_t e_count = mesh->elements;
  integers scalars = make(width, SCALARS), starts = make(width, e_count + 1);
  integers node = make(width, 8 * e_count), parts = make(width, e_count);
  integers others = make(width, mesh->nodes);
  char *s = scalars.data;
  put(&scalars, ELEMENTS, e_count);
  put(&scalars, NODES, mesh->nodes);
  put(&scalars, COMMON, FACE);
  put(&scalars, PARTS, ranks);
  for (int64_t e = 0; e <= e_count; ++e)
    put(&starts, e, 8 * e);
  for (int64_t n = 0; n < 8 * e_count; ++n)
    put(&node, n, bp_mesh_vertex(mesh, n / 8, (int)(n % 8)));
  int code = partition(s + ELEMENTS * width, s + NODES * width, starts.data, node.data, NULL, NULL,
                       s + COMMON * width, s + PARTS * width, NULL, options, s + CUT * width,
                       parts.data, others.data);
  for (int64_t e = 0; e < e_count && code == METIS_OK; ++e)
    rank_of[e] = (int32_t)at(&parts, e);
  integers *all[] = {&scalars, &starts, &node, &parts, &others};
  for (size_t n = 0; n < sizeof all / sizeof *all; ++n)
    bp_free(all[n]->data);
  return code == METIS_OK
             ? BP_OK
             : bp_fail(BP_ENVIRONMENT, "%s: partition: metis: METIS_PartMeshDual: error %d",
                       mesh->name, code);
}

bp_status bp_metis_partition(const bp_mesh *mesh, int ranks, int32_t *rank_of)
{
  char options[8 * OPTIONS];
  set_options_type *set_options;
  partition_type *partition;
  if (ranks == 1 || mesh->elements <= ranks) /* which METIS does not take */
    return bp_partition(BP_PARTITION_CURVE, mesh, ranks, rank_of);
  void *library = open_library();
  if (!library)
    return bp_fail(
        BP_ENVIRONMENT,
        "partition: metis: %s (Debian's package libmetis5 has it; partition: curve needs "
        "none)",
        dlerror());
  *(void **)&set_options = dlsym(library, "METIS_SetDefaultOptions");
  *(void **)&partition = dlsym(library, "METIS_PartMeshDual");
  bp_status status =
      set_options && partition
          ? divide(partition, options, find_width(set_options, options), mesh, ranks, rank_of)
          : bp_fail(BP_ENVIRONMENT, "partition: metis: expected METIS 5, found another library");
  dlclose(library);
  return status;
}
