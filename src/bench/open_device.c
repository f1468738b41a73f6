/* open_device.c -- opening the device that a config asks for. */
#include "bench/open_device.h"

#include "work/work.h"

#include <stdio.h>
#include <string.h>

int bp_bench_arch(const bp_config *config)
{
  int sm = 0;
  return sscanf(config->arch, "sm_%d", &sm) == 1 ? sm : 0;
}

bp_device_options bp_bench_device_options(const bp_config *config)
{
  bool launches = bp_config_where(config, "launch") && strcmp(config->launch, "graph") != 0;
  bp_device_options options = {
      .launches = launches,
      .waits = strcmp(config->launch, "synchronous") == 0,
      .device = (int)config->device,
      .arch = bp_bench_arch(config),
      .threads = (int)config->threads,
      .isa_is_forced = strcmp(config->isa, "auto") != 0,
      .graph = strcmp(config->launch, "graph") == 0,
      .seed = (uint64_t)config->seed,
  };
  for (int isa = 0; isa < BP_ISA_COUNT; ++isa)
    if (strcmp(config->isa, bp_isa_names[isa]) == 0)
      options.isa = (bp_isa)isa;
  return options;
}

/* Where `species` was set to something: the config of a record has the default, too. */
static const char *place_of_species(const bp_config *config)
{
  bp_config *fresh = bp_config_default();
  const bp_config_numbers *is = &config->species, *was = &fresh->species;
  bool same = is->count == was->count &&
              memcmp(is->items, was->items, (size_t)is->count * sizeof *is->items) == 0;
  bp_config_destroy(fresh);
  return same ? NULL : bp_config_where(config, "species");
}

/* Warns of a key that is set and that no problem of the config has. */
static void warn_of_problems(const bp_config *config, const bp_events *events)
{
  bool has_mass = false, has_species = false;
  for (int n = 0; n < config->problems.count; ++n) {
    const char *problem = config->problems.items[n];
    const bp_case one = bp_case_of(config, problem, 1, 0);
    const bp_operator *op = bp_operator_find(one.solve ? one.solve->operator : problem);
    has_mass = has_mass || (op->components == 7 && one.kind->has_mass);
    has_species = has_species || one.kind->by_species;
  }
  const char *key = has_mass ? NULL : "lambda", *place = key ? bp_config_where(config, key) : NULL;
  if (!place && !has_species)
    place = place_of_species(config), key = "species";
  if (place && config->problems.count)
    bp_events_message(events, "%s: '%s' is without effect on %s", place, key,
                      config->problems.items[0]);
}

/* Warns of GPU-only keys that are set on another backend. */
static void warn(const bp_config *config, const char *backend, const bp_events *events)
{
  if (bp_bench_arch(config) && strcmp(backend, "cpu") == 0)
    bp_events_message(events, "%s: 'arch' is without effect on backend cpu",
                      bp_config_where(config, "arch") ? bp_config_where(config, "arch") : "arch");
  const char *key = config->device != 0                     ? "device"
                    : strcmp(config->launch, "stream") != 0 ? "launch"
                                                            : NULL;
  const char *place = key ? bp_config_where(config, key) : NULL;
  if (key && strcmp(backend, "cuda") != 0)
    bp_events_message(events, "%s: '%s' is without effect on backend %s", place ? place : key, key,
                      backend);
}

/* Together: what a device has to know of ranks. */
static bp_device_options of_ranks(bp_device_options options, bp_comm *comm)
{
  options.local_rank = bp_comm_local_rank(comm);
  options.in_process = comm->takes_device;
  return options;
}

/* Together, when each rank has opened its own. */
static bp_status join(bp_comm *comm, bp_status status, bp_device *device)
{
  char host[64], place[128];
  bp_comm_host(host);
  snprintf(place, sizeof place, "rank %d of %d on %s", comm->rank, comm->size, host);
  if (status && comm->size > 1)
    status = bp_fail_at(status, place);
  status = bp_comm_agree(comm, status);
  return status ? status : bp_device_join(device, comm);
}

bp_status bp_bench_open_on(const bp_backend *backend, bp_device_options options, bp_comm *comm,
                           bp_device **device)
{
  options = of_ranks(options, comm);
  bp_status status = bp_device_create(backend, &options, device);
  return join(comm, status, *device);
}

bp_status bp_bench_open_backend(const bp_config *config, const char *name, bp_comm *comm,
                                const bp_events *events, bp_device **device)
{
  const bp_device_options options = of_ranks(bp_bench_device_options(config), comm);
  const bool is_auto = strcmp(name, "auto") == 0;
  const bp_backend *backend = is_auto ? &bp_backend_cuda : bp_backend_find(name);
  bp_status status = bp_device_create(backend, &options, device);
  if (status && is_auto) {
    bp_events_message(events, "bp: running on the CPU (%s)", bp_message());
    backend = &bp_backend_cpu;
    status = bp_device_create(backend, &options, device);
  }
  if (strcmp(name, config->backends.items[0]) == 0)
    warn_of_problems(config, events);
  if (config->backends.count == 1)
    warn(config, backend->name, events);
  return join(comm, status, *device);
}

bp_status bp_bench_open(const bp_config *config, bp_comm *comm, const bp_events *events,
                        bp_device **device)
{
  const char *name;
  bp_status status = bp_config_one_backend(config, &name);
  return status ? status : bp_bench_open_backend(config, name, comm, events, device);
}

void bp_bench_sweeps(const bp_config *config, bp_sweep *sweeps)
{
  for (int n = 0; n < config->options.count; ++n)
    sweeps[n] = (bp_sweep){config->options.items[n].name, config->options.items[n].values.items,
                           config->options.items[n].values.count};
}
