/* child.c -- what a child does first and last. */
#include "base/child.h"

#include "base/memory.h"
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

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

void bp_child_serves(void)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
#ifdef BP_COVERAGE
  signal(BP_CHILD_ENDS, bp_leave);
#endif
}

void bp_write_counts(void)
{
#ifdef BP_COVERAGE
  extern void __gcov_dump(void);
  __gcov_dump();
#endif
}

_Noreturn void bp_leave(int code)
{
  bp_write_counts();
  _exit(code);
}
