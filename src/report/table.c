/* table.c -- tables as text, in three forms. */
#include "report/table.h"

#include "base/memory.h"
#include "base/safe.h"
#include <math.h>
#include <string.h>

const char BP_BOLD[] = "\033[1m", BP_DIM[] = "\033[2m", BP_RED[] = "\033[31m",
           BP_GREEN[] = "\033[32m", BP_YELLOW[] = "\033[33m", BP_PLAIN[] = "\033[0m";

void bp_style_switch(const bp_style *style, const char *color, bp_text *text)
{
  if (style->color && color)
    bp_text_append(text, color);
}

/* ---- cells ---- */

bp_table bp_table_create(int rows, const char *const *titles)
{
  bp_table table = {.rows_count = rows};
  while (titles[table.columns_count])
    ++table.columns_count;
  const size_t columns = (size_t)table.columns_count, cells = (size_t)rows * columns;
  table.columns = bp_alloc(columns, sizeof *table.columns);
  table.rows = bp_alloc((size_t)rows, sizeof *table.rows);
  table.cells = bp_alloc(cells, sizeof *table.cells);
  table.values = bp_alloc(cells, sizeof *table.values);
  for (size_t n = 0; n < columns; ++n)
    table.columns[n] = (bp_table_column){.title = titles[n], .gap = n ? 2 : 0};
  for (size_t n = 0; n < cells; ++n)
    table.values[n] = NAN;
  return table;
}

void bp_table_destroy(bp_table *table)
{
  for (int n = 0; n < table->rows_count * table->columns_count; ++n)
    bp_free(table->cells[n]);
  for (int r = 0; r < table->rows_count; ++r)
    bp_free(table->rows[r].note);
  bp_free(table->columns);
  bp_free(table->rows);
  bp_free(table->cells);
  bp_free(table->values);
  *table = (bp_table){0};
}

void bp_table_put(bp_table *table, int row, int column, char *cell)
{
  char **at = &table->cells[row * table->columns_count + column];
  bp_free(*at);
  *at = cell;
}

void bp_table_set(bp_table *table, int row, int column, const char *cell)
{
  bp_table_put(table, row, column, bp_strdup(cell));
}

const char *bp_table_cell(const bp_table *table, int row, int column)
{
  const char *cell = table->cells[row * table->columns_count + column];
  return cell ? cell : "";
}

void bp_table_drop(bp_table *table, int column)
{
  int kept = 0;
  for (int n = 0; n < table->rows_count * table->columns_count; ++n) {
    if (n % table->columns_count == column) {
      bp_free(table->cells[n]);
      continue;
    }
    table->cells[kept] = table->cells[n];
    table->values[kept++] = table->values[n];
  }
  --table->columns_count;
  memmove(table->columns + column, table->columns + column + 1,
          (size_t)(table->columns_count - column) * sizeof *table->columns);
}

/* ---- on a terminal ---- */

static int width_of(const char *cell)
{
  bp_text safe = {0};
  bp_safe_line(&safe, cell);
  const int width = bp_style_width(bp_text_string(&safe));
  bp_text_destroy(&safe);
  return width;
}

static int total_width(const bp_table *table)
{
  int total = 0;
  for (int c = 0; c < table->columns_count; ++c)
    total += table->columns[c].gap + table->columns[c].width;
  return total;
}

/* Leaves out the least important column; false when all that are left must stay. */
static bool drop_least(bp_table *table)
{
  int worst = 0;
  for (int c = 1; c < table->columns_count; ++c)
    if (table->columns[c].priority > table->columns[worst].priority)
      worst = c;
  if (table->columns[worst].priority == 0)
    return false;
  bp_table_drop(table, worst);
  return true;
}

void bp_table_fit(bp_table *table, const bp_style *style)
{
  for (int c = 0; c < table->columns_count; ++c) {
    bp_table_column *column = &table->columns[c];
    int widest = bp_style_width(column->title);
    for (int r = 0; r < table->rows_count; ++r) {
      const int width = width_of(bp_table_cell(table, r, c));
      widest = width > widest ? width : widest;
    }
    column->width = widest > column->width ? widest : column->width;
  }
  while (style->width > 0 && total_width(table) > style->width && drop_least(table))
    continue;
}

/* Blanks are put off until something follows: `missing` of them so far. */
static void print_cell(const bp_table_column *column, const char *cell, int *missing, bp_text *text)
{
  const int width = width_of(cell), rest = column->width > width ? column->width - width : 0;
  *missing += column->gap + (column->is_left ? 0 : rest);
  if (*cell) {
    bp_text_appendf(text, "%*s", *missing, "");
    bp_safe_line(text, cell);
    *missing = 0;
  }
  *missing += column->is_left ? rest : 0;
}

void bp_table_print_head(const bp_table *table, const bp_style *style, bp_text *text)
{
  int missing = 0;
  bp_style_switch(style, BP_DIM, text);
  for (int c = 0; c < table->columns_count; ++c)
    print_cell(&table->columns[c], table->columns[c].title, &missing, text);
  bp_style_switch(style, BP_PLAIN, text);
  bp_text_append(text, "\n");
}

/* Words in lines that fit, each begun at column `indent`; the first is there already. */
static void print_wrapped(bp_text *text, const char *raw, int indent, int width)
{
  const int room = width > indent + 20 ? width - indent : 0;
  bp_text safe = {0};
  int at = 0;
  bp_safe_line(&safe, raw);
  for (const char *words = bp_text_string(&safe); *words; words += strspn(words, " ")) {
    char *word = bp_strndup(words, strcspn(words, " "));
    const int columns = bp_style_width(word);
    if (room && at && at + 1 + columns > room) {
      bp_text_appendf(text, "\n%*s", indent, "");
      at = 0;
    }
    bp_text_appendf(text, "%s%s", at ? " " : "", word);
    at += columns + (at > 0);
    words += strlen(word);
    bp_free(word);
  }
  bp_text_destroy(&safe);
}

/* The names, then why there is no more. */
static void print_reason(const bp_table *table, int row, const bp_style *style, bp_text *text)
{
  const int gap = 2;
  int missing = 0, at = 0;
  for (int c = 0; c < table->columns_count && table->columns[c].is_name; ++c) {
    print_cell(&table->columns[c], bp_table_cell(table, row, c), &missing, text);
    at += table->columns[c].gap + table->columns[c].width;
  }
  bp_text_appendf(text, "%*s", missing + gap, "");
  print_wrapped(text, table->rows[row].note, at + gap, style->width);
}

void bp_table_print_row(const bp_table *table, int row, const bp_style *style, bp_text *text)
{
  const bp_table_row *r = &table->rows[row];
  const int indent = 5; /* of a note */
  int missing = 0;
  bp_style_switch(style, r->color, text);
  if (r->has_reason)
    print_reason(table, row, style, text);
  for (int c = 0; c < table->columns_count && !r->has_reason; ++c)
    print_cell(&table->columns[c], bp_table_cell(table, row, c), &missing, text);
  bp_style_switch(style, r->color ? BP_PLAIN : NULL, text);
  bp_text_append(text, "\n");
  if (!r->note || r->has_reason)
    return;
  bp_style_switch(style, BP_DIM, text);
  bp_text_appendf(text, "%*s", indent, "");
  print_wrapped(text, r->note, indent, style->width);
  bp_style_switch(style, BP_PLAIN, text);
  bp_text_append(text, "\n");
}

static void append_plain(bp_table *table, const bp_style *style, bp_text *text)
{
  bp_table_fit(table, style);
  bp_table_print_head(table, style, text);
  for (int r = 0; r < table->rows_count; ++r)
    bp_table_print_row(table, r, style, text);
}

/* ---- in a document ---- */

static void append_markdown(const bp_table *table, bp_text *text)
{
  for (int c = 0; c < table->columns_count; ++c) {
    bp_text_append(text, c ? " " : "| ");
    bp_safe_markdown(text, table->columns[c].title);
    bp_text_append(text, " |");
  }
  for (int c = 0; c < table->columns_count; ++c)
    bp_text_appendf(text, "%s%s", c ? "" : "\n|", table->columns[c].is_left ? ":--|" : "--:|");
  bp_text_append(text, "\n");
  for (int r = 0; r < table->rows_count; ++r) {
    bp_text_append(text, "|");
    for (int c = 0; c < table->columns_count; ++c) {
      const char *cell = bp_table_cell(table, r, c);
      const bool is_bold = table->rows[r].is_bold && table->columns[c].is_name && *cell;
      bp_text_append(text, is_bold ? " **" : " ");
      bp_safe_markdown(text, cell);
      bp_text_append(text, is_bold ? "** |" : " |");
    }
    bp_text_append(text, "\n");
  }
}

/* ---- on a page ---- */

static void append_head_cell(const bp_table_column *column, bp_text *text)
{
  bp_text_append(text, column->is_left ? "<th class=\"l\"" : "<th");
  if (column->meaning)
    bp_text_appendf(text, " title=\"%s\"", column->meaning);
  bp_text_append(text, "><button>");
  bp_safe_xml(text, column->title);
  bp_text_append(text, "</button></th>");
}

static void append_cell(const bp_table *table, int row, int column, bp_text *text)
{
  const double value = table->values[row * table->columns_count + column];
  const char *cell = bp_table_cell(table, row, column);
  char number[32];
  bp_text_append(text, table->columns[column].is_left ? "<td class=\"l\"" : "<td");
  if (isfinite(value))
    bp_text_appendf(text, " data-v=\"%s\"", bp_print_double(number, value));
  bp_text_append(text, ">");
  bp_safe_xml(text, cell + strspn(cell, " "));
  bp_text_append(text, "</td>");
}

static void append_html(const bp_table *table, bp_text *text)
{
  bp_text_append(text, "<div class=\"scroll\"><table><thead><tr>");
  for (int c = 0; c < table->columns_count; ++c)
    append_head_cell(&table->columns[c], text);
  bp_text_append(text, "</tr></thead>\n<tbody>\n");
  for (int r = 0; r < table->rows_count; ++r) {
    const char *css = table->rows[r].css;
    bp_text_appendf(text, "<tr%s%s%s>", css ? " class=\"" : "", css ? css : "", css ? "\"" : "");
    for (int c = 0; c < table->columns_count; ++c)
      append_cell(table, r, c, text);
    bp_text_append(text, "</tr>\n");
  }
  bp_text_append(text, "</tbody></table></div>\n");
}

void bp_table_append(bp_table *table, bp_form form, const bp_style *style, bp_text *text)
{
  if (form == BP_FORM_TERMINAL)
    append_plain(table, style, text);
  else if (form == BP_FORM_MARKDOWN)
    append_markdown(table, text);
  else
    append_html(table, text);
}
