/* device.h -- what a backend is: memory, code, and lists of steps that run on a device.
 *
 * A backend (cpu, cuda, emulate) implements the calls of bp_backend and nothing else. What a problem's
 * data are (workspace.h), how a choice becomes steps (plan.h), poison and guard zones (array.h), copies
 * and peaks (machine.h) are written once, on top of these calls. */
#ifndef BP_DEVICE_DEVICE_H
#define BP_DEVICE_DEVICE_H

#include "comm/comm.h"
#include "registry/architecture.h"
#include "registry/best.h"
#include "registry/choice.h"

typedef struct bp_backend bp_backend;

typedef struct {
  int device;      /* CUDA: its number */
  int arch;        /* GPUs: as this architecture, 80 for sm_80; 0: as itself */
  int local_rank;  /* CUDA: so many further, and round again: ranks of a host share its devices */
  bool in_process; /* CUDA: no worker has the device, so that MPI gets its memory */
  int threads;     /* CPU: 0 for all */
  bool isa_is_forced; /* CPU: use `isa`, else the best */
  bp_isa isa;
  bool graph;     /* CUDA: replay a captured graph instead of launching */
  bool launches;  /* CUDA: launch also what is repeated in a plan, which else is a graph */
  bool waits;     /* CUDA, with `launches`: wait for the device after each repetition */
  bool counts;    /* emulator: flops and memory (bp_emulate_check_model) */
  uint64_t seed;  /* emulator: order of threads */
  int64_t before; /* not CUDA: elements ahead of each problem's own that have addresses only */
  int sms;        /* emulator: multiprocessors, 0 for 4 */
  bool fenced;    /* CPU: behind each array and its guard zone lies a page that nobody may touch */
} bp_device_options;

/* What a launch may ask for. */
typedef struct {
  int sm; /* 90 for sm_90 */
  int64_t threads_max, block_max[3], shared_max;
  int64_t together_max; /* blocks that surely run at once */
} bp_limits;

/* How ranks' devices reach each other: by the hosts; from memory to memory; by NCCL; by MPI, which gets
 * device pointers. */
typedef enum { BP_WAY_HOSTS, BP_WAY_IPC, BP_WAY_NCCL, BP_WAY_MPI } bp_way;

typedef struct {
  const bp_backend *backend;
  char *name; /* "NVIDIA H200", "as sm_80 on NVIDIA H200", "AMD EPYC, 2 threads, avx512" */
  char class
      [BP_CLASS_MAX]; /* of its architecture, for `best`; "" where rows of a class are not for it */
  int lanes;          /* SIMD width in doubles; 1 on GPUs */
  int sms;            /* multiprocessors; CPU: threads */
  int64_t cache_bytes; /* the last level of cache */
  int64_t memory_free; /* bytes when the device was opened */
  double
      peak_bytes_per_second; /* of the memory, by the data sheet or the driver; NaN when unknown */
  bp_limits limits;          /* of backends that launch */
  bool graph;                /* steps are captured once and replayed */
  bool launches, waits;      /* as in the options */
  bool is_fenced;            /* guard zones are short, for a page follows that nobody may touch */
  bp_comm *comm;             /* ranks that run the same plans together (bp_device_join) */
  bp_way way;                /* between them, once is_connected */
  bool is_connected;
  uint64_t *boxes; /* [rank]: where mailboxes are, as this device sees them; NULL: none */
  bool in_process;
  bool kernels_wait; /* for mail: each rank has a device of its own. Else the stream waits */
  /* Grows when the device had to be opened anew, as after a kernel that went astray: what an older
   * generation held, memory and code, is gone. */
  int generation;
  bool is_full;          /* an array has found no memory since somebody set this to false */
  struct bp_plan *flush; /* machine.h's; NULL until it was needed */
  void (*progress)(void *listener,
                   const char *line); /* what is compiled; "": nothing. May be NULL */
  void *listener;
  /* Becomes true: runs end soon, with BP_INTERRUPTED; may be NULL. Of several ranks their comm tells, and all
   * end at the same sum. */
  const volatile int *interrupted;
} bp_device;

/* Memory of a device, and what lies so many bytes behind it; 0: none. */
typedef uint64_t bp_address;
typedef uint64_t bp_module, bp_function;

/* A variant's code for one choice. */
typedef struct {
  bp_choice choice;
  const bp_operator *op; /* NULL: a kernel without an operator (kernels/peaks) */
  bp_space space;
} bp_build;

/* What making it took and came to: 0 s when it came from a cache; -1 bytes where nobody counts them. */
typedef struct {
  double compile_seconds;
  int64_t bytes;
} bp_code_info;

/* The size of a launch. */
typedef struct {
  int64_t threads[3], blocks;
  int64_t shared; /* dynamic shared memory, bytes; CPU: scratch of a thread, bytes */
} bp_shape;

/* What is known of a function; -1 where it does not apply. */
typedef struct {
  bp_function function;
  int64_t registers, spill_bytes, shared_bytes /* static */, blocks_per_sm;
} bp_function_info;

typedef enum {
  BP_STEP_LAUNCH,
  BP_STEP_COPY,
  BP_STEP_EXCHANGE,
  BP_STEP_SUM,
  BP_STEP_CALL,  /* what else ranks do together: `function` is a bp_step_call of this process */
  BP_STEP_WAIT,  /* until all other ranks have posted as often as this one (kernels/abi/ranks.h) */
  BP_STEP_SWAP,  /* BP_WAY_NCCL: with `rank`; those in a row are one exchange */
  BP_STEP_REPEAT /* the next `body` steps, `times` over (program.h) */
} bp_step_kind;

enum { BP_STEP_OPERANDS_MAX = 44 };

/* On either side of a guarded array: what is written there is told by its index. */
enum { BP_GUARD_BYTES = 4096, BP_FENCED_GUARD_BYTES = 256, BP_BEYOND_BYTES = 16 };

/* One thing that a device does, in order. Plain data that may go to another process; start from
 * bp_step_start, since two of the same bytes are the same step. */
typedef struct {
  bp_step_kind kind;
  bp_function function;
  bp_shape shape; /* CPU: threads[0] is the unit at whose multiples threads' ranges begin */
  int64_t elements;
  double lambda;
  int32_t degree, nq, nc;
  int32_t launch, fields; /* CPU: which of the variant's; components of a vector */
  bool waits;             /* CUDA: the host waits for it */
  bool is_solve;          /* CPU: all threads take part, also those without elements */
  int32_t operands_count;
  struct {
    int64_t operand; /* of bp_operands */
    int64_t item;    /* bytes */
    uint64_t value;  /* an address, or the value itself */
    int64_t
        rows; /* of an array in which each element has as many items; 0: they are not by element */
  } operands[BP_STEP_OPERANDS_MAX]; /* in the order of the kernel's parameters */
  int64_t option[BP_OPTIONS_MAX];   /* CPU: values of the choice */
  bp_address from, to;              /* of a copy; of an exchange: copies, inbox */
  int64_t bytes;
  int64_t come;     /* bytes, of a swap; `bytes` go; of an exchange: of one copy */
  uint64_t sharing; /* of an exchange: a bp_sharing of this process; of a call what it works on */
  int64_t parts;    /* of a sum: of `bytes` each, at `to` */
  int32_t rank, ranks; /* of a wait: this one, of so many; its mailbox is `to` */
  int32_t body;        /* of a loop */
  int32_t share;       /* of p-multigrid: whose time it is, see multigrid_program.c; else 0 */
  int64_t times;
} bp_step;

/* `steps` so many times over; `before` once, ahead of them and not timed. `graph`: as one graph, if the
 * backend has such a thing, whatever the device's options say. */
typedef struct {
  const bp_step *before, *steps;
  int before_count, steps_count;
  int64_t repetitions;
  bool graph;
} bp_run;

struct bp_backend {
  const char *name;
  bp_language language;
  bool is_emulation; /* its times mean nothing; it poisons and guards by itself */
  bool has_copy;     /* copies without a kernel */

  bp_status (*open)(const bp_device_options *options, bp_device **device);
  void (*close)(bp_device *device);

  int64_t (*memory_free)(bp_device *device);
  /* Memory aligned to 256 bytes; address 0: there is not as much. */
  bp_status (*alloc)(bp_device *device, int64_t bytes, bp_address *address);
  void (*release)(bp_device *device, bp_address address);
  bp_status (*write)(bp_device *device, bp_address to, const void *from, int64_t bytes);
  bp_status (*read)(bp_device *device, void *to, bp_address from, int64_t bytes);
  bp_status (*fill)(bp_device *device, bp_address to, uint32_t word, int64_t words);
  /* Together: opens a way, or BP_SKIPPED, on all ranks, and why. BP_WAY_IPC: a mailbox of so many bytes, or
   * more, for each rank, all of which see it as device->boxes says. BP_WAY_NCCL: the device runs sums and
   * swaps in order with other steps. May be NULL. */
  bp_status (*connect)(bp_device *device, bp_way way, int64_t bytes);
  void (*disconnect)(bp_device *device, bp_way way); /* NULL: never are two open */
  /* The host's pointer to it; NULL where the host has none. */
  void *(*map)(bp_device *device, bp_address address);

  /* Makes code, many at once, so that `load` finds it; failures come out of there. May be NULL. */
  void (*build)(bp_device *device, const bp_build *builds, int count);
  /* *info stays as it is where nothing is compiled. BP_SKIPPED: this device cannot have it. */
  bp_status (*load)(bp_device *device, const bp_build *build, bp_module *module,
                    bp_code_info *info);
  void (*unload)(bp_device *device, bp_module module);
  /* A kernel that is to be launched in that shape. BP_SKIPPED: it cannot be, and why. */
  bp_status (*find)(bp_device *device, bp_module module, const char *kernel, const bp_shape *shape,
                    bp_function_info *info);

  /* Runs and waits. *seconds of one repetition, measured by the device; NULL: not asked for.
   * BP_WRONG when what runs fails; `what` is its name. */
  bp_status (*run)(bp_device *device, const bp_run *run, const char *what, double *seconds);
};

extern const bp_backend bp_backend_cpu, bp_backend_cuda, bp_backend_emulate;

/* NULL for a name that is none. */
const bp_backend *bp_backend_find(const char *name);

/* Fails with BP_ENVIRONMENT where the machine has no such device. NULL may be destroyed. */
bp_status bp_device_create(const bp_backend *backend, const bp_device_options *options,
                           bp_device **device);
void bp_device_destroy(bp_device *device);

/* For `best` (registry/best.h); nothing of a backend that launches nothing. */
bp_best_limits bp_device_best_limits(const bp_device *device);

/* To be called first in main(): some backends start the program again as a worker of theirs, and then
 * this does not return. */
void bp_device_worker(void);

/* Together: these ranks will run the same plans. BP_BAD_INPUT where the backend has not the way that is
 * wanted. */
bp_status bp_device_join(bp_device *device, bp_comm *comm);

/* Together, before a solve: the way that is wanted, or the fastest, with mailboxes of so many bytes if it has
 * any. */
bp_status bp_device_connect(bp_device *device, int64_t bytes);

/* "ipc", "nccl", "mpi-device", or what the hosts do. */
const char *bp_device_way(const bp_device *device);

/* BP_INTERRUPTED once the device is told to end; never with several ranks. For backends whose hosts walk
 * through steps. */
bp_status bp_device_go_on(const bp_device *device);

/* Where the host maps the device's memory. */
typedef bp_status bp_step_call(bp_device *device, const bp_step *step);

/* An exchange, a sum or a call. Backends whose memory the host maps run these steps as any other; for
 * others plan.c calls this
 * between runs of launches. */
bp_status bp_step_communicate(bp_device *device, const bp_step *step);

/* A step of zeros, padding included. */
void bp_step_start(bp_step *step, bp_step_kind kind);

#endif
