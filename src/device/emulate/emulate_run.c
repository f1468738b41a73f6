/* emulate_run.c -- runs an emulated kernel's program and makes one line of what it found. */
#include "device/emulate/emulate.h"

#include "base/child.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/spawn.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child, between fork and exec: only calls that a signal handler may make. It ends with its parent.
 * Addresses are not randomised, so that a run can be repeated. */
static _Noreturn void become(char *const argv[], int output, int file, pid_t parent)
{
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGINT, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  personality(ADDR_NO_RANDOMIZE);
  if (getppid() == parent && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
      (file == BP_JOB_FILE || dup2(file, BP_JOB_FILE) >= 0)) {
    bp_write_counts();
    execvp(argv[0], argv);
  }
  bp_leave(127);
}

/* The wait status, -1 when it cannot be started. */
static int run_program(const char *program, int output, int file)
{
  char *const words[] = {(char *)(uintptr_t)program, NULL};
  int status;
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    become(words, output, file, parent);
  return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

/* Appends "kernels/bp3.5/slab.cu:41", or "cube.h:17, from kernels/bp3.5/slab.cu:41": from the
 * innermost place outwards to the kernel's own `file`, by addr2line. */
static void append_line(bp_text *text, const char *program, const char *file,
                        unsigned long long instruction)
{
  char address[32], *said = NULL, *rest = NULL;
  char *const words[] = {"addr2line", "-i", "-e", (char *)(uintptr_t)program, address, NULL};
  size_t length = text->length;
  bool at_home = false;
  snprintf(address, sizeof address, "0x%llx", instruction);
  bp_spawn(words, NULL, &said);
  for (char *line = said ? strtok_r(said, "\n", &rest) : NULL; line && !at_home;
       line = strtok_r(NULL, "\n", &rest)) {
    line[strcspn(line, " ")] = '\0';
    const char *own = strstr(line, file), *slash = strrchr(line, '/');
    if (!strchr(line, ':') || strchr(line, '?') || strstr(line, "abi/emulated/"))
      continue;
    at_home = own != NULL;
    bp_text_appendf(text, "%s%s", text->length > length ? ", from " : "",
                    own     ? own
                    : slash ? slash + 1
                            : line);
  }
  if (text->length == length)
    bp_text_append(text, file);
  bp_free(said);
}

/* The program's message; for "@" at its beginning the place of the instruction. */
static bp_status fail_with_message(const char *program, const char *file, const bp_job *job)
{
  const bool has_place = *job->message == '@';
  bp_text text = {0};
  if (has_place)
    append_line(&text, program, file, job->instruction);
  bp_text_append(&text, job->message + has_place);
  bp_status status = bp_fail(BP_WRONG, "%s", bp_text_string(&text));
  bp_text_destroy(&text);
  return status;
}

/* The first line that the program printed, for what it could not put into its job. */
static bp_status fail_with_output(FILE *output, int how)
{
  char line[300] = "";
  rewind(output);
  while (fgets(line, sizeof line, output) && line[strspn(line, "=\n")] == '\0')
    ;
  line[strcspn(line, "\n")] = '\0';
  if (how == -1)
    return bp_fail(BP_ENVIRONMENT, "emulate: the kernel's program cannot be started");
  if (WIFSIGNALED(how))
    return bp_fail(BP_WRONG, "the emulated kernel crashed: %s", strsignal(WTERMSIG(how)));
  return bp_fail(BP_WRONG, "the emulated kernel ended with %d: %s", WEXITSTATUS(how), line);
}

bp_status bp_emulate_run(const char *program, const char *source, bp_job *job, int file)
{
  FILE *output = tmpfile();
  if (!output)
    return bp_fail(BP_ENVIRONMENT, "emulate: no temporary file");
  job->status = BP_JOB_STARTED;
  job->message[0] = '\0';
  memset(&job->counts, 0, sizeof job->counts);
  int how = run_program(program, fileno(output), file);
  bp_status status = BP_OK;
  if (how != -1 && WIFSIGNALED(how) && WTERMSIG(how) == SIGPROF && !job->message[0])
    status = bp_fail(BP_WRONG, "the emulated kernel did not end within %d s", job->seconds_max);
  else if (job->message[0])
    status = fail_with_message(program, source, job);
  else if (how == -1 || !WIFEXITED(how) || WEXITSTATUS(how) != 0 || job->status != BP_JOB_OK)
    status = fail_with_output(output, how);
  fclose(output);
  return status;
}
