/* inject.c -- a library to preload: lets one call of a program fail.
 *
 * BP_INJECT="alloc N" fails the N-th allocation, BP_INJECT="write N" the N-th call that ends the writing of
 * a file; BP_INJECT="cut N" cuts every mapped file named cut.* to N bytes, as another process might. Only calls of
 * the program itself and of libc on its behalf are counted, not those of other libraries. The file named by
 * BP_INJECT_LOG is made when the call was reached.
 *
 * What does not fail goes to whoever comes next: to libc, or to a sanitizer's allocator. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char what[8];
static long target;
static atomic_long calls;
static struct {
  uintptr_t first, last;
} counted[16];
static int counted_count;

/* The address ranges of the program (it has no name) and of libc. */
static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size, (void)context;
  if (*info->dlpi_name && !strstr(info->dlpi_name, "/libc.so"))
    return 0;
  for (int n = 0; n < info->dlpi_phnum && counted_count < 16; ++n) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[n];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    counted[counted_count].first = info->dlpi_addr + segment->p_vaddr;
    counted[counted_count].last = counted[counted_count].first + segment->p_memsz;
    ++counted_count;
  }
  return 0;
}

/* Counting the lines that ran, behind the program's end, is not its own work. To be registered after what
 * does that. */
static void stop(void)
{
  target = 0;
}

__attribute__((constructor)) static void start(void)
{
  const char *setting = getenv("BP_INJECT");
  if (!setting)
    return;
  dl_iterate_phdr(add_ranges, NULL);
  if (sscanf(setting, "%7s %ld", what, &target) != 2)
    _exit(99);
}

static bool fails(const char *kind, void *caller)
{
  uintptr_t address = (uintptr_t)caller;
  bool is_counted = false;
  if (target == 0 || strcmp(what, kind) != 0)
    return false;
  for (int n = 0; n < counted_count; ++n)
    is_counted |= address >= counted[n].first && address < counted[n].last;
  long number = is_counted ? atomic_fetch_add(&calls, 1) + 1 : 0;
  if (number == 1)
    atexit(stop);
  if (number != target)
    return false;
  const char *log = getenv("BP_INJECT_LOG");
  int fd = log ? open(log, O_CREAT | O_WRONLY, 0600) : -1;
  if (fd >= 0)
    close(fd);
  errno = strcmp(kind, "alloc") == 0 ? ENOMEM : ENOSPC;
  return true;
}

#define CALLER __builtin_return_address(0)

/* The function of this name that is called when this one lets the call pass. */
#define REAL(name)                                                                                 \
  static __typeof__(&(name)) real;                                                                 \
  if (!real)                                                                                       \
  real = (__typeof__(real))dlsym(RTLD_NEXT, #name)

void *malloc(size_t size)
{
  REAL(malloc);
  return fails("alloc", CALLER) ? NULL : real(size);
}

void *calloc(size_t count, size_t size)
{
  REAL(calloc);
  return fails("alloc", CALLER) ? NULL : real(count, size);
}

void *realloc(void *old, size_t size)
{
  REAL(realloc);
  return fails("alloc", CALLER) ? NULL : real(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  REAL(aligned_alloc);
  return fails("alloc", CALLER) ? NULL : real(alignment, size);
}

/* Files that are read, and messages, are left alone. */
static bool is_result(FILE *stream)
{
  return stream && stream != stderr && __fwriting(stream);
}

int fflush(FILE *stream)
{
  REAL(fflush);
  return is_result(stream) && fails("write", CALLER) ? EOF : real(stream);
}

int fclose(FILE *stream)
{
  REAL(fclose);
  bool is_failing = is_result(stream) && fails("write", CALLER);
  int result = real(stream);
  if (is_failing)
    errno = ENOSPC;
  return is_failing ? EOF : result;
}

int rename(const char *from, const char *to)
{
  REAL(rename);
  return fails("write", CALLER) ? -1 : real(from, to);
}

int mkstemp(char *pattern)
{
  REAL(mkstemp);
  return fails("write", CALLER) ? -1 : real(pattern);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  REAL(mmap);
  void *data = real(address, size, protection, flags, fd, offset);
  if (strcmp(what, "cut") == 0 && fd >= 0 && protection == PROT_READ) {
    char path[40], name[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    if (strstr(name, "/cut.") && truncate(path, target) != 0)
      _exit(98);
  }
  return data;
}
