/* placement.c -- asks the kernel: affinity masks, /sys. */
#include "bench/placement.h"

#include "base/file.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "device/cuda/cuda.h"
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 64 };

typedef struct {
  char host[64], processors[128], nodes[64], pci[32], gpu_node[8];
  int gpu; /* -1: none */
} place;

/* "0-3,8"; "..." at its end where it is cut. */
static void list_processors(char *text, size_t size)
{
  cpu_set_t set;
  size_t used = 0;
  *text = '\0';
  if (sched_getaffinity(0, sizeof set, &set))
    return;
  for (int n = 0; n < CPU_SETSIZE && used < size; ++n) {
    const int first = n;
    while (n < CPU_SETSIZE && CPU_ISSET(n, &set))
      ++n;
    if (n == first)
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", first);
    if (n - 1 > first && used < size)
      used += (size_t)snprintf(text + used, size - used, "-%d", n - 1);
  }
  if (used >= size)
    memcpy(text + size - 4, "...", 4);
}

/* The next of "0-3,8"; false behind the last. */
static bool next_range(const char **list, long *first, long *last)
{
  char *end;
  if (!isdigit((unsigned char)**list))
    return false;
  *first = *last = strtol(*list, &end, 10);
  if (*end == '-')
    *last = strtol(end + 1, &end, 10);
  *list = end + (*end == ',');
  return true;
}

static bool have_common(const char *a, const char *b)
{
  long first, last, from, to;
  while (next_range(&a, &first, &last))
    for (const char *at = b; next_range(&at, &from, &to);)
      if (from <= last && first <= to)
        return true;
  return false;
}

void bp_placement_nodes(const char *processors, const char *directory, char *nodes, size_t size)
{
  size_t used = 0;
  *nodes = '\0';
  for (int n = 0; n < NODES_MAX && used < size; ++n) {
    char path[512], list[512];
    snprintf(path, sizeof path, "%s/node%d/cpulist", directory, n);
    bp_file_peek(path, list, sizeof list);
    if (have_common(processors, list))
      used += (size_t)snprintf(nodes + used, size - used, "%s%d", used ? "," : "", n);
  }
}

/* "-1" is a machine that does not know. */
static void find_gpu(place *p, const bp_device *device)
{
  char path[128];
  p->gpu = -1;
  if (device->backend != &bp_backend_cuda)
    return;
  const bp_cuda_info *info = bp_cuda_device_info(device);
  p->gpu = info->number;
  snprintf(p->pci, sizeof p->pci, "%s", info->pci);
  for (char *c = p->pci; *c; ++c)
    *c = (char)tolower((unsigned char)*c);
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", p->pci);
  bp_file_peek(path, p->gpu_node, sizeof p->gpu_node);
  p->gpu_node[strspn(p->gpu_node, "0123456789")] = '\0';
}

static void add(bp_record *record, int rank, const place *p)
{
  const bool has_nodes = *p->nodes, has_gpu_node = *p->gpu_node;
  const bool is_far = has_nodes && has_gpu_node && !have_common(p->nodes, p->gpu_node);
  char *key = bp_format("rank %d", rank);
  char *gpu = p->gpu < 0 ? bp_strdup("")
                         : bp_format("; GPU %d at %s%s%s%s", p->gpu, p->pci,
                                     has_gpu_node ? ", NUMA node " : "", p->gpu_node,
                                     is_far ? ": far from these processors" : "");
  char *value = bp_format("%s, processors %s%s%s%s", p->host, p->processors,
                          has_nodes ? ", NUMA nodes " : "", p->nodes, gpu);
  bp_record_add_fact(record, key, value);
  bp_free(value);
  bp_free(gpu);
  bp_free(key);
}

void bp_placement_add(bp_record *record, const bp_device *device)
{
  bp_comm *comm = device->comm;
  if (!comm || comm->size == 1)
    return;
  const int count = comm->rank == 0 ? comm->size : 0;
  place mine = {.gpu = -1}, *all = bp_alloc((size_t)comm->size, sizeof *all);
  bp_part *parts = bp_alloc((size_t)comm->size, sizeof *parts);
  const bp_part sent = {0, &mine, sizeof mine};
  bp_comm_host(mine.host);
  list_processors(mine.processors, sizeof mine.processors);
  bp_placement_nodes(mine.processors, "/sys/devices/system/node", mine.nodes, sizeof mine.nodes);
  find_gpu(&mine, device);
  for (int r = 0; r < count; ++r)
    parts[r] = (bp_part){r, &all[r], sizeof *all};
  if (!bp_comm_exchange(comm, &sent, 1, parts, count))
    for (int r = 0; r < count; ++r)
      add(record, r, &all[r]);
  bp_free(parts);
  bp_free(all);
}
