/* job.c -- starting ranks as processes of this host, and waiting for them. */
#include "comm/shm.h"

#include "base/clock.h"
#include "comm/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  bp_shm shm;
  int size, left;
  pid_t process[BP_RANKS_MAX]; /* 0: it has ended */
  int code[BP_RANKS_MAX];      /* with this */
  double looked,
      stopped
          [BP_RANKS_MAX]; /* on the clock: the last look; since when it is stopped, 0: it is not */
} job;

static const double PATIENCE = 2; /* seconds that ranks have to end by themselves */

/* ---- signals: all ranks get them ---- */

enum { SIGNALS = 4 };
static volatile sig_atomic_t arrived[SIGNALS];
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};

static void on_signal(int number)
{
  for (int n = 0; n < SIGNALS; ++n)
    if (signals[n] == number)
      arrived[n] = 1;
}

static void send_all(const job *j, int number)
{
  for (int r = 0; r < j->size; ++r)
    if (j->process[r])
      kill(j->process[r], number);
}

static void pass_signals(const job *j)
{
  for (int n = 0; n < SIGNALS; ++n)
    if (arrived[n]) {
      arrived[n] = 0;
      send_all(j, signals[n]);
    }
}

/* ---- a rank's process ---- */

/* Rank 0 alone prints. Each is a group of its own, so that a terminal's Ctrl-C comes once, from
 * the caller. */
static bp_comm *become(const bp_shm *shm, int rank, pid_t caller)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != caller)
    raise(SIGKILL);
  for (int n = 0; n < SIGNALS; ++n)
    signal(signals[n], SIG_DFL);
  if (rank > 0) {
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
  }
  return bp_shm_comm(shm, rank);
}

/* ---- the caller ---- */

/* What a process says at its end that did not close its communicator well. */
static void note_end(job *j, int rank, int code)
{
  char host[64], why[BP_SHM_WHY];
  bp_comm_host(host);
  j->process[rank] = 0;
  j->code[rank] = code;
  --j->left;
  if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
    return;
  if (WIFSIGNALED(code))
    snprintf(why, sizeof why, "rank %d of %d on %s was ended by signal %d (%s)", rank, j->size,
             host, WTERMSIG(code), strsignal(WTERMSIG(code)));
  else
    snprintf(why, sizeof why, "rank %d of %d on %s ended with code %d", rank, j->size, host,
             WEXITSTATUS(code));
  if (WIFSIGNALED(code) || WEXITSTATUS(code) == BP_ENVIRONMENT)
    bp_shm_end(&j->shm, rank, true, BP_ENVIRONMENT, why);
}

static void reap(job *j)
{
  int code;
  pid_t ended;
  while (j->left && (ended = waitpid(-1, &code, WNOHANG)) > 0)
    for (int r = 0; r < j->size; ++r)
      if (j->process[r] == ended)
        note_end(j, r, code);
}

/* A rank that was stopped cannot end by itself. */
static void look_for_stopped(job *j)
{
  const double often = 1, most = 4; /* seconds */
  const double now = bp_clock();
  char host[64], why[BP_SHM_WHY];
  if (now - j->looked < often)
    return;
  j->looked = now;
  for (int r = 0; r < j->size; ++r) {
    bool is_stopped = j->process[r] && bp_process_look(j->process[r]) == BP_STOPPED;
    j->stopped[r] = !is_stopped ? 0 : j->stopped[r] > 0 ? j->stopped[r] : now;
    if (!is_stopped || now - j->stopped[r] < most)
      continue;
    bp_comm_host(host);
    snprintf(why, sizeof why, "rank %d of %d on %s was stopped by a signal", r, j->size, host);
    bp_shm_end(&j->shm, r, true, BP_ENVIRONMENT, why);
    kill(j->process[r], SIGKILL);
  }
}

/* Polls, slowly: SIGCHLD wakes it up at once. */
static void wait_for_all(job *j)
{
  double since = -1;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (reap(j), j->left) {
    pass_signals(j);
    look_for_stopped(j);
    if (since < 0 && atomic_load(&j->shm.head->ended))
      since = bp_clock();
    if (since >= 0 && bp_clock() - since > PATIENCE)
      send_all(j, SIGKILL);
    sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = 50000000});
  }
}

static bp_status status_of(const job *j)
{
  const bp_shm_head *head = j->shm.head;
  if (atomic_load(&head->ended))
    return bp_fail(head->status, "%s", head->why);
  for (int r = 0; r < j->size; ++r)
    if (j->code[r])
      return bp_fail((bp_status)WEXITSTATUS(j->code[r]), "%s", "");
  return BP_OK;
}

static bp_status supervise(job *j)
{
  struct sigaction before[SIGNALS];
  const struct sigaction action = {.sa_handler = on_signal};
  sigset_t child, mask;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &mask);
  for (int n = 0; n < SIGNALS; ++n)
    sigaction(signals[n], &action, &before[n]);
  wait_for_all(j);
  for (int n = 0; n < SIGNALS; ++n)
    sigaction(signals[n], &before[n], NULL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  bp_status status = status_of(j);
  bp_shm_destroy(&j->shm);
  return status;
}

bp_status bp_comm_fork(int size, bp_comm **comm)
{
  job j = {.size = size};
  pid_t caller = getpid();
  *comm = NULL;
  BP_ASSERT(size >= 1 && size <= BP_RANKS_MAX);
  bp_status status = bp_shm_create(size, &j.shm);
  if (status)
    return status;
  fflush(NULL);
  for (int r = 0; r < size; ++r) {
    pid_t process = fork();
    if (process == 0) {
      *comm = become(&j.shm, r, caller);
      return BP_OK;
    }
    if (process < 0) {
      char why[BP_SHM_WHY];
      snprintf(why, sizeof why, "rank %d of %d could not be started: %s", r, size, strerror(errno));
      bp_shm_end(&j.shm, r, true, BP_ENVIRONMENT, why);
      break;
    }
    j.process[r] = process;
    ++j.left;
  }
  return supervise(&j);
}
