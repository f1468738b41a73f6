/* progress.c -- counts the degrees of a variant. */
#include "device/jit/progress.h"

#include "base/memory.h"
#include "base/text.h"

/* "compiling bp3.0/even_odd for avx512: 8 of 15 degrees" */
static void tell(const bp_build_progress *p, int number)
{
  const bp_variant *variant = p->builds[number].choice.variant;
  int done = 0, all = 0;
  for (int n = 0; n < p->count; ++n) {
    bool is_same = p->builds[n].choice.variant == variant;
    all += is_same;
    done += is_same && p->is_done[n];
  }
  char *line = all > 1 ? bp_format("compiling %s for %s: %d of %d degrees", variant->id, p->target,
                                   done, all)
                       : bp_format("compiling %s for %s", variant->id, p->target);
  p->device->progress(p->device->listener, line);
  bp_free(line);
}

void bp_build_progress_start(bp_build_progress *progress, bp_device *device, const bp_build *builds,
                             int count, const char *target)
{
  *progress = (bp_build_progress){device, builds, count, target, bp_alloc((size_t)count, 1)};
  if (device->progress && count)
    tell(progress, 0);
}

void bp_build_progress_done(bp_build_progress *progress, int number)
{
#pragma omp critical(bp_build_progress)
  {
    progress->is_done[number] = true;
    if (progress->device->progress)
      tell(progress, number);
  }
}

void bp_build_progress_end(bp_build_progress *progress)
{
  if (progress->device->progress)
    progress->device->progress(progress->device->listener, "");
  bp_free(progress->is_done);
}
