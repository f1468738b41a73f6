/* emulate_build.c -- makes programs of kernels with the host's C++ compiler, and keeps them on disk. */
#include "kernel/emulate.h"

#include "base/memory.h"
#include "base/text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bp_emulate_compiler {
  char *command;      /* "g++" */
  char *version;      /* what it says of itself */
  char *cache;        /* folder of finished programs */
  bool cache_is_ours; /* to be removed in the end */
  const char *sanitize;
  char *runtime; /* its object file */
};

enum { WORDS_MAX = 60 };

/* ---- folders and files ---- */

static bp_status write_text(const char *folder, const char *name, const char *first,
                            const char *text)
{
  char *path = bp_format("%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  bool good = f && fputs(first, f) >= 0 && fputs(text, f) >= 0;
  good = f && fclose(f) == 0 && good;
  bp_status status =
      good ? BP_OK : bp_fail(BP_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
  bp_free(path);
  return status;
}

static void remove_folder(const char *folder)
{
  DIR *d = opendir(folder);
  for (struct dirent *entry; d && (entry = readdir(d));) {
    char *path = bp_format("%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.')
      unlink(path);
    bp_free(path);
  }
  if (d)
    closedir(d);
  rmdir(folder);
}

static bool make_folders(char *path)
{
  for (char *slash = path + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
  return (mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK | X_OK) == 0;
}

/* XDG_CACHE_HOME/bp, ~/.cache/bp, or a folder for this run alone. */
static bp_status open_cache(bp_emulate_compiler *c)
{
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *temporary = getenv("TMPDIR");
  if (xdg && *xdg)
    c->cache = bp_format("%s/bp", xdg);
  else if (home && *home)
    c->cache = bp_format("%s/.cache/bp", home);
  if (c->cache && make_folders(c->cache))
    return BP_OK;
  bp_free(c->cache);
  c->cache = bp_format("%s/bp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  c->cache_is_ours = mkdtemp(c->cache) != NULL;
  return c->cache_is_ours
             ? BP_OK
             : bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", c->cache, strerror(errno));
}

/* ---- the compiler ---- */

/* Runs `words`; its output is in *text, to be freed. True when it ended well. */
static bool run_compiler(char *const words[], char **text)
{
  char line[512];
  bp_text all = {0};
  FILE *output = tmpfile();
  if (!output)
    return false;
  int status = bp_emulate_spawn(words, fileno(output), -1);
  rewind(output);
  bp_text_append(&all, "");
  while (fgets(line, sizeof line, output))
    bp_text_append(&all, line);
  fclose(output);
  *text = all.data;
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bp_status find_compiler(bp_emulate_compiler *c)
{
  const char *names[] = {getenv("BP_CXX"), "c++", "g++", "clang++"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
    if (!names[n] || !*names[n])
      continue;
    char *words[] = {(char *)(uintptr_t)names[n], "--version", NULL};
    bp_free(c->version);
    c->version = NULL;
    if (run_compiler(words, &c->version)) {
      c->command = bp_strdup(names[n]);
      return BP_OK;
    }
  }
  return bp_fail(BP_ENVIRONMENT, "emulate: needs a C++ compiler; found none of c++, g++, clang++ "
                                 "(BP_CXX names another)");
}

typedef struct {
  uint64_t a, b;
} hash;

static void hash_text(hash *h, const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text;; ++c) {
    h->a = (h->a ^ *c) * 0x100000001b3u;
    h->b = (h->b ^ *c) * 0x9e3779b97f4a7c15u;
    h->b ^= h->b >> 29;
    if (!*c)
      return;
  }
}

static char *path_of(const bp_emulate_compiler *c, const char *kind, const hash *h)
{
  return bp_format("%s/emulate-%s-%016llx%016llx", c->cache, kind, (unsigned long long)h->a,
                   (unsigned long long)h->b);
}

static hash start_hash(const bp_emulate_compiler *c)
{
  hash h = {0xcbf29ce484222325u, 0x6a09e667f3bcc908u};
  hash_text(&h, c->command);
  hash_text(&h, c->version);
  hash_text(&h, c->sanitize ? c->sanitize : "");
  for (const bp_kernel_header *s = bp_emulated_sources; s->name; ++s)
    hash_text(&h, s->source);
  for (int n = 0; n < bp_kernel_headers_count; ++n)
    hash_text(&h, bp_kernel_headers[n].source);
  return h;
}

/* The first error, without the source lines that compilers quote below it. */
static bp_status fail_compile(const bp_emulate_compiler *c, const char *text)
{
  const char *error = strstr(text, "error:"), *start = error ? error : text;
  while (start > text && start[-1] != '\n')
    --start;
  int length = (int)strcspn(start, "\n");
  return length ? bp_fail(BP_WRONG, "%.*s", length, start)
                : bp_fail(BP_WRONG, "%s fails and does not say why", c->command);
}

/* Compiles in `folder` (whose files are written), to `name` there, then moves it to `path`. */
static bp_status compile(const bp_emulate_compiler *c, char **words, int count, const char *folder,
                         const char *path)
{
  char *output = bp_format("%s/output", folder), *text = NULL;
  bp_status status = BP_OK;
  words[count++] = "-o";
  words[count++] = output;
  words[count] = NULL;
  BP_ASSERT(count < WORDS_MAX);
  if (!run_compiler(words, &text))
    status = fail_compile(c, text ? text : "");
  else if (rename(output, path) != 0)
    status = bp_fail(BP_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
  bp_free(text);
  bp_free(output);
  return status;
}

static bp_status write_headers(const char *folder)
{
  bp_status status = BP_OK;
  for (int n = 0; n < bp_kernel_headers_count && !status; ++n) {
    char *line = bp_format("#line 1 \"%s\"\n", bp_kernel_headers[n].name);
    status = write_text(folder, bp_kernel_headers[n].name, line, bp_kernel_headers[n].source);
    bp_free(line);
  }
  return status;
}

static bp_status make_folder(const bp_emulate_compiler *c, char **folder)
{
  *folder = bp_format("%s/build-XXXXXX", c->cache);
  return mkdtemp(*folder)
             ? BP_OK
             : bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", *folder, strerror(errno));
}

/* ---- the runtime ---- */

static char *mode_flag(const bp_emulate_compiler *c)
{
  if (!c->sanitize)
    return "-DBP_EMULATE_PLAIN";
  return strcmp(c->sanitize, "address") == 0 ? "-DBP_EMULATE_ADDRESS" : "-DBP_EMULATE_THREAD";
}

static bp_status compile_runtime(bp_emulate_compiler *c, const char *folder)
{
  char *words[WORDS_MAX] = {c->command, "-std=c11",  "-D_GNU_SOURCE", "-O2",     "-g1",       "-w",
                            "-r",       "-nostdlib", "-fno-pie",      "-no-pie", mode_flag(c)};
  char *paths[WORDS_MAX];
  int count = 11, paths_count = 0;
  bp_status status = write_headers(folder);
  for (const bp_kernel_header *s = bp_emulated_sources; s->name && !status; ++s) {
    status = write_text(folder, s->name, "", s->source);
    if (strstr(s->name, ".c")) {
      words[count++] = "-x"; /* each time: g++ forgets it */
      words[count++] = "c";
      words[count++] = paths[paths_count++] = bp_format("%s/%s", folder, s->name);
    }
  }
  if (!status)
    status = compile(c, words, count, folder, c->runtime);
  while (paths_count > 0)
    bp_free(paths[--paths_count]);
  return status;
}

static bp_status make_runtime(bp_emulate_compiler *c)
{
  hash h = start_hash(c);
  char *folder;
  c->runtime = path_of(c, "runtime", &h);
  if (access(c->runtime, R_OK) == 0)
    return BP_OK;
  bp_status status = make_folder(c, &folder);
  if (!status) {
    status = compile_runtime(c, folder);
    remove_folder(folder);
  }
  bp_free(folder);
  return status == BP_WRONG ? bp_fail_at(BP_ENVIRONMENT, "emulate: the runtime") : status;
}

bp_status bp_emulate_compiler_create(const char *sanitize, bp_emulate_compiler **compiler)
{
  bp_emulate_compiler *c = bp_alloc(1, sizeof *c);
  bp_status status = BP_OK;
  c->sanitize = sanitize && *sanitize ? sanitize : NULL;
  if (c->sanitize && strcmp(sanitize, "address") != 0 && strcmp(sanitize, "thread") != 0)
    status = bp_fail(BP_BAD_INPUT, "sanitize: expected address or thread, found '%s'", sanitize);
  if (!status)
    status = find_compiler(c);
  if (!status)
    status = open_cache(c);
  if (!status)
    status = make_runtime(c);
  if (status) {
    bp_emulate_compiler_destroy(c);
    c = NULL;
  }
  *compiler = c;
  return status;
}

void bp_emulate_compiler_destroy(bp_emulate_compiler *c)
{
  if (!c)
    return;
  if (c->cache_is_ours)
    remove_folder(c->cache);
  bp_free(c->command);
  bp_free(c->version);
  bp_free(c->cache);
  bp_free(c->runtime);
  bp_free(c);
}

/* ---- kernels ---- */

/* "-DBP_N=7", and so on; returns how many. */
static int define_options(const bp_choice *choice, const bp_operator *op, int degree,
                          char *words[WORDS_MAX])
{
  const bp_variant *variant = choice->variant;
  int count = 0;
  if (!variant->compiled_once)
    words[count++] = bp_format("-DBP_N=%d", degree);
  words[count++] = bp_format("-DBP_COLLOCATED=%d", op && op->collocated);
  words[count++] = bp_format("-DBP_COMPONENTS=%d", op ? op->components : 0);
  for (int n = 0; n < variant->options_count; ++n) {
    char *word = bp_format("-D%s=%lld", variant->options[n].name, (long long)choice->option[n]);
    for (char *c = word + 2; *c != '='; ++c)
      *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    words[count++] = word;
  }
  return count;
}

static bp_status compile_kernel(const bp_emulate_compiler *c, const bp_choice *choice,
                                char *const *options, int options_count, const char *folder,
                                const char *path)
{
  char *words[WORDS_MAX] = {c->command,    "-std=c++17", "-O1",     "-g1",
                            "-w",          "-fno-pie",   "-no-pie", "-fno-strict-aliasing",
                            "-DBP_EMULATE"};
  int count = 9;
  char *sanitize = bp_format("-fsanitize=%s", c->sanitize ? c->sanitize : "");
  char *source = bp_format("%s/variant.cu", folder);
  char *line = bp_format("#line 1 \"%s\"\n", choice->variant->text->file);
  for (int n = 0; n < options_count; ++n)
    words[count++] = options[n];
  words[count++] = mode_flag(c);
  if (c->sanitize)
    words[count++] = sanitize;
  char *const tail[] = {"-x", "c++", source, "-x", "none", c->runtime};
  memcpy(words + count, tail, sizeof tail);
  count += (int)(sizeof tail / sizeof *tail);
  bp_status status = write_headers(folder);
  if (!status)
    status = write_text(folder, "variant.cu", line, choice->variant->text->source);
  if (!status)
    status = compile(c, words, count, folder, path);
  bp_free(sanitize);
  bp_free(source);
  bp_free(line);
  return status;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bp_status bp_emulate_build(const bp_emulate_compiler *c, const bp_choice *choice,
                           const bp_operator *op, int degree, char **path, double *seconds)
{
  char *options[WORDS_MAX], *folder = NULL;
  double begin = now();
  int count = define_options(choice, op, degree, options);
  hash h = start_hash(c);
  hash_text(&h, choice->variant->text->source);
  for (int n = 0; n < count; ++n)
    hash_text(&h, options[n]);
  *path = path_of(c, "program", &h);
  *seconds = 0;
  bp_status status = BP_OK;
  if (access(*path, X_OK) != 0) {
    status = make_folder(c, &folder);
    if (!status) {
      status = compile_kernel(c, choice, options, count, folder, *path);
      remove_folder(folder);
    }
    *seconds = now() - begin;
  }
  for (int n = 0; n < count; ++n)
    bp_free(options[n]);
  bp_free(folder);
  if (status) {
    bp_free(*path);
    *path = NULL;
  }
  return status;
}
