/* file.c -- tests of src/base/file.c. */
#include "test.h"

#include "base/file.h"
#include <stdlib.h>
#include <unistd.h>

enum { PAGES = 40, PAGE = 4096 };

/* A file of PAGES pages of 'x', mapped, of which `left` bytes are then left. */
static bp_file map_and_cut(char path[], off_t left)
{
  bp_file file = {0};
  static char page[PAGE];
  int fd = mkstemp(path);
  memset(page, 'x', sizeof page);
  for (int n = 0; n < PAGES; ++n)
    CU_ASSERT_EQUAL(write(fd, page, sizeof page), PAGE);
  CU_ASSERT_EQUAL_FATAL(bp_file_map(path, &file), BP_OK);
  CU_ASSERT_EQUAL(ftruncate(fd, left), 0);
  close(fd);
  return file;
}

TEST(file, one_that_shrinks_reads_as_zeros_and_says_so)
{
  char path[] = "/tmp/bp-unit-XXXXXX";
  bp_file file = map_and_cut(path, 2 * PAGE + 5);
  CU_ASSERT_EQUAL(file.data[PAGE], 'x');
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
  for (int n = 0; n < PAGES; ++n)
    sum += file.data[(size_t)n * PAGE + 17] == 'x';
  CU_ASSERT_EQUAL(sum, 2);
  CU_ASSERT_EQUAL(bp_file_check(&file, path), BP_BAD_INPUT);
  CHECK(strstr(bp_message(), ": expected a file that stays as it is") != NULL, "%s", bp_message());
  bp_file_unmap(&file);
  unlink(path);
}

TEST(file, places_of_earlier_files_are_used_again)
{
  for (int n = 0; n < 100; ++n) {
    char path[] = "/tmp/bp-unit-XXXXXX";
    bp_file file = map_and_cut(path, n % 2 ? PAGE : (off_t)PAGES * PAGE);
    CU_ASSERT_EQUAL(file.data[(size_t)PAGE * PAGES - 1], n % 2 ? 0 : 'x');
    CU_ASSERT_EQUAL(bp_file_check(&file, path), n % 2 ? BP_BAD_INPUT : BP_OK);
    bp_file_unmap(&file);
    unlink(path);
  }
}
