/* info.c -- `bp info`: this machine and this build. */
#include "bench/environment.h"
#include "bench/gpu.h"
#include "bench/open_device.h"
#include "cli/command.h"
#include "terminal.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/cuda/cuda.h"
#include <stdio.h>
#include <string.h>

/* A line for each GPU, as --device counts them; nothing without a driver. */
static void print_gpus(void)
{
  bp_cuda_info *infos;
  int count;
  if (bp_cuda_list(&infos, &count))
    return;
  for (int n = 0; n < count; ++n) {
    const bp_cuda_info *i = &infos[n];
    char memory[32], l2[32], shared[32];
    bp_print(stdout,
             "cuda device %-10d %s, sm_%d, %d multiprocessors at %.0f MHz, %s at %.0f GB/s, L2 %s, "
             "%s shared per block, PCI %s\n",
             i->number, i->name, i->sm, i->multiprocessors, i->sm_mhz,
             bp_print_bytes(memory, (double)i->memory_bytes), 1e-9 * i->peak_bytes_per_second,
             bp_print_bytes(l2, (double)i->l2_bytes),
             bp_print_bytes(shared, (double)i->shared_per_block), i->pci);
  }
  bp_free(infos);
}

static void print_backend(const char *name)
{
  static const bp_device_options standard = {0};
  const bp_backend *backend = bp_backend_find(name);
  bp_device *device = NULL;
  char bytes[32];
  if (!backend)
    return;
  if (bp_device_create(backend, &standard, &device)) {
    printf("%-22s %s\n", name, bp_message());
    return;
  }
  bp_print(stdout, "%-22s %s; cache %s", name, device->name,
           bp_print_bytes(bytes, (double)device->cache_bytes));
  printf(", %s free\n", bp_print_bytes(bytes, (double)device->memory_free));
  bp_device_destroy(device);
}

static void print_isas(void)
{
  for (int isa = 0; isa < BP_ISA_COUNT; ++isa)
    printf("isa %-18s %s%s\n", bp_isa_names[isa],
           bp_isa_runs((bp_isa)isa) ? "runs here" : "does not run here",
           (int)bp_isa_best() == isa ? ", used unless another is asked for" : "");
}

static void print_json(const bp_record *record)
{
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_object(&json, NULL);
  for (int n = 0; n < record->environment_count; ++n)
    bp_json_string(&json, record->environment[n].key, record->environment[n].value);
  bp_json_end_object(&json);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
}

bp_status bp_command_info(const bp_arguments *arguments)
{
  static const char *const backends[] = {"cpu", "cuda", "emulate"};
  bp_record *record = bp_record_create(bp_arguments_argc(arguments), bp_arguments_argv(arguments));
  bp_environment_add(record, NULL);
  if (strcmp(bp_argument_string(arguments, "format"), "json") == 0) {
    print_json(record);
  } else {
    for (int n = 0; n < record->environment_count; ++n)
      bp_print(stdout, "%-22s %s\n", record->environment[n].key, record->environment[n].value);
    print_isas();
    for (size_t n = 0; n < sizeof backends / sizeof *backends; ++n)
      print_backend(backends[n]);
    print_gpus();
  }
  bp_record_destroy(record);
  return BP_OK;
}
