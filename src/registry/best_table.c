/* best_table.c -- reading, changing and writing the user's table. */
#include "registry/best.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/bake_off.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bp_best_path(void)
{
  const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  if (xdg && *xdg == '/') /* its specification: relative paths are to be ignored */
    return bp_format("%s/bp/best", xdg);
  return home && *home == '/' ? bp_format("%s/.config/bp/best", home) : NULL;
}

char *bp_best_glob(const char *device)
{
  char *glob = bp_strdup(device);
  for (char *at = glob; (at = strpbrk(at, " \t#*?[]{},\\")); ++at)
    *at = '?';
  return glob;
}

/* ---- one line ---- */

static bp_status fail(const bp_best_table *table, const char *expected, const char *found)
{
  char *quoted = *found ? bp_format("'%.80s'", found) : bp_strdup("the end of the line");
  bp_status status =
      bp_fail(BP_BAD_INPUT, "%s:%d: expected %s, found %s; mend the line or take it away",
              table->path, table->count, expected, quoted);
  bp_free(quoted);
  return status;
}

/* The number up to `end`; NULL: up to the end of the text. */
static bool read_number(const char *text, const char *end, int most, int *number)
{
  char *digits = bp_strndup(text, end ? (size_t)(end - text) : strlen(text));
  int64_t value = 0;
  bool is_good = bp_parse_int(digits, &value) && 1 <= value && value <= most;
  *number = (int)value;
  bp_free(digits);
  return is_good;
}

/* /trilinear, /single, /trilinear/single */
static bool read_kind(const char *text, bp_best *row)
{
  for (bp_element_geometry n = BP_STORED + 1; *text && n < BP_GEOMETRIES; ++n) {
    const size_t length = strlen(bp_geometries[n]);
    if (strncmp(text + 1, bp_geometries[n], length) == 0 && strchr("/", text[1 + length])) {
      row->geometry = n;
      text += 1 + length;
    }
  }
  if (*text)
    row->precision = bp_precision_find(text + 1);
  return !*text || (*text == '/' && row->precision != BP_DOUBLE && row->precision < BP_PRECISIONS);
}

/* 7, 1..15, 7q10, 1..15q16, 1..15q* */
static bool read_range(const char *text, bp_best *row)
{
  const char *dots = strstr(text, ".."), *points = strchr(text, 'q');
  bool is_good = read_number(text, dots ? dots : points, BP_DEGREE_MAX, &row->lowest);
  row->highest = row->lowest;
  if (dots)
    is_good = is_good && read_number(dots + 2, points, BP_DEGREE_MAX, &row->highest);
  if (points && strcmp(points, "q*") == 0)
    row->points = BP_BEST_ANY_POINTS;
  else if (points)
    is_good = is_good && read_number(points + 1, NULL, BP_POINTS_MAX, &row->points);
  return is_good && row->lowest <= row->highest;
}

static bool read_degrees(const char *text, bp_best *row)
{
  const size_t length = strcspn(text, "/");
  char *range = bp_strndup(text, length);
  bool is_good = read_range(range, row) && read_kind(text + length, row);
  bp_free(range);
  return is_good;
}

static bool read_elements(const char *text, bp_best *row)
{
  row->elements = 0;
  return strcmp(text, "any") == 0 || (bp_parse_int(text, &row->elements) && row->elements > 0);
}

/* Whether `text` is NAME=INTEGER and so on; NULL, or the word that is not. */
static const char *bad_option(const char *text)
{
  while (*text) {
    size_t length = strcspn(text, " "),
           name = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    char *value = bp_strndup(text + name, length > name ? length - name : 0);
    int64_t number;
    bool is_good = name > 0 && *value == '=' && bp_parse_int(value + 1, &number);
    bp_free(value);
    if (!is_good)
      return text;
    text += length;
    text += strspn(text, " ");
  }
  return NULL;
}

/* The next word of *at, ended with '\0'; "" at the end. */
static char *take_word(char **at)
{
  char *word = *at + strspn(*at, " ");
  *at = word + strcspn(word, " ");
  if (**at)
    *(*at)++ = '\0';
  return word;
}

/* Whether the registry has kernels of it. */
static bool is_problem(const char *name)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  const char *kernels = bp_bake_off_kernels(name);
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].problem, kernels) == 0)
      return true;
  return false;
}

static bp_status read_row(const bp_best_table *table, bp_best_line *line)
{
  bp_best *row = &line->row;
  char *at = line->fields;
  row->line = table->count;
  row->device = take_word(&at);
  row->problem = take_word(&at);
  if (!is_problem(row->problem))
    return fail(table, "a problem such as bp3.5 in column 2", row->problem);
  const char *degrees = take_word(&at);
  if (!read_degrees(degrees, row))
    return fail(table, "degrees such as 7 or 1..15 in column 3", degrees);
  const char *elements = take_word(&at);
  if (!read_elements(elements, row))
    return fail(table, "a number of elements or 'any' in column 4", elements);
  row->variant = take_word(&at);
  if (!*row->variant || strchr(row->variant, '='))
    return fail(table, "the name of a variant in column 5", row->variant);
  row->options = at + strspn(at, " ");
  const char *bad = bad_option(row->options);
  return bad ? fail(table, "OPTION=INTEGER from column 6 on", bad) : BP_OK;
}

/* Blanks of all kinds become ' ', those at the end go; what follows '#' becomes the comment. */
static bp_status add_line(bp_best_table *table, const char *text, size_t length)
{
  table->lines = bp_realloc(table->lines, (size_t)table->count + 1, sizeof *table->lines);
  bp_best_line *line = &table->lines[table->count++];
  *line = (bp_best_line){.text = bp_strndup(text, length), .row.comment = ""};
  char *fields = bp_strdup(line->text), *hash = strchr(fields, '#');
  for (char *at = fields; (at = strpbrk(at, "\t\r\v\f")); ++at)
    *at = ' ';
  if (hash) {
    *hash++ = '\0';
    line->row.comment = hash + strspn(hash, " ");
  }
  for (size_t n = strlen(fields); n > 0 && fields[n - 1] == ' '; --n)
    fields[n - 1] = '\0';
  if (fields[strspn(fields, " ")] == '\0') {
    line->row.comment = "";
    bp_free(fields);
    return BP_OK;
  }
  line->fields = fields;
  return read_row(table, line);
}

/* ---- tables ---- */

bp_status bp_best_parse(const char *path, const char *data, size_t size, bp_best_table *table)
{
  bp_status status = BP_OK;
  *table = (bp_best_table){.path = bp_strdup(path)};
  for (size_t at = 0; at < size && !status;) {
    const char *end = memchr(data + at, '\n', size - at);
    size_t length = end ? (size_t)(end - data) - at : size - at;
    if (memchr(data + at, '\0', length)) {
      ++table->count; /* for the line's number alone; it has no memory */
      status = fail(table, "a line of text", "\\0");
      --table->count;
    } else {
      status = add_line(table, data + at, length);
    }
    at += length + 1;
  }
  return status;
}

/* What is run follows the table, so it is believed only where this user alone can have written it. */
static bool is_of_others(const char *path, bp_owner owner)
{
  char *doubt = bp_owner_doubt(owner);
  bool is_doubtful = doubt != NULL;
  if (doubt)
    bp_tell(
        "bp: %s: passed over: expected a table of this user that nobody else may write, found %s",
        path, doubt);
  bp_free(doubt);
  return is_doubtful;
}

bp_status bp_best_read(const char *path, bp_best_table *table)
{
  bp_file file;
  *table = (bp_best_table){.path = bp_strdup(path)};
  if (!bp_file_is_there(path))
    return BP_OK;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  if (is_of_others(path, file.owner)) {
    bp_file_unmap(&file);
    return BP_OK;
  }
  bp_best_table_destroy(table);
  status = bp_best_parse(path, file.data, file.size, table);
  if (bp_file_check(&file, path))
    status = BP_BAD_INPUT;
  bp_file_unmap(&file);
  return status;
}

void bp_best_table_destroy(bp_best_table *table)
{
  for (int n = 0; n < table->count; ++n) {
    bp_free(table->lines[n].text);
    bp_free(table->lines[n].fields);
  }
  bp_free(table->lines);
  bp_free(table->path);
  *table = (bp_best_table){0};
}

static bool is_of_same(const bp_best *a, const bp_best *b)
{
  return strcmp(a->device, b->device) == 0 && strcmp(a->problem, b->problem) == 0 &&
         a->lowest == b->lowest && a->highest == b->highest && a->points == b->points &&
         a->geometry == b->geometry && a->precision == b->precision && a->elements == b->elements;
}

static char *print_row(const bp_best *row)
{
  char high[16] = "", points[16] = "", elements[24] = "any";
  if (row->lowest != row->highest)
    snprintf(high, sizeof high, "..%d", row->highest);
  if (row->points == BP_BEST_ANY_POINTS)
    snprintf(points, sizeof points, "q*");
  else if (row->points)
    snprintf(points, sizeof points, "q%d", row->points);
  char *degrees =
      bp_format("%d%s%s%s%s%s%s", row->lowest, high, points, row->geometry ? "/" : "",
                row->geometry ? bp_geometries[row->geometry] : "", row->precision ? "/" : "",
                row->precision ? bp_precisions[row->precision] : "");
  if (row->elements)
    snprintf(elements, sizeof elements, "%lld", (long long)row->elements);
  char *text =
      bp_format("%-32s %-9s %-9s %-9s %-17s %s%s%s", row->device, row->problem, degrees, elements,
                row->variant, row->options, *row->comment ? "  # " : "", row->comment);
  bp_free(degrees);
  return text;
}

const bp_best_line *bp_best_line_of(const bp_best_table *table, const bp_best *row)
{
  for (const bp_best_line *line = table->lines; line < table->lines + table->count; ++line)
    if (line->fields && is_of_same(&line->row, row))
      return line;
  return NULL;
}

void bp_best_put(bp_best_table *table, const bp_best *row)
{
  const bp_best_line *old = bp_best_line_of(table, row);
  const ptrdiff_t n = old ? old - table->lines : table->count;
  char *text = print_row(row);
  bp_status status = add_line(table, text, strlen(text));
  BP_ASSERT(status == BP_OK);
  bp_free(text);
  if (old) {
    bp_free(table->lines[n].text);
    bp_free(table->lines[n].fields);
    table->lines[n] = table->lines[--table->count];
  }
}

bp_status bp_best_write(const bp_best_table *table)
{
  bp_output *output = NULL;
  bp_status status = bp_file_create_folders(table->path);
  if (!status)
    status = bp_output_create(table->path, &output);
  if (status)
    return status;
  for (int n = 0; n < table->count; ++n)
    fprintf(bp_output_stream(output), "%s\n", table->lines[n].text);
  return bp_output_finish(output);
}
