/* record.c -- tests of src/report/record*: what is written comes back, damage is named. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

static const sample_recipe recipe = SAMPLE_RECIPE(.problems = 3, .degrees = 3, .variants = 4,
                                                  .samples = 20, .faults = true, .seed = 5);

/* Through a file, as users do. */
static bp_status read_text(const char *text, size_t length, bp_record **record)
{
  char path[] = "/tmp/bp-record-XXXXXX";
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  CU_ASSERT(write(fd, text, length) == (ssize_t)length);
  close(fd);
  bp_status status = bp_record_read(path, record);
  unlink(path);
  return status;
}

static bp_text sample_text(void)
{
  bp_text text = {0};
  bp_record *record = sample_record(&recipe);
  bp_record_write_json(record, &text);
  bp_record_destroy(record);
  return text;
}

TEST(record, comes_back_to_the_last_bit)
{
  bp_text text = sample_text(), again = {0};
  bp_record *record;
  CHECK(read_text(text.data, text.length, &record) == BP_OK, "%s", bp_message());
  CU_ASSERT_FATAL(record != NULL);
  bp_record_write_json(record, &again);
  CU_ASSERT_STRING_EQUAL(text.data, again.data);
  CU_ASSERT(record->seed == UINT64_MAX - 5);
  CU_ASSERT(record->rows_count == 36 && record->rows[4].status == BP_ROW_WRONG);
  CU_ASSERT_STRING_EQUAL(record->rows[0].options, "depth=0");
  CU_ASSERT_STRING_EQUAL(record->command, "bp run 'configs/my sweep.yaml' --set degree=1..15");
  CU_ASSERT(record->rows[0].seconds.samples && record->rows[0].power.throttle == NULL);
  CU_ASSERT_STRING_EQUAL(record->rows[6].power.throttle, "power cap");
  bp_record_destroy(record);
  bp_text_destroy(&again);
  bp_text_destroy(&text);
}

TEST(record, derives_rates_from_the_median)
{
  bp_record *record = bp_record_create(0, NULL);
  bp_row *row = bp_record_add_row(record);
  static const double seconds[] = {4e-3, 1e-3, 2e-3}, copy[] = {1e-3};
  CU_ASSERT(isnan(bp_row_gflops(row)) && isnan(bp_row_roofline_fraction(row)));
  row->flops = 6000000;
  row->bytes = 2000000;
  row->dofs = 1000000;
  row->copy.bytes = 1000000;
  row->seconds = bp_timing_of(seconds, 3);
  row->copy.seconds = bp_timing_of(copy, 1);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_gflops(row), 3, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_gbytes_per_second(row), 1, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_gdofs_per_second(row), 0.5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_copy_gbytes_per_second(row), 2, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_roofline_gflops(row), 6, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_roofline_fraction(row), 0.5, 1e-12);
  row->status = BP_ROW_WRONG;
  CU_ASSERT(isnan(bp_row_gflops(row)) && isnan(bp_row_gbytes_per_second(row)));
  bp_record_destroy(record);
}

TEST(record, options_keep_order_names_and_values)
{
  static const char *const options[] = {
      "", "pad=0", "elements_per_block=4 pad=1", "order=xyz unroll=-1", "flag", "size=007 x=1.5"};
  for (size_t n = 0; n < sizeof options / sizeof *options; ++n) {
    bp_record *record = bp_record_create(0, NULL), *back = NULL;
    bp_text text = {0};
    bp_record_set(&bp_record_add_row(record)->options, options[n]);
    bp_record_write_json(record, &text);
    CHECK(read_text(text.data, text.length, &back) == BP_OK, "%s", bp_message());
    CU_ASSERT_FATAL(back != NULL);
    CHECK(strcmp(back->rows[0].options, options[n]) == 0, "%s", back->rows[0].options);
    bp_record_destroy(back);
    bp_record_destroy(record);
    bp_text_destroy(&text);
  }
}

/* The sample with the first `from` replaced. */
static bp_text damaged(const char *from, const char *to)
{
  bp_text text = sample_text(), result = {0};
  char *at = strstr(text.data, from);
  CHECK(at != NULL, "'%s' is not in the sample", from);
  CU_ASSERT_FATAL(at != NULL);
  bp_text_append_bytes(&result, text.data, (size_t)(at - text.data));
  bp_text_append(&result, to);
  bp_text_append(&result, at + strlen(from));
  bp_text_destroy(&text);
  return result;
}

TEST(record, damage_is_named)
{
  static const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"schema\": 2", "\"schema\": 3", "expected a record of schema 2 or older, found schema 3"},
      {"\"schema\": 2", "\"x\": 1", "expected a record of bp (an object with a 'schema')"},
      {"\"degree\": 1", "\"degree\": 1.5",
       "expected a whole number from 0 on as 'degree', found 1.5"},
      {"\"degree\": 1,", "", "expected the key 'degree', found none"},
      {"\"status\": \"ok\"", "\"status\": \"fine\"", "expected 'ok', 'wrong' or 'skipped'"},
      {"\"dofs\": ", "\"dofs\": -", "expected a whole number from 0 on"},
      {"\"depth\": 0", "\"depth\": [0]", "as 'options', found an object"},
      {"\"count\": 20", "\"count\": 21", "expected as many samples as 'count' says (21), found 20"},
      {"\"median\": ", "\"median\": 1,\"x\": ", "0 < min <= median <= max"},
      {"\"samples\": [", "\"samples\": [null],\"x\": [", "count' says (20), found 1"},
      {"\"samples\": [",
       "\"samples\": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],\"x\": [",
       "expected samples from 'min' "},
      {"\"samples\": [",
       "\"samples\": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5e-324],\"x\": [",
       "expected seconds from 1e-15 to 1e12 as 'samples'"},
      {"\"min\": ", "\"min\": 5e-324,\"x\": ", "expected seconds from 1e-15 to 1e12 as 'min'"},
      {"\"max\": ", "\"max\": 1e300,\"x\": ", "expected seconds from 1e-15 to 1e12 as 'max'"},
      {"\"interval\": [", "\"interval\": [1, 1],\"x\": [", "the median within its interval"},
      {"\"interval\": [", "\"interval\": [1],\"x\": [",
       "expected two times as 'interval', found 1"},
      {"\"interval\": [", "\"interval\": [1, null],\"x\": [", "as 'interval', found null"},
      {"\"setup_seconds\": ", "\"setup_seconds\": 1e300,\"x\": ",
       "expected a number from 0 to 1e30"},
      {"\"seed\": \"0x", "\"seed\": \"", "expected a text like 0x1f"},
      {"\"seed\": \"0x", "\"seed\": \"a\\nb", "found 'a\\x0ab"},
      {"\"rows\": [", "\"rows\": [7, ", "expected an array of objects as 'rows', found 7"},
      {"\"environment\": {", "\"environment\": {\"a\": 1,", "expected a text as 'a', found 1"},
      {"\"copy\": {", "\"copie\": {", "expected the key 'copy', found none"},
      {"\"command\": \"", "\"command\": 0 \"", "expected ',' or '}'"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_text text = damaged(cases[n].from, cases[n].to);
    bp_record *record;
    CHECK(read_text(text.data, text.length, &record) == BP_BAD_INPUT, "%s was read", cases[n].to);
    CHECK(strstr(bp_message(), cases[n].message) && !strchr(bp_message(), '\n'), "%s: %s",
          cases[n].to, bp_message());
    CU_ASSERT_PTR_NULL(record);
    bp_text_destroy(&text);
  }
}

/* A record cut anywhere is refused, and never crashes the reader. */
TEST(record, a_cut_record_is_refused)
{
  bp_text text = sample_text();
  for (size_t length = 0; length + 2 < text.length; length += 97) {
    bp_record *record;
    CHECK(read_text(text.data, length, &record) == BP_BAD_INPUT, "cut at %zu", length);
  }
  bp_text_destroy(&text);
}

/* Files that drew outside their figures, or whose rates were not finite. */
TEST(record, inconsistent_records_are_refused)
{
  glob_t files;
  CU_ASSERT_FATAL(glob("tests/records/bad/*", 0, NULL, &files) == 0);
  CU_ASSERT(files.gl_pathc >= 5);
  for (size_t n = 0; n < files.gl_pathc; ++n) {
    bp_record *record;
    CHECK(bp_record_read(files.gl_pathv[n], &record) == BP_BAD_INPUT, "%s", files.gl_pathv[n]);
    CHECK(strstr(bp_message(), ": expected ") && !strchr(bp_message(), '\n'), "%s", bp_message());
    bp_record_destroy(record);
  }
  globfree(&files);
}

/* Problems and variants of anybody's have any name: they are not looked up among ours, and are written as
 * they were read. */
TEST(record, any_names_are_read)
{
  bp_text text = damaged("{\"problem\": \"", "{\"problem\": \" no such a/b "), json = {0};
  bp_record *record;
  CHECK(read_text(text.data, text.length, &record) == BP_OK, "%s", bp_message());
  CU_ASSERT_FATAL(record != NULL);
  CHECK(strncmp(record->rows[0].problem, " no such a/b ", 13) == 0, "%s", record->rows[0].problem);
  bp_record_write_json(record, &json);
  CU_ASSERT_STRING_EQUAL(json.data, text.data);
  bp_record_destroy(record);
  bp_text_destroy(&json);
  bp_text_destroy(&text);
}

TEST(record, reads_schema_1)
{
  bp_record *record;
  CHECK(bp_record_read("tests/records/schema-1.json", &record) == BP_OK, "%s", bp_message());
  CU_ASSERT_FATAL(record != NULL);
  CU_ASSERT(record->schema == BP_RECORD_SCHEMA && record->rows_count == 8 &&
            record->meshes_count == 1);
  CU_ASSERT_STRING_EQUAL(record->rows[0].problem, "bp1.0");
  CU_ASSERT(record->rows[0].seconds.samples && record->bounds_count == 2);
  CU_ASSERT(record->rows[0].nodes == 32768 && record->rows[0].dofs == 4913);
  CU_ASSERT_DOUBLE_EQUAL(bp_row_gdofs_per_second(&record->rows[0]),
                         4913e-9 / record->rows[0].seconds.statistics.median, 1e-12);
  CU_ASSERT(record->rows[4].status == BP_ROW_WRONG && record->rows[5].status == BP_ROW_SKIPPED);
  bp_record_destroy(record);
}

TEST(record, reads_columns_of_schema_1_by_their_names_of_today)
{
  bp_record *record;
  CHECK(bp_record_read("tests/records/schema-1-cpu.csv", &record) == BP_OK, "%s", bp_message());
  CU_ASSERT_FATAL(record != NULL);
  CU_ASSERT(record->rows[0].nodes == 216 && record->rows[0].dofs == 125);
  bp_record_destroy(record);
}

/* Records are kept in version control, and people look at them: a row is a line. */
TEST(record, writes_a_row_per_line)
{
  bp_text text = sample_text();
  int lines = 0, rows = 0;
  for (const char *at = text.data; *at; at = strchr(at, '\n') + 1, ++lines)
    rows += strncmp(at, "    {\"problem\": \"", 17) == 0;
  CHECK(rows == 36, "%d lines begin a row", rows);
  CHECK(lines < 36 + 30, "%d lines", lines);
  bp_text_destroy(&text);
}

/* Every record that a version of bp wrote can be read for ever. */
TEST(record, reads_what_was_ever_written)
{
  glob_t files;
  CU_ASSERT_FATAL(glob("tests/records/*.json", 0, NULL, &files) == 0);
  CU_ASSERT(files.gl_pathc >= 2);
  for (size_t n = 0; n < files.gl_pathc; ++n) {
    bp_record *record;
    CHECK(bp_record_read(files.gl_pathv[n], &record) == BP_OK, "%s", bp_message());
    CHECK(record && record->rows_count > 0, "%s", files.gl_pathv[n]);
    for (int64_t m = 0; record && m < record->rows_count; ++m) {
      const bp_row *row = &record->rows[m];
      CU_ASSERT((row->status == BP_ROW_OK && !bp_row_has_copy_waited(row)) ==
                (bp_row_roofline_fraction(row) > 0));
    }
    bp_record_destroy(record);
  }
  globfree(&files);
}

TEST(record, merges)
{
  bp_record *record = sample_record(&recipe), *other = sample_record(&recipe);
  bp_record_add_fact(other, "driver", "590");
  bp_record_add_fact(other, "git", "abc");
  bp_record_merge(record, other, "other.json");
  CU_ASSERT(record->rows_count == 72 && record->meshes_count == 1 && record->bounds_count == 2);
  CU_ASSERT(record->environment_count == 5);
  CU_ASSERT_STRING_EQUAL(record->environment[3].key, "driver (other.json)");
  CU_ASSERT_STRING_EQUAL(record->environment[4].key, "git");
  bp_record_destroy(record);
}
