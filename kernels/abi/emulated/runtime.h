/* runtime.h -- the interface, in C, between an emulated kernel (emulated/gpu.h) and the runtime
 * that its threads live in (src/device/emulate/runtime/). */
#ifndef BP_KERNELS_ABI_EMULATED_RUNTIME_H
#define BP_KERNELS_ABI_EMULATED_RUNTIME_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the GPU that is emulated: few, so that loops over blocks turn around. */
enum { BP_EMULATED_MULTIPROCESSORS = 4 };

/* A place in a kernel's text. */
typedef struct {
  const char *file;
  int line;
} bp_emulated_site;

typedef struct {
  unsigned x, y, z;
} bp_emulated_index;

typedef struct {
  bp_emulated_index index;
  int number;
} bp_emulated_thread;

extern bp_emulated_thread *bp_emulated_self;
extern bp_emulated_index bp_emulated_block, bp_emulated_block_extent, bp_emulated_grid_extent;
extern int bp_emulated_blocks; /* that run */

/* A kernel, in the list of all that the program has; threads_max 0: not bounded. */
typedef struct bp_emulated_kernel bp_emulated_kernel;
struct bp_emulated_kernel {
  const char *name;
  void (*run)(void *const *arguments); /* where elements, degree, lambda and the operands lie */
  int threads_max;
  bp_emulated_site site;
  bp_emulated_kernel *next;
};
extern bp_emulated_kernel *bp_emulated_kernels;

/* An array in shared memory; guard zones of BP_EMULATED_GUARD doubles lie on both sides, unless guard
 * is 0. `block` is the block that last poisoned it. */
enum { BP_EMULATED_GUARD = 64 };
typedef struct bp_emulated_shared bp_emulated_shared;
struct bp_emulated_shared {
  const char *name;
  bp_emulated_site site;
  void *data;
  long long bytes, guard, block;
  int tag;
  bp_emulated_shared *next;
};
/* Poisons the array when this is the first thread of the block that comes here. */
void bp_emulated_share(bp_emulated_shared *shared);
void *bp_emulated_dynamic_shared(const char *name, bp_emulated_site site);

enum { BP_EMULATED_BLOCK_BARRIER = 0 }; /* group barriers are 1..15 */
void bp_emulated_barrier(int id, int threads, bp_emulated_site site);
void bp_emulated_grid_barrier(bp_emulated_site site);

typedef enum {
  BP_EMULATED_WARP_BARRIER,
  BP_EMULATED_SHUFFLE,
  BP_EMULATED_SHUFFLE_XOR,
  BP_EMULATED_SHUFFLE_UP,
  BP_EMULATED_SHUFFLE_DOWN,
  BP_EMULATED_MMA,
} bp_emulated_operation;
/* x: 8 bytes, replaced by what the other lane passes. */
void bp_emulated_shuffle(bp_emulated_operation operation, void *x, int argument,
                         bp_emulated_site site);
void bp_emulated_warp_barrier(bp_emulated_site site);
/* c += a b, rows x 8 x depth, spread over the lanes as gpu.h says. */
void bp_emulated_mma(int rows, int depth, double *c, const double *a, const double *b,
                     bp_emulated_site site);

/* A variable that bp_fetch_next counts up: after a launch it has to be 0, as before. */
void bp_emulated_counter(const int *n, bp_emulated_site site);

/* For other ranks' programs to go on. */
void bp_emulated_pause(void);

/* is_async: it comes as late as it may; else at once. */
void bp_emulated_async_copy(void *to, const void *from, int bytes, bool is_async,
                            bp_emulated_site site);
void bp_emulated_async_commit(void);
void bp_emulated_async_wait(int groups);

void bp_emulated_mbarrier_start(void *barrier, int arrivals, bp_emulated_site site);
void bp_emulated_mbarrier_arrive(void *barrier, int bytes, bp_emulated_site site);
void bp_emulated_mbarrier_wait(void *barrier, int parity, bp_emulated_site site);
/* One double behind the global array may be read by copies into slots. */
void bp_emulated_bulk_load(void *to, const void *from, int bytes, void *barrier,
                           bp_emulated_site site);
/* 16 bytes of one; then what the thread has copied asynchronously so far reports to the mbarrier, as one
 * of its arrivals or besides them. */
void bp_emulated_slot_copy(void *to, const void *from, int bytes, bool is_async,
                           bp_emulated_site site);
void bp_emulated_slot_arrive(void *barrier, bool is_arrival, bp_emulated_site site);
void bp_emulated_bulk_store(void *to, const void *from, int bytes, bp_emulated_site site);
void bp_emulated_bulk_commit(void);
void bp_emulated_bulk_wait(int groups);

/* What numbers that count tell: see number.h. */
void bp_emulated_count_flops(long long flops);
void bp_emulated_count_load(const void *p);
void bp_emulated_count_store(const void *p);
void bp_emulated_count_load_pair(const void *p);
void bp_emulated_count_store_pair(const void *p);

#ifdef __cplusplus
}
#endif
#endif
