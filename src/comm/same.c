/* same.c -- whether all ranks are the same program and were asked for the same. */
#include "comm/comm.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include <string.h>

/* Of rank 0. What comes first never changes, so that ranks of different versions understand it. */
typedef struct {
  char version[64];
  bp_hash program;
  int64_t length; /* of the text */
} identity;

/* Zeros where it cannot be read. */
static bp_hash hash_program(void)
{
  bp_file file;
  bp_hash hash = {{0, 0}};
  if (bp_file_map("/proc/self/exe", &file))
    return hash;
  hash = bp_hash_bytes(file.data, (size_t)file.size); /* no threads: ranks are forked */
  bp_file_unmap(&file);
  return hash;
}

static identity find_identity(const char *text)
{
  identity own = {.program = hash_program(), .length = (int64_t)strlen(text)};
  strncpy(own.version, BP_VERSION, sizeof own.version - 1);
  return own;
}

/* The first line in which they differ, of each. */
static bp_status compare(const bp_comm *comm, const char *theirs, const char *own)
{
  char host[64];
  int same = 0;
  if (strcmp(theirs, own) == 0)
    return BP_OK;
  for (int n = 0; theirs[n] && theirs[n] == own[n]; ++n)
    if (own[n] == '\n')
      same = n + 1;
  bp_comm_host(host);
  return bp_fail(
      BP_BAD_INPUT,
      "rank %d of %d on %s: expected '%.*s', as of rank 0, found '%.*s': all ranks work on the "
      "same configuration",
      comm->rank, comm->size, host, (int)strcspn(theirs + same, "\n"), theirs + same,
      (int)strcspn(own + same, "\n"), own + same);
}

static bp_status compare_programs(const bp_comm *comm, const identity *first, const identity *own)
{
  char host[64];
  if (bp_hash_is_same(first->program, own->program) && strcmp(first->version, own->version) == 0)
    return BP_OK;
  bp_comm_host(host);
  return bp_fail(BP_ENVIRONMENT,
                 "rank %d of %d on %s: expected the same bp as rank 0's (%s), found another file "
                 "(%s): all ranks run the same build",
                 comm->rank, comm->size, host, first->version, own->version);
}

bp_status bp_comm_check_same(bp_comm *comm, const char *text)
{
  const identity own = find_identity(text);
  identity first = own;
  bp_status status = bp_comm_broadcast(comm, &first, sizeof first);
  if (status)
    return status;
  char *theirs = bp_alloc((size_t)first.length + 1, 1);
  if (comm->rank == 0)
    memcpy(theirs, text, (size_t)first.length);
  status = bp_comm_broadcast(comm, theirs, first.length);
  if (!status)
    status = compare_programs(comm, &first, &own);
  if (!status)
    status = compare(comm, theirs, text);
  bp_free(theirs);
  return bp_comm_agree(comm, status);
}
