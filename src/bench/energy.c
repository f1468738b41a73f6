/* energy.c -- counters of energy beside a plan that runs alone. */
#include "bench/energy.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "comm/comm.h"
#include "device/cuda/cuda.h"
#include "device/cuda/nvml.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char powercap[] = "/sys/class/powercap";
static const bp_energy unknown = {NAN, NAN};

/* ---- processors ---- */

static bool read_line(const char *folder, int package, const char *name, char *line, int bytes)
{
  char *path = bp_format("%s/intel-rapl:%d/%s", folder, package, name);
  FILE *file = fopen(path, "re");
  const bool is_read = file && fgets(line, bytes, file);
  if (file)
    fclose(file);
  bp_free(path);
  return is_read;
}

static bool read_joules(const char *folder, int package, const char *name, double *joules)
{
  char line[64];
  unsigned long long microjoules;
  if (!read_line(folder, package, name, line, sizeof line) ||
      sscanf(line, "%llu", &microjoules) != 1)
    return false;
  *joules = 1e-6 * (double)microjoules;
  return true;
}

/* AMD's processors have the same files. A package counts what is inside it; "psys" is the machine. */
bp_rapl bp_rapl_read(const char *folder)
{
  bp_rapl r = {0};
  char name[64];
  for (int n = 0; n < BP_RAPL_MOST && read_line(folder, n, "name", name, sizeof name); ++n) {
    if (strncmp(name, "package", strlen("package")) != 0)
      continue;
    if (!read_joules(folder, n, "energy_uj", &r.joules[r.count]) ||
        !read_joules(folder, n, "max_energy_range_uj", &r.range[r.count]))
      return (bp_rapl){0};
    ++r.count;
  }
  return r;
}

double bp_rapl_since(const bp_rapl *before, const bp_rapl *now)
{
  double joules = 0;
  if (now->count == 0 || now->count != before->count)
    return NAN;
  for (int n = 0; n < now->count; ++n) {
    const double more = now->joules[n] - before->joules[n];
    joules += more < 0 ? more + now->range[n] : more;
  }
  return joules;
}

/* ---- a plan ---- */

/* So many applications a batch, again and again; returns how many, or 0 where one failed. */
static int64_t run_for(bp_plan *plan, int64_t batch, double seconds)
{
  int64_t count = 0;
  double one;
  for (double end = bp_clock() + seconds; bp_clock() < end; count += batch)
    if (bp_plan_time(plan, batch, false, &one))
      return 0;
  return count;
}

static bp_energy on_gpu(bp_plan *plan, int64_t batch, double seconds)
{
  static const double interval = 0.02, apart = 0.05;
  bp_nvml *nvml = bp_nvml_open(bp_cuda_device_info(plan->device)->pci);
  bp_nvml_watch *watch = bp_nvml_watch_start(nvml, interval);
  const int64_t count = watch ? run_for(plan, batch, seconds) : 0;
  const bp_nvml_summary s = bp_nvml_watch_stop(watch);
  bp_nvml_close(nvml);
  if (count == 0 || !(fabs(s.joules - s.watts * s.seconds) <= apart * s.joules))
    return unknown;
  return (bp_energy){s.joules / (double)count, s.joules / s.seconds};
}

static bp_energy on_cpu(bp_plan *plan, int64_t batch, double seconds)
{
  const bp_rapl before = bp_rapl_read(powercap);
  const double begin = bp_clock();
  const int64_t count = before.count ? run_for(plan, batch, seconds) : 0;
  const double spent = bp_clock() - begin;
  const bp_rapl now = bp_rapl_read(powercap);
  const double joules = bp_rapl_since(&before, &now);
  return count ? (bp_energy){joules / (double)count, joules / spent} : unknown;
}

bp_energy bp_energy_of(bp_plan *plan, double seconds)
{
  const double batch_seconds = 0.05, warmup = 1; /* a GPU's power is the mean of a second */
  const bp_device *device = plan->device;
  const bool is_gpu = device->backend == &bp_backend_cuda;
  double one = 0;
  if ((!is_gpu && (device->backend != &bp_backend_cpu || bp_rapl_read(powercap).count == 0)) ||
      (device->comm && device->comm->size > 1) || bp_plan_time(plan, 1, false, &one))
    return unknown;
  const int64_t batch = one > 0 && one < batch_seconds ? (int64_t)(batch_seconds / one) : 1;
  seconds = fmax(seconds, BP_ENERGY_SECONDS);
  if (run_for(plan, batch, warmup) == 0)
    return unknown;
  return is_gpu ? on_gpu(plan, batch, seconds) : on_cpu(plan, batch, seconds);
}
