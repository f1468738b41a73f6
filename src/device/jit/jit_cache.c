/* jit_cache.c -- the cache folder: FOLDER/KEY.jit holds one line "bp-jit 1 KEY CHECKSUM SIZE" and
 * the data. */
#include "device/jit/jit_cache.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 160 };

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

static void print_header(char header[HEADER_MAX], bp_hash key, const char *data, size_t size)
{
  char a[33], b[33];
  snprintf(header, HEADER_MAX, "bp-jit 1 %s %s %zu\n", bp_hash_print(a, key),
           bp_hash_print(b, bp_hash_bytes(data, size)), size);
}

/* The header that the data deserve is compared with the one that is there: nothing to parse. */
static bool is_sound(const bp_file *file, bp_hash key, size_t *start)
{
  char expected[HEADER_MAX];
  const char *end = file->size ? memchr(file->data, '\n', file->size) : NULL;
  if (!end)
    return false;
  *start = (size_t)(end - file->data) + 1;
  print_header(expected, key, file->data + *start, file->size - *start);
  return strlen(expected) == *start && memcmp(expected, file->data, *start) == 0;
}

static bool is_own(const bp_file *file)
{
  char *doubt = bp_owner_doubt(file->owner);
  bp_free(doubt);
  return !doubt;
}

bool bp_jit_cache_read(bp_hash key, char **data, size_t *size)
{
  bp_folder folder;
  bp_file file;
  size_t start = 0;
  bool found = false;
  if (!bp_jit_cache_open(false, &folder))
    return false;
  char *path = path_in(&folder, key);
  if (bp_file_map(path, &file) == BP_OK) {
    found = is_own(&file) && is_sound(&file, key, &start);
    if (found) {
      *size = file.size - start;
      *data = bp_alloc(*size + 1, 1);
      memcpy(*data, file.data + start, *size);
    }
    bp_file_unmap(&file);
  }
  bp_free(path);
  bp_folder_close(&folder);
  return found;
}

void bp_jit_cache_write(bp_hash key, const char *data, size_t size)
{
  char header[HEADER_MAX];
  bp_folder folder;
  bp_output *output;
  if (!bp_jit_cache_open(true, &folder))
    return;
  char *path = path_in(&folder, key);
  if (bp_output_create(path, &output) == BP_OK) {
    print_header(header, key, data, size);
    fputs(header, bp_output_stream(output));
    fwrite(data, 1, size, bp_output_stream(output));
    bp_output_finish(output);
  }
  bp_free(path);
  bp_folder_close(&folder);
}
