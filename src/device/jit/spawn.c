/* spawn.c -- a compiler starts processes of its own, which no signal to the first one ends. So bp starts
 * itself again as the leader of a group: it runs the compiler, and ends the group when bp is gone. The library
 * does so where bp lies beside it. */
#include "device/jit/spawn.h"

#include "base/child.h"
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEADER "BP_LEADER"

extern char **environ;

/* ---- the leader ---- */

static _Noreturn void become_compiler(char **words, const char *folder)
{
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  unsetenv(LEADER);
  bp_write_counts();
  if (chdir(folder) == 0)
    execvp(words[0], words);
  bp_leave(127);
}

static _Noreturn void lead(char **words, const char *folder, pid_t parent)
{
  enum { FILES_MOST = 1024 };
  sigset_t waited;
  int status = 0, signal_number = 0;
  pid_t child = -1;
  setpgid(0, 0);
  sigemptyset(&waited);
  sigaddset(&waited, SIGTERM);
  sigaddset(&waited, SIGCHLD);
  sigprocmask(SIG_SETMASK, &waited, NULL);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == parent && (child = fork()) == 0)
    become_compiler(words, folder);
  for (int fd = 3; fd < FILES_MOST; ++fd)
    close(fd);
  while (child > 0 && waitpid(child, &status, WNOHANG) == 0)
    if (sigwait(&waited, &signal_number) == 0 && signal_number == SIGTERM)
      kill(0, SIGKILL);
  bp_leave(child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

/* The words of a process are those that it was started with. */
static char **words_of_process(void)
{
  size_t count = 0, room = 64, length = 0;
  char **words = bp_alloc(room, sizeof *words), *word = NULL;
  FILE *f = fopen("/proc/self/cmdline", "r");
  while (f && getdelim(&word, &length, '\0', f) > 0) {
    if (count + 2 > room)
      words = bp_realloc(words, room *= 2, sizeof *words);
    words[count++] = bp_strdup(word);
  }
  words[count] = NULL;
  return words;
}

void bp_spawn_become_leader(void)
{
  const char *told = getenv(LEADER);
  int parent, start = 0;
  if (told && sscanf(told, "%d %n", &parent, &start) == 1 && start)
    lead(words_of_process(), told + start, parent);
}

/* ---- bp ---- */

char **bp_environment_with(char *variable)
{
  size_t count = 0;
  while (environ[count])
    ++count;
  char **copy = bp_alloc(count + 2, sizeof *copy);
  memcpy(copy, environ, count * sizeof *copy);
  copy[count] = variable;
  return copy;
}

/* The wait status, -1 where it cannot be started. */
static int run(char *const words[], const char *folder, int output)
{
  /* a leader that starts one is none: the program is another */
  const char *leader = getenv(LEADER) ? NULL : bp_program();
  char *variable = bp_format(LEADER "=%d %s", (int)getpid(), folder ? folder : ".");
  char **environment = bp_environment_with(variable);
  posix_spawn_file_actions_t actions;
  pid_t process;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  if (!leader && folder)
    posix_spawn_file_actions_addchdir_np(&actions, folder);
  int error = leader ? posix_spawn(&process, leader, &actions, NULL, words, environment)
                     : posix_spawnp(&process, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  bp_free(environment);
  bp_free(variable);
  while (!error && waitpid(process, &status, 0) < 0)
    error = errno == EINTR ? 0 : errno;
  return error ? -1 : status;
}

bool bp_spawn(char *const words[], const char *folder, char **text)
{
  char line[512];
  bp_text all = {0};
  FILE *output = tmpfile();
  *text = NULL;
  if (!output)
    return false;
  int status = run(words, folder, fileno(output));
  rewind(output);
  bp_text_append(&all, "");
  while (fgets(line, sizeof line, output))
    bp_text_append(&all, line);
  fclose(output);
  *text = all.data;
  return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
