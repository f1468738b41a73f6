/* cuda_machine.c -- tests of what the cuda backend knows of the GPU: memory, caches, clocks. */
#include "gpu_bench.h"
#include "test.h"

#include "base/memory.h"
#include "device/cuda/nvml.h"

TEST(cuda, too_little_memory_is_told_with_figures)
{
  bp_device *device = test_gpu_open(false);
  bp_plan *plan = NULL;
  if (!device)
    return;
  CU_ASSERT_EQUAL(bp_copy_create(device, 4 * device->memory_free, false, &plan), BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "needs") && strstr(bp_message(), "are free"), "%s", bp_message());
  CHECK(bp_copy_create(device, 1 << 20, false, &plan) == BP_OK && plan, "%s", bp_message());
  bp_plan_destroy(plan);
  bp_device_destroy(device);
}

TEST(cuda, the_copy_is_the_driver_s_or_a_kernel_s_with_a_hint)
{
  bp_device *device = test_gpu_open(false);
  if (!device)
    return;
  for (int cold = 0; cold < 2; ++cold) {
    bp_plan *plan = NULL;
    CHECK(bp_copy_create(device, 1 << 20, cold, &plan) == BP_OK && plan, "%s", bp_message());
    const bp_choice *choice = &plan->choice;
    char *options = choice->variant ? bp_choice_options(choice) : bp_strdup("");
    printf("(%s %s) ", choice->variant ? choice->variant->id : "driver", options);
    CU_ASSERT(!choice->variant || (strcmp(choice->variant->id, "peaks/gpu-copy") == 0 &&
                                   strstr(options, "evict_first=")));
    bp_free(options);
    bp_plan_destroy(plan);
  }
  if (test_gpu_is_pretended()) { /* no room for two pairs of arrays */
    bp_plan *plan = NULL;
    CHECK(bp_copy_create(device, device->memory_free / 5 * 2, false, &plan) == BP_OK && plan, "%s",
          bp_message());
    CU_ASSERT_PTR_NULL(plan->choice.variant);
    bp_plan_destroy(plan);
  }
  bp_device_destroy(device);
}

TEST(cuda, empty_launches_have_the_shape_of_the_kernel_s)
{
  bp_device *device = test_gpu_open(false);
  bp_plan *copy = NULL, *empty = NULL;
  double seconds = 0;
  if (!device)
    return;
  const bp_variant *variant = bp_variant_find("peaks/gpu-copy", BP_LANGUAGE_CUDA);
  const bp_choice choice = bp_choice_standard(variant);
  CHECK(bp_plan_create_alone(device, &choice, 1 << 16, 1 << 17, &copy) == BP_OK, "%s",
        bp_message());
  CHECK(bp_plan_create_empty(copy, &empty) == BP_OK, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(empty);
  CU_ASSERT_EQUAL(empty->steps_count, copy->steps_count);
  const int64_t blocks = copy->steps[0].shape.blocks,
                at_once = copy->details.blocks_per_sm * device->sms;
  CU_ASSERT_EQUAL(empty->steps[0].shape.blocks, blocks < at_once ? blocks : at_once);
  CU_ASSERT_EQUAL(empty->steps[0].shape.threads[0], 256);
  CU_ASSERT_EQUAL(bp_plan_time(empty, 10, false, &seconds), BP_OK);
  CU_ASSERT(seconds > 0);
  if (test_gpu_is_pretended())
    CHECK(fabs(seconds - 2e-6) < 1e-7, "%g", seconds); /* what a launch takes there */
  bp_plan_destroy(empty);
  bp_plan_destroy(copy);
  bp_device_destroy(device);
}

TEST(cuda, a_cold_copy_is_slower_than_a_hot_one)
{
  bp_device *device = test_gpu_open(false);
  bp_plan *plan = NULL;
  double seconds[2] = {1, 1};
  if (!device)
    return;
  if (test_gpu_is_pretended()) {
    bp_device_destroy(device);
    return;
  }
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(device, device->cache_bytes / 6, false, &plan), BP_OK);
  for (int n = 0; n < 20; ++n)
    for (int cold = 0; cold < 2; ++cold) {
      double sample = 0;
      CHECK(bp_plan_time(plan, cold ? 1 : 10, cold, &sample) == BP_OK, "%s", bp_message());
      seconds[cold] = sample < seconds[cold] ? sample : seconds[cold];
    }
  printf("(%.2f us hot, %.2f us cold) ", 1e6 * seconds[0], 1e6 * seconds[1]);
  CU_ASSERT(seconds[1] > 1.2 * seconds[0]);
  bp_plan_destroy(plan);
  bp_device_destroy(device);
}

TEST(cuda, knows_the_machine)
{
  bp_device *device = test_gpu_open(false);
  double launch = 0, sm_mhz, memory_mhz, watts;
  if (!device)
    return;
  const bp_cuda_info *info = bp_cuda_device_info(device);
  CU_ASSERT(info->sm >= 50 && info->multiprocessors > 0 && info->l2_bytes > 0);
  CU_ASSERT(info->memory_bytes >= device->memory_free && device->memory_free > 0);
  CHECK(bp_launch_seconds(device, &launch) == BP_OK, "%s", bp_message());
  CU_ASSERT(launch > 0 && launch < 1e-3);
  char *versions = bp_cuda_versions();
  printf("(%s, %s, launch %.2f us, peak %.0f GB/s) ", device->name, versions, 1e6 * launch,
         1e-9 * device->peak_bytes_per_second);
  bp_free(versions);
  bp_nvml *nvml = bp_nvml_open(info->pci);
  bp_nvml_watch *watch = bp_nvml_watch_start(nvml, 0.005);
  bp_plan *copy = NULL;
  const int64_t bytes = test_gpu_is_pretended() ? 1 << 20 : 1 << 28;
  CU_ASSERT_EQUAL_FATAL(bp_copy_create(device, bytes, false, &copy), BP_OK);
  for (int n = 0; n < 20; ++n)
    CU_ASSERT_EQUAL(bp_plan_time(copy, 20, false, &launch), BP_OK);
  bp_nvml_summary s = bp_nvml_watch_stop(watch);
  bp_nvml_limits(nvml, &sm_mhz, &memory_mhz, &watts);
  char *throttle = bp_nvml_throttle(s.throttle);
  printf("(copy %.0f GB/s; SM %.0f -> %.0f -> %.0f MHz of %.0f, memory %.0f, %.0f W of %.0f, %.2f "
         "J in "
         "%.3f s, %.0f C, held back by: '%s') ",
         2e-9 * (double)bytes / launch, s.before.sm_mhz, s.sm_mhz, s.after.sm_mhz, sm_mhz,
         memory_mhz, s.watts, watts, s.joules, s.seconds, s.celsius, throttle);
  bp_free(throttle);
  bp_plan_destroy(copy);
  bp_nvml_close(nvml);
  bp_device_destroy(device);
}

TEST(nvml, does_without_the_library)
{
  bp_nvml_sample s = bp_nvml_read(NULL);
  CU_ASSERT(isnan(s.sm_mhz) && isnan(s.watts) && !s.known);
  CU_ASSERT_PTR_NULL(bp_nvml_watch_start(NULL, 1));
  bp_nvml_summary summary = bp_nvml_watch_stop(NULL);
  CU_ASSERT(isnan(summary.joules) && !summary.known);
  char *text = bp_nvml_throttle(0x4 | 0x20);
  CU_ASSERT_STRING_EQUAL(text, "power cap, thermal limit");
  bp_free(text);
}
