/* copies.c -- tests of rows told from a copy that is slower than the machine can. */
#include "test.h"

#include "base/memory.h"
#include "bench/copies.h"
#include <stdlib.h>
#include <unistd.h>

/* A row whose copy of 1 GB reaches so many GB/s; the cache holds 100 MB. */
static bp_row *add_row(bp_record *record, double rate)
{
  const double seconds = 2 / rate;
  bp_row *row = bp_record_add_row(record);
  bp_record_set(&row->cache, "hot");
  bp_record_set(&row->device, "a machine");
  row->copy.bytes = 1000000000;
  row->cache_bytes = 100000000;
  row->copy.seconds = bp_timing_of(&seconds, 1);
  return row;
}

/* One run with copies of these rates; what is said of row n. */
static char *say(const char *path, const double *rates, int count, int n, const char *cache)
{
  bp_record *record = bp_record_create(0, NULL);
  bp_copies *copies = bp_copies_read(path);
  for (int i = 0; i < count; ++i)
    bp_record_set(&add_row(record, rates[i])->cache, cache);
  for (int i = 0; i < 2 * count; ++i)
    bp_copies_judge(copies, &record->rows[i % count]);
  bp_copies_write(copies, path);
  bp_copies_destroy(copies);
  char *said = record->rows[n].busy ? bp_strdup(record->rows[n].busy) : NULL;
  bp_record_destroy(record);
  return said;
}

static void expect(const char *path, const double *rates, int count, int n, const char *expected)
{
  char *said = say(path, rates, count, n, "hot");
  CHECK(expected ? said && strcmp(said, expected) == 0 : !said, "%s", said ? said : "nothing");
  bp_free(said);
}

TEST(copies, a_slow_one_marks_its_row)
{
  char path[] = "/tmp/bp-copies-XXXXXX";
  const double slow_first[] = {7, 40, 33}, later[] = {30}, faster[] = {60};
  close(mkstemp(path));
  expect(path, slow_first, 3, 0, "busy: the copy reached 7 GB/s, 40 beside another row");
  expect(path, slow_first, 3, 0, "busy: the copy reached 7 GB/s, 40 in an earlier run");
  expect(path, slow_first, 3, 1, NULL);
  expect(path, slow_first, 3, 2, NULL);
  expect(path, later, 1, 0, "busy: the copy reached 30 GB/s, 40 in an earlier run");
  expect(path, faster, 1, 0, NULL);
  expect(path, slow_first, 3, 1, "busy: the copy reached 40 GB/s, 60 in an earlier run");
  char *cold = say(path, later, 1, 0, "cold");
  CU_ASSERT_PTR_NULL(cold);
  remove(path);
  expect(NULL, later, 1, 0, NULL);
}

TEST(copies, in_a_cache_they_tell_nothing)
{
  bp_record *record = bp_record_create(0, NULL);
  bp_copies *copies = bp_copies_read(NULL);
  add_row(record, 40);
  add_row(record, 1)->cache_bytes = 3000000000;
  bp_record_set(&add_row(record, 1)->device, "another");
  bp_record_set(&add_row(record, 1)->busy, "busy: for another reason");
  for (int n = 0; n < 4; ++n)
    bp_copies_judge(copies, &record->rows[n]);
  CU_ASSERT(!record->rows[0].busy && !record->rows[1].busy && !record->rows[2].busy);
  CU_ASSERT_STRING_EQUAL(record->rows[3].busy, "busy: for another reason");
  bp_copies_destroy(copies);
  bp_copies_destroy(NULL);
  bp_record_destroy(record);
}

TEST(copies, a_damaged_file_is_none)
{
  char path[] = "/tmp/bp-copies-XXXXXX";
  const double later[] = {30};
  const int file = mkstemp(path);
  static const char text[] = "nonsense\n-4 x\nnan x\n1e999 x\n40\n\n";
  CU_ASSERT_EQUAL(write(file, text, sizeof text), (ssize_t)sizeof text);
  close(file);
  expect(path, later, 1, 0, NULL);
  remove(path);
}
