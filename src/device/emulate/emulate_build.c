/* emulate_build.c -- makes programs of kernels with the host's C++ compiler, and keeps them on disk. */
#include "device/emulate/emulate.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/emulate/emulate_cache.h"
#include "device/jit/compiler_log.h"
#include "device/jit/operators_source.h"
#include "device/jit/seal.h"
#include "registry/kernel_dir.h"
#include "registry/operand.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct bp_emulate_compiler {
  char *command; /* "g++" */
  char *version; /* what it says of itself */
  bp_emulate_folder cache;
  int mode;      /* of modes[] */
  char *runtime; /* its object file */
};

enum { WORDS_MAX = BP_DEFINES_MAX + 40 };

static const struct {
  const char *name;
  char *define, *flag;
} modes[] = {
    {"none", "-DBP_EMULATE_PLAIN", NULL},
    {"address", "-DBP_EMULATE_ADDRESS", "-fsanitize=address"},
    {"thread", "-DBP_EMULATE_THREAD", "-fsanitize=thread"},
    {"count", "-DBP_EMULATE_COUNT", NULL},
};
enum { MODES = sizeof modes / sizeof *modes };

/* The cache's own name in it. */
static bp_status fail_to_write(const char *folder, const char *name)
{
  int error = errno;
  char *real = realpath(folder, NULL);
  bp_status status = bp_fail(BP_ENVIRONMENT, "%s/%s: cannot be written: %s", real ? real : folder,
                             name, strerror(error));
  free(real);
  return status;
}

static bp_status write_text(const char *folder, const char *name, const char *first,
                            const char *text)
{
  char *path = bp_format("%s/%s", folder, name);
  FILE *f = bp_file_create_folders(path) == BP_OK ? fopen(path, "w") : NULL;
  bool good = f && fputs(first, f) >= 0 && fputs(text, f) >= 0;
  good = f && fclose(f) == 0 && good;
  bp_status status = good ? BP_OK : fail_to_write(folder, name);
  bp_free(path);
  return status;
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
  const char *chosen = getenv("BP_CXX");
  bool is_chosen = chosen && *chosen;
  const char *names[] = {is_chosen ? chosen : "c++", "g++", "clang++"};
  for (int n = 0; n < (is_chosen ? 1 : 3); ++n) {
    char *words[] = {(char *)(uintptr_t)names[n], "--version", NULL};
    bp_free(c->version);
    c->version = NULL;
    if (run_compiler(words, &c->version)) {
      c->command = bp_strdup(names[n]);
      return BP_OK;
    }
  }
  if (is_chosen)
    return bp_fail(BP_ENVIRONMENT, "emulate: BP_CXX: expected a C++ compiler, found '%s'", chosen);
  return bp_fail(BP_ENVIRONMENT, "emulate: needs a C++ compiler; found none of c++, g++, clang++ "
                                 "(BP_CXX names another)");
}

static char *path_of(const bp_emulate_compiler *c, const char *kind, const bp_text *all)
{
  char digits[33];
  return bp_format("%s/%s-%s", c->cache.path, kind,
                   bp_hash_print(digits, bp_hash_bytes(all->data, all->length)));
}

static void append_part(bp_text *all, const char *part)
{
  bp_text_append_bytes(all, part, strlen(part) + 1);
}

/* The headers that a source needs, with those of the runtime. */
typedef struct {
  const bp_kernel_header **items;
  int count;
} header_list;

static header_list included_by(const char *source)
{
  header_list list;
  list.items = bp_kernel_dir_included(source, NULL, &list.count);
  return list;
}

/* The runtime's interface is all that its sources include. */
static header_list included_by_runtime(void)
{
  return included_by("#include \"abi/emulated/runtime.h\"\n");
}

/* What every program depends on. */
static void append_common(const bp_emulate_compiler *c, header_list headers, bp_text *all)
{
  append_part(all, c->command);
  append_part(all, c->version);
  append_part(all, modes[c->mode].name);
  for (const bp_kernel_header *s = bp_emulated_sources; s->name; ++s)
    append_part(all, s->source);
  for (int n = 0; n < headers.count; ++n) {
    append_part(all, headers.items[n]->name);
    append_part(all, headers.items[n]->source);
  }
}

/* The first error, without the source lines that compilers quote below it. */
static bp_status fail_compile(const bp_emulate_compiler *c, const char *text)
{
  const char *error = bp_log_first_error(text);
  int length = (int)strcspn(error, "\n");
  return length ? bp_fail(BP_WRONG, "%.*s", length, error)
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
  else if (bp_seal_add(output) || rename(output, path) != 0)
    status = fail_to_write(folder, "output");
  bp_free(text);
  bp_free(output);
  return status;
}

static bp_status write_headers(header_list headers, const char *folder)
{
  bp_status status = BP_OK;
  for (int n = 0; n < headers.count && !status; ++n) {
    char *line = bp_format("#line 1 \"%s\"\n", headers.items[n]->name);
    status = write_text(folder, headers.items[n]->name, line, headers.items[n]->source);
    bp_free(line);
  }
  return status;
}

/* ---- the runtime ---- */

static bp_status compile_runtime(bp_emulate_compiler *c, header_list headers, const char *folder)
{
  char *words[WORDS_MAX] = {c->command,
                            "-std=c11",
                            "-D_GNU_SOURCE",
                            "-O2",
                            "-g1",
                            "-w",
                            "-r",
                            "-nostdlib",
                            "-fno-pie",
                            "-no-pie",
                            modes[c->mode].define,
                            "-iquote",
                            (char *)(uintptr_t)folder};
  char *paths[WORDS_MAX];
  int count = 13, paths_count = 0;
  bp_status status = write_headers(headers, folder);
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
  bp_text all = {0};
  bp_emulate_folder folder = {.lock = -1};
  header_list headers = included_by_runtime();
  append_common(c, headers, &all);
  c->runtime = path_of(c, "emulator", &all);
  bp_text_destroy(&all);
  bp_status status = BP_OK;
  if (!bp_seal_is_good(c->runtime)) {
    status = bp_emulate_folder_create(&c->cache, &folder);
    if (!status)
      status = compile_runtime(c, headers, folder.path);
    bp_emulate_folder_destroy(&folder);
  }
  bp_free(headers.items);
  return status == BP_WRONG ? bp_fail_at(BP_ENVIRONMENT, "emulate: the runtime") : status;
}

bp_status bp_emulate_compiler_create(const char *mode, bp_emulate_compiler **compiler)
{
  bp_emulate_compiler *c = bp_alloc(1, sizeof *c);
  while (c->mode < MODES && strcmp(modes[c->mode].name, mode) != 0)
    ++c->mode;
  BP_ASSERT(c->mode < MODES);
  bp_status status = find_compiler(c);
  if (!status)
    status = bp_emulate_cache_open(&c->cache);
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
  bp_emulate_folder_destroy(&c->cache);
  bp_free(c->command);
  bp_free(c->version);
  bp_free(c->runtime);
  bp_free(c);
}

/* ---- kernels ---- */

/* "-Og", "-DBP_N=7", and so on; returns how many. At the lowest degrees compiling takes longer than
 * running. */
static int define_options(const bp_build *build, char *words[WORDS_MAX])
{
  enum { FEW = 2 };
  const bool is_quick = !build->choice.variant->compiled_once && build->space.degree <= FEW;
  words[0] = bp_strdup(is_quick ? "-O0" : "-Og");
  return 1 + bp_choice_defines(&build->choice, build->op, build->space, words + 1);
}

/* Nothing for a kernel that takes them as arguments. */
static void operators_of(const bp_build *build, bp_text *operators)
{
  if (build->op && !build->choice.variant->compiled_once)
    bp_operators_source(build->op, build->space, operators);
}

static bp_status write_sources(header_list headers, const bp_build *build, const bp_text *operators,
                               const char *folder)
{
  const bp_variant *variant = build->choice.variant;
  char *line = bp_format("#line 1 \"%s\"\n", variant->text->file);
  bp_text arguments = {0};
  bp_operands_source(variant->operands, variant->operands_count, &arguments);
  bp_status status = write_headers(headers, folder);
  if (!status)
    status = write_text(folder, "variant.cu", line, variant->text->source);
  if (!status)
    status = write_text(folder, "arguments.h", "", arguments.data);
  if (!status && operators->data)
    status = write_text(folder, "operators.h", "", operators->data);
  bp_text_destroy(&arguments);
  bp_free(line);
  return status;
}

/* Part of a program's key in the cache. In DWARF 5 the first file has no name but that of the text. */
static char *const kernel_flags[] = {
    "-std=c++17",
    "-gdwarf-4",
    "-g1",
    "-w",
    "-fno-pie",
    "-no-pie",
    "-DBP_EMULATE",
    "-fno-strict-aliasing",
    "-fno-exceptions", /* with the next: needs nothing of the library of C++ */
    "-fno-threadsafe-statics",
    "-fsanitize-undefined-trap-on-error"};
enum { KERNEL_FLAGS = sizeof kernel_flags / sizeof *kernel_flags };

/* Clang knows no arrays that may be longer than they say, which GCC has to be told. */
static char *bounds_flag(const bp_emulate_compiler *c)
{
  return strstr(c->version, "clang") ? "-fsanitize=bounds" : "-fsanitize=bounds-strict";
}

static bp_status compile_kernel(const bp_emulate_compiler *c, char *const *options,
                                int options_count, const char *folder, const char *path)
{
  char *words[WORDS_MAX] = {c->command};
  int count = 1;
  char *source = bp_format("%s/variant.cu", folder);
  for (int n = 0; n < KERNEL_FLAGS; ++n)
    words[count++] = kernel_flags[n];
  words[count++] = bounds_flag(c);
  words[count++] = "-iquote";
  words[count++] = (char *)(uintptr_t)folder;
  for (int n = 0; n < options_count; ++n)
    words[count++] = options[n];
  words[count++] = modes[c->mode].define;
  if (modes[c->mode].flag)
    words[count++] = modes[c->mode].flag;
  char *const tail[] = {"-x", "c++", source, "-x", "none", c->runtime};
  memcpy(words + count, tail, sizeof tail);
  count += (int)(sizeof tail / sizeof *tail);
  if (!modes[c->mode].flag) { /* to look through that of C++ takes a third of the time */
    char *const libraries[] = {"-nodefaultlibs", "-lm", "-lc", "-lgcc"};
    memcpy(words + count, libraries, sizeof libraries);
    count += (int)(sizeof libraries / sizeof *libraries);
  }
  bp_status status = compile(c, words, count, folder, path);
  bp_free(source);
  return status;
}

bp_status bp_emulate_build(const bp_emulate_compiler *c, const bp_build *build, char **path,
                           double *seconds)
{
  const bp_variant *variant = build->choice.variant;
  char *options[WORDS_MAX];
  bp_emulate_folder folder;
  double begin = bp_clock();
  int count = define_options(build, options);
  bp_text all = {0}, operators = {0};
  header_list headers = included_by(variant->text->source);
  operators_of(build, &operators);
  append_common(c, headers, &all);
  append_part(&all, variant->text->file); /* stands in the line table */
  append_part(&all, variant->text->source);
  append_part(&all, bp_text_string(&operators));
  for (int n = 0; n < KERNEL_FLAGS; ++n)
    append_part(&all, kernel_flags[n]);
  for (int n = 0; n < count; ++n)
    append_part(&all, options[n]);
  *path = path_of(c, "emulated", &all);
  bp_text_destroy(&all);
  *seconds = 0;
  bp_status status = BP_OK;
  if (access(*path, X_OK) != 0 || !bp_seal_is_good(*path)) {
    status = bp_emulate_folder_create(&c->cache, &folder);
    if (!status) {
      status = write_sources(headers, build, &operators, folder.path);
      if (!status)
        status = compile_kernel(c, options, count, folder.path, *path);
      bp_emulate_folder_destroy(&folder);
    }
    *seconds = bp_clock() - begin;
  }
  for (int n = 0; n < count; ++n)
    bp_free(options[n]);
  bp_free(headers.items);
  bp_text_destroy(&operators);
  if (status) {
    bp_free(*path);
    *path = NULL;
  }
  return status;
}
