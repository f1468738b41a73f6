/* jit_process.c -- bp starts itself again for each compilation: a fork of a process that holds gigabytes, or
 * has threads, is slow or unsafe. What to compile and what came of it lie in two files in memory. */
#include "device/jit/jit_process.h"

#include "base/child.h"
#include "base/memory.h"
#include "base/shipped.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPILER "BP_NVRTC"

struct bp_jit_process {
  pid_t child; /* 0: none was needed; negative: it could not be started */
  int error;   /* and why */
  int ended;   /* a pipe whose other end the child has open as long as it lives */
  FILE *asked, *answered;
};

enum { ENDED = 3 }; /* that other end, in the child; the files are its standard input and output */

/* ---- what is asked ---- */

static void write_text(const char *text, FILE *file)
{
  fwrite(text, 1, strlen(text) + 1, file);
}

static bool write_input(const bp_nvrtc_input *in, FILE *file)
{
  fprintf(file, "%d %d %d ", in->is_ptx, in->headers_count, in->options_count);
  write_text(in->name, file);
  write_text(in->source, file);
  for (int n = 0; n < in->headers_count; ++n) {
    write_text(in->headers[n].name, file);
    write_text(in->headers[n].source, file);
  }
  for (int n = 0; n < in->options_count; ++n)
    write_text(in->options[n], file);
  return fflush(file) == 0 && !ferror(file);
}

/* Never freed: the process ends with it. */
static const char *read_text(FILE *file)
{
  char *text = NULL;
  size_t room = 0;
  return getdelim(&text, &room, '\0', file) < 0 ? "" : text;
}

static bool read_input(bp_nvrtc_input *in, FILE *file)
{
  int is_ptx;
  if (fscanf(file, "%d %d %d", &is_ptx, &in->headers_count, &in->options_count) != 3 ||
      getc(file) != ' ')
    return false;
  bp_nvrtc_header *headers = bp_alloc((size_t)in->headers_count + 1, sizeof *headers);
  const char **options = bp_alloc((size_t)in->options_count + 1, sizeof *options);
  in->is_ptx = is_ptx;
  in->headers = headers;
  in->options = options;
  in->name = read_text(file);
  in->source = read_text(file);
  for (int n = 0; n < in->headers_count; ++n) {
    headers[n].name = read_text(file);
    headers[n].source = read_text(file);
  }
  for (int n = 0; n < in->options_count; ++n)
    options[n] = read_text(file);
  return !ferror(file) && !feof(file);
}

/* ---- the answer ---- */

/* In the file it is followed by the log and the image. */
typedef struct {
  bool is_good;
  size_t log_size, image_size;
} answer;

static bool compile(const bp_nvrtc_input *input, FILE *file)
{
  char *image;
  bp_text log = {0};
  answer a = {0};
  a.is_good = bp_nvrtc_compile(input, &image, &a.image_size, &log);
  a.log_size = log.length;
  if (!a.is_good)
    a.image_size = 0;
  bool is_written = fwrite(&a, sizeof a, 1, file) == 1 &&
                    fwrite(bp_text_string(&log), 1, a.log_size, file) == a.log_size &&
                    fwrite(a.is_good ? image : "", 1, a.image_size, file) == a.image_size &&
                    fflush(file) == 0;
  bp_free(image);
  bp_text_destroy(&log);
  return is_written;
}

static bool read_answer(FILE *file, char **image, size_t *size, bp_text *log)
{
  answer a;
  struct stat all;
  rewind(file);
  if (fread(&a, sizeof a, 1, file) != 1 || fstat(fileno(file), &all) != 0 ||
      a.log_size > (size_t)all.st_size || a.image_size > (size_t)all.st_size)
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

/* ---- the child ---- */

/* What the program has to do at its end is none of the compiler's business, which may call exit(). */
static void leave(void)
{
  bp_leave(1);
}

/* Standard output, which begins anew: a library that is loaded into every program may have written there. */
static FILE *open_answer(void)
{
  const int file = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const bool is_new = file >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
                      ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0;
  return is_new ? fdopen(file, "w") : NULL;
}

void bp_jit_process_become_compiler(void)
{
  const char *told = getenv(COMPILER);
  int parent, driver_major;
  bp_nvrtc_input input;
  if (!told || sscanf(told, "%d %d", &parent, &driver_major) != 2)
    return;
  bp_child_serves();
  prctl(PR_SET_DUMPABLE, 0);
  atexit(leave);
  FILE *answered = open_answer();
  bool is_done = answered && getppid() == parent && read_input(&input, stdin) &&
                 !bp_nvrtc_open(driver_major) && compile(&input, answered);
  bp_leave(is_done ? 0 : 1);
}

/* ---- the parent ---- */

static FILE *open_memory(void)
{
  int file = memfd_create("bp-nvrtc", MFD_CLOEXEC);
  return file < 0 ? NULL : fdopen(file, "w+");
}

/* The process, or a negative number with p->error. */
static pid_t spawn(bp_jit_process *p, int ended)
{
  char *variable = bp_format(COMPILER "=%d %d", (int)getpid(), bp_nvrtc_driver_major());
  char **environment = bp_environment_with(variable), *const words[] = {"bp", "(compiles)", NULL};
  posix_spawn_file_actions_t actions;
  pid_t child = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(p->asked), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(p->answered), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ended, ENDED);
  p->error = posix_spawn(&child, bp_program(), &actions, NULL, words, environment);
  posix_spawn_file_actions_destroy(&actions);
  bp_free(environment);
  bp_free(variable);
  return p->error ? -1 : child;
}

/* A library that knows of no bp compiles in this process. */
bp_jit_process *bp_jit_process_start(const bp_nvrtc_input *input)
{
  bp_jit_process *p = bp_alloc(1, sizeof *p);
  int ends[2];
  *p =
      (bp_jit_process){.child = -1, .ended = -1, .asked = open_memory(), .answered = open_memory()};
  if (!p->asked || !p->answered || pipe2(ends, O_CLOEXEC) != 0 || !write_input(input, p->asked)) {
    p->error = errno;
    return p;
  }
  p->ended = ends[0];
  rewind(p->asked);
  if (bp_program())
    p->child = spawn(p, ends[1]);
  else if (compile(input, p->answered))
    p->child = 0;
  close(ends[1]);
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
  if (p->child && waited < 0)
    snprintf(end, BP_JIT_END_MAX, "could not be started (%s)", strerror(p->error));
  else if (WIFSIGNALED(how))
    snprintf(end, BP_JIT_END_MAX, "crashed (signal %d)", WTERMSIG(how));
  else if (WEXITSTATUS(how) != 0)
    snprintf(end, BP_JIT_END_MAX, "gave up");
}

bool bp_jit_process_finish(bp_jit_process *process, char **image, size_t *size, bp_text *log,
                           char end[BP_JIT_END_MAX])
{
  bp_jit_process *p = process;
  *image = NULL;
  wait_for(p, end);
  if (!end[0] && !read_answer(p->answered, image, size, log))
    snprintf(end, BP_JIT_END_MAX, "gave no answer");
  if (p->ended >= 0)
    close(p->ended);
  if (p->asked)
    fclose(p->asked);
  if (p->answered)
    fclose(p->answered);
  bp_free(p);
  return *image != NULL;
}
