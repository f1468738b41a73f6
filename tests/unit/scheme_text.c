/* scheme_text.c -- tests of schemes, and of what variants inherit from headers. */
#include "registry/scheme_text.h"
#include "base/memory.h"
#include "registry/architecture.h"
#include "registry/choice.h"
#include "test.h"
#include <string.h>

#define TEXT(list, rest)                                                                           \
  "/* solve/fold-ranks -- made up\n *\n * operators: " list "\n * " rest                           \
  "\n */\n#include \"lib/solve/apply_OPERATOR.h\"\nint OPERATOR;\n"

TEST(scheme_text, is_a_variant_with_each_operator)
{
  const bp_variant_text scheme = {.id = "solve/fold-ranks",
                                  .file = "kernels/solve/fold-ranks.cu",
                                  .source = TEXT("bp1, bp3-mma-rows 7..14", "factors: ecijk")};
  bp_variant_text *made = NULL;
  int count = 0;
  CU_ASSERT(bp_scheme_text_is(&scheme));
  CU_ASSERT_FATAL(bp_scheme_text_variants(&scheme, &made, &count) == BP_OK && count == 2);
  CU_ASSERT_STRING_EQUAL(made[0].id, "bp1/fold-ranks");
  CU_ASSERT_STRING_EQUAL(made[0].source,
                         "/* solve/fold-ranks -- made up\n *\n *\n * factors: ecijk\n */\n"
                         "#include \"lib/solve/apply_bp1.h\"\nint OPERATOR;\n");
  CU_ASSERT_STRING_EQUAL(made[1].id, "bp3/fold-mma-rows-ranks");
  CU_ASSERT_STRING_EQUAL(
      made[1].source,
      "/* solve/fold-ranks -- made up\n *\n * degrees: 7..14\n * factors: ecijk\n */\n"
      "#include \"lib/solve/apply_bp3_mma_rows.h\"\nint OPERATOR;\n");
  CU_ASSERT_STRING_EQUAL(made[1].file, scheme.file);
  CU_ASSERT(!bp_scheme_text_is(&made[0]) && !bp_scheme_text_is(&made[1]));
  for (int n = 0; n < count; ++n) {
    bp_free((char *)made[n].id);
    bp_free((char *)made[n].source);
  }
  bp_free(made);
}

TEST(scheme_text, what_is_no_list_of_operators_is_refused)
{
  static const char *const sources[] = {TEXT("bp1, 7..9", "x"), TEXT("bp1 bp3", "x"),
                                        TEXT("bp1 7..9 bp3", "x"), TEXT("BP1", "x")};
  for (size_t n = 0; n < sizeof sources / sizeof *sources; ++n) {
    const bp_variant_text scheme = {"solve/fold-ranks", "fold.cu", sources[n]};
    bp_variant_text *made = NULL;
    int count = 0;
    CHECK(bp_scheme_text_variants(&scheme, &made, &count) == BP_BAD_INPUT, "%zu", n);
    for (int m = 0; m < count; ++m) {
      bp_free((char *)made[m].id);
      bp_free((char *)made[m].source);
    }
    bp_free(made);
  }
  const bp_variant_text none = {.source = "/* bp1.0/x -- operators: bp1\n */\n * operators: bp1\n"};
  CU_ASSERT(!bp_scheme_text_is(&none));
}

/* Degrees, factors and options of the operator's header; the scheme's list has fewer degrees. */
TEST(scheme_text, variants_have_what_their_operator_declares)
{
  static const struct {
    const char *id, *factors, *option;
    int lowest, highest, requires;
  } expected[] = {
      {"bp1/two-kernel", "ecijk", "elements_per_block", 1, 15, 0},
      {"bp5/two-kernel", "ekcji", "cubes", 1, 13, 0},
      {"bp5/two-kernel-ranks", "ekcji", "cubes", 1, 12, 0},
      {"bp3/two-kernel-mma-ranks", "ekcji align 2 tiled", "vector_warps", 7, 15, BP_HAS_MMA},
      {"bp3/merged-mma", "ekcji align 2 tiled", "vector_warps", 7, 14, BP_HAS_MMA},
      {"bp3/predicted-middle-slice", "ekcji align 2 tiled", "slots", 15, 15, BP_HAS_MMA}};
  for (size_t n = 0; n < sizeof expected / sizeof *expected; ++n) {
    const bp_variant *v = bp_variant_find(expected[n].id, BP_LANGUAGE_CUDA);
    CHECK(v && v->lowest == expected[n].lowest && v->highest == expected[n].highest &&
              v->requires == expected[n].requires && strcmp(v->factors, expected[n].factors) == 0 &&
              bp_choice_has(v, expected[n].option) && bp_choice_has(v, "history"),
          "%s", expected[n].id);
  }
}

static void check_launches(const char *id, const char *const *kernels)
{
  const bp_variant *v = bp_variant_find(id, BP_LANGUAGE_CUDA);
  CU_ASSERT_FATAL(v != NULL);
  for (int n = 0; n < v->launches_count; ++n)
    CHECK(kernels[n] && strcmp(v->launches[n].kernel, kernels[n]) == 0, "%s: %s", id,
          v->launches[n].kernel);
  CHECK(kernels[v->launches_count] == NULL, "%s: %d launches", id, v->launches_count);
}

/* A file's launches take the place of its headers' in that phase alone; phases follow each other. */
TEST(scheme_text, launches_are_inherited_by_phase)
{
  check_launches("wave/two-kernel",
                 (const char *const[]){"start", "step", "surface", "points", "finish", NULL});
  check_launches("wave/two-kernel-ranks",
                 (const char *const[]){"start", "step", "sources", "pack", "surface", "points",
                                       "finish", NULL});
}

/* Whether sums are atomic is an option of the operator; a scheme that has no choice makes it a size. */
TEST(scheme_text, an_option_may_become_a_size)
{
  static const struct {
    const char *id;
    bool is_option, is_atomic;
  } expected[] = {{"bp5/two-kernel", true, false},
                  {"bp5/one-kernel", false, true},
                  {"bp5/two-kernel-ranks", false, false},
                  {"bp1/merged-mma-tiles", false, false},
                  {"wave/two-kernel", true, false}};
  const bp_operator *op = bp_operator_find("bp3.5");
  for (size_t n = 0; n < sizeof expected / sizeof *expected; ++n) {
    const bp_variant *v = bp_variant_find(expected[n].id, BP_LANGUAGE_CUDA);
    CU_ASSERT_FATAL(v != NULL);
    bp_choice choice = bp_choice_standard(v);
    const bp_space space = bp_operator_space(op, 7);
    CHECK(bp_choice_has(v, "atomic") == expected[n].is_option, "%s", v->id);
    CHECK(bp_choice_is_atomic(&choice, op, space) == expected[n].is_atomic, "%s", v->id);
    if (expected[n].is_option) {
      CU_ASSERT(bp_choice_set(&choice, "atomic", 1) == BP_OK);
      CHECK(bp_choice_is_atomic(&choice, op, space), "%s atomic=1", v->id);
    }
  }
}
