/* nvml.c -- libnvidia-ml by dlopen. */
#include "device/cuda/nvml.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/shared_library.h"
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* The values are the library's. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, TEMPERATURE_GPU = 0 };

typedef struct nvml_device *device;

static struct {
  bool is_open;
  int (*Init)(void);
  int (*DeviceGetHandleByPciBusId)(const char *, device *);
  int (*DeviceGetClockInfo)(device, int, unsigned *);
  int (*DeviceGetMaxClockInfo)(device, int, unsigned *);
  int (*DeviceGetPowerUsage)(device, unsigned *);
  int (*DeviceGetEnforcedPowerLimit)(device, unsigned *);
  int (*DeviceGetTotalEnergyConsumption)(device, unsigned long long *);
  int (*DeviceGetTemperature)(device, int, unsigned *);
  int (*DeviceGetCurrentClocksThrottleReasons)(device, unsigned long long *);
} library;

struct bp_nvml {
  device handle;
};

static bool open_library(void)
{
  static const char *const names[] = {"libnvidia-ml.so.1", "libnvidia-ml.so"};
  static const char *const folders[] = {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
#define SYMBOL(name)                                                                               \
  {                                                                                                \
    "nvml" #name, &library.name                                                                    \
  }
  const bp_symbol symbols[] = {
      {"nvmlInit_v2", &library.Init},
      {"nvmlDeviceGetHandleByPciBusId_v2", &library.DeviceGetHandleByPciBusId},
      SYMBOL(DeviceGetClockInfo),
      SYMBOL(DeviceGetMaxClockInfo),
      SYMBOL(DeviceGetPowerUsage),
      SYMBOL(DeviceGetEnforcedPowerLimit),
      SYMBOL(DeviceGetTotalEnergyConsumption),
      SYMBOL(DeviceGetTemperature),
      SYMBOL(DeviceGetCurrentClocksThrottleReasons),
  };
#undef SYMBOL
  if (library.is_open)
    return true;
  void *handle = bp_library_find(names, 2, folders, 2);
  if (!handle || bp_library_resolve(handle, symbols, sizeof symbols / sizeof *symbols) ||
      library.Init() != 0)
    return false;
  library.is_open = true;
  return true;
}

bp_nvml *bp_nvml_open(const char *pci)
{
  device handle;
  if (!open_library() || library.DeviceGetHandleByPciBusId(pci, &handle) != 0)
    return NULL;
  bp_nvml *nvml = bp_alloc(1, sizeof *nvml);
  nvml->handle = handle;
  return nvml;
}

void bp_nvml_close(bp_nvml *nvml)
{
  bp_free(nvml);
}

static double clock_of(const bp_nvml *nvml, int (*read)(device, int, unsigned *), int clock)
{
  unsigned value;
  return read(nvml->handle, clock, &value) == 0 ? (double)value : NAN;
}

bp_nvml_sample bp_nvml_read(bp_nvml *nvml)
{
  bp_nvml_sample s = {NAN, NAN, NAN, NAN, NAN, 0, 0};
  unsigned value;
  unsigned long long large;
  if (!nvml)
    return s;
  s.sm_mhz = clock_of(nvml, library.DeviceGetClockInfo, CLOCK_SM);
  s.memory_mhz = clock_of(nvml, library.DeviceGetClockInfo, CLOCK_MEMORY);
  if (library.DeviceGetPowerUsage(nvml->handle, &value) == 0)
    s.watts = 1e-3 * (double)value;
  if (library.DeviceGetTemperature(nvml->handle, TEMPERATURE_GPU, &value) == 0)
    s.celsius = (double)value;
  if (library.DeviceGetTotalEnergyConsumption(nvml->handle, &large) == 0)
    s.joules = 1e-3 * (double)large;
  if (library.DeviceGetCurrentClocksThrottleReasons(nvml->handle, &large) == 0) {
    s.throttle = large;
    s.known = 1;
  }
  return s;
}

void bp_nvml_limits(bp_nvml *nvml, double *sm_mhz, double *memory_mhz, double *watts)
{
  unsigned value;
  *sm_mhz = *memory_mhz = *watts = NAN;
  if (!nvml)
    return;
  *sm_mhz = clock_of(nvml, library.DeviceGetMaxClockInfo, CLOCK_SM);
  *memory_mhz = clock_of(nvml, library.DeviceGetMaxClockInfo, CLOCK_MEMORY);
  if (library.DeviceGetEnforcedPowerLimit(nvml->handle, &value) == 0)
    *watts = 1e-3 * (double)value;
}

char *bp_nvml_throttle(uint64_t reasons)
{
  static const char *const names[] = {
      "idle",          "set by user",    "power cap",   "hardware slowdown", "sync boost",
      "thermal limit", "thermal (hard)", "power brake", "display clocks",
  };
  bp_text text = {0};
  bp_text_append(&text, "");
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (reasons >> n & 1)
      bp_text_appendf(&text, "%s%s", text.length ? ", " : "", names[n]);
  return text.data;
}

/* ---- sampling while something runs ---- */

struct bp_nvml_watch {
  bp_nvml *nvml;
  double interval;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool stop;
  bp_nvml_summary summary;
  double start, mhz_sum, watts_sum, celsius_most;
  int mhz_count, watts_count;
};

static void add_sample(bp_nvml_watch *w, const bp_nvml_sample *s)
{
  if (!isnan(s->sm_mhz)) {
    w->mhz_sum += s->sm_mhz;
    ++w->mhz_count;
  }
  if (!isnan(s->watts)) {
    w->watts_sum += s->watts;
    ++w->watts_count;
  }
  w->celsius_most = fmax(w->celsius_most, s->celsius);
  w->summary.throttle |= s->throttle;
  w->summary.known |= s->known;
}

/* True when it is time for a sample, false when all is over. */
static bool wait_interval(bp_nvml_watch *w)
{
  double until = bp_clock() + w->interval;
  struct timespec t = {(time_t)until, (long)(1e9 * (until - floor(until)))};
  pthread_mutex_lock(&w->lock);
  while (!w->stop && bp_clock() < until)
    pthread_cond_timedwait(&w->changed, &w->lock, &t);
  bool go_on = !w->stop;
  pthread_mutex_unlock(&w->lock);
  return go_on;
}

static void *watch(void *argument)
{
  bp_nvml_watch *w = argument;
  while (wait_interval(w)) {
    bp_nvml_sample s = bp_nvml_read(w->nvml);
    add_sample(w, &s);
  }
  return NULL;
}

/* One that counts time as bp_clock does. */
static void init_condition(pthread_cond_t *condition)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

bp_nvml_watch *bp_nvml_watch_start(bp_nvml *nvml, double interval)
{
  if (!nvml)
    return NULL;
  bp_nvml_watch *w = bp_alloc(1, sizeof *w);
  w->nvml = nvml;
  w->interval = interval;
  w->celsius_most = NAN;
  w->start = bp_clock();
  w->summary.before = bp_nvml_read(nvml);
  pthread_mutex_init(&w->lock, NULL);
  init_condition(&w->changed);
  if (pthread_create(&w->thread, NULL, watch, w)) {
    bp_free(w);
    return NULL;
  }
  return w;
}

bp_nvml_summary bp_nvml_watch_stop(bp_nvml_watch *watch)
{
  bp_nvml_watch *w = watch;
  if (!w)
    return (bp_nvml_summary){bp_nvml_read(NULL), bp_nvml_read(NULL), NAN, NAN, NAN, NAN, NAN, 0, 0};
  pthread_mutex_lock(&w->lock);
  w->stop = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  bp_nvml_summary s = w->summary;
  s.after = bp_nvml_read(w->nvml);
  s.seconds = bp_clock() - w->start;
  s.joules = s.after.joules - s.before.joules;
  s.sm_mhz = w->mhz_count ? w->mhz_sum / w->mhz_count : NAN;
  s.watts = w->watts_count ? w->watts_sum / w->watts_count : NAN;
  s.celsius = isnan(w->celsius_most) ? s.after.celsius : w->celsius_most;
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  bp_free(w);
  return s;
}
