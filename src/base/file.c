/* file.c -- mapping files, and writing them whole or not at all. */
#include "base/file.h"

#include "base/file_guard.h"
#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bp_status bp_file_map(const char *path, bp_file *file)
{
  struct stat info;
  *file = (bp_file){.data = ""};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return bp_fail(BP_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  bp_status status = BP_OK;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    status = bp_fail(BP_BAD_INPUT, "%s: expected a regular file, found a %s", path,
                     S_ISDIR(info.st_mode) ? "directory" : "device or pipe");
  } else if (info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      status = bp_fail(BP_ENVIRONMENT, "%s: cannot be mapped: %s", path, strerror(errno));
    else
      *file = (bp_file){.data = data,
                        .size = (size_t)info.st_size,
                        .guard = bp_file_guard_add(data, (size_t)info.st_size)};
  }
  file->owner = bp_owner_of(&info);
  close(fd);
  return status;
}

void bp_file_unmap(bp_file *file)
{
  if (file->size) {
    bp_file_guard_remove(file->guard);
    munmap((void *)file->data, file->size);
  }
  *file = (bp_file){.data = ""};
}

bp_status bp_file_check(const bp_file *file, const char *path)
{
  if (file->size)
    (void)((const volatile char *)
               file->data)[file->size - 1]; /* a reader may have given up before */
  if (!bp_file_guard_is_cut(file->guard))
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected a file that stays as it is while it is read, found it cut short",
                 path);
}

bool bp_file_is_there(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

void bp_file_peek(const char *path, char *text, size_t size)
{
  size_t length = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  for (ssize_t got = 1; file >= 0 && got > 0 && length<size - 1; length += got> 0 ? (size_t)got : 0)
    got = read(file, text + length, size - 1 - length);
  if (file >= 0)
    close(file);
  text[length] = '\0';
}

bp_status bp_file_check_new(const char *path, const char *place)
{
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
    return BP_OK;
  return bp_fail(BP_BAD_INPUT,
                 "%s: expected a new file, found '%s', which is there already; --force replaces it",
                 place, path);
}

static bool is_folder(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bp_status bp_file_create_folders(const char *path)
{
  bp_status status = BP_OK;
  char *copy = bp_strdup(path);
  for (char *slash = strchr(copy + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int error = is_folder(copy) || mkdir(copy, 0700) == 0 ? 0 : errno;
    if (error && !is_folder(copy)) /* nor has another process made it meanwhile */
      status = bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", copy,
                       strerror(error == EEXIST ? ENOTDIR : error));
    *slash = '/';
  }
  bp_free(copy);
  return status;
}

struct bp_output {
  char *path;      /* NULL: standard output */
  char *temporary; /* beside path */
  FILE *stream;
};

static bp_status cannot_write(const bp_output *output, int error)
{
  return bp_fail(BP_ENVIRONMENT, "%s: cannot be written: %s",
                 output->path ? output->path : "standard output", strerror(error ? error : EIO));
}

/* mkstemp makes files that only the owner reads; results are as readable as any file of the user.
 */
static FILE *open_temporary(char *temporary)
{
  int fd = mkstemp(temporary);
  if (fd < 0)
    return NULL;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  return fdopen(fd, "w");
}

bp_status bp_output_create(const char *path, bp_output **output)
{
  bp_output *o = bp_alloc(1, sizeof *o);
  *output = NULL;
  if (!path || strcmp(path, "-") == 0) {
    o->stream = stdout;
    *output = o;
    return BP_OK;
  }
  struct stat info;
  o->path = bp_strdup(path);
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    o->stream = fopen(path, "w"); /* a pipe or a device cannot be replaced by a file */
  } else {
    o->temporary = bp_format("%s.XXXXXX", path);
    o->stream = open_temporary(o->temporary);
  }
  if (!o->stream) {
    bp_status status = cannot_write(o, errno);
    bp_output_destroy(o);
    return status;
  }
  *output = o;
  return BP_OK;
}

bp_status bp_output_check(const char *path)
{
  struct stat info;
  bp_output *output = NULL;
  if (path && stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return BP_OK; /* to open a pipe is to be heard at its other end */
  bp_status status = bp_output_create(path, &output);
  if (output && output->path) {
    status = fclose(output->stream) == 0 ? BP_OK : cannot_write(output, errno);
    output->stream = NULL;
  }
  bp_output_destroy(output);
  return status;
}

FILE *bp_output_stream(bp_output *output)
{
  return output->stream;
}

const char *bp_output_closed_pipe(void)
{
  static _Thread_local char message[100];
  snprintf(message, sizeof message, "standard output: cannot be written: %s", strerror(EPIPE));
  return message;
}

/* Why earlier writes failed stdio does not keep; a byte more fails for the same reason. */
static int reason_of(FILE *stream)
{
  errno = 0;
  return write(fileno(stream), "\n", 1) < 0 ? errno : EIO;
}

bp_status bp_output_finish(bp_output *output)
{
  bp_status status = BP_OK;
  errno = 0;
  bool bad = fflush(output->stream) != 0;
  int error = errno;
  if (ferror(output->stream) && !error) {
    bad = true;
    error = reason_of(output->stream);
  }
  if (output->path) {
    bad |= fclose(output->stream) != 0;
    error = error ? error : errno;
    output->stream = NULL;
    if (!bad && output->temporary && rename(output->temporary, output->path) != 0) {
      bad = true;
      error = errno;
    }
    if (!bad) {
      bp_free(output->temporary);
      output->temporary = NULL;
    }
  }
  if (bad)
    status = cannot_write(output, error);
  bp_output_destroy(output);
  return status;
}

void bp_output_destroy(bp_output *output)
{
  if (!output)
    return;
  if (output->path && output->stream)
    fclose(output->stream);
  if (output->temporary)
    unlink(output->temporary);
  bp_free(output->temporary);
  bp_free(output->path);
  bp_free(output);
}
