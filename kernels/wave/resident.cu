/* wave/resident -- elements stay in shared memory for all steps; only K u on their surfaces travels
 *
 * degrees:  1..9
 * operands: factors ids first starts copied f f_before x x_before inverse_mass scratch point_elements point_weights signals traces steps counts stride unknowns inner faces_end edges_end
 * option:   elements_per_block 1..64 = 1 -- elements of a block, for good
 * option:   threads 32..1024 = 256 -- of a block
 * scratch:  2 * elements * element_surface
 * bytes:    elements * (24 * surface_nodes + 8 * components * nq*nq*nq)
 * start:    start; threads 256; blocks 1
 * start:    run; threads threads; blocks (elements + elements_per_block - 1) / elements_per_block; shared real * 6 * elements_per_block * nq*nq*nq; together
 *
 * For problems that fit: a block per multiprocessor. A block has u now and before, and the masses, of all nodes of its
 * elements; where elements share a node each steps it for itself, from the same copies in the same order, so all have the
 * same. Odd and even steps have copies of their own, so blocks meet once a step. The owner of a node writes it at the end. */
#include "lib/wave/loops.h"

enum { COUNT_MET = 8, NODES = ELEMENTS_PER_BLOCK * NODES_3D };

BP_KERNEL_BOUNDED(start, 256, 0)
{
  if (bp_thread() == 0)
    counts[COUNT_MET] = 0;
}

/* The block's elements, [b][k][j][i]. */
typedef struct {
  double *now, *before, *mass, *flux;
  int first, count; /* elements */
} residents;

/* A node of them, the n-th: its place, its unknown, and which of its element's surface nodes it is, or -1. */
typedef struct {
  int e, m, place, number;
} resident_node;

BP_DEVICE resident_node resident_node_of(const residents *r, const int *ids, int n)
{
  resident_node node;
  int place;
  node.e = r->first + n / NODES_3D;
  node.m = n % NODES_3D < ELEMENT_SURFACE ? n % NODES_3D : -1;
  node.number = wave_point_number(ids, node.e, n % NODES_3D, &place);
  node.place = n / NODES_3D * NODES_3D + place;
  return node;
}

BP_DEVICE void resident_begin(const residents *r, const int *ids, const double *f,
                              const double *f_before, const double *inverse_mass)
{
  for (int n = bp_thread(); n < r->count * NODES_3D; n += THREADS) {
    const resident_node node = resident_node_of(r, ids, n);
    r->now[node.place] = f[node.number];
    r->before[node.place] = f_before[node.number];
    r->mass[node.place] = inverse_mass[node.number];
  }
}

BP_DEVICE share resident_share(const residents *r)
{
  const share s = {bp_thread(), THREADS, (long long)r->count * NODES_3D};
  return s;
}

/* v: nodes inside are stepped, the others leave. */
BP_DEVICE void resident_product(const residents *r, const int *ids, double *copies)
{
  const share s = resident_share(r);
  for (int n = bp_thread(); n < r->count * NODES_3D; n += THREADS) {
    const resident_node node = resident_node_of(r, ids, n);
    const int element = n / NODES_3D * NODES_3D;
    const double v = loop_product(s, r->flux, element, node.place - element);
    if (node.m >= 0)
      copies[(size_t)node.e * ELEMENT_SURFACE + node.m] = v;
    else
      r->before[node.place] =
          wave_step(r->now[node.place], r->before[node.place], r->mass[node.place], v);
  }
}

BP_DEVICE void resident_surface(const residents *r, const int *ids, const unsigned *starts,
                                const unsigned *copied, const double *copies, int inner)
{
  for (int n = bp_thread(); n < r->count * ELEMENT_SURFACE; n += THREADS) {
    const resident_node node =
        resident_node_of(r, ids, n / ELEMENT_SURFACE * NODES_3D + n % ELEMENT_SURFACE);
    double v = 0;
    for (unsigned c = starts[node.number - inner]; c < starts[node.number - inner + 1]; ++c)
      v += copies[copied[c]];
    r->before[node.place] =
        wave_step(r->now[node.place], r->before[node.place], r->mass[node.place], v);
  }
}

/* All nodes that are the same unknown as one of the source's element. */
BP_DEVICE void resident_sources(const residents *r, const int *ids, const int *point_elements,
                                const double *point_weights, const double *signals, int k)
{
  BP_NO_UNROLL
  for (int s = 0; s < SOURCES && point_elements[s] >= 0; ++s)
    for (int n = bp_thread(); n < r->count * NODES_3D; n += THREADS) {
      const resident_node node = resident_node_of(r, ids, n);
      BP_NO_UNROLL
      for (int m = 0; m < NODES_3D; ++m) {
        int place;
        if (wave_point_number(ids, point_elements[s], m, &place) == node.number)
          r->before[node.place] += r->mass[node.place] * point_weights[s * NODES_3D + place] *
                                   signals[(size_t)k * SOURCES + s];
      }
    }
}

BP_DEVICE void resident_receivers(const residents *r, const int *point_elements,
                                  const double *point_weights, double *traces, int k,
                                  double *buffer)
{
  BP_NO_UNROLL
  for (int p = 0; p < RECEIVERS && point_elements[SOURCES + p] >= 0; ++p) {
    const int b = point_elements[SOURCES + p] - r->first;
    double sum = 0;
    if (b < 0 || b >= r->count)
      continue;
    for (int n = bp_thread(); n < NODES_3D; n += THREADS)
      sum += point_weights[(SOURCES + p) * NODES_3D + n] * r->before[b * NODES_3D + n];
    sum = sums_block(sum, buffer);
    if (bp_thread() == 0)
      traces[(size_t)k * RECEIVERS + p] = sum;
  }
}

BP_DEVICE void resident_end(const residents *r, const int *ids, const int *first, double *x,
                            double *x_before)
{
  for (int n = bp_thread(); n < r->count * NODES_3D; n += THREADS) {
    const resident_node node = resident_node_of(r, ids, n);
    const int kind = (node.m >= EDGES_AT) + (node.m >= CORNERS_AT);
    if (node.m >= 0 && node.number < first[3 * node.e + kind])
      continue;
    x[node.number] = r->now[node.place];
    x_before[node.number] = r->before[node.place];
  }
}

BP_KERNEL_BOUNDED(run, THREADS, 1)
{
  BP_DYNAMIC_SHARED(double, shared);
  BP_SHARED(double, buffer, [32]);
  const int begin = (int)blockIdx.x * ELEMENTS_PER_BLOCK;
  residents r = {shared,           shared + NODES, shared + 2 * NODES, shared + 3 * NODES, begin,
                 min(ELEMENTS_PER_BLOCK, elements - begin)};
  const bool has_points = point_elements[0] >= 0 || point_elements[SOURCES] >= 0;
  const int all = steps[0];
  resident_begin(&r, ids, f, f_before, inverse_mass);
  BP_NO_UNROLL
  for (int k = 0; k < all; ++k) {
    double *const copies = scratch + (size_t)(k % 2) * elements * ELEMENT_SURFACE;
    BP_BARRIER();
    loop_flux(resident_share(&r), factors + (size_t)begin * BP_COMPONENTS * NODES_3D, r.now, r.flux);
    BP_BARRIER();
    resident_product(&r, ids, copies);
    BP_GRID_BARRIER(counts + COUNT_MET);
    resident_surface(&r, ids, (const unsigned *)starts, (const unsigned *)copied, copies, inner);
    if (has_points) {
      BP_BARRIER();
      resident_sources(&r, ids, point_elements, point_weights, signals, k);
      BP_BARRIER();
      resident_receivers(&r, point_elements, point_weights, traces, k, buffer);
    }
    double *const next = r.before;
    r.before = r.now;
    r.now = next;
  }
  BP_BARRIER();
  resident_end(&r, ids, first, x, x_before);
  for (long long n = unknowns + (int)blockIdx.x * THREADS + bp_thread(); n < stride;
       n += (long long)gridDim.x * THREADS)
    x[n] = x_before[n] = 0;
}
