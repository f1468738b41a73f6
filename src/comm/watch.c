/* watch.c -- looking at processes, and at the clock. */
#include "comm/watch.h"

#include "base/clock.h"
#include "base/file.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double LOOK = 0.5, STOPPED = 4; /* seconds */

/* The letter behind the name in parentheses. */
bp_process_state bp_process_look(int64_t process)
{
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
  bp_file_peek(path, text, sizeof text);
  const char *name_end = strrchr(text, ')');
  if (!name_end || strlen(name_end) < 3)
    return BP_GONE;
  return strchr("ZXx", name_end[2]) ? BP_GONE : name_end[2] == 'T' ? BP_STOPPED : BP_RUNNING;
}

static bp_status lose(bp_comm *comm, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bp_status lose(bp_comm *comm, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  comm->is_seen = true;
  return bp_comm_lose(comm, "%s", text);
}

static bp_status look_at_ranks(bp_comm *comm, bp_wait *wait, double now)
{
  bool is_any_stopped = false;
  char host[64];
  bp_comm_host(host);
  for (int r = 0; comm->process && r < comm->size; ++r) {
    if (r == comm->rank || comm->process[r] == 0)
      continue;
    bp_process_state state = bp_process_look(comm->process[r]);
    if (state == BP_GONE)
      return lose(comm, "rank %d of %d on %s has ended early", r, comm->size, host);
    if (state == BP_STOPPED && wait->stopped > 0 && now - wait->stopped > STOPPED)
      return lose(comm, "rank %d of %d on %s was stopped by a signal", r, comm->size, host);
    is_any_stopped = is_any_stopped || state == BP_STOPPED;
  }
  wait->stopped = !is_any_stopped ? 0 : wait->stopped > 0 ? wait->stopped : now;
  return BP_OK;
}

bp_status bp_wait_check(bp_comm *comm, bp_wait *wait, int (*late)(bp_comm *comm))
{
  const double now = bp_clock();
  if (wait->begin == 0)
    wait->begin = wait->looked = now;
  if (now - wait->looked < LOOK)
    return BP_OK;
  wait->looked = now;
  bp_status status = look_at_ranks(comm, wait, now);
  if (status || comm->patience == 0 || now - wait->begin < comm->patience)
    return status;
  int rank = late ? late(comm) : -1;
  char host[64];
  bp_comm_host(host);
  if (rank < 0)
    return lose(comm, "rank %d of %d on %s waited for the others for %.0f seconds, in vain",
                comm->rank, comm->size, host, now - wait->begin);
  return lose(comm, "rank %d of %d on %s did not answer for %.0f seconds", rank, comm->size, host,
              now - wait->begin);
}
