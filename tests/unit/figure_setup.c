/* figure_setup.c -- tests of the figure of set-up. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"

/* Set-up comes once, however many cache modes are timed after it. */
TEST(setup, is_drawn_once)
{
  bp_record *record = sample_record(&figure_full), *cold = sample_record(&figure_full);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    record->rows[n].setup_seconds = cold->rows[n].setup_seconds = 1;
    bp_record_set(&cold->rows[n].cache, "cold");
  }
  bp_drawing drawing = bp_drawing_of(record, &(bp_wishes){0});
  int count = figure_panels("setup", record);
  int64_t groups = drawing.groups.count;
  bp_drawing_destroy(&drawing);
  bp_record_merge(record, cold, "cold.json");
  drawing = bp_drawing_of(record, &(bp_wishes){0});
  CU_ASSERT(count > 0 && figure_panels("setup", record) == count &&
            drawing.groups.count == 2 * groups);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

/* A bar without compilation is marked where the kernel came from the cache, and nowhere else. */
TEST(setup, tells_cached_kernels)
{
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 4, .variants = 1);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    record->rows[n].degree += n == 3 ? 5 : 0;
    record->rows[n].setup_seconds = 1;
    record->rows[n].compile_seconds = n == 2 ? 0 : 3;
    bp_record_set(&record->rows[n].backend, "cuda");
  }
  for (int is_cpu = 0; is_cpu < 2; ++is_cpu) {
    bp_drawing drawing = bp_drawing_of(record, &(bp_wishes){0});
    char *svg = figure_panel("setup", record, NULL, 0);
    CU_ASSERT(strstr(svg, ">Set-up time of bp1.0, ") != NULL);
    CU_ASSERT(strstr(svg, ">set-up, seconds<") != NULL);
    CU_ASSERT(strstr(svg, ">9<") && !strstr(svg, ">7<")); /* nobody ran */
    CU_ASSERT_EQUAL(figure_count(svg, "<title>compilation, N="), 3);
    CU_ASSERT_EQUAL(figure_count(svg, "<title>kernel from the cache<"), !is_cpu);
    CU_ASSERT_EQUAL(figure_count(svg, ">kernel from the cache<"), is_cpu ? 0 : 2);
    bp_free(svg);
    bp_drawing_destroy(&drawing);
    for (int64_t n = 0; n < record->rows_count; ++n)
      bp_record_set(&record->rows[n].backend, "cpu");
  }
  bp_record_destroy(record);
}
