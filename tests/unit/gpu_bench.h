/* gpu_bench.h -- for tests of backends: a device, and CUDA kernels made up for bp1.0 at N = 3 on 10
 * elements. */
#ifndef BP_TEST_GPU_BENCH_H
#define BP_TEST_GPU_BENCH_H

#include "device/cuda/cuda.h"
#include "device/machine.h"

/* Without a GPU on this machine there is the driver that pretends (tests/fake_cuda). */
bool test_gpu_is_pretended(void);

/* NULL where there is no compiler: then these tests are passed over. */
bp_device *test_gpu_open(bool graph);

enum { TEST_DEGREE = 3, TEST_ELEMENTS = 10, TEST_NODES = 64 * TEST_ELEMENTS };

typedef struct {
  bp_device *device;
  bp_problem *problem;
  bp_workspace *workspace;
  double u[TEST_NODES], v[TEST_NODES];
} test_bench;

/* On a device that becomes the bench's. */
void test_bench_on(bp_device *device, test_bench *b);

/* On the GPU; false where there is no compiler. */
bool test_bench_create(test_bench *b, bool graph);
void test_bench_destroy(test_bench *b);

typedef struct {
  bp_variant_text text;
  bp_variant variant;
} test_kernel;

/* One kernel, launched in `threads` threads per block and one block per element. The driver that pretends
 * knows what it does by its name. */
bp_choice test_kernel_choice(test_kernel *m, const char *kernel, const char *body,
                             const char *threads, const char *shared);
void test_kernel_destroy(test_kernel *m);

/* Applies the plan, of a kernel that doubles u, and checks v and the guards. */
void test_bench_doubles(test_bench *b, bp_plan *plan);

/* Of ranks: false on a GPU, and without NVRTC. There is no NCCL then. */
bool test_ranks_can_run(void);

/* The pretended one, or none. */
void test_nccl_choose(bool is_there);

/* `work` in so many processes; it returns how many things were wrong. */
void test_ranks_run(int size, int (*work)(bp_comm *));

#endif
