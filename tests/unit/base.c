/* base.c -- tests of src/base. */
#include "test.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

TEST(memory, arrays_begin_where_pages_do)
{
  for (size_t bytes = 1; bytes < 3 << 20; bytes = 2 * bytes + 1) {
    char *array = bp_alloc_array(bytes, 1);
    CU_ASSERT((uintptr_t)array % (bytes < 256 << 10 ? 64 : 2 << 20) == 0);
    array[0] = array[bytes - 1] = 1;
    bp_free(array);
  }
}

TEST(text, matches_patterns)
{
  static const struct {
    const char *pattern, *text;
    bool is_match;
  } cases[] = {
      {"bp3.5/*", "bp3.5/columns", true},
      {"*", "", true},
      {"*col*", "bp3.5/columns", true},
      {"k[1-3]", "k2", true},
      {"k[1-3]", "k4", false},
      {"{a,bc}d", "bcd", true},
      {"{a,bc}d", "acd", false},
      {"?", "", false},
      {"a?c", "abc", true},
      {"a", "ab", false},
      {"[ab", "[ab", true},
      {"**a", "xa", true},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n)
    CHECK(bp_matches(cases[n].pattern, cases[n].text) == cases[n].is_match, "%s on %s",
          cases[n].pattern, cases[n].text);
}

TEST(text, parses_only_whole_decimal_numbers)
{
  static const char *const good[] = {"1", "-1.5", ".5", "5.", "1e3", "+2E-3"};
  static const char *const bad[] = {"",    "e5",  ".",     "1e",  "0x10",
                                    "nan", "inf", "1e400", "1,5", " 1"};
  double value;
  int64_t whole = 7;
  for (size_t n = 0; n < sizeof good / sizeof *good; ++n)
    CHECK(bp_parse_double(good[n], &value), "%s", good[n]);
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n)
    CHECK(!bp_parse_double(bad[n], &value), "%s", bad[n]);
  CU_ASSERT(bp_parse_int("-12", &whole) && whole == -12);
  CU_ASSERT(!bp_parse_int("9223372036854775808", &whole) && !bp_parse_int("1.0", &whole));
  CU_ASSERT(whole == -12);
}

TEST(text, prints_doubles_that_read_back)
{
  static const double values[] = {0.1, 1.0 / 3, 1e300, -2.5e-310, 123456789.0, 0};
  char out[32];
  for (size_t n = 0; n < sizeof values / sizeof *values; ++n) {
    double back = -1;
    CU_ASSERT(bp_parse_double(bp_print_double(out, values[n]), &back));
    CU_ASSERT(back == values[n]);
  }
  CU_ASSERT_STRING_EQUAL(bp_print_double(out, 0.1), "0.1");
}

TEST(text, finds_the_nearest_name)
{
  static const char *const names[] = {"degree", "device", "problem", "min_time"};
  CU_ASSERT_STRING_EQUAL(bp_nearest("degre", names, 4), "degree");
  CU_ASSERT_STRING_EQUAL(bp_nearest("porblem", names, 4), "problem");
  CU_ASSERT_STRING_EQUAL(bp_nearest("min-time", names, 4), "min_time");
  CU_ASSERT_PTR_NULL(bp_nearest("xylophone", names, 4));
}

TEST(json, writes_what_it_reads)
{
  static const double numbers[] = {1, 0.1, -3e-5};
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_object(&json, NULL);
  bp_json_string(&json, "name", "a \"b\"\n\xc3\xa4");
  bp_json_doubles(&json, "values", numbers, 3);
  bp_json_begin_array(&json, "rows");
  bp_json_begin_object(&json, NULL);
  bp_json_int(&json, "n", INT64_MIN);
  bp_json_bool(&json, "yes", true);
  bp_json_double(&json, "missing", NAN);
  bp_json_end_object(&json);
  bp_json_end_array(&json);
  bp_json_end_object(&json);
  bp_json_value *root;
  CU_ASSERT_FATAL(bp_json_read("test", text.data, text.length, &root) == BP_OK);
  CU_ASSERT_STRING_EQUAL(bp_json_find(root, "name")->string, "a \"b\"\n\xc3\xa4");
  CU_ASSERT(bp_json_find(root, "values")->items[1].number == 0.1);
  const bp_json_value *row = &bp_json_find(root, "rows")->items[0];
  CU_ASSERT(bp_json_find(row, "yes")->number == 1);
  CU_ASSERT(bp_json_find(row, "missing")->kind == BP_JSON_NULL);
  bp_json_destroy(root);
  bp_text_destroy(&text);
}

TEST(json, reads_escapes_as_utf_8)
{
  static const char text[] = "\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\t\\b\\f\\/\"";
  bp_json_value *root;
  CU_ASSERT_FATAL(bp_json_read("test", text, strlen(text), &root) == BP_OK);
  CU_ASSERT_STRING_EQUAL(root->string, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\t\b\f/");
  bp_json_destroy(root);
  static const char *const bad[] = {"\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800\\ug\"",
                                    "\"\\u00g0\""};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n)
    CHECK(bp_json_read("test", bad[n], strlen(bad[n]), &root) == BP_BAD_INPUT, "%s", bad[n]);
}

TEST(json, writes_control_characters_as_escapes)
{
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_string(&json, NULL, "\t\x01\n");
  CU_ASSERT_STRING_EQUAL(text.data, "\"\\t\\u0001\\n\"");
  bp_text_destroy(&text);
}

TEST(json, refuses_what_is_not_json)
{
  static const char *const bad[] = {
      "",          "{",   "[1,]",    "{\"a\":1,\"a\":2}", "[1] 2",     "\"\\ud800\"", "nul",
      "{\"a\" 1}", "\"a", "[1e999]", "\"\\u12\"",         "[\"\\x\"]", "01x"};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n) {
    bp_json_value *root;
    CHECK(bp_json_read("test", bad[n], strlen(bad[n]), &root) == BP_BAD_INPUT, "%s", bad[n]);
    CHECK(strncmp(bp_message(), "test:1: expected", 16) == 0, "%s", bp_message());
  }
  char deep[300];
  memset(deep, '[', sizeof deep);
  bp_json_value *root;
  CU_ASSERT(bp_json_read("deep", deep, sizeof deep, &root) == BP_BAD_INPUT);
}

TEST(json, refuses_objects_of_very_many_keys)
{
  bp_text text = {0};
  bp_json_value *root;
  bp_text_append(&text, "{\"first\": 0");
  for (int n = 0; n < 100000; ++n)
    bp_text_appendf(&text, ", \"%d\": 0", n);
  bp_text_append(&text, "}");
  CU_ASSERT(bp_json_read("many", text.data, text.length, &root) == BP_BAD_INPUT);
  CHECK(strstr(bp_message(), "at most 4096 keys") != NULL, "%s", bp_message());
  bp_text_destroy(&text);
}
