/* bp1.0/pairs -- as stream, but a thread takes the same pencil of two elements at once
 *
 * degrees:  1..13
 * precision: single
 * points:   1..5
 * factors:  ecijk
 * option:   pairs 1..64 = 1 -- pairs of elements of a batch
 * option:   blocks_per_sm 1..32 = 4 -- blocks of a multiprocessor; what does not fit begins when others have ended
 * option:   evict_first 0..32 = 0 -- sixteenths of the factors marked evict-first in L2; beyond 16 also of u
 * size:     batch_elements = 2 * pairs -- elements of a batch
 * size:     threads = (pairs * nc*nc + 31) / 32 * 32 -- of a block
 * size:     cube_j = same_bank(nc*nq, nq % 2 == 0 ? nc : nq) -- doubles from j to j of a cube
 * size:     cube = nc * cube_j -- of an element
 * launch:   apply; threads threads; blocks min((elements + batch_elements - 1) / batch_elements, sms * blocks_per_sm); shared real * (batch_slot + batch_elements * cube)
 * shared traffic: real * (nq*nq*(nq + nc) + nc*nq*(nq + nc) + nc*nc*(nq + nc + nq) + nc*nq*(nc + nq) + nq*nq*nc + nq*nq*nq + nc*nc*nc)
 *
 * An entry of I is an operand from constant memory, and fetching it costs an instruction. Here one fetch serves the
 * same pencil of two elements, whose addresses differ by a constant. Pencils that would leave half of the last warp
 * idle are taken one by one, those of both elements side by side.
 *
 * All passes work in place in one cube per element. Two buffers, as in direct.cu, would have no bank conflicts, but
 * then fewer blocks share a multiprocessor. */
#include "lib/contract/pencil.h"
#include "lib/memory/bank_padding.h"
#include "lib/pipeline/pipeline_batches.h"
#include "lib/schedule/tile_scheduler.h"

enum {
  REST = PAIRS * BP_NC * BP_NC % 32,
  WHOLE = REST <= 16 ? PAIRS * BP_NC * BP_NC - REST : THREADS, /* threads that take two pencils */

  /* An element's cube. Threads side by side access banks side by side along s and, for odd BP_NQ, along t,
   * else along r: all three cannot be had. */
  CUBE_I = S_BY_I ? BP_NC : 1,
  CUBE_K = S_BY_I ? 1 : BP_NQ,
  OTHER = PAIRS * CUBE /* from a cube to that of the pair's other element */
};

/* What a thread takes of a direction: a pencil of an element, and of the one that is PAIRS further, too. */
typedef struct {
  bool one, both;
  int element, pencil;
} share;

/* Of a direction that has `count` pencils per element. */
BP_DEVICE share share_of(int count)
{
  const int n = (int)threadIdx.x, rest = max(PAIRS * count - WHOLE, 1), single = n - WHOLE;
  const int slot = n < WHOLE ? n : WHOLE + single % rest, element = slot / count;
  const share s = {n < WHOLE ? element < PAIRS : PAIRS * count > WHOLE && single < 2 * rest,
                   n < WHOLE, n < WHOLE || single < rest ? element : element + PAIRS, slot % count};
  return s;
}

/* x[h] becomes sums of mirrored values, in its first half, and differences, in its second. */
BP_DEVICE void pair_split(real x[2][BP_NC], int n)
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    BP_UNROLL
    for (int b = 0; b < n / 2; ++b) {
      const real low = x[h][b], high = x[h][n - 1 - b];
      x[h][b] = low + high;
      x[h][n - 1 - b] = low - high;
    }
  }
}

/* Position a and its mirror image, from the even sum in x[h][a] and the odd one in q[h]. */
BP_DEVICE void pair_join(int a, int n, const real q[2], real x[2][BP_NC])
{
  BP_UNROLL
  for (int h = 0; h < 2; ++h) {
    const real p = x[h][a];
    if (a != n - 1 - a)
      x[h][n - 1 - a] = p - q[h];
    x[h][a] = p + q[h];
  }
}

/* y[h] = matrix x[h]: all even sums first, so that fewer values are under way. */
BP_DEVICE void pair_contract(pencil_halves matrix, int inputs, int outputs, real x[2][BP_NC],
                             real y[2][BP_NC])
{
  pair_split(x, inputs);
  BP_UNROLL
  for (int a = 0; a < BP_HALF(outputs); ++a) {
    y[0][a] = y[1][a] = 0;
    BP_UNROLL
    for (int b = 0; b < BP_HALF(inputs); ++b) {
      const real entry = matrix.even[a * matrix.output_step + b * matrix.input_step];
      y[0][a] += entry * x[0][b];
      y[1][a] += entry * x[1][b];
    }
  }
  BP_UNROLL
  for (int a = 0; a < BP_HALF(outputs); ++a) {
    real q[2] = {0, 0};
    BP_UNROLL
    for (int b = 0; b < inputs / 2; ++b) {
      const real entry = matrix.odd[a * matrix.output_step + b * matrix.input_step];
      q[0] += entry * x[0][inputs - 1 - b];
      q[1] += entry * x[1][inputs - 1 - b];
    }
    pair_join(a, outputs, q, y);
  }
}

BP_DEVICE void pair_interpolate(real x[2][BP_NC], real y[2][BP_NC])
{
  const pencil_halves I = PENCIL_HALVES(IN_CONSTANTS, I, BP_HALF(BP_NQ), 1);
  pair_contract(I, BP_NQ, BP_NC, x, y);
}

BP_DEVICE void pair_project(real y[2][BP_NC], real x[2][BP_NC])
{
  const pencil_halves I = PENCIL_HALVES(IN_CONSTANTS, I, 1, BP_HALF(BP_NQ));
  pair_contract(I, BP_NC, BP_NQ, y, x);
}

/* The thread's share of a contraction from nodes to points, from pencils that begin at `from`, the other
 * element's from_other further, to those that begin at `to` in the cubes. */
BP_DEVICE void there(const share *s, const real *from, int from_other, int from_step, real *to,
                     int to_step)
{
  real x[2][BP_NC], y[2][BP_NC];
  if (s->both && s->one) {
    pencil_load(from, from_step, BP_NQ, x[0]);
    pencil_load(from + from_other, from_step, BP_NQ, x[1]);
    pair_interpolate(x, y);
    pencil_store(to, to_step, BP_NC, y[0]);
    pencil_store(to + OTHER, to_step, BP_NC, y[1]);
  } else if (WHOLE < THREADS && s->one) {
    pencil_load(from, from_step, BP_NQ, x[0]);
    pencil_interpolate(IN_CONSTANTS, x[0], y[0]);
    pencil_store(to, to_step, BP_NC, y[0]);
  }
}

/* Back, from the cubes. `first` and `other`: whether there are such elements. */
BP_DEVICE void back(const share *s, const real *from, int from_step, real *to, int to_other,
                    int to_step, bool first, bool other)
{
  real x[2][BP_NC], y[2][BP_NC];
  if (s->both && s->one) {
    pencil_load(from, from_step, BP_NC, y[0]);
    pencil_load(from + OTHER, from_step, BP_NC, y[1]);
    pair_project(y, x);
    if (first)
      pencil_store(to, to_step, BP_NQ, x[0]);
    if (other)
      pencil_store(to + to_other, to_step, BP_NQ, x[1]);
  } else if (WHOLE < THREADS && s->one) {
    pencil_load(from, from_step, BP_NC, y[0]);
    pencil_project(IN_CONSTANTS, y[0], x[0]);
    if (first)
      pencil_store(to, to_step, BP_NQ, x[0]);
  }
}

/* A row along r there, the weights, and back. */
BP_DEVICE void weigh(real *row, const real *w)
{
  real x[BP_NQ], y[BP_NC];
  pencil_load(row, CUBE_I, BP_NQ, x);
  pencil_interpolate(IN_CONSTANTS, x, y);
  BP_UNROLL
  for (int i = 0; i < BP_NC; ++i)
    y[i] *= w[i * BP_NC * BP_NC];
  pencil_project(IN_CONSTANTS, y, x);
  pencil_store(row, CUBE_I, BP_NQ, x);
}

BP_KERNEL_BOUNDED(apply, THREADS, 0)
{
  BP_DYNAMIC_SHARED(real, slot);
  BP_SHARED(bp_mbarrier, full, [2]); /* u, factors */
  const int batches = (elements + BATCH_ELEMENTS - 1) / BATCH_ELEMENTS;
  const share t = share_of(BP_NQ * BP_NQ), s = share_of(BP_NC * BP_NQ), r = share_of(BP_NC * BP_NC);
  real *cube = slot + BATCH_SLOT;
  real *const at_t =
      cube + t.element * CUBE + t.pencil / BP_NQ * CUBE_J + t.pencil % BP_NQ * CUBE_I;
  real *const at_s = cube + s.element * CUBE + S_K(s.pencil) * CUBE_K + S_I(s.pencil) * CUBE_I;
  real *const at_r =
      cube + r.element * CUBE + R_K(false, r.pencil) * CUBE_K + R_J(false, r.pencil) * CUBE_J;
  const int node = t.element * NODES_3D + t.pencil, point = r.element * POINTS_3D + r.pencil;

  BP_SHARED(int, claimed, [1]);
  const batch_pipeline pipeline = {u, factors, elements, slot, full, 1, 0};
  batches_start_u(&pipeline);
  int number = threadIdx.x == 0 ? scheduler_claim(batches, 0) : 0;
  batches_start_factors(&pipeline);
  pencil_prefetch_constants(THREADS, PENCIL_NONE);

  int parity = 0, batch = (int)blockIdx.x;
  while (batch < batches) {
    const size_t first = (size_t)batch * BATCH_ELEMENTS;
    batch_wait_u(&pipeline, 0, parity);
    there(&t, slot + slot_offset(first * NODES_3D) + node, PAIRS * NODES_3D, BP_NQ * BP_NQ, at_t,
          CUBE_K);
    if (threadIdx.x == 0)
      scheduler_next(&number, batches, claimed);
    BP_BARRIER();
    const int next = *claimed;
    batch_next_u(&pipeline, 0, next);
    there(&s, at_s, OTHER, CUBE_J, at_s, CUBE_J);
    BP_BARRIER();
    batch_wait_factors(&pipeline, 0, parity);
    if (r.one) {
      /* one after the other: both at once would need too many registers */
      const real *w = slot + U_SLOT + slot_offset(first * ELEMENT_FACTORS) + point;
      BP_NO_UNROLL
      for (int h = 0; h < (r.both ? 2 : 1); ++h)
        weigh(at_r + h * OTHER, w + h * PAIRS * POINTS_3D);
    }
    BP_BARRIER();
    batch_next_factors(&pipeline, 0, next);
    back(&s, at_s, CUBE_J, at_s, OTHER, CUBE_J, true, true);
    BP_BARRIER();
    back(&t, at_t, CUBE_K, v + first * NODES_3D + node, PAIRS * NODES_3D, BP_NQ * BP_NQ,
         (int)first + t.element < elements, (int)first + t.element + PAIRS < elements);
    BP_BARRIER();
    batch = next;
    parity ^= 1;
  }
}
