/* collect.c -- every rank sends its elements' values, rank 0 puts them where they belong. */
#include "solve/collect.h"

#include "base/memory.h"

typedef struct {
  int64_t elements;
  int inner, surface;
} shape;

static shape shape_of(const bp_unknowns *u, int64_t elements)
{
  int nq = u->degree + 1, nodes = nq * nq * nq;
  return (shape){elements, nodes - u->surface_nodes, u->surface_nodes};
}

static int32_t number_of(int32_t id)
{
  return id < 0 ? ~id : id;
}

/* values[e][inside, then on the surface] */
static void list_values(const bp_unknowns *u, shape s, const double *vector, double *values)
{
  for (int64_t e = 0; e < s.elements; ++e) {
    for (int n = 0; n < s.inner; ++n)
      *values++ = vector[e * s.inner + n];
    for (int m = 0; m < s.surface; ++m)
      *values++ = vector[number_of(u->ids[e * s.surface + m])];
  }
}

static void place_values(const bp_unknowns *whole, shape s, const int64_t *element,
                         const double *values, double *all)
{
  for (int64_t n = 0; n < s.elements; ++n) {
    for (int i = 0; i < s.inner; ++i)
      all[element[n] * s.inner + i] = *values++;
    for (int m = 0; m < s.surface; ++m)
      all[number_of(whole->ids[element[n] * s.surface + m])] = *values++;
  }
}

/* What rank r has, to its place. */
static bp_status take(const bp_system *system, const bp_unknowns *whole, int r, int64_t elements,
                      double *all)
{
  const int components = system->row->components;
  shape s = shape_of(whole, elements);
  int64_t count = elements * (s.inner + s.surface);
  int64_t *element = bp_alloc_array((size_t)elements, sizeof *element);
  double *values = bp_alloc_array((size_t)count, sizeof *values);
  const bp_part which = {r, element, elements * 8}, part = {r, values, count * 8};
  bp_status status = bp_comm_exchange(system->comm, NULL, 0, &which, 1);
  for (int c = 0; c < components && !status; ++c) {
    status = bp_comm_exchange(system->comm, NULL, 0, &part, 1);
    if (!status)
      place_values(whole, s, element, values, all + c * whole->count);
  }
  bp_free(element);
  bp_free(values);
  return status;
}

static bp_status give(const bp_system *system, const double *vector)
{
  const bp_unknowns *u = system->unknowns;
  shape s = shape_of(u, u->elements);
  int64_t count = s.elements * (s.inner + s.surface);
  double *values = bp_alloc_array((size_t)count, sizeof *values);
  const bp_part which = {0, system->piece->element, s.elements * 8}, part = {0, values, count * 8};
  bp_status status = bp_comm_exchange(system->comm, &which, 1, NULL, 0);
  for (int c = 0; c < system->row->components && !status; ++c) {
    list_values(u, s, vector + c * u->count, values);
    status = bp_comm_exchange(system->comm, &part, 1, NULL, 0);
  }
  bp_free(values);
  return status;
}

static void keep_own(const bp_system *system, const bp_unknowns *whole, const double *vector,
                     double *all)
{
  const bp_unknowns *u = system->unknowns;
  shape s = shape_of(u, u->elements);
  double *values = bp_alloc_array((size_t)(s.elements * (s.inner + s.surface)), sizeof *values);
  for (int c = 0; c < system->row->components; ++c) {
    list_values(u, s, vector + c * u->count, values);
    place_values(whole, s, system->piece->element, values, all + c * whole->count);
  }
  bp_free(values);
}

bp_status bp_system_collect(const bp_system *system, const bp_unknowns *whole, const double *vector,
                            double *all)
{
  double counts[BP_RANKS_MAX], mine = (double)system->unknowns->elements;
  bp_status status = bp_comm_all(system->comm, &mine, 1, counts);
  if (status)
    return status;
  if (system->comm->rank > 0)
    return give(system, vector);
  keep_own(system, whole, vector, all);
  for (int r = 1; r < system->comm->size && !status; ++r)
    status = take(system, whole, r, (int64_t)counts[r], all);
  return status;
}
