/* array.c -- arrays on any device, by its calls. */
#include "device/array.h"

#include "base/memory.h"
#include "base/text.h"
#include <string.h>

enum { WORD = 4, PIECE_BYTES = 1 << 24 };

/* Two of them are a signalling NaN that nothing computes. */
static const uint32_t guard_word = 0x7ff4dead, poison_word = 0xffffffff;

static int64_t size_of(const bp_array *a)
{
  return a->count * a->bytes;
}

/* Zones begin on whole words. */
static bp_address end_of(const bp_array *a)
{
  return a->data + (bp_address)((size_of(a) + WORD - 1) / WORD * WORD);
}

static bp_status fill_guards(bp_device *device, const bp_array *a)
{
  const bp_backend *b = device->backend;
  bp_status status = BP_OK;
  if (a->guard)
    status = b->fill(device, a->zone, guard_word, a->guard / WORD);
  return status ? status
                : b->fill(device, end_of(a), guard_word, (a->guard + BP_BEYOND_BYTES) / WORD);
}

static bp_status no_room(bp_device *device, const char *name, int64_t bytes)
{
  char needed[32], there[32];
  device->is_full = true;
  return bp_fail(BP_ENVIRONMENT, "%s: out of device memory: %s needs %s, %s are free",
                 device->backend->name, name, bp_print_bytes(needed, (double)bytes),
                 bp_print_bytes(there, (double)device->backend->memory_free(device)));
}

bp_status bp_array_create(bp_device *device, const char *name, int64_t count, int64_t bytes,
                          bool guarded, bp_array *array)
{
  bool is_guarded_here = guarded && !device->backend->is_emulation;
  int64_t guard = device->is_fenced ? BP_FENCED_GUARD_BYTES : BP_GUARD_BYTES;
  bp_array a = {.name = name, .count = count, .bytes = bytes, .guard = is_guarded_here ? guard : 0};
  int64_t beside = 2 * a.guard + BP_BEYOND_BYTES;
  int64_t all =
      device->backend->is_emulation ? count * bytes : (count * bytes + 7) / 8 * 8 + beside;
  *array = (bp_array){0};
  bp_status status = device->backend->alloc(device, all, &a.zone);
  if (status || !a.zone)
    return status ? status : no_room(device, name, all);
  a.data = a.zone + (bp_address)a.guard;
  *array = a;
  return device->backend->is_emulation ? BP_OK : fill_guards(device, &a);
}

void bp_array_destroy(bp_device *device, bp_array *array)
{
  if (array->zone)
    device->backend->release(device, array->zone);
  *array = (bp_array){0};
}

/* ---- floats, which the host has as doubles: piece by piece ---- */

typedef struct {
  int64_t first, count; /* items */
  float *items;
} piece;

static bool next_piece(const bp_array *a, piece *p)
{
  const int64_t most = PIECE_BYTES / (int64_t)sizeof *p->items;
  p->first += p->count;
  p->count = a->count - p->first < most ? a->count - p->first : most;
  return p->count > 0;
}

static bp_address address_of(const bp_array *a, const piece *p)
{
  return a->data + (bp_address)(p->first * a->bytes);
}

static piece piece_of(const bp_array *a)
{
  const int64_t size = size_of(a) < PIECE_BYTES ? size_of(a) : PIECE_BYTES;
  return (piece){.items = bp_alloc_array((size_t)size + 1, 1)};
}

static bp_status write_narrow(bp_device *device, const bp_array *a, const double *values)
{
  piece p = piece_of(a);
  bp_status status = BP_OK;
  while (!status && next_piece(a, &p)) {
    for (int64_t n = 0; n < p.count; ++n)
      p.items[n] = (float)values[p.first + n];
    status = device->backend->write(device, address_of(a, &p), p.items, p.count * a->bytes);
  }
  bp_free(p.items);
  return status;
}

static bp_status read_narrow(bp_device *device, const bp_array *a, double *values)
{
  piece p = piece_of(a);
  bp_status status = BP_OK;
  while (!status && next_piece(a, &p)) {
    status = device->backend->read(device, p.items, address_of(a, &p), p.count * a->bytes);
    for (int64_t n = 0; n < p.count && !status; ++n)
      values[p.first + n] = p.items[n];
  }
  bp_free(p.items);
  return status;
}

bp_status bp_array_write(bp_device *device, const bp_array *array, const void *values)
{
  if (array->is_narrow)
    return write_narrow(device, array, values);
  return device->backend->write(device, array->data, values, size_of(array));
}

bp_status bp_array_read(bp_device *device, const bp_array *array, void *values)
{
  if (array->is_narrow)
    return read_narrow(device, array, values);
  return device->backend->read(device, values, array->data, size_of(array));
}

static bp_status fill(bp_device *device, const bp_array *array, uint32_t word)
{
  int64_t words = size_of(array) / WORD;
  return words ? device->backend->fill(device, array->data, word, words) : BP_OK;
}

bp_status bp_array_poison(bp_device *device, const bp_array *array)
{
  return fill(device, array, poison_word);
}

bp_status bp_array_clear(bp_device *device, const bp_array *array)
{
  return fill(device, array, 0);
}

/* Index of the item that the n-th word of a zone stands beside. */
static int64_t index_beside(const bp_array *a, bool is_after, int64_t word)
{
  int64_t at = is_after ? (int64_t)(end_of(a) - a->data) + word * WORD : word * WORD - a->guard;
  return at >= 0 ? at / a->bytes : -((a->bytes - 1 - at) / a->bytes);
}

bp_status bp_array_check(bp_device *device, const bp_array *array)
{
  uint32_t zone[BP_GUARD_BYTES / WORD];
  for (int side = 0; side < 2 && array->guard; ++side) {
    bp_status status =
        device->backend->read(device, zone, side ? end_of(array) : array->zone, array->guard);
    if (status)
      return status;
    for (int64_t n = 0; n < array->guard / WORD; ++n)
      if (zone[n] != guard_word) {
        fill_guards(device, array); /* the next variant is not to blame */
        return bp_fail(BP_WRONG, "wrote outside %s, at index %lld of %lld", array->name,
                       (long long)index_beside(array, side, n), (long long)array->count);
      }
  }
  return BP_OK;
}

static bp_status wrote_to(const bp_array *array, int64_t index)
{
  return bp_fail(BP_WRONG, "wrote to %s, at index %lld of %lld", array->name, (long long)index,
                 (long long)array->count);
}

static bp_status compare_narrow(bp_device *device, const bp_array *a, const double *values)
{
  piece p = piece_of(a);
  bp_status status = BP_OK;
  while (!status && next_piece(a, &p)) {
    status = device->backend->read(device, p.items, address_of(a, &p), p.count * a->bytes);
    for (int64_t n = 0; n < p.count && !status; ++n) {
      const float expected = (float)values[p.first + n];
      uint32_t bits[2];
      memcpy(&bits[0], &expected, sizeof *bits);
      memcpy(&bits[1], &p.items[n], sizeof *bits);
      if (bits[0] != bits[1])
        status = wrote_to(a, p.first + n);
    }
  }
  if (status == BP_WRONG)
    write_narrow(device, a, values);
  bp_free(p.items);
  return status;
}

bp_status bp_array_compare(bp_device *device, const bp_array *array, const void *values)
{
  if (array->is_narrow)
    return compare_narrow(device, array, values);
  const char *expected = values;
  int64_t size = size_of(array);
  char *found = bp_alloc_array((size_t)(size < PIECE_BYTES ? size : PIECE_BYTES) + 1, 1);
  bp_status status = BP_OK;
  for (int64_t at = 0; at < size && !status; at += PIECE_BYTES) {
    int64_t here = size - at < PIECE_BYTES ? size - at : PIECE_BYTES, n = 0;
    status = device->backend->read(device, found, array->data + (bp_address)at, here);
    if (status || memcmp(found, expected + at, (size_t)here) == 0)
      continue;
    while (found[n] == expected[at + n])
      ++n;
    status = wrote_to(array, (at + n) / array->bytes);
  }
  if (status == BP_WRONG)
    device->backend->write(device, array->data, values, size);
  bp_free(found);
  return status;
}
