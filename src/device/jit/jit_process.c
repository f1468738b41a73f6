/* jit_process.c -- a fork for each compilation: the child has the compiler loaded and warm already, and
 * leaves its answer in a file in memory. */
#include "device/jit/jit_process.h"

#include "base/child.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct bp_jit_process {
  pid_t child; /* negative: it could not be started */
  int error;   /* and why */
  int ended;   /* a pipe whose other end the child has open as long as it lives */
  FILE *file;
};

/* In the file it is followed by the log and the image. */
typedef struct {
  bool is_good;
  size_t log_size, image_size;
} answer;

/* ---- the child ---- */

/* What the parent has to do at its end is none of the child's business, not even when the compiler calls
 * exit(). */
static void leave(void)
{
  bp_leave(1);
}

static _Noreturn void compile(const bp_nvrtc_input *input, FILE *file)
{
  char *image;
  bp_text log = {0};
  answer a = {0};
  bp_child_serves();
  prctl(PR_SET_DUMPABLE, 0); /* a core would be all of the parent's memory */
  atexit(leave);
  a.is_good = bp_nvrtc_compile(input, &image, &a.image_size, &log);
  a.log_size = log.length;
  if (!a.is_good)
    a.image_size = 0;
  bool is_written = fwrite(&a, sizeof a, 1, file) == 1 &&
                    fwrite(bp_text_string(&log), 1, a.log_size, file) == a.log_size &&
                    fwrite(a.is_good ? image : "", 1, a.image_size, file) == a.image_size &&
                    fflush(file) == 0;
  bp_leave(is_written ? 0 : 1);
}

/* ---- the parent ---- */

static bool open_files(bp_jit_process *p, int *childs_end)
{
  int ends[2], file = memfd_create("bp-nvrtc", MFD_CLOEXEC);
  p->file = file < 0 ? NULL : fdopen(file, "w+");
  if (!p->file || pipe2(ends, O_CLOEXEC) != 0)
    return false;
  p->ended = ends[0];
  *childs_end = ends[1];
  return true;
}

bp_jit_process *bp_jit_process_start(const bp_nvrtc_input *input)
{
  bp_jit_process *p = bp_alloc(1, sizeof *p);
  int childs_end;
  *p = (bp_jit_process){.child = -1, .ended = -1};
  if (open_files(p, &childs_end)) {
    fflush(stdout); /* what waits there would be the child's, too */
    p->child = fork();
    if (p->child == 0)
      compile(input, p->file);
    p->error = errno;
    close(childs_end);
  } else {
    p->error = errno;
  }
  return p;
}

int bp_jit_process_wait(bp_jit_process *const *processes, int count)
{
  struct pollfd *ends = bp_alloc((size_t)count, sizeof *ends);
  int first = -1;
  for (int n = 0; n < count; ++n)
    ends[n] = (struct pollfd){.fd = processes[n]->ended};
  while (first < 0) {
    for (int n = 0; n < count && first < 0; ++n)
      if (processes[n]->child < 0 || ends[n].revents)
        first = n;
    if (first < 0 && poll(ends, (nfds_t)count, -1) < 0 && errno != EINTR)
      first = 0;
  }
  bp_free(ends);
  return first;
}

/* "" where it ended well. */
static void wait_for(bp_jit_process *p, char end[BP_JIT_END_MAX])
{
  int how = 0;
  pid_t waited = -1;
  end[0] = '\0';
  while (p->child > 0 && (waited = waitpid(p->child, &how, 0)) < 0 && errno == EINTR)
    continue;
  if (p->child > 0 && waited < 0)
    p->error = errno;
  if (waited < 0)
    snprintf(end, BP_JIT_END_MAX, "could not be started (%s)", strerror(p->error));
  else if (WIFSIGNALED(how))
    snprintf(end, BP_JIT_END_MAX, "crashed (signal %d)", WTERMSIG(how));
  else if (WEXITSTATUS(how) != 0)
    snprintf(end, BP_JIT_END_MAX, "gave up");
}

static bool read_answer(FILE *file, char **image, size_t *size, bp_text *log)
{
  answer a;
  rewind(file);
  if (fread(&a, sizeof a, 1, file) != 1)
    return false;
  char *text = bp_alloc(a.log_size + 1, 1), *code = bp_alloc(a.image_size + 1, 1);
  bool is_whole = fread(text, 1, a.log_size, file) == a.log_size &&
                  fread(code, 1, a.image_size, file) == a.image_size;
  bp_text_append_bytes(log, text, a.log_size);
  bp_free(text);
  if (is_whole && a.is_good) {
    *image = code; /* PTX ends with '\0' */
    *size = a.image_size;
  } else {
    bp_free(code);
  }
  return is_whole;
}

bool bp_jit_process_finish(bp_jit_process *process, char **image, size_t *size, bp_text *log,
                           char end[BP_JIT_END_MAX])
{
  bp_jit_process *p = process;
  *image = NULL;
  wait_for(p, end);
  if (!end[0] && !read_answer(p->file, image, size, log))
    snprintf(end, BP_JIT_END_MAX, "gave no answer");
  if (p->ended >= 0)
    close(p->ended);
  if (p->file)
    fclose(p->file);
  bp_free(p);
  return *image != NULL;
}
