/* dry_run.h -- `--dry-run`: what would run, without running it. */
#ifndef BP_CMD_DRY_RUN_H
#define BP_CMD_DRY_RUN_H

#include "bench/cases.h"
#include <stdio.h>

/* The cases, the host memory that they take, and which table `best` has them from. */
void bp_dry_run_print(const bp_cases *cases, FILE *out);

#endif
