/* kernel_dir.c -- lays the files of BP_KERNEL_DIR over the texts in the binary. */
#include "registry/kernel_dir.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/safe.h"
#include "base/text.h"
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ends at once: nothing has been written yet, and what the callers hold needs no freeing. */
static _Noreturn void stop(const char *message)
{
  bp_text line = {0};
  bp_safe_line(&line, message);
  fprintf(stderr, "BP_KERNEL_DIR: %s\n", line.data);
  _exit(BP_BAD_INPUT);
}

/* Who asks for a folder gets it, and is told when the code in it may be somebody else's. */
static void tell_owner(const char *path)
{
  static bool is_told;
  char *doubt = is_told ? NULL : bp_owner_doubt(path);
  bp_text line = {0};
  if (!doubt)
    return;
  is_told = true;
  bp_safe_line(&line, path);
  fprintf(stderr,
          "BP_KERNEL_DIR: %s: code of others will run: expected a file of this user, found %s\n",
          line.data, doubt);
  bp_text_destroy(&line);
  bp_free(doubt);
}

static char *read_text(const char *path)
{
  bp_file file;
  tell_owner(path);
  if (bp_file_map(path, &file))
    stop(bp_message());
  char *text = bp_strndup(file.data, file.size);
  if (bp_file_check(&file, path))
    stop(bp_message());
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
  tell_owner(folder);
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

/* ---- headers ---- */

typedef struct {
  bp_kernel_header *items;
  int count;
} header_list;

/* Takes the place of the header of that name, if there is one. */
static void put_header(header_list *list, const char *name, const char *path)
{
  int n = 0;
  while (n < list->count && strcmp(list->items[n].name, name) != 0)
    ++n;
  if (n == list->count)
    list->items = bp_realloc(list->items, (size_t)++list->count, sizeof *list->items);
  list->items[n] = (bp_kernel_header){bp_strdup(name), read_text(path)};
}

/* Headers at any depth; they are included by their path below the folder. */
static void read_headers(header_list *list, const char *folder, const char *below)
{
  char *here = bp_format("%s/%s", folder, below);
  struct dirent **entries;
  int count = scandir(here, &entries, NULL, alphasort);
  for (int n = 0; n < count; ++n) {
    const char *entry = entries[n]->d_name, *end = strrchr(entry, '.');
    char *name = bp_format("%s%s%s", below, *below ? "/" : "", entry);
    char *path = bp_format("%s/%s", folder, name);
    struct stat status;
    if (entry[0] != '.' && stat(path, &status) == 0) {
      if (S_ISDIR(status.st_mode))
        read_headers(list, folder, name);
      else if (end && strcmp(end, ".h") == 0)
        put_header(list, name, path);
    }
    bp_free(path);
    bp_free(name);
    free(entries[n]);
  }
  if (count >= 0)
    free(entries);
  bp_free(here);
}

const bp_kernel_header *bp_kernel_dir_headers(int *count)
{
  static header_list list;
  if (!list.items) {
    const char *folder = getenv("BP_KERNEL_DIR");
    list.count = bp_kernel_headers_count;
    list.items = bp_alloc((size_t)list.count + 1, sizeof *list.items);
    memcpy(list.items, bp_kernel_headers, (size_t)list.count * sizeof *list.items);
    if (folder && *folder)
      read_headers(&list, folder, "");
  }
  *count = list.count;
  return list.items;
}

/* ---- who includes whom ---- */

/* The path in the first line `#include "PATH"` from *at on, which moves behind it; NULL: no more. */
static const char *next_include(const char **at, size_t *length)
{
  static const char start[] = "#include \"";
  const char *path = NULL;
  while (!path && *at) {
    const char *line = *at + strspn(*at, " \t");
    if (strncmp(line, start, strlen(start)) == 0) {
      path = line + strlen(start);
      *length = strcspn(path, "\"\n");
    }
    *at = strchr(line, '\n');
    *at += *at != NULL;
  }
  return path;
}

static const bp_kernel_header *find_header(const char *name, size_t length)
{
  int count;
  const bp_kernel_header *all = bp_kernel_dir_headers(&count);
  for (int n = 0; n < count; ++n)
    if (strlen(all[n].name) == length && memcmp(all[n].name, name, length) == 0)
      return &all[n];
  return NULL;
}

typedef struct {
  const char *except;
  const bp_kernel_header **seen, **found;
  int seen_count, found_count;
} inclusion;

static bool is_seen(const inclusion *i, const bp_kernel_header *header)
{
  int n = i->seen_count;
  while (n > 0 && i->seen[n - 1] != header)
    --n;
  return n > 0;
}

static void add_included(inclusion *i, const char *source)
{
  const char *at = source, *name;
  size_t length;
  while ((name = next_include(&at, &length))) {
    const bp_kernel_header *header = find_header(name, length);
    bool is_left_out = i->except && strncmp(name, i->except, strlen(i->except)) == 0;
    if (!header || is_left_out || is_seen(i, header))
      continue;
    i->seen[i->seen_count++] = header;
    add_included(i, header->source);
    i->found[i->found_count++] = header;
  }
}

const bp_kernel_header **bp_kernel_dir_included(const char *source, const char *except, int *count)
{
  int all;
  (void)bp_kernel_dir_headers(&all);
  inclusion i = {
      .except = except,
      .seen = bp_alloc((size_t)all + 1, sizeof *i.seen),
      .found = bp_alloc((size_t)all + 1, sizeof *i.found),
  };
  add_included(&i, source);
  bp_free(i.seen);
  *count = i.found_count;
  return i.found;
}
