/* record_run.h -- what `bp run` and `bp roofline` share: a device, its cases, a record that is
 * written also when something went wrong on the way. */
#ifndef BP_CMD_RECORD_RUN_H
#define BP_CMD_RECORD_RUN_H

#include "bench/bench.h"
#include "cli/command.h"
#include "report/report.h"

typedef struct {
  /* Adds to the record before the first case; NULL: nothing. */
  void (*begin)(bp_record *record, bp_device *device);
  /* Writes the whole record. */
  void (*write)(const bp_record *record, bp_report_format format, FILE *stream);
  bool is_roofline;   /* what `write` writes as a table is that of the bounds */
  bool dry;           /* only print what would run */
  bool force;         /* the output may take the place of another file */
  bp_record *resumed; /* rows that need not be measured again; NULL: none */
  bp_comm *comm;      /* ranks that run it together; NULL: there is one */
} bp_measured;

/* `config` must have been checked. Nothing measured is lost: the record goes out also when a row
 * was wrong, a later case failed, or Ctrl-C came. */
bp_status bp_measured_run(const bp_arguments *arguments, const bp_config *config,
                          const bp_measured *how);

#endif
