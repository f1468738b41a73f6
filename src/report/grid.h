/* grid.h -- cells in rows and columns, the first row the headings, printed with columns under each other. */
#ifndef BP_REPORT_GRID_H
#define BP_REPORT_GRID_H

#include "base/text.h"
#include <stdbool.h>

typedef struct {
  char **cells; /* [row * columns + column]; NULL: empty */
  int rows, columns;
} bp_grid;

bp_grid bp_grid_create(int rows, int columns);
void bp_grid_destroy(bp_grid *grid);

/* Takes the cell. */
void bp_grid_put(bp_grid *grid, int row, int column, char *cell);
const char *bp_grid_cell(const bp_grid *grid, int row, int column);

/* As a terminal may show it: `is_left`[column] says which are aligned at the left, `gap` what stands before a
 * column. A row is printed in colors[row] (NULL, or one of them NULL: as it is). Nothing is left behind at the end
 * of a line. */
void bp_grid_print(const bp_grid *grid, const bool *is_left, const int *gap,
                   const char *const *colors, bp_text *text);

#endif
