/* emulate_cache.c -- choosing the folder, locking, sweeping. All paths but a temporary cache's name lead
 * through the descriptor of the cache, whose owner was checked. */
#include "device/emulate/emulate_cache.h"

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

static const char build[] = "bp-build-XXXXXX", own[] = "bp-emulate-XXXXXX";
enum { SUFFIX = 6, ROOM = 4 << 20, SECONDS_YOUNG = 60 }; /* between its making and its lock */

/* -1 when somebody else holds it, or the file system has no locks. */
static int lock_folder(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
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
    int fd = lock_folder(path);
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

static bp_status create(const char *parent, const char *pattern, bp_emulate_folder *folder)
{
  char *path = bp_format("%s/%s", parent, pattern);
  *folder = (bp_emulate_folder){.lock = -1};
  if (!mkdtemp(path)) {
    bp_status status = bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", path, strerror(errno));
    bp_free(path);
    return status;
  }
  *folder = (bp_emulate_folder){.path = path, .lock = lock_folder(path), .is_temporary = true};
  return BP_OK;
}

/* For one run. */
static bp_status create_temporary(bp_emulate_folder *cache)
{
  const char *parent = getenv("TMPDIR");
  parent = parent && *parent ? parent : "/tmp";
  sweep(parent, own);
  bp_status status = create(parent, own, cache);
  if (status)
    return status;
  cache->name = cache->path;
  status = bp_folder_open(cache->name, &cache->held);
  cache->path = status ? NULL : bp_strdup(cache->held.path);
  if (status)
    bp_emulate_folder_destroy(cache);
  return status ? BP_ENVIRONMENT : BP_OK;
}

bp_status bp_emulate_cache_open(bp_emulate_folder *cache)
{
  bp_folder held;
  if (!bp_jit_cache_open(true, &held))
    return create_temporary(cache);
  if (access(held.path, W_OK) != 0 || !has_room(held.path)) {
    bp_folder_close(&held);
    return create_temporary(cache);
  }
  sweep(held.path, build);
  *cache = (bp_emulate_folder){.path = bp_strdup(held.path), .held = held, .lock = -1};
  return BP_OK;
}

bp_status bp_emulate_folder_create(const bp_emulate_folder *cache, bp_emulate_folder *folder)
{
  return create(cache->path, build, folder);
}

void bp_emulate_folder_destroy(bp_emulate_folder *folder)
{
  if (folder->is_temporary)
    remove_folder(folder->name ? folder->name : folder->path);
  if ((folder->path || folder->name) && folder->lock >= 0)
    close(folder->lock);
  bp_folder_close(&folder->held);
  bp_free(folder->path);
  bp_free(folder->name);
  *folder = (bp_emulate_folder){.lock = -1};
}
