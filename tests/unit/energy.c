/* energy.c -- tests of counters of energy. */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/energy.h"
#include <stdlib.h>
#include <sys/stat.h>

static void put(const char *folder, int package, const char *name, const char *text)
{
  char *path = bp_format("%s/intel-rapl:%d", folder, package);
  mkdir(path, 0700);
  char *full = bp_format("%s/%s", path, name);
  FILE *file = fopen(full, "w");
  CU_ASSERT_FATAL(file != NULL);
  fputs(text, file);
  fclose(file);
  bp_free(path);
  bp_free(full);
}

static void put_package(const char *folder, int n, const char *name, const char *microjoules)
{
  put(folder, n, "name", name);
  put(folder, n, "energy_uj", microjoules);
  put(folder, n, "max_energy_range_uj", "100000000\n");
}

TEST(energy, of_packages_whose_counters_begin_anew)
{
  char folder[] = "/tmp/bp-energy-XXXXXX";
  CU_ASSERT_FATAL(mkdtemp(folder) != NULL);
  CU_ASSERT(bp_rapl_read(folder).count == 0);
  put_package(folder, 0, "package-0\n", "5000000\n");
  put_package(folder, 1, "psys\n", "1\n");
  put_package(folder, 2, "package-1\n", "99000000\n");
  const bp_rapl before = bp_rapl_read(folder);
  put_package(folder, 0, "package-0\n", "7500000\n");
  put_package(folder, 1, "psys\n", "3000000\n");
  put_package(folder, 2, "package-1\n", "2000000\n");
  const bp_rapl now = bp_rapl_read(folder);
  CU_ASSERT(before.count == 2 && now.count == 2);
  CU_ASSERT_DOUBLE_EQUAL(bp_rapl_since(&before, &now), 2.5 + 3, 1e-9);
  put(folder, 2, "energy_uj", "");
  const bp_rapl none = bp_rapl_read(folder);
  CU_ASSERT(none.count == 0 && isnan(bp_rapl_since(&before, &none)));
  char *command = bp_format("rm -r %s", folder);
  CU_ASSERT(system(command) == 0);
  bp_free(command);
}
