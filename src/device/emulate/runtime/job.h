/* job.h -- what bp and an emulated kernel's program tell each other: the emulated device's memory, mapped by
 * both, begins with this struct. Addresses are distances from there. Around arrays there are guard zones as far
 * as their pages go, and pages that nobody may touch. */
#ifndef BP_EMULATE_JOB_H
#define BP_EMULATE_JOB_H

enum {
  BP_JOB_FILE = 3,        /* the descriptor under which the program finds it */
  BP_JOB_LAUNCHES = 4096, /* in one job */
  BP_JOB_ARRAYS = 48,
  BP_JOB_ARGUMENTS = 48,
  BP_JOB_PAGE = 4096, /* an array ends where a page ends, but for what may be read behind it */
  BP_JOB_ALIGN = 256
};

/* What becomes of an array when a kernel runs. */
typedef enum { BP_JOB_READ, BP_JOB_WRITE, BP_JOB_PART, BP_JOB_SCRATCH } bp_job_access;

/* Addresses only; or memory that begins as 0, 1 or, of ints, as -1, in which a kernel may do as it likes, and
 * so with all of an array that is scratch. */
typedef enum {
  BP_JOB_NOWHERE,
  BP_JOB_ZEROS,
  BP_JOB_ONES,
  BP_JOB_MINUS_ONES,
  BP_JOB_ALL
} bp_job_ahead;

typedef struct {
  char name[24];
  bp_job_access access;
  int item;               /* bytes */
  long long start, count; /* address, items */
  long long rows;         /* each has as many items of every element */
  long long missing;      /* items of the elements before a row's first */
  bp_job_ahead ahead;     /* what these are */
} bp_job_array;

typedef struct {
  char kernel[64];
  unsigned threads[3], blocks, first; /* first: the block to begin with */
  unsigned grid;                      /* how many blocks the kernel is told of */
  long long shared;                   /* bytes */
  int arguments_count;
  int arrays[BP_JOB_ARGUMENTS]; /* of the job's, in the order of the parameters; -1: a value */
  unsigned long long values[BP_JOB_ARGUMENTS]; /* 0 for an array that is NULL */
} bp_job_launch;

typedef enum { BP_JOB_STARTED, BP_JOB_OK, BP_JOB_WRONG } bp_job_status;

typedef struct {
  long long bytes; /* of the file */
  int elements, degree;
  double lambda;
  unsigned long long seed;
  /* One of several jobs, between which ranks exchange what they have: arrays stay as they are. */
  int is_continued, continues;
  int orders; /* 2: all is run again with the threads the other way round, and compared */
  int seconds_max;
  int mail_file; /* of ranks' mailboxes, all of which lie at bp_job_mail; 0: none */
  long long mail_bytes;
  int launches_count, arrays_count;
  bp_job_launch launches[BP_JOB_LAUNCHES];
  bp_job_array arrays[BP_JOB_ARRAYS];

  /* The answer; "@" in the message stands for the place of the instruction. */
  bp_job_status status;
  char message[1000];
  unsigned long long instruction;
  double seconds; /* of the first run */
  struct {
    long long flops, shared_loads, shared_stores; /* executed; of doubles */
    long long threads_shared;  /* of these, by threads; others by asynchronous copies */
    long long shared_accesses; /* those of half-warps, see count.c */
    long long read, written;   /* different doubles of u and the factors, of v */
  } counts;                    /* in mode "count" */
} bp_job;

/* Far from all that a process has. */
static inline void *bp_job_mail(void)
{
  return (void *)0x200000000000;
}

#endif
