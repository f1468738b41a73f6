/* jit_process.c -- a process for each compilation: the program, started again, reads what to compile from a
 * file in memory and leaves its answer there. No fork: a process with threads may hang in one. */
#include "device/jit/jit_process.h"

#include "base/child.h"
#include "base/memory.h"
#include "base/shipped.h"
#include "device/jit/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
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

/* In the file it is followed by texts: the names and sources of the program and its headers, the options. */
typedef struct {
  int headers, options;
  bool is_ptx;
} question;

/* Likewise by the log and the image. */
typedef struct {
  bool is_good;
  size_t log_size, image_size;
} answer;

#define VARIABLE "BP_COMPILATION"

/* ---- the child ---- */

/* The next of the texts, each of which ends with '\0'. */
static const char *next_text(const char **at)
{
  const char *text = *at;
  *at += strlen(text) + 1;
  return text;
}

static void read_question(FILE *file, bp_nvrtc_input *input)
{
  bp_text all = {0};
  char part[4096];
  question q = {0};
  for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;)
    bp_text_append_bytes(&all, part, size);
  BP_ASSERT(all.length >= sizeof q);
  memcpy(&q, all.data, sizeof q);
  const char *at = all.data + sizeof q;
  bp_nvrtc_header *headers = bp_alloc((size_t)q.headers, sizeof *headers);
  const char **options = bp_alloc((size_t)q.options, sizeof *options);
  *input = (bp_nvrtc_input){.headers = headers,
                            .headers_count = q.headers,
                            .options = options,
                            .options_count = q.options,
                            .is_ptx = q.is_ptx};
  input->name = next_text(&at);
  input->source = next_text(&at);
  for (int n = 0; n < q.headers; ++n) {
    headers[n].name = next_text(&at);
    headers[n].source = next_text(&at);
  }
  for (int n = 0; n < q.options; ++n)
    options[n] = next_text(&at);
}

static bool write_answer(FILE *file, bool is_good, const bp_text *log, const char *image,
                         size_t size)
{
  const answer a = {is_good, log->length, is_good ? size : 0};
  rewind(file);
  return ftruncate(fileno(file), 0) == 0 && fwrite(&a, sizeof a, 1, file) == 1 &&
         fwrite(log->data ? log->data : "", 1, a.log_size, file) == a.log_size &&
         fwrite(image ? image : "", 1, a.image_size, file) == a.image_size && fflush(file) == 0;
}

/* What a compiler that calls exit() would run. */
static void leave(void)
{
  bp_leave(1);
}

void bp_jit_become_compiler(void)
{
  const char *told = getenv(VARIABLE);
  int memory, parent, major;
  char *image = NULL;
  size_t size = 0;
  bp_text log = {0};
  bp_nvrtc_input input;
  if (!told || sscanf(told, "%d,%d,%d", &memory, &parent, &major) != 3)
    return;
  bp_child_serves();
  prctl(PR_SET_DUMPABLE, 0);
  FILE *file = getppid() == parent ? fdopen(memory, "r+") : NULL;
  bool is_written = false;
  if (file && bp_nvrtc_open(major) == BP_OK) {
    rewind(file);
    read_question(file, &input);
    atexit(leave);
    const bool is_good = bp_nvrtc_compile(&input, &image, &size, &log);
    is_written = write_answer(file, is_good, &log, image, size);
  }
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

static void write_text(FILE *file, const char *text)
{
  fwrite(text, 1, strlen(text) + 1, file);
}

static bool write_question(FILE *file, const bp_nvrtc_input *input)
{
  question q;
  memset(&q, 0, sizeof q);
  q.headers = input->headers_count;
  q.options = input->options_count;
  q.is_ptx = input->is_ptx;
  fwrite(&q, sizeof q, 1, file);
  write_text(file, input->name);
  write_text(file, input->source);
  for (int n = 0; n < input->headers_count; ++n) {
    write_text(file, input->headers[n].name);
    write_text(file, input->headers[n].source);
  }
  for (int n = 0; n < input->options_count; ++n)
    write_text(file, input->options[n]);
  return fflush(file) == 0 && !ferror(file);
}

/* The child alone has the two ends that its numbers name. */
static int start(bp_jit_process *p, int childs_end)
{
  const int file = fileno(p->file);
  char *variable = bp_format(VARIABLE "=%d,%d,%d", file, (int)getpid(), atoi(bp_nvrtc_version()));
  char **environment = bp_environment_with(variable);
  char *arguments[] = {(char *)(uintptr_t) "bp", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file, file);
  posix_spawn_file_actions_adddup2(&actions, childs_end, childs_end);
  int error = bp_program()
                  ? posix_spawn(&p->child, bp_program(), &actions, NULL, arguments, environment)
                  : ENOENT;
  posix_spawn_file_actions_destroy(&actions);
  bp_free(environment);
  bp_free(variable);
  return error;
}

bp_jit_process *bp_jit_process_start(const bp_nvrtc_input *input)
{
  bp_jit_process *p = bp_alloc(1, sizeof *p);
  int childs_end;
  *p = (bp_jit_process){.child = -1, .ended = -1};
  if (!open_files(p, &childs_end)) {
    p->error = errno;
    return p;
  }
  p->error = write_question(p->file, input) ? start(p, childs_end) : EIO;
  if (p->error)
    p->child = -1;
  close(childs_end);
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
