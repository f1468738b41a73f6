/* compare_match.c -- which rows of two records are runs of the same. */
#include "report/compare.h"

#include "base/memory.h"
#include "report/group.h"
#include <string.h>

/* Wherever it lay: an installed mesh and that of a source tree are one. */
static const char *file_of(const char *mesh)
{
  const char *slash = strrchr(mesh, '/');
  return slash ? slash + 1 : mesh;
}

static bool is_run_of(const bp_row *a, const bp_row *b)
{
  return a->degree == b->degree && a->elements == b->elements &&
         strcmp(a->variant, b->variant) == 0 && strcmp(a->options, b->options) == 0 &&
         strcmp(file_of(a->mesh), file_of(b->mesh)) == 0 && bp_row_is_beside(a, b, BP_SAME_PROBLEM);
}

/* Its runs so far, or none yet. */
static bp_compared_row *find_or_add(bp_comparison *c, const bp_row *row)
{
  for (int64_t n = 0; n < c->count; ++n)
    if (is_run_of(c->rows[n].old ? c->rows[n].old : c->rows[n].new, row))
      return &c->rows[n];
  return &c->rows[c->count++];
}

static void add_run(const bp_row ***runs, int *count, const bp_row **first, const bp_row *row)
{
  *runs = bp_realloc(*runs, (size_t)*count + 1, sizeof(const bp_row *));
  (*runs)[(*count)++] = row;
  *first = (*runs)[0];
}

void bp_compare_match(bp_comparison *c, const bp_record *old, const bp_record *new)
{
  c->rows = bp_alloc((size_t)(old->rows_count + new->rows_count), sizeof *c->rows);
  for (int64_t n = 0; n < old->rows_count; ++n) {
    bp_compared_row *row = find_or_add(c, &old->rows[n]);
    add_run(&row->old_runs, &row->old_count, &row->old, &old->rows[n]);
  }
  for (int64_t n = 0; n < new->rows_count; ++n) {
    bp_compared_row *row = find_or_add(c, &new->rows[n]);
    add_run(&row->new_runs, &row->new_count, &row->new, &new->rows[n]);
  }
}
