/* cpu_build.c -- flags and texts. */
#include "device/cpu/cpu_build.h"

#include "base/memory.h"
#include "base/text.h"
#include "build.h"
#include <stdlib.h>
#include <string.h>

bp_status bp_cpu_compiler_create(bp_compiler **compiler)
{
  static const char *const names[] = {BP_CC, "cc", "gcc", "clang", NULL};
  static bp_compiler_kind kind = {"C", "CC", names, BP_CC_VERSION};
  kind.names = names + (strcmp(BP_CC, "cc") == 0);
  return bp_compiler_create(&kind, compiler);
}

static const char *const flags[] = {"-std=c11",
                                    "-D_GNU_SOURCE",
                                    "-g1",
                                    "-ffp-contract=fast",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-DBP_ENTRY=bp_entry",
                                    "-fPIC",
                                    "-fvisibility=hidden",
                                    "-iquote",
                                    "."};
static const char *const isa_flags[BP_ISA_COUNT][2] = {
    [BP_ISA_BASE] = {"-Wno-psabi"},
    [BP_ISA_AVX2] = {"-march=x86-64-v3"},
    [BP_ISA_AVX512] = {"-march=x86-64-v4", "-mprefer-vector-width=512"}};

/* A job and what its words lie in. */
typedef struct {
  bp_compile_job job;
  char *words[64];
  int words_count;
} request;

static void add_word(request *r, char *word)
{
  BP_ASSERT(r->words_count < (int)(sizeof r->words / sizeof *r->words));
  r->words[r->words_count++] = word;
  bp_compile_add_words(&r->job, (const char *const[]){word}, 1);
}

/* Words of a text, one after another. */
static void add_text(request *r, const char *text)
{
  for (; text && *(text += strspn(text, " ")); text += strcspn(text, " "))
    add_word(r, bp_strndup(text, strcspn(text, " ")));
}

/* BP_CFLAGS: more flags, such as -O0 of tests. */
static void start(request *r, bp_isa isa, const bp_build *build)
{
  const bp_variant *variant = build->choice.variant;
  *r = (request){.job.kind = "kernel"};
  bp_compile_add_words(&r->job, flags, sizeof flags / sizeof *flags);
  add_text(r, BP_KERNEL_FLAGS);
  for (int n = 0; n < 2 && isa_flags[isa][n]; ++n)
    bp_compile_add_words(&r->job, &isa_flags[isa][n], 1);
  add_word(r, bp_format("-DBP_LANES=%d", bp_space_lanes(build->space, bp_isa_lanes(isa))));
  add_word(r, bp_format("-DBP_PRECISION=%d", (int)build->space.precision));
  if (build->space.double_cycle)
    add_word(r, bp_strdup("-DBP_CYCLE=1"));
  char *defines[BP_DEFINES_MAX];
  const int count = bp_choice_host_defines(variant, build->op, build->space, defines);
  for (int n = 0; n < count; ++n)
    add_word(r, defines[n]);
  add_text(r, getenv("BP_CFLAGS"));
  bp_compile_add_headers(&r->job, variant->text->source);
  bp_compile_add_file(&r->job,
                      (bp_compile_file){"kernel.c", variant->text->file, variant->text->source});
  add_text(r, "-shared kernel.c");
}

static void end(request *r)
{
  while (r->words_count > 0)
    bp_free(r->words[--r->words_count]);
}

bool bp_cpu_is_built(const bp_compiler *compiler, bp_isa isa, const bp_build *build)
{
  request r;
  start(&r, isa, build);
  char *path = bp_compile_find(compiler, &r.job);
  end(&r);
  bp_free(path);
  return path != NULL;
}

bp_status bp_cpu_compile(const bp_compiler *compiler, bp_isa isa, const bp_build *build,
                         char **path, double *seconds)
{
  request r;
  start(&r, isa, build);
  bp_status status = BP_OK;
  *path = bp_compile_find(compiler, &r.job);
  *seconds = 0;
  if (!*path && bp_compiler_check(compiler))
    status = build->op ? BP_SKIPPED : BP_ENVIRONMENT; /* without a copy there is no measurement */
  else if (!*path)
    status = bp_compile(compiler, &r.job, path, seconds);
  end(&r);
  return status;
}
