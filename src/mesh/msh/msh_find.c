/* msh_find.c -- finds an element in the file again, when a message has to say where it is. */
#include "mesh/msh/msh.h"
#include "mesh/number.h"
#include <string.h>
#include <strings.h>

static const char *find_record(const bp_msh *msh, int64_t tag)
{
  const char *found = msh->end;
  for (const bp_msh_records *r = msh->records; r < msh->records + msh->records_count; ++r)
    for (int64_t n = 0; n < r->count; ++n)
      if (bp_msh_load_int(r->first + n * r->step, r->width, msh->swap) == tag)
        found = r->first + n * r->step;
  return found;
}

/* Whether the line is a tag and an element's corners at least; of hexahedra headers of blocks are shorter. */
static bool is_element(const char *p, int64_t tag, int corners)
{
  int64_t value;
  int count = 0;
  if (!(p = bp_scan_int(p, &value)) || value != tag)
    return false;
  while ((p = bp_scan_int(p, &value)))
    ++count;
  return count >= corners;
}

static const char *find_line(const bp_msh *msh, int64_t tag)
{
  const char *found = msh->end;
  bool inside = false;
  for (const char *p = msh->data; p < msh->lines_end; ++p) {
    if (*p == '$')
      inside = strncasecmp(p, "$Elements", 9) == 0 || strncasecmp(p, "$ELM", 4) == 0;
    else if (inside && is_element(p, tag, bp_cell_corners(msh->shape)))
      found = p;
    p = memchr(p, '\n', (size_t)(msh->lines_end - p));
  }
  return found;
}

const char *bp_msh_find_element(const bp_msh *msh, int64_t tag)
{
  return msh->bytes ? find_record(msh, tag) : find_line(msh, tag);
}
