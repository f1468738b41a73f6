/* group.c -- sorting rows into tables. */
#include "report/group.h"

#include "base/memory.h"
#include "fem/bake_off.h"
#include "report/compare.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bp_option_next(const char **at, bp_option_text *option)
{
  const char *s = *at + strspn(*at, " ");
  size_t length = strcspn(s, " ");
  option->name = s;
  option->name_length = strcspn(s, "= ");
  bool has_value = option->name_length < length;
  option->value = s + option->name_length + has_value;
  option->value_length = length - option->name_length - has_value;
  *at = s + length;
  return length > 0;
}

bool bp_row_has_usual_lambda(const bp_row *row)
{
  return isnan(row->lambda) || row->lambda == (bp_row_is_solve(row) ? 0 : 1);
}

static bool is_same_lambda(const bp_row *a, const bp_row *b)
{
  return a->lambda == b->lambda || (bp_row_has_usual_lambda(a) && bp_row_has_usual_lambda(b));
}

bool bp_row_is_beside(const bp_row *a, const bp_row *b, unsigned same)
{
  if ((same & BP_SAME_PROBLEM) &&
      (strcmp(a->problem, b->problem) != 0 || strcmp(a->quadrature, b->quadrature) != 0 ||
       strcmp(a->geometry, b->geometry) != 0 || strcmp(a->preconditioner, b->preconditioner) != 0 ||
       strcmp(a->precision, b->precision) != 0 || !is_same_lambda(a, b)))
    return false;
  if ((same & BP_SAME_MESH) && (a->target_nodes != b->target_nodes ||
                                (a->target_nodes < 0 && strcmp(a->mesh, b->mesh) != 0)))
    return false;
  if (!(same & BP_ANY_DEVICE) &&
      (strcmp(a->device, b->device) != 0 || strcmp(a->backend, b->backend) != 0))
    return false;
  return strcmp(a->cache, b->cache) == 0 &&
         ((same & BP_ANY_RANKS) || bp_row_ranks(a) == bp_row_ranks(b));
}

static bp_group *find_group(bp_groups *groups, const bp_row *row)
{
  for (int64_t n = groups->count - 1; n >= 0; --n)
    if (bp_row_is_beside(groups->groups[n].rows[0], row, BP_SAME_PROBLEM | BP_SAME_MESH))
      return &groups->groups[n];
  return NULL;
}

const bp_flag bp_flags[] = {
    {'!', "ran while the device was throttled"},
    {'b', "slowed by other work: end it, or take fewer --threads, and bp run --resume FILE "
          "measures them again"},
    {'w',
     "waited, see the record: try OMP_WAIT_POLICY=passive, fewer --threads, a quieter machine"},
    {'o', "mostly overhead of launches or threads: more than 20 % of the time"},
    {'c', "in cache: memory would be slower"},
    {0, NULL}};

char bp_row_flag(const bp_row *row)
{
  if (row->status != BP_ROW_OK)
    return ' ';
  return row->power.throttle && *row->power.throttle ? '!'
         : bp_row_is_busy(row)                       ? 'b'
         : bp_row_has_waited(row)                    ? 'w'
         : bp_row_is_overhead(row)                   ? 'o'
         : bp_row_fits_cache(row)                    ? 'c'
                                                     : ' ';
}

static void add_row(bp_group *group, const bp_row *row)
{
  if ((group->count & (group->count - 1)) == 0)
    group->rows = bp_realloc(group->rows, group->count ? 2 * (size_t)group->count : 1,
                             sizeof(const bp_row *));
  group->rows[group->count++] = row;
  group->same_elements &= row->elements == group->rows[0]->elements;
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
      *group = (bp_group){
          .record = record, .same_elements = true, .problem = bp_row_problem(&record->rows[n])};
    }
    add_row(group, &record->rows[n]);
  }
  for (int64_t n = 0; n < groups.count; ++n)
    qsort(groups.groups[n].rows, (size_t)groups.groups[n].count, sizeof(bp_row *), by_degree);
  return groups;
}

void bp_groups_destroy(bp_groups *groups)
{
  for (int64_t n = 0; n < groups->count; ++n) {
    bp_free(groups->groups[n].problem);
    bp_free(groups->groups[n].rows);
  }
  bp_free(groups->groups);
  *groups = (bp_groups){0};
}

/* ---- who won ---- */

static bool is_rival(const bp_row *row, const bp_row *other)
{
  return other->degree == row->degree && other->elements == row->elements &&
         other->lambda == row->lambda;
}

/* Runs of the same, as merged records hold them. */
static bool is_run_of(const bp_row *row, const bp_row *other)
{
  return is_rival(row, other) && strcmp(row->variant, other->variant) == 0 &&
         strcmp(row->options, other->options) == 0;
}

/* A time that is the kernel's: an emulator's, an overhead's and one of waiting are not. */
static bool has_time(const bp_row *row)
{
  return isfinite(bp_row_gbytes_per_second(row)) && !bp_row_is_overhead(row) &&
         !bp_row_has_waited(row) && !bp_row_is_busy(row);
}

/* The correct runs of a row; free the result. */
static const bp_row **runs_of(const bp_group *group, const bp_row *row, int *count)
{
  const bp_row **runs = bp_alloc((size_t)group->count, sizeof(const bp_row *));
  *count = 0;
  for (int64_t n = 0; n < group->count; ++n)
    if (has_time(group->rows[n]) && is_run_of(row, group->rows[n]))
      runs[(*count)++] = group->rows[n];
  return runs;
}

static const bp_row *fastest_of(const bp_group *group, const bp_row *row)
{
  const bp_row *fastest = NULL;
  for (int64_t n = 0; n < group->count; ++n) {
    const bp_row *other = group->rows[n];
    if (has_time(other) && is_rival(row, other) &&
        (!fastest || other->seconds.statistics.median < fastest->seconds.statistics.median))
      fastest = other;
  }
  return fastest;
}

static bool is_told_apart(const bp_group *group, const bp_row *fastest, const bp_row *other)
{
  int count, others_count;
  const bp_row **runs = runs_of(group, fastest, &count);
  const bp_row **others = runs_of(group, other, &others_count);
  bool is_faster = bp_compare_is_faster(runs, count, others, others_count);
  bp_free(runs);
  bp_free(others);
  return is_faster;
}

/* Nothing is said of rows that no test could tell apart. */
static bool has_few(const bp_row *a, const bp_row *b)
{
  return bp_row_has_few_samples(a) || bp_row_has_few_samples(b);
}

/* Of the fastest: best where it is told from every other, tied where it is not, as from one that waited. */
static bp_mark mark_of_fastest(const bp_group *group, const bp_row *fastest)
{
  bp_mark mark = BP_MARK_NONE;
  bool is_open = false;
  for (int64_t n = 0; n < group->count; ++n) {
    const bp_row *other = group->rows[n];
    if (!is_rival(fastest, other) || is_run_of(fastest, other))
      continue;
    if (bp_row_has_waited(other) || bp_row_is_busy(other))
      return BP_MARK_TIED;
    if (has_time(other) && !is_told_apart(group, fastest, other)) {
      if (!has_few(fastest, other))
        return BP_MARK_TIED;
      is_open = true;
    }
    mark = BP_MARK_BEST;
  }
  return is_open ? BP_MARK_NONE : mark;
}

bp_mark bp_group_mark(const bp_group *group, const bp_row *row)
{
  const bp_row *fastest = has_time(row) ? fastest_of(group, row) : NULL;
  if (!fastest)
    return BP_MARK_NONE;
  if (is_run_of(fastest, row))
    return mark_of_fastest(group, fastest);
  return has_few(fastest, row) || is_told_apart(group, fastest, row) ? BP_MARK_NONE : BP_MARK_TIED;
}

const char *bp_row_target_unit(const bp_row *row)
{
  const bp_bake_off *solve = bp_bake_off_find(row->problem);
  const double n = row->degree, nodes = (double)row->nodes, target = (double)row->target_nodes;
  const double added = nodes * pow(n / (n + 1), 3) * (solve ? solve->components : 1);
  return fabs(nodes - target) <= fabs(added - target) ? "nodes" : "DOFs";
}

char *bp_group_title(const bp_group *group, const char *joint)
{
  const bp_row *row = group->rows[0];
  bp_text text = {0};
  bp_number number;
  const char *const parts[] = {row->geometry, row->precision, row->preconditioner};
  bp_text_append(&text, row->problem);
  if (*row->quadrature)
    bp_text_appendf(&text, "%s%s points", joint, row->quadrature);
  for (size_t n = 0; n < sizeof parts / sizeof *parts; ++n)
    bp_text_appendf(&text, "%s%s", *parts[n] ? joint : "", parts[n]);
  if (!bp_row_has_usual_lambda(row))
    bp_text_appendf(&text, "%slambda %g", joint, row->lambda);
  if (row->target_nodes >= 0)
    bp_text_appendf(&text, "%sabout %s %s", joint, bp_number_grouped(number, row->target_nodes),
                    bp_row_target_unit(row));
  else if (*row->mesh)
    bp_text_appendf(&text, " on %s", row->mesh);
  if (group->same_elements)
    bp_text_appendf(&text, "%s%s element%s", joint, bp_number_grouped(number, row->elements),
                    row->elements == 1 ? "" : "s");
  if (bp_row_ranks(row) > 1)
    bp_text_appendf(&text, "%s%lld ranks", joint, (long long)bp_row_ranks(row));
  bp_text_appendf(&text, "%s%s (%s)", joint, row->device, row->backend);
  if (*row->cache)
    bp_text_appendf(&text, "%s%s", joint, row->cache);
  return text.data;
}

char *bp_row_problem(const bp_row *row)
{
  const char *parts[] = {row->quadrature, row->geometry, row->precision, row->preconditioner};
  bp_text text = {0};
  bp_text_append(&text, row->problem);
  for (size_t n = 0; n < sizeof parts / sizeof *parts; ++n)
    bp_text_appendf(&text, "%s%s", *parts[n] ? " " : "", parts[n]);
  if (!bp_row_has_usual_lambda(row))
    bp_text_appendf(&text, " lambda=%g", row->lambda);
  return text.data;
}

char *bp_row_label(const bp_row *row)
{
  if (*row->rung)
    return bp_strdup(row->rung);
  return bp_format("%s%s%s", row->variant, *row->options ? " " : "", row->options);
}

static bool has_option(const bp_row *row, const bp_option_text *wanted)
{
  bp_option_text option;
  for (const char *at = row->options; bp_option_next(&at, &option);)
    if (option.name_length == wanted->name_length && option.value_length == wanted->value_length &&
        memcmp(option.name, wanted->name, option.name_length) == 0 &&
        memcmp(option.value, wanted->value, option.value_length) == 0)
      return true;
  return false;
}

/* Whether another row of the variant does not have it with that value. */
static bool is_varying(const bp_group *group, const bp_row *row, const bp_option_text *option)
{
  for (int64_t n = 0; n < group->count; ++n)
    if (strcmp(group->rows[n]->variant, row->variant) == 0 && !has_option(group->rows[n], option))
      return true;
  return false;
}

void bp_group_print_options(const bp_group *group, const bp_row *row, bp_text *text)
{
  bp_option_text option;
  const char *joint = "";
  for (const char *at = row->options; bp_option_next(&at, &option);) {
    if (!is_varying(group, row, &option))
      continue;
    bp_text_appendf(text, "%s%.*s=%.*s", joint, (int)option.name_length, option.name,
                    (int)option.value_length, option.value);
    joint = " ";
  }
}
