/* test.h -- a unit test is a function in any file of this folder: TEST(suite, name) { CU_ASSERT(...); }
 * It registers itself; main.c runs them all, or those whose "suite/name" holds the argument. */
#ifndef BP_TEST_H
#define BP_TEST_H

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void test_register(const char *suite, const char *name, void (*function)(void));

#define TEST(suite, name)                                                                          \
  static void test_##suite##_##name(void);                                                         \
  __attribute__((constructor)) static void register_##suite##_##name(void)                         \
  {                                                                                                \
    test_register(#suite, #name, test_##suite##_##name);                                           \
  }                                                                                                \
  static void test_##suite##_##name(void)

/* Says which value it was when it fails. */
#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    bool check_ok_ = (condition);                                                                  \
    if (!check_ok_) {                                                                              \
      printf("\n      %s:%d: ", __FILE__, __LINE__);                                               \
      printf(__VA_ARGS__);                                                                         \
    }                                                                                              \
    CU_ASSERT(check_ok_);                                                                          \
  } while (0)

#endif
