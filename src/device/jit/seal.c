/* seal.c -- the last line "bp-seal CHECKSUM". */
#include "device/jit/seal.h"

#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <string.h>

void bp_seal_print(char seal[BP_SEAL + 1], const char *data, size_t size)
{
  char digits[33];
  snprintf(seal, BP_SEAL + 1, "bp-seal %s\n", bp_hash_print(digits, bp_hash_bytes(data, size)));
}

bp_status bp_seal_add(const char *path)
{
  char seal[BP_SEAL + 1];
  bp_file file;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return BP_ENVIRONMENT;
  bp_seal_print(seal, file.data, file.size);
  bp_file_unmap(&file);
  FILE *f = fopen(path, "ae");
  bool is_good = f && fputs(seal, f) >= 0;
  is_good = f && fclose(f) == 0 && is_good;
  return is_good ? BP_OK
                 : bp_fail(BP_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

static bool is_sealed(const bp_file *file, size_t *size)
{
  char seal[BP_SEAL + 1];
  if (file->size < BP_SEAL)
    return false;
  *size = file->size - BP_SEAL;
  bp_seal_print(seal, file->data, *size);
  return memcmp(file->data + *size, seal, BP_SEAL) == 0;
}

bool bp_seal_holds(const bp_file *file, size_t *size)
{
  char *doubt = bp_owner_doubt(file->owner);
  bool is_doubtful = doubt != NULL;
  bp_free(doubt);
  return !is_doubtful && is_sealed(file, size);
}

static bool is_good(const char *path, bool (*holds)(const bp_file *, size_t *))
{
  bp_file file;
  size_t size;
  if (!bp_file_is_there(path) || bp_file_map(path, &file))
    return false;
  bool is = holds(&file, &size);
  bp_file_unmap(&file);
  return is;
}

bool bp_seal_is_good(const char *path)
{
  return is_good(path, bp_seal_holds);
}

bool bp_seal_is_whole(const char *path)
{
  return is_good(path, is_sealed);
}
