/* nvrtc.c -- a run-time compiler that pretends: each BP_KERNEL(name) of a text becomes a kernel of 32
 * registers. A text that says "NVRTC crashes at N = 3" makes it crash at that degree, "NVRTC exits at N = 3"
 * makes it end the program, "NVRTC errs at N = 3" write what no driver takes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, ARCHITECTURE = 90, MAJOR = 13, MINOR = 99 };

typedef struct {
  char *source, log[4000];
  int errs;
} program;

static const char image[] = "\177ELF";

int nvrtcVersion(int *, int *), nvrtcGetNumSupportedArchs(int *), nvrtcGetSupportedArchs(int *),
    nvrtcCreateProgram(program **, const char *, const char *, int, const char *const *,
                       const char *const *),
    nvrtcDestroyProgram(program **), nvrtcCompileProgram(program *, int, const char *const *),
    nvrtcGetPTXSize(program *, size_t *), nvrtcGetPTX(program *, char *),
    nvrtcGetCUBINSize(program *, size_t *), nvrtcGetCUBIN(program *, char *),
    nvrtcGetProgramLogSize(program *, size_t *), nvrtcGetProgramLog(program *, char *);
const char *nvrtcGetErrorString(int);

int nvrtcVersion(int *major, int *minor)
{
  *major = MAJOR;
  *minor = MINOR;
  return OK;
}

int nvrtcGetNumSupportedArchs(int *count)
{
  *count = 1;
  return OK;
}

int nvrtcGetSupportedArchs(int *architectures)
{
  *architectures = ARCHITECTURE;
  return OK;
}

int nvrtcCreateProgram(program **p, const char *source, const char *name, int headers,
                       const char *const *sources, const char *const *names)
{
  (void)name, (void)headers, (void)sources, (void)names;
  *p = calloc(1, sizeof **p);
  (*p)->source = strdup(source);
  return OK;
}

int nvrtcDestroyProgram(program **p)
{
  free((*p)->source);
  free(*p);
  *p = NULL;
  return OK;
}

/* What the text wants to happen at the degree of the options. */
static int is_wanted(const program *p, const char *what, int count, const char *const *options)
{
  char text[60];
  int degree = 0;
  for (int n = 0; n < count; ++n)
    sscanf(options[n], "-DBP_N=%d", &degree);
  snprintf(text, sizeof text, "NVRTC %s at N = %d;", what, degree);
  return strstr(p->source, text) != NULL;
}

int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
  char name[64];
  if (is_wanted(p, "crashes", count, options)) {
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
    raise(SIGSEGV);
  }
  if (is_wanted(p, "exits", count, options))
    exit(7);
  p->errs = is_wanted(p, "errs", count, options);
  for (const char *at = p->source; (at = strstr(at, "BP_KERNEL(")); ++at)
    if (sscanf(at, "BP_KERNEL(%63[a-z_])", name) == 1) {
      size_t length = strlen(p->log);
      snprintf(p->log + length, sizeof p->log - length,
               "Compiling entry function '%s' for 'sm_%d'\n0 bytes stack frame, 0 bytes spill "
               "stores, 0 bytes spill loads\nUsed 32 registers\n",
               name, ARCHITECTURE);
    }
  return OK;
}

int nvrtcGetCUBINSize(program *p, size_t *size)
{
  (void)p;
  *size = sizeof image;
  return OK;
}

int nvrtcGetCUBIN(program *p, char *to)
{
  memcpy(to, image, sizeof image);
  *to += (char)p->errs;
  return OK;
}

int nvrtcGetPTXSize(program *p, size_t *size)
{
  return nvrtcGetCUBINSize(p, size);
}

int nvrtcGetPTX(program *p, char *to)
{
  return nvrtcGetCUBIN(p, to);
}

int nvrtcGetProgramLogSize(program *p, size_t *size)
{
  *size = strlen(p->log) + 1;
  return OK;
}

int nvrtcGetProgramLog(program *p, char *to)
{
  strcpy(to, p->log);
  return OK;
}

const char *nvrtcGetErrorString(int error)
{
  return error ? "pretended" : "";
}
