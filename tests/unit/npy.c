/* npy.c -- tests of the .npy reader and writer. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/npy.h"
#include "base/text.h"
#include <stdlib.h>
#include <unistd.h>

static const int64_t shape[3] = {2, 1, 3};
static const double numbers[6] = {0, -1.5, 1e300, 0.1, -0.0, 5e-324};

/* A path of an empty file of our own; free with bp_free. */
static char *create_path(void)
{
  char *path = bp_strdup("/tmp/bp-npy-XXXXXX");
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  close(fd);
  return path;
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
  FILE *f = fopen(path, "w");
  CU_ASSERT_FATAL(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

TEST(npy, reads_what_it_wrote)
{
  double *back;
  char *path = create_path();
  CU_ASSERT_FATAL(bp_npy_write(BP_NPY_FLOAT64, path, 3, shape, numbers) == BP_OK);
  CU_ASSERT_FATAL(bp_npy_read(path, 3, shape, &back) == BP_OK);
  CU_ASSERT(memcmp(back, numbers, sizeof numbers) == 0);
  unlink(path);
  bp_free(back);
  bp_free(path);
}

TEST(npy, writes_the_bytes_that_numpy_writes)
{
  static const char start[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, "
                              "'shape': (2, 1, 3), }";
  bp_file file;
  char *path = create_path();
  CU_ASSERT_FATAL(bp_npy_write(BP_NPY_FLOAT64, path, 3, shape, numbers) == BP_OK);
  CU_ASSERT_FATAL(bp_file_map(path, &file) == BP_OK);
  CU_ASSERT(file.size == 128 + sizeof numbers);
  CU_ASSERT(memcmp(file.data, start, sizeof start - 1) == 0 && file.data[127] == '\n');
  CU_ASSERT(memcmp(file.data + 128, numbers, sizeof numbers) == 0);
  bp_file_unmap(&file);
  unlink(path);
  bp_free(path);
}

TEST(npy, writes_integers_with_their_own_types)
{
  static const int64_t count[1] = {3}, wide[3] = {0, -1, INT64_C(1) << 40};
  static const uint8_t narrow[3] = {0, 1, 255};
  static const struct {
    bp_npy_type type;
    const void *data;
    size_t bytes;
    const char *start;
  } cases[] = {{BP_NPY_INT64, wide, sizeof wide,
                "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"},
               {BP_NPY_UINT8, narrow, sizeof narrow,
                "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"}};
  for (int c = 0; c < 2; ++c) {
    bp_file file;
    char *path = create_path();
    CU_ASSERT_FATAL(!bp_npy_write(cases[c].type, path, 1, count, cases[c].data));
    CU_ASSERT_FATAL(!bp_file_map(path, &file) && file.size == 128 + cases[c].bytes);
    CU_ASSERT(!memcmp(file.data + 10, cases[c].start, strlen(cases[c].start)));
    CU_ASSERT(!memcmp(file.data + 128, cases[c].data, cases[c].bytes));
    bp_file_unmap(&file);
    unlink(path);
    bp_free(path);
  }
}

/* A file with this dictionary, of this version, and `count` numbers. */
static void write_with(const char *path, char version, const char *header, size_t count)
{
  bp_text text = {0};
  char length[4] = {(char)(strlen(header) & 255), (char)(strlen(header) >> 8), 0, 0};
  bp_text_append(&text, "\x93NUMPY");
  bp_text_append_bytes(&text, (char[2]){version, 0}, 2);
  bp_text_append_bytes(&text, length, version == 1 ? 2 : 4);
  bp_text_append(&text, header);
  for (size_t n = 0; n < count; ++n)
    bp_text_append_bytes(&text, (const char *)&numbers[n % 6], sizeof(double));
  write_bytes(path, text.data, text.length);
  bp_text_destroy(&text);
}

TEST(npy, reads_other_versions_and_spellings)
{
  static const struct {
    char version;
    const char *header;
  } good[] = {
      {1, "{'shape': (2,1,3), 'fortran_order': False, 'descr': '<f8'}\n"},
      {2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3), }   \n"},
      {3, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3,), }\n"},
  };
  char *path = create_path();
  for (size_t n = 0; n < sizeof good / sizeof *good; ++n) {
    double *back = NULL;
    write_with(path, good[n].version, good[n].header, 6);
    CHECK(bp_npy_read(path, 3, shape, &back) == BP_OK, "%s", bp_message());
    CU_ASSERT(back && memcmp(back, numbers, sizeof numbers) == 0);
    bp_free(back);
  }
  unlink(path);
  bp_free(path);
}

TEST(npy, refuses_other_arrays_and_says_why)
{
  static const struct {
    const char *header;
    size_t count;
    const char *message;
  } bad[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3), }", 6,
       "expected numbers of type '<f8' (float64), found '<f4'"},
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (2, 1, 3), }", 6, "found '>f8'"},
      {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (6,), }", 6, "found [('x'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1, 3), }", 6,
       "expected an array in C order, found fortran_order True"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 4), }", 8,
       "expected shape (2, 1, 3), found (2, 1, 4)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 31), }", 8, "found (2, 1, 31)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", 2, "found (2, 1)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3, 1), }", 6,
       "found (2, 1, 3, 1)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 6, "found (6,)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 1 3), }", 6, "found (2 1 3)"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (", 6, "found ("},
      {"{'descr': '<f8', 'fortran_order': False}", 6, "expected shape"},
      {"{}", 6, "expected numbers of type"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3), }", 5,
       "expected 48 bytes behind the header, found 40"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3), }", 7, "found 56"},
  };
  char *path = create_path();
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n) {
    double *back;
    write_with(path, 1, bad[n].header, bad[n].count);
    CHECK(bp_npy_read(path, 3, shape, &back) == BP_BAD_INPUT && !back, "%s", bad[n].header);
    CHECK(strstr(bp_message(), bad[n].message) != NULL, "%s", bp_message());
  }
  unlink(path);
  bp_free(path);
}

TEST(npy, refuses_what_is_no_npy_at_all)
{
  static const struct {
    const char *bytes;
    size_t size;
  } bad[] = {
      {"", 0},
      {"\x93NUMPY", 6},
      {"\x93NUMPX\x01\x00\x02\x00{}    ", 16},
      {"\x93NUMPY\x01\x00\xff\xff{}    ", 16},
      {"\x93NUMPY\x02\x00\xff\xff\xff\xff{}    ", 18},
      {"\x93NUMPY\x04\x00\x02\x00{}    ", 16},
      {"\x93NUMPY\x01\x00\x04\x00{\0}    ", 16},
  };
  char *path = create_path();
  double *back;
  for (size_t n = 0; n < sizeof bad / sizeof *bad; ++n) {
    write_bytes(path, bad[n].bytes, bad[n].size);
    CHECK(bp_npy_read(path, 3, shape, &back) == BP_BAD_INPUT, "case %zu", n);
    CHECK(strstr(bp_message(), "expected a .npy file") != NULL, "%s", bp_message());
  }
  unlink(path);
  CU_ASSERT(bp_npy_read(path, 3, shape, &back) == BP_BAD_INPUT);
  CU_ASSERT(bp_npy_write(BP_NPY_FLOAT64, "/nowhere/at/all.npy", 3, shape, numbers) ==
            BP_ENVIRONMENT);
  CU_ASSERT(bp_npy_write(BP_NPY_FLOAT64, "/dev/full", 3, shape, numbers) == BP_ENVIRONMENT);
  bp_free(path);
}
