/* best.c -- tests of the tables behind `best`: which row is taken, what is read, kept and refused. */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "fem/bake_off.h"
#include "registry/architecture.h"
#include "registry/select.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bp_status parse(const char *text, bp_best_table *table)
{
  return bp_best_parse("best", text, strlen(text), table);
}

TEST(best, reads_rows_and_keeps_comments)
{
  bp_best_table t;
  CHECK(parse("# mine\n\n*H200*\tbp3.5 7  4096 stream stages=2  blocks_per_sm=3  # 50 us\r\n"
              "CPU?1 bp1.0 1..15 any naive",
              &t) == BP_OK,
        "%s", bp_message());
  CU_ASSERT_EQUAL_FATAL(t.count, 4);
  CU_ASSERT(!t.lines[0].fields && !t.lines[1].fields);
  const bp_best *r = &t.lines[2].row;
  CU_ASSERT_STRING_EQUAL(r->device, "*H200*");
  CU_ASSERT_STRING_EQUAL(r->options, "stages=2  blocks_per_sm=3");
  CU_ASSERT_STRING_EQUAL(r->comment, "50 us ");
  CU_ASSERT(r->lowest == 7 && r->highest == 7 && r->elements == 4096 && r->line == 3);
  r = &t.lines[3].row;
  CU_ASSERT(r->lowest == 1 && r->highest == 15 && r->elements == 0 && !*r->options);
  bp_best_table_destroy(&t);
}

TEST(best, reads_solves_and_points)
{
  bp_best_table t;
  CHECK(parse("* bp5 7 any two-kernel\n* bp3.0 2..7q10 any mma-tiles stages=2\n", &t) == BP_OK,
        "%s", bp_message());
  CU_ASSERT_EQUAL_FATAL(t.count, 2);
  CU_ASSERT(t.lines[0].row.points == 0 && t.lines[0].row.lowest == 7);
  const bp_best row = t.lines[1].row;
  CU_ASSERT(row.points == 10 && row.lowest == 2 && row.highest == 7);
  bp_best_put(&t, &row); /* in its own place, as it was read */
  CU_ASSERT_EQUAL_FATAL(t.count, 2);
  CU_ASSERT_PTR_NOT_NULL(strstr(t.lines[1].text, " 2..7q10 "));
  bp_best_table_destroy(&t);
}

TEST(best, reads_geometries_and_precisions)
{
  static const char text[] = "* bp5 7/trilinear any two-kernel\n* bp3.5 2..7q10/single any stream\n"
                             "* bp5 7/trilinear/mixed 5 two-kernel\n";
  bp_best_table t;
  CHECK(parse(text, &t) == BP_OK, "%s", bp_message());
  CU_ASSERT_EQUAL_FATAL(t.count, 3);
  CU_ASSERT(t.lines[0].row.geometry == BP_TRILINEAR && t.lines[0].row.precision == BP_DOUBLE);
  CU_ASSERT(t.lines[1].row.geometry == BP_STORED && t.lines[1].row.precision == BP_SINGLE);
  CU_ASSERT(t.lines[2].row.geometry == BP_TRILINEAR && t.lines[2].row.precision == BP_MIXED);
  bp_best row = t.lines[2].row;
  row.elements = 0;
  bp_best_put(&t, &row); /* of another size: a row of its own */
  row = t.lines[1].row;
  bp_best_put(&t, &row);
  CU_ASSERT_EQUAL_FATAL(t.count, 4);
  CU_ASSERT_PTR_NOT_NULL(strstr(t.lines[1].text, " 2..7q10/single "));
  CU_ASSERT_PTR_NOT_NULL(strstr(t.lines[3].text, " 7/trilinear/mixed "));
  bp_best_table_destroy(&t);
}

TEST(best, refuses_damage_with_its_place)
{
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"x", "best:1: expected a problem such as bp3.5 in column 2, found the end of the line"},
      {"# x\nx bp9 1 any naive",
       "best:2: expected a problem such as bp3.5 in column 2, found 'bp9'"},
      {"x bp1.0 0 any naive", "best:1: expected degrees such as 7 or 1..15 in column 3, found '0'"},
      {"x bp1.0 1..16 any naive", "found '1..16'"},
      {"x bp1.0 3..2 any naive", "found '3..2'"},
      {"x bp1.0 3q any naive", "found '3q'"},
      {"x bp1.0 3q1..4 any naive", "found '3q1..4'"},
      {"x bp1.0 3.. any naive", "found '3..'"},
      {"x bp1.0 3/ any naive", "found '3/'"},
      {"x bp1.0 3/half any naive", "found '3/half'"},
      {"x bp1.0 3/single/trilinear any naive", "found '3/single/trilinear'"},
      {"x bp1.0 3 0 naive", "expected a number of elements or 'any' in column 4, found '0'"},
      {"x bp1.0 3 -5 naive", "found '-5'"},
      {"x bp1.0 3 naive", "found 'naive'"},
      {"x bp1.0 3 any", "expected the name of a variant in column 5, found the end of the line"},
      {"x bp1.0 3 any pad=1", "expected the name of a variant in column 5, found 'pad=1'"},
      {"x bp1.0 3 any cube pad", "expected OPTION=INTEGER from column 6 on, found 'pad'"},
      {"x bp1.0 3 any cube pad=1 unroll=", "found 'unroll='"},
      {"x bp1.0 3 any cube pad=1 =4", "found '=4'"},
      {"x bp1.0 3 any cube pad=99999999999999999999", "found 'pad=9999"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_best_table t;
    bp_status status = parse(cases[n].text, &t);
    CHECK(status == BP_BAD_INPUT && strstr(bp_message(), cases[n].words),
          "expected '%s', found status %d, '%s'", cases[n].words, status, bp_message());
    bp_best_table_destroy(&t);
  }
  bp_best_table t;
  CU_ASSERT_EQUAL(bp_best_parse("best", "#\nx\0y\n", 6, &t), BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "best:2: expected a line of text"), "%s", bp_message());
  bp_best_table_destroy(&t);
}

TEST(best, puts_a_row_in_the_place_of_the_same_one)
{
  bp_best_table t;
  bp_best row = {"A?B", "bp1.0", 2, 2, 64, "naive", "", "now", 0, 0, BP_STORED, BP_DOUBLE};
  CU_ASSERT_EQUAL(parse("# mine\nA?B bp1.0 2 64 even_odd\nA?B bp1.0 2 any even_odd\n", &t), BP_OK);
  bp_best_put(&t, &row);
  CU_ASSERT_EQUAL(t.count, 3);
  CU_ASSERT_STRING_EQUAL(t.lines[0].text, "# mine");
  CU_ASSERT_STRING_EQUAL(t.lines[1].row.variant, "naive");
  CU_ASSERT_STRING_EQUAL(t.lines[1].row.comment, "now");
  row.elements = 65;
  bp_best_put(&t, &row);
  CU_ASSERT_EQUAL_FATAL(t.count, 4);
  CU_ASSERT(t.lines[3].row.elements == 65);
  bp_best_table_destroy(&t);
}

TEST(best, a_glob_made_of_a_name_matches_it)
{
  char *glob = bp_best_glob("AMD {x}, 2 [thr]eads#");
  CU_ASSERT(bp_matches(glob, "AMD {x}, 2 [thr]eads#"));
  CU_ASSERT_PTR_NULL(strpbrk(glob, " #{["));
  bp_free(glob);
}

/* Elements that stay on their multiprocessors, as long as each has one. */
TEST(best, blocks_that_wait_for_each_other_run_at_once)
{
  static const struct {
    int64_t elements;
    int sms;
    const char *variant;
  } cases[] = {{8, 132, "resident"},     {64, 132, "resident"},  {132, 132, "resident"},
               {133, 132, "two-kernel"}, {64, 16, "two-kernel"}, {0, 132, "two-kernel"}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    const bp_best_wanted wanted = {.device = "NVIDIA H100 80GB HBM3",
                                   .problem = "wave",
                                   .degree = 3,
                                   .elements = cases[n].elements,
                                   .sms = cases[n].sms,
                                   .language = BP_LANGUAGE_CUDA};
    bp_choice choice = {0};
    CHECK(bp_best_find_shipped(&wanted, &choice) &&
              strcmp(choice.variant->name, cases[n].variant) == 0,
          "%lld elements on %d multiprocessors: found %s", (long long)cases[n].elements,
          cases[n].sms, choice.variant ? choice.variant->name : "none");
  }
}

/* A table of the user's own in a folder that is made for it. */
TEST(best, takes_the_nearest_size)
{
  static const struct {
    int64_t elements;
    const char *variant;
  } cases[] = {{1, "even_odd"}, {100, "even_odd"},    {999, "even_odd"}, {1001, "simd"},
               {10000, "simd"}, {1000000000, "simd"}, {0, "naive"} /* not known: any */};
  char folder[] = "/tmp/bp-best-XXXXXX";
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  setenv("XDG_CONFIG_HOME", folder, 1);
  char *path = bp_best_path();
  bp_best_table t;
  CHECK(bp_best_read(path, &t) == BP_OK && t.count == 0, "%s", bp_message());
  const bp_best rows[] = {
      {"Nowhere*", "bp1.0", 1, 15, 0, "naive", "", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1.0", 2, 4, 100, "simd", "", "of another degree", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1.0", 7, 7, 100, "simd", "", "of other points", 0, 12, BP_STORED, BP_DOUBLE},
      {"N*", "bp1.0", 7, 7, 100, "not-there", "", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"No*", "bp1.0", 7, 7, 100, "simd", "pad=77", "no such option", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1.0", 7, 7, 100, "even_odd", "", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Now*", "bp1.0", 7, 7, 100, "simd", "", "after another", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1.0", 7, 7, 10000, "simd", "", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Elsewhere", "bp1.0", 7, 7, 100, "simd", "", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp5", 1, 15, 100, "assembled", "history=2", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp6", 1, 15, 900, "assembled", "history=3", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1", 1, 15, 100, "assembled", "history=5", "", 0, 0, BP_STORED, BP_DOUBLE},
      {"Nowhere*", "bp1", 1, 15, 200, "merged", "elements_per_block=5", "", 0, 0, BP_STORED,
       BP_DOUBLE},
      {"Nowhere*", "bp1", 1, 15, 1000, "two-kernel", "elements_per_block=6", "", 0, 0, BP_STORED,
       BP_DOUBLE},
      {"Nowhere*", "bp1", 1, 15, 9000, "two-kernel-ranks", "elements_per_block=7", "", 0, 0,
       BP_STORED, BP_DOUBLE},
  };
  /* a problem's own row goes before that of another one with its kernels */
  static const struct {
    const char *problem;
    int64_t elements, history;
  } solves[] = {{"bp5", 100, 2}, {"bp5", 900, 2}, {"bp6", 100, 3}, {"bp6", 0, 3}, {"bp2", 100, 5}};
  /* ranks have no merged; of two-kernel they take the namesake */
  static const struct {
    bool for_ranks;
    int64_t elements, batch;
    const char *variant;
  } ranks[] = {{true, 200, 6, "two-kernel-ranks"},
               {true, 2000, 6, "two-kernel-ranks"},
               {true, 9000, 7, "two-kernel-ranks"},
               {false, 200, 5, "merged"},
               {false, 9000, 6, "two-kernel"}};
  for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n)
    bp_best_put(&t, &rows[n]);
  CHECK(bp_best_write(&t) == BP_OK, "%s", bp_message());
  bp_best_table_destroy(&t);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    const bp_best_wanted wanted = {
        .device = "Nowhere 1", .problem = "bp1.0", .degree = 7, .elements = cases[n].elements};
    bp_choice choice = {0};
    bool found = false;
    CHECK(bp_best_find(&wanted, &choice, &found) == BP_OK && found, "%s", bp_message());
    CHECK(found && strcmp(choice.variant->name, cases[n].variant) == 0 &&
              strcmp(choice.from, path) == 0,
          "%lld elements: %s of %s", (long long)cases[n].elements, choice.variant->name,
          choice.from);
    CU_ASSERT(bp_best_find_shipped(&wanted, &choice) && strcmp(choice.from, "kernels/best") == 0);
  }
  const bp_best_wanted other = {
      .device = "Nowhere 1", .problem = "bp1.0", .degree = 7, .points = 12};
  bp_choice choice = {0};
  bool found = false;
  CHECK(bp_best_find(&other, &choice, &found) == BP_OK && found, "%s", bp_message());
  CU_ASSERT(found && strcmp(choice.variant->name, "simd") == 0);
  for (size_t n = 0; n < sizeof solves / sizeof *solves; ++n) {
    const bp_best_wanted wanted = {.device = "Nowhere 1",
                                   .problem = solves[n].problem,
                                   .degree = 3,
                                   .elements = solves[n].elements};
    CHECK(bp_best_find(&wanted, &choice, &found) == BP_OK && found, "%s", bp_message());
    CU_ASSERT(found && choice.option[0] == solves[n].history);
  }
  for (size_t n = 0; n < sizeof ranks / sizeof *ranks; ++n) {
    const bp_best_wanted wanted = {.device = "Nowhere 1",
                                   .problem = "bp1",
                                   .degree = 7,
                                   .elements = ranks[n].elements,
                                   .language = BP_LANGUAGE_CUDA};
    CHECK((ranks[n].for_ranks ? bp_best_find_for_ranks : bp_best_find)(&wanted, &choice, &found) ==
                  BP_OK &&
              found,
          "%s", bp_message());
    CU_ASSERT(found && strcmp(choice.variant->name, ranks[n].variant) == 0 &&
              bp_choice_option(&choice, "elements_per_block", 0) == ranks[n].batch);
  }
  unlink(path);
  *strrchr(path, '/') = '\0';
  rmdir(path);
  rmdir(folder);
  bp_free(path);
}

/* A space without a row of its own has the row of stored doubles, which has none of theirs; one map of
 * elements has the rows of another. */
TEST(best, rows_of_a_geometry_or_a_precision_are_for_it_alone)
{
  static const struct {
    bp_element_geometry geometry;
    bp_precision precision;
    int degree;
    const char *options;
  } cases[] = {
      {BP_STORED, BP_DOUBLE, 7, "elements_per_block=1 blocks_per_sm=2"},
      {BP_TRILINEAR, BP_DOUBLE, 7, "elements_per_block=4 blocks_per_sm=2 stagger=16"},
      {BP_QUADRATIC, BP_DOUBLE, 7, "elements_per_block=4 blocks_per_sm=2 stagger=16"},
      {BP_STORED, BP_SINGLE, 7, "elements_per_block=2 blocks_per_sm=3"},
      {BP_STORED, BP_MIXED, 3, "elements_per_block=2 blocks_per_sm=3 stagger=0 stagger_blocks=6"}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    const bp_operator *op = bp_operator_find("bp3.5");
    bp_best_wanted wanted = {.device = "NVIDIA H200",
                             .problem = "bp3.5",
                             .degree = cases[n].degree,
                             .elements = 39270,
                             .language = BP_LANGUAGE_CUDA,
                             .space = bp_operator_space(op, cases[n].degree)};
    bp_choice choice = {0};
    wanted.space.geometry = cases[n].geometry;
    wanted.space.precision = cases[n].precision;
    CU_ASSERT_FATAL(bp_best_find_shipped(&wanted, &choice));
    char *options = bp_choice_options(&choice);
    CHECK(strncmp(options, cases[n].options, strlen(cases[n].options)) == 0, "%s", options);
    bp_free(options);
  }
}

/* Its own rows, those of its class, any that fit; behind the test whose table is read, once. */
TEST(best, takes_what_the_device_can_run)
{
  static const struct {
    const char *device;
    int sm;
    const char *problem;
    int degree;
    const char *variant;
    int64_t least, most; /* elements of a block */
  } cases[] = {{"NVIDIA H100 80GB HBM3", 90, "bp5", 1, "two-kernel", 32, 32},
               {"NVIDIA B200", 100, "bp5", 1, "two-kernel", 32, 32},
               {"NVIDIA A100-SXM4-80GB", 80, "bp5", 7, "two-kernel", 1, 1},
               {"as sm_80 on NVIDIA H100 80GB HBM3", 80, "bp5", 7, "two-kernel", 1, 1},
               {"NVIDIA GeForce RTX 4090", 89, "bp3.5", 15, "passes", 1, 1},
               {"NVIDIA T4", 75, "bp5", 3, "two-kernel", 1, 15},
               {"NVIDIA T4", 75, "bp5", 12, "unfused", 1, 1},
               {"NVIDIA T4", 75, "bp3", 15, "unfused", 1, 1}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    const bp_bake_off *solve = bp_bake_off_find(cases[n].problem);
    const int degree = cases[n].degree, sm = cases[n].sm;
    char class[BP_CLASS_MAX];
    const bp_best_wanted wanted = {
        .device = cases[n].device,
        .problem = cases[n].problem,
        .degree = degree,
        .elements = 20000,
        .sms = 100,
        .language = BP_LANGUAGE_CUDA,
        .limits = {bp_architecture_class(class, sm), sm, 1024,
                   (int64_t)bp_architecture_of(sm)->shared_kb << 10},
        .op = solve ? bp_bake_off_operator(solve, 0) : bp_operator_find(cases[n].problem),
        .space = solve ? bp_bake_off_space(solve, degree)
                       : bp_operator_space(bp_operator_find(cases[n].problem), degree)};
    bp_choice choice = {0};
    bool found = false;
    CHECK(bp_best_find(&wanted, &choice, &found) == BP_OK, "%s", bp_message());
    const int64_t each = found ? bp_choice_option(&choice, "elements_per_block", 1) : 0;
    CHECK(found && strcmp(choice.variant->name, cases[n].variant) == 0 && each >= cases[n].least &&
              each <= cases[n].most,
          "%s, %s at N = %d: found %s with %lld elements", cases[n].device, cases[n].problem,
          degree, found ? choice.variant->name : "nothing", (long long)each);
  }
}

/* A block of the operator of a level has room on every card, at every degree. */
TEST(best, finds_levels_that_fit)
{
  static const char *const problems[] = {"bp1", "bp3", "bp5"};
  static const int sms[] = {75, 80, 86, 90, 120};
  for (size_t m = 0; m < sizeof sms / sizeof *sms; ++m)
    for (int n = 0; n < 2 * 3 * 15; ++n) {
      const int degree = n / 6 + 1;
      const bp_bake_off *solve = bp_bake_off_find(problems[n / 2 % 3]);
      const int64_t room = (int64_t)bp_architecture_of(sms[m])->shared_kb << 10;
      char class[BP_CLASS_MAX], *id = bp_format("%s/level", problems[n / 2 % 3]);
      bp_best_wanted wanted = {.device = "a card",
                               .problem = problems[n / 2 % 3],
                               .degree = degree,
                               .elements = 8000,
                               .sms = 100,
                               .language = BP_LANGUAGE_CUDA,
                               .limits = {bp_architecture_class(class, sms[m]), sms[m], 1024, room},
                               .op = bp_bake_off_operator(solve, 0),
                               .space = bp_bake_off_space(solve, degree)};
      wanted.space.precision = n % 2 ? BP_SINGLE : BP_DOUBLE;
      wanted.space.level = true;
      bp_choice choice = bp_choice_standard(bp_variant_find(id, BP_LANGUAGE_CUDA));
      bp_name names[BP_NAMES_MAX];
      int64_t shared = INT64_MAX;
      CHECK(bp_best_options(&wanted, &choice) == BP_OK, "%s", bp_message());
      bp_choice_names(&choice, wanted.op, wanted.space, 8000, 1, 100, names);
      CHECK(!bp_expression_evaluate(choice.variant->launches[0].shared, names, &shared) &&
                shared + 2048 <= room,
            "%s at N = %d, sm_%d: %lld bytes of shared memory of %lld", id, degree, sms[m],
            (long long)shared, (long long)room);
      bp_free(id);
    }
}

/* A variant that is named has its own nearest row's options, a solve without one those of its like; beside a
 * sweep there are none of them. */
TEST(best, has_options_for_what_is_named)
{
  static const struct {
    const char *device;
    int sm;
    const char *problem, *variant;
    int degree;
    int64_t elements, each, blocks; /* elements of a block, blocks of a multiprocessor */
    const char *sweep;
  } cases[] = {{"NVIDIA H100 80GB HBM3", 90, "bp5", "two-kernel", 3, 300000, 16, 2, NULL},
               {"NVIDIA H100 80GB HBM3", 90, "bp5", "two-kernel", 3, 512, 4, 4, NULL},
               {"NVIDIA H100 80GB HBM3", 90, "bp5", "merged-atomic", 3, 300000, 16, 2, NULL},
               {"NVIDIA H100 80GB HBM3", 90, "bp5", "merged", 3, 300000, 1, 3, "blocks_per_sm"},
               {"NVIDIA H100 80GB HBM3", 90, "bp1", "merged", 7, 512, 3, 2, NULL},
               {"NVIDIA H200", 90, "bp1", "merged", 7, 512, 1, 4, NULL},
               {"NVIDIA H100 80GB HBM3", 90, "bp3.5", "direct", 3, 4096, 4, 2, NULL},
               {"NVIDIA H100 80GB HBM3", 90, "bp3.5", "direct", 15, 4096, 2, 1, NULL},
               {"NVIDIA H200", 90, "bp1", "mapped", 9, 20000, 1, 4, NULL},
               {"NVIDIA H200", 90, "bp5", "mapped", 3, 300000, 16, 2, NULL},
               {"emulated", 0, "bp5", "merged", 3, 300000, 1, 1, NULL}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    const bp_bake_off *solve = bp_bake_off_find(cases[n].problem);
    const bp_operator *op =
        solve ? bp_bake_off_operator(solve, 0) : bp_operator_find(cases[n].problem);
    bp_space space =
        solve ? bp_bake_off_space(solve, cases[n].degree) : bp_operator_space(op, cases[n].degree);
    space.mapped = strcmp(cases[n].variant, "mapped") == 0;
    const int64_t three = 3;
    const bp_sweep sweep = {cases[n].sweep, &three, 1};
    char class[BP_CLASS_MAX] = "";
    bp_best_limits limits = {class, 0, 0, 0};
    if (cases[n].sm)
      limits = (bp_best_limits){bp_architecture_class(class, cases[n].sm), cases[n].sm, 1024,
                                (int64_t)bp_architecture_of(cases[n].sm)->shared_kb << 10};
    const bp_selection s = {.problem = cases[n].problem,
                            .degree = cases[n].degree,
                            .language = BP_LANGUAGE_CUDA,
                            .device = cases[n].device,
                            .elements = cases[n].elements,
                            .sms = 132,
                            .limits = limits,
                            .op = op,
                            .space = space,
                            .is_tuned = true,
                            .patterns = &cases[n].variant,
                            .patterns_count = 1,
                            .sweeps = &sweep,
                            .sweeps_count = cases[n].sweep != NULL};
    bp_choice *choices;
    bp_status status;
    CHECK(bp_select(&s, &choices, &status) == 1 && !status, "%s", bp_message());
    const int64_t each = bp_choice_option(choices, "elements_per_block", -1),
                  blocks = bp_choice_option(choices, "blocks_per_sm", -1);
    CHECK(each == cases[n].each && blocks == cases[n].blocks,
          "%s on %s: found %lld elements, %lld blocks", cases[n].variant, cases[n].device,
          (long long)each, (long long)blocks);
    bp_free(choices);
  }
}

TEST(architecture, is_the_newest_that_is_not_newer)
{
  char text[BP_CLASS_MAX];
  CU_ASSERT_STRING_EQUAL(bp_architecture_class(text, 80), "async:163");
  CU_ASSERT_STRING_EQUAL(bp_architecture_class(text, 89), "async:99");
  CU_ASSERT_STRING_EQUAL(bp_architecture_class(text, 100), "bulk:227");
  CU_ASSERT_STRING_EQUAL(bp_architecture_class(text, 121), "bulk:99");
  CU_ASSERT_STRING_EQUAL(bp_architecture_class(text, 70), "none:64");
  CU_ASSERT_STRING_EQUAL(bp_feature_lacking(BP_HAS_MMA | BP_HAS_BULK, 80), "bulk");
  CU_ASSERT_STRING_EQUAL(bp_feature_lacking(BP_HAS_MMA | BP_HAS_BULK, 90), "");
}
