/* seal.c -- the last line "bp-seal CHECKSUM". */
#include "device/jit/seal.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <string.h>

enum { SEAL = sizeof "bp-seal \n" - 1 + 32 };

static void print_seal(char seal[SEAL + 1], const char *data, size_t size)
{
  char digits[33];
  snprintf(seal, SEAL + 1, "bp-seal %s\n", bp_hash_print(digits, bp_hash_bytes(data, size)));
}

bp_status bp_seal_add(const char *path)
{
  char seal[SEAL + 1];
  bp_file file;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return BP_ENVIRONMENT;
  print_seal(seal, file.data, file.size);
  bp_file_unmap(&file);
  FILE *f = fopen(path, "ae");
  bool is_good = f && fputs(seal, f) >= 0;
  is_good = f && fclose(f) == 0 && is_good;
  return is_good ? BP_OK
                 : bp_fail(BP_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

bool bp_seal_is_good(const char *path)
{
  char seal[SEAL + 1];
  bp_file file;
  if (!bp_file_is_there(path) || bp_file_map(path, &file))
    return false;
  char *doubt = bp_owner_doubt(file.owner);
  bool is_good = !doubt && file.size >= SEAL;
  if (is_good) {
    size_t size = file.size - SEAL;
    print_seal(seal, file.data, size);
    is_good = memcmp(file.data + size, seal, SEAL) == 0;
  }
  bp_free(doubt);
  bp_file_unmap(&file);
  return is_good;
}
