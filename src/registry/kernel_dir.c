/* kernel_dir.c -- lays the files of BP_KERNEL_DIR over the texts in the binary. */
#include "registry/kernel_dir.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends at once: nothing has been written yet, and what the callers hold needs no freeing. */
static _Noreturn void stop(const char *message)
{
  fprintf(stderr, "BP_KERNEL_DIR: %s\n", message);
  _exit(BP_BAD_INPUT);
}

static char *read_text(const char *path)
{
  bp_file file;
  if (bp_file_map(path, &file))
    stop(bp_message());
  char *text = bp_strndup(file.data, file.size);
  bp_file_unmap(&file);
  return text;
}

/* "bp3.5/columns" of ".../bp3.5/columns.cu". */
static char *id_of(const char *path)
{
  const char *start = strrchr(path, '/');
  while (start > path && start[-1] != '/')
    --start;
  return bp_strndup(start, strlen(start) - strlen(".cu"));
}

/* The lines of the first comment after its first, without the " * " before them. */
static char *header_of(const char *source)
{
  bp_text header = {0};
  const char *end = strstr(source, "*/"), *line = strchr(source, '\n');
  bp_text_append(&header, "");
  while (end && line && line < end) {
    const char *start = line + 1;
    line = strchr(start, '\n');
    size_t length = (size_t)((line && line < end ? line : end) - start);
    size_t skipped = length && *start == ' ' ? 1 : 0;
    skipped += skipped < length && start[skipped] == '*' ? 1 : 0;
    skipped += skipped < length && start[skipped] == ' ' ? 1 : 0;
    bp_text_append_bytes(&header, start + skipped, length - skipped);
    bp_text_append(&header, "\n");
  }
  return header.data;
}

static bp_variant_text read_variant_text(const char *path)
{
  bp_variant_text text = {.id = id_of(path), .file = bp_strdup(path), .source = read_text(path)};
  char *start = bp_format("/* %s -- ", text.id);
  if (strncmp(text.source, start, strlen(start)) != 0) {
    char *message = bp_format("%s:1: expected '%s...', found '%.*s'", path, start,
                              (int)strcspn(text.source, "\n"), text.source);
    stop(message);
  }
  const char *summary = text.source + strlen(start);
  size_t length = strcspn(summary, "\n");
  char *line = bp_strndup(summary, length), *closing = strstr(line, "*/");
  if (closing)
    *closing = '\0';
  text.summary = line;
  text.header = header_of(text.source);
  bp_free(start);
  return text;
}

/* The paths that match folder/pattern; glob's own order. */
static glob_t find(const char *folder, const char *pattern)
{
  glob_t found = {0};
  char *full = bp_format("%s/%s", folder, pattern);
  if (glob(full, 0, NULL, &found) != 0)
    found.gl_pathc = 0;
  bp_free(full);
  return found;
}

const bp_variant_text *bp_kernel_dir_texts(int *count)
{
  const char *folder = getenv("BP_KERNEL_DIR");
  *count = bp_variant_texts_count;
  if (!folder || !*folder)
    return bp_variant_texts;
  glob_t found = find(folder, "*/*.cu");
  if (found.gl_pathc == 0) {
    char *message = bp_format("expected a folder with PROBLEM/NAME.cu in it, found '%s'", folder);
    stop(message);
  }
  bp_variant_text *texts = bp_alloc((size_t)*count + found.gl_pathc, sizeof *texts);
  memcpy(texts, bp_variant_texts, (size_t)*count * sizeof *texts);
  for (size_t f = 0; f < found.gl_pathc; ++f) {
    bp_variant_text text = read_variant_text(found.gl_pathv[f]);
    int n = 0;
    while (n < *count && !(texts[n].source && strcmp(texts[n].id, text.id) == 0))
      ++n;
    texts[n] = text;
    *count += n == *count;
  }
  globfree(&found);
  return texts;
}

/* The headers in the binary and in the folder, which go before those of the same name. */
static const bp_kernel_header *read_headers(const char *folder, int *count)
{
  glob_t found = find(folder, "*.h");
  bp_kernel_header *headers = bp_alloc((size_t)*count + found.gl_pathc, sizeof *headers);
  memcpy(headers, bp_kernel_headers, (size_t)*count * sizeof *headers);
  for (size_t f = 0; f < found.gl_pathc; ++f) {
    bp_kernel_header header = {strrchr(found.gl_pathv[f], '/') + 1, NULL};
    int n = 0;
    while (n < *count && strcmp(headers[n].name, header.name) != 0)
      ++n;
    headers[n] = (bp_kernel_header){bp_strdup(header.name), read_text(found.gl_pathv[f])};
    *count += n == *count;
  }
  globfree(&found);
  return headers;
}

const bp_kernel_header *bp_kernel_dir_headers(int *count)
{
  static const bp_kernel_header *headers;
  static int headers_count;
  if (!headers) {
    const char *folder = getenv("BP_KERNEL_DIR");
    headers_count = bp_kernel_headers_count;
    headers = folder && *folder ? read_headers(folder, &headers_count) : bp_kernel_headers;
  }
  *count = headers_count;
  return headers;
}
