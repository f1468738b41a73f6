/* jit_cache.c -- the cache folder: FOLDER/KEY.jit holds the data and their seal. */
#include "device/jit/jit_cache.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/seal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *bp_jit_cache_folder(void)
{
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (xdg && *xdg == '/') /* its specification: relative paths are to be ignored */
    return bp_format("%s/bp", xdg);
  return home && *home == '/' ? bp_format("%s/.cache/bp", home) : NULL;
}

bool bp_jit_cache_open(bool is_made, bp_folder *folder)
{
  char *name = bp_jit_cache_folder(), *below = name ? bp_format("%s/", name) : NULL;
  bp_status status = BP_ENVIRONMENT;
  *folder = (bp_folder){.descriptor = -1};
  if (name && (!is_made || bp_file_create_folders(below) == BP_OK))
    status = bp_folder_open(name, folder);
  if (status == BP_SKIPPED)
    bp_tell("bp: %s: not used as a cache: expected a folder of this user that nobody else may "
            "write, found %s",
            name, bp_message());
  bp_free(below);
  bp_free(name);
  return status == BP_OK;
}

static char *path_in(const bp_folder *folder, bp_hash key)
{
  char digits[33];
  return bp_format("%s/%s.jit", folder->path, bp_hash_print(digits, key));
}

bool bp_jit_cache_read(bp_hash key, char **data, size_t *size)
{
  bp_folder folder;
  bp_file file;
  bool found = false;
  if (!bp_jit_cache_open(false, &folder))
    return false;
  char *path = path_in(&folder, key);
  if (bp_file_map(path, &file) == BP_OK) {
    found = bp_seal_holds(&file, size);
    if (found) {
      *data = bp_alloc(*size + 1, 1);
      memcpy(*data, file.data, *size);
    }
    bp_file_unmap(&file);
  }
  bp_free(path);
  bp_folder_close(&folder);
  return found;
}

void bp_jit_cache_write(bp_hash key, const char *data, size_t size)
{
  char seal[BP_SEAL + 1];
  bp_folder folder;
  bp_output *output;
  if (!bp_jit_cache_open(true, &folder))
    return;
  char *path = path_in(&folder, key);
  if (bp_output_create(path, &output) == BP_OK) {
    bp_seal_print(seal, data, size);
    fwrite(data, 1, size, bp_output_stream(output));
    fputs(seal, bp_output_stream(output));
    bp_output_finish(output);
  }
  bp_free(path);
  bp_folder_close(&folder);
}
