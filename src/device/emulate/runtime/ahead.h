/* ahead.h -- memory for what lies ahead of an array's own rows: as much as kernels touch of it is there. */
#ifndef BP_EMULATE_AHEAD_H
#define BP_EMULATE_AHEAD_H

#include "far_rows.h"
#include "job.h"

/* Of `rows` rows, each with `missing` items ahead of its own, or of that many in all (BP_JOB_ALL); nobody may
 * touch the pages around it. `map` NULL: there is no address space. */
far_rows ahead_open(const bp_job_array *array);

#endif
