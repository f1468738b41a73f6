/* library_memory.c -- libbp with an allocator that refuses the n-th array, for every n (see library.sh).
 * Each call is a status, nothing stays, and what was not refused is right. Prints how many arrays there are. */
#include <bp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int asked, refused_at, held, lines;

static void *allocate(void *of, size_t bytes, size_t alignment)
{
  void *p = NULL;
  if (of != &asked)
    abort();
  if (++asked != refused_at && !posix_memalign(&p, alignment, bytes))
    ++held;
  return p;
}

static void release(void *of, void *memory)
{
  if (of != &asked)
    abort();
  free(memory);
  --held;
}

static void hear(void *of, const char *line)
{
  lines += of == &asked && strstr(line, "compiled bp3.0/") != NULL;
}

/* False: no memory; any other failure ends the program. */
static int is_good(libbp_status status)
{
  if (status && (status != LIBBP_ENVIRONMENT || !strstr(libbp_message(), "no memory: "))) {
    fprintf(stderr, "array %d: status %d: %s\n", refused_at, status, libbp_message());
    exit(1);
  }
  return !status;
}

/* The length of the solution; 0: an array was refused. */
static double run(void)
{
  enum { ROOM = 4096 };
  static double u[ROOM], v[ROOM], x[3 * ROOM];
  static int64_t number[ROOM];
  const int64_t n[3] = {3, 2, 2};
  libbp_context_options callbacks = LIBBP_CONTEXT_OPTIONS;
  libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
  libbp_context *context = NULL;
  libbp_mesh *mesh = NULL;
  libbp_operator *a = NULL;
  double sum = 0;
  callbacks.threads = 1;
  callbacks.log = hear, callbacks.allocate = allocate, callbacks.release = release;
  callbacks.of = &asked;
  options.problem = "bp3", options.degree = 3, options.layout = LIBBP_UNKNOWNS;
  for (int i = 0; i < ROOM; ++i)
    u[i] = sin(i);
  if (is_good(libbp_context_create(&callbacks, &context)) &&
      is_good(libbp_mesh_box(context, n, 0.2, &mesh)) && is_good(libbp_mesh_sort(mesh, NULL)) &&
      is_good(libbp_operator_create(mesh, &options, &a)) &&
      is_good(libbp_operator_numbers(a, number)) && is_good(libbp_operator_nodes(a, x)) &&
      is_good(libbp_operator_diagonal(a, v)) && is_good(libbp_operator_apply(a, 1, u, 0, v))) {
    const int is_solved = is_good(libbp_solve(a, v, x, NULL, NULL));
    if (is_solved ||
        is_good(libbp_solve(a, v, x, NULL, NULL))) /* the next call has what it needs */
      for (int i = 0; i < 10 * 7 * 7; ++i)
        sum += is_solved ? x[i] * x[i] : 0;
  }
  libbp_operator_destroy(a);
  libbp_mesh_destroy(mesh);
  libbp_context_destroy(context);
  return sum;
}

int main(void)
{
  const double expected = run();
  const int all = asked;
  for (refused_at = 1; refused_at <= all + 1; ++refused_at) {
    asked = 0;
    const double found = run();
    if (held || (found != expected && (found != 0 || refused_at > all))) {
      fprintf(stderr, "array %d of %d: %d held, %g instead of %g\n", refused_at, all, held, found,
              expected);
      return 1;
    }
  }
  printf("%d arrays, %d compiled\n", all, lines);
  return 0;
}
