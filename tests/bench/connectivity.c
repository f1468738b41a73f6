/* connectivity.c -- times the set-up of a large box: connectivity, numbering, factors. Prints JSON.
 *
 * Usage: connectivity [AxBxC] [ROUNDS]; medians and least values of the rounds are told. Processor
 * seconds, of all threads together, mean something on a busy machine too. */
#include "mesh/connectivity.h"
#include "base/json.h"
#include "base/memory.h"
#include "fem/problem.h"
#include "measure/statistics.h"
#include "tests/unit/numbering.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

typedef struct {
  const char *name;
  void (*run)(void);
  int64_t items;                                     /* what one run makes, for a rate; 0: none */
  double seconds[ROUNDS_MAX], processor[ROUNDS_MAX]; /* elapsed; of all threads together */
} job;

static bp_mesh *mesh;
static bp_connectivity *connectivity;

static void connect(void)
{
  bp_connectivity_destroy(connectivity);
  if (bp_connectivity_create(mesh, &connectivity))
    exit(bp_message()[0] != '\0');
}

/* In parts, as it is used: a degree-3 numbering of 4,000,000 elements is 2 GB. */
static void number(void)
{
  enum { DEGREE = 3, NODES = 64, PART = 100000 };
  int64_t *ids = bp_alloc_array((size_t)PART * NODES, sizeof *ids);
  for (int64_t e = 0; e < mesh->elements; e += PART) {
    int64_t last = e + PART < mesh->elements ? e + PART : mesh->elements;
    bp_connectivity_number(connectivity, DEGREE, e, last, ids);
  }
  bp_free(ids);
}

static void make_factors(const char *op, int degree)
{
  bp_problem *problem;
  const bp_operator *found = bp_operator_find(op);
  if (bp_problem_create(found, bp_operator_space(found, degree), 1, mesh, &problem)) {
    fprintf(stderr, "%s\n", bp_message());
    exit(1);
  }
  bp_problem_destroy(problem);
}

static void factors_1(void)
{
  make_factors("bp3.5", 1);
}

static void mass_1(void)
{
  make_factors("bp1.0", 1);
}

static void survey(void)
{
  double smallest, largest, volume;
  int64_t worst;
  bp_problem_jacobians(mesh, &smallest, &largest, &worst, &volume);
}

static double peak_bytes(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static double processor_seconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void report(bp_json *json, const job *j, int rounds)
{
  bp_statistics s = bp_statistics_of(j->seconds, rounds);
  bp_json_begin_object(json, NULL);
  bp_json_string(json, "name", j->name);
  bp_json_double(json, "median_seconds", s.median);
  bp_json_double(json, "least_seconds", s.minimum);
  bp_json_double(json, "least_processor_seconds", bp_statistics_of(j->processor, rounds).minimum);
  bp_json_int(json, "rounds", rounds);
  if (j->items)
    bp_json_double(json, "million_items_per_second", 1e-6 * (double)j->items / s.minimum);
  bp_json_end_object(json);
}

int main(int argc, char **argv)
{
  long long n[3] = {160, 160, 157};
  int rounds = argc > 2 ? atoi(argv[2]) : 5;
  if ((argc > 1 && sscanf(argv[1], "%lldx%lldx%lld", &n[0], &n[1], &n[2]) != 3) || rounds < 1 ||
      rounds > ROUNDS_MAX || bp_mesh_box(n[0], n[1], n[2], 0.3, &mesh)) {
    fprintf(stderr, "usage: connectivity [AxBxC] [ROUNDS]\n");
    return 2;
  }
  double mesh_bytes = peak_bytes(), bytes = 0;
  job jobs[] = {
      {.name = "connectivity", .run = connect, .items = mesh->elements},
      {.name = "numbering of degree 3", .run = number, .items = 64 * mesh->elements},
      {.name = "7 factors at 8 points", .run = factors_1, .items = 8 * mesh->elements},
      {.name = "1 factor at 27 points", .run = mass_1, .items = 27 * mesh->elements},
      {.name = "smallest Jacobian, volume", .run = survey, .items = mesh->elements},
  };
  enum { JOBS = sizeof jobs / sizeof *jobs };
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < JOBS; ++k) {
      double start = omp_get_wtime(), processor = processor_seconds();
      jobs[k].run();
      jobs[k].seconds[round] = omp_get_wtime() - start;
      jobs[k].processor[round] = processor_seconds() - processor;
      bytes = round == 0 && k == 0 ? peak_bytes() : bytes;
    }
  bp_text text = {0};
  bp_json json = {.text = &text};
  bp_json_begin_object(&json, NULL);
  bp_json_string(&json, "mesh", mesh->name);
  bp_json_int(&json, "elements", mesh->elements);
  bp_json_int(&json, "edges", connectivity->edges);
  bp_json_int(&json, "faces", connectivity->faces);
  bp_json_int(&json, "threads", omp_get_max_threads());
  double load =
      NAN; /* how much else ran: well above the number of threads, only processor seconds count */
  getloadavg(&load, 1);
  bp_json_double(&json, "load_average", load);
  bp_json_double(&json, "bytes_per_element_of_mesh", mesh_bytes / (double)mesh->elements);
  bp_json_double(&json, "peak_bytes_per_element_of_connectivity",
                 (bytes - mesh_bytes) / (double)mesh->elements);
  bp_json_begin_array(&json, "jobs");
  for (int k = 0; k < JOBS; ++k)
    report(&json, &jobs[k], rounds);
  bp_json_end_array(&json);
  bp_json_end_object(&json);
  fputs(text.data, stdout);
  bp_text_destroy(&text);
  bp_connectivity_destroy(connectivity);
  bp_mesh_destroy(mesh);
  return 0;
}
