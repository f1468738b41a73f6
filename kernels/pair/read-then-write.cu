/* pair/read-then-write -- a block reads all that its points want at once, and then only writes
 *
 * degrees:  1..15 compiled once
 * operands: u v
 * option:   most_points 32..1024 = 1024 -- points of a block at a time, as far as shared memory goes
 * option:   most_threads 128..1024 = 384 -- of a block
 * option:   jam 1..8 = 4 -- species y of a thread at once
 * option:   teams_take 0..1 = 1 -- what the teams of a block take in turn: 0 x, 1 groups of y
 * option:   streaming 0..1 = 1 -- what is written does not stay in L2
 * size:     parts = (fields + 63) / 64 -- of the species x, and of y
 * size:     part = (fields + parts - 1) / parts -- species of a part
 * size:     threads = most_threads / 32 * 32 -- of a block
 * size:     fits = 28672 / (4 * part) / 32 * 32 -- points for which shared memory is enough
 * size:     tile = min(min(most_points / 32 * 32, 2 * threads), fits) -- points of a block at a time, at most
 * launch:   apply; threads threads; blocks min(sms, (elements + 15) / 16 * parts * parts); shared 8 * 4 * part * tile
 *
 * Memory is slower where reads come among writes: of 1 read for 16 written, as here, than of a copy. So each
 * multiprocessor has one block, which first fills its shared memory with ax, bx, ay and by of some points, and then
 * writes all products. All blocks take as long, so they read together and write together: points are shared out so
 * that each has about as many, as often. */
#include "lib/pair/arrays.h"

/* The header's sizes. */
enum {
  PARTS = (BP_FIELDS + 63) / 64,
  PART = (BP_FIELDS + PARTS - 1) / PARTS,
  PART_FITS = 28672 / (4 * PART) / 32 * 32,
  POINTS = MOST_POINTS / 32 * 32 < MOST_THREADS / 32 * 64 ? MOST_POINTS / 32 * 32
                                                          : MOST_THREADS / 32 * 64,
  TILE = POINTS < PART_FITS ? POINTS : PART_FITS,
  ROW = TILE / 2 /* in pairs of points */
};

/* What a block takes: points from t on, `here` of them, and parts of x and y. */
typedef struct {
  long long t;
  int here, x, of_x, y, of_y;
} block_item;

/* How many points a block takes at a time: as many rounds as TILE of them want, all alike; whole lines. */
BP_DEVICE int points_each(int points)
{
  enum { LINE = 16, OF_POINTS = PARTS * PARTS };
  const int least = (points + TILE - 1) / TILE, blocks = (int)gridDim.x,
            rounds = (least * OF_POINTS + blocks - 1) / blocks,
            tiles = max(least, rounds * blocks / OF_POINTS);
  return ((points + tiles - 1) / tiles + LINE - 1) / LINE * LINE;
}

BP_DEVICE block_item block_item_of(int n, int tiles, int each, int points)
{
  const int of_parts = n / tiles, x = of_parts % PARTS * PART, y = of_parts / PARTS * PART,
            t = n % tiles * each;
  const block_item i = {t, min(each, points - t),   x, min(PART, BP_FIELDS - x),
                        y, min(PART, BP_FIELDS - y)};
  return i;
}

/* Row r of what an item reads: those of ax, bx, ay, by, which lie one after the other. */
BP_DEVICE const double *row_of(const pair_arrays *a, const block_item *i, int r)
{
  const int array = r / PART, species = r % PART;
  if (species >= (array < 2 ? i->of_x : i->of_y))
    return 0;
  return a->ax + ((long long)array * BP_FIELDS + (array < 2 ? i->x : i->y) + species) * a->points +
         i->t;
}

/* All that an item reads comes, each warp issues some rows; a barrier has been since the last one was
 * used. */
BP_DEVICE void item_load(double *rows, const pair_arrays *a, const block_item *i, int parity,
                         bp_mbarrier *full)
{
  if (a->points % 2 == 0) { /* so that rows begin on 16 bytes */
    int count = 0;
    for (int r = bp_warp(); r < 4 * PART; r += (bp_threads() + 31) / 32) {
      const double *const from = row_of(a, i, r);
      if (from) {
        bp_slot_copy(rows + r * TILE, from, 8 * i->here, full);
        ++count;
      }
    }
    bp_slot_arrive(full, 8 * count * i->here);
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

BP_KERNEL_BOUNDED(apply, MOST_THREADS, 1)
{
  BP_DYNAMIC_SHARED(double, rows);
  BP_SHARED(bp_mbarrier, full, [1]);
  const pair_arrays a = PAIR_ARRAYS;
  const int each = points_each(elements), tiles = (elements + each - 1) / each;
  const int lanes = each / 2, teams = bp_threads() / lanes, team = bp_thread() / lanes,
            lane = bp_thread() - team * lanes;
  const double2 *const ax = (const double2 *)rows + lane, *const bx = ax + PART * ROW,
                       *const ay = bx + PART * ROW, *const by = ay + PART * ROW;
  int parity = 0;
  if (bp_thread() == 0) {
    bp_mbarrier_start(full, (bp_threads() + 31) / 32); /* each warp arrives */
    bp_mbarrier_fence();
  }
  BP_NO_UNROLL
  for (int n = blockIdx.x; n < tiles * PARTS * PARTS; n += gridDim.x) {
    const block_item i = block_item_of(n, tiles, each, elements);
    BP_BARRIER();
    item_load(rows, &a, &i, parity, full);
    parity ^= 1;
    if (2 * lane >= i.here || team >= teams)
      continue;
    double *const v2 = v + i.t + 2 * lane;
    BP_NO_UNROLL
    for (int y = TEAMS_TAKE ? team * JAM : 0; y < i.of_y; y += TEAMS_TAKE ? teams * JAM : JAM) {
      double2 c[JAM], d[JAM];
      BP_UNROLL
      for (int m = 0; m < JAM; ++m) {
        c[m] = ay[min(y + m, i.of_y - 1) * ROW];
        d[m] = by[min(y + m, i.of_y - 1) * ROW];
      }
      BP_UNROLL_BY(2)
      for (int x = TEAMS_TAKE ? 0 : team; x < i.of_x; x += TEAMS_TAKE ? 1 : teams) {
        const double2 p = ax[x * ROW], q = bx[x * ROW];
        BP_UNROLL
        for (int m = 0; m < JAM; ++m)
          if (y + m < i.of_y)
            store_two(v2 + ((long long)(i.y + y + m) * BP_FIELDS + i.x + x) * a.points, p, c[m], q,
                      d[m], a.points % 2 == 0, 2 * lane + 1 < i.here);
      }
    }
  }
}
