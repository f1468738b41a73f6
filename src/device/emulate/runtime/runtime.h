/* runtime.h -- the parts of an emulated kernel's program and what they know of each other. The program
 * is one operating system thread; everything here belongs to the block that runs, but for what blocks keep that wait
 * for others. */
#ifndef BP_EMULATE_RUNTIME_H
#define BP_EMULATE_RUNTIME_H

#include "abi/emulated/runtime.h"
#include "job.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  WARP = 32,
  THREADS_MAX = 1024,
  TOGETHER_MAX = 8, /* blocks that wait for each other */
  FIBERS_MAX = TOGETHER_MAX * THREADS_MAX,
  STACK_BYTES = 256 << 10
};

/* ---- fiber.c: one stack per thread ---- */

typedef struct fiber fiber;
void fibers_create(int count);
/* The fiber starts at `entry` when it is next resumed; entry must not return. */
void fiber_start(int number, void (*entry)(void));
void fiber_resume(int number);             /* from the scheduler; returns when the fiber yields */
void fiber_yield(void);                    /* back to the scheduler */
bool fiber_stack_holds(uintptr_t address); /* the page below a stack */

/* ---- block.c: threads, their order, barriers ---- */

typedef enum { READY, AT_BARRIER, AT_WARP, AT_MBARRIER, AT_GRID, DONE } thread_state;

typedef struct {
  void *to;
  const void *from;
  int bytes, group;
} transfer;

/* Copies under way, oldest first. */
typedef struct {
  transfer *items;
  int count, capacity, committed; /* committed: groups closed so far */
} transfers;

typedef struct {
  bp_emulated_operation operation;
  int argument, rows, depth;
  void *x;
  double *c;
  const double *a, *b;
} warp_request;

typedef struct {
  bp_emulated_thread seen; /* what the kernel sees: first */
  thread_state state;
  bp_emulated_site site; /* where it waits */
  int barrier;
  warp_request request;
  void *mbarrier;
  transfers copies, stores;
} thread;

extern thread threads[THREADS_MAX];
extern int threads_count;
extern long long block_serial; /* counts blocks over all launches */

static inline thread *self(void)
{
  return (thread *)bp_emulated_self;
}

static inline bool is_same_site(bp_emulated_site a, bp_emulated_site b)
{
  return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

/* Gives way until `state` is READY again. */
void thread_wait(thread_state state, bp_emulated_site site);

typedef struct {
  const bp_emulated_kernel *kernel;
  void *arguments[BP_JOB_ARGUMENTS +
                  3]; /* where elements, degree, lambda and the arrays' pointers lie */
  unsigned long long values[BP_JOB_ARGUMENTS];
} launch;
extern const launch *launch_here;

/* `reversed`: threads of a warp run in the opposite order between barriers, blocks too, and warps run ahead
 * of each other. */
void launch_run(const launch *l, const bp_job_launch *shape, uint64_t seed, bool reversed);

/* ---- warp.c ---- */
void warps_start_block(void); /* nobody has come */

/* ---- async.c ---- */
void async_start_block(void);
void async_finish_thread(void);
/* What an mbarrier that is waited for lacks. */
void mbarrier_describe(const void *barrier, char *text, size_t size);

/* ---- memory.c: poison, guards, what an address is ---- */

/* What never-written memory and guard zones hold: signalling NaNs that tell where they lie. Shared
 * memory's are quiet until one of them is sought. */
uint64_t poison_of(int tag, bool guard, long long index);
/* Whether `x` is one, also after arithmetic made it quiet: "u[70], past its end", "s[3], which no thread
 * has written". text may be NULL. */
bool poison_describe(uint64_t x, char *text, size_t size);
bool poison_is_unwritten_shared(uint64_t x);
bool poison_is_same(uint64_t x, uint64_t y);

double *const *memory_open(void); /* the job's arrays */
char *const *memory_begins(void); /* where kernels see them begin; once */
void memory_start_run(void);      /* poisons what is written, sets the guards */
void memory_start_launch(long long shared_bytes);
void memory_end_block(unsigned block); /* no other block of the launch has written to its scratch */
/* Of a block that waits for others: its shared memory, out to a copy, and in again, where `block_serial` is
 * its own. */
typedef struct shared_copy shared_copy;
shared_copy *memory_take_shared(void);
void memory_bring_shared(shared_copy *copy); /* frees it */
/* Whether every guard zone still stands, or else which place was written: "v[64], past its end". */
bool memory_guards_stand(char *text, size_t size);
void memory_check_results(void);   /* each value was written, and computed from what was */
void memory_save_results(void);    /* of the first run */
void memory_compare_results(void); /* with the second's */
/* Which array an address belongs to, or is near: "u[12]", "s[64], past its end (64 doubles)". */
bool memory_describe(const void *address, char *text, size_t size);
bool memory_is_shared(const void *address, int bytes);
bool memory_is_global(const void *address, int bytes);

/* ---- trap.c: signals ---- */
void traps_set(void);
void traps_arm(bool armed); /* around the kernel */
/* Signals raised by an operation of the runtime are its site's fault. */
extern bp_emulated_site trap_site;

/* ---- count.c: nothing unless count_open was called ---- */
void count_open(double *const *arrays);
void count_copy(const void *to, const void *from); /* of a double, by an asynchronous copy */
extern bp_job *counted;                            /* NULL: nothing is */
void count_those_together(int first, int number);

/* These threads have met at a barrier. */
static inline void count_together(int first, int number)
{
  if (counted)
    count_those_together(first, number);
}

/* ---- main.c ---- */
extern bp_job *job;
extern bool precise; /* guards are checked whenever a thread gives way */
/* Guards fell, but by whom is not known: starts all over with `precise`. */
_Noreturn void run_again_precisely(bp_emulated_site site, unsigned block, const char *what);
extern uint64_t sought; /* poison that reached v: who computes with it first? */
_Noreturn void run_again_seeking(uint64_t poison);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void fail_at(bp_emulated_site site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void *allocate(size_t bytes); /* or fails */
/* `items` with one more behind `count`. */
void *grown(void *items, int count, int *capacity, size_t size);
/* "thread (1, 0, 0) of block 3" */
void print_thread(const thread *t, char *text, size_t size);

#endif
