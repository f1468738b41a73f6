/* shared_library.c -- dlopen, with the folders that toolkits are installed to. */
#include "device/jit/shared_library.h"

#include "base/memory.h"
#include "base/text.h"
#include <dlfcn.h>
#include <glob.h>
#include <string.h>

void *bp_library_open(const char *path)
{
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *find_in(const char *folder, const char *name)
{
  void *library = NULL;
  char *pattern = bp_format("%s/%s", folder, name);
  glob_t found;
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t n = found.gl_pathc; n > 0 && !library; --n) /* the highest version is the last */
      library = bp_library_open(found.gl_pathv[n - 1]);
    globfree(&found);
  }
  bp_free(pattern);
  return library;
}

void *bp_library_find(const char *const *names, size_t names_count, const char *const *folders,
                      size_t folders_count)
{
  for (size_t n = 0; n < names_count; ++n) {
    void *library = bp_library_open(names[n]);
    for (size_t f = 0; f < folders_count && !library; ++f)
      if (folders[f])
        library = find_in(folders[f], names[n]);
    if (library)
      return library;
  }
  return NULL;
}

const char *bp_library_resolve(void *library, const bp_symbol *symbols, size_t count)
{
  for (size_t n = 0; n < count; ++n) {
    void *address = dlsym(library, symbols[n].name);
    if (!address)
      return symbols[n].name;
    memcpy(symbols[n].to, &address, sizeof address); /* ISO C has no cast from data to code */
  }
  return NULL;
}
