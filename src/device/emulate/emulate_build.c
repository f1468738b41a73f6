/* emulate_build.c -- makes programs of kernels with the host's C++ compiler. */
#include "device/emulate/emulate.h"

#include "base/memory.h"
#include "base/text.h"
#include "device/jit/compile.h"
#include "device/jit/operators_source.h"
#include "registry/architecture.h"
#include "registry/operand.h"
#include <string.h>

struct bp_emulate_compiler {
  bp_compiler *compiler;
  bool counts;
  char *runtime; /* its object file */
};

static const char *const names[] = {"c++", "g++", "clang++", NULL};
static const bp_compiler_kind kind = {.language = "C++", .variable = "BP_CXX", .names = names};

#define ADD_WORDS(job, ...)                                                                        \
  bp_compile_add_words(job, (const char *const[]){__VA_ARGS__},                                    \
                       (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static const char *define_of(const bp_emulate_compiler *c)
{
  return c->counts ? "-DBP_EMULATE_COUNT" : "-DBP_EMULATE_PLAIN";
}

/* ---- the runtime ---- */

static bp_status make_runtime(bp_emulate_compiler *c)
{
  bp_compile_job job = {.kind = "emulator"};
  double seconds;
  ADD_WORDS(&job, "-std=c11", "-D_GNU_SOURCE", "-O2", "-g1", "-w", "-r", "-nostdlib", "-fno-pie",
            "-no-pie", "-iquote", ".", define_of(c));
  bp_compile_add_headers(&job, "#include \"abi/emulated/runtime.h\"\n");
  for (const bp_kernel_header *s = bp_emulated_sources; s->name; ++s) {
    bp_compile_add_file(&job, (bp_compile_file){s->name, NULL, s->source});
    if (strstr(s->name, ".c"))
      ADD_WORDS(&job, "-x", "c", s->name); /* each time: g++ forgets it */
  }
  bp_status status = bp_compile(c->compiler, &job, &c->runtime, &seconds);
  return status == BP_WRONG ? bp_fail_at(BP_ENVIRONMENT, "emulate: the runtime") : status;
}

bp_status bp_emulate_compiler_create(bool counts, bp_emulate_compiler **compiler)
{
  bp_emulate_compiler *c = bp_alloc(1, sizeof *c);
  c->counts = counts;
  bp_status status = bp_compiler_create(&kind, &c->compiler);
  if (!status && bp_compiler_check(c->compiler))
    status = bp_fail_at(BP_ENVIRONMENT, "emulate");
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
  bp_compiler_destroy(c->compiler);
  bp_free(c->runtime);
  bp_free(c);
}

/* ---- kernels ---- */

/* At the lowest degrees compiling takes longer than running. In DWARF 5 the first file has no name but that
 * of the text. Without exceptions and safe statics nothing of the library of C++ is needed. Clang knows no
 * arrays that may be longer than they say, which GCC has to be told. */
static void add_flags(const bp_emulate_compiler *c, const bp_build *build, bp_compile_job *job)
{
  enum { FEW = 2 };
  const bool is_quick = !build->choice.variant->compiled_once && build->space.degree <= FEW;
  const bool is_clang = strstr(bp_compiler_version(c->compiler), "clang") != NULL;
  ADD_WORDS(job, is_quick ? "-O0" : "-Og", "-std=c++17", "-gdwarf-4", "-g1", "-w", "-fno-pie",
            "-no-pie", "-DBP_EMULATE", "-fno-strict-aliasing", "-fno-exceptions",
            "-fno-threadsafe-statics", "-fsanitize-undefined-trap-on-error",
            is_clang ? "-fsanitize=bounds" : "-fsanitize=bounds-strict", "-iquote", ".",
            define_of(c),
            "-nodefaultlibs"); /* to look through that of C++ takes a third of the time */
}

bp_status bp_emulate_build(const bp_emulate_compiler *c, const bp_build *build, int sm, char **path,
                           double *seconds)
{
  const bp_variant *variant = build->choice.variant;
  char *defines[BP_FEATURES + BP_DEFINES_MAX];
  bp_text arguments = {0}, operators = {0};
  bp_compile_job job = {.kind = "emulated"};
  int count = bp_architecture_defines(sm, defines);
  count += bp_choice_defines(&build->choice, build->op, build->space, defines + count);
  add_flags(c, build, &job);
  bp_compile_add_words(&job, (const char *const *)defines, count);
  bp_compile_add_headers(&job, variant->text->source);
  bp_compile_add_file(&job,
                      (bp_compile_file){"variant.cu", variant->text->file, variant->text->source});
  bp_operands_source(variant->operands, variant->operands_count, &arguments);
  bp_compile_add_file(&job, (bp_compile_file){"arguments.h", NULL, bp_text_string(&arguments)});
  if (build->op && !variant->compiled_once) { /* else kernels take them as arguments */
    bp_operators_source(build->op, build->space, &operators);
    bp_compile_add_file(&job, (bp_compile_file){"operators.h", NULL, bp_text_string(&operators)});
  }
  ADD_WORDS(&job, "-x", "c++", "variant.cu", "-x", "none");
  char *runtime = bp_format("..%s", strrchr(c->runtime, '/'));
  ADD_WORDS(&job, runtime);
  ADD_WORDS(&job, "-lm", "-lc", "-lgcc");
  bp_status status = bp_compile(c->compiler, &job, path, seconds);
  bp_free(runtime);
  for (int n = 0; n < count; ++n)
    bp_free(defines[n]);
  bp_text_destroy(&arguments);
  bp_text_destroy(&operators);
  return status;
}
