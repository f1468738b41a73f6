/* msh_swap.c -- walks through a binary .msh number by number. */
#include "msh_swap.h"

#include "mesh/hexahedron.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *p, *end;
  bp_text *out;
  bool swap, is_41;
  int width;
} walker;

static void put(walker *w, const void *number, int size)
{
  char bytes[8];
  for (int n = 0; n < size; ++n)
    bytes[n] = ((const char *)number)[w->swap ? size - 1 - n : n];
  bp_text_append_bytes(w->out, bytes, (size_t)size);
}

static int32_t take_int(walker *w)
{
  int32_t value;
  memcpy(&value, w->p, sizeof value);
  put(w, &value, sizeof value);
  w->p += sizeof value;
  return value;
}

static void take_ints(walker *w, int64_t count)
{
  while (count-- > 0)
    take_int(w);
}

static int64_t take_size(walker *w)
{
  int64_t value;
  memcpy(&value, w->p, sizeof value);
  if (w->width == 8)
    put(w, &value, 8);
  else
    put(w, &(int32_t){(int32_t)value}, 4);
  w->p += sizeof value;
  return value;
}

static void take_sizes(walker *w, int64_t count)
{
  while (count-- > 0)
    take_size(w);
}

static void take_doubles(walker *w, int64_t count)
{
  for (; count > 0; --count, w->p += 8)
    put(w, w->p, 8);
}

static const char *take_line(walker *w)
{
  const char *line = w->p, *newline = memchr(w->p, '\n', (size_t)(w->end - w->p));
  w->p = newline ? newline + 1 : w->end;
  bp_text_append_bytes(w->out, line, (size_t)(w->p - line));
  return line;
}

static void swap_format(walker *w)
{
  w->is_41 = w->p[0] == '4';
  bp_text_appendf(w->out, "%.3s 1 %d\n", w->p, w->is_41 ? w->width : 8);
  w->p = strchr(w->p, '\n') + 1;
  take_int(w);
}

static void swap_nodes(walker *w)
{
  for (long count = atol(take_line(w)); count > 0; --count) {
    take_int(w);
    take_doubles(w, 3);
  }
}

static void swap_parametric_nodes(walker *w)
{
  for (long count = atol(take_line(w)); count > 0; --count) {
    take_int(w);
    take_doubles(w, 3);
    int dimension = take_int(w);
    take_int(w);
    take_doubles(w, dimension < 3 ? dimension : 0);
  }
}

static void swap_elements(walker *w)
{
  for (long left = atol(take_line(w)); left > 0;) {
    int type = take_int(w), count = take_int(w), tags = take_int(w);
    take_ints(w, (int64_t)count * (1 + tags + bp_gmsh_type_nodes(type)));
    left -= count;
  }
}

static void swap_entities(walker *w, bool partitioned)
{
  int64_t count[4];
  if (partitioned) {
    take_size(w);
    take_ints(w, 2 * take_size(w));
  }
  for (int d = 0; d < 4; ++d)
    count[d] = take_size(w);
  for (int d = 0; d < 4; ++d)
    for (int64_t n = 0; n < count[d]; ++n) {
      take_ints(w, partitioned ? 3 : 1);
      if (partitioned)
        take_ints(w, take_size(w));
      take_doubles(w, d == 0 ? 3 : 6);
      take_ints(w, take_size(w));
      if (d > 0)
        take_ints(w, take_size(w));
    }
}

static void swap_node_blocks(walker *w)
{
  int64_t blocks = take_size(w);
  take_sizes(w, 3);
  for (; blocks > 0; --blocks) {
    int dimension = take_int(w);
    take_int(w);
    int parametric = take_int(w);
    int64_t count = take_size(w);
    take_sizes(w, count);
    take_doubles(w, count * (3 + (parametric ? dimension : 0)));
  }
}

static void swap_element_blocks(walker *w)
{
  int64_t blocks = take_size(w);
  take_sizes(w, 3);
  for (; blocks > 0; --blocks) {
    take_ints(w, 2);
    int type = take_int(w);
    take_sizes(w, take_size(w) * (1 + bp_gmsh_type_nodes(type)));
  }
}

static void swap_periodic(walker *w)
{
  for (int64_t links = take_size(w); links > 0; --links) {
    take_ints(w, 3);
    take_doubles(w, take_size(w));
    take_sizes(w, 2 * take_size(w));
  }
}

static bool is_line(const char *line, const char *name)
{
  return strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == '\n';
}

void msh_swap(const char *bytes, size_t size, bool swap, int width, bp_text *out)
{
  walker w = {.p = bytes, .end = bytes + size, .out = out, .swap = swap, .width = width};
  while (w.p < w.end) {
    const char *line = take_line(&w);
    if (is_line(line, "$MeshFormat"))
      swap_format(&w);
    else if (is_line(line, "$ParametricNodes"))
      swap_parametric_nodes(&w);
    else if (is_line(line, "$Nodes"))
      (w.is_41 ? swap_node_blocks : swap_nodes)(&w);
    else if (is_line(line, "$Elements"))
      (w.is_41 ? swap_element_blocks : swap_elements)(&w);
    else if (is_line(line, "$Entities") || is_line(line, "$PartitionedEntities"))
      swap_entities(&w, line[1] == 'P');
    else if (is_line(line, "$Periodic") && w.is_41)
      swap_periodic(&w);
  }
}
