/* scaling.c -- tests of what is told of rows with several numbers of ranks. */
#include "test.h"

#include "base/memory.h"
#include "report/figure.h"
#include "report/report.h"
#include "report/scaling.h"
#include "sample.h"
#include <math.h>

static const sample_recipe recipe = {
    .problems = 1, .degrees = 6, .variants = 1, .samples = 9, .slower = 1, .drift = 1, .seed = 5};

/* Seconds without noise. */
static void set_row(bp_row *row, int64_t ranks, int64_t dofs, double seconds)
{
  row->degree = 7;
  row->ranks = ranks;
  row->dofs = dofs;
  row->elements = dofs / 343;
  bp_free(row->seconds.samples);
  row->seconds = bp_timing_of(&seconds, 1);
}

/* Three runs of one mesh, 100 % and 80 %; and two of twice that mesh, of which one is weak's: 90 %. */
static bp_record *make_runs(void)
{
  bp_record *record = sample_record(&recipe);
  set_row(&record->rows[0], 1, 1000000, 8e-3);
  set_row(&record->rows[1], 4, 1000000, 2.5e-3);
  set_row(&record->rows[2], 2, 1000000, 4e-3);
  set_row(&record->rows[3], 2, 2000000, 8e-3 / 0.9);
  set_row(&record->rows[4], 2, 1000000, 5e-3); /* slower than the other one of 2 */
  set_row(&record->rows[5], -1, 9000000, 8e-3);
  return record;
}

TEST(scaling, finds_strong_and_weak)
{
  bp_record *record = make_runs();
  bp_scalings all = bp_scalings_of(record);
  CU_ASSERT_FATAL(all.count == 2);
  const bp_scaling *strong = &all.items[0], *weak = &all.items[1];
  CU_ASSERT(!strong->is_weak && strong->count == 3 && weak->is_weak && weak->count == 2);
  CU_ASSERT(strong->rows[1] == &record->rows[2] && strong->rows[2] == &record->rows[1]);
  CU_ASSERT_DOUBLE_EQUAL(bp_scaling_efficiency(strong, 0), 1, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_scaling_efficiency(strong, 1), 1, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_scaling_efficiency(strong, 2), 0.8, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_scaling_efficiency(weak, 1), 0.9, 1e-12);
  bp_scalings_destroy(&all);
  bp_record_destroy(record);
}

TEST(scaling, is_told_and_drawn)
{
  bp_record *record = make_runs();
  bp_style style = {.width = 120};
  bp_text table = {0}, svg = {0};
  bp_report_table(record, false, &style, &table);
  CU_ASSERT(strstr(table.data, "\nstrong scaling of bp1.0 N=7, 1.000 M DOFs, hot\n") != NULL);
  CU_ASSERT(strstr(table.data, "\nweak scaling of bp1.0 N=7, 1.000 M DOFs per rank, hot\n") !=
            NULL);
  CU_ASSERT(strstr(table.data, " 80.0 %\n") != NULL);
  CU_ASSERT(strstr(table.data, ", 4 ranks, ") != NULL); /* a table of its own */
  CU_ASSERT_FATAL(bp_figure_file(bp_figure_find("scaling"), record, &(bp_wishes){0}, &svg) ==
                  BP_OK);
  CU_ASSERT(strstr(svg.data, "N=7, 1.000 M DOFs: 80 %") != NULL);
  CU_ASSERT(strstr(svg.data, "N=7, 1.000 M DOFs: 90 %") != NULL);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].ranks = 2;
  CU_ASSERT(bp_figure_file(bp_figure_find("scaling"), record, &(bp_wishes){0}, &svg) ==
            BP_BAD_INPUT);
  bp_text_destroy(&table);
  bp_text_destroy(&svg);
  bp_record_destroy(record);
}

/* Each rank's share is there again, and a record without any is as good. */
TEST(scaling, shares_of_ranks_are_kept)
{
  bp_record *record = sample_record(&recipe), *back = NULL;
  bp_row_rank *each = bp_alloc(2, sizeof *each);
  bp_text json = {0};
  for (int r = 0; r < 2; ++r)
    each[r] = (bp_row_rank){bp_strdup(r ? "b" : "a"), bp_strdup("cpu"), 10 + r, 5, 0.25,
                            r ? NAN : 0.125,          r ? -1 : 1 << 20};
  record->rows[1].each = (bp_row_ranks_list){each, 2};
  bp_record_write_json(record, &json);
  CU_ASSERT_FATAL(bp_record_read_bytes("memory", json.data, json.length, &back) == BP_OK);
  const bp_row_ranks_list *found = &back->rows[1].each;
  CU_ASSERT(back->rows[0].each.count == 0);
  CU_ASSERT_FATAL(found->count == 2);
  CU_ASSERT(strcmp(found->items[1].host, "b") == 0 && found->items[1].elements == 11);
  CU_ASSERT(found->items[0].waiting == 0.125 && isnan(found->items[1].waiting));
  CU_ASSERT(found->items[0].peak_bytes == 1 << 20 && found->items[1].peak_bytes == -1);
  bp_text_destroy(&json);
  bp_record_destroy(record);
  bp_record_destroy(back);
}
