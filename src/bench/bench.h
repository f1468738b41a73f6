/* bench.h -- runs cases into a record. `bp run` and `bp roofline` are built on it. */
#ifndef BP_BENCH_BENCH_H
#define BP_BENCH_BENCH_H

#include "bench/cases.h"
#include "report/record.h"

typedef void bp_on_row(const bp_row *row, void *context);

/* Runs all cases and adds their rows. Wrong and skipped rows are rows too; BP_WRONG when one was
 * wrong, BP_INTERRUPTED after Ctrl-C, with what was measured until then in the record. `on_row`, if
 * not NULL, is called for every finished row. */
bp_status bp_bench_run(bp_cases *cases, bp_record *record, bp_on_row *on_row, void *context);

#endif
