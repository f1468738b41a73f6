/* device.c -- opening the device that a config asks for. */
#include "device.h"

#include <stdio.h>
#include <string.h>

bp_device_options bp_command_device_options(const bp_config *config)
{
  bp_device_options options = {
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

bp_status bp_command_open(const bp_config *config, bp_device **device)
{
  bp_device_options options = bp_command_device_options(config);
  if (strcmp(config->backend, "auto") != 0)
    return bp_device_create(bp_backend_find(config->backend), &options, device);
  const bp_backend *cuda = bp_backend_find("cuda");
  if (cuda && bp_device_create(cuda, &options, device) == BP_OK)
    return BP_OK;
  if (cuda)
    fprintf(stderr, "bp: running on the CPU (%s)\n", bp_message());
  return bp_device_create(&bp_backend_cpu, &options, device);
}

void bp_command_sweeps(const bp_config *config, bp_sweep *sweeps)
{
  for (int n = 0; n < config->options.count; ++n)
    sweeps[n] = (bp_sweep){config->options.items[n].name, config->options.items[n].values.items,
                           config->options.items[n].values.count};
}
