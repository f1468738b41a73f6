/* csv_lines.c -- cutting CSV into cells. */
#include "report/csv_lines.h"

#include "base/memory.h"
#include "base/text.h"
#include <string.h>

bp_csv_lines *bp_csv_lines_create(const char *name, const char *data, size_t size)
{
  bp_csv_lines *c = bp_alloc(1, sizeof *c);
  c->name = name;
  c->text = c->at = bp_strndup(data, size);
  return c;
}

void bp_csv_lines_destroy(bp_csv_lines *c)
{
  if (!c)
    return;
  bp_free(c->text);
  bp_free(c);
}

bool bp_csv_is_at_end(const bp_csv_lines *c)
{
  return !*c->at;
}

/* Takes the quotes off a cell in place; c->at is then what stands behind it. NULL: no closing quote. */
static const char *take_quoted(bp_csv_lines *c, int *line)
{
  char *cell = ++c->at, *to = cell;
  for (; *c->at; *to++ = *c->at++) {
    *line += *c->at == '\n';
    if (*c->at == '"' && *++c->at != '"') {
      *to = '\0';
      return cell;
    }
  }
  return NULL;
}

/* Behind the end of a line. */
static void pass_end(bp_csv_lines *c, char end)
{
  if (end)
    *c->at++ = '\0';
  if (end == '\r' && *c->at == '\n')
    ++c->at;
}

static bp_status take_line(bp_csv_lines *c, const char *cells[BP_CSV_COLUMNS], int *count)
{
  int line = ++c->line;
  for (*count = 0; *count < BP_CSV_COLUMNS;) {
    const char *cell = c->at;
    if (*cell == '"')
      cell = take_quoted(c, &c->line);
    else
      c->at += strcspn(c->at, ",\r\n");
    if (!cell)
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected a closing quote, found the end of the text",
                     c->name, line);
    cells[(*count)++] = cell;
    char end = *c->at;
    if (end && !strchr(",\r\n", end))
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected a comma behind a quote, found '%c'", c->name,
                     c->line, end);
    pass_end(c, end);
    if (end != ',')
      return BP_OK;
  }
  return bp_fail(BP_BAD_INPUT, "%s:%d: expected at most %d columns, found more", c->name, line,
                 BP_CSV_COLUMNS);
}

const char *bp_csv_take_comment(bp_csv_lines *c)
{
  if (*c->at != '#')
    return NULL;
  const char *comment = ++c->at;
  ++c->line;
  c->at += strcspn(c->at, "\r\n");
  pass_end(c, *c->at);
  return comment;
}

bp_status bp_csv_take_heads(bp_csv_lines *c)
{
  return take_line(c, c->heads, &c->count);
}

bp_status bp_csv_take_cells(bp_csv_lines *c)
{
  int count;
  bp_status status = take_line(c, c->cells, &count);
  if (!status && count != c->count)
    status = bp_fail(BP_BAD_INPUT, "%s:%d: expected %d values as in the line of names, found %d",
                     c->name, c->line, c->count, count);
  return status;
}

const char *bp_csv_cell(const bp_csv_lines *c, const char *column)
{
  for (int n = 0; n < c->count; ++n)
    if (strcmp(c->heads[n], column) == 0)
      return c->cells[n];
  return NULL;
}
