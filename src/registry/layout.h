/* layout.h -- the order in which a variant wants the geometric factors in memory.
 *
 * A layout is a word of the letters e c k j i, each once, outermost first, and perhaps l, the lane:
 * "eckji" is factors[e][c][k][j][i]; "ekcjil" is factors[E][k][c][j][i][l] with element = E*lanes +
 * l. "align 2" after it pads what the first letter ranges over to the bytes of a multiple of 2 doubles. Elements
 * that fill up the last group of lanes repeat the last one, so that they compute without harm.
 *
 * "rotated" at the end, for words that end in "ji" and with nc even: row j begins with its i = nc - j, so that
 * entry i lies at (i + j) mod nc and columns of a dense slice lie in different banks of shared memory.
 *
 * "tiled" instead: a slice lies in the order in which the lanes of tensor-core tiles read it. Of its rows, first
 * entries 0..3 of each, then the last four (n-1, n-2, ..), then 4..7 and their mirror images, up to the middle; every
 * time the rows 0, s, 2s, .., then 1, 1+s, .., where s = 4 for rows of nq or nq+1 nodes that is odd, else 2 where
 * nq = 2 mod 4, else 1.
 *
 * "transposed": the same for tiles whose products transpose them, whose lanes hold entries of columns. First rows 0..3, then the last four,
 * and so on. Of each, where nc is even, pairs of a column and its mirror image, row by row: columns 0, 4, 1, 5, 2, ..
 * of the first half. Where it is odd, single entries: columns 0, 2, 4, .., then 1, 3, ..
 *
 * "tiled 16", for words that begin with "ec": the rows of an element lie so by 16, with s = 1; what is left over as
 * it is. "tiled 16x8": the rows of an element by 16, then what is left over, entries 0..7 of each,
 * the last eight, and the middle.
 *
 * Where kernels compute factors they get a few numbers of each element (fem/map.h), whatever the word: a[e][n],
 * with lanes a[E][n][l].
 *
 * A slice and its rows are what the word's last two letters range over. */
#ifndef BP_REGISTRY_LAYOUT_H
#define BP_REGISTRY_LAYOUT_H

#include "fem/problem.h"

typedef enum {
  BP_DENSE,
  BP_ROTATED,
  BP_TILED,
  BP_TRANSPOSED,
  BP_TILED_16,
  BP_TILED_16X8
} bp_arrangement;

typedef struct {
  char order[8]; /* "ekcjil" */
  int lanes;     /* 1 without 'l' */
  int align;     /* doubles; 1: no padding */
  bp_arrangement arrangement;
} bp_layout;

/* `lanes` is what 'l' counts. BP_BAD_INPUT for a word that is no layout. */
bp_status bp_layout_parse(const char *text, int lanes, bp_layout *layout);

bool bp_layout_is_same(const bp_layout *a, const bp_layout *b);

/* How many the factors of `problem` are with what pads them: items of bp_stored_bytes each. */
int64_t bp_layout_count(const bp_layout *layout, const bp_problem *problem);

/* Writes them, bp_layout_count items, parallel over elements in the static order that the CPU
 * backend uses, so that each thread touches its own pages first. */
void bp_layout_fill(const bp_layout *layout, const bp_problem *problem, void *factors);

/* They come in groups of as many items, of one element or of as many as there are lanes; `factors` begins
 * with group `first`. */
int64_t bp_layout_groups(const bp_layout *layout, const bp_problem *problem);
void bp_layout_fill_part(const bp_layout *layout, const bp_problem *problem, int64_t first,
                         int64_t last, void *factors);

#endif
