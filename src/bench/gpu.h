/* gpu.h -- what there is to tell of NVIDIA GPUs: for `bp info` and for the record of a run. */
#ifndef BP_BENCH_GPU_H
#define BP_BENCH_GPU_H

#include "device/cuda/nvml.h"
#include "device/plan.h"
#include "report/record.h"

/* Driver, compiler, architecture, clocks, power limit and the cost of a launch of an open device of the
 * cuda backend; nothing for other devices. */
void bp_gpu_add_facts(bp_record *record, bp_device *device);

/* Clocks, power, temperature and throttling while a case is being timed, for all its rows. */
typedef struct bp_gpu_watch bp_gpu_watch;

/* NULL for other devices and without the driver's management library. */
bp_gpu_watch *bp_gpu_watch_start(const bp_device *device);
/* Frees the watch. The figures of NULL are unknown. */
bp_nvml_summary bp_gpu_watch_stop(bp_gpu_watch *watch);

/* All but joules: the variants of a case take turns. */
void bp_gpu_note_power(bp_row *row, const bp_nvml_summary *summary);

#endif
