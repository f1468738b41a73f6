/* config.c -- the fuzzers' view of the config reader. */
#include "fuzz.h"

#include "base/memory.h"
#include "config/config.h"
#include <string.h>

const char *const fuzz_words[] = {"problem: ",
                                  "bp1.0",
                                  "bp3.5",
                                  "mesh: ",
                                  "box: ",
                                  "16x16x16",
                                  "elements: ",
                                  "dofs: ",
                                  "2e6",
                                  "20M",
                                  "degree: ",
                                  "1..15",
                                  "..",
                                  "backend: ",
                                  "cuda",
                                  "variants: ",
                                  "ranks: ",
                                  "communication: ",
                                  "partition: ",
                                  "metis",
                                  "gradient-{tri,quad,tet,hex}",
                                  "gradient-tet-vector",
                                  "pair",
                                  "species: ",
                                  "points: ",
                                  "wave",
                                  "quadrature: ",
                                  "N+2",
                                  "rule: ",
                                  "preconditioner: ",
                                  "jacobi",
                                  "fixed: ",
                                  "rhs: ",
                                  "launch: ",
                                  "options:",
                                  "\n  ",
                                  "measure:",
                                  "report:",
                                  "cache: ",
                                  "both",
                                  "max_time: ",
                                  "confidence: ",
                                  "5%",
                                  "true",
                                  "---\n",
                                  "...\n",
                                  "&a ",
                                  "*a",
                                  "!!str ",
                                  "<<: ",
                                  "? ",
                                  "- ",
                                  ": ",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  ", ",
                                  "\"",
                                  "'",
                                  "|\n",
                                  ">\n",
                                  "#",
                                  "%YAML 1.1\n",
                                  "\r\n",
                                  "\t",
                                  "\xef\xbb\xbf",
                                  "\\x00",
                                  "\\u263a",
                                  "\xe2\x80\xa8",
                                  NULL};

static char *print(const bp_config *config)
{
  bp_text text = {0};
  bp_config_print(config, &text);
  return text.data;
}

/* What was accepted prints, reads back and prints the same. */
static void check_round_trip(const bp_config *config)
{
  bp_config *again = NULL;
  char *printed = print(config);
  BP_ASSERT(bp_config_read_bytes("again", printed, strlen(printed), &again) == BP_OK);
  char *twice = print(again);
  BP_ASSERT(strcmp(printed, twice) == 0);
  bp_free(printed);
  bp_free(twice);
  bp_config_destroy(again);
}

bp_status fuzz_read(const char *data, size_t size)
{
  bp_config *config = NULL;
  bp_status status = bp_config_read_bytes("f", data, size, &config);
  BP_ASSERT((status == BP_OK) == (config != NULL));
  if (config) {
    check_round_trip(config);
    bp_status checked = bp_config_check(config);
    BP_ASSERT(checked == BP_OK || strstr(bp_message(), ": expected "));
  } else {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), ": expected "));
    BP_ASSERT(strlen(bp_message()) < 8000);
  }
  bp_config_destroy(config);
  return status;
}
