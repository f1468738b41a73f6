/* npy.c -- the fuzzers' view of the reader of .npy. */
#include "fuzz.h"

#include "base/memory.h"
#include "base/npy.h"
#include <string.h>

const char *const fuzz_words[] = {"\x93NUMPY\1",
                                  "\x93NUMPY\2",
                                  "\x93NUMPY\3",
                                  "{'descr': '<f8', ",
                                  "'fortran_order': False, ",
                                  "'fortran_order': True, ",
                                  "'shape': (2, 3), ",
                                  "'shape': (6,), ",
                                  "}",
                                  "(",
                                  ")",
                                  ",",
                                  " ",
                                  "'<f4'",
                                  "'|O'",
                                  "2",
                                  "\n",
                                  "\x1b[31m",
                                  NULL};

/* The seeds are arrays of 2 x 3. */
bp_status fuzz_read(const char *data, size_t size)
{
  static const int64_t shape[] = {2, 3};
  double *values, sum = 0;
  bp_status status = bp_npy_read_bytes("f", data, size, 2, shape, &values);
  BP_ASSERT((status == BP_OK) == (values != NULL));
  if (values) {
    for (int n = 0; n < 6; ++n)
      sum += values[n];
    BP_ASSERT(sum == sum || sum != sum); /* all of them were read */
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 5000 && !strchr(bp_message(), '\n'));
  }
  bp_free(values);
  return status;
}
