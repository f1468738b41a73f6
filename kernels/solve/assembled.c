/* solve/assembled -- conjugate gradients with the operator as a sparse matrix, by rows
 *
 * operators: bp1, bp3, bp5
 * degrees:  1..4
 * points:   1..5
 * operands: first f diagonal x residuals r p ap state counts stride row_starts columns entries
 * option:   history 2..16 = 4 -- directions p that are kept: x is updated every so many iterations
 * bytes:    8 * jacobi * unknowns + fields * (72 * unknowns + 16 * unknowns / history) + 8 * unknowns + 12 * matrix_entries
 * start:    start
 * launch:   direction
 * launch:   apply
 * launch:   update
 * finish:   finish
 *
 * An entry is 12 bytes, its number and its column. The model counts rows of fixed unknowns, too, which are empty. Sums
 * are added up in a fixed order: the same bits every time with as many threads. */
#include "lib/solve/host_assembled.h"
