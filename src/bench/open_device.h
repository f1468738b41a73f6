/* open_device.h -- from a config's backend, device, isa and threads to an open device. */
#ifndef BP_BENCH_OPEN_DEVICE_H
#define BP_BENCH_OPEN_DEVICE_H

#include "bench/events.h"
#include "config/config.h"
#include "device/plan.h"
#include "registry/select.h"

/* Together: each rank opens a device of the backend, and they are joined. The message of a failure says which
 * rank it was, and where. The device is to be destroyed in either case. */
bp_status bp_bench_open_on(const bp_backend *backend, bp_device_options options, bp_comm *comm,
                           bp_device **device);

/* With what the config asks for, and one of its backends, or the only one; `auto` takes the first GPU or
 * else the CPU, and says which and why. */
bp_status bp_bench_open_backend(const bp_config *config, const char *name, bp_comm *comm,
                                const bp_events *events, bp_device **device);
bp_status bp_bench_open(const bp_config *config, bp_comm *comm, const bp_events *events,
                        bp_device **device);

/* As options of one backend, for the caller who chooses it. */
bp_device_options bp_bench_device_options(const bp_config *config);

/* 80 for `arch: sm_80`, 0 for auto. */
int bp_bench_arch(const bp_config *config);

/* The config's sweeps in the form of select.h; `sweeps` has room for config->options.count. */
void bp_bench_sweeps(const bp_config *config, bp_sweep *sweeps);

#endif
