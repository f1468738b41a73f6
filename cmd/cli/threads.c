/* threads.c -- starts them and lets them go again. */
#include "cli/command.h"

#include "base/memory.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { THREADS_MOST = 4096 }; /* as for --threads */

static void *wait_for_all(void *lock)
{
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

/* How many can run at once beside this one, `count` at most; *error: why no more. */
static int start(int count, int *error)
{
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *threads = bp_alloc((size_t)count, sizeof *threads);
  int started = 0;
  pthread_mutex_lock(&lock);
  while (started < count &&
         (*error = pthread_create(&threads[started], NULL, wait_for_all, &lock)) == 0)
    ++started;
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < started; ++n)
    pthread_join(threads[n], NULL);
  bp_free(threads);
  return started;
}

bp_status bp_threads_check(void)
{
  int wanted = omp_get_max_threads(), error = 0;
  if (wanted > THREADS_MOST)
    return bp_fail(BP_BAD_INPUT, "OMP_NUM_THREADS: expected at most %d threads, found %d",
                   THREADS_MOST, wanted);
  if (wanted <= omp_get_num_procs())
    return BP_OK;
  int started = start(wanted - 1, &error) + 1;
  if (started < wanted)
    return bp_fail(BP_ENVIRONMENT,
                   "OMP_NUM_THREADS: expected a number of threads that can be started, found %d of "
                   "which %d can (%s)",
                   wanted, started, strerror(error));
  return BP_OK;
}
