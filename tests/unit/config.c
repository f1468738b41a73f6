/* config.c -- tests of src/config: the corpus of tests/configs, single settings, printing back. */
#include "test.h"
#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "config/config.h"
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

/* ---- helpers ---- */

static bp_config *read_text(const char *text)
{
  bp_config *config;
  if (bp_config_read_bytes("t.yaml", text, strlen(text), &config))
    printf("\n      %s\n", bp_message());
  return config;
}

static char *print_config(const bp_config *config)
{
  bp_text text = {0};
  bp_config_print(config, &text);
  return text.data;
}

/* Calls `check` with every NAME.yaml of the folder; returns how many there were. */
static int for_each(const char *folder, void (*check)(const char *path))
{
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort), checked = 0;
  for (int n = 0; n < count; ++n) {
    const char *dot = strrchr(entries[n]->d_name, '.');
    if (dot && strcmp(dot, ".yaml") == 0) {
      char *path = bp_format("%s/%s", folder, entries[n]->d_name);
      check(path);
      bp_free(path);
      ++checked;
    }
    free(entries[n]);
  }
  if (count >= 0)
    free(entries);
  return checked;
}

/* ---- the corpus ---- */

/* A config's print reads back, and prints the same again. */
static void check_good(const char *path)
{
  bp_config *config, *again;
  CHECK(bp_config_read(path, &config) == BP_OK, "%s: %s", path, bp_message());
  if (!config)
    return;
  CHECK(bp_config_check(config) == BP_OK, "%s: %s", path, bp_message());
  char *printed = print_config(config);
  CHECK(bp_config_read_bytes("again", printed, strlen(printed), &again) == BP_OK, "%s: %s", path,
        bp_message());
  if (again) {
    char *twice = print_config(again);
    CHECK(strcmp(printed, twice) == 0, "%s: printed\n%s\nand read back\n%s", path, printed, twice);
    bp_free(twice);
  }
  bp_free(printed);
  bp_config_destroy(again);
  bp_config_destroy(config);
}

/* The ends, and 1, 2, 5 times powers of ten between them; `auto` is 0 and reads back. */
TEST(config, sizes_in_ranges_and_auto)
{
  static const int64_t sizes[] = {10000, 20000, 50000, 100000, 120000, 0};
  bp_config *c = read_text("problem: bp1.0\ndofs: [1e4..1.2e5, auto]\ndegree: 1\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT_EQUAL_FATAL(c->dofs.count, 6);
  CU_ASSERT(memcmp(c->dofs.items, sizes, sizeof sizes) == 0);
  bp_text text = {0};
  bp_config_print(c, &text);
  CU_ASSERT(strstr(text.data, "dofs: [10000, 20000, 50000, 100000, 120000, auto]\n") != NULL);
  bp_text_destroy(&text);
  bp_config_destroy(c);
  CU_ASSERT_PTR_NULL(read_text("problem: bp1.0\nelements: auto\n"));
  CU_ASSERT_PTR_NULL(read_text("problem: bp1.0\ndofs: 1e6..1e4\n"));
}

TEST(config, good_files_read_and_print_back)
{
  CU_ASSERT(for_each("tests/configs/good", check_good) >= 15);
  CU_ASSERT(for_each("configs", check_good) >= 7);
}

/* NAME.expected holds the message. Written anew where BP_ACCEPT is set. */
static void check_bad(const char *path)
{
  bp_config *config;
  bp_file expected;
  char *name = bp_format("%.*s.expected", (int)strlen(path) - 5, path);
  bp_status status = bp_config_read(path, &config);
  CHECK(status == BP_BAD_INPUT && !config, "%s: status %d", path, (int)status);
  char *message = bp_format("%s\n", bp_message());
  if (getenv("BP_ACCEPT")) {
    FILE *f = fopen(name, "w");
    fputs(message, f);
    fclose(f);
  }
  CHECK(bp_file_map(name, &expected) == BP_OK, "%s", bp_message());
  CHECK(strlen(message) == expected.size && memcmp(message, expected.data, expected.size) == 0,
        "%s: expected\n%.*sfound\n%s", path, (int)expected.size, expected.data, message);
  bp_file_unmap(&expected);
  bp_free(message);
  bp_free(name);
  bp_config_destroy(config);
}

TEST(config, bad_files_are_answered_as_expected)
{
  CU_ASSERT(for_each("tests/configs/bad", check_bad) >= 100);
}

/* ---- what a file says ---- */

TEST(config, defaults_are_those_of_the_table)
{
  bp_config *config = bp_config_default();
  CU_ASSERT_EQUAL(config->problems.count, 0);
  CU_ASSERT_EQUAL(config->degrees.count, 15);
  CU_ASSERT_STRING_EQUAL(config->backends.items[0], "auto");
  CU_ASSERT(!config->mesh && !config->box[0] && !config->elements.count && !config->dofs.count);
  CU_ASSERT(config->measure.confidence == 0.005 && isnan(config->lambda) && config->report.figure);
  CU_ASSERT_PTR_NULL(bp_config_where(config, "degree"));
  CU_ASSERT_EQUAL(bp_config_check(config), BP_BAD_INPUT); /* no problem is named */
  CU_ASSERT_STRING_EQUAL(
      bp_message(), "problem: expected one or more of bp1.0, bp3.0, bp3.5, bp1 to bp6, pair, wave, "
                    "gradient-tri .., found none");
  bp_config_destroy(config);
}

TEST(config, every_value_reaches_its_field)
{
  bp_config *c;
  CU_ASSERT_EQUAL_FATAL(bp_config_read("tests/configs/good/everything.yaml", &c), BP_OK);
  CU_ASSERT(c->problems.count == 3 && strcmp(c->problems.items[2], "bp3.5") == 0);
  CU_ASSERT_STRING_EQUAL(c->mesh, "tests/configs/good/../meshes/größe 1.msh");
  CU_ASSERT_STRING_EQUAL(c->group, "inner part");
  CU_ASSERT(c->degrees.count == 6 && c->degrees.items[3] == 4 && c->degrees.items[5] == 15);
  CU_ASSERT_STRING_EQUAL(c->backends.items[0], "cpu");
  CU_ASSERT_STRING_EQUAL(c->isa, "avx2");
  CU_ASSERT_EQUAL(c->threads, 2);
  CU_ASSERT(c->variants.count == 4 && strcmp(c->variants.items[0], "bp3.5/{simd,naive}") == 0);
  CU_ASSERT(c->options.count == 3 && c->options.items[0].values.count == 3);
  CU_ASSERT(c->options.items[1].values.count == 2 && c->options.items[1].values.items[1] == 1);
  CU_ASSERT(c->options.items[2].values.items[0] == 1);
  CU_ASSERT(c->lambda == 0.1 && c->seed == 9007199254740993);
  CU_ASSERT_STRING_EQUAL(c->launch, "graph");
  CU_ASSERT_STRING_EQUAL(c->measure.cache, "both");
  CU_ASSERT(c->measure.warmup == 0 && c->measure.min_time == 0.01 && c->measure.max_time == 0.3);
  CU_ASSERT(c->measure.min_samples == 3 && c->measure.max_samples == 30);
  CU_ASSERT(c->measure.confidence == 0.02 && c->measure.energy == 0.25);
  CU_ASSERT_STRING_EQUAL(c->report.format, "json");
  CU_ASSERT_STRING_EQUAL(c->report.output, "out.json");
  CU_ASSERT(!c->report.figure);
  CU_ASSERT_STRING_EQUAL(bp_config_where(c, "measure.cache"),
                         "tests/configs/good/everything.yaml:20:10");
  bp_config_destroy(c);
}

TEST(config, counts_and_ranges_mean_what_people_write)
{
  bp_config *c =
      read_text("problem: bp1.0\ndofs: [2e6, 20M, 1.5k, 8]\ndegree: 2..4\noptions: {a: -2..1}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT(c->dofs.count == 4 && c->dofs.items[0] == 2000000 && c->dofs.items[1] == 20000000);
  CU_ASSERT(c->dofs.items[2] == 1500 && c->dofs.items[3] == 8);
  CU_ASSERT(c->degrees.count == 3 && c->degrees.items[0] == 2 && c->degrees.items[2] == 4);
  CU_ASSERT(c->options.items[0].values.count == 4 && c->options.items[0].values.items[0] == -2);
  bp_config_destroy(c);
}

TEST(config, one_end_of_a_span_moves_the_default_of_the_other)
{
  bp_config *c = read_text("problem: bp1.0\nmeasure: {max_time: 0.01, min_samples: 5000}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT(c->measure.min_time == 0.01 && c->measure.max_samples == 5000);
  CU_ASSERT_EQUAL(bp_config_set(c, "measure.min_time", "1", "--set measure.min_time"), BP_OK);
  CU_ASSERT_EQUAL(bp_config_check(c), BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "--set measure.min_time: expected at most max_time, found more");
  bp_config_destroy(c);
}

TEST(config, keys_that_contradict_are_refused_with_their_places)
{
  bp_config *c = read_text("problem: bp1.0\nmesh: a.msh\nwarp: 0.5\nmeasure: {min_samples: 9, "
                           "max_samples: 8}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT_EQUAL(bp_config_check(c), BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "t.yaml:3:7: expected it with a box only, found a mesh from a file\n"
                         "   3 | warp: 0.5\n     |       ^\n"
                         "t.yaml:4:24: expected at most max_samples, found more\n"
                         "   4 | measure: {min_samples: 9, max_samples: 8}\n"
                         "     |                        ^");
  bp_config_destroy(c);
  c = read_text("problem: bp1.0\nbox: 2x2x2\ngroup: a\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT_EQUAL(bp_config_check(c), BP_BAD_INPUT);
  CU_ASSERT_PTR_NOT_NULL(strstr(bp_message(), "t.yaml:3:8: expected it with a mesh"));
  bp_config_destroy(c);
  c = read_text("problem: bp5\nbox: 8x3x2\nkershaw: 0.3\nwarp: 0.2\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT_EQUAL(bp_config_check(c), BP_BAD_INPUT);
  CU_ASSERT_PTR_NOT_NULL(strstr(bp_message(), "t.yaml:3:10: expected it or warp, found both"));
  CU_ASSERT_PTR_NOT_NULL(strstr(bp_message(), "t.yaml:2:6: expected a multiple of 6 elements"));
  bp_config_destroy(c);
}

/* ---- single settings ---- */

TEST(config, settings_follow_the_same_rules)
{
  static const struct {
    const char *key, *value, *message;
  } cases[] = {
      {"degree", "7", NULL},
      {"degree", "1..3,7", NULL},
      {"degree", "[1..3, 7]", NULL},
      {"variants", "k*,{a,b}", NULL},
      {"variants", "[ab]*", NULL},
      {"variants", "[k1, k2]", NULL},
      {"options", "{pad: [0, 1]}", NULL},
      {"options.pad", "1,2", NULL},
      {"options.pad", "[1, 2]", NULL},
      {"measure.confidence", "5%", NULL},
      {"degree", "99", "here: expected whole numbers such as 7 or 1..4, 1 to 15, found '99'"},
      {"degree", "", "here: expected whole numbers such as 7 or 1..4, 1 to 15, found nothing"},
      {"degree", "7,", "here: expected whole numbers such as 7 or 1..4, 1 to 15, found nothing"},
      {"degree", "[1, 2]]", "here: expected one value, found more after its end"},
      {"degre", "7", "here: expected a key, found 'degre'; did you mean 'degree'?"},
      {"measure.cach", "hot",
       "here: expected a key of measure, found 'cach'; did you mean 'cache'?"},
      {"measure", "hot",
       "here: expected a key of measure, written measure.KEY, found 'measure' alone"},
      {"mesure.cache", "hot",
       "here: expected a key, found 'mesure.cache'; did you mean 'measure.cache'?"},
      {"measure.cache", "warm", "here: expected one of hot, cold, both, found 'warm'"},
      {"options.2", "1", "here: expected the name of an option, a word such as pad, found '2'"},
      {"options.pad", "x",
       "here: expected whole numbers such as 7 or 1..4, -2147483648 to 2147483647, found 'x'"},
      {"group", "caf\xe9", "here: expected UTF-8 text, found the byte 0xe9, which is not"},
      {"mesh", "a\tb", "here: expected a file name, found 'a?b'"},
      {"options", "1",
       "here: expected a map of option names and whole numbers such as {pad: [0, 1]}, found '1'"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_config *c = bp_config_default();
    bp_status status = bp_config_set(c, cases[n].key, cases[n].value, "here");
    CHECK(status == (cases[n].message ? BP_BAD_INPUT : BP_OK), "%s=%s: status %d, %s", cases[n].key,
          cases[n].value, (int)status, bp_message());
    if (cases[n].message)
      CHECK(strcmp(bp_message(), cases[n].message) == 0, "%s=%s: %s", cases[n].key, cases[n].value,
            bp_message());
    bp_config_destroy(c);
  }
}

TEST(config, settings_replace_what_the_file_said)
{
  bp_config *c = read_text("problem: bp1.0\ndofs: 2e6\nwarp: 0.5\ndegree: 3\noptions: {pad: 1}\n");
  CU_ASSERT_PTR_NOT_NULL_FATAL(c);
  CU_ASSERT_EQUAL(bp_config_set(c, "degree", "5", "--degree"), BP_OK);
  CU_ASSERT(c->degrees.count == 1 && c->degrees.items[0] == 5);
  CU_ASSERT_STRING_EQUAL(bp_config_where(c, "degree"), "--degree");
  CU_ASSERT_EQUAL(bp_config_set(c, "options.pad", "2,3", "--set options.pad"), BP_OK);
  CU_ASSERT(c->options.count == 1 && c->options.items[0].values.count == 2);
  CU_ASSERT_EQUAL(bp_config_set(c, "mesh", "b.msh", "--mesh"), BP_OK);
  CU_ASSERT(c->dofs.count == 0 && c->warp == 0 && strcmp(c->mesh, "b.msh") == 0);
  CU_ASSERT_EQUAL(bp_config_check(c), BP_OK);
  CU_ASSERT_EQUAL(bp_config_set(c, "box", "2x2x2", "--box"), BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "--box: expected one of mesh, box, elements, dofs, nodes, found "
                         "--mesh besides");
  bp_config_destroy(c);
}

/* ---- hostile input ---- */

static double seconds_to_refuse(const char *text, size_t size)
{
  bp_config *config;
  clock_t start = clock(); // of this process: other load does not count
  bp_status status = bp_config_read_bytes("hostile", text, size, &config);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  CHECK(status == BP_BAD_INPUT, "status %d for %.20s", (int)status, text);
  bp_config_destroy(config);
  return seconds;
}

TEST(config, hostile_texts_are_refused_in_an_instant)
{
  static const char *const pieces[] = {
      "[",           "{",   "{a: ", "- ", "? ",  "[\n",          "a: [\n", "a: 1\n",
      "degree: 7\n", "[],", "'",    "\"", "&a ", "*a ",          "!!a ",   "%a\n",
      "---\n",       "a",   "#",    " ",  "\n",  "\xef\xbb\xbf", "|\n ",   "a: b: "};
  enum { SIZE = 999999 };
  char *text = bp_alloc(SIZE + 2, 1);
  for (size_t n = 0; n < sizeof pieces / sizeof *pieces; ++n) {
    size_t length = strlen(pieces[n]);
    for (size_t at = 0; at < SIZE; ++at)
      text[at] = pieces[n][at % length];
    double seconds = seconds_to_refuse(text, SIZE);
    CHECK(seconds < 0.5, "%.3f s for 1 MB of '%s'", seconds, pieces[n]);
    CU_ASSERT(strlen(bp_message()) < 7000);
  }
  CU_ASSERT(seconds_to_refuse(text, SIZE + 2) < 0.1);
  CU_ASSERT_PTR_NOT_NULL(strstr(bp_message(), "hostile:1:1: expected a config of at most 1000000 "
                                              "bytes, found 1000001\n"));
  bp_free(text);
}

TEST(config, files_that_are_none_are_named)
{
  bp_config *config;
  CU_ASSERT_EQUAL(bp_config_read("/nowhere/a.yaml", &config), BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(),
                         "/nowhere/a.yaml: cannot be opened: No such file or directory");
  CU_ASSERT_EQUAL(bp_config_read("/", &config), BP_BAD_INPUT);
  CU_ASSERT_STRING_EQUAL(bp_message(), "/: expected a regular file, found a directory");
}
