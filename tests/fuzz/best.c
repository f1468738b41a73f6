/* best.c -- the fuzzers' view of the tables of `best`. */
#include "fuzz.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/best.h"
#include <string.h>

const char *const fuzz_words[] = {"* bp3.5 7 any columns\n",
                                  "NVIDIA?H200 ",
                                  "bp1.0 ",
                                  "bp3.0 ",
                                  "1..15 ",
                                  "7 ",
                                  "4096 ",
                                  "any ",
                                  "slab ",
                                  "tensor ",
                                  "elements_per_block=4",
                                  " stages=3",
                                  "=",
                                  "..",
                                  "#",
                                  "# a comment\n",
                                  "\t",
                                  "\r\n",
                                  "\n",
                                  "\v",
                                  "-1",
                                  "9223372036854775808",
                                  "[a-",
                                  "{a,b",
                                  "\x1b[31m",
                                  "\xff",
                                  NULL};

/* What was accepted stands as it was, also once a row is put into it. */
static void check_table(bp_best_table *table)
{
  bp_best row = {.device = "*",
                 .problem = "bp1.0",
                 .lowest = 3,
                 .highest = 3,
                 .variant = "slab",
                 .options = "",
                 .comment = ""};
  for (int n = 0; n < table->count; ++n) {
    const bp_best *r = &table->lines[n].row;
    if (!table->lines[n].fields)
      continue;
    BP_ASSERT(r->line == n + 1 && *r->device && *r->variant && r->options && r->comment);
    BP_ASSERT(1 <= r->lowest && r->lowest <= r->highest && r->elements >= 0);
    bp_matches(r->device, "NVIDIA H200");
  }
  int count = table->count;
  bp_best_put(table, &row);
  bp_best_put(table, &row);
  BP_ASSERT(table->count == count || table->count == count + 1);
}

bp_status fuzz_read(const char *data, size_t size)
{
  bp_best_table table;
  bp_status status = bp_best_parse("f", data, size, &table);
  if (!status) {
    check_table(&table);
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  }
  bp_best_table_destroy(&table);
  return status;
}
