/* dry_run.c -- what would run, as a table. */
#include "dry_run.h"
#include "terminal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/events.h"
#include <stdio.h>
#include <string.h>

static void print_choice(const bp_cases *cases, const bp_case *c, const bp_choice *choice,
                         FILE *out)
{
  char *options = bp_choice_options(choice);
  bp_print(out, " %s%s%s%s", choice->variant->name, *options ? "[" : "", options,
           *options ? "]" : "");
  if (c->solve)
    fprintf(out, " %.1f B/DOF",
            (double)c->kind->bytes(c, choice, cases->device) / (double)c->kind->unique(c));
  if (*choice->from)
    bp_print(out, " (%s:%d)", choice->from, choice->from_line);
  bp_free(options);
}

/* A GPU's memory is told beside the host's. */
static void print_memory(const bp_cases *cases, const bp_case *c, FILE *out)
{
  char bytes[32];
  fprintf(out, " %10s", bp_print_bytes(bytes, (double)bp_case_host_bytes(c, cases->device)));
  if (cases->device->backend->language == BP_LANGUAGE_CUDA)
    fprintf(out, " %10s", bp_print_bytes(bytes, (double)bp_case_device_bytes(c, cases->device)));
}

/* From what the config allows a row; the copy takes as long as the slowest of its case. */
static void print_duration(const bp_cases *cases, int rows, FILE *out)
{
  const bp_config *c = cases->config;
  char least[BP_LEFT_BYTES], most[BP_LEFT_BYTES];
  double each = rows + cases->count;
  double low =
      c->measure.min_time < c->measure.max_time ? c->measure.min_time : c->measure.max_time;
  bp_events_duration(least, each * (c->measure.warmup + low));
  bp_events_duration(most, each * (c->measure.warmup + c->measure.max_time));
  if (cases->device->backend->is_emulation)
    fprintf(out, ", verified, not timed\n");
  else
    fprintf(out, ", %s to %s of samples beside set-up\n", least, most);
}

void bp_dry_run_print(const bp_cases *cases, FILE *out)
{
  int rows = 0;
  const bool is_gpu = cases->device->backend->language == BP_LANGUAGE_CUDA;
  fprintf(out, "%-8s %3s  %-24s %10s %14s %10s  %s\n", "problem", "N", "mesh", "elements", "DOFs",
          is_gpu ? "host" : "memory", is_gpu ? "   device  variants" : "variants");
  for (int n = 0; n < cases->count; ++n) {
    const bp_case *c = &cases->items[n];
    char *mesh = bp_case_mesh_name(cases->config, c);
    bp_print(out, "%-8s %3d  %-24s %10lld %14lld", bp_case_problem(c), c->space.degree, mesh,
             (long long)c->elements, (long long)c->kind->unique(c));
    print_memory(cases, c, out);
    fprintf(out, " ");
    for (int i = 0; i < c->choices_count; ++i)
      print_choice(cases, c, &c->choices[i], out);
    fprintf(out, "\n");
    rows += c->choices_count * (strcmp(cases->config->measure.cache, "both") == 0 ? 2 : 1);
    bp_free(mesh);
  }
  bp_print(out, "%d row%s on %s, cache %s", rows, rows == 1 ? "" : "s", cases->device->name,
           cases->config->measure.cache);
  print_duration(cases, rows, out);
}
