/* compile.h -- kernels compiled for the host while bp runs: by a compiler, once, and kept on disk
 * (compile_cache.h). What comes out is named after a checksum of all that it depends on. */
#ifndef BP_DEVICE_COMPILE_H
#define BP_DEVICE_COMPILE_H

#include "registry/variant.h"

/* A language, and who compiles it. */
typedef struct {
  const char *language;     /* "C" */
  const char *variable;     /* of the environment, that names the compiler: "CC" */
  const char *const *names; /* else the first of these that is there; NULL at the end */
  const char *
      built; /* the version that what came with bp is compiled by, and what lies in the cache where no
                      * compiler is found; NULL: nothing came */
} bp_compiler_kind;

typedef struct bp_compiler bp_compiler;

/* Opens the cache and looks for the compiler. BP_ENVIRONMENT where there is no place for a cache. */
bp_status bp_compiler_create(const bp_compiler_kind *kind, bp_compiler **compiler);
void bp_compiler_destroy(bp_compiler *compiler);

/* BP_ENVIRONMENT where there is none, with a line that helps. */
bp_status bp_compiler_check(const bp_compiler *compiler);

/* What it says of itself behind its name: "(Debian 12.2.0-14) 12.2.0". */
const char *bp_compiler_version(const bp_compiler *compiler);

/* A text to be compiled, or one that such a text includes. */
typedef struct {
  const char *name;   /* below the folder in which the compiler runs */
  const char *origin; /* as messages and line tables name it; NULL: its name */
  const char *text;
} bp_compile_file;

enum { BP_COMPILE_FILES_MAX = 160, BP_COMPILE_WORDS_MAX = 100 };

/* All that an outcome depends on besides the compiler. */
typedef struct {
  const char *kind; /* what comes out, as its name begins: "kernel" */
  bp_compile_file files[BP_COMPILE_FILES_MAX];
  int files_count;
  const char *words[BP_COMPILE_WORDS_MAX]; /* of the command line, in the folder of the files */
  int words_count;
} bp_compile_job;

void bp_compile_add_file(bp_compile_job *job, bp_compile_file file);
void bp_compile_add_words(bp_compile_job *job, const char *const *words, int count);
/* The headers that a source includes (kernel_dir.h). */
void bp_compile_add_headers(bp_compile_job *job, const char *source);

/* What came with bp or was kept; NULL: neither. To be freed. */
char *bp_compile_find(const bp_compiler *compiler, const bp_compile_job *job);

/* The same, or compiles; *seconds is 0 where nothing was compiled. May be called by several threads; what
 * others make at that time is waited for. BP_WRONG when the text does not compile: the first error with its
 * file and line. BP_ENVIRONMENT: there is no compiler, or no room. */
bp_status bp_compile(const bp_compiler *compiler, const bp_compile_job *job, char **path,
                     double *seconds);

#endif
