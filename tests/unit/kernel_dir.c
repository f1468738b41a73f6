/* kernel_dir.c -- tests of the headers of kernels, and of what a variant's own declares. */
#include "test.h"

#include "base/memory.h"
#include "registry/choice.h"
#include "registry/kernel_dir.h"
#include <string.h>

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
