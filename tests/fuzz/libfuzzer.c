/* libfuzzer.c -- a reader as a target of libFuzzer. */
#include "fuzz.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bp_status status = fuzz_read((const char *)data, size);
  BP_ASSERT(status == BP_OK || status == BP_BAD_INPUT);
  return 0;
}
