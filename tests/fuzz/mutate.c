/* mutate.c -- fuzzing without a compiler's help: seed files are mutated and read, again and again.
 *
 *   mutate_NAME [--count N] [--seconds S] [--seed N] [--first N] [--save FILE] SEEDFILE...
 *
 * Mutant number n depends on the seed and n alone, so `--first n --count 1` repeats it and --save keeps it.
 * Mutants are read in a child; one that kills it, or takes over a second, or is answered by anything else
 * than BP_OK or BP_BAD_INPUT is one failed line. Ends with `N passed, N failed`. */
#include "fuzz.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE_MAX_MUTANT = 1 << 20, EDITS_MAX = 8, RUN_MAX = 3000, SECONDS_HANG = 10 };

typedef struct {
  bp_file *files;
  int files_count;
  int words_count;
} seeds;

typedef struct {
  char *data;
  size_t size;
} mutant;

/* Shared with the child. */
typedef struct {
  int64_t at, passed, failed;
} progress;

/* ---- edits ---- */

static size_t pick(bp_random *random, size_t count)
{
  return count ? (size_t)bp_random_below(random, count) : 0;
}

/* `size` bytes of `bytes` take the place of `cut` bytes at `at`. */
static void replace(mutant *m, size_t at, size_t cut, const char *bytes, size_t size)
{
  if (m->size - cut + size > SIZE_MAX_MUTANT)
    return;
  memmove(m->data + at + size, m->data + at + cut, m->size - at - cut);
  memcpy(m->data + at, bytes, size);
  m->size += size - cut;
}

static void flip_bit(mutant *m, const seeds *s, bp_random *random)
{
  (void)s;
  if (m->size)
    m->data[pick(random, m->size)] ^= (char)(1 << pick(random, 8));
}

static void set_byte(mutant *m, const seeds *s, bp_random *random)
{
  static const char special[] = "\0\t\n\r \"'-.,:[]{}#%&*!|>0123456789eExX$\x7f\x80\xc3\xff";
  (void)s;
  if (m->size)
    m->data[pick(random, m->size)] =
        pick(random, 2) ? (char)pick(random, 256) : special[pick(random, sizeof special)];
}

static void cut_span(mutant *m, const seeds *s, bp_random *random)
{
  (void)s;
  size_t at = pick(random, m->size + 1), left = m->size - at;
  replace(m, at, pick(random, (left < 64 || pick(random, 4) == 0 ? left : 64) + 1), "", 0);
}

static void cut_end(mutant *m, const seeds *s, bp_random *random)
{
  (void)s;
  m->size = pick(random, m->size + 1);
}

static void insert_word(mutant *m, const seeds *s, bp_random *random)
{
  const char *word = fuzz_words[pick(random, (size_t)s->words_count)];
  replace(m, pick(random, m->size + 1), 0, word, strlen(word));
}

static void repeat_byte(mutant *m, const seeds *s, bp_random *random)
{
  char run[RUN_MAX];
  (void)s;
  size_t at = pick(random, m->size + 1), size = pick(random, pick(random, 8) ? 40 : RUN_MAX);
  memset(run, m->size ? m->data[pick(random, m->size)] : '[', size);
  replace(m, at, 0, run, size);
}

static void repeat_span(mutant *m, const seeds *s, bp_random *random)
{
  (void)s;
  size_t from = pick(random, m->size + 1), size = pick(random, m->size - from + 1);
  if (size > 4096)
    size = pick(random, 4096);
  char *span = malloc(size + 1);
  memcpy(span, m->data + from, size);
  replace(m, pick(random, m->size + 1), 0, span, size);
  free(span);
}

static void splice(mutant *m, const seeds *s, bp_random *random)
{
  const bp_file *other = &s->files[pick(random, (size_t)s->files_count)];
  size_t from = pick(random, other->size + 1), size = pick(random, other->size - from + 1);
  size_t at = pick(random, m->size + 1), left = m->size - at;
  replace(m, at, pick(random, 2) ? left : 0, other->data + from, size);
}

/* A decimal number becomes another one that readers do not expect there. */
static void replace_number(mutant *m, const seeds *s, bp_random *random)
{
  static const char *const numbers[] = {"0",
                                        "-1",
                                        "1",
                                        "2147483648",
                                        "4294967295",
                                        "1e400",
                                        "nan",
                                        "inf",
                                        "-0",
                                        "1152921504606846976",
                                        "9223372036854775807",
                                        "18446744073709551616",
                                        "1e-400",
                                        "0x10",
                                        "3,5",
                                        "99",
                                        "1e9",
                                        "16"};
  (void)s;
  size_t at = pick(random, m->size + 1), end;
  while (at < m->size && (m->data[at] < '0' || m->data[at] > '9'))
    ++at;
  for (end = at; end < m->size && m->data[end] >= '0' && m->data[end] <= '9';)
    ++end;
  const char *number = numbers[pick(random, sizeof numbers / sizeof *numbers)];
  if (end > at)
    replace(m, at, end - at, number, strlen(number));
}

/* Four or eight bytes become a binary integer at the edge of its range, in either byte order. */
static void replace_binary(mutant *m, const seeds *s, bp_random *random)
{
  static const uint64_t values[] = {0,
                                    1,
                                    UINT64_MAX,
                                    0x7fffffff,
                                    0x80000000u,
                                    1ull << 60,
                                    0x7fffffffffffffffull,
                                    0x100000000ull,
                                    0x7ff8000000000000ull};
  (void)s;
  size_t width = pick(random, 2) ? 4 : 8;
  if (m->size < width)
    return;
  uint64_t value = values[pick(random, sizeof values / sizeof *values)];
  bool is_swapped = pick(random, 2);
  char *at = m->data + pick(random, m->size - width + 1);
  for (size_t n = 0; n < width; ++n)
    at[is_swapped ? width - 1 - n : n] = (char)(value >> (8 * n));
}

static void swap_lines(mutant *m, const seeds *s, bp_random *random)
{
  (void)s;
  size_t at = pick(random, m->size + 1);
  char *line = m->size > at ? memchr(m->data + at, '\n', m->size - at) : NULL;
  char *end = line ? memchr(line + 1, '\n', m->size - (size_t)(line + 1 - m->data)) : NULL;
  if (!end)
    return;
  size_t size = (size_t)(end - line);
  char *copy = malloc(size);
  memcpy(copy, line + 1, size);
  replace(m, (size_t)(line + 1 - m->data), size, "", 0);
  replace(m, pick(random, m->size + 1), 0, copy, size);
  free(copy);
}

static void (*const edits[])(mutant *, const seeds *, bp_random *) = {
    flip_bit,    set_byte,    set_byte, cut_span,       cut_end,        insert_word, insert_word,
    repeat_byte, repeat_span, splice,   replace_number, replace_binary, swap_lines};

static void make_mutant(mutant *m, const seeds *s, uint64_t seed, int64_t number)
{
  bp_random random = bp_random_start(seed * 0x9e3779b97f4a7c15u + (uint64_t)number);
  bp_random_next(&random);
  const bp_file *file = &s->files[pick(&random, (size_t)s->files_count)];
  m->size = file->size < SIZE_MAX_MUTANT ? file->size : SIZE_MAX_MUTANT;
  memcpy(m->data, file->data, m->size);
  for (size_t n = 1 + pick(&random, EDITS_MAX); n > 0; --n)
    edits[pick(&random, sizeof edits / sizeof *edits)](m, s, &random);
}

/* ---- running ---- */

static void judge(progress *p, bp_status status, double seconds)
{
  bool is_good = (status == BP_OK || status == BP_BAD_INPUT) && seconds < 1;
  *(is_good ? &p->passed : &p->failed) += 1;
  if (!is_good)
    printf("FAIL mutant %" PRId64 ": status %d in %.2f s: %s\n", p->at, (int)status, seconds,
           bp_message());
}

/* Of processors, so that a busy machine is no finding. */
static double spent(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The bytes end where an allocation ends, so that reading past them is seen. */
static bp_status read_mutant(const mutant *m, double *seconds)
{
  char *exact = malloc(m->size ? m->size : 1);
  memcpy(exact, m->data, m->size);
  double start = spent();
  bp_status status = fuzz_read(exact, m->size);
  *seconds = spent() - start;
  free(exact);
  return status;
}

/* The child's part: from p->at to the end, or until a mutant kills it. */
static void run(const seeds *s, progress *p, uint64_t seed, int64_t end, double deadline)
{
  mutant m = {.data = malloc(SIZE_MAX_MUTANT)};
  for (; p->at < end && bp_clock() < deadline; ++p->at) {
    double seconds;
    make_mutant(&m, s, seed, p->at);
    alarm(SECONDS_HANG);
    bp_status status = read_mutant(&m, &seconds);
    alarm(0);
    judge(p, status, seconds);
  }
  free(m.data);
}

static void run_in_children(const seeds *s, progress *p, uint64_t seed, int64_t end,
                            double deadline)
{
  while (p->at < end && bp_clock() < deadline) {
    int how;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      run(s, p, seed, end, deadline);
      exit(0); /* where leaks are looked for */
    }
    if (child < 0 || waitpid(child, &how, 0) < 0) {
      perror("mutate");
      exit(BP_ENVIRONMENT);
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
      continue;
    printf("FAIL mutant %" PRId64 ": the reader ended the program (%s %d)\n", p->at,
           WIFSIGNALED(how) ? "signal" : "exit code",
           WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    ++p->failed;
    ++p->at;
  }
}

static void save(const seeds *s, uint64_t seed, int64_t number, const char *path)
{
  mutant m = {.data = malloc(SIZE_MAX_MUTANT)};
  FILE *f = fopen(path, "wb");
  make_mutant(&m, s, seed, number);
  if (!f || fwrite(m.data, 1, m.size, f) != m.size || fclose(f)) {
    perror(path);
    exit(BP_ENVIRONMENT);
  }
  free(m.data);
}

static seeds read_seeds(int count, char **paths)
{
  seeds s = {.files = calloc((size_t)count + 1, sizeof *s.files)};
  for (int n = 0; n < count; ++n)
    if (bp_file_map(paths[n], &s.files[s.files_count++])) {
      fprintf(stderr, "%s\n", bp_message());
      exit(BP_BAD_INPUT);
    }
  while (fuzz_words[s.words_count])
    ++s.words_count;
  return s;
}

int main(int argc, char **argv)
{
  double count = 1e9, seconds = 1e9, seed = 1, first = 0;
  const char *path = NULL;
  int n = 1;
  for (; n + 1 < argc && strncmp(argv[n], "--", 2) == 0; n += 2) {
    double *number = strcmp(argv[n], "--count") == 0     ? &count
                     : strcmp(argv[n], "--seconds") == 0 ? &seconds
                     : strcmp(argv[n], "--seed") == 0    ? &seed
                     : strcmp(argv[n], "--first") == 0   ? &first
                                                         : NULL;
    if (strcmp(argv[n], "--save") == 0)
      path = argv[n + 1];
    else if (!number || !bp_parse_double(argv[n + 1], number))
      n = argc;
  }
  if (n >= argc) {
    fprintf(stderr,
            "usage: %s [--count N] [--seconds S] [--seed N] [--first N] [--save FILE] "
            "SEEDFILE...\n",
            argv[0]);
    return BP_BAD_INPUT;
  }
  seeds s = read_seeds(argc - n, argv + n);
  progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  double start = bp_clock();
  p->at = (int64_t)first;
  if (path)
    save(&s, (uint64_t)seed, p->at, path);
  run_in_children(&s, p, (uint64_t)seed, (int64_t)(first + count), start + seconds);
  printf("%s: %d seed files, seed %.0f, mutants %.0f to %" PRId64 " in %.0f s\n", argv[0],
         s.files_count, seed, first, p->at - 1, bp_clock() - start);
  printf("%" PRId64 " passed, %" PRId64 " failed\n", p->passed, p->failed);
  for (int f = 0; f < s.files_count; ++f)
    bp_file_unmap(&s.files[f]);
  free(s.files);
  return p->failed > 0;
}
