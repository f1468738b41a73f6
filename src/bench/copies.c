/* copies.c -- a file of lines "GB/s host, ranks, cache, device". */
#include "bench/copies.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/jit_cache.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

typedef struct {
  char *key;
  double earlier, now; /* GB/s; 0: none */
} copy;

struct bp_copies {
  copy *items;
  int count;
};

/* Takes the key; added where there is none. */
static copy *find(bp_copies *all, char *key)
{
  for (int n = 0; n < all->count; ++n)
    if (strcmp(all->items[n].key, key) == 0) {
      bp_free(key);
      return &all->items[n];
    }
  all->items = bp_realloc(all->items, (size_t)all->count + 1, sizeof *all->items);
  all->items[all->count] = (copy){.key = key};
  return &all->items[all->count++];
}

bp_copies *bp_copies_read(const char *path)
{
  bp_copies *all = bp_alloc(1, sizeof *all);
  bp_file file;
  if (!path || bp_file_map(path, &file))
    return all;
  char *text = bp_strndup(file.data, file.size), *rest = text;
  bp_file_unmap(&file);
  for (char *line; (line = strsep(&rest, "\n"));) {
    char *key;
    const double rate = strtod(line, &key);
    if (*key == ' ' && rate > 0 && isfinite(rate))
      find(all, bp_strdup(key + 1))->earlier = rate;
  }
  bp_free(text);
  return all;
}

void bp_copies_write(const bp_copies *copies, const char *path)
{
  bp_output *output;
  char number[32];
  if (!path || copies->count == 0 || bp_output_create(path, &output))
    return;
  for (int n = 0; n < copies->count; ++n)
    fprintf(bp_output_stream(output), "%s %s\n",
            bp_print_double(number, fmax(copies->items[n].earlier, copies->items[n].now)),
            copies->items[n].key);
  bp_output_finish(output);
}

void bp_copies_destroy(bp_copies *copies)
{
  for (int n = 0; copies && n < copies->count; ++n)
    bp_free(copies->items[n].key);
  bp_free(copies ? copies->items : NULL);
  bp_free(copies);
}

char *bp_copies_path(void)
{
  char *name = bp_jit_cache_folder(), *below = name ? bp_format("%s/copies", name) : NULL;
  bp_folder folder = {.descriptor = -1};
  const bool is_own =
      below && !bp_file_create_folders(below) && bp_folder_open(name, &folder) == BP_OK;
  bp_folder_close(&folder);
  bp_free(name);
  if (is_own)
    return below;
  bp_free(below);
  return NULL;
}

/* Beyond the cache copies of any size are about as fast. */
static bool is_from_memory(const bp_row *row)
{
  const double enough = 2;
  return row->status == BP_ROW_OK && row->cache_bytes > 0 &&
         2 * (double)row->copy.bytes >= enough * (double)row->cache_bytes &&
         bp_row_copy_gbytes_per_second(row) > 0;
}

static char *key_of(const bp_row *row)
{
  struct utsname os;
  return bp_format("%s, %lld ranks, %s, %s", uname(&os) ? "" : os.nodename,
                   (long long)bp_row_ranks(row), row->cache, row->device);
}

void bp_copies_judge(bp_copies *copies, bp_row *row)
{
  const double least = 0.8; /* of the fastest: what the pages of a CPU's memory do by themselves */
  if (!is_from_memory(row))
    return;
  const double reached = bp_row_copy_gbytes_per_second(row);
  copy *c = find(copies, key_of(row));
  c->now = fmax(c->now, reached);
  const double most = fmax(c->earlier, c->now);
  if (reached >= least * most || (row->busy && *row->busy))
    return;
  bp_free(row->busy);
  row->busy = bp_format("busy: the copy reached %.4g GB/s, %.4g %s", reached, most,
                        c->now == most ? "beside another row" : "in an earlier run");
}
