/* compiler_log.c -- tests of what is read from what compilers say. */
#include "test.h"

#include "device/jit/compiler_log.h"
#include <string.h>

TEST(compiler_log, finds_the_first_error)
{
  static const char *const logs[][2] = {
      {"x.cu(2): warning #550-D: variable \"error\" was set: no error here\n  int error;\n\n"
       "x.cu(5): error: identifier \"y\" is undefined\n  y;\nx.cu(7): error: z\n",
       "x.cu(5): error: identifier"},
      {"x.cu(1): catastrophic error: cannot open source file\n", "x.cu(1): catastrophic"},
      {"errors.cu(1): warning: w\nerrors.cu(2): error #20-D: y\n", "errors.cu(2): error #20-D"},
      {"ptxas info    : 0 bytes gmem\nptxas error   : Function 'apply'\nptxas fatal   : aborted\n",
       "ptxas error   : Function"},
      {"x.cu: In function 'void f()':\nx.cu:3:5: error: 'y' was not declared\n", "x.cu:3:5: error"},
      {"x.cu:1:9: fatal error: y.h: No such file\n", "x.cu:1:9: fatal"},
      {"/usr/bin/ld: x.o: in function `f':\nx.cu:(.text+0x1): undefined reference to `g'\n"
       "collect2: error: ld returned 1 exit status\n",
       "x.cu:(.text+0x1): undefined"},
      {"error: unknown option\n", "error: unknown option"},
      /* without an error all is shown */
      {"it fails and\ndoes not say why", "it fails and"},
      {"", ""},
  };
  const size_t count = sizeof logs / sizeof *logs, errors = count - 2;
  for (size_t n = 0; n < count; ++n) {
    const char *found = bp_log_first_error(logs[n][0]);
    CU_ASSERT_EQUAL(bp_log_has_error(logs[n][0]), n < errors);
    CHECK(strncmp(found, logs[n][1], strlen(logs[n][1])) == 0, "log %zu: %s", n, found);
  }
}
