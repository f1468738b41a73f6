/* compare_match.c -- which rows of two records are runs of the same. */
#include "report/compare.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const bp_row *row;
  char *name;
} keyed;

static int by_name(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (order)
    return order;
  return x->row < y->row ? -1
                         : x->row > y->row; /* rows lie in one array: the order of the record */
}

/* Wherever it lay: an installed mesh and that of a source tree are one. */
static const char *file_of(const char *mesh)
{
  const char *slash = strrchr(mesh, '/');
  return slash ? slash + 1 : mesh;
}

static keyed *keyed_rows(const bp_record *record)
{
  keyed *rows = bp_alloc((size_t)record->rows_count, sizeof *rows);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    const bp_row *r = &record->rows[n];
    rows[n].row = r;
    rows[n].name =
        bp_format("%s\n%s\n%s\n%s\n%s\n%d\n%s\n%s\n%s\n%lld\n%s\n%s\n%s\n%.17g\n%lld", r->problem,
                  r->precision, r->preconditioner, r->variant, r->options, r->degree, r->quadrature,
                  r->geometry, file_of(r->mesh), (long long)r->elements, r->device, r->backend,
                  r->cache, r->lambda, (long long)bp_row_ranks(r));
  }
  qsort(rows, (size_t)record->rows_count, sizeof *rows, by_name);
  return rows;
}

static void keyed_destroy(keyed *rows, int64_t count)
{
  for (int64_t n = 0; n < count; ++n)
    bp_free(rows[n].name);
  bp_free(rows);
}

static int in_order(const void *a, const void *b)
{
  const bp_compared_row *x = a, *y = b;
  if (!x->old != !y->old)
    return x->old ? -1 : 1;
  const bp_row *p = x->old ? x->old : x->new, *q = y->old ? y->old : y->new;
  return p < q ? -1 : p > q;
}

/* Runs of one name in a sorted list, from *at on, which moves behind them. */
static const bp_row **take_runs(const keyed *rows, int64_t count, int64_t *at, const char *name,
                                int *taken)
{
  int64_t first = *at;
  while (*at < count && strcmp(rows[*at].name, name) == 0)
    ++*at;
  *taken = (int)(*at - first);
  const bp_row **runs = bp_alloc((size_t)*taken, sizeof(const bp_row *));
  for (int n = 0; n < *taken; ++n)
    runs[n] = rows[first + n].row;
  return runs;
}

void bp_compare_match(bp_comparison *c, const bp_record *old, const bp_record *new)
{
  keyed *a = keyed_rows(old), *b = keyed_rows(new);
  int64_t i = 0, j = 0;
  c->rows = bp_alloc((size_t)(old->rows_count + new->rows_count), sizeof *c->rows);
  while (i < old->rows_count || j < new->rows_count) {
    bool is_old_first =
        j == new->rows_count || (i < old->rows_count && strcmp(a[i].name, b[j].name) <= 0);
    const char *name = is_old_first ? a[i].name : b[j].name;
    bp_compared_row *row = &c->rows[c->count++];
    row->old_runs = take_runs(a, old->rows_count, &i, name, &row->old_count);
    row->new_runs = take_runs(b, new->rows_count, &j, name, &row->new_count);
    row->old = row->old_count ? row->old_runs[0] : NULL;
    row->new = row->new_count ? row->new_runs[0] : NULL;
  }
  qsort(c->rows, (size_t)c->count, sizeof *c->rows, in_order);
  keyed_destroy(a, old->rows_count);
  keyed_destroy(b, new->rows_count);
}
