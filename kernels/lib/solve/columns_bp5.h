/* columns_bp5.h -- v = A u of a batch by columns: the operator of BP5 in the first kernel of a step or an
 * iteration.
 *
 * Thread (j, i) of an element owns a column in k, whose t derivative stays in its registers. In shared
 * memory: the factors of a batch; u in a cube; the r part and the s part of each element. The r part may
 * share the place of the cube (cubes 2: then all pencils are read before one is written).
 *
 * degrees: 1..15
 * factors: ekcji
 * geometry: stored affine trilinear quadratic
 * option: cubes 2..3 = 3 -- cubes per element in shared memory
 * size: threads = (elements_per_block * nq*nq + 31) / 32 * 32 -- of a block
 * size: cube_k = nq % 2 == 1 ? nq*nq : same_bank(nq*nq, 1) -- doubles from plane to plane of a cube
 * size: cube = buffer_rt -- from element to element
 * size: columns_shared = elements_per_block * ((cubes - 2) * cube + buffer_rt + buffer_st) -- doubles of all of these */
#ifndef BP_KERNELS_SOLVE_COLUMNS_BP5_H
#define BP_KERNELS_SOLVE_COLUMNS_BP5_H

#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/operator/metric.h"
#include "lib/solve/batches.h"

/* A thread's places in the shared memory of its element. */
typedef struct {
  real *cube, *rt, *st;
  int b, column;                  /* element of the batch; in a plane, j BP_NQ + i */
  int row, along_s, along_s_cube; /* where its pencils along r and s begin */
} column_places;

BP_DEVICE column_places column_places_of(real *cubes, int b, int column)
{
  column_places c;
  c.b = b;
  c.column = column;
  c.cube = cubes + b * CUBE;
  c.rt = cubes + (CUBES - 2) * (ELEMENTS_PER_BLOCK * CUBE) + b * BUFFER_RT;
  c.st = cubes + ELEMENTS_PER_BLOCK * ((CUBES - 2) * CUBE + BUFFER_RT) + b * BUFFER_ST;
  c.row = R_K(ROWS_BY_J, column) * CUBE_K + R_J(ROWS_BY_J, column) * BP_NQ;
  c.along_s = column / BP_NQ * ST_K + column % BP_NQ;
  c.along_s_cube = column / BP_NQ * CUBE_K + column % BP_NQ;
  return c;
}

/* By all threads, after a barrier: x becomes the thread's column of v = A u, of u in the cube; values[] its
 * column of u, or of the mass term where there is one. When the factors have been used, those of the next item
 * come. Returns the thread's part of u . A u. */
BP_DEVICE real columns_apply(const column_places *c, bool lives, item at, item next, factor_slot *f,
                             real lambda, int elements, real *values, real *x)
{
  real y[BP_NQ], ut[BP_NQ], energy = 0;
  /* the derivatives along t, which stays here, along r, and along s as (k, i) */
  if (lives) {
    pencil_load(c->cube + c->column, CUBE_K, BP_NQ, values);
    pencil_differentiate(IN_CONSTANTS, values, ut);
    pencil_load(c->cube + c->row, 1, BP_NQ, x);
    pencil_differentiate(IN_CONSTANTS, x, y);
    if (CUBES == 3)
      pencil_store(c->rt + c->row, 1, BP_NQ, y);
    pencil_load(c->cube + c->along_s_cube, BP_NQ, BP_NQ, x);
  }
  if (CUBES == 2)
    BP_BARRIER();
  if (lives) {
    if (CUBES == 2)
      pencil_store(c->rt + c->row, 1, BP_NQ, y);
    pencil_differentiate(IN_CONSTANTS, x, y);
    pencil_store(c->st + c->along_s, BP_NQ, BP_NQ, y);
  }
  BP_BARRIER();
  factors_wait(f, at);
  if (c->b < batch_elements(at.batch, elements)) {
    const metric_line line = metric_line_of(factors_at(f, at.batch) + c->b * BP_ELEMENT_FACTORS,
                                            c->column, BP_COMPONENTS * POINTS_2D, POINTS_2D,
                                            ALONG_T, c->column % BP_NQ, c->column / BP_NQ);
    BP_UNROLL
    for (int n = 0; n < BP_NQ; ++n) {
      real u = values[n];
      metric_flux(&line, n, ALONG_T, lambda, &ut[n], c->rt + c->column + n * CUBE_K,
                  c->st + c->column + n * ST_K, &u, &energy);
      if (BP_COMPONENTS == 7)
        values[n] = u;
    }
  }
  BP_BARRIER();
  factors_next(f, next, elements);
  if (lives) { /* the transposed derivatives along r and s */
    pencil_load(c->rt + c->row, 1, BP_NQ, x);
    pencil_transposed(IN_CONSTANTS, x, y);
    pencil_store(c->rt + c->row, 1, BP_NQ, y);
    pencil_load(c->st + c->along_s, BP_NQ, BP_NQ, x);
    pencil_transposed(IN_CONSTANTS, x, y);
    pencil_store(c->st + c->along_s, BP_NQ, BP_NQ, y);
  }
  BP_BARRIER();
  if (lives) { /* along t, and the sum */
    BP_UNROLL
    for (int n = 0; n < BP_NQ; ++n)
      x[n] = c->rt[c->column + n * CUBE_K] + c->st[c->column + n * ST_K] +
             (BP_COMPONENTS == 7 ? values[n] : 0);
    pencil_add_transposed(IN_CONSTANTS, ut, x);
  }
  return energy;
}

#endif
