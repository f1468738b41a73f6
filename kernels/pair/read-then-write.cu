/* pair/read-then-write -- a block reads all that its points want at once, and then only writes
 *
 * degrees:  1..15 compiled once
 * requires: sm_90
 * operands: u v
 * option:   most_points 32..1024 = 1024 -- points of a block at a time, as far as shared memory goes
 * option:   most_threads 128..1024 = 384 -- of a block
 * option:   jam 1..8 = 4 -- species y of a thread at once
 * option:   teams_take 0..1 = 1 -- what the teams of a block take in turn: 0 x, 1 groups of y
 * option:   streaming 0..1 = 1 -- what is written does not stay in L2
 * size:     parts = (fields + 63) / 64 -- of the species x, and of y
 * size:     part = (fields + parts - 1) / parts -- species of a part
 * size:     tile = min(most_points / 32 * 32, 28672 / (4 * part) / 32 * 32) -- points of a block at a time
 * size:     lanes = tile / 2 -- threads of a team: two points each
 * size:     teams = most_threads / lanes < 1 ? 1 : most_threads / lanes -- of a block
 * launch:   apply; threads lanes * teams; blocks min((elements + tile - 1) / tile * parts * parts, sms); shared 8 * 4 * part * tile
 *
 * Memory is slower where reads come among writes: of 1 read for 16 written, as here, than of a copy. So each
 * multiprocessor has one block, which first fills its shared memory with ax, bx, ay and by of `tile` points, and
 * then writes all products. All blocks take as long, so they read together and write together. */
#include "lib/pair/arrays.h"

/* The header's sizes. */
enum {
  PARTS = (BP_FIELDS + 63) / 64,
  PART = (BP_FIELDS + PARTS - 1) / PARTS,
  FITS = 28672 / (4 * PART) / 32 * 32,
  TILE = MOST_POINTS / 32 * 32 < FITS ? MOST_POINTS / 32 * 32 : FITS,
  LANES = TILE / 2,
  TEAMS = MOST_THREADS / LANES < 1 ? 1 : MOST_THREADS / LANES
};

/* What a block takes: points from t on, `here` of them, and parts of x and y. */
typedef struct {
  long long t;
  int here, x, of_x, y, of_y;
} block_item;

BP_DEVICE block_item block_item_of(int n, int tiles, long long points)
{
  const int tile = n % tiles, of_parts = n / tiles, x = of_parts % PARTS * PART,
            y = of_parts / PARTS * PART;
  const long long t = (long long)tile * TILE;
  const block_item i = {t, (int)min((long long)TILE, points - t), x, min(PART, BP_FIELDS - x), y,
                        min(PART, BP_FIELDS - y)};
  return i;
}

/* Row r of what an item reads: those of ax, bx, ay, by, which lie one after the other. */
BP_DEVICE const double *row_of(const pair_arrays *a, const block_item *i, int r)
{
  const int array = r / PART, species = r % PART;
  if (species >= (array < 2 ? i->of_x : i->of_y))
    return 0;
  return a->ax + ((long long)array * BP_FIELDS + (array < 2 ? i->x : i->y) + species) * a->points + i->t;
}

/* All that an item reads comes; a barrier has been since the last one was used. */
BP_DEVICE void item_load(double *rows, const pair_arrays *a, const block_item *i, int parity,
                         bp_mbarrier *full)
{
  if (a->points % 2 == 0) { /* so that rows begin on 16 bytes */
    if (bp_thread() == 0)
      bp_mbarrier_expect(full, 16 * (i->of_x + i->of_y) * i->here);
    BP_BARRIER();
    for (int r = bp_thread(); r < 4 * PART; r += bp_threads()) {
      const double *const from = row_of(a, i, r);
      if (from)
        bp_bulk_load(rows + r * TILE, from, 8 * i->here, full);
    }
    bp_mbarrier_wait(full, parity);
  } else {
    for (int r = 0; r < 4 * PART; ++r) {
      const double *const from = row_of(a, i, r);
      if (from)
        for (int n = bp_thread(); n < i->here; n += bp_threads())
          rows[r * TILE + n] = bp_load_streaming(from + n);
    }
    BP_BARRIER();
  }
}

/* Two points, one where there is no second. */
BP_DEVICE void store_two(double *v, double2 ax, double2 ay, double2 bx, double2 by, bool aligned,
                         bool both)
{
  const double2 value =
      make_double2(pair_value(ax.x, ay.x, bx.x, by.x), pair_value(ax.y, ay.y, bx.y, by.y));
  if (aligned && STREAMING) {
    bp_store_streaming((double2 *)v, value);
  } else if (aligned) {
    *(double2 *)v = value;
  } else {
    v[0] = value.x;
    if (both)
      v[1] = value.y;
  }
}

BP_KERNEL_BOUNDED(apply, LANES *TEAMS, 1)
{
  BP_DYNAMIC_SHARED(double, rows);
  BP_SHARED(bp_mbarrier, full, [1]);
  const pair_arrays a = PAIR_ARRAYS;
  const int team = bp_thread() / LANES, lane = bp_thread() % LANES;
  const int tiles = (elements + TILE - 1) / TILE;
  const double2 *const ax = (const double2 *)rows + lane, *const bx = ax + PART * LANES,
                      *const ay = bx + PART * LANES, *const by = ay + PART * LANES;
  int parity = 0;
  if (bp_thread() == 0) {
    bp_mbarrier_start(full, 1);
    bp_mbarrier_fence();
  }
  BP_NO_UNROLL
  for (int n = blockIdx.x; n < tiles * PARTS * PARTS; n += gridDim.x) {
    const block_item i = block_item_of(n, tiles, elements);
    BP_BARRIER();
    item_load(rows, &a, &i, parity, full);
    parity ^= 1;
    if (2 * lane >= i.here)
      continue;
    double *const v2 = v + i.t + 2 * lane;
    BP_NO_UNROLL
    for (int y = TEAMS_TAKE ? team * JAM : 0; y < i.of_y; y += TEAMS_TAKE ? TEAMS * JAM : JAM) {
      double2 c[JAM], d[JAM];
      BP_UNROLL
      for (int m = 0; m < JAM; ++m) {
        c[m] = ay[min(y + m, i.of_y - 1) * LANES];
        d[m] = by[min(y + m, i.of_y - 1) * LANES];
      }
      BP_UNROLL_BY(2)
      for (int x = TEAMS_TAKE ? 0 : team; x < i.of_x; x += TEAMS_TAKE ? 1 : TEAMS) {
        const double2 p = ax[x * LANES], q = bx[x * LANES];
        BP_UNROLL
        for (int m = 0; m < JAM; ++m)
          if (y + m < i.of_y)
            store_two(v2 + ((long long)(i.y + y + m) * BP_FIELDS + i.x + x) * a.points, p, c[m], q,
                      d[m], a.points % 2 == 0, 2 * lane + 1 < i.here);
      }
    }
  }
}
