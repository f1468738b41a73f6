/* compiler_log.c -- what compilers say. */
#include "device/jit/compiler_log.h"

#include "base/memory.h"
#include "base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "x.cu(3): error: ...", "fatal error: ...", "error #20-D: ...", "ptxas error   : ...", and what a linker
 * misses: the word alone stands in names and in warnings, too. */
static bool is_error(const char *line, size_t length)
{
  static const char missing[] = "undefined reference", word[] = "error";
  for (const char *at = line, *end = line + length; at < end; ++at) {
    if (strncmp(at, missing, sizeof missing - 1) == 0)
      return true;
    if (strncmp(at, word, sizeof word - 1) == 0 && (at == line || at[-1] == ' ')) {
      const char *next = at + sizeof word - 1;
      next += strspn(next, " ");
      if (*next == ':' || *next == '#')
        return true;
    }
  }
  return false;
}

static const char *find_error(const char *log)
{
  for (const char *line = log; *line; line += *line == '\n') {
    size_t length = strcspn(line, "\n");
    if (is_error(line, length))
      return line;
    line += length;
  }
  return NULL;
}

const char *bp_log_first_error(const char *log)
{
  const char *error = find_error(log);
  return error ? error : log;
}

bool bp_log_has_error(const char *log)
{
  return find_error(log) != NULL;
}

/* ptxas tells of each kernel in four lines: its name, its stack and spills, its registers and
 * shared. */
void bp_log_read_figures(const char *log, bp_jit_code *code)
{
  bp_jit_kernel *k = NULL;
  for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    char name[128];
    const char *found;
    long long stack, stores, loads, number;
    int length = (int)strcspn(line, "\n");
    char *text = bp_strndup(line, (size_t)length);
    if ((found = strstr(text, "entry function '")) && code->kernels_count < BP_JIT_KERNELS_MAX &&
        sscanf(found, "entry function '%127[^']'", name) == 1) {
      k = &code->kernels[code->kernels_count++];
      *k = (bp_jit_kernel){.kernel = bp_strdup(name)};
    }
    if (k && (found = strstr(text, " bytes stack frame"))) {
      while (found > text && isdigit((unsigned char)found[-1]))
        --found;
      if (sscanf(found, "%lld bytes stack frame, %lld bytes spill stores, %lld bytes spill", &stack,
                 &stores, &loads) == 3) {
        k->stack_bytes = stack;
        k->spill_bytes = stores + loads;
      }
    }
    if (k && (found = strstr(text, "Used ")) && sscanf(found, "Used %lld registers", &number) == 1)
      k->registers = number;
    if (k && (found = strstr(text, " bytes smem"))) {
      while (found > text && isdigit((unsigned char)found[-1]))
        --found;
      k->shared_bytes = strtoll(found, NULL, 10);
    }
    bp_free(text);
  }
}
