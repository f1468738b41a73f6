/* sample.c -- makes records up. */
#include "sample.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/operator.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 4096, SAMPLES_MAX = 1000 };

/* Times as machines give them: a floor, a narrow bulk, now and then a long one. */
static bp_timing draw(double seconds, const sample_recipe *recipe, bp_random *random)
{
  double samples[SAMPLES_MAX];
  for (int n = 0; n < recipe->samples; ++n) {
    double bulk = bp_random_unit(random) + bp_random_unit(random);
    double tail = bp_random_unit(random) < 0.03 ? 5 * bp_random_unit(random) : 0;
    samples[n] = seconds * recipe->drift * (1 + recipe->noise * (bulk + tail));
  }
  return bp_timing_of(samples, recipe->samples);
}

static void fill_name(bp_row *row, const sample_recipe *recipe, int variant)
{
  static const char *const names[] = {"slab", "columns", "registers", "cube", "symmetric"};
  char text[64];
  if (recipe->sweep && variant < 3) {
    bp_record_set(&row->variant, "columns");
    snprintf(text, sizeof text, "elements_per_block=%d", 1 << variant);
    bp_record_set(&row->options, text);
    return;
  }
  snprintf(text, sizeof text, "%s%s", names[variant % 5], variant < 5 ? "" : "-wide");
  bp_record_set(&row->variant, text);
  snprintf(text, sizeof text, "2d-k%d", variant + 1);
  bp_record_set(&row->rung, text);
  snprintf(text, sizeof text, "depth=%d", variant / 5);
  bp_record_set(&row->options, text);
}

static void fill_row(bp_row *row, const sample_recipe *recipe, const bp_operator *op, int degree,
                     int variant, bp_random *random)
{
  int64_t nodes = (int64_t)(degree + 1) * (degree + 1) * (degree + 1);
  int64_t line = 16 * (int64_t)degree + 1;
  bp_record_set(&row->problem, op->name);
  fill_name(row, recipe, variant);
  bp_record_set(&row->backend, "cuda");
  bp_record_set(&row->device, "NVIDIA H200");
  bp_record_set(&row->mesh, "cube.msh");
  bp_record_set(&row->cache, "hot");
  bp_record_set(&row->stopped, "confidence");
  row->degree = degree;
  row->lambda = 1;
  row->elements = ELEMENTS;
  row->nodes = ELEMENTS * nodes;
  row->dofs = line * line * line;
  row->bytes = ELEMENTS * bp_operator_bytes(op, bp_operator_space(op, degree));
  row->flops = ELEMENTS * bp_operator_flops(op, bp_operator_space(op, degree));
  row->copy.bytes = row->bytes / 2;
  double reach = 0.4 + 0.57 * (variant + 1) / recipe->variants;
  double copy = (double)row->bytes / 4e12 + 2e-6;
  double slower = variant == 0 ? recipe->slower : 1;
  row->copy.seconds = draw(copy, recipe, random);
  row->seconds = draw(copy / (reach - 0.01 * abs(degree - 7)) * slower, recipe, random);
  row->error = 1e-15 * (1 + bp_random_unit(random));
  row->tolerance = 2.2e-14 * (degree + 1);
  row->setup_seconds = 0.011 * degree;
  row->compile_seconds = 0.9;
  row->upload_seconds = 0.004 * degree;
  row->repetitions = 10;
  row->code_bytes = 4096 * degree;
  row->registers = 64 + 4 * degree;
  row->spill_bytes = 0;
  row->shared_bytes = 8 * (degree + 2) * (degree + 2);
  row->blocks_per_sm = 8;
  row->shared_traffic = 16 * nodes;
}

/* What goes wrong with the first rows of degree 2. */
static void spoil(bp_row *row, int variant)
{
  if (row->degree != 2 || variant > 2)
    return;
  if (variant == 2) {
    row->power.throttle = bp_strdup("power cap");
    return;
  }
  bp_free(row->seconds.samples);
  bp_free(row->copy.seconds.samples);
  row->seconds = row->copy.seconds = (bp_timing){0};
  row->status = variant ? BP_ROW_SKIPPED : BP_ROW_WRONG;
  row->error = variant ? NAN : 0.031;
  bp_record_set(&row->reason, variant
                                  ? "needs 96 kB of shared memory per block, the device has 48 kB"
                                  : "error 3.1e-02 at element 7, 6.6e-14 allowed");
}

bp_record *sample_record(const sample_recipe *recipe)
{
  static char *argv[] = {"bp", "run", "configs/my sweep.yaml", "--set", "degree=1..15"};
  bp_random random = bp_random_start(recipe->seed);
  bp_record *record = bp_record_create(5, argv);
  record->seed = UINT64_MAX - recipe->seed;
  bp_record_set(&record->config, "problem: [bp1.0, bp3.0]\n# \"quoted\" <b>&amp;</b>\n");
  bp_record_add_fact(record, "cpu", "Imaginary 9000, 2 threads");
  bp_record_add_fact(record, "gpu", "NVIDIA H200");
  bp_record_add_fact(record, "driver", "580.10");
  bp_record_add_bound(record, "NVIDIA H200", "fma", "GFLOPS", 31000, "measured");
  bp_record_add_bound(record, "NVIDIA H200", "peak bandwidth", "GB/s", 4800, "clock and bus width");
  bp_record_mesh *mesh = bp_record_add_mesh(record);
  bp_record_set(&mesh->name, "cube.msh");
  bp_record_set(&mesh->format, "4.1 binary");
  mesh->elements = ELEMENTS;
  mesh->vertices = 17 * 17 * 17;
  mesh->order = 1;
  mesh->volume = 1.0 / 3;
  mesh->read_seconds = 0.021;
  mesh->connect_seconds = 0.0083;
  for (int p = 0; p < recipe->problems; ++p)
    for (int degree = 1; degree <= recipe->degrees; ++degree)
      for (int v = 0; v < recipe->variants; ++v) {
        bp_row *row = bp_record_add_row(record);
        fill_row(row, recipe, &bp_operators[p], degree, v, &random);
        if (recipe->faults)
          spoil(row, v);
      }
  return record;
}

void sample_freeze(bp_record *record)
{
  bp_record_set(&record->version, "0.1.0");
  bp_record_set(&record->time, "2026-11-20T12:00:00Z");
}
