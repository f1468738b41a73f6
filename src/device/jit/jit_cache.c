/* jit_cache.c -- the cache folder: FOLDER/KEY.jit holds one line "bp-jit 1 KEY CHECKSUM SIZE" and
 * the data. */
#include "device/jit/jit_cache.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/owner.h"
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

bool bp_jit_cache_is_private(const char *folder)
{
  char *doubt = bp_owner_doubt(folder);
  bool is_private = !doubt;
  if (doubt)
    bp_tell("bp: %s: not used as a cache: expected a folder of this user that nobody else may "
            "write, found %s",
            folder, doubt);
  bp_free(doubt);
  return is_private;
}

/* NULL where there is no folder to be used. */
static char *path_of(bp_hash key)
{
  char digits[33], *folder = bp_jit_cache_folder();
  char *path = folder && bp_jit_cache_is_private(folder)
                   ? bp_format("%s/%s.jit", folder, bp_hash_print(digits, key))
                   : NULL;
  bp_free(folder);
  return path;
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

bool bp_jit_cache_read(bp_hash key, char **data, size_t *size)
{
  char *path = path_of(key), *doubt = path ? bp_owner_doubt(path) : NULL;
  bp_file file;
  size_t start = 0;
  bool found = false;
  if (path && !doubt && bp_file_map(path, &file) == BP_OK) {
    found = is_sound(&file, key, &start);
    if (found) {
      *size = file.size - start;
      *data = bp_alloc(*size + 1, 1);
      memcpy(*data, file.data + start, *size);
    }
    bp_file_unmap(&file);
  }
  bp_free(doubt);
  bp_free(path);
  return found;
}

void bp_jit_cache_write(bp_hash key, const char *data, size_t size)
{
  char header[HEADER_MAX], *path = path_of(key);
  bp_output *output;
  if (!path)
    return;
  if (bp_file_create_folders(path) == BP_OK && bp_output_create(path, &output) == BP_OK) {
    print_header(header, key, data, size);
    fputs(header, bp_output_stream(output));
    fwrite(data, 1, size, bp_output_stream(output));
    bp_output_finish(output);
  }
  bp_free(path);
}
