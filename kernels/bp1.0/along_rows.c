/* bp1.0/along_rows -- one element at a time, vectors along i, even-odd splitting
 *
 * degrees:  13..15
 * factors:  eckji align 8 tiled 16x8
 * scratch:  nc * 8 * ((nq*nq + 7) / 8 + 1) + 32 * nc + 4 * (nc + 1) + 24 + nc*nc
 * flops:    4 * (4 * (nq*nq / 16) + (nq*nq % 16 > 0)) * ((nc + 1) / 2 * (2 * ((nq + 1) / 2) - 1) + nc / 2 * (2 * (nq / 2) - 1) + (nq + 1) / 2 * (2 * ((nc + 1) / 2) - 1) + nq / 2 * (2 * (nc / 2) - 1) + 4 * (nq / 2) + 4 * (nc / 2)) + nc * (16 * ((nc + 1) / 2 * (2 * ((nq + 1) / 2) - 1) + nc / 2 * (2 * (nq / 2) - 1) + (nq + 1) / 2 * (2 * ((nc + 1) / 2) - 1) + nq / 2 * (2 * (nc / 2) - 1)) + 64 * (nq / 2) + 16 * (nc + nq) + nc / 17 * (12 * nc + 84) + 16 * nc * (nq + nc - 2) + 48 * ((nc + 1) / 2) + 112 * (nc / 2))
 *
 * For 16 registers, with lines that are long: u is read where it stands, v written where it belongs, and what a group
 * of elements one per lane would move through the second-level cache is an element's. Contractions along k take sixteen
 * neighbours in a plane at a time. In a slab rows become sums and differences along i, two vectors each. Along i all
 * values are broadcast, so nothing is transposed; the weights lie as the products have them, rows from both ends. */
#include "lib/contract/row_columns.h"

enum {
  Q = BP_NQ,
  C = BP_NC,
  Q2 = Q * Q,
  PAIRS_Q = BP_PAIRS_Q,
  HALF_Q = BP_HALF_Q,
  PAIRS_C = BP_PAIRS_C,
  HALF_C = BP_HALF_C,
  NODES = Q * Q2,
  FACTORS = (C * C * C + 7) / 8 * 8,
  PLANE = BP_ROW_PLANE,
  ROW = BP_ROW,
  IS_MIDDLE = HALF_C > 8, /* the middle point of a row is the ninth: no vector has it */
};

/* ---- requests ahead of use, in cache lines ---- */

enum {
  LEAD = C * C * 3, /* factors ahead of their use */
  PARTS = 15,       /* of a slab, that ask for something */
  SLAB_FACTORS = C * C / BP_LINE + 1,
  SLAB_NODES = NODES / BP_LINE / C + 1,
};

/* The next ones to prefetch, into the second-level cache: factors, the u of the next element, twice, as a
 * core whose queues are full drops some, and v unless it goes past the caches. Into the first-level cache: `soon`,
 * the factors of the next slab. */
typedef struct {
  const double *factors, *soon, *u;
  double *v;
} requests;

/* How many of a slab's lines go with part `part`. */
BP_INLINE int lines_of(int lines, int part)
{
  return lines * (part + 1) / PARTS - lines * part / PARTS;
}

BP_INLINE void ask(requests *ahead, int part)
{
  enum { VECTORS = BP_LINE / BP_LANES };
  bp_ahead(&ahead->factors, VECTORS * lines_of(SLAB_FACTORS, part), 1);
  for (int n = 0; n < lines_of(SLAB_FACTORS, part); ++n, ahead->soon += BP_LINE)
    __builtin_prefetch(ahead->soon);
  bp_ahead(&ahead->u, VECTORS * lines_of(SLAB_NODES, part), 2);
  if (!BP_ROW_STREAMS)
    bp_ahead_write(&ahead->v, lines_of(SLAB_NODES, part));
}

/* ---- along k ---- */

enum { LAST = Q2 - 4 }; /* planes are a multiple of sixteen nodes, and one to four more */

BP_INLINE void columns(int lines, bp_row_way m, const double *from, double *folded, double *to)
{
#pragma GCC unroll 3
  for (int t = 0; t < 3; ++t) {
    bp_columns_soon(t, from + ROW, m.from_step, m.n_from);
    bp_columns(t, lines, m, from, folded, to);
  }
}

BP_INLINE void planes(bp_row_way m, const double *from, double *folded, double *to)
{
#pragma GCC unroll 1
  for (int n = 0; n + ROW <= Q2; n += ROW)
    columns(4, m, from + n, folded, to + n);
  if (Q2 % ROW)
    columns(1, m, from + LAST, folded, to + LAST);
}

BP_PHASE void all_in(const bp_row_tables *m, const double *u, double *folded, double *w)
{
  planes(bp_row_in(m), u, folded, w);
}

BP_PHASE void all_out(const bp_row_tables *m, const double *w, double *folded, double *v)
{
  planes(bp_row_out(m), w, folded, v);
}

/* ---- a slab: y has the rows of points that are sums along j, then those that are differences ---- */

typedef struct {
  double *folded, *y;
  double *part, *middle, *weights; /* of middle points: four parts of each, values, weights */
} slab;

/* Tile t of rows along j, then folded along i: eight sums, eight differences. */
BP_INLINE void in_rows(int t, int is_odd, const bp_row_tables *m, const double *x, const slab *s)
{
  const int b = BP_ROW_FIRST(t, PAIRS_C), first = is_odd ? HALF_C + b : b;
  const int rows = BP_ROW_COUNT(t, PAIRS_C) + (is_odd ? 0 : BP_ROW_MIDDLE(t, C));
  const double *const matrix = (is_odd ? m->odd_in[0] : m->even_in[0]) + b;
  const int pitch = is_odd ? 8 : 12;
  double *const folded = s->folded + (is_odd ? ROW * HALF_Q : 0);
  bp_row_tile z;
  if (t == 0)
    bp_row_contract_folding(rows, 4, Q, is_odd ? -1 : 1, matrix, pitch, x, Q, Q, folded, z);
  else
    bp_row_contract(rows, 4, is_odd ? PAIRS_Q : HALF_Q, matrix, pitch, folded, z);
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) {
    double *const y = s->y + (first + r) * ROW;
    z[r][3] = bp_four_reversed(z[r][3]);
    z[r][2] = bp_four_reversed(z[r][2]);
    bp_four_pair(&z[r][0], &z[r][3]);
    bp_four_pair(&z[r][1], &z[r][2]);
    bp_four_store(y, z[r][0]);
    bp_four_store(y + 4, z[r][1]);
    bp_four_store(y + 8, z[r][3]);
    bp_four_store(y + 12, z[r][2]);
    if (IS_MIDDLE)
      bp_four_store(s->part + 4 * (first + r), *(const bp_four *)m->middle * z[r][0] +
                                                   *(const bp_four *)(m->middle + 4) * z[r][1]);
  }
}

/* The weights of row n = C k + j: eight from the left, and eight from the right to the middle. */
typedef struct {
  const double *left, *right;
} row_weights;

BP_INLINE row_weights weights_of(const double *factors, int n, int is_last)
{
  const double *const left = factors + 8 * n + (C - 8) * 16 * (n / 16);
  return (row_weights){left, left + (is_last ? 8 : 128 - (8 - PAIRS_C) * (n % 16))};
}

BP_INLINE void weight(int l, row_weights w, bp_four *x, bp_four *y)
{
  bp_four right = bp_four_load(w.right + 4 * l);
  if (l == 1 && C % 2 && !IS_MIDDLE)
    right = __builtin_shufflevector(right, (bp_four){0}, 0, 1, 2, 7); /* the middle is the left's */
  *x *= *(const bp_four_anywhere *)(w.left + 4 * l);
  *y *= right;
}

/* Sums and differences of a row, and of the one that mirrors it, to the points and back. */
BP_INLINE void weight_pair(int l, row_weights w, row_weights mirror, bp_four *even, bp_four *odd,
                           bp_four *mirror_even, bp_four *mirror_odd)
{
  bp_four_pair(even, odd);
  if (mirror_even) {
    bp_four_pair(mirror_even, mirror_odd);
    bp_four_pair(even, mirror_even);
    bp_four_pair(odd, mirror_odd);
    weight(l, mirror, mirror_even, mirror_odd);
    bp_four_pair(mirror_even, mirror_odd);
  }
  weight(l, w, even, odd);
  bp_four_pair(even, odd);
}

/* Tile t of pairs of rows along i, in place: values at the points, weighted, folded along i. */
BP_INLINE void weight_rows(int t, const bp_row_tables *m, const double *factors, int k,
                           const slab *s)
{
  const int b = BP_ROW_FIRST(t, PAIRS_C), pairs = BP_ROW_COUNT(t, PAIRS_C),
            sums = pairs + BP_ROW_MIDDLE(t, C);
  double *const y = s->y + b * ROW;
  bp_tall_tile even, odd, products;
  bp_tall_contract(sums, pairs, HALF_C, HALF_Q, m->i_in[0], 8, y, products);
  bp_tall_put_down(sums + pairs, products, even);
  bp_tall_contract(sums, pairs, HALF_C, PAIRS_Q, m->odd_in[0], 8, y + 8, odd);
#pragma GCC unroll 3
  for (int r = 0; r < sums; ++r) {
    const row_weights w = weights_of(factors, C * k + b + r, 0);
    const row_weights mirror =
        weights_of(factors, C * k + C - 1 - b - r, C % 2 && b + r == 0 && k == C - 1);
    double *const to = y + r * ROW, *const mirror_to = to + HALF_C * ROW;
#pragma GCC unroll 2
    for (int l = 0; l < 2; ++l) {
      bp_four p = even[r][l], q = odd[r][l], x, z;
      if (r < pairs) {
        x = even[sums + r][l], z = odd[sums + r][l];
        weight_pair(l, w, mirror, &p, &q, &x, &z);
        bp_four_store(mirror_to + 4 * l, x);
        bp_four_store(mirror_to + 8 + 4 * l, z);
      } else
        weight_pair(l, w, mirror, &p, &q, NULL, NULL);
      bp_four_store(to + 4 * l, p);
      bp_four_store(to + 8 + 4 * l, q);
    }
  }
}

/* A row's even or odd half comes back, folded along j. */
BP_INLINE void store_half(int t, bp_tall_tile x, double *y)
{
  const int b = BP_ROW_FIRST(t, PAIRS_C), pairs = BP_ROW_COUNT(t, PAIRS_C),
            sums = pairs + BP_ROW_MIDDLE(t, C);
#pragma GCC unroll 3
  for (int r = 0; r < sums; ++r)
#pragma GCC unroll 2
    for (int l = 0; l < 2; ++l) {
      if (r < pairs) {
        bp_four_pair(&x[r][l], &x[sums + r][l]);
        bp_four_store(y + (HALF_C + b + r) * ROW + 4 * l, x[sums + r][l]);
      }
      bp_four_store(y + (b + r) * ROW + 4 * l, x[r][l]);
    }
}

BP_INLINE void back_rows(int t, const bp_row_tables *m, const slab *s)
{
  const int b = BP_ROW_FIRST(t, PAIRS_C), pairs = BP_ROW_COUNT(t, PAIRS_C),
            sums = pairs + BP_ROW_MIDDLE(t, C);
  bp_tall_tile x;
  bp_tall_contract(sums, pairs, HALF_C, IS_MIDDLE ? 8 : HALF_C, m->even_out[0], 8, s->y + b * ROW,
                   x);
  if (IS_MIDDLE) {
    const double *const row = m->even_out[HALF_C - 1];
    const bp_four m0 = bp_four_load(row), m1 = bp_four_load(row + 4);
#pragma GCC unroll 6
    for (int r = 0; r < sums + pairs; ++r) {
      const bp_four z = bp_four_every(s->middle + b + (r < sums ? r : HALF_C + r - sums));
      x[r][0] += m0 * z;
      x[r][1] += m1 * z;
    }
  }
  store_half(t, x, s->y);
  bp_tall_contract(sums, pairs, HALF_C, PAIRS_C, m->odd_out[0], 8, s->y + b * ROW + 8, x);
  store_half(t, x, s->y + 8);
}

/* A row comes back from sums and differences along i. */
BP_INLINE void put_row(const bp_four *z, double *x)
{
  bp_four_store(x + bp_four_at(0, Q), z[0] + z[2]);
  bp_four_store(x + bp_four_at(1, Q), z[1] + z[3]);
  bp_four_store(x + bp_four_at(2, Q), bp_four_reversed(z[1] - z[3]));
  bp_four_store(x + bp_four_at(3, Q), bp_four_reversed(z[0] - z[2]));
}

/* Tile t of rows along j, back to nodes. */
BP_INLINE void out_rows(int t, const bp_row_tables *m, const slab *s, double *x)
{
  const int b = BP_ROW_FIRST(t, PAIRS_Q), pairs = BP_ROW_COUNT(t, PAIRS_Q),
            evens = pairs + BP_ROW_MIDDLE(t, Q);
  bp_row_tile even, odd, sums;
  bp_row_contract(evens, 4, HALF_C, m->even_out[0] + b, 8, s->y, sums);
  bp_row_put_down(pairs, 4, sums, even);
  if (evens > pairs)
    put_row(sums[pairs], x + (b + pairs) * Q);
  bp_row_contract(pairs, 4, PAIRS_C, m->odd_out[0] + b, 8, s->y + HALF_C * ROW, odd);
#pragma GCC unroll 3
  for (int r = 0; r < pairs; ++r) {
    bp_four front[4], back[4];
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) {
      const bp_four z = bp_four_kept(even[r][l]);
      front[l] = z + odd[r][l];
      back[l] = z - odd[r][l];
    }
    put_row(front, x + (b + r) * Q);
    put_row(back, x + (Q - 1 - b - r) * Q);
  }
}

/* ---- the points in the middle of rows, where no vector has them ---- */

/* Their weights one after another, as far as slab k needs them: of rows 16 n .. 16 n + 15. */
BP_INLINE void middle_weights(int k, const double *factors, double *to)
{
  for (int n = k ? k + 1 : 0; n <= k + 1 && n < C * C / 16; ++n)
#pragma GCC unroll 4
    for (int l = 0; l < 16; l += 4)
      bp_four_store(to + 16 * n + l, bp_four_load(factors + 16 * C * n + 256 + l));
  if (k == C - 1)
    to[C * C - 1] = factors[C * (C * C - 1) + 16];
}

/* Four sums of four. */
BP_INLINE bp_four sums_of(const double *part)
{
  bp_four t[2];
#pragma GCC unroll 2
  for (int n = 0; n < 2; ++n) {
    const bp_four x = bp_four_load(part + 8 * n), y = bp_four_load(part + 8 * n + 4);
    t[n] = __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
  }
  return __builtin_shufflevector(t[0], t[1], 0, 1, 4, 5) +
         __builtin_shufflevector(t[0], t[1], 2, 3, 6, 7);
}

BP_INLINE void middle_points(int k, const slab *s)
{
  const double *const w = s->weights + C * k;
#pragma GCC unroll 2
  for (int b = 0; b < 8; b += 4) {
    bp_four x = sums_of(s->part + 4 * b), y = sums_of(s->part + 4 * (HALF_C + b));
    bp_four_pair(&x, &y);
    bp_four_store(s->middle + b, x * bp_four_load(w + b));
    bp_four_store(s->middle + HALF_C + b, y * bp_four_reversed(bp_four_load(w + C - 4 - b)));
  }
  const double *const last = s->part + 4 * 8;
  s->middle[8] = (last[0] + last[1] + last[2] + last[3]) * w[8];
}

BP_PHASE void all_slabs(const bp_row_tables *m, const double *factors, const slab *s, double *w,
                        requests ahead)
{
#pragma GCC unroll 1
  for (int k = 0; k < C; ++k) {
    double *const x = w + k * PLANE;
    ahead.soon = weights_of(factors, C * (k + 1), 0).left;
#define THREE(part, tile)                                                                          \
  _Pragma("GCC unroll 3") for (int t = 0; t < 3; ++t)                                              \
  {                                                                                                \
    tile;                                                                                          \
    ask(&ahead, part + t);                                                                         \
  }
    THREE(0, in_rows(t, 0, m, x, s))
    THREE(3, in_rows(t, 1, m, x, s))
    if (IS_MIDDLE) {
      middle_weights(k, factors, s->weights);
      middle_points(k, s);
    }
    THREE(6, weight_rows(t, m, factors, k, s))
    THREE(9, back_rows(t, m, s))
    THREE(12, out_rows(t, m, s, x))
#undef THREE
  }
}

BP_KERNEL
{
  bp_row_tables m __attribute__((aligned(64)));
  bp_row_make_tables(a->I, &m);
  double *const w = a->scratch, *const folded = w + C * PLANE;
  slab s = {.folded = folded, .y = folded + ROW * C};
  s.part = s.y + ROW * C;
  s.middle = s.part + 4 * (C + 1);
  s.weights = s.middle + 24;
  const double *begin = a->factors + first * FACTORS;
  bp_ahead(&begin, LEAD / BP_LANES, 1);
  for (int64_t e = first; e < last; ++e) {
    const double *const u = a->u + e * NODES, *const factors = a->factors + e * FACTORS;
    double *const v = a->v + e * NODES;
    all_in(&m, u, folded, w);
    all_slabs(&m, factors, &s, w, (requests){factors + LEAD, NULL, u + NODES, v});
    all_out(&m, w, folded, v);
  }
  bp_fence();
}
