/* file_guard.c -- the handler of SIGBUS and the list of mappings that it looks into. */
#include "base/file_guard.h"

#include "base/memory.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The handler walks the list without a lock. So guards are never freed, only used again. */
struct bp_file_guard {
  _Atomic uintptr_t begin, end; /* end 0: not in use */
  atomic_bool is_cut;
  struct bp_file_guard *next;
};

static _Atomic(bp_file_guard *) first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static uintptr_t page;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
  uintptr_t at = (uintptr_t)info->si_addr / page * page;
  (void)context;
  for (bp_file_guard *g = first; g; g = g->next) {
    uintptr_t end = g->end;
    if (at < g->begin || at >= end)
      continue;
    atomic_store(&g->is_cut, true);
    if (mmap((void *)at, end - at, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED)
      return;
  }
  sigaction(signal, &before, NULL); /* not ours: on return it is raised again */
}

static void install(void)
{
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
  page = (uintptr_t)sysconf(_SC_PAGESIZE);
  sigaction(SIGBUS, &action, &before);
}

bp_file_guard *bp_file_guard_add(const void *data, size_t size)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  pthread_mutex_lock(&lock);
  bp_file_guard *g = first;
  while (g && g->end)
    g = g->next;
  if (!g) {
    g = bp_alloc(1, sizeof *g);
    g->next = first;
    first = g;
  }
  g->is_cut = false;
  g->begin = (uintptr_t)data;
  g->end = (uintptr_t)data + size;
  pthread_mutex_unlock(&lock);
  return g;
}

void bp_file_guard_remove(bp_file_guard *guard)
{
  pthread_mutex_lock(&lock);
  guard->end = 0;
  pthread_mutex_unlock(&lock);
}

bool bp_file_guard_is_cut(const bp_file_guard *guard)
{
  return guard && guard->is_cut;
}
