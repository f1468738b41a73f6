/* figure_series.c -- tests of rows sorted into groups and lines. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/series.h"

TEST(series, the_best_goes_first)
{
  bp_record *record = sample_record(&figure_full);
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  int top[3];
  CU_ASSERT(groups.count == 3 && set.count == 15 && set.first == 1 && set.last == 15);
  CU_ASSERT(bp_series_top(&set, 3, top) == 3 && top[0] == 14 && top[1] == 13 && top[2] == 12);
  CU_ASSERT(set.best[7] == set.series[14].rows[7]);
  CU_ASSERT(set.series[0].rows[2]->status == BP_ROW_WRONG);
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* One rung with three options is three lines, and their names say so. */
TEST(series, names_differ)
{
  sample_recipe recipe = figure_swept;
  recipe.degrees = 1;
  bp_record *record = sample_record(&recipe);
  for (int n = 0; n < 3; ++n)
    bp_record_set(&record->rows[n].rung, "2d-k9");
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  for (int n = 0; n < set.count; ++n)
    for (int m = 0; m < n; ++m)
      CHECK(strcmp(set.series[n].label, set.series[m].label) != 0, "%s", set.series[n].label);
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* Boxes made for one number of DOFs differ from degree to degree and are one figure. */
TEST(group, meshes_made_for_the_same_dofs_belong_together)
{
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 15, .variants = 2, .faults = true);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    char mesh[32];
    bp_row *row = &record->rows[n];
    snprintf(mesh, sizeof mesh, "box %dx8x8", 40 / row->degree);
    bp_record_set(&row->mesh, mesh);
    row->target_nodes = 2000000;
    row->elements = 64 * (40 / row->degree);
  }
  bp_groups groups = bp_groups_of(record);
  CU_ASSERT(groups.count == 1 && groups.groups[0].count == 30 && !groups.groups[0].same_elements);
  char *title = bp_group_title(&groups.groups[0], ", ");
  CU_ASSERT_STRING_EQUAL(title, "bp1.0, about 2,000,000 nodes, NVIDIA H200 (cuda), hot");
  bp_free(title);
  bp_groups_destroy(&groups);
  const bp_row solve = {.problem = "bp6", .degree = 3, .iterations = 100, .target_nodes = 1000000};
  bp_row of_nodes = solve, of_dofs = solve;
  of_nodes.nodes = 1000000;
  of_dofs.nodes = 790123; /* three components */
  CU_ASSERT_STRING_EQUAL(bp_row_target_unit(&of_nodes), "nodes");
  CU_ASSERT_STRING_EQUAL(bp_row_target_unit(&of_dofs), "DOFs");
  record->rows[0].target_nodes = 20000000;
  groups = bp_groups_of(record);
  CU_ASSERT(groups.count == 2);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* A variant tuned anew for each degree is one line; so is one choice per degree of several variants. */
TEST(series, tuned_options_do_not_tear_lines_apart)
{
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 15, .variants = 2);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    char options[32];
    snprintf(options, sizeof options, "elements_per_block=%d", record->rows[n].degree);
    bp_record_set(&record->rows[n].options, options);
    bp_record_set(&record->rows[n].rung, "");
  }
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  CU_ASSERT(set.count == 2);
  CU_ASSERT_STRING_EQUAL(set.series[0].label, "slab");
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].degree = (int)n; /* one row each */
  groups = bp_groups_of(record);
  set = bp_series_of(&groups.groups[0]);
  CU_ASSERT(set.count == 1 && set.is_chosen);
  CU_ASSERT_STRING_EQUAL(set.series[0].label, "best of each degree");
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}
