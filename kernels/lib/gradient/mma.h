/* mma.h -- all derivatives of 16 triangles or tetrahedra by a warp, on the FP64 tensor cores.
 *
 * option: warps 1..12 = 4 -- of a block; a warp has 16 elements at a time
 * option: shared_table 0..1 = 0 -- the table in shared memory; else each warp has it in registers
 * option: whole 0..1 = 0 -- all derivatives of an element are written at once; else part after part
 * size: steps = (element_nodes + 3) / 4 -- of a product: 4 nodes each
 * size: tiles = (one_field + 7) / 8 -- of eight derivatives
 * size: part = whole ? tiles : dim == 2 ? 2 : 3 -- tiles that are computed and written together: whole points
 * size: is_direct = fields == 1 && !whole -- lanes write v themselves
 * size: part_values = is_direct ? 0 : min(8 * part, one_field) * fields -- doubles of an element that wait in shared memory
 * size: rest_values = is_direct ? 0 : (one_field % (8 * part)) * fields -- of its last part
 * size: row = part_values + 2 -- from element to element
 * size: table_in_registers = 1 - shared_table -- else parts are a loop
 * size: kept = shared_table ? 32 * tiles * steps : 0 -- doubles of the table in shared memory
 *
 * Products of 16 elements by 4 nodes and 4 nodes by 8 derivatives. With g = lane / 4 and q = lane % 4 a lane
 * has nodes q, q + 4, .. of elements g and g + 8, and gets derivatives 2q and 2q + 1 of each tile. It stores them at
 * once, 64 bytes for four lanes, or they meet those of other tiles and values in shared memory.
 *
 * requires: mma */
#ifndef BP_KERNELS_GRADIENT_MMA_H
#define BP_KERNELS_GRADIENT_MMA_H

#include "lib/gradient/element.h"

enum { OF_POINT = BP_FIELDS * DIM };

/* The transposed table's entry of a lane in step s of tile t: 0 beyond nodes or derivatives. */
BP_DEVICE double entry_of(const double *table, int lane, int t, int s)
{
  const int row = 8 * t + lane / 4, node = 4 * s + lane % 4;
  return row < ONE_FIELD && node < NODES ? table[row * NODES + node] : 0;
}

/* Of all lanes. */
#if SHARED_TABLE
#define ENTRY(b, t, s) (b)[((t)*STEPS + (s)) * 32 + bp_lane()]
#define LOAD_TABLE(b, table, shared)                                                               \
  const double *const b = shared;                                                                  \
  for (int n = bp_thread(); n < KEPT; n += bp_threads())                                           \
    shared[n] = entry_of(table, n % 32, n / 32 / STEPS, n / 32 % STEPS);                           \
  BP_BARRIER()
#else
#define ENTRY(b, t, s) (b)[(t)*STEPS + (s)]
#define LOAD_TABLE(b, table, shared)                                                               \
  double b[TILES * STEPS];                                                                         \
  BP_UNROLL                                                                                        \
  for (int n = 0; n < TILES * STEPS; ++n)                                                          \
  b[n] = entry_of(table, bp_lane(), n / STEPS, n % STEPS)
#endif

/* Of a scalar: two derivatives of elements g and g + 8, of `here`. */
BP_DEVICE void store_pair(const double c[4], int t, int here, double *v)
{
  const int g = bp_lane() / 4, o = 8 * t + 2 * (bp_lane() % 4);
  BP_UNROLL
  for (int h = 0; h < 2; ++h)
    if (g + 8 * h < here && o < ONE_FIELD)
      bp_store_streaming((double2 *)(v + (g + 8 * h) * VALUES + o),
                         make_double2(c[2 * h], c[2 * h + 1]));
}

/* Tile m of a part, to row[q][f][d] of each element. */
BP_DEVICE void keep_tile(const double c[BP_FIELDS][4], int m, double *rows)
{
  const int g = bp_lane() / 4;
  BP_UNROLL
  for (int i = 0; i < 2; ++i) {
    const int o = 8 * m + 2 * (bp_lane() % 4) + i;
    double *const to = rows + g * ROW + o / DIM * OF_POINT + o % DIM;
    BP_UNROLL
    for (int f = 0; f < BP_FIELDS; ++f)
      if (o * BP_FIELDS < PART_VALUES) {
        to[f * DIM] = c[f][i];
        to[8 * ROW + f * DIM] = c[f][2 + i];
      }
  }
}

/* `values` doubles of each of `here` rows to v. */
BP_DEVICE void write_rows(const double *rows, int values, int here, double *v)
{
  for (int n = 2 * bp_lane(); n < here * values; n += 64) {
    const int e = n / values, r = n % values;
    bp_store_streaming((double2 *)(v + e * VALUES + r), *(const double2 *)(rows + e * ROW + r));
  }
}

/* All of it: a[f][s][h] is value f at node 4s + q of element g + 8h; v that of the first of `here`. */
BP_DEVICE void differentiate_group(const double a[BP_FIELDS][STEPS][2], const double *b, int here,
                                   double *rows, double *v)
{
  BP_UNROLL_IF(TABLE_IN_REGISTERS)
  for (int t0 = 0; t0 < TILES; t0 += PART) {
    BP_UNROLL
    for (int m = 0; m < PART; ++m)
      if (t0 + m < TILES) {
        double c[BP_FIELDS][4] = {{0}};
        BP_UNROLL
        for (int s = 0; s < STEPS; ++s) {
          const double entry = ENTRY(b, t0 + m, s);
          BP_UNROLL
          for (int f = 0; f < BP_FIELDS; ++f)
            bp_mma_16x8x4(c[f], a[f][s], entry);
        }
        if (IS_DIRECT)
          store_pair(c[0], t0 + m, here, v);
        else
          keep_tile(c, m, rows);
      }
    if (!IS_DIRECT) {
      BP_WARP_BARRIER();
      if (8 * (t0 + PART) <= ONE_FIELD)
        write_rows(rows, PART_VALUES, here, v + 8 * t0 * BP_FIELDS);
      else
        write_rows(rows, REST_VALUES, here, v + 8 * t0 * BP_FIELDS);
      BP_WARP_BARRIER();
    }
  }
}

#endif
