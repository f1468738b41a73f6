/* jit_nvrtc.c -- libnvrtc by dlopen: versions, architectures, one compilation. */
#include "device/jit/jit_nvrtc.h"

#include "base/memory.h"
#include "device/jit/compiler_log.h"
#include "device/jit/shared_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 12, NEWEST = 20, OPTIONS_MAX = 64, ARCHITECTURES_MAX = 64 };

typedef struct nvrtc_program *program;

static struct {
  void *library;
  char version[16];
  int driver_major;
  bool has_cache; /* its own, which forgets what ptxas said: bp's does not */
  int architectures[ARCHITECTURES_MAX], architectures_count;
  int (*Version)(int *, int *);
  int (*GetNumSupportedArchs)(int *);
  int (*GetSupportedArchs)(int *);
  int (*CreateProgram)(program *, const char *, const char *, int, const char *const *,
                       const char *const *);
  int (*DestroyProgram)(program *);
  int (*CompileProgram)(program, int, const char *const *);
  int (*GetPTXSize)(program, size_t *);
  int (*GetPTX)(program, char *);
  int (*GetCUBINSize)(program, size_t *);
  int (*GetCUBIN)(program, char *);
  int (*GetProgramLogSize)(program, size_t *);
  int (*GetProgramLog)(program, char *);
  const char *(*GetErrorString)(int);
} nvrtc;

static const char *resolve(void)
{
#define SYMBOL(name)                                                                               \
  {                                                                                                \
    "nvrtc" #name, &nvrtc.name                                                                     \
  }
  const bp_symbol symbols[] = {
      SYMBOL(Version),           SYMBOL(GetNumSupportedArchs),
      SYMBOL(GetSupportedArchs), SYMBOL(CreateProgram),
      SYMBOL(DestroyProgram),    SYMBOL(CompileProgram),
      SYMBOL(GetPTXSize),        SYMBOL(GetPTX),
      SYMBOL(GetCUBINSize),      SYMBOL(GetCUBIN),
      SYMBOL(GetProgramLogSize), SYMBOL(GetProgramLog),
      SYMBOL(GetErrorString),
  };
#undef SYMBOL
  return bp_library_resolve(nvrtc.library, symbols, sizeof symbols / sizeof *symbols);
}

static void *open_major(int major)
{
  char name[32];
  const char *names[] = {name}, *home = getenv("CUDA_HOME"), *path = getenv("CUDA_PATH");
  char *of_home = home ? bp_format("%s/lib*", home) : NULL;
  char *of_path = path ? bp_format("%s/lib*", path) : NULL;
  const char *folders[] = {of_home, of_path, "/usr/local/cuda*/lib*", "/opt/cuda*/lib*"};
  snprintf(name, sizeof name, "libnvrtc.so.%d", major);
  void *library = bp_library_find(names, 1, folders, sizeof folders / sizeof *folders);
  bp_free(of_home);
  bp_free(of_path);
  return library;
}

/* Newer versions know the option; to older ones it is an error. */
static bool knows_no_cache(void)
{
  const char *option = "--no-cache";
  program p;
  if (nvrtc.CreateProgram(&p, "", "empty.cu", 0, NULL, NULL))
    return false;
  bool knows = nvrtc.CompileProgram(p, 1, &option) == 0;
  nvrtc.DestroyProgram(&p);
  return knows;
}

static bp_status read_versions(void)
{
  const char *missing = resolve();
  int major, minor;
  if (missing)
    return bp_fail(BP_ENVIRONMENT, "cuda: libnvrtc lacks the function %s", missing);
  if (nvrtc.Version(&major, &minor) || nvrtc.GetNumSupportedArchs(&nvrtc.architectures_count) ||
      nvrtc.architectures_count > ARCHITECTURES_MAX || nvrtc.GetSupportedArchs(nvrtc.architectures))
    return bp_fail(BP_ENVIRONMENT, "cuda: libnvrtc does not tell its version");
  nvrtc.has_cache = knows_no_cache();
  snprintf(nvrtc.version, sizeof nvrtc.version, "%d.%d", major, minor);
  return BP_OK;
}

bp_status bp_nvrtc_open(int driver_major)
{
  if (nvrtc.version[0])
    return BP_OK;
  nvrtc.driver_major = driver_major;
  if (driver_major >= OLDEST)
    nvrtc.library = open_major(driver_major);
  for (int major = NEWEST; major >= OLDEST && !nvrtc.library; --major)
    nvrtc.library = open_major(major);
  if (!nvrtc.library)
    return bp_fail(BP_ENVIRONMENT,
                   "cuda: no libnvrtc.so.%d or newer found; install the CUDA Toolkit's "
                   "NVRTC, or set CUDA_HOME to where it is",
                   OLDEST);
  return read_versions();
}

int bp_nvrtc_driver_major(void)
{
  return nvrtc.driver_major;
}

const char *bp_nvrtc_version(void)
{
  return nvrtc.version;
}

bp_status bp_nvrtc_target(int sm, char target[24], bool *is_ptx)
{
  int exact = 0, highest = 0, lowest = 1 << 30;
  for (int n = 0; n < nvrtc.architectures_count; ++n) {
    int known = nvrtc.architectures[n];
    highest = known > highest ? known : highest;
    lowest = known < lowest ? known : lowest;
    if (known <= sm && known / 10 == sm / 10 &&
        known > exact) /* machine code fits within a major */
      exact = known;
  }
  if (!exact && sm < highest)
    return bp_fail(BP_ENVIRONMENT, "cuda: NVRTC %s compiles for sm_%d and newer; this is sm_%d",
                   nvrtc.version, lowest, sm);
  *is_ptx = !exact;
  snprintf(target, 24, "%s_%d", exact ? "sm" : "compute", exact ? exact : highest);
  return BP_OK;
}

static void append_log(program p, bp_text *log)
{
  size_t size = 0;
  if (nvrtc.GetProgramLogSize(p, &size) || size < 2)
    return;
  char *text = bp_alloc(size + 1, 1);
  if (!nvrtc.GetProgramLog(p, text))
    bp_text_append(log, text);
  bp_free(text);
}

static int read_image(program p, bool is_ptx, char **image, size_t *size)
{
  int result = is_ptx ? nvrtc.GetPTXSize(p, size) : nvrtc.GetCUBINSize(p, size);
  if (result)
    return result;
  *image = bp_alloc(*size + 1, 1);
  return is_ptx ? nvrtc.GetPTX(p, *image) : nvrtc.GetCUBIN(p, *image);
}

bool bp_nvrtc_compile(const bp_nvrtc_input *input, char **image, size_t *size, bp_text *log)
{
  const char *options[OPTIONS_MAX];
  const char **names = bp_alloc((size_t)input->headers_count + 1, sizeof *names);
  const char **sources = bp_alloc((size_t)input->headers_count + 1, sizeof *sources);
  program p = NULL;
  *image = NULL;
  for (int n = 0; n < input->headers_count; ++n) {
    names[n] = input->headers[n].name;
    sources[n] = input->headers[n].source;
  }
  int result =
      nvrtc.CreateProgram(&p, input->source, input->name, input->headers_count, sources, names);
  bp_free(names);
  bp_free(sources);
  BP_ASSERT(input->options_count < OPTIONS_MAX);
  for (int n = 0; n < input->options_count; ++n)
    options[n] = input->options[n];
  options[input->options_count] = "--no-cache";
  if (!result) {
    result = nvrtc.CompileProgram(p, input->options_count + nvrtc.has_cache, options);
    append_log(p, log);
  }
  if (!result)
    result = read_image(p, input->is_ptx, image, size);
  if (p)
    nvrtc.DestroyProgram(&p);
  if (result && !bp_log_has_error(bp_text_string(log)))
    bp_text_appendf(log, "error: %s", nvrtc.GetErrorString(result));
  if (result) {
    bp_free(*image);
    *image = NULL;
  }
  return !result;
}
