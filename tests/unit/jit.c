/* jit.c -- tests of the run-time compiler, its cache and its hash; those that need NVRTC pass over
 * machines without it. */
#include "test.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/jit/jit.h"
#include "device/jit/jit_cache.h"
#include "device/jit/operators_source.h"
#include "fem/basis.h"
#include "registry/operand.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- hash ---- */

TEST(hash, of_pieces_sees_every_piece)
{
  enum { SIZE = 600000 };
  char *data = bp_alloc(SIZE, 1);
  bp_hash whole = bp_hash_pieces(data, SIZE);
  CU_ASSERT(bp_hash_is_same(whole, bp_hash_pieces(data, SIZE)));
  CU_ASSERT(!bp_hash_is_same(whole, bp_hash_pieces(data, SIZE - 1)));
  for (int at = 0; at < SIZE; at += SIZE / 7) {
    data[at] = 1;
    CU_ASSERT(!bp_hash_is_same(whole, bp_hash_pieces(data, SIZE)));
    data[at] = 0;
  }
  bp_free(data);
}

TEST(hash, differs_in_every_bit_and_length)
{
  char text[64] = {0};
  bp_hash seen[65];
  for (size_t n = 0; n <= 64; ++n)
    seen[n] = bp_hash_bytes(text, n);
  for (size_t a = 0; a <= 64; ++a)
    for (size_t b = 0; b < a; ++b)
      CHECK(!bp_hash_is_same(seen[a], seen[b]), "zeros of lengths %zu and %zu are the same", a, b);
  for (size_t n = 0; n < 64 * 8; ++n) {
    text[n / 8] = (char)(1 << n % 8);
    CHECK(!bp_hash_is_same(bp_hash_bytes(text, 64), seen[64]), "bit %zu does not matter", n);
    text[n / 8] = 0;
  }
}

TEST(hash, is_the_same_on_every_machine)
{
  char digits[33];
  CU_ASSERT_STRING_EQUAL(bp_hash_print(digits, bp_hash_bytes("roofline!", 9)),
                         "46112dc7228c456ade5e245ecb05af89");
}

/* ---- the folder on disk ---- */

static char *private_folder(void)
{
  char *folder = bp_strdup("/tmp/bp-test-XXXXXX");
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  return folder;
}

static char *cache_file(bp_hash key)
{
  char digits[33], *folder = bp_jit_cache_folder();
  char *path = bp_format("%s/%s.jit", folder, bp_hash_print(digits, key));
  bp_free(folder);
  return path;
}

static void remove_folder(char *folder, const char *file)
{
  char *sub = bp_format("%s/bp", folder);
  if (file)
    unlink(file);
  rmdir(sub);
  CHECK(rmdir(folder) == 0, "something was left in %s", folder);
  bp_free(sub);
  bp_free(folder);
  unsetenv("XDG_CACHE_HOME");
}

TEST(jit_cache, an_open_folder_stays_the_same_whoever_takes_its_name)
{
  bp_folder open;
  char *folder = private_folder(), *name = bp_jit_cache_folder();
  char *other = bp_format("%s/other", folder), *file = bp_format("%s/file", other);
  CU_ASSERT_FALSE(bp_jit_cache_open(false, &open)); /* not made */
  CU_ASSERT_FATAL(bp_jit_cache_open(true, &open));
  CU_ASSERT_EQUAL(rename(name, other), 0);
  CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
  char *through = bp_format("%s/file", open.path);
  FILE *f = fopen(through, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  fclose(f);
  CHECK(unlink(file) == 0, "a file went elsewhere");
  bp_folder_close(&open);
  CU_ASSERT_EQUAL(rmdir(other), 0);
  CU_ASSERT_EQUAL(chmod(name, 0770), 0);
  CU_ASSERT_EQUAL(chown(name, (uid_t)-1, getegid()), 0);
  CU_ASSERT_EQUAL(bp_jit_cache_open(true, &open),
                  getegid() == geteuid()); /* the user's own group */
  bp_folder_close(&open);
  CU_ASSERT_EQUAL(chmod(name, 0707), 0);
  CU_ASSERT_FALSE(bp_jit_cache_open(true, &open));
  bp_free(through);
  bp_free(file);
  bp_free(other);
  bp_free(name);
  remove_folder(folder, NULL);
}

/* Though the folder is this user's alone. */
TEST(jit_cache, does_not_believe_files_that_others_may_write)
{
  bp_hash key = bp_hash_bytes("a key", 5);
  char *folder = private_folder(), *path = cache_file(key), *read = NULL;
  size_t size = 0;
  bp_jit_cache_write(key, "data", 4);
  CU_ASSERT_FATAL(bp_jit_cache_read(key, &read, &size));
  bp_free(read);
  CU_ASSERT_EQUAL(chmod(path, 0646), 0);
  CU_ASSERT_FALSE(bp_jit_cache_read(key, &read, &size));
  CU_ASSERT_EQUAL(chmod(path, 0644), 0);
  if (geteuid() == 0) {
    CU_ASSERT_EQUAL(chown(path, 54321, 0), 0);
    CU_ASSERT_FALSE(bp_jit_cache_read(key, &read, &size));
  }
  remove_folder(folder, path);
  bp_free(path);
}

TEST(jit_cache, keeps_bytes_and_refuses_damage)
{
  const char data[] = "line\n\0more \xff bytes";
  bp_hash key = bp_hash_bytes("a key", 5), other = bp_hash_bytes("b key", 5);
  char *folder = private_folder(), *path = cache_file(key), *read = NULL;
  size_t size = 0;
  CU_ASSERT_FALSE(bp_jit_cache_read(key, &read, &size));
  bp_jit_cache_write(key, data, sizeof data);
  CU_ASSERT_FATAL(bp_jit_cache_read(key, &read, &size));
  CU_ASSERT_EQUAL(size, sizeof data);
  CU_ASSERT_EQUAL(memcmp(read, data, sizeof data), 0);
  bp_free(read);
  CU_ASSERT_FALSE(bp_jit_cache_read(other, &read, &size));

  struct stat info;
  CU_ASSERT_EQUAL_FATAL(stat(path, &info), 0);
  for (long at = 0; at < info.st_size; ++at) { /* any byte changed: as good as no file */
    FILE *f = fopen(path, "r+");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
    CHECK(!bp_jit_cache_read(key, &read, &size), "byte %ld may be changed", at);
    bp_jit_cache_write(key, data, sizeof data);
  }
  for (long length = 0; length < info.st_size; ++length) { /* and any part of it */
    CU_ASSERT_EQUAL_FATAL(truncate(path, length), 0);
    CHECK(!bp_jit_cache_read(key, &read, &size), "%ld bytes are taken for the whole", length);
  }
  remove_folder(folder, path);
  bp_free(path);
}

TEST(jit_cache, does_without_a_folder)
{
  char *read = NULL;
  size_t size = 0;
  bp_hash key = bp_hash_bytes("a key", 5);
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  bp_jit_cache_write(key, "x", 1);
  CU_ASSERT_FALSE(bp_jit_cache_read(key, &read, &size));
  setenv("XDG_CACHE_HOME", "/dev/full", 1);
  bp_jit_cache_write(key, "x", 1);
  CU_ASSERT_FALSE(bp_jit_cache_read(key, &read, &size));
  unsetenv("XDG_CACHE_HOME");
}

/* ---- the matrices as text ---- */

/* Reads `count` numbers after "NAME[..][..] = {". */
static void read_numbers(const char *text, const char *name, int count, double *values)
{
  const char *at = strstr(text, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  at = strchr(at, '=');
  for (int n = 0; n < count; ++n) {
    char *end;
    at += strspn(at, "= {},;\n");
    values[n] = strtod(at, &end);
    CHECK(end != at, "%s has only %d numbers", name, n);
    at = end;
  }
}

static void compare(const char *name, const double *a, const double *b, int count, double tolerance)
{
  for (int n = 0; n < count; ++n)
    CHECK(fabs(a[n] - b[n]) <= tolerance, "%s, number %d: %.17g is not %.17g", name, n, a[n], b[n]);
}

TEST(operators_source, reads_back_to_the_bit)
{
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    for (int collocated = 0; collocated < 2; ++collocated) {
      bp_text text = {0};
      bp_basis b;
      double m[BP_POINTS_MAX * BP_POINTS_MAX];
      const bp_operator *op = bp_operator_find(collocated ? "bp3.5" : "bp3.0");
      bp_basis_create(&b, bp_operator_space(op, degree));
      bp_operators_source(op, bp_operator_space(op, degree), &text);
      read_numbers(text.data, "bp_I[", b.nc * b.nq, m);
      compare("bp_I", m, b.I, b.nc * b.nq, 0);
      read_numbers(text.data, "bp_D[", b.nc * b.nc, m);
      compare("bp_D", m, b.D, b.nc * b.nc, 0);
      read_numbers(text.data, "bp_weight[", b.nc, m);
      compare("bp_weight", m, b.weight, b.nc, 0);
      bp_text_destroy(&text);
    }
}

/* y = m x by the halves, as kernels/abi/gpu.h tells; `sign` 1 for I, -1 for D. */
static void apply_halves(const double *even, const double *odd, int rows, int columns, double sign,
                         const double *x, double *y)
{
  int hr = (rows + 1) / 2, hc = (columns + 1) / 2;
  for (int a = 0; a < hr; ++a) {
    double p = 0, q = 0;
    for (int b = 0; b < hc; ++b) {
      double mirror = x[columns - 1 - b];
      p += even[a * hc + b] * (b == columns - 1 - b ? x[b] : x[b] + mirror);
      q += odd[a * hc + b] * (x[b] - mirror);
    }
    y[rows - 1 - a] = sign > 0 ? p - q : q - p;
    y[a] = p + q; /* last, for the middle row */
  }
}

static void check_halves(const char *text, const char *name, const double *m, int rows, int columns,
                         double sign)
{
  char full[32];
  double even[BP_POINTS_MAX * BP_POINTS_MAX], odd[BP_POINTS_MAX * BP_POINTS_MAX];
  double x[BP_POINTS_MAX], y[BP_POINTS_MAX], expected[BP_POINTS_MAX];
  int count = (rows + 1) / 2 * ((columns + 1) / 2);
  snprintf(full, sizeof full, "%s_even[", name);
  read_numbers(text, full, count, even);
  snprintf(full, sizeof full, "%s_odd[", name);
  read_numbers(text, full, count, odd);
  for (int b = 0; b < columns; ++b)
    x[b] = cos(1.3 * b) + 0.1 * b;
  for (int a = 0; a < rows; ++a) {
    expected[a] = 0;
    for (int b = 0; b < columns; ++b)
      expected[a] += m[a * columns + b] * x[b];
  }
  apply_halves(even, odd, rows, columns, sign, x, y);
  compare(name, y, expected, rows, 1e-12 * rows * rows);
}

TEST(operators_source, halves_make_the_whole)
{
  for (int degree = 1; degree <= BP_DEGREE_MAX; ++degree)
    for (int collocated = 0; collocated < 2; ++collocated) {
      bp_text text = {0};
      bp_basis b;
      const bp_operator *op = bp_operator_find(collocated ? "bp3.5" : "bp3.0");
      bp_basis_create(&b, bp_operator_space(op, degree));
      bp_operators_source(op, bp_operator_space(op, degree), &text);
      check_halves(text.data, "bp_I", b.I, b.nc, b.nq, 1);
      check_halves(text.data, "bp_D", b.D, b.nc, b.nc, -1);
      bp_text_destroy(&text);
    }
}

/* ---- compiling ---- */

static bool can_compile(void)
{
  bool can = bp_jit_open(0) == BP_OK;
  if (!can)
    printf("(passed over: %s) ", bp_message());
  return can;
}

/* A variant made up here, with one option. */
static bp_variant made_up(bp_variant_text *text, const char *source)
{
  static char name[] = "steps", help[] = "";
  *text = (bp_variant_text){
      .id = "bp3.5/made-up", .file = "kernels/bp3.5/made-up.cu", .source = source};
  bp_variant variant = {.text = text, .id = text->id, .problem = "bp3.5", .name = "made-up"};
  variant.language = BP_LANGUAGE_CUDA;
  variant.lowest = 1;
  variant.highest = BP_DEGREE_MAX;
  variant.options[0] = (bp_variant_option){name, help, 1, 9, 3};
  variant.options_count = 1;
  variant.operands_count =
      bp_operands_parse(BP_OPERANDS_STANDARD, variant.operands, BP_VARIANT_OPERANDS_MAX);
  return variant;
}

static const char good_source[] = "#include \"abi/gpu.h\"\n"
                                  "#include \"operators.h\"\n"
                                  "BP_KERNEL(good)\n"
                                  "{\n"
                                  "  BP_SHARED(double, s, [BP_NQ][BP_NC]);\n"
                                  "  s[bp_thread() % BP_NQ][0] = u[bp_thread()] * bp_D[0][BP_N];\n"
                                  "  BP_BARRIER();\n"
                                  "  v[bp_thread()] = STEPS * s[0][0] + BP_COMPONENTS;\n"
                                  "}\n";

static bp_jit_request request_of(const bp_variant *variant, int degree)
{
  const bp_operator *op = bp_operator_find("bp3.5");
  return (bp_jit_request){
      {bp_choice_standard(variant), op, bp_operator_space(op, degree)}, 90, false};
}

/* NULL when the code has no figures of that kernel. */
static const bp_jit_kernel *find_kernel(const bp_jit_code *code, const char *kernel)
{
  for (int n = 0; n < code->kernels_count; ++n)
    if (strcmp(code->kernels[n].kernel, kernel) == 0)
      return &code->kernels[n];
  return NULL;
}

TEST(jit, compiles_and_tells_registers)
{
  if (!can_compile())
    return;
  char *folder = private_folder();
  bp_variant_text text;
  bp_variant variant = made_up(&text, good_source);
  bp_jit_request request = request_of(&variant, 4);
  const bp_jit_code *code = NULL, *again = NULL, *other = NULL;
  bp_status status = bp_jit_compile(&request, &code);
  CHECK(status == BP_OK, "%s", bp_message());
  CU_ASSERT_PTR_NOT_NULL_FATAL(code);
  CU_ASSERT_FALSE(code->is_ptx);
  CU_ASSERT(code->seconds > 0);
  CU_ASSERT(code->size > 100 && memcmp(code->image, "\177ELF", 4) == 0);
  const bp_jit_kernel *kernel = find_kernel(code, "good");
  CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
  CU_ASSERT(kernel->registers >= 4 && kernel->registers <= 255);
  CU_ASSERT_EQUAL(kernel->stack_bytes, 0);
  CHECK(kernel->shared_bytes == 5 * 5 * 8, "%lld bytes", (long long)kernel->shared_bytes);
  CU_ASSERT_PTR_NULL(find_kernel(code, "bad"));

  CU_ASSERT_EQUAL(bp_jit_compile(&request, &again), BP_OK);
  CU_ASSERT_PTR_EQUAL(code, again); /* remembered */
  request.build.choice.option[0] = 4;
  CU_ASSERT_EQUAL(bp_jit_compile(&request, &other), BP_OK);
  CU_ASSERT_PTR_NOT_EQUAL(code, other); /* another option, another code */
  char *command = bp_format("rm -r %s", folder);
  CU_ASSERT_EQUAL(system(command), 0);
  bp_free(command);
  bp_free(folder);
  unsetenv("XDG_CACHE_HOME");
}

/* Numbers of threads take a multiplication less where a block has them in one direction only. */
TEST(jit, tells_kernels_whether_threads_are_in_line)
{
  if (!can_compile())
    return;
  char x[] = "64", y[] = "nq";
  bp_variant_text text;
  bp_variant variant = made_up(&text, "#include \"abi/gpu.h\"\n"
                                      "#ifndef BP_THREADS_IN_LINE\n"
                                      "#error not in line\n"
                                      "#endif\n"
                                      "BP_KERNEL(one)\n{\n  v[bp_thread()] = 1;\n}\n");
  variant.launches_count = 2;
  variant.launches[0].threads[0] = variant.launches[1].threads[0] = x;
  bp_jit_request request = request_of(&variant, 1);
  const bp_jit_code *code = NULL;
  bp_status status = bp_jit_compile(&request, &code);
  CHECK(status == BP_OK, "%s", bp_message());
  variant.launches[1].threads[1] = y;
  CU_ASSERT_EQUAL(bp_jit_compile(&request, &code), BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "not in line"), "%s", bp_message());
}

TEST(jit, shows_errors_with_the_kernels_own_file_and_line)
{
  if (!can_compile())
    return;
  bp_variant_text text;
  bp_variant variant =
      made_up(&text, "#include \"abi/gpu.h\"\n\nBP_KERNEL(bad)\n{\n  v[0] = unheard_of;\n}\n");
  bp_jit_request request = request_of(&variant, 1);
  const bp_jit_code *code = NULL;
  CU_ASSERT_EQUAL(bp_jit_compile(&request, &code), BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "kernels/bp3.5/made-up.cu(5)"), "%s", bp_message());
  CHECK(strstr(bp_message(), "unheard_of"), "%s", bp_message());
}

TEST(jit, refuses_architectures_older_than_it_knows)
{
  if (!can_compile())
    return;
  bp_variant_text text;
  bp_variant variant = made_up(&text, good_source);
  bp_jit_request request = request_of(&variant, 1);
  const bp_jit_code *code = NULL;
  request.sm = 20;
  CU_ASSERT_EQUAL(bp_jit_compile(&request, &code), BP_ENVIRONMENT);
  CHECK(strstr(bp_message(), "sm_20"), "%s", bp_message());
  request.sm = 990; /* one that is still to come gets portable code */
  CU_ASSERT_EQUAL(bp_jit_compile(&request, &code), BP_OK);
  CU_ASSERT(code && code->is_ptx && strstr(code->image, ".entry good"));
}

TEST(jit, compiles_every_machine_kernel)
{
  if (!can_compile())
    return;
  int count;
  const bp_variant *all = bp_variants(&count);
  for (int n = 0; n < count; ++n) {
    if (strcmp(all[n].problem, "peaks") != 0 || all[n].language != BP_LANGUAGE_CUDA)
      continue;
    bp_jit_request request = {
        {.choice = bp_choice_standard(&all[n]), .space = {.degree = 1}}, 90, false};
    const bp_jit_code *code = NULL;
    CHECK(bp_jit_compile(&request, &code) == BP_OK, "%s", bp_message());
    for (int l = 0; code && l < all[n].launches_count; ++l) {
      const bp_jit_kernel *kernel = find_kernel(code, all[n].launches[l].kernel);
      CHECK(kernel && kernel->spill_bytes == 0, "%s: %s spills or is missing", all[n].id,
            all[n].launches[l].kernel);
    }
  }
}
