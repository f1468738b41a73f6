/* open.c -- opening the device that a config asks for. */
#include "bench/open.h"

#include <string.h>

bp_device_options bp_bench_device_options(const bp_config *config)
{
  bool launches = bp_config_where(config, "launch") && strcmp(config->launch, "graph") != 0;
  bp_device_options options = {
      .launches = launches,
      .waits = strcmp(config->launch, "synchronous") == 0,
      .device = (int)config->device,
      .threads = (int)config->threads,
      .isa_is_forced = strcmp(config->isa, "auto") != 0,
      .graph = strcmp(config->launch, "graph") == 0,
      .sanitize = config->sanitize,
      .seed = (uint64_t)config->seed,
  };
  for (int isa = 0; isa < BP_ISA_COUNT; ++isa)
    if (strcmp(config->isa, bp_isa_names[isa]) == 0)
      options.isa = (bp_isa)isa;
  return options;
}

/* Warns of GPU-only keys that are set on another backend. */
static void warn(const bp_config *config, const char *backend, const bp_events *events)
{
  const char *key = config->device != 0                     ? "device"
                    : strcmp(config->launch, "stream") != 0 ? "launch"
                                                            : NULL;
  const char *place = key ? bp_config_where(config, key) : NULL;
  if (key && strcmp(backend, "cuda") != 0)
    bp_events_message(events, "%s: '%s' is without effect on backend %s", place ? place : key, key,
                      backend);
}

bp_status bp_bench_open(const bp_config *config, int local_rank, bool in_process,
                        const bp_events *events, bp_device **device)
{
  bp_device_options options = bp_bench_device_options(config);
  options.local_rank = local_rank;
  options.in_process = in_process;
  if (strcmp(config->backend, "auto") != 0) {
    warn(config, config->backend, events);
    return bp_device_create(bp_backend_find(config->backend), &options, device);
  }
  if (bp_device_create(&bp_backend_cuda, &options, device) == BP_OK)
    return BP_OK;
  bp_events_message(events, "bp: running on the CPU (%s)", bp_message());
  warn(config, "cpu", events);
  return bp_device_create(&bp_backend_cpu, &options, device);
}

void bp_bench_sweeps(const bp_config *config, bp_sweep *sweeps)
{
  for (int n = 0; n < config->options.count; ++n)
    sweeps[n] = (bp_sweep){config->options.items[n].name, config->options.items[n].values.items,
                           config->options.items[n].values.count};
}
