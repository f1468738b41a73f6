/* figure_times.c -- tests of the figures of times and set-up. */
#include "figure_sample.h"
#include "test.h"

/* Set-up comes once, however many cache modes are timed after it. */
TEST(setup, is_drawn_once)
{
  bp_record *record = sample_record(&figure_full), *cold = sample_record(&figure_full);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    record->rows[n].setup_seconds = cold->rows[n].setup_seconds = 1;
    bp_record_set(&cold->rows[n].cache, "cold");
  }
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  int count = figure_panels("setup", &drawing);
  int64_t groups = drawing.groups.count;
  bp_drawing_destroy(&drawing);
  bp_record_merge(record, cold, "cold.json");
  drawing = bp_drawing_of(record, &bp_no_wishes);
  CU_ASSERT(count > 0 && figure_panels("setup", &drawing) == count &&
            drawing.groups.count == 2 * groups);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}
