/* mma_tile.h -- one-dimensional contractions of 16 pencils at a time by a warp, on the tensor cores, split
 * into even and odd halves: a pencil of up to 16 nodes takes two products of 16 x 8 by 8 x 8.
 *
 * size: mma_order = 0 -- which positions a lane holds, see MMA_POSITION
 *
 * With g = lane / 4 and q = lane % 4 a lane holds, of pencils g and g + 8 of the tile, the values at
 * positions q and q + 4 and at their mirror images n-1-q and n-1-q-4:
 *
 *   n = 12, q = 1   position   0 [1] 2  3  4 [5] [6] 7  8  9 [10] 11
 *                              low[0]     low[1] high[1]   high[0]      of pencil g; [2] and [3] of pencil g + 8
 *
 * A contraction is tile_split (low + high, low - high), two products (tile_add), tile_join. So sums and differences of
 * mirrored values are its own affair, and what a contraction leaves is in place for the next one along
 * the same direction. In the middle of an odd n a position is its own mirror image: both values are the
 * same, and the matrices hold half the entry. Positions beyond the middle (pencils shorter than 15)
 * repeat the last one; their entries are 0.
 *
 * 17 points, of degree 15, have a ninth position. It is held separately, by all four lanes of a pencil alike.
 *
 * requires: mma */
#ifndef BP_KERNELS_MMA_TILE_H
#define BP_KERNELS_MMA_TILE_H

#include "abi/gpu.h"

#define BP_OPERATOR BP_BY_LANE
#include "operators.h"

#define NINTH(n) ((n) == 17)

/* Tiles of 16 pencils that hold `count`. */
#define TILES(count) (((count) + 15) / 16)

enum { TILE_PAIRS = 4 };

/* Which positions q = lane % 4 holds, m = 0 and 1, beside their mirror images; the size mma_order of a
 * kernel's header:
 *   0  q, q + 4
 *   1  0, 2, 1, 3 for q = 0..3, and 4 more: see mma_transposed.h
 *   2  2q, 2q + 1: two neighbours */
#define MMA_POSITION(q, m)                                                                         \
  (MMA_ORDER == 2   ? 2 * (q) + (m)                                                                \
   : MMA_ORDER == 1 ? (q) / 2 + (q) % 2 * 2 + 4 * (m)                                              \
                    : (q) + 4 * (m))

/* Which output lanes 4g..4g+3 have of a matrix. */
#define MMA_OUTPUT(g) MMA_POSITION((g) / 2, (g) % 2)

/* Index 2h + m: pencil g + 8h, position q + 4m. */
typedef struct {
  double low[TILE_PAIRS], high[TILE_PAIRS], ninth[2];
} tile_values;

/* low + high and low - high; the ninth as it is */
typedef struct {
  double even[TILE_PAIRS], odd[TILE_PAIRS], ninth[2];
} tile_halves;

/* What contractions add up to: low = same + other, high = same - other. */
typedef struct {
  double same[TILE_PAIRS], other[TILE_PAIRS], ninth[TILE_PAIRS];
} tile_sums;

/* A lane's share of a matrix: entries [output (g/2 + 4(g%2))][input q + 4m] of its halves; of the ninth
 * output [8][q + 4m]; of the ninth input [q + 4m][8]. */
typedef struct {
  double even[2], odd[2], ninth_output[2], ninth_input[2];
} tile_matrix;

/* ---- matrices ---- */

typedef enum { TILE_VALUE, TILE_DERIVATIVE } tile_kind;

/* Loads an entry of half (odd or not) of I, or of D I (of D where there is no I), from nodes to
 * points or transposed. Matrices from points to nodes are the transposed halves, with even and odd
 * of a derivative exchanged. Outside the matrix it loads any entry. */
BP_DEVICE double tile_entry_load(tile_kind kind, bool transposed, bool odd, int output, int input)
{
  const int outputs = transposed ? BP_NQ : BP_NC, inputs = transposed ? BP_NC : BP_NQ;
  const bool is_there = output < BP_HALF(outputs) && input < BP_HALF(inputs);
  const int point = is_there ? (transposed ? input : output) : 0;
  const int node = is_there ? (transposed ? output : input) : 0;
  const bool antisymmetric = transposed && kind == TILE_DERIVATIVE;
#if BP_COLLOCATED
  return bp_load_now(odd != antisymmetric ? &bp_D_odd[point][node] : &bp_D_even[point][node]);
#else
  if (kind == TILE_VALUE)
    return bp_load_now(odd ? &bp_I_odd[point][node] : &bp_I_even[point][node]);
  return bp_load_now(odd != antisymmetric ? &bp_DI_odd[point][node] : &bp_DI_even[point][node]);
#endif
}

/* The entry, from what was loaded for it. */
BP_DEVICE double tile_entry_finish(bool transposed, bool odd, int output, int input, double x)
{
  const int outputs = transposed ? BP_NQ : BP_NC, inputs = transposed ? BP_NC : BP_NQ;
  const bool is_there = output < BP_HALF(outputs) && input < BP_HALF(inputs);
  const bool is_middle = inputs % 2 && input == inputs / 2 && !(inputs == 17 && input == 8);
  const double factor = !is_there || (is_middle && odd) ? 0 : is_middle ? 0.5 : 1;
  /* NVRTC 13.0 crashes on bp1.0/mma-transposed for N = 7 with few registers if this is a product, too */
  return bp_keep(BP_N > 7 ? factor * x : factor == 0 ? 0 : factor == 1 ? x : 0.5 * x);
}

/* Issues the loads of the share of the lane; tile_matrix_finish makes a matrix of them. Best when
 * all copies have been issued, too. */
BP_DEVICE tile_matrix tile_matrix_load(tile_kind kind, bool transposed)
{
  const int q = bp_lane() % 4, output = MMA_OUTPUT(bp_lane() / 4);
  const int outputs = transposed ? BP_NQ : BP_NC, inputs = transposed ? BP_NC : BP_NQ;
  tile_matrix m = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
  BP_UNROLL
  for (int i = 0; i < 2; ++i) {
    m.even[i] = tile_entry_load(kind, transposed, false, output, MMA_POSITION(q, i));
    m.odd[i] = tile_entry_load(kind, transposed, true, output, MMA_POSITION(q, i));
    if (NINTH(outputs))
      m.ninth_output[i] =
          tile_entry_load(kind, transposed, kind == TILE_DERIVATIVE, 8, MMA_POSITION(q, i));
    if (NINTH(inputs))
      m.ninth_input[i] = tile_entry_load(kind, transposed, false, MMA_POSITION(q, i), 8);
  }
  return m;
}

BP_DEVICE void tile_matrix_finish(tile_kind kind, bool transposed, tile_matrix *m)
{
  const int q = bp_lane() % 4, output = MMA_OUTPUT(bp_lane() / 4);
  const int outputs = transposed ? BP_NQ : BP_NC, inputs = transposed ? BP_NC : BP_NQ;
  BP_UNROLL
  for (int i = 0; i < 2; ++i) {
    const int place = MMA_POSITION(q, i);
    m->even[i] = tile_entry_finish(transposed, false, output, place, m->even[i]);
    m->odd[i] = tile_entry_finish(transposed, true, output, place, m->odd[i]);
    if (NINTH(outputs))
      m->ninth_output[i] =
          tile_entry_finish(transposed, kind == TILE_DERIVATIVE, 8, place, m->ninth_output[i]);
    if (NINTH(inputs))
      m->ninth_input[i] = tile_entry_finish(transposed, false, place, 8, m->ninth_input[i]);
  }
}

/* From nodes to points and back. */
typedef struct {
  tile_matrix value, derivative, value_back, derivative_back;
} tile_operators;

BP_DEVICE tile_operators tile_operators_load()
{
  const tile_operators m = {
      tile_matrix_load(TILE_VALUE, false), tile_matrix_load(TILE_DERIVATIVE, false),
      tile_matrix_load(TILE_VALUE, true), tile_matrix_load(TILE_DERIVATIVE, true)};
  return m;
}

BP_DEVICE void tile_operators_finish(tile_operators *m)
{
  tile_matrix_finish(TILE_VALUE, false, &m->value);
  tile_matrix_finish(TILE_DERIVATIVE, false, &m->derivative);
  tile_matrix_finish(TILE_VALUE, true, &m->value_back);
  tile_matrix_finish(TILE_DERIVATIVE, true, &m->derivative_back);
}

/* ---- memory ---- */

/* Position m, in a pencil of n, of the lane whose first is q. */
BP_DEVICE int tile_position(int q, int m, int n)
{
  return 3 + 4 * m < BP_HALF(n) ? q + 4 * m : min(q + 4 * m, BP_HALF(n) - 1);
}

/* Pencil h of the lane in a tile. Half a warp reads 4 pencils at 4 positions; which pencils these
 * are decides whether the values lie in 16 different banks. Rows of odd length want them 4 rows
 * from each other. */
BP_DEVICE int tile_pencil(int h)
{
  return bp_lane() / 4 + 8 * h;
}

BP_DEVICE int tile_pencil_spread(int h)
{
  const int g = bp_lane() / 4;
  return g % 4 * 4 + g / 4 + 2 * h;
}

/* A lane's two pencils of a tile, of a direction that has `count`: the last one stands in for those
 * beyond. */
typedef struct {
  int first, second;
  bool has_first, has_second;
} tile_pair;

BP_DEVICE tile_pair tile_pair_of(int tile, int first, int second, int count)
{
  const int p0 = tile * 16 + first, p1 = tile * 16 + second;
  const tile_pair pair = {min(p0, count - 1), min(p1, count - 1), p0 < count, p1 < count};
  return pair;
}

/* Pencil h of the tile, which begins at `first`, `step` from one position to the next. q: the lane's first
 * position. */
BP_DEVICE void tile_load_pencil(const double *first, int h, int q, int step, int n, tile_values *x)
{
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const int position = tile_position(q, m, n);
    x->low[2 * h + m] = first[position * step];
    x->high[2 * h + m] = first[(n - 1 - position) * step];
  }
  if (NINTH(n))
    x->ninth[h] = first[8 * step];
}

BP_DEVICE void tile_load(const double *first0, const double *first1, int q, int step, int n,
                         tile_values *x)
{
  tile_load_pencil(first0, 0, q, step, n, x);
  tile_load_pencil(first1, 1, q, step, n, x);
}

/* Exchanges the pencils of a lane that read them in the other order. */
BP_DEVICE void tile_swap_back(bool swapped, tile_values *x)
{
  BP_UNROLL
  for (int m = 0; m < 2; ++m) {
    const double low = x->low[m], high = x->high[m];
    x->low[m] = swapped ? x->low[2 + m] : low;
    x->high[m] = swapped ? x->high[2 + m] : high;
    x->low[2 + m] = swapped ? low : x->low[2 + m];
    x->high[2 + m] = swapped ? high : x->high[2 + m];
  }
}

/* Both pencils where the step may be as good as none to the 16 banks. Then the lanes of odd q take
 * their two pencils in the other order; otherwise four positions of a pencil would lie in one
 * bank. */
BP_DEVICE void tile_load_swapped(const double *first0, const double *first1, int q, int step, int n,
                                 tile_values *x)
{
  const bool swapped = step % 16 < 2 && q % 2;
  tile_load(swapped ? first1 : first0, swapped ? first0 : first1, q, step, n, x);
  if (step % 16 < 2)
    tile_swap_back(swapped, x);
}

BP_DEVICE void tile_store_pencil(double *first, int h, bool valid, int q, int step, int n,
                                 const tile_values *x)
{
  BP_UNROLL
  for (int m = 0; m < 2; ++m)
    if (valid && (3 + 4 * m < BP_HALF(n) || q + 4 * m < BP_HALF(n))) {
      first[(q + 4 * m) * step] = x->low[2 * h + m];
      first[(n - 1 - (q + 4 * m)) * step] = x->high[2 * h + m];
    }
  if (NINTH(n) && valid && q == 0)
    first[8 * step] = x->ninth[h];
}

/* Stores the pencils that are valid. */
BP_DEVICE void tile_store(double *first0, double *first1, bool valid0, bool valid1, int q, int step,
                          int n, const tile_values *x)
{
  tile_store_pencil(first0, 0, valid0, q, step, n, x);
  tile_store_pencil(first1, 1, valid1, q, step, n, x);
}

/* The same where values were read from that other lanes may own: they all have read before one writes. */
BP_DEVICE void tile_replace(double *first0, double *first1, bool valid0, bool valid1, int q,
                            int step, int n, const tile_values *x)
{
  BP_WARP_BARRIER();
  tile_store(first0, first1, valid0, valid1, q, step, n, x);
}

/* ---- arithmetic ---- */

BP_DEVICE void tile_split(const tile_values *x, tile_halves *y)
{
  BP_UNROLL
  for (int n = 0; n < TILE_PAIRS; ++n) {
    y->even[n] = x->low[n] + x->high[n];
    y->odd[n] = x->low[n] - x->high[n];
  }
  y->ninth[0] = x->ninth[0];
  y->ninth[1] = x->ninth[1];
}

BP_DEVICE void tile_join(const tile_sums *x, tile_values *y)
{
  BP_UNROLL
  for (int n = 0; n < TILE_PAIRS; ++n) {
    y->low[n] = x->same[n] + x->other[n];
    y->high[n] = x->same[n] - x->other[n];
  }
  y->ninth[0] = x->ninth[0];
  y->ninth[1] = x->ninth[2];
}

/* y += x */
BP_DEVICE void tile_sum(const tile_values *x, tile_values *y)
{
  BP_UNROLL
  for (int n = 0; n < TILE_PAIRS; ++n) {
    y->low[n] += x->low[n];
    y->high[n] += x->high[n];
  }
  /* no ninth: only where the nodes are the points, at most 16 */
}

BP_DEVICE void tile_zero(tile_sums *x)
{
  BP_UNROLL
  for (int n = 0; n < TILE_PAIRS; ++n)
    x->same[n] = x->other[n] = x->ninth[n] = 0;
}

BP_DEVICE void tile_multiply(double *sums, const double *half, const double *matrix)
{
  const double a[4] = {half[0], half[2], half[1], half[3]};
  bp_mma_16x8x8(sums, a, matrix);
}

/* sums += matrix x, from `inputs` values to `outputs`. A derivative's even half gives the part that changes
 * sign in the mirror. */
BP_DEVICE void tile_add(const tile_matrix *matrix, tile_kind kind, int inputs, int outputs,
                        const tile_halves *x, tile_sums *sums)
{
  double *from_even = kind == TILE_VALUE ? sums->same : sums->other;
  double *from_odd = kind == TILE_VALUE ? sums->other : sums->same;
  tile_multiply(from_even, x->even, matrix->even);
  tile_multiply(from_odd, x->odd, matrix->odd);
  if (NINTH(outputs))
    tile_multiply(sums->ninth, kind == TILE_VALUE ? x->even : x->odd, matrix->ninth_output);
  if (NINTH(inputs)) {
    BP_UNROLL
    for (int n = 0; n < TILE_PAIRS; ++n)
      from_even[n] += matrix->ninth_input[n % 2] * x->ninth[n / 2];
  }
}

/* y = matrix x */
BP_DEVICE void tile_apply(const tile_matrix *matrix, tile_kind kind, int inputs, int outputs,
                          const tile_halves *x, tile_values *y)
{
  tile_sums sums;
  tile_zero(&sums);
  tile_add(matrix, kind, inputs, outputs, x, &sums);
  tile_join(&sums, y);
}

/* x = matrix x, for values. */
BP_DEVICE void tile_contract(const tile_matrix *matrix, int inputs, int outputs, tile_values *x)
{
  tile_halves h;
  tile_split(x, &h);
  tile_apply(matrix, TILE_VALUE, inputs, outputs, &h, x);
}

#endif
