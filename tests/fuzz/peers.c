/* peers.c -- the fuzzers' view of other programs' figures, and of what a report makes of them. */
#include "fuzz.h"

#include "base/memory.h"
#include "report/figure.h"
#include "report/peers.h"
#include "report/report.h"
#include <math.h>
#include <string.h>

const char *const fuzz_words[] = {"program,problem,degree,elements,seconds\n",
                                  "program,problem,degree,dofs,seconds,iterations,cache\n",
                                  "# machine: NVIDIA H200\n",
                                  "# machine: ",
                                  "# version: 1\n",
                                  "# cache: cold\n",
                                  "bp1.0,",
                                  "bp3.5,",
                                  "4096",
                                  "4913",
                                  "5e-324",
                                  "1e308",
                                  "1e-400",
                                  "9007199254740992",
                                  ",",
                                  ",,,",
                                  "\"",
                                  "\"\"",
                                  "\n",
                                  "\r\n",
                                  "#",
                                  "</script>",
                                  "<script>",
                                  "|",
                                  "`",
                                  "\x1b[31m",
                                  "\xc2\x9b",
                                  "\xff",
                                  NULL};

/* The record beside which the figures are put; of the repository, where `make fuzz` runs. */
static const bp_record *record_beside(void)
{
  static bp_record *record;
  if (!record)
    BP_ASSERT(bp_record_read("tests/records/schema-2.json", &record) == BP_OK);
  return record;
}

static bool has_controls(const char *text)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; ++c)
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f ||
        (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
      return true;
  return false;
}

static void check_text(bp_text *text, const char *markup)
{
  BP_ASSERT(!has_controls(bp_text_string(text)));
  BP_ASSERT(!markup || !strstr(bp_text_string(text), markup));
  bp_text_destroy(text);
}

static void check_report(const bp_peers *peers)
{
  static const bp_style styles[] = {{.width = 80}, {.unicode = true}};
  const bp_record *record = record_beside();
  const bp_wishes wishes = {.peers = peers};
  for (size_t n = 0; n < sizeof styles / sizeof *styles; ++n)
    for (int form = BP_FORM_TERMINAL; form <= BP_FORM_HTML; ++form) {
      bp_text text = {0};
      bp_peers_append(peers, record, (bp_form)form, &styles[n], &text);
      check_text(&text, form == BP_FORM_HTML ? "<script" : NULL);
    }
  bp_text svg = {0};
  if (bp_figure_file(bp_figure_find("peers"), record, &wishes, &svg) == BP_OK)
    check_text(&svg, "<script");
}

static void check_peers(const bp_peers *peers)
{
  BP_ASSERT(peers->count > 0);
  for (int n = 0; n < peers->count; ++n) {
    const bp_peer *p = &peers->items[n];
    BP_ASSERT(*p->program && *p->problem && p->version && p->machine && p->command && p->date);
    BP_ASSERT(p->degree > 0 && (p->elements > 0 || p->dofs > 0));
    BP_ASSERT(p->seconds > 0 && isfinite(p->seconds));
  }
}

bp_status fuzz_read(const char *data, size_t size)
{
  bp_peers peers = {0};
  bp_status status = bp_peers_read_bytes("f", data, size, &peers);
  if (status) {
    BP_ASSERT(strncmp(bp_message(), "f:", 2) == 0 && strstr(bp_message(), "expected "));
    BP_ASSERT(strlen(bp_message()) < 1000 && !strchr(bp_message(), '\n'));
  } else {
    check_peers(&peers);
    for (int any = 0; any < 2; ++any) {
      peers.any_machine = any;
      if (bp_peers_check_machines(&peers, record_beside(), "f") == BP_OK)
        check_report(&peers);
    }
  }
  bp_peers_destroy(&peers);
  return status;
}
