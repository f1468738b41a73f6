/* solve_picture.h -- a slice through u, on a terminal and as SVG. */
#ifndef BP_CMD_SOLVE_PICTURE_H
#define BP_CMD_SOLVE_PICTURE_H

#include "solve/wave_slice.h"

/* Lines of characters to standard output: blank outside, else darker for larger |u|; capital letters above
 * 0. */
void bp_picture_print(const bp_wave_slice *slice);

/* Squares from blue through white to red. BP_ENVIRONMENT where the file cannot be written. */
bp_status bp_picture_write(const char *path, const bp_wave_slice *slice);

#endif
