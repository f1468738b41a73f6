/* main.c -- runs the unit tests that registered themselves: all, those whose "suite/name" holds a word, or
 * with -word... all but those. */
#include "device/device.h"
#include "test.h"

#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TESTS_MAX = 1000 };

static struct {
  const char *suite, *name;
  void (*function)(void);
} tests[TESTS_MAX];
static size_t count;

void test_register(const char *suite, const char *name, void (*function)(void))
{
  if (count == TESTS_MAX)
    abort();
  tests[count].suite = suite;
  tests[count].name = name;
  tests[count++].function = function;
}

static CU_pSuite find_or_add_suite(const char *name)
{
  CU_pSuite suite = CU_get_suite(name);
  return suite ? suite : CU_add_suite(name, NULL, NULL);
}

static void tell(const char *line)
{
  fprintf(stderr, "%s\n", line);
}

static bool is_asked_for(const char *name, char **words)
{
  bool is = !*words || **words == '-';
  for (; *words; ++words)
    if (strstr(name, *words + (**words == '-')))
      is = **words != '-';
  return is;
}

int main(int argc, char **argv)
{
  bp_listen(tell, NULL);
  bp_device_worker();
  if (CU_initialize_registry() != CUE_SUCCESS)
    return 3;
  for (size_t n = 0; n < count; ++n) {
    char full[200];
    snprintf(full, sizeof full, "%s/%s", tests[n].suite, tests[n].name);
    if (is_asked_for(full, argv + (argc > 0)))
      CU_add_test(find_or_add_suite(tests[n].suite), tests[n].name, tests[n].function);
  }
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned run = CU_get_number_of_tests_run(), failed = CU_get_number_of_failures();
  CU_cleanup_registry();
  return run == 0 || failed > 0;
}
