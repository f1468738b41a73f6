/* grid.c -- tables of cells as text. */
#include "report/grid.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/style.h"

bp_grid bp_grid_create(int rows, int columns)
{
  bp_grid grid = {.rows = rows, .columns = columns};
  grid.cells = bp_alloc((size_t)rows * (size_t)columns, sizeof *grid.cells);
  return grid;
}

void bp_grid_destroy(bp_grid *grid)
{
  for (int n = 0; n < grid->rows * grid->columns; ++n)
    bp_free(grid->cells[n]);
  bp_free(grid->cells);
  *grid = (bp_grid){0};
}

void bp_grid_put(bp_grid *grid, int row, int column, char *cell)
{
  grid->cells[row * grid->columns + column] = cell;
}

const char *bp_grid_cell(const bp_grid *grid, int row, int column)
{
  const char *cell = grid->cells[row * grid->columns + column];
  return cell ? cell : "";
}

static char *safe(const char *cell)
{
  bp_text shown = {0};
  bp_safe_line(&shown, cell);
  return shown.data ? shown.data : bp_strdup("");
}

static void print_row(const bp_grid *grid, int row, const int *widths, const bool *is_left,
                      const int *gap, bp_text *text)
{
  int spaces = 0;
  for (int c = 0; c < grid->columns; ++c) {
    const char *cell = bp_grid_cell(grid, row, c);
    const int missing = widths[c] - bp_style_width(cell);
    spaces += gap[c] + (is_left[c] ? 0 : missing);
    if (*cell) {
      bp_text_appendf(text, "%*s%s", spaces, "", cell);
      spaces = 0;
    }
    spaces += is_left[c] ? missing : 0;
  }
}

void bp_grid_print(const bp_grid *grid, const bool *is_left, const int *gap,
                   const char *const *colors, bp_text *text)
{
  bp_grid shown = bp_grid_create(grid->rows, grid->columns);
  int *widths = bp_alloc((size_t)grid->columns, sizeof *widths);
  for (int n = 0; n < grid->rows * grid->columns; ++n) {
    shown.cells[n] = safe(grid->cells[n] ? grid->cells[n] : "");
    const int width = bp_style_width(shown.cells[n]), c = n % grid->columns;
    widths[c] = width > widths[c] ? width : widths[c];
  }
  for (int r = 0; r < grid->rows; ++r) {
    const char *color = colors && colors[r] ? colors[r] : "";
    bp_text_append(text, color);
    print_row(&shown, r, widths, is_left, gap, text);
    bp_text_appendf(text, "%s\n", *color ? "\033[0m" : "");
  }
  bp_grid_destroy(&shown);
  bp_free(widths);
}
