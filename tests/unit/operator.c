/* operator.c -- tests of the model of bytes and flops. */
#include "test.h"

#include "fem/operator.h"

TEST(operator, has_the_published_bytes_and_flops_at_degree_7)
{
  static const struct {
    const char *name;
    int64_t flops, bytes;
  } published[BP_OPERATORS] = {
      {"bp1.0", 63225, 14024}, {"bp3.0", 155079, 49016}, {"bp3.5", 56832, 36864}};
  for (int n = 0; n < BP_OPERATORS; ++n) {
    const bp_operator *op = bp_operator_find(published[n].name);
    CU_ASSERT_FATAL(op != NULL);
    CHECK(bp_operator_flops(op, bp_operator_space(op, 7)) == published[n].flops, "%s: %lld flop",
          op->name, (long long)bp_operator_flops(op, bp_operator_space(op, 7)));
    CHECK(bp_operator_bytes(op, bp_operator_space(op, 7)) == published[n].bytes, "%s: %lld bytes",
          op->name, (long long)bp_operator_bytes(op, bp_operator_space(op, 7)));
  }
}

/* Counted by hand for N = 1: 8 nodes; 27 points of bp1.0 and bp3.0. */
TEST(operator, has_the_counts_worked_out_by_hand_at_degree_1)
{
  const bp_operator *mass = bp_operator_find("bp1.0"), *collocated = bp_operator_find("bp3.5");
  const bp_operator *gauss = bp_operator_find("bp3.0");
  int64_t interpolate = 2 * 2 * (3 * 4 * 2 + 9 * 2 * 2 + 27 * 2);
  CU_ASSERT(bp_operator_flops(mass, bp_operator_space(mass, 1)) == interpolate + 27);
  CU_ASSERT(bp_operator_flops(gauss, bp_operator_space(gauss, 1)) ==
            interpolate + 6 * 27 * 3 * 2 + 19 * 27);
  CU_ASSERT(bp_operator_flops(collocated, bp_operator_space(collocated, 1)) ==
            6 * 8 * 2 * 2 + 15 * 8);
  CU_ASSERT(bp_operator_doubles_read(mass, bp_operator_space(mass, 1)) == 8 + 27);
  CU_ASSERT(bp_operator_doubles_read(gauss, bp_operator_space(gauss, 1)) == 8 + 7 * 27);
  CU_ASSERT(bp_operator_doubles_read(collocated, bp_operator_space(collocated, 1)) == 8 * 8);
  for (int n = 0; n < BP_OPERATORS; ++n)
    CU_ASSERT(
        bp_operator_doubles_written(&bp_operators[n], bp_operator_space(&bp_operators[n], 1)) == 8);
}

TEST(operator, is_found_by_its_name_only)
{
  CU_ASSERT_PTR_NULL(bp_operator_find("bp3"));
  CU_ASSERT_PTR_NULL(bp_operator_find(""));
  CU_ASSERT_PTR_NULL(bp_operator_find("BP1.0"));
}

TEST(operator, of_pair_has_a_number_for_each_two_species)
{
  const bp_operator *pair = bp_operator_find("pair");
  CU_ASSERT_PTR_EQUAL_FATAL(pair, &bp_operator_pair);
  const bp_space space = bp_operator_space(pair, 64);
  CU_ASSERT_EQUAL(bp_operator_degree(pair, space), 64);
  CU_ASSERT_EQUAL(bp_operator_bytes(pair, space), 8 * (64 * 64 + 4 * 64));
  CU_ASSERT_EQUAL(bp_operator_flops(pair, space), 3 * 64 * 64);
  CU_ASSERT_EQUAL(bp_operator_other_points(pair, space), 0);
}
