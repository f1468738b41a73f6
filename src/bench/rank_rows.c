/* rank_rows.c -- one message from every rank to rank 0. */
#include "bench/rank_rows.h"

#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
  char host[64], device[192];
  int64_t elements, surface_nodes, peak_bytes;
  double seconds, waiting;
} message;

static int64_t find_peak(void)
{
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? -1 : 1024 * (int64_t)usage.ru_maxrss;
}

static message message_of(const bp_row_rank *own)
{
  message m = {.elements = own->elements,
               .surface_nodes = own->surface_nodes,
               .peak_bytes = find_peak(),
               .seconds = own->seconds,
               .waiting = own->waiting};
  bp_comm_host(m.host);
  snprintf(m.device, sizeof m.device, "%s", own->device);
  return m;
}

static void add(bp_row_ranks_list *each, const message *m)
{
  each->items[each->count++] = (bp_row_rank){.host = bp_strdup(m->host),
                                             .device = bp_strdup(m->device),
                                             .elements = m->elements,
                                             .surface_nodes = m->surface_nodes,
                                             .peak_bytes = m->peak_bytes,
                                             .seconds = m->seconds,
                                             .waiting = m->waiting};
}

void bp_each_gather(bp_comm *comm, const bp_row_rank *own, bp_row_ranks_list *each)
{
  const int size = comm->size, count = comm->rank == 0 ? size : 0;
  message mine = message_of(own);
  message *all = bp_alloc((size_t)size, sizeof *all);
  bp_part *parts = bp_alloc((size_t)size, sizeof *parts);
  const bp_part sent = {0, &mine, sizeof mine};
  for (int r = 0; r < count; ++r)
    parts[r] = (bp_part){r, &all[r], sizeof *all};
  bp_status status = bp_comm_exchange(comm, &sent, 1, parts, count);
  if (!status && count)
    each->items = bp_alloc((size_t)count, sizeof *each->items);
  for (int r = 0; r < count && !status; ++r)
    add(each, &all[r]);
  bp_free(all);
  bp_free(parts);
}
