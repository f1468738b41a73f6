/* plan.h -- backends: how a variant is bound to a machine, applied and timed. The same few calls
 * for the CPU, for CUDA devices and for the emulator:
 *
 *   device     one processor: the CPU with its threads, one GPU, the emulator
 *   workspace  one problem's data on it: u, v, scratch, the factors in every order that was asked for
 *   plan       one choice (variant + options) ready to be applied to a workspace; or a copy, or a peak
 *
 * A backend's own structs begin with these, so that it can find its data behind them. */
#ifndef BP_DEVICE_PLAN_H
#define BP_DEVICE_PLAN_H

#include "registry/layout.h"
#include "registry/variant.h"

typedef struct bp_backend bp_backend;

typedef struct {
  int device;         /* CUDA: its number */
  int threads;        /* CPU: 0 for all */
  bool isa_is_forced; /* CPU: use `isa`, else the best */
  bp_isa isa;
  bool graph;           /* CUDA: replay a captured graph instead of launching */
  const char *sanitize; /* emulator: "none" (or NULL), "address" or "thread" */
  uint64_t seed;        /* emulator: order of threads */
} bp_device_options;

typedef struct {
  const bp_backend *backend;
  char *name;          /* "NVIDIA H200", "AMD EPYC, 2 threads, avx512" */
  int lanes;           /* SIMD width in doubles; 1 on GPUs */
  int sms;             /* multiprocessors; CPU: threads */
  int64_t cache_bytes; /* the last level of cache */
  int64_t memory_free; /* bytes when the device was opened */
  double
      peak_bytes_per_second; /* of the memory, by the data sheet or the driver; NaN when unknown */
} bp_device;

/* Of the largest launch of a choice. */
typedef struct {
  int64_t threads, shared; /* of a block; shared in bytes */
} bp_launch_size;

typedef struct {
  bp_device *device;
  const bp_problem *problem;
} bp_workspace;

/* What is known of a plan besides its speed; -1 or NaN where it does not apply. */
typedef struct {
  int64_t registers, spill_bytes, shared_bytes, blocks_per_sm, blocks, threads;
  double compile_seconds; /* 0 when it came from the cache */
  double setup_seconds;   /* bringing factors into the variant's order; 0 when they were there */
  double upload_seconds;
} bp_plan_details;

typedef struct {
  bp_device *device;
  bp_workspace *workspace; /* NULL: a copy or a peak */
  bp_choice choice;        /* variant NULL: a copy made by the driver */
  double work;             /* of a peak: flops, or bytes of shared memory, of one application */
  bp_plan_details details;
} bp_plan;

struct bp_backend {
  const char *name;
  bp_language language;

  bp_status (*device_create)(const bp_device_options *options, bp_device **device);
  void (*device_destroy)(bp_device *device);

  /* Compiles choices[n] for op[n] at degree[n] in parallel, so that plan_create finds them done.
   * Failures are kept and come out of plan_create. NULL where nothing is compiled. */
  void (*prepare)(bp_device *device, const bp_choice *choices, const bp_operator *const *op,
                  const int *degree, int count);

  /* Whether the choice's launches can be had, by what its header says, and the size of the largest.
   * NULL where nothing is launched. */
  bool (*fits)(const bp_device *device, const bp_choice *choice, const bp_operator *op, int degree,
               int64_t elements, bp_launch_size *size);

  /* `guarded`: zones that no kernel may touch around every array. */
  bp_status (*workspace_create)(bp_device *device, const bp_problem *problem, bool guarded,
                                bp_workspace **workspace);
  void (*workspace_destroy)(bp_workspace *workspace);
  bp_status (*workspace_write)(bp_workspace *workspace, const double *u);
  bp_status (*workspace_poison)(bp_workspace *workspace); /* v and scratch become NaN */
  bp_status (*workspace_read)(bp_workspace *workspace, double *v);
  bp_status (*workspace_guards)(bp_workspace *workspace); /* BP_WRONG: says which array and where */

  bp_status (*plan_create)(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan);
  bp_status (*copy_create)(bp_device *device, int64_t bytes, bool cold, bp_plan **plan);
  bp_status (*peak_create)(bp_device *device, const bp_choice *choice, bp_plan **plan);
  void (*plan_destroy)(bp_plan *plan);
  bp_status (*plan_apply)(bp_plan *plan);
  bp_status (*plan_time)(bp_plan *plan, int64_t repetitions, bool cold, double *seconds);
};

extern const bp_backend bp_backend_cpu, bp_backend_cuda, bp_backend_emulate;

/* NULL for a name that is none. */
const bp_backend *bp_backend_find(const char *name);

/* ---- the calls ---- */

/* Fails with BP_ENVIRONMENT where the machine has no such device. */
bp_status bp_device_create(const bp_backend *backend, const bp_device_options *options,
                           bp_device **device);
void bp_device_destroy(bp_device *device);

/* Copies the problem to the device; the problem must outlive the workspace. */
bp_status bp_workspace_create(bp_device *device, const bp_problem *problem, bool guarded,
                              bp_workspace **workspace);
void bp_workspace_destroy(bp_workspace *workspace);
bp_status bp_workspace_write(bp_workspace *workspace, const double *u);
bp_status bp_workspace_poison(bp_workspace *workspace);
bp_status bp_workspace_read(bp_workspace *workspace, double *v);
bp_status bp_workspace_guards(bp_workspace *workspace);

/* BP_OK with *plan NULL: this choice cannot run here at this degree, and bp_message() says why. */
bp_status bp_plan_create(bp_workspace *workspace, const bp_choice *choice, bp_plan **plan);

/* A copy of `bytes` bytes, which reads and writes as many; the fastest that the machine knows, with a cold
 * or a hot cache. */
bp_status bp_copy_create(bp_device *device, int64_t bytes, bool cold, bp_plan **plan);

/* A variant of problem "peaks": a kernel that reaches a peak, `peaks/fma`. */
bp_status bp_peak_create(bp_device *device, const bp_choice *choice, bp_plan **plan);
void bp_plan_destroy(bp_plan *plan);

/* One application, finished on return. A crash of the device or a launch that fails: BP_WRONG. */
bp_status bp_plan_apply(bp_plan *plan);

/* Seconds of one application, the mean over `repetitions` in a row (device time on CUDA). `cold`:
 * the caches are flushed before it, and repetitions must be 1. */
bp_status bp_plan_time(bp_plan *plan, int64_t repetitions, bool cold, double *seconds);

#endif
