/* context.c -- where kernels run, and messages. */
#include "lib/library.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include "device/cuda/cuda.h"
#include "device/cuda/driver.h"
#include "registry/select.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

int libbp_version(void)
{
  return LIBBP_VERSION;
}

const char *libbp_message(void)
{
  return bp_message();
}

bp_status libbp_given(const void *p, const char *what)
{
  return p ? BP_OK : bp_fail(BP_BAD_INPUT, "expected %s, found NULL", what);
}

libbp_status libbp_failed(bp_status status, const char *call)
{
  if (!status)
    return LIBBP_OK;
  bp_fail_at(status, call);
  return status == BP_WRONG       ? LIBBP_WRONG
         : status == BP_BAD_INPUT ? LIBBP_BAD_INPUT
                                  : LIBBP_ENVIRONMENT;
}

/* bp lies beside libbp.so, or in ../bin; it brings shipped kernels, and leads compilers. Linked in, or
 * without it, compilers are started as they are. Kept until the process ends. */
static void find_program(void)
{
  static const char *const places[] = {"bp", "../bin/bp"};
  Dl_info info;
  const char *slash = dladdr((void *)(uintptr_t)libbp_version, &info) && info.dli_fname
                          ? strrchr(info.dli_fname, '/')
                          : NULL;
  char *found = NULL;
  for (int n = 0; n < 2 && slash && !found; ++n) {
    found = bp_format("%.*s%s", (int)(slash + 1 - info.dli_fname), info.dli_fname, places[n]);
    if (!bp_file_is_there(found)) {
      bp_free(found);
      found = NULL;
    }
  }
  bp_program_is(found);
}

static pthread_mutex_t kernels = PTHREAD_MUTEX_INITIALIZER;

void libbp_lock(void)
{
  pthread_mutex_lock(&kernels);
}

void libbp_unlock(void)
{
  pthread_mutex_unlock(&kernels);
}

/* Members that a program compiled with an older header does not have are as the macro has them. */
static bp_status options_of(const libbp_context_options *given, libbp_context_options *options)
{
  *options = (libbp_context_options)LIBBP_CONTEXT_OPTIONS;
  if (!given)
    return BP_OK;
  if (given->size < sizeof(size_t) || given->size > sizeof *options)
    return bp_fail(BP_BAD_INPUT, "expected options of at most %zu bytes, found %zu",
                   sizeof *options, given->size);
  memcpy(options, given, given->size);
  if (options->gpu < -1)
    return bp_fail(BP_BAD_INPUT, "expected a GPU from 0 on, or -1, found %d", options->gpu);
  if (!options->allocate != !options->release)
    return bp_fail(BP_BAD_INPUT, "expected allocate and release, found one of them");
  return options->threads >= 0
             ? BP_OK
             : bp_fail(BP_BAD_INPUT, "expected threads from 0 on, found %d", options->threads);
}

libbp_status libbp_context_create(const libbp_context_options *given, libbp_context **context)
{
  libbp_context_options options;
  bp_device *device = NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_program);
  if (!context)
    return libbp_failed(libbp_given(NULL, "a place for it"), "libbp_context_create");
  *context = NULL;
  bp_status status = options_of(given, &options);
  libbp_lock();
  if (!status && options.gpu >= 0)
    status = bp_cuda_open();
  void *current = bp_cuda_current();
  if (!status && options.gpu < 0)
    status = bp_device_create(&bp_backend_cpu, &(bp_device_options){.threads = options.threads},
                              &device);
  else if (!status)
    status = bp_device_create(
        &bp_backend_cuda, &(bp_device_options){.device = options.gpu, .in_process = true}, &device);
  bp_cuda_make_current(current);
  libbp_unlock();
  if (status)
    return libbp_failed(status, "libbp_context_create");
  *context = bp_alloc(1, sizeof **context);
  **context = (libbp_context){.holders = 1,
                              .device = device,
                              .log = options.log,
                              .arrays = {options.allocate, options.release, options.of}};
  return LIBBP_OK;
}

void libbp_enter(const libbp_context *context)
{
  if (!context)
    return;
  bp_memory_from(&context->arrays);
  bp_listen_here(context->log, context->arrays.of);
}

bp_status libbp_leave(bp_status status)
{
  const size_t bytes = bp_memory_refused();
  bp_memory_from(NULL);
  bp_listen_here(NULL, NULL);
  return bytes && !status
             ? bp_fail(BP_ENVIRONMENT, "no memory: an array of %zu bytes was refused", bytes)
             : status;
}

libbp_context *libbp_hold_context(libbp_context *context)
{
  ++context->holders;
  return context;
}

void libbp_context_destroy(libbp_context *context)
{
  if (!context || --context->holders > 0)
    return;
  void *current = bp_cuda_current();
  bp_device_destroy(context->device);
  bp_cuda_make_current(current);
  bp_free(context);
}

bp_status libbp_best(const bp_device *device, const bp_operator *op, const bp_bake_off *row,
                     bp_space space, int64_t elements, const char *variant, bp_choice *choice)
{
  const bp_variant *added = NULL;
  const char *options = variant && strchr(variant, '=') ? strchr(variant, ' ') : NULL;
  char *name = options ? bp_strndup(variant, (size_t)(options - variant))
                       : bp_strdup(variant ? variant : "best");
  bp_status status = bp_select_is_file(name) ? bp_registry_add(name, &added) : BP_OK;
  const char *const best[] = {added ? added->id : name};
  const bp_selection selection = {.problem = row ? row->kernels : op->name,
                                  .asked = row ? row->name : op->name,
                                  .degree = space.degree,
                                  .points = bp_operator_other_points(op, space),
                                  .language = device->backend->language,
                                  .device = device->name,
                                  .elements = elements,
                                  .sms = device->sms,
                                  .limits = bp_device_best_limits(device),
                                  .op = op,
                                  .space = space,
                                  .is_tuned = true,
                                  .patterns = best,
                                  .patterns_count = 1};
  bp_choice *choices = NULL;
  const int count = status ? 0 : bp_select(&selection, &choices, &status);
  if (!status && count == 0)
    status = bp_fail(BP_ENVIRONMENT, "no kernel %s for %s at N = %d fits this machine", best[0],
                     selection.asked, space.degree);
  if (!status)
    *choice = choices[0];
  if (!status && options)
    status = bp_choice_set_all(choice, options + 1);
  bp_free(choices);
  bp_free(name);
  return status;
}
