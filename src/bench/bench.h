/* bench.h -- runs cases into a record. `bp run` and `bp roofline` are built on it. */
#ifndef BP_BENCH_BENCH_H
#define BP_BENCH_BENCH_H

#include "bench/cases.h"
#include "bench/events.h"

/* Runs all cases and adds their rows; those that the record holds already are not measured again. Wrong and
 * skipped rows are rows too; BP_WRONG when one was wrong, BP_INTERRUPTED when the events said so, with what
 * was measured until then in the record. */
bp_status bp_bench_run(bp_cases *cases, bp_record *record, const bp_events *events);

#endif
