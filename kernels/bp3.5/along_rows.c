/* bp3.5/along_rows -- one element at a time, vectors along i, even-odd splitting
 *
 * degrees:  13..15
 * factors:  ekjci
 * scratch:  3 * nq * (nq*nq + 8) + 1600 + 192 * lanes
 * flops:    lanes*(3 + nq/16) * ((nq*nq + lanes*(3 + nq/16) - 1) / (lanes*(3 + nq/16)) * (8 * ((nq + 1) / 2) * (nq / 2) + 8 * (nq / 2) - nq) + 4 * (nq / 2)) + 32 * ((nq + 1) / 2) + nq * (64 * ((nq + 1) / 2) * (2 * ((nq + 1) / 2) - 1) + 32 * (15 + nq/16) * nq + 64 - 64 * (nq/16) + 800 * (nq / 2) + 352 * (nq % 2))
 *
 * For 16 registers and long lines. even_odd.c has an element per lane, and the planes of its elements do not fit into
 * the first-level cache. Here everything that a slab needs does. Three steps: the derivative along k of the whole element,
 * by tiles of columns; slab after slab the derivatives along j and i, the metric, and both transposed; the derivative
 * along k, transposed. u and the factors are read where they are; v leaves past the caches. In the slots of the tiles the
 * next data are folded and prefetched: factors and u from memory, the slab's from the second-level cache. */
#include "lib/contract/element_planes.h"

enum {
  Q = BP_NQ,
  Q2 = Q * Q,
  NODES = Q * Q2,
  EVENS = BP_EVENS,
  ODDS = BP_ODDS,
  HALF = BP_ROW_HALF,
  HV = BP_HALF_VECTORS,
  RV = BP_ROW_VECTORS,
  WHOLE = Q % BP_LINE == 0,           /* rows are cache lines */
  PLANE = Q2 + (WHOLE ? BP_LINE : 0), /* so that a line along k is not in one set of the cache */
  /* Tiles: rows of the matrix and vectors of columns along j, rows of a slab along i. */
  SLAB_ROWS = 3,
  SLAB_COLUMNS = RV < BP_TILE_COLUMNS ? RV : BP_TILE_COLUMNS,
  ROWS = Q < 16 ? 5 : 4,
  ROW_TILES = (Q + ROWS - 1) / ROWS,
  /* Slots of half of the lines along j, of a tile of rows. */
  LINE_SLOTS = (EVENS + SLAB_ROWS - 1) / SLAB_ROWS * EVENS,
  ROW_SLOTS = Q,
  PAIRS = (ODDS + ROW_TILES - 1) / ROW_TILES, /* of rows that are folded beside a tile of rows */
  /* Cache lines of a slab's factors and of a plane. */
  G_LINES = (7 * Q2 + BP_LINE - 1) / BP_LINE,
  U_LINES = (Q2 + BP_LINE - 1) / BP_LINE,
  /* Those that are prefetched into the first-level cache, beside half of the lines and a tile of rows. */
  NEAR_LINES = G_LINES / 4 + 1,
  NEAR_ROWS = G_LINES / 2 / ROW_TILES + 1,
  /* Those that are prefetched from memory, LEAD doubles ahead: each phase's part of the time. */
  LEAD = 8 << 10,
  FAR_LINES = 21 * G_LINES / 200 + 1,
  FAR_ROWS = 28 * G_LINES / ROW_TILES / 200 + 1,
  FAR_U = (U_LINES + 1) / 2, /* of the next element's u, beside half of the lines */
};

/* What a thread keeps. */
typedef struct {
  bp_row_matrix d, transposed;
  bp_slab_rows x;
  bp_slab_lines y, z;
  bp_planes planes;
} work;

/* What is prefetched from memory next. */
typedef struct {
  const real *factors, *u;
} traffic;

/* ---- in a slab ---- */

typedef struct {
  const real *g, *u, *next; /* factors; u here and in the next slab */
  real *t, *w;              /* along k; the slab's result */
  real lambda;
} slab;

typedef struct {
  const real *left, *right; /* rows of u: the first to be folded, and its mirror */
  bp_vector (*x)[2][HV];
  const real *g, *far;
} beside_lines;

BP_INLINE void no_slot(const void *context, int s)
{
  (void)context;
  (void)s;
}

BP_INLINE void fold_rows_in_slot(const void *context, int s)
{
  const beside_lines *b = context;
  bp_slot_far(b->far, FAR_LINES, s, LINE_SLOTS);
  bp_slot_near(b->g, BP_LINE, NEAR_LINES, s, LINE_SLOTS);
#pragma GCC unroll 8
  for (int n = bp_part(HALF * HV, s, LINE_SLOTS); n < bp_part(HALF * HV, s + 1, LINE_SLOTS); ++n) {
    const int row = n / HV, l = n % HV;
    const real *u = row % 2 ? b->right - Q * (row / 2) : b->left + Q * (row / 2);
    bp_fold_row(bp_load_any(u + BP_LANES * l), BP_READ(u + Q - BP_LANES * (l + 1)), b->x[row], l);
  }
}

/* One half of the derivatives along j; folds half of the rows. */
BP_INLINE void differentiate_half(work *m, const slab *at, traffic *memory, int odd)
{
  const int row = HALF / 2 * odd;
  const beside_lines beside = {at->u + Q * row, at->u + Q * (Q - 1 - row), m->x + HALF * odd,
                               at->g + BP_LINE * NEAR_LINES * odd,
                               memory->factors + BP_LINE * FAR_LINES * odd};
#pragma GCC unroll 4
  for (int c = 0; c < RV; c += SLAB_COLUMNS)
    bp_tile_half(m->d.lines[odd], EVENS, EVENS, SLAB_ROWS, SLAB_COLUMNS, &m->y[odd][0][c],
                 &m->z[odd][0][c], RV, c ? no_slot : fold_rows_in_slot, &beside, 0);
}

/* Derivatives along j of a slab whose lines are folded; folds its rows. */
BP_INLINE void differentiate_lines(work *m, const slab *at, traffic *memory)
{
  int halves = 2;
  __asm__("" : "+r"(halves)); /* not unrolled: the code for a slab has to fit into the op cache */
  for (int odd = 0; odd < halves; ++odd)
    differentiate_half(m, at, memory, odd);
  memory->factors += 2 * BP_LINE * FAR_LINES;
}

typedef struct {
  const real *u, *far;
} beside_transposed_lines;

BP_INLINE void prefetch_in_slot(const void *context, int s)
{
  const beside_transposed_lines *b = context;
  bp_slot_far(b->far, FAR_LINES, s, LINE_SLOTS);
  bp_slot_far(b->u, FAR_U, s, LINE_SLOTS);
}

BP_INLINE void transpose_half(work *m, traffic *memory, int odd)
{
  const beside_transposed_lines beside = {memory->u + BP_LINE * FAR_U * odd,
                                          memory->factors + BP_LINE * FAR_LINES * odd};
#pragma GCC unroll 4
  for (int c = 0; c < RV; c += SLAB_COLUMNS)
    bp_tile_half(m->transposed.lines[odd], EVENS, EVENS, SLAB_ROWS, SLAB_COLUMNS, &m->y[odd][0][c],
                 &m->z[odd][0][c], RV, c ? no_slot : prefetch_in_slot, &beside, 0);
}

BP_INLINE void transpose_lines(work *m, traffic *memory)
{
  int halves = 2;
  __asm__("" : "+r"(halves));
  for (int odd = 0; odd < halves; ++odd)
    transpose_half(m, memory, odd);
  memory->factors += 2 * BP_LINE * FAR_LINES;
  memory->u += 2 * BP_LINE * FAR_U;
}

typedef struct {
  const real *g, *far;
} beside_rows;

BP_INLINE void prefetch_factors_in_slot(const void *context, int s)
{
  const beside_rows *b = context;
  bp_slot_far(b->far, FAR_ROWS, s, ROW_SLOTS);
  bp_slot_near(b->g, -BP_LINE, NEAR_ROWS, s, ROW_SLOTS);
}

BP_INLINE void differentiate_rows(work *m, const slab *at, traffic *memory)
{
  const real *g = at->g + 7 * Q2 - 1; /* backwards: the last rows are needed first */
#pragma GCC unroll 1
  for (int tile = 0; tile < ROW_TILES; ++tile) {
    const beside_rows beside = {g - BP_LINE * NEAR_ROWS * tile,
                                memory->factors + BP_LINE * FAR_ROWS * tile};
    bp_tile_rows(&m->d, ROWS, m->x + ROWS * tile, prefetch_factors_in_slot, &beside);
  }
  memory->factors += BP_LINE * FAR_ROWS * ROW_TILES;
}

typedef struct {
  const real *left, *right; /* rows of the next slab, as above */
  bp_vector *y;
  const real *far;
} beside_transposed_rows;

BP_INLINE void fold_lines_in_slot(const void *context, int s)
{
  const beside_transposed_rows *b = context;
  bp_slot_far(b->far, FAR_ROWS, s, ROW_SLOTS);
#pragma GCC unroll 16
  for (int n = bp_part(PAIRS * RV, s, ROW_SLOTS); n < bp_part(PAIRS * RV, s + 1, ROW_SLOTS); ++n) {
    const int row = n / RV, c = n % RV;
    bp_fold_pair_of(bp_load_any(b->left + Q * row + bp_column(c)),
                    bp_load_any(b->right - Q * row + bp_column(c)), b->y + n, RV);
  }
}

/* Folds the lines of the next slab. */
BP_INLINE void transpose_rows(work *m, const slab *at, traffic *memory)
{
#pragma GCC unroll 1
  for (int tile = 0; tile < ROW_TILES; ++tile) {
    const int row = PAIRS * tile < ODDS - PAIRS ? PAIRS * tile : ODDS - PAIRS;
    const beside_transposed_rows beside = {at->next + Q * row, at->next + Q * (Q - 1 - row),
                                           m->y[0][row],
                                           memory->factors + BP_LINE * FAR_ROWS * tile};
    bp_tile_rows(&m->transposed, ROWS, m->x + ROWS * tile, fold_lines_in_slot, &beside);
  }
#pragma GCC unroll 16
  for (int c = 0; c < RV && Q % 2; ++c)
    m->y[0][ODDS][c] = BP_READ(at->next + Q * ODDS + bp_column(c));
  memory->factors += BP_LINE * FAR_ROWS * ROW_TILES;
}

/* A vector's derivatives become fluxes. */
BP_INLINE void flux(const real *g, bp_vector *r, bp_vector *s, bp_vector *t)
{
  const bp_vector ur = *r, us = *s, ut = *t;
  const bp_vector rs = bp_load_any(g + Q), rt = bp_load_any(g + 2 * Q);
  const bp_vector st = bp_load_any(g + 4 * Q);
  *r = BP_READ(g) * ur + rs * us + rt * ut;
  *s = rs * ur + BP_READ(g + 3 * Q) * us + st * ut;
  *t = rt * ur + st * us + BP_READ(g + 5 * Q) * ut;
}

/* Vectors l of both halves of a row, also of s. Where they overlap, both load t before one stores it. */
BP_INLINE void flux_row(const real *g, bp_vector (*x)[HV], real *t, int l, bp_vector *s)
{
  const int at = BP_LANES * l, mirror = Q - BP_LANES * (l + 1);
  bp_vector left, right, t_left = bp_load_any(t + at), t_right = bp_load_any(t + mirror);
  bp_unfold_row(x, l, &left, &right);
  flux(g + at, &left, s, &t_left);
  flux(g + mirror, &right, s + 1, &t_right);
  BP_ANY(t + at) = t_left;
  BP_ANY(t + mirror) = t_right;
  bp_fold_row(left, right, x, l);
}

BP_INLINE void fluxes(work *m, const slab *at)
{
#pragma GCC unroll 1
  for (int j = 0; j < ODDS; ++j) {
    const int mirror = Q - 1 - j;
#pragma GCC unroll 4
    for (int l = 0; l < HV; ++l) {
      const int right = RV - 1 - l;
      bp_vector low[2], high[2];
      bp_unfold_pair_of(&m->z[0][j][l], RV, low, high);
      bp_unfold_pair_of(&m->z[0][j][right], RV, low + 1, high + 1);
      flux_row(at->g + 7 * Q * j, m->x[2 * j], at->t + Q * j, l, low);
      flux_row(at->g + 7 * Q * mirror, m->x[2 * j + 1], at->t + Q * mirror, l, high);
      bp_fold_pair_of(low[0], high[0], &m->y[0][j][l], RV);
      bp_fold_pair_of(low[1], high[1], &m->y[0][j][right], RV);
    }
  }
#pragma GCC unroll 4
  for (int l = 0; l < HV && Q % 2; ++l) {
    bp_vector s[2] = {m->z[1][ODDS][l], m->z[1][ODDS][RV - 1 - l]};
    flux_row(at->g + 7 * Q * ODDS, m->x[2 * ODDS], at->t + Q * ODDS, l, s);
    m->y[0][ODDS][l] = s[0];
    m->y[0][ODDS][RV - 1 - l] = s[1];
  }
}

/* What came along i and j, and the mass term. */
BP_INLINE void sum_row(const slab *at, int j, bp_vector (*x)[HV], int l, const bp_vector *s)
{
  const int left = BP_LANES * l, right = Q - BP_LANES * (l + 1);
  const real *g = at->g + 7 * Q * j + 6 * Q, *u = at->u + Q * j;
  bp_vector low, high;
  bp_unfold_row(x, l, &low, &high);
  BP_ANY(at->w + Q * j + left) = low + s[0] + at->lambda * BP_READ(u + left) * BP_READ(g + left);
  BP_ANY(at->w + Q * j + right) =
      high + s[1] + at->lambda * BP_READ(u + right) * BP_READ(g + right);
}

BP_INLINE void sum_slab(work *m, const slab *at)
{
#pragma GCC unroll 1
  for (int j = 0; j < ODDS; ++j)
#pragma GCC unroll 4
    for (int l = 0; l < HV; ++l) {
      bp_vector low[2], high[2];
      bp_unfold_pair_of(&m->z[0][j][l], RV, low, high);
      bp_unfold_pair_of(&m->z[0][j][RV - 1 - l], RV, low + 1, high + 1);
      sum_row(at, j, m->x[2 * j], l, low);
      sum_row(at, Q - 1 - j, m->x[2 * j + 1], l, high);
    }
#pragma GCC unroll 4
  for (int l = 0; l < HV && Q % 2; ++l) {
    const bp_vector s[2] = {m->z[1][ODDS][l], m->z[1][ODDS][RV - 1 - l]};
    sum_row(at, ODDS, m->x[2 * ODDS], l, s);
  }
}

/* Aligned: from other addresses it may take 8 % longer. */
BP_PHASE __attribute__((aligned(64))) void slabs(work *m, real lambda, const real *g, const real *u,
                                                 real *t, real *w, traffic *memory)
{
  for (int j = 0; j < EVENS; ++j)
#pragma GCC unroll 8
    for (int c = 0; c < RV; ++c) {
      const bp_vector low = BP_READ(u + Q * j + bp_column(c));
      bp_fold_pair_of(low, BP_READ(u + Q * (Q - 1 - j) + bp_column(c)), &m->y[0][j][c], RV);
      if (j == ODDS)
        m->y[0][j][c] = low;
    }
#pragma GCC unroll 1
  for (int k = 0; k < Q; ++k) {
    const int next = k + 1 < Q ? k + 1 : k;
    const slab at = {g + 7 * k * Q2, u + k * Q2,    u + next * Q2,
                     t + k * PLANE,  w + k * PLANE, lambda};
    differentiate_lines(m, &at, memory);
    differentiate_rows(m, &at, memory);
    fluxes(m, &at);
    transpose_lines(m, memory);
    transpose_rows(m, &at, memory);
    sum_slab(m, &at);
  }
}

/* ---- along k ---- */

BP_PHASE void differentiate_planes(work *m, const real *u, real *t, traffic *memory)
{
  bp_contract_planes(&m->planes, &m->d, (bp_columns){u, NULL, t, Q2, PLANE, 0}, &memory->factors);
}

BP_PHASE void transpose_planes(work *m, const real *t, const real *w, real *v, traffic *memory)
{
  bp_contract_planes(&m->planes, &m->transposed, (bp_columns){t, w, v, PLANE, Q2, WHOLE},
                     &memory->factors);
}

/* ---- v ---- */

/* Whole cache lines go past the caches, all at once: between other stores and prefetches it takes longer. */
BP_PHASE void leave(const real *from, real *v)
{
  const int head = (int)(-((uintptr_t)v / 8) % BP_LINE);
  int n = 0;
  for (; n < head; ++n)
    v[n] = from[n];
#pragma GCC unroll 4
  for (; n + BP_LINE <= NODES; n += BP_LINE)
#pragma GCC unroll 4
    for (int m = n; m < n + BP_LINE; m += BP_LANES)
      bp_stream(v + m, BP_READ(from + m));
  for (; n < NODES; ++n)
    v[n] = from[n];
}

BP_KERNEL
{
  work *m = (work *)a->scratch;
  real *t = a->scratch + (sizeof *m + 63) / 64 * 8, *w = t + Q * PLANE + BP_LINE;
  real *v = w + Q * PLANE + BP_LINE;
  traffic memory;
  for (int c = 0; c < RV; ++c)
    m->y[1][EVENS - 1][c] = (bp_vector){0}; /* a middle row has no difference */
  bp_row_matrix_make(&m->d, a->D, Q, 1);
  bp_row_matrix_make(&m->transposed, a->D, 1, Q);
  for (int64_t e = first; e < last; ++e) {
    const real *g = a->factors + e * 7 * NODES, *u = a->u + e * NODES;
    memory.factors = g + LEAD;
    memory.u = u + NODES;
    differentiate_planes(m, u, t, &memory);
    slabs(m, a->lambda, g, u, t, w, &memory);
    transpose_planes(m, t, w, WHOLE ? a->v + e * NODES : v, &memory);
    if (!WHOLE)
      leave(v, a->v + e * NODES);
  }
  bp_fence();
}
