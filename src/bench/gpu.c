/* gpu.c -- the facts about a GPU that explain its figures. */
#include "bench/gpu.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/cuda.h"
#include "device/machine.h"
#include <math.h>

static void add(bp_record *record, const char *key, char *value)
{
  bp_record_add_fact(record, key, value);
  bp_free(value);
}

static void add_clocks(bp_record *record, const bp_cuda_info *info)
{
  bp_nvml *nvml = bp_nvml_open(info->pci);
  bp_nvml_sample now = bp_nvml_read(nvml);
  double sm_mhz, memory_mhz, watts;
  bp_nvml_limits(nvml, &sm_mhz, &memory_mhz, &watts);
  if (!isnan(now.sm_mhz))
    add(record, "gpu SM MHz", bp_format("%.0f before, %.0f at most", now.sm_mhz, sm_mhz));
  if (!isnan(now.memory_mhz))
    add(record, "gpu memory MHz",
        bp_format("%.0f before, %.0f at most", now.memory_mhz, memory_mhz));
  if (!isnan(watts))
    add(record, "gpu power limit", bp_format("%.0f W", watts));
  if (!isnan(now.celsius))
    add(record, "gpu temperature", bp_format("%.0f C before", now.celsius));
  if (now.known)
    add(record, "gpu held back by", bp_nvml_throttle(now.throttle));
  bp_nvml_close(nvml);
}

void bp_gpu_add_facts(bp_record *record, bp_device *device)
{
  double launch;
  if (device->backend != &bp_backend_cuda)
    return;
  const bp_cuda_info *info = bp_cuda_device_info(device);
  add(record, "cuda", bp_cuda_versions());
  add(record, "gpu architecture", bp_format("sm_%d", info->sm));
  add(record, "gpu multiprocessors", bp_format("%d", info->multiprocessors));
  add_clocks(record, info);
  if (bp_launch_seconds(device, &launch) == BP_OK)
    add(record, "gpu launch", bp_format("%.2f us", 1e6 * launch));
}

struct bp_gpu_watch {
  bp_nvml *nvml;
  bp_nvml_watch *watch;
};

bp_gpu_watch *bp_gpu_watch_start(const bp_device *device)
{
  const double interval = 0.05; /* seconds: seldom enough not to disturb what is timed */
  if (device->backend != &bp_backend_cuda)
    return NULL;
  bp_nvml *nvml = bp_nvml_open(bp_cuda_device_info(device)->pci);
  if (!nvml)
    return NULL;
  bp_gpu_watch *w = bp_alloc(1, sizeof *w);
  *w = (bp_gpu_watch){nvml, bp_nvml_watch_start(nvml, interval)};
  return w;
}

bp_nvml_summary bp_gpu_watch_stop(bp_gpu_watch *watch)
{
  bp_nvml_summary summary = bp_nvml_watch_stop(watch ? watch->watch : NULL);
  if (watch)
    bp_nvml_close(watch->nvml);
  bp_free(watch);
  return summary;
}

void bp_gpu_note_power(bp_row *row, const bp_nvml_summary *summary)
{
  row->power.watts = summary->watts;
  row->power.celsius = summary->celsius;
  row->power.sm_mhz_before = summary->before.sm_mhz;
  row->power.sm_mhz_during = summary->sm_mhz;
  row->power.sm_mhz_after = summary->after.sm_mhz;
  if (summary->known) {
    bp_free(row->power.throttle);
    row->power.throttle = bp_nvml_throttle(summary->throttle & ~(uint64_t)BP_NVML_HARMLESS);
  }
}
