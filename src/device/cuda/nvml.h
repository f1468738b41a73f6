/* nvml.h -- clocks, power, temperature and throttling of an NVIDIA GPU, from the driver's management
 * library, opened at run time. Nothing fails where it is missing: figures are NaN. */
#ifndef BP_DEVICE_NVML_H
#define BP_DEVICE_NVML_H

#include <stdint.h>

typedef struct bp_nvml bp_nvml;

typedef struct {
  double sm_mhz, memory_mhz;
  double watts;
  double joules; /* since some start: take differences */
  double celsius;
  uint64_t
      throttle; /* why clocks are lower than they could be, see bp_nvml_throttle; 0 when unknown */
  int known;    /* whether `throttle` is known */
} bp_nvml_sample;

/* Of the GPU at this PCI address (bp_cuda_info.pci); NULL where there is no library or no such GPU. */
bp_nvml *bp_nvml_open(const char *pci);
void bp_nvml_close(bp_nvml *nvml);

/* Some 10 microseconds to 1 millisecond; not between two timed launches. NULL gives NaNs. */
bp_nvml_sample bp_nvml_read(bp_nvml *nvml);

/* The highest clocks that the GPU may take by itself; NaN when unknown. */
void bp_nvml_limits(bp_nvml *nvml, double *sm_mhz, double *memory_mhz, double *watts);

/* "power cap, thermal": the reasons that say something was held back; "" for none. Idle clocks and
 * clocks that a user has set count as reasons, too ("idle", "set by user"). Free with bp_free. */
char *bp_nvml_throttle(uint64_t reasons);

/* Those that hold nothing back which a run would have had: idle, clocks set by the user or a display. */
enum { BP_NVML_HARMLESS = 0x1 | 0x2 | 0x100 };

/* ---- sampling while something runs ---- */

/* A thread that reads every `interval` seconds until it is stopped. */
typedef struct bp_nvml_watch bp_nvml_watch;

typedef struct {
  bp_nvml_sample before, after;
  double sm_mhz; /* between: the mean, NaN without a sample */
  double watts, celsius;
  double joules; /* from start to stop */
  double seconds;
  uint64_t throttle; /* all reasons met */
  int known;
} bp_nvml_summary;

/* NULL for nvml NULL. */
bp_nvml_watch *bp_nvml_watch_start(bp_nvml *nvml, double interval);
/* Frees the watch; NULL gives NaNs. */
bp_nvml_summary bp_nvml_watch_stop(bp_nvml_watch *watch);

#endif
