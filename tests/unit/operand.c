/* operand.c -- tests of the table of operands. */
#include "registry/operand.h"
#include "fem/problem.h"
#include "registry/choice.h"
#include "test.h"

TEST(operand, rows_are_found_by_their_names)
{
  for (int n = 0; n < BP_OPERANDS_COUNT; ++n)
    CU_ASSERT_EQUAL(bp_operand_find(bp_operands[n].name), n);
  CU_ASSERT_EQUAL(bp_operand_find("U"), -1);
  CU_ASSERT_EQUAL(bp_operands[BP_OPERAND_v].access, BP_ACCESS_WRITE);
  CU_ASSERT_EQUAL(bp_operands[BP_OPERAND_factors].offset, offsetof(bp_cpu_arguments, factors));
}

TEST(operand, names_are_parsed_in_their_order)
{
  int operands[3] = {0};
  CU_ASSERT_EQUAL(bp_operands_parse("  v factors  u ", operands, 3), 3);
  CU_ASSERT(operands[0] == BP_OPERAND_v && operands[1] == BP_OPERAND_factors &&
            operands[2] == BP_OPERAND_u);
  static const char *const wrong[] = {
      "", " ", "u w", "u v factors I", "u,v", "u0123456789012345678901234567890123456789"};
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n)
    CHECK(bp_operands_parse(wrong[n], operands, 3) == 0, "'%s' was taken", wrong[n]);
}

static void check_source(const char *names, const char *expected)
{
  int operands[BP_OPERANDS_COUNT];
  bp_text text = {0};
  int count = bp_operands_parse(names, operands, BP_OPERANDS_COUNT);
  CU_ASSERT_FATAL(count > 0);
  bp_operands_source(operands, count, &text);
  CHECK(strcmp(text.data, expected) == 0, "expected\n%s\nfound\n%s", expected, text.data);
  bp_text_destroy(&text);
}

/* What only is read is const, and no two are the same memory. */
TEST(operand, the_source_of_parameters_has_them_in_the_header_s_order)
{
  check_source("v u scratch",
               "#define BP_PARAMETERS int elements, int degree, double lambda, real "
               "*__restrict__ v, const real *__restrict__ u, real *__restrict__ scratch\n"
               "#define BP_PARAMETERS_PLAIN int elements, int degree, double lambda, real *v, "
               "real *u, real *scratch\n"
               "#define BP_ARGUMENTS(a) *(const int *)a[0], *(const int *)a[1], *(const "
               "bp_emulated_real *)a[2], *(real *const *)a[3], *(real *const *)a[4], "
               "*(real *const *)a[5]\n"
               "#define BP_SET_OPERANDS(a) (a).elements = elements, (a).v = v, (a).u = u, "
               "(a).scratch = scratch\n");
}

/* Counts are those that a problem has. */
TEST(operand, counts_are_expressions_of_the_space)
{
  for (int o = 0; o < BP_OPERATORS; ++o) {
    const bp_operator *op = &bp_operators[o];
    const bp_space space = bp_operator_space(op, 4);
    bp_name names[BP_NAMES_MAX];
    int64_t count = 0;
    bp_space_names(op, space, 7, 1, 1, names);
    CU_ASSERT_EQUAL(bp_expression_evaluate(bp_operands[BP_OPERAND_u].count, names, &count), BP_OK);
    CU_ASSERT_EQUAL(count, 7 * 125);
    CU_ASSERT_EQUAL(bp_expression_evaluate(bp_operands[BP_OPERAND_I].count, names, &count), BP_OK);
    CU_ASSERT_EQUAL(count, 5 * space.points);
  }
}

/* The ladder's options stand in a header that the kernel includes. */
TEST(operand, options_come_from_included_headers_and_the_file_s_own_line_wins)
{
  for (int own = 0; own < 2; ++own) {
    const bp_variant *v = bp_variant_find(own ? "bp1.0/global" : "bp1.0/slabs", BP_LANGUAGE_CUDA);
    CU_ASSERT_FATAL(v && v->options_count == 5);
    CU_ASSERT_STRING_EQUAL(v->options[0].name, "const");
    CU_ASSERT_STRING_EQUAL(v->options[1].name, "unroll");
    CHECK(v->options[1].standard == !own, "%s: unroll=%d", v->id, (int)v->options[1].standard);
  }
}
