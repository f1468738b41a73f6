/* expression.c -- tests of the expressions in kernel files' headers. */
#include "test.h"

#include "registry/expression.h"

static const bp_name names[] = {
    {"nq", 8}, {"nc", 9}, {"max_rooms", 3}, {"most", INT64_MAX}, {NULL, 0}};

TEST(expression, values)
{
  static const struct {
    const char *text;
    int64_t value;
  } expected[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3 % 4", 1},
      {"nq*nq*nq - nc", 503},
      {"-nq + !0", -7},
      {"nq < nc && nc != 9 || nq >= 8", 1},
      {"nq % 2 == 0 ? nc : 1 / 1", 9},
      {"max(nq, nc)", 9},
      {"max ( -2 , -3 )", -2},
      {"max_rooms", 3},
      {"same_bank(81, 9)", 89},
      {"same_bank(80, 16)", 80},
      {"same_bank(17, 0)", 32},
      {"same_bank(nc * same_bank(nc*nc, nc), max(nc*nc, 1)) + 1", 802},
  };
  for (size_t n = 0; n < sizeof expected / sizeof *expected; ++n) {
    int64_t value = -1;
    bp_status status = bp_expression_evaluate(expected[n].text, names, &value);
    CHECK(status == BP_OK && value == expected[n].value, "%s gave %lld", expected[n].text,
          (long long)value);
  }
}

TEST(expression, mistakes_are_told_with_their_column)
{
  static const struct {
    const char *text, *told;
  } expected[] = {
      {"nq +", "column 5: expected a number, a name or '(', found 'the end'"},
      {"nq ++ 1 +", "column 5: expected a number"},
      {"(nq", "column 4: expected ')'"},
      {"nq nc", "column 4: expected an operator or the end, found 'nc'"},
      {"room", "column 1: expected a name that is known here, found 'room'"},
      {"nq / (nc - 9)", "expected a divisor that is not 0"},
      {"most + 1", "expected a value below 2^63"},
      {"99999999999999999999", "expected a value below 2^63"},
      {"nq ? 1", "column 7: expected ':'"},
      {"max", "column 4: expected '(', found 'the end'"},
      {"max(nq)", "column 7: expected ',', found ')'"},
      {"max(nq, nc", "column 11: expected ')', found 'the end'"},
      {"maximum(nq, nc)", "expected a name that is known here, found 'maximum(nq, '"},
      {"same_bank(nq, 0 - 1)", "expected numbers that are not negative"},
      {"same_bank(most, 0)", "expected a value below 2^63"},
  };
  for (size_t n = 0; n < sizeof expected / sizeof *expected; ++n) {
    int64_t value;
    bp_status status = bp_expression_evaluate(expected[n].text, names, &value);
    CHECK(status == BP_BAD_INPUT && strstr(bp_message(), expected[n].told), "%s: %s",
          expected[n].text, bp_message());
  }
}
