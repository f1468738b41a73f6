/* environment.c -- reading /proc, the compiler's macros and the build's. */
#include "bench/environment.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "build.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file, or "" where there is none. */
static void read_line(const char *path, char line[256])
{
  bp_file_peek(path, line, 256);
  line[strcspn(line, "\n")] = '\0';
}

/* What follows "key :" in a file of such lines. */
static void read_field(const char *path, const char *key, char value[256])
{
  char text[2048];
  bp_file_peek(path, text, sizeof text);
  const char *line = strstr(text, key), *colon = line ? strchr(line, ':') : NULL;
  snprintf(value, 256, "%s", colon ? colon + 1 + strspn(colon + 1, " \t") : "");
  value[strcspn(value, "\n")] = '\0';
}

static void add_if_known(bp_record *record, const char *key, const char *value)
{
  if (*value)
    bp_record_add_fact(record, key, value);
}

static void add_formatted(bp_record *record, const char *key, char *value)
{
  bp_record_add_fact(record, key, value);
  bp_free(value);
}

static void add_processor(bp_record *record)
{
  char value[256], bytes[32];
  read_field("/proc/cpuinfo", "model name", value);
  add_if_known(record, "cpu", value);
  add_formatted(record, "cpu threads", bp_format("%ld", sysconf(_SC_NPROCESSORS_ONLN)));
  read_field("/proc/cpuinfo", "cpu MHz", value);
  add_if_known(record, "cpu MHz", value);
  read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", value);
  add_if_known(record, "cpu governor", value);
  bp_print_bytes(bytes, (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE));
  bp_record_add_fact(record, "memory", bytes);
  read_line("/proc/loadavg", value);
  value[strcspn(value, " ")] = '\0';
  add_if_known(record, "load average before", value);
  read_line("/sys/kernel/mm/transparent_hugepage/enabled", value);
  add_if_known(record, "huge pages", value);
}

static void add_threads(bp_record *record)
{
  static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                      "OMP_WAIT_POLICY"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
    const char *value = getenv(names[n]);
    if (value)
      bp_record_add_fact(record, names[n], value);
  }
  add_formatted(record, "OpenMP threads", bp_format("%d", omp_get_max_threads()));
}

void bp_environment_add(bp_record *record, const bp_device *device)
{
  struct utsname os;
  bp_record_add_fact(record, "bp", BP_VERSION);
  bp_record_add_fact(record, "git", BP_GIT);
  bp_record_add_fact(record, "compiler", "gcc " __VERSION__);
  bp_record_add_fact(record, "flags", BP_FLAGS);
  if (uname(&os) == 0)
    add_formatted(record, "system", bp_format("%s %s %s", os.sysname, os.release, os.machine));
  add_processor(record);
  add_threads(record);
  if (device) {
    bp_record_add_fact(record, "backend", device->backend->name);
    bp_record_add_fact(record, "device", device->name);
  }
}

const char *bp_environment_git(void)
{
  return BP_GIT;
}
