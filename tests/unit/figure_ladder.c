/* figure_ladder.c -- tests of the ladder. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"

TEST(figure, ladders_of_every_kind_of_name)
{
  static const char *const names[] = {"k1", "k2", "2d-k1", "2d-bonus", "2d-k10", "2d-k9"};
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 1, .variants = 6, .faults = true);
  for (int n = 0; n < 6; ++n) {
    bp_record_set(&record->rows[n].rung, names[n]);
    bp_record_set(&record->rows[n].variant, "columns");
    bp_record_set(&record->rows[n].options, n % 2 ? "pad=1" : "pad=0");
  }
  CU_ASSERT(figure_panels("ladder", record) == 2);
  char *svg = figure_panel("ladder", record, NULL, 1);
  const char *nine = strstr(svg, ">2d-k9 "), *ten = strstr(svg, ">2d-k10 ");
  const char *bonus = strstr(svg, ">2d-bonus ");
  CU_ASSERT(nine && ten && bonus && nine < ten && ten < bonus);
  bp_free(svg);
  bp_record_destroy(record);
}
