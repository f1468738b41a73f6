/* communicate.c -- steps in which ranks take part. Where the host does not map the device's
 * memory, it copies. */
#include "base/memory.h"
#include "device/device.h"
#include "fem/sharing.h"
#include "kernels/abi/ranks.h"
#include <string.h>

/* An array of a device, here. */
typedef struct {
  bp_device *device;
  bp_address address;
  int64_t bytes;
  double *values;
  bool is_copy;
} mapped;

static bp_status open_array(bp_device *device, bp_address address, int64_t count, bool is_read,
                            mapped *m)
{
  *m = (mapped){.device = device, .address = address, .bytes = count * (int64_t)sizeof(double)};
  if (m->bytes == 0)
    return BP_OK;
  if (device->backend->map) {
    m->values = device->backend->map(device, address);
    return BP_OK;
  }
  m->is_copy = true;
  m->values = bp_alloc_array((size_t)count, sizeof *m->values);
  return is_read ? device->backend->read(device, m->values, address, m->bytes) : BP_OK;
}

static bp_status close_array(mapped *m, bool is_written, bp_status status)
{
  if (m->is_copy && is_written && !status)
    status = m->device->backend->write(m->device, m->address, m->values, m->bytes);
  if (m->is_copy)
    bp_free(m->values);
  return status;
}

/* Copies in the order of messages, from where a kernel left them among all, as doubles. */
static double *pack(const bp_sharing *s, const bp_step *step, const void *copies)
{
  const int64_t count = s->sent_first[s->neighbours], field = step->bytes / step->come;
  const bool is_single = step->come == sizeof(float);
  double *sent = bp_alloc_array((size_t)(count * step->fields), sizeof *sent);
  for (int64_t n = 0; n < count; ++n)
    for (int f = 0; f < step->fields; ++f) {
      const int64_t at = f * field + s->sent[n];
      sent[n * step->fields + f] =
          is_single ? ((const float *)copies)[at] : ((const double *)copies)[at];
    }
  return sent;
}

static bp_status exchange(bp_device *device, const bp_step *step)
{
  const bp_sharing *s = (const bp_sharing *)(uintptr_t)step->sharing;
  const bool is_packed = step->bytes == 0;
  const int64_t sent_count = s->sent_first[s->neighbours];
  mapped from, to;
  if (device->way == BP_WAY_MPI)
    return bp_sharing_exchange(s, step->fields, (const double *)(uintptr_t)step->from,
                               (double *)(uintptr_t)step->to);
  bp_status status = open_array(device, step->from,
                                is_packed ? sent_count * step->fields
                                          : step->bytes / (int64_t)sizeof(double) * step->fields,
                                true, &from);
  bp_status other = open_array(device, step->to, s->received * step->fields, false, &to);
  double *packed = is_packed || status ? NULL : pack(s, step, from.values);
  status = status ? status : other;
  if (!status)
    status = bp_sharing_exchange(s, step->fields, is_packed ? from.values : packed, to.values);
  bp_free(packed);
  close_array(&from, false, status);
  return close_array(&to, true, status);
}

/* Sums of parts are exact (kernels/lib/solve/exact.h): their order is no matter. Behind them ranks count who
 * is to end. */
static bp_status sum(bp_device *device, const bp_step *step)
{
  bp_comm *comm = device->comm;
  double total[BP_COMM_VALUES_MAX] = {0};
  const int64_t each = step->bytes / (int64_t)sizeof *total, count = each * step->parts;
  mapped parts;
  bp_status status = open_array(device, step->to, count, true, &parts);
  for (int64_t n = 0; n < count && !status; ++n)
    total[n % each] += parts.values[n];
  total[each] = comm->signal ? *comm->signal : 0;
  if (!status)
    status = bp_comm_sum(comm, total, (int)each + 1);
  if (!status) {
    memset(parts.values, 0, (size_t)count * sizeof *parts.values);
    memcpy(parts.values, total, (size_t)step->bytes);
  }
  status = close_array(&parts, true, status);
  if (status || total[each] == 0 || comm->size == 1)
    return status;
  comm->interrupted = (int)total[each];
  return bp_fail(BP_INTERRUPTED, "interrupted");
}

bp_status bp_step_communicate(bp_device *device, const bp_step *step)
{
  if (step->kind == BP_STEP_CALL)
    return ((bp_step_call *)(uintptr_t)step->function)(device, step);
  return step->kind == BP_STEP_EXCHANGE ? exchange(device, step) : sum(device, step);
}
