/* dry_run.c -- what would run, as a table. */
#include "dry_run.h"

#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

static void print_choice(const bp_cases *cases, const bp_case *c, const bp_choice *choice,
                         FILE *out)
{
  char *options = bp_choice_options(choice);
  fprintf(out, " %s%s%s%s", choice->variant->name, *options ? "[" : "", options,
          *options ? "]" : "");
  if (c->solve)
    fprintf(out, " %.1f B/DOF",
            (double)bp_case_model_bytes(cases, c, choice) / (double)bp_case_unique_dofs(cases, c));
  if (*choice->from)
    fprintf(out, " (%s:%d)", choice->from, choice->from_line);
  bp_free(options);
}

void bp_dry_run_print(const bp_cases *cases, FILE *out)
{
  int rows = 0;
  fprintf(out, "%-8s %3s  %-24s %10s %14s %10s  %s\n", "problem", "N", "mesh", "elements", "DOFs",
          "memory", "variants");
  for (int n = 0; n < cases->count; ++n) {
    const bp_case *c = &cases->items[n];
    char *mesh = bp_case_mesh_name(cases, c), bytes[32];
    bp_print_bytes(bytes, (double)bp_case_bytes(cases, c));
    fprintf(out, "%-8s %3d  %-24s %10lld %14lld %10s ", bp_case_problem(c), c->space.degree, mesh,
            (long long)c->elements,
            (long long)(c->solve ? bp_case_unique_dofs(cases, c) : bp_case_nodes(c)), bytes);
    for (int i = 0; i < c->choices_count; ++i)
      print_choice(cases, c, &c->choices[i], out);
    fprintf(out, "\n");
    rows += c->choices_count * (strcmp(cases->config->measure.cache, "both") == 0 ? 2 : 1);
    bp_free(mesh);
  }
  fprintf(out, "%d row%s on %s, cache %s\n", rows, rows == 1 ? "" : "s", cases->device->name,
          cases->config->measure.cache);
}
