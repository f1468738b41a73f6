/* record_read.h -- a record from another form than JSON: it becomes the tree that JSON would give, and one
 * reader checks all. */
#ifndef BP_REPORT_RECORD_READ_H
#define BP_REPORT_RECORD_READ_H

#include "base/json.h"
#include "report/record.h"

/* Whether the text begins as what bp_report_csv writes does. */
bool bp_record_is_csv(const char *data, size_t size);

/* The rows of a CSV file; values know their lines. `name` stands for it in messages. Always to be destroyed
 * with bp_json_destroy. */
bp_status bp_record_csv_tree(const char *name, const char *data, size_t size, bp_json_value **tree);

#endif
