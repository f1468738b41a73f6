/* kernel_dir.c -- lays the files of BP_KERNEL_DIR over the texts in the binary; who includes whom. */
#include "registry/kernel_dir.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "registry/scheme_text.h"
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bp_variant_text *texts;
static bp_kernel_header *headers;
static int texts_count, headers_count;

/* Who asks for a folder gets it, and is told when the code in it may be somebody else's. */
static void tell_owner(const char *path, bp_owner owner)
{
  static bool is_told;
  char *doubt = is_told ? NULL : bp_owner_doubt(owner);
  if (doubt)
    bp_tell("BP_KERNEL_DIR: %s: code of others will run: expected a file of this user, found %s",
            path, doubt);
  is_told = is_told || doubt;
  bp_free(doubt);
}

static bp_status read_text(const char *path, const char **text)
{
  bp_file file;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  tell_owner(path, file.owner);
  *text = bp_strndup(file.data, file.size);
  status = bp_file_check(&file, path);
  bp_file_unmap(&file);
  return status;
}

/* "bp3.5/columns" of ".../bp3.5/columns.cu". */
static char *id_of(const char *path)
{
  const char *start = strrchr(path, '/');
  while (start > path && start[-1] != '/')
    --start;
  return bp_strndup(start, (size_t)(strrchr(start, '.') - start));
}

/* "bp3.5/columns" of a first line that begins with it; else what the message will say that it should. */
static char *id_in(const char *source)
{
  char problem[16], name[64];
  bool is = sscanf(source, "/* %15[^/ \n]/%63[^/ \n] --", problem, name) == 2;
  return is ? bp_format("%s/%s", problem, name) : bp_strdup("PROBLEM/NAME");
}

static void free_text(bp_variant_text *text)
{
  bp_free((char *)text->id);
  bp_free((char *)text->file);
  bp_free((char *)text->source);
}

/* `id` NULL: as its first line says. */
static bp_status read_variant_text(const char *path, char *id, bp_variant_text *text)
{
  const char *source = NULL;
  bp_status status = read_text(path, &source);
  if (status) {
    bp_free(id);
    return status;
  }
  *text =
      (bp_variant_text){.id = id ? id : id_in(source), .file = bp_strdup(path), .source = source};
  char *start = bp_format("/* %s -- ", text->id);
  if (strncmp(source, start, strlen(start)) != 0)
    status = bp_fail(BP_BAD_INPUT, "%s:1: expected '%s...', found '%.*s'", path, start,
                     (int)strcspn(source, "\n"), source);
  bp_free(start);
  if (status)
    free_text(text);
  return status;
}

static bool is_cuda(const bp_variant_text *text)
{
  return strcmp(strrchr(text->file, '.'), ".cu") == 0;
}

static bool is_same(const bp_variant_text *a, const bp_variant_text *b)
{
  return is_cuda(a) == is_cuda(b) && strcmp(a->id, b->id) == 0;
}

/* The paths that match folder/pattern; glob's own order. */
static glob_t find(const char *folder, const char *pattern)
{
  glob_t found = {0};
  char *full = bp_format("%s/%s", folder, pattern);
  if (glob(full, GLOB_BRACE, NULL, &found) != 0)
    found.gl_pathc = 0;
  bp_free(full);
  return found;
}

/* The number of the one of that name, else of a new one. */
static int place_of(const bp_variant_text *text)
{
  int n = 0;
  while (n < texts_count && !is_same(&texts[n], text))
    ++n;
  return n;
}

static int changes; /* how often a text or a header became another */

/* Takes the place of the one of that name, if there is one; returns its number. */
static int put_text(const bp_variant_text *text)
{
  const int n = place_of(text);
  texts_count += n == texts_count;
  texts[n] = *text;
  ++changes;
  return n;
}

static bp_status read_texts(const char *folder)
{
  glob_t found = find(folder, "*/*.{c,cu}");
  bp_status status = BP_OK;
  if (found.gl_pathc == 0)
    return bp_fail(BP_BAD_INPUT, "expected a folder with PROBLEM/NAME.cu or .c in it, found '%s'",
                   folder);
  texts = bp_realloc(texts, (size_t)texts_count + found.gl_pathc + BP_KERNEL_DIR_ADDED_MAX,
                     sizeof *texts);
  for (size_t f = 0; f < found.gl_pathc && !status; ++f) {
    bp_variant_text text;
    status = read_variant_text(found.gl_pathv[f], id_of(found.gl_pathv[f]), &text);
    if (!status)
      put_text(&text);
  }
  globfree(&found);
  return status;
}

/* ---- headers ---- */

static bp_status put_header(const char *name, const char *path)
{
  const char *text;
  int n = 0;
  bp_status status = read_text(path, &text);
  if (status)
    return status;
  while (n < headers_count && strcmp(headers[n].name, name) != 0)
    ++n;
  if (n == headers_count) {
    headers = bp_realloc(headers, (size_t)++headers_count, sizeof *headers);
  } else if (strcmp(headers[n].source, text) == 0) {
    bp_free((char *)(uintptr_t)text);
    return BP_OK;
  }
  ++changes;
  headers[n] = (bp_kernel_header){bp_strdup(name), text};
  return BP_OK;
}

/* Headers at any depth, included by their path below the folder. */
static bp_status read_headers(const char *folder, const char *below)
{
  char *here = bp_format("%s/%s", folder, below);
  struct dirent **entries;
  int count = scandir(here, &entries, NULL, alphasort);
  bp_status result = BP_OK;
  for (int n = 0; n < count; ++n) {
    const char *entry = entries[n]->d_name, *end = strrchr(entry, '.');
    char *name = bp_format("%s%s%s", below, *below ? "/" : "", entry);
    char *path = bp_format("%s/%s", folder, name);
    struct stat status;
    if (!result && entry[0] != '.' && stat(path, &status) == 0) {
      if (S_ISDIR(status.st_mode))
        result = read_headers(folder, name);
      else if (end && strcmp(end, ".h") == 0)
        result = put_header(name, path);
    }
    bp_free(path);
    bp_free(name);
    free(entries[n]);
  }
  if (count >= 0)
    free(entries);
  bp_free(here);
  return result;
}

/* ---- schemes ---- */

/* Adds a scheme's variant, unless there is a file of that name. */
static void add_variant(const bp_variant_text *variant, int files_count)
{
  for (int n = 0; n < files_count; ++n)
    if (is_same(&texts[n], variant))
      return;
  texts = bp_realloc(texts, (size_t)texts_count + 1 + BP_KERNEL_DIR_ADDED_MAX, sizeof *texts);
  texts[texts_count++] = *variant;
}

static int in_order(const void *a, const void *b)
{
  const bp_variant_text *x = a, *y = b;
  return is_cuda(x) != is_cuda(y) ? is_cuda(x) - is_cuda(y) : strcmp(x->id, y->id);
}

/* Variants take the place of schemes. */
static bp_status put_variants(void)
{
  const int files_count = texts_count;
  bp_status status = BP_OK;
  for (int n = 0; n < files_count && !status; ++n) {
    bp_variant_text *variants = NULL;
    int count = 0;
    if (bp_scheme_text_is(&texts[n]))
      status = bp_scheme_text_variants(&texts[n], &variants, &count);
    for (int m = 0; m < count && !status; ++m)
      add_variant(&variants[m], files_count);
    bp_free(variants);
  }
  int kept = 0; /* schemes themselves lie behind them, for their texts are never freed */
  for (int n = 0; n < texts_count; ++n)
    if (!bp_scheme_text_is(&texts[n])) {
      const bp_variant_text text = texts[n];
      texts[n] = texts[kept];
      texts[kept++] = text;
    }
  texts_count = kept;
  qsort(texts, (size_t)texts_count, sizeof *texts, in_order);
  return status;
}

/* Nothing to be done where texts were read already. */
static void read_binary(void)
{
  if (!texts)
    (void)bp_kernel_dir_read(NULL);
}

static bp_status read_folder(const char *folder)
{
  struct stat info;
  if (stat(folder, &info) == 0)
    tell_owner(folder, bp_owner_of(&info));
  bp_status status = read_texts(folder);
  if (!status)
    status = read_headers(folder, "");
  return status ? bp_fail_at(status, "BP_KERNEL_DIR") : BP_OK;
}

bp_status bp_kernel_dir_read(const char *folder)
{
  texts_count = bp_variant_texts_count;
  headers_count = bp_kernel_headers_count;
  texts = bp_realloc(NULL, (size_t)texts_count + BP_KERNEL_DIR_ADDED_MAX, sizeof *texts);
  headers = bp_realloc(NULL, (size_t)headers_count + 1, sizeof *headers);
  memcpy(texts, bp_variant_texts, (size_t)texts_count * sizeof *texts);
  memcpy(headers, bp_kernel_headers, (size_t)headers_count * sizeof *headers);
  bp_status status = folder && *folder ? read_folder(folder) : BP_OK;
  return status ? status : put_variants();
}

/* Those in the file's own folder, by their names. */
static bp_status read_headers_beside(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? bp_strndup(path, (size_t)(slash - path)) : bp_strdup(".");
  glob_t found = find(folder, "*.h");
  bp_status status = BP_OK;
  for (size_t n = 0; n < found.gl_pathc && !status; ++n)
    status = put_header(strrchr(found.gl_pathv[n], '/') + 1, found.gl_pathv[n]);
  globfree(&found);
  bp_free(folder);
  return status;
}

bp_status bp_kernel_dir_add(const char *path, int *number, bool *is_changed)
{
  static int added;
  bp_variant_text text;
  read_binary();
  const int before = changes;
  bp_status status = read_variant_text(path, NULL, &text);
  if (status)
    return status;
  *number = place_of(&text);
  if (*number == texts_count && added++ == BP_KERNEL_DIR_ADDED_MAX)
    return bp_fail(BP_BAD_INPUT, "%s: expected at most %d files of kernels", path,
                   BP_KERNEL_DIR_ADDED_MAX);
  if (bp_scheme_text_is(&text))
    return bp_fail(BP_BAD_INPUT,
                   "%s: expected a variant, found a scheme, which is read from "
                   "BP_KERNEL_DIR/solve",
                   path);
  if (*number < texts_count && strcmp(texts[*number].source, text.source) == 0 &&
      strcmp(texts[*number].file, text.file) == 0)
    free_text(&text);
  else
    put_text(&text);
  status = read_headers_beside(path);
  *is_changed = changes != before;
  return status;
}

const bp_variant_text *bp_kernel_dir_texts(int *count)
{
  read_binary();
  *count = texts_count;
  return texts;
}

const bp_kernel_header *bp_kernel_dir_headers(int *count)
{
  read_binary();
  *count = headers_count;
  return headers;
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
    if (*at)
      ++*at;
  }
  return path;
}

static const bp_kernel_header *find_header(const char *name, size_t length)
{
  for (int n = 0; n < headers_count; ++n)
    if (strlen(headers[n].name) == length && memcmp(headers[n].name, name, length) == 0)
      return &headers[n];
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

/* Beside the one that includes it, `from`, or below the folder. */
static const bp_kernel_header *find_included(const char *from, const char *name, size_t length)
{
  const char *slash = strrchr(from, '/');
  char *beside =
      bp_format("%.*s%.*s", slash ? (int)(slash + 1 - from) : 0, from, (int)length, name);
  const bp_kernel_header *header = find_header(beside, strlen(beside));
  bp_free(beside);
  return header ? header : find_header(name, length);
}

static void add_included(inclusion *i, const char *from, const char *source)
{
  const char *at = source, *name;
  size_t length;
  while ((name = next_include(&at, &length))) {
    const bp_kernel_header *header = find_included(from, name, length);
    bool is_left_out = i->except && strncmp(name, i->except, strlen(i->except)) == 0;
    if (!header || is_left_out || is_seen(i, header))
      continue;
    i->seen[i->seen_count++] = header;
    add_included(i, header->name, header->source);
    i->found[i->found_count++] = header;
  }
}

const bp_kernel_header **bp_kernel_dir_included(const char *source, const char *except, int *count)
{
  read_binary();
  inclusion i = {
      .except = except,
      .seen = bp_alloc((size_t)headers_count + 1, sizeof *i.seen),
      .found = bp_alloc((size_t)headers_count + 1, sizeof *i.found),
  };
  add_included(&i, "", source);
  bp_free(i.seen);
  *count = i.found_count;
  return i.found;
}
