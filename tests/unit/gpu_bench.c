/* gpu_bench.c -- devices and kernels for tests of the cuda backend. */
#include "gpu_bench.h"

#include "base/child.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "space.h"
#include "test.h"
#include <stdlib.h>
#include <unistd.h>

bool test_gpu_is_pretended(void)
{
  static char path[4200];
  if (access("/dev/nvidiactl", F_OK) == 0)
    return false;
  ssize_t length = readlink("/proc/self/exe", path, 4096);
  CU_ASSERT_FATAL(length > 0);
  path[length] = '\0';
  strcpy(strrchr(path, '/'), "/fake/libcuda.so.1");
  setenv("BP_CUDA_DRIVER", path, 1);
  return true;
}

bp_device *test_gpu_open(bool graph)
{
  const bp_device_options options = {.graph = graph};
  bp_device *device = NULL;
  test_gpu_is_pretended();
  bp_status status = bp_device_create(&bp_backend_cuda, &options, &device);
  if (status && strstr(bp_message(), "no libnvrtc"))
    printf("(passed over: %s) ", bp_message());
  else
    CHECK(status == BP_OK, "%s", bp_message());
  return device;
}

void test_bench_on(bp_device *device, test_bench *b)
{
  *b = (test_bench){.device = device};
  bp_problem_random(bp_operator_find("bp1.0"), space_of("bp1.0", TEST_DEGREE), 0, TEST_ELEMENTS, 1,
                    &b->problem);
  for (int n = 0; n < TEST_NODES; ++n)
    b->u[n] = n + 1;
  CHECK(bp_workspace_create(b->device, b->problem, true, &b->workspace) == BP_OK, "%s",
        bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(b->workspace);
  CU_ASSERT_EQUAL(bp_workspace_write(b->workspace, b->u), BP_OK);
}

bool test_bench_create(test_bench *b, bool graph)
{
  bp_device *device = test_gpu_open(graph);
  if (device)
    test_bench_on(device, b);
  return device != NULL;
}

void test_bench_destroy(test_bench *b)
{
  bp_workspace_destroy(b->workspace);
  bp_problem_destroy(b->problem);
  bp_device_destroy(b->device);
}

bp_choice test_kernel_choice(test_kernel *m, const char *kernel, const char *body,
                             const char *threads, const char *shared)
{
  char *source = bp_alloc(strlen(body) + 200, 1);
  sprintf(source,
          "#include \"abi/gpu.h\"\nBP_KERNEL(%s)\n{\n  const int n = 64 * (int)blockIdx.x + "
          "bp_thread();\n%s\n}\n",
          kernel, body);
  *m = (test_kernel){
      .text = {.id = "bp1.0/made-up", .file = "kernels/bp1.0/made-up.cu", .source = source}};
  m->variant = (bp_variant){
      .text = &m->text,
      .id = m->text.id,
      .problem = "bp1.0",
      .name = "made-up",
      .language = BP_LANGUAGE_CUDA,
      .lowest = 1,
      .highest = BP_DEGREE_MAX,
      .factors = (char *)"eckji",
      .launches_count = 1,
      .launches = {{.kernel = (char *)kernel,
                    .threads = {(char *)threads, (char *)"1", (char *)"1"},
                    .shared = (char *)shared}},
  };
  m->variant.operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, m->variant.operands, BP_VARIANT_OPERANDS_MAX);
  return bp_choice_standard(&m->variant);
}

void test_kernel_destroy(test_kernel *m)
{
  bp_free((char *)m->text.source);
}

void test_bench_doubles(test_bench *b, bp_plan *plan)
{
  CU_ASSERT_EQUAL(bp_workspace_poison(b->workspace), BP_OK);
  CHECK(bp_plan_apply(plan) == BP_OK, "%s", bp_message());
  CHECK(bp_workspace_guards(b->workspace) == BP_OK, "%s", bp_message());
  CU_ASSERT_EQUAL(bp_workspace_read(b->workspace, b->v), BP_OK);
  for (int n = 0; n < TEST_NODES; ++n)
    CHECK(b->v[n] == 2 * b->u[n], "v[%d] is %g", n, b->v[n]);
}

/* ---- ranks ---- */

void test_ranks_run(int size, int (*work)(bp_comm *))
{
  bp_comm *comm;
  bp_status status = bp_comm_fork(size, &comm);
  if (comm) {
    int wrong = work(comm);
    bp_leave(bp_comm_close(
        comm, wrong ? bp_fail(BP_ENVIRONMENT, "%d wrong, last: %s", wrong, bp_message()) : BP_OK));
  }
  CHECK(status == BP_OK, "%d ranks: %s", size, bp_message());
}

void test_nccl_choose(bool is_there)
{
  static char path[4200];
  ssize_t length = readlink("/proc/self/exe", path, 4096);
  CU_ASSERT_FATAL(length > 0);
  path[length] = '\0';
  strcpy(strrchr(path, '/'), is_there ? "/fake/libnccl.so.2" : "/fake/no-nccl");
  setenv("BP_NCCL", path, 1);
}

bool test_ranks_can_run(void)
{
  test_nccl_choose(false);
  bp_device *device = test_gpu_is_pretended() ? test_gpu_open(false) : NULL;
  const bool opened = device != NULL;
  bp_device_destroy(device);
  return opened;
}
