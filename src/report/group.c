/* group.c -- sorting rows into tables. */
#include "report/group.h"

#include "base/memory.h"
#include "report/number.h"
#include <stdlib.h>
#include <string.h>

static bool belong_together(const bp_row *a, const bp_row *b)
{
  return strcmp(a->problem, b->problem) == 0 && strcmp(a->mesh, b->mesh) == 0 &&
         strcmp(a->device, b->device) == 0 && strcmp(a->backend, b->backend) == 0 &&
         strcmp(a->cache, b->cache) == 0;
}

static bp_group *find_group(bp_groups *groups, const bp_row *row)
{
  for (int64_t n = groups->count - 1; n >= 0; --n)
    if (belong_together(groups->groups[n].rows[0], row))
      return &groups->groups[n];
  return NULL;
}

static void add_row(bp_group *group, const bp_row *row)
{
  if ((group->count & (group->count - 1)) == 0)
    group->rows =
        bp_realloc(group->rows, group->count ? 2 * (size_t)group->count : 1, sizeof *group->rows);
  group->rows[group->count++] = row;
  group->same_elements &= row->elements == group->rows[0]->elements;
  group->has_rungs |= *row->rung != '\0';
  group->has_options |= *row->options != '\0';
  group->has_throttle |= row->power.throttle && *row->power.throttle;
}

/* Rows lie in one array, so their addresses tell their order. */
static int by_degree(const void *a, const void *b)
{
  const bp_row *x = *(const bp_row *const *)a, *y = *(const bp_row *const *)b;
  if (x->degree != y->degree)
    return x->degree < y->degree ? -1 : 1;
  return x < y ? -1 : x > y;
}

bp_groups bp_groups_of(const bp_record *record)
{
  bp_groups groups = {0};
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bp_group *group = find_group(&groups, &record->rows[n]);
    if (!group) {
      groups.groups = bp_realloc(groups.groups, (size_t)groups.count + 1, sizeof *groups.groups);
      group = &groups.groups[groups.count++];
      *group = (bp_group){.same_elements = true};
    }
    add_row(group, &record->rows[n]);
  }
  for (int64_t n = 0; n < groups.count; ++n)
    qsort(groups.groups[n].rows, (size_t)groups.groups[n].count, sizeof(bp_row *), by_degree);
  return groups;
}

void bp_groups_destroy(bp_groups *groups)
{
  for (int64_t n = 0; n < groups->count; ++n)
    bp_free(groups->groups[n].rows);
  bp_free(groups->groups);
  *groups = (bp_groups){0};
}

bool bp_group_is_best(const bp_group *group, int64_t n)
{
  const bp_row *row = group->rows[n];
  int rivals = 0;
  if (row->status != BP_ROW_OK)
    return false;
  for (int64_t m = 0; m < group->count; ++m) {
    const bp_row *other = group->rows[m];
    if (m == n || other->degree != row->degree || other->elements != row->elements)
      continue;
    ++rivals;
    double mine = row->seconds.statistics.median, theirs = other->seconds.statistics.median;
    if (other->status == BP_ROW_OK && (theirs < mine || (theirs == mine && m < n)))
      return false;
  }
  return rivals > 0;
}

char *bp_group_title(const bp_group *group, const char *joint)
{
  const bp_row *row = group->rows[0];
  bp_text text = {0};
  bp_number number;
  bp_text_append(&text, row->problem);
  if (*row->mesh)
    bp_text_appendf(&text, " on %s", row->mesh);
  if (group->same_elements)
    bp_text_appendf(&text, "%s%s element%s", joint, bp_number_grouped(number, row->elements),
                    row->elements == 1 ? "" : "s");
  bp_text_appendf(&text, "%s%s (%s)", joint, row->device, row->backend);
  if (*row->cache)
    bp_text_appendf(&text, "%s%s", joint, row->cache);
  return text.data;
}

char *bp_row_label(const bp_row *row)
{
  if (*row->rung)
    return bp_strdup(row->rung);
  return bp_format("%s%s%s", row->variant, *row->options ? " " : "", row->options);
}

char *bp_row_short_label(const bp_row *row)
{
  bp_text text = {0};
  bp_text_append(&text, *row->rung ? row->rung : row->variant);
  for (const char *at = *row->rung ? "" : row->options; *at;) {
    size_t name = strcspn(at, "= "), end = strcspn(at, " ");
    bp_text_append(&text, " ");
    if (memchr(at, '_', name))
      for (size_t n = 0; n < name; ++n) {
        if (n == 0 || at[n - 1] == '_')
          bp_text_append_bytes(&text, at + n, 1);
      }
    else
      bp_text_append_bytes(&text, at, name);
    bp_text_append_bytes(&text, at + name, end - name);
    at += end + (at[end] == ' ');
  }
  return text.data;
}
