/* rank_rows.h -- what every rank tells of its share of a row. */
#ifndef BP_BENCH_RANK_ROWS_H
#define BP_BENCH_RANK_ROWS_H

#include "comm/comm.h"
#include "report/record.h"

/* Together: all ranks' in the order of ranks, on rank 0; other ranks get none. The host and
 * peak_bytes are found here; strings of `own` stay the caller's. */
void bp_each_gather(bp_comm *comm, const bp_row_rank *own, bp_row_ranks_list *each);

#endif
