/* nvml.c -- a management library that pretends, for the devices of cuda.c. FAKE_NVML_REASONS: why clocks are
 * low; without, it tells nothing. FAKE_NVML_ENERGY: how much of the power over time its counter of energy counts. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, SM = 1, MEMORY = 2, MILLIWATTS = 350500 };

typedef const struct device {
  const char *pci;
  unsigned celsius;
} device;

int nvmlInit_v2(void), nvmlDeviceGetHandleByPciBusId_v2(const char *, device **),
    nvmlDeviceGetClockInfo(device *, int, unsigned *),
    nvmlDeviceGetMaxClockInfo(device *, int, unsigned *),
    nvmlDeviceGetPowerUsage(device *, unsigned *),
    nvmlDeviceGetEnforcedPowerLimit(device *, unsigned *),
    nvmlDeviceGetTotalEnergyConsumption(device *, unsigned long long *),
    nvmlDeviceGetTemperature(device *, int, unsigned *),
    nvmlDeviceGetCurrentClocksThrottleReasons(device *, unsigned long long *);

static device devices[] = {{"0000:01:00.0", 61}, {"0000:02:00.0", 62}};

static int tell(unsigned *value, unsigned what)
{
  *value = what;
  return getenv("FAKE_NVML_REASONS") ? OK : NOT_SUPPORTED;
}

int nvmlInit_v2(void)
{
  return OK;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, device **d)
{
  for (size_t n = 0; n < sizeof devices / sizeof *devices; ++n)
    if (strcmp(devices[n].pci, pci) == 0) {
      *d = &devices[n];
      return OK;
    }
  return NOT_FOUND;
}

int nvmlDeviceGetClockInfo(device *d, int clock, unsigned *mhz)
{
  (void)d;
  return tell(mhz, clock == SM ? 1410 : clock == MEMORY ? 2600 : 0);
}

int nvmlDeviceGetMaxClockInfo(device *d, int clock, unsigned *mhz)
{
  (void)d;
  return tell(mhz, clock == SM ? 1980 : clock == MEMORY ? 2619 : 0);
}

int nvmlDeviceGetPowerUsage(device *d, unsigned *milliwatts)
{
  (void)d;
  return tell(milliwatts, MILLIWATTS);
}

int nvmlDeviceGetEnforcedPowerLimit(device *d, unsigned *milliwatts)
{
  (void)d;
  return tell(milliwatts, 700000);
}

int nvmlDeviceGetTotalEnergyConsumption(device *d, unsigned long long *millijoules)
{
  const char *part = getenv("FAKE_NVML_ENERGY");
  struct timespec now;
  unsigned ignored;
  (void)d;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules = (unsigned long long)(MILLIWATTS * (part ? atof(part) : 1) *
                                      ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec));
  return tell(&ignored, 0);
}

int nvmlDeviceGetTemperature(device *d, int sensor, unsigned *celsius)
{
  return tell(celsius, sensor == 0 ? d->celsius : 0);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(device *d, unsigned long long *reasons)
{
  const char *given = getenv("FAKE_NVML_REASONS");
  (void)d;
  *reasons = given ? strtoull(given, NULL, 0) : 0;
  return given ? OK : NOT_SUPPORTED;
}
