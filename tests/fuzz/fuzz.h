/* fuzz.h -- what a reader gives to its fuzzers: tests/fuzz/NAME.c defines these, and mutate.c (any
 * compiler, any time) and libfuzzer.c (clang, guided by coverage) drive them. */
#ifndef BP_FUZZ_H
#define BP_FUZZ_H

#include "base/status.h"
#include <stddef.h>

/* Reads the bytes, frees what it read, and returns the status; aborts when something else than the
 * status is not as it should be. */
bp_status fuzz_read(const char *data, size_t size);

/* Words that mean something to the reader, put into mutants; ends with NULL. */
extern const char *const fuzz_words[];

#endif
