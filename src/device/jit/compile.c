/* compile.c -- the key, a folder with the texts, the compiler, the seal. */
#include "device/jit/compile.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include "device/jit/compile_cache.h"
#include "device/jit/compiler_log.h"
#include "device/jit/seal.h"
#include "device/jit/spawn.h"
#include "registry/kernel_dir.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_WORDS_MAX = 16 };

struct bp_compiler {
  const bp_compiler_kind *kind;
  char *command; /* "cc"; NULL: none was found */
  char *version; /* what it says of itself */
  char *shipped; /* the folder of what came with bp; NULL: none, or another compiler is asked for */
  bp_compile_folder cache;
};

/* ---- the compiler ---- */

/* The name that it was called by does not matter. */
static char *version_in(const char *said)
{
  const char *space = strchr(said, ' '), *start = space ? space + 1 : said;
  return bp_strndup(start, strcspn(start, "\n"));
}

static const char *chosen(const bp_compiler_kind *kind)
{
  const char *name = getenv(kind->variable);
  return name && *name ? name : NULL;
}

/* Its command may be several words, as "ccache gcc". Cuts `command` into them; returns how many. */
static int split(char *command, const char *words[COMMAND_WORDS_MAX])
{
  int count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(command, " ", &rest); word && count < COMMAND_WORDS_MAX;
       word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  return count;
}

static void find_compiler(bp_compiler *c)
{
  const char *one[] = {chosen(c->kind), NULL};
  for (const char *const *name = one[0] ? one : c->kind->names; *name && !c->command; ++name) {
    const char *words[COMMAND_WORDS_MAX + 2] = {NULL};
    char *command = bp_strdup(*name), *said = NULL;
    words[split(command, words)] = "--version";
    if (bp_spawn((char *const *)(uintptr_t)words, NULL, &said)) {
      c->command = bp_strdup(*name);
      c->version = version_in(said);
    }
    bp_free(said);
    bp_free(command);
  }
  if (!c->version)
    c->version = bp_strdup(c->kind->built ? c->kind->built : "");
}

bp_status bp_compiler_create(const bp_compiler_kind *kind, bp_compiler **compiler)
{
  bp_compiler *c = bp_alloc(1, sizeof *c);
  *c = (bp_compiler){.kind = kind, .cache.lock = -1};
  *compiler = c;
  find_compiler(c);
  if (kind->built && !chosen(kind))
    c->shipped = bp_shipped_library("kernels");
  bp_status status = bp_compile_cache_open(&c->cache);
  if (status) {
    bp_compiler_destroy(c);
    *compiler = NULL;
  }
  return status;
}

void bp_compiler_destroy(bp_compiler *c)
{
  if (!c)
    return;
  bp_compile_folder_destroy(&c->cache);
  bp_free(c->command);
  bp_free(c->version);
  bp_free(c->shipped);
  bp_free(c);
}

bp_status bp_compiler_check(const bp_compiler *c)
{
  const char *name = chosen(c->kind);
  if (c->command)
    return BP_OK;
  if (name)
    return bp_fail(BP_ENVIRONMENT, "%s: expected a %s compiler, found '%s'", c->kind->variable,
                   c->kind->language, name);
  bp_text names = {0};
  for (const char *const *n = c->kind->names; *n; ++n)
    bp_text_appendf(&names, "%s%s", n > c->kind->names ? ", " : "", *n);
  bp_status status =
      bp_fail(BP_ENVIRONMENT, "needs a %s compiler; found none of %s (%s names another)",
              c->kind->language, bp_text_string(&names), c->kind->variable);
  bp_text_destroy(&names);
  return status;
}

const char *bp_compiler_version(const bp_compiler *c)
{
  return c->version;
}

/* ---- a job ---- */

void bp_compile_add_file(bp_compile_job *job, bp_compile_file file)
{
  BP_ASSERT(job->files_count < BP_COMPILE_FILES_MAX);
  job->files[job->files_count++] = file;
}

void bp_compile_add_words(bp_compile_job *job, const char *const *words, int count)
{
  BP_ASSERT(job->words_count + count <= BP_COMPILE_WORDS_MAX);
  memcpy(job->words + job->words_count, words, (size_t)count * sizeof *words);
  job->words_count += count;
}

static bool has_file(const bp_compile_job *job, const char *name)
{
  int n = 0;
  while (n < job->files_count && strcmp(job->files[n].name, name) != 0)
    ++n;
  return n < job->files_count;
}

void bp_compile_add_headers(bp_compile_job *job, const char *source)
{
  int count;
  const bp_kernel_header **headers = bp_kernel_dir_included(source, NULL, &count);
  for (int n = 0; n < count; ++n)
    if (!has_file(job, headers[n]->name))
      bp_compile_add_file(job, (bp_compile_file){headers[n]->name, NULL, headers[n]->source});
  bp_free(headers);
}

static void append_part(bp_text *all, const char *part)
{
  bp_text_append_bytes(all, part, strlen(part) + 1);
}

static bp_hash key_of(const bp_compile_job *job, const char *version)
{
  bp_text all = {0};
  append_part(&all, version);
  for (int n = 0; n < job->words_count; ++n)
    append_part(&all, job->words[n]);
  for (int n = 0; n < job->files_count; ++n) {
    append_part(&all, job->files[n].name);
    append_part(&all, job->files[n].origin ? job->files[n].origin : "");
    append_part(&all, job->files[n].text);
  }
  bp_hash key = bp_hash_bytes(all.data, all.length);
  bp_text_destroy(&all);
  return key;
}

static char *path_in(const char *folder, const bp_compile_job *job, bp_hash key)
{
  char digits[33];
  return bp_format("%s/%s-%s", folder, job->kind, bp_hash_print(digits, key));
}

static char *if_good(char *path, bool is_shipped)
{
  if (is_shipped ? bp_seal_is_whole(path) : bp_seal_is_good(path))
    return path;
  bp_free(path);
  return NULL;
}

char *bp_compile_find(const bp_compiler *c, const bp_compile_job *job)
{
  char *path = NULL;
  if (c->shipped)
    path = if_good(path_in(c->shipped, job, key_of(job, c->kind->built)), true);
  if (!path && c->cache.full.path)
    path = if_good(path_in(c->cache.full.path, job, key_of(job, c->version)), false);
  return path ? path : if_good(path_in(c->cache.path, job, key_of(job, c->version)), false);
}

/* ---- compiling ---- */

/* The cache's own name in it. */
static bp_status fail_to_write(const char *folder, const char *name)
{
  int error = errno;
  char *whole = realpath(folder, NULL);
  bp_status status = bp_fail(BP_ENVIRONMENT, "%s/%s: cannot be written: %s", whole ? whole : folder,
                             name, strerror(error));
  free(whole);
  return status;
}

static bp_status write_file(const char *folder, const bp_compile_file *file)
{
  char *path = bp_format("%s/%s", folder, file->name);
  FILE *f = bp_file_create_folders(path) == BP_OK ? fopen(path, "w") : NULL;
  bool good = f && fprintf(f, "#line 1 \"%s\"\n", file->origin ? file->origin : file->name) > 0 &&
              fputs(file->text, f) >= 0;
  good = f && fclose(f) == 0 && good;
  bp_status status = good ? BP_OK : fail_to_write(folder, file->name);
  bp_free(path);
  return status;
}

/* The first error, without the source lines that compilers quote below it. */
static bp_status fail_compile(const bp_compiler *c, const char *text)
{
  const char *error = bp_log_first_error(text);
  int length = (int)strcspn(error, "\n");
  return length ? bp_fail(BP_WRONG, "%.*s", length, error)
                : bp_fail(BP_WRONG, "%s fails and does not say why", c->command);
}

/* To `output` in the folder, then to `path`. */
static bp_status run_compiler(const bp_compiler *c, const bp_compile_job *job, const char *folder,
                              const char *path)
{
  const char *words[COMMAND_WORDS_MAX + BP_COMPILE_WORDS_MAX + 4] = {NULL};
  char *output = bp_format("%s/output", folder), *text = NULL;
  char *command = bp_strdup(c->command);
  int count = split(command, words);
  bp_status status = BP_OK;
  memcpy(words + count, job->words, (size_t)job->words_count * sizeof *words);
  count += job->words_count;
  words[count++] = "-o";
  words[count++] = "output";
  if (!bp_spawn((char *const *)(uintptr_t)words, folder, &text))
    status = fail_compile(c, text ? text : "");
  else if (bp_seal_add(output) || rename(output, path) != 0)
    status = fail_to_write(folder, "output");
  bp_free(command);
  bp_free(text);
  bp_free(output);
  return status;
}

/* In the folder of that key, where others may have made it meanwhile. */
static bp_status make(const bp_compiler *c, const bp_compile_job *job, const char *path)
{
  bp_compile_folder folder;
  bp_status status = bp_compiler_check(c);
  if (!status)
    status = bp_compile_folder_create(&c->cache, strrchr(path, '-') + 1, &folder);
  if (status)
    return status;
  if (!bp_seal_is_good(path)) {
    for (int n = 0; n < job->files_count && !status; ++n)
      status = write_file(folder.path, &job->files[n]);
    if (!status)
      status = run_compiler(c, job, folder.path, path);
  }
  bp_compile_folder_destroy(&folder);
  return status;
}

bp_status bp_compile(const bp_compiler *c, const bp_compile_job *job, char **path, double *seconds)
{
  double begin = bp_clock();
  *seconds = 0;
  *path = bp_compile_find(c, job);
  if (*path)
    return BP_OK;
  *path = path_in(c->cache.path, job, key_of(job, c->version));
  bp_status status = make(c, job, *path);
  *seconds = bp_clock() - begin;
  if (status) {
    bp_free(*path);
    *path = NULL;
  }
  return status;
}
