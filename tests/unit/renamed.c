/* renamed.c -- tests of kernels/renamed: old names of variants and options wherever they are read. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/choice.h"
#include "registry/kernel_dir.h"
#include "registry/renamed.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool some_variant_has(const char *option)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n)
    for (int o = 0; o < all[n].options_count; ++o)
      if (strcmp(all[n].options[o].name, option) == 0)
        return true;
  return false;
}

static bool is_variant(const char *id)
{
  return bp_variant_find(id, BP_LANGUAGE_C) || bp_variant_find(id, BP_LANGUAGE_CUDA);
}

TEST(renamed, every_row_leads_from_a_name_that_is_gone_to_one_that_is_there)
{
  CU_ASSERT_FATAL(bp_renames_count > 0);
  for (int n = 0; n < bp_renames_count; ++n) {
    const bp_rename *r = &bp_renames[n];
    bool is_option = strcmp(r->kind, "option") == 0;
    CHECK(is_option ? some_variant_has(r->new_name) : is_variant(r->new_name), "no %s",
          r->new_name);
    CHECK(!is_option || !some_variant_has(r->old_name), "%s is there", r->old_name);
  }
}

TEST(renamed, choices_take_old_names)
{
  const bp_variant *variant = bp_variant_find("bp1.0/turn", BP_LANGUAGE_CUDA);
  CU_ASSERT_FATAL(variant != NULL);
  CU_ASSERT_STRING_EQUAL(variant->id, "bp1.0/mma-transposed");
  bp_choice choice = bp_choice_standard(variant);
  CU_ASSERT(bp_choice_set_all(&choice, "warps=3 rooms=4 apart=8 evict_first=5") == BP_OK);
  char *options = bp_choice_options(&choice);
  CHECK(strcmp(options, "warps=3 slots=4 blocks_per_sm=3 stagger=8 evict_first=5") == 0, "%s",
        options);
  bp_free(options);
  CU_ASSERT(bp_choice_set_all(&choice, "rooms=99") == BP_BAD_INPUT);
  CU_ASSERT(bp_choice_set_all(&choice, "dealt=1") == BP_BAD_INPUT); /* it never had that */
}

TEST(renamed, patterns_and_choices_in_texts)
{
  CU_ASSERT_STRING_EQUAL(bp_renamed_pattern("turn"), "mma-transposed");
  CU_ASSERT_STRING_EQUAL(bp_renamed_pattern("bp3.0/turn"), "bp3.0/mma-transposed");
  CU_ASSERT(bp_renamed_pattern("stream") == NULL && bp_renamed_pattern("t*") == NULL);
  static const char *const texts[][2] = {
      {"bp3.0/few-stream once=16 dealt=0",
       "bp3.0/five-pass-stream elements_per_block=1 "
       "blocks_per_sm=1 stagger=0 extra_blocks=0 dynamic=0 prefetch_constants=1 evict_first=16"},
      {"machine/gpu-copy per_thread=4 first_out=3 stays=7",
       "peaks/gpu-copy vectors_per_thread=4 evict_first=3 keep_sixteenths=7"},
      {"bp5/two-kernel-mma elements_per_block=1 warps=7",
       "bp5/two-kernel-mma evict_first=16 warps=7 vector_warps=4 slots=6 blocks_per_sm=1 atomic=0 "
       "history=8 update_blocks=4"}, /* an option that is a size now */
      {"bp3.0/tensor sung=1", "bp3.0/tensor sung=1"},
      {"bp1.0/mine rooms=2", "bp1.0/mine rooms=2"}, /* anybody's */
      {"driver", "driver"},
  };
  for (size_t n = 0; n < sizeof texts / sizeof *texts; ++n) {
    char *today = bp_renamed_choice(texts[n][0]);
    CHECK(strcmp(today, texts[n][1]) == 0, "%s", today);
    bp_free(today);
  }
}

/* A record of today, with old names written into it. */
TEST(renamed, records_are_read_with_new_names)
{
  static const sample_recipe recipe = {.problems = 1,
                                       .degrees = 1,
                                       .variants = 1,
                                       .samples = 20,
                                       .noise = 0.01,
                                       .slower = 1,
                                       .drift = 1,
                                       .seed = 5};
  bp_record *record = sample_record(&recipe);
  bp_record_set(&record->rows[0].problem, "bp1.0");
  bp_record_set(&record->rows[0].variant, "turn");
  bp_record_set(&record->rows[0].options, "warps=4 rooms=2 once=16");
  bp_record_set(&record->rows[0].copy.by, "machine/gpu-copy first_out=1");
  bp_text text = {0};
  bp_record_write_json(record, &text);
  bp_record_destroy(record);
  char path[] = "/tmp/bp-renamed-XXXXXX";
  int file = mkstemp(path);
  CU_ASSERT_FATAL(file >= 0 && write(file, text.data, text.length) == (ssize_t)text.length);
  close(file);
  CHECK(bp_record_read(path, &record) == BP_OK, "%s", bp_message());
  CU_ASSERT_STRING_EQUAL(record->rows[0].variant, "mma-transposed");
  CU_ASSERT_STRING_EQUAL(record->rows[0].options,
                         "warps=4 slots=2 blocks_per_sm=3 stagger=0 evict_first=16");
  CU_ASSERT_STRING_EQUAL(record->rows[0].copy.by,
                         "peaks/gpu-copy vectors_per_thread=4 evict_first=1 keep_sixteenths=0");
  bp_record_destroy(record);
  bp_text_destroy(&text);
  unlink(path);
}

/* ---- headers ---- */

static int place_of(const bp_kernel_header **headers, int count, const char *name)
{
  while (count > 0 && strcmp(headers[count - 1]->name, name) != 0)
    --count;
  return count;
}

TEST(kernel_dir, headers_come_behind_those_that_they_include)
{
  int count, fewer;
  const bp_variant *variant = bp_variant_find("bp3.0/tensor", BP_LANGUAGE_CUDA);
  CU_ASSERT_FATAL(variant != NULL);
  const bp_kernel_header **all = bp_kernel_dir_included(variant->text->source, NULL, &count);
  const bp_kernel_header **some = bp_kernel_dir_included(variant->text->source, "abi/", &fewer);
  int pipeline = place_of(all, count, "lib/pipeline/pipeline_slices.h");
  int scheduler = place_of(all, count, "lib/schedule/tile_scheduler.h");
  CU_ASSERT(scheduler > 0 && scheduler < pipeline);
  CU_ASSERT(place_of(all, count, "abi/gpu.h") > 0 && place_of(all, count, "abi/cpu.h") == 0);
  CU_ASSERT(place_of(all, count, "lib/contract/pencil.h") == 0);
  CU_ASSERT(fewer > 0 && fewer < count && place_of(some, fewer, "abi/gpu.h") == 0);
  for (int n = 0; n < count; ++n)
    CHECK(place_of(all, count, all[n]->name) == n + 1, "%s twice", all[n]->name);
  bp_free(all);
  bp_free(some);
}

TEST(variant, sizes_reach_launches_and_the_compiler)
{
  const bp_variant *variant = bp_variant_find("bp3.0/tensor", BP_LANGUAGE_CUDA);
  CU_ASSERT_FATAL(variant != NULL);
  const bp_operator *op = bp_operator_find("bp3.0");
  bp_choice choice = bp_choice_standard(variant);
  CU_ASSERT(bp_choice_set(&choice, "slots", 4) == BP_OK);
  char *defines[BP_DEFINES_MAX];
  int count = bp_choice_defines(&choice, op, bp_operator_space(op, 7), defines), found = 0;
  for (int n = 0; n < count; ++n) {
    /* 7 * 81 doubles from any place in a line on; 9 slabs of 9 rows of 9, and 4 banks */
    found += strcmp(defines[n], "-DSLICE_SLOT=592") == 0 ||
             strcmp(defines[n], "-DSLOTS_USED=4") == 0 || strcmp(defines[n], "-DTILE_ROW=9") == 0 ||
             strcmp(defines[n], "-DCUBE=756") == 0 || strcmp(defines[n], "-DWARPS=6") == 0;
    bp_free(defines[n]);
  }
  CU_ASSERT_EQUAL(found, 5);
  bp_name names[BP_NAMES_MAX];
  int64_t shared;
  bp_choice_names(&choice, op, bp_operator_space(op, 7), 100, 1, 132, names);
  CU_ASSERT(bp_expression_evaluate(variant->launches[0].shared, names, &shared) == BP_OK);
  CU_ASSERT_EQUAL(shared, 8 * (4 * 592 + 2 * 756 + 528));
}
