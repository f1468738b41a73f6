/* owner.c -- asked of what is open, so that it cannot be another one by then. */
#include "base/owner.h"

#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bp_owner bp_owner_of(const struct stat *info)
{
  return (bp_owner){info->st_uid, info->st_gid, info->st_mode & 07777};
}

static char *other_user(uid_t uid)
{
  struct passwd entry, *found = NULL;
  char room[4096];
  if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found)
    return bp_format("one of user %s", found->pw_name);
  return bp_format("one of user %u", (unsigned)uid);
}

char *bp_owner_doubt(bp_owner owner)
{
  bool is_own_group = owner.group == getegid() && owner.group == geteuid();
  if (owner.user != geteuid() && owner.user != 0)
    return other_user(owner.user);
  if ((owner.mode & S_IWOTH) || ((owner.mode & S_IWGRP) && !is_own_group))
    return bp_format("one that others may write (mode %04o)", owner.mode);
  return NULL;
}

/* Children find other files below it. */
enum { LOWEST = 16 };

/* O_PATH asks for no right to read the folder: one that cannot be read has an owner, too. A link may
 * lead to it. */
static int open_folder(const char *name)
{
  int low = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int high = low < 0 ? -1 : fcntl(low, F_DUPFD, LOWEST);
  int error = errno;
  if (low >= 0)
    close(low);
  errno = error;
  return high;
}

bp_status bp_folder_open(const char *name, bp_folder *folder)
{
  struct stat info;
  *folder = (bp_folder){.descriptor = open_folder(name)};
  if (folder->descriptor < 0 || fstat(folder->descriptor, &info) != 0)
    return bp_fail(BP_ENVIRONMENT, "%s: cannot be opened: %s", name, strerror(errno));
  folder->path = bp_format("/proc/self/fd/%d", folder->descriptor);
  char *doubt = bp_owner_doubt(bp_owner_of(&info));
  bp_status status = BP_OK;
  if (doubt)
    status = bp_fail(BP_SKIPPED, "%s", doubt);
  else if (access(folder->path, X_OK) != 0)
    status = bp_fail(BP_ENVIRONMENT, "%s: cannot be entered: %s", name, strerror(errno));
  if (status)
    bp_folder_close(folder);
  bp_free(doubt);
  return status;
}

void bp_folder_close(bp_folder *folder)
{
  if (folder->path)
    close(folder->descriptor);
  bp_free(folder->path);
  *folder = (bp_folder){.descriptor = -1};
}
