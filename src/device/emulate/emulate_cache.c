/* emulate_cache.c -- choosing the folder, locking, sweeping. */
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

static const char build[] = "build-XXXXXX", own[] = "bp-emulate-XXXXXX";
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

static bool is_usable(const char *folder)
{
  char *below = bp_format("%s/", folder);
  bool is_there = bp_file_create_folders(below) == BP_OK;
  bp_free(below);
  return is_there && !strpbrk(folder, "\"\\\n") && access(folder, W_OK | X_OK) == 0 &&
         bp_jit_cache_is_private(folder) && has_room(folder);
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

bp_status bp_emulate_cache_open(bp_emulate_folder *cache)
{
  char *path = bp_jit_cache_folder();
  if (path && is_usable(path)) {
    sweep(path, build);
    *cache = (bp_emulate_folder){.path = path, .lock = -1};
    return BP_OK;
  }
  bp_free(path);
  const char *temporary = getenv("TMPDIR");
  temporary = temporary && *temporary ? temporary : "/tmp";
  sweep(temporary, own);
  return create(temporary, own, cache);
}

bp_status bp_emulate_folder_create(const bp_emulate_folder *cache, bp_emulate_folder *folder)
{
  return create(cache->path, build, folder);
}

void bp_emulate_folder_destroy(bp_emulate_folder *folder)
{
  if (folder->is_temporary)
    remove_folder(folder->path);
  if (folder->path && folder->lock >= 0)
    close(folder->lock);
  bp_free(folder->path);
  *folder = (bp_emulate_folder){.lock = -1};
}
