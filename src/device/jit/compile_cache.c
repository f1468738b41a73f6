/* compile_cache.c -- choosing the folder, locking, sweeping. All paths but a temporary cache's name lead
 * through the descriptor of the cache, whose owner was checked. */
#include "device/jit/compile_cache.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/jit_cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char build[] = "bp-build-XXXXXX", own[] = "bp-cache-XXXXXX";
enum { SUFFIX = 6, ROOM = 4 << 20, SECONDS_YOUNG = 60 }; /* between its making and its lock */

/* `how` LOCK_NB: does not wait. -1 when somebody else holds it, or the file system has no locks. */
static int lock_folder(const char *path, int how)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | how) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    fd = -1;
  }
  return fd;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
  (void)status, (void)kind, (void)where;
  remove(path);
  return 0;
}

static void remove_folder(const char *folder)
{
  nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_old_and_mine(int fd)
{
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
         info.st_mtime + SECONDS_YOUNG < time(NULL);
}

/* Removes the folders of that pattern that no process has locked. */
static void sweep(const char *parent, const char *pattern)
{
  DIR *d = opendir(parent);
  size_t length = strlen(pattern);
  for (struct dirent *entry; d && (entry = readdir(d));) {
    if (strlen(entry->d_name) != length || strncmp(entry->d_name, pattern, length - SUFFIX) != 0)
      continue;
    char *path = bp_format("%s/%s", parent, entry->d_name);
    int fd = lock_folder(path, LOCK_NB);
    if (fd >= 0 && is_old_and_mine(fd))
      remove_folder(path);
    if (fd >= 0)
      close(fd);
    bp_free(path);
  }
  if (d)
    closedir(d);
}

/* Whether a program and what is needed to make it would go there. */
static bool has_room(const char *folder)
{
  char *path = bp_format("%s/room-XXXXXX", folder);
  int fd = mkstemp(path);
  bool is_good = fd >= 0 && posix_fallocate(fd, 0, ROOM) == 0;
  if (fd >= 0) {
    unlink(path);
    close(fd);
  }
  bp_free(path);
  return is_good;
}

static bp_status fail_to_make(const char *path)
{
  return bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", path, strerror(errno));
}

/* For one run. */
static bp_status create_temporary(bp_compile_folder *cache)
{
  const char *parent = getenv("TMPDIR");
  parent = parent && *parent ? parent : "/tmp";
  sweep(parent, own);
  char *name = bp_format("%s/%s", parent, own);
  *cache = (bp_compile_folder){.lock = -1};
  if (!mkdtemp(name)) {
    bp_status status = fail_to_make(name);
    bp_free(name);
    return status;
  }
  *cache =
      (bp_compile_folder){.name = name, .lock = lock_folder(name, LOCK_NB), .is_temporary = true};
  bp_status status = bp_folder_open(name, &cache->held);
  cache->path = status ? NULL : bp_strdup(cache->held.path);
  if (status)
    bp_compile_folder_destroy(cache);
  return status ? BP_ENVIRONMENT : BP_OK;
}

bp_status bp_compile_cache_open(bp_compile_folder *cache)
{
  bp_folder held;
  if (!bp_jit_cache_open(true, &held))
    return create_temporary(cache);
  if (access(held.path, W_OK) != 0 || !has_room(held.path)) {
    bp_status status = create_temporary(cache);
    cache->full = held; /* what is there already can be read */
    if (status)
      bp_folder_close(&cache->full);
    return status;
  }
  sweep(held.path, build);
  *cache = (bp_compile_folder){.path = bp_strdup(held.path), .held = held, .lock = -1};
  return BP_OK;
}

/* Whether the folder is still that of the descriptor, and not one that came after it. */
static bool is_folder(const char *path, int fd)
{
  struct stat named, held;
  return stat(path, &named) == 0 && fstat(fd, &held) == 0 && named.st_dev == held.st_dev &&
         named.st_ino == held.st_ino;
}

/* Locks a folder of that name, which may go while it is waited for; -1: the file system has no locks. */
static bp_status make_locked(const char *path, int *lock)
{
  for (;;) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
      return fail_to_make(path);
    *lock = lock_folder(path, 0);
    if (*lock >= 0 ? is_folder(path, *lock) : errno != ENOENT)
      return BP_OK;
    if (*lock >= 0)
      close(*lock);
  }
}

/* Without locks each has a folder of its own. */
bp_status bp_compile_folder_create(const bp_compile_folder *cache, const char *key,
                                   bp_compile_folder *folder)
{
  char *path = bp_format("%s/%s", cache->path, build);
  memcpy(path + strlen(path) - SUFFIX, key, SUFFIX);
  *folder = (bp_compile_folder){.path = path, .lock = -1, .is_temporary = true};
  bp_status status = make_locked(path, &folder->lock);
  if (!status && folder->lock < 0) {
    memset(path + strlen(path) - SUFFIX, 'X', SUFFIX);
    status = mkdtemp(path) ? BP_OK : fail_to_make(path);
  }
  if (status) {
    bp_free(path);
    *folder = (bp_compile_folder){.lock = -1};
  }
  return status;
}

void bp_compile_folder_destroy(bp_compile_folder *folder)
{
  if (folder->is_temporary)
    remove_folder(folder->name ? folder->name : folder->path);
  if ((folder->path || folder->name) && folder->lock >= 0)
    close(folder->lock);
  bp_folder_close(&folder->held);
  bp_folder_close(&folder->full);
  bp_free(folder->path);
  bp_free(folder->name);
  *folder = (bp_compile_folder){.lock = -1};
}
