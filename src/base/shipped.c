/* shipped.c -- where the shipped files are: beside the executable, or where it was built. */
#include "base/shipped.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "build.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROOTS = 3 };

static const char *program = "/proc/self/exe";

const char *bp_program(void)
{
  return program;
}

void bp_program_is(const char *path)
{
  program = path;
}

/* What lies there as the program's own folder sees it. */
static char *beside_program(const char *below)
{
  char path[PATH_MAX];
  const char *whole = program && realpath(program, path) ? path : "";
  const char *slash = strrchr(whole, '/');
  return bp_format("%.*s%s", slash ? (int)(slash + 1 - whole) : 0, whole, below);
}

/* Where kinds lie, with '/' at its end: the installation, the tree around a build folder, the tree of a
 * build folder elsewhere. Free with bp_free. */
static char *root(int n)
{
  static const char *const below[] = {"../share/bp/", "../"};
  return n == 2 ? bp_strdup(BP_SOURCE "/") : beside_program(below[n]);
}

/* first + second + path when that is there; else NULL. */
static char *try(const char *first, const char *second, const char *path)
{
  char *name = bp_format("%s%s%s", first, second, path);
  if (bp_file_is_there(name))
    return name;
  bp_free(name);
  return NULL;
}

static char *find_shipped(const char *kind, const char *path)
{
  char *found = NULL, *folder = bp_format("%s/", kind);
  bool is_of_kind = strncmp(path, folder, strlen(folder)) == 0;
  if (is_of_kind || !strchr(path, '/'))
    for (int n = 0; n < ROOTS && !found; ++n) {
      char *from = root(n);
      found = try(from, is_of_kind ? "" : folder, path);
      bp_free(from);
    }
  bp_free(folder);
  return found;
}

char *bp_shipped_find(const char *kind, const char *path, const char *first, const char *second)
{
  if (*path == '/')
    return bp_strdup(path);
  char *found = try(first, "", path);
  if (!found && second)
    found = try(second, "", path);
  if (!found)
    found = find_shipped(kind, path);
  return found ? found : bp_format("%s%s", first, path);
}

bp_status bp_shipped_explain(const char *kind, const char *path, bp_status status)
{
  if (status != BP_BAD_INPUT || strchr(path, '/') || bp_file_is_there(path))
    return status;
  char *message = bp_strdup(bp_message());
  for (int n = 0; n < ROOTS; ++n) {
    char *from = root(n), *folder = try(from, kind, "");
    bp_free(from);
    if (folder) {
      bp_fail(status, "%s; nor is it one of %s", message, folder);
      bp_free(folder);
      break;
    }
  }
  bp_free(message);
  return status;
}

char *bp_shipped_library(const char *name)
{
  char *folder = beside_program("../lib/bp/"), *path = try(folder, name, "");
  bp_free(folder);
  return path;
}
