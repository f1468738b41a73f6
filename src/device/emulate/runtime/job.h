/* job.h -- what bp and an emulated kernel's program tell each other: one file, mapped by both, that
 * begins with this struct. The arrays lie in it with guard zones around them and unused pages between
 * them. */
#ifndef BP_KERNEL_EMULATED_JOB_H
#define BP_KERNEL_EMULATED_JOB_H

enum { BP_JOB_I, BP_JOB_D, BP_JOB_FACTORS, BP_JOB_U, BP_JOB_V, BP_JOB_SCRATCH, BP_JOB_ARRAYS };
enum {
  BP_JOB_FILE = 3, /* the descriptor under which the program finds it */
  BP_JOB_LAUNCHES = 8,
  BP_JOB_GUARD = 512 /* doubles */
};

static const char *const bp_job_names[BP_JOB_ARRAYS] = {"I", "D", "factors", "u", "v", "scratch"};

typedef struct {
  char kernel[64];
  unsigned threads[3], blocks;
  long long shared; /* bytes */
} bp_job_launch;

typedef enum { BP_JOB_STARTED, BP_JOB_OK, BP_JOB_WRONG } bp_job_status;

typedef struct {
  long long bytes; /* of the file */
  int elements, degree;
  double lambda;
  unsigned long long seed;
  int orders; /* 2: all is run again with the threads the other way round, and compared */
  int seconds_max;
  int launches_count;
  bp_job_launch launches[BP_JOB_LAUNCHES];
  struct {
    long long offset, count; /* count 0: the kernel gets NULL */
  } arrays[BP_JOB_ARRAYS];

  /* The answer; "@0" and "@1" in the message stand for the places of the two instructions. */
  bp_job_status status;
  char message[1000];
  unsigned long long instruction[2];
  double seconds; /* of the first run */
  struct {
    long long flops, shared_loads, shared_stores; /* executed; of doubles */
    long long threads_shared;  /* of these, by threads; others by asynchronous copies */
    long long shared_accesses; /* those of half-warps, see count.c */
    long long read, written;   /* different doubles of u and the factors, of v */
  } counts;                    /* in mode "count" */
} bp_job;

#endif
