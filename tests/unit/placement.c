/* placement.c -- tests of which memory a rank's processors are near, on pretended machines. */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/placement.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A node's file, or, without a list, its removal. */
static void node(const char *folder, int n, const char *list)
{
  char *directory = bp_format("%s/node%d", folder, n), *path = bp_format("%s/cpulist", directory);
  if (list) {
    CU_ASSERT_EQUAL_FATAL(mkdir(directory, 0700), 0);
    FILE *f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(list, f);
    fclose(f);
  } else {
    remove(path);
    rmdir(directory);
  }
  bp_free(path);
  bp_free(directory);
}

TEST(placement, nodes)
{
  static const struct {
    const char *processors, *nodes;
  } cases[] = {{"0-3,8", "0,1"},  {"4-7", "1"}, {"3", "0"}, {"15", "1"},    {"16", "3"},
               {"0-31", "0,1,3"}, {"99", ""},   {"", ""},   {"7,17", "1,3"}};
  char folder[] = "/tmp/bp-nodes-XXXXXX", nodes[64];
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  bp_placement_nodes("0", folder, nodes, sizeof nodes);
  CU_ASSERT_STRING_EQUAL(nodes, "");
  node(folder, 0, "0-3\n");
  node(folder, 1, "4-8,15\n");
  node(folder, 2, "\n"); /* memory without processors */
  node(folder, 3, "16-31\n");
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
    bp_placement_nodes(cases[n].processors, folder, nodes, sizeof nodes);
    CHECK(strcmp(nodes, cases[n].nodes) == 0, "%s: expected %s, found %s", cases[n].processors,
          cases[n].nodes, nodes);
  }
  for (int n = 0; n < 4; ++n)
    node(folder, n, NULL);
  rmdir(folder);
}
