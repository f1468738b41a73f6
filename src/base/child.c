/* child.c -- what a child does first and last. */
#include "base/child.h"

#include <signal.h>
#include <sys/prctl.h>

void bp_child_serves(void)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
}

void bp_write_counts(void)
{
#ifdef BP_COVERAGE
  extern void __gcov_dump(void);
  __gcov_dump();
#endif
}
