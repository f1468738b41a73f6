/* library_threads.c -- libbp by two threads at once, each with a context of its own (see library.sh). */
#include <bp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, TIMES = 20 };

typedef struct {
  const char *problem;
  double x[ROOM];
  char message[200];
} work;

static int check(libbp_status status, work *w)
{
  if (status)
    snprintf(w->message, sizeof w->message, "%s: %s", w->problem, libbp_message());
  return status;
}

/* Makes, applies, solves; a call that fails has its own thread's message. */
static void *run(void *of)
{
  work *w = of;
  const int64_t n[3] = {3, 2, 2};
  double *u = malloc(ROOM * sizeof *u), *v = malloc(ROOM * sizeof *v);
  for (int i = 0; i < ROOM; ++i)
    u[i] = sin(i);
  for (int t = 0; t < TIMES && !*w->message; ++t) {
    libbp_context_options one = LIBBP_CONTEXT_OPTIONS;
    libbp_operator_options options = LIBBP_OPERATOR_OPTIONS;
    libbp_context *context = NULL;
    libbp_mesh *mesh = NULL;
    libbp_operator *a = NULL;
    one.threads = 1;
    options.problem = w->problem, options.degree = 3, options.layout = LIBBP_UNKNOWNS;
    (void)(check(libbp_context_create(&one, &context), w) ||
           check(libbp_mesh_box(context, n, 0.2, &mesh), w) ||
           check(libbp_operator_create(mesh, &options, &a), w) ||
           check(libbp_operator_apply(a, 1, u, 0, v), w) ||
           check(libbp_solve(a, v, w->x, NULL, NULL), w));
    options.problem = w->problem[2] == '3' ? "three" : "five";
    libbp_operator *none = NULL;
    if (!*w->message && (libbp_operator_create(mesh, &options, &none) != LIBBP_BAD_INPUT ||
                         !strstr(libbp_message(), options.problem)))
      snprintf(w->message, sizeof w->message, "another's message: %s", libbp_message());
    libbp_operator_destroy(a);
    libbp_mesh_destroy(mesh);
    libbp_context_destroy(context);
  }
  free(u), free(v);
  return NULL;
}

int main(void)
{
  static work alone[2] = {{.problem = "bp3"}, {.problem = "bp5"}}, together[2];
  pthread_t thread[2];
  int wrong = 0;
  memcpy(together, alone, sizeof alone);
  for (int n = 0; n < 2; ++n)
    if (pthread_create(&thread[n], NULL, run, &together[n]))
      return 1;
  for (int n = 0; n < 2; ++n)
    pthread_join(thread[n], NULL);
  for (int n = 0; n < 2; ++n) {
    run(&alone[n]);
    wrong += memcmp(&alone[n], &together[n], sizeof alone[n]) != 0 || *alone[n].message;
    printf("%s%s", together[n].message, *together[n].message ? "\n" : "");
  }
  printf("%d wrong\n", wrong);
  return wrong;
}
