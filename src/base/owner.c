/* owner.c -- asked of the opened file, so that it cannot be another one by then. */
#include "base/owner.h"

#include "base/text.h"
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

static char *other_user(uid_t uid)
{
  struct passwd entry, *found = NULL;
  char room[4096];
  if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found)
    return bp_format("one of user %s", found->pw_name);
  return bp_format("one of user %u", (unsigned)uid);
}

char *bp_owner_doubt(const char *path)
{
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_open = fd >= 0 && fstat(fd, &info) == 0;
  if (fd >= 0)
    close(fd);
  if (!is_open)
    return NULL;
  bool is_own_group = info.st_gid == getegid() && info.st_gid == geteuid();
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return other_user(info.st_uid);
  if ((info.st_mode & S_IWOTH) || ((info.st_mode & S_IWGRP) && !is_own_group))
    return bp_format("one that others may write (mode %04o)", (unsigned)info.st_mode & 07777);
  return NULL;
}
