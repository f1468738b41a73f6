/* operator.c -- tests of the model of bytes and flops. */
#include "test.h"

#include "base/memory.h"
#include "fem/operator.h"
#include <string.h>

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
  CU_ASSERT_PTR_NOT_NULL_FATAL(pair);
  const bp_space space = bp_operator_space(pair, 64);
  CU_ASSERT_EQUAL(bp_operator_degree(pair, space), 64);
  CU_ASSERT_EQUAL(bp_operator_bytes(pair, space), 8 * (64 * 64 + 4 * 64));
  CU_ASSERT_EQUAL(bp_operator_flops(pair, space), 3 * 64 * 64);
  CU_ASSERT_EQUAL(bp_operator_other_points(pair, space), 0);
}

/* Of N = 1 with 2 and 5 points, by hand. */
TEST(operator, counts_any_number_of_points)
{
  const bp_operator *op = bp_operator_find("bp3.0");
  bp_space own = bp_operator_space_with(op, 1, 0, "own");
  bp_space few = bp_operator_space_with(op, 1, 1, "own"),
           many = bp_operator_space_with(op, 1, 4, "own");
  CU_ASSERT(own.points == bp_operator_space(op, 1).points && own.rule == op->rule);
  CU_ASSERT(few.points == 2 && many.points == 5);
  CU_ASSERT(bp_operator_bytes(op, few) == 8 * (8 + 7 * 8 + 8));
  CU_ASSERT(bp_operator_bytes(op, many) == 8 * (8 + 7 * 125 + 8));
  CU_ASSERT(bp_operator_flops(op, many) ==
            2 * 2 * (5 * 4 * 2 + 25 * 2 * 2 + 125 * 2) + 6 * 125 * 5 * 2 + 19 * 125);
  CU_ASSERT(bp_operator_other_points(op, own) == 0 && bp_operator_other_points(op, many) == 5);
}

TEST(operator, names_a_quadrature_that_is_not_its_own)
{
  static const struct {
    int beyond;
    const char *rule, *name;
  } cases[] = {{0, "own", ""},
               {2, "own", ""},
               {2, "gauss", ""},
               {3, "own", "N+3 gauss"},
               {0, "lobatto", "N+2 lobatto"},
               {1, "lobatto", "N+1 lobatto"}};
  const bp_operator *op = bp_operator_find("bp1.0");
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    char *name =
        bp_operator_quadrature(op, bp_operator_space_with(op, 3, cases[n].beyond, cases[n].rule));
    CHECK(strcmp(name, cases[n].name) == 0, "%d %s: '%s'", cases[n].beyond, cases[n].rule, name);
    bp_free(name);
  }
  CU_ASSERT(!bp_operator_is_collocated(op) && bp_operator_is_collocated(bp_operator_find("bp3.5")));
}
