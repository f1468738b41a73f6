/* peers_table.c -- bp's best beside other programs, as a table for a terminal, a document or a page. */
#include "report/peers.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/number.h"
#include "report/series.h"
#include <string.h>

/* What stands around a line, by form. */
static const char *const titles_of[][2] = {{"\n", "\n"}, {"\n### ", "\n\n"}, {"<h3>", "</h3>\n"}};
static const char *const meanings[][2] = {
    {"\n", "\n"}, {"\n", ":\n\n"}, {"<p class=\"how\">", "</p>\n"}};
static const char *const sources[][2] = {
    {"  ", "\n"}, {"* ", "\n"}, {"<p class=\"how\">", "</p>\n"}};

static void append_line(bp_form form, const char *const around[][2], const char *line,
                        bp_text *text)
{
  bp_text_append(text, around[form][0]);
  (form == BP_FORM_TERMINAL   ? bp_safe_line
   : form == BP_FORM_MARKDOWN ? bp_safe_markdown
                              : bp_safe_xml)(text, line);
  bp_text_append(text, around[form][1]);
}

static bool has_unicode(bp_form form, const bp_style *style)
{
  return form != BP_FORM_TERMINAL || style->unicode;
}

static void fill_row(bp_table *t, int row, const bp_row *best, const bp_peers *peers,
                     const bp_peer *const *programs, bool unicode)
{
  bp_number number;
  bp_table_put(t, row, 0, bp_format("%d", best->degree));
  bp_table_set(t, row, 1, best->variant);
  bp_table_set(t, row, 2, bp_number_seconds(number, best->seconds.statistics.median, unicode));
  for (int c = 3; c < t->columns_count; c += 2) {
    const bp_peer *peer = bp_peers_find(peers, programs[(c - 3) / 2], best);
    if (!peer)
      continue;
    bp_table_set(t, row, c, bp_number_seconds(number, peer->seconds, unicode));
    bp_table_set(t, row, c + 1, bp_number_fixed(number, bp_peer_ratio(peer, best), 2));
  }
}

/* A table of the fastest of each degree, behind its title. */
static void append_group(const bp_peers *peers, const bp_group *group,
                         const bp_peer *const *programs, int count, bp_form form,
                         const bp_style *style, bp_text *text)
{
  const char *titles[4 + 2 * BP_PEERS_PROGRAMS] = {"N", "variant", "bp"};
  char *labels[BP_PEERS_PROGRAMS], *of = bp_group_title(group, ", ");
  char *title = bp_format("%s, beside other programs", of);
  bp_series_set set = bp_series_of(group);
  int rows = 0;
  for (int p = 0; p < count; ++p) {
    titles[3 + 2 * p] = labels[p] = bp_peer_label(peers, programs[p], group->rows[0]);
    titles[4 + 2 * p] = has_unicode(form, style) ? "\xc3\x97" : "x";
  }
  bp_table t = bp_table_create(BP_SERIES_DEGREES, titles);
  t.columns[0].gap = 2;
  t.columns[1].is_left = true;
  for (int c = 4; c < t.columns_count; c += 2)
    t.columns[c].gap = 1;
  for (int degree = set.first; degree <= set.last; ++degree)
    if (set.best[degree])
      fill_row(&t, rows++, set.best[degree], peers, programs, has_unicode(form, style));
  t.rows_count = rows;
  append_line(form, titles_of, title, text);
  bp_table_append(&t, form, style, text);
  bp_table_destroy(&t);
  bp_series_destroy(&set);
  for (int p = 0; p < count; ++p)
    bp_free(labels[p]);
  bp_free(title);
  bp_free(of);
}

/* ---- where figures are from ---- */

/* "libCEED gen: 64e0491, NVIDIA H200, 2026-11-23: bench ..." */
static char *source_of(const bp_peer *peer)
{
  const char *const parts[] = {peer->version, peer->machine, peer->date, peer->command};
  bp_text text = {0};
  bp_text_append(&text, peer->program);
  const char *joint = ": ";
  for (size_t n = 0; n < sizeof parts / sizeof *parts; ++n) {
    if (!*parts[n])
      continue;
    bp_text_appendf(&text, "%s%s", joint, parts[n]);
    joint = ", ";
  }
  return text.data;
}

void bp_peers_append(const bp_peers *peers, const bp_record *record, bp_form form,
                     const bp_style *style, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  bp_text said = {0};
  bool any = false;
  for (int64_t n = 0; n < groups.count; ++n) {
    const bp_peer *programs[BP_PEERS_PROGRAMS];
    const int count = bp_peers_programs(peers, &groups.groups[n], programs);
    if (count)
      append_group(peers, &groups.groups[n], programs, count, form, style, text);
    any |= count > 0;
  }
  if (any)
    append_line(form, meanings,
                "How many times as fast bp's fastest variant is stands behind each program's time",
                text);
  for (int n = 0; any && n < peers->count; ++n) {
    char *source = source_of(&peers->items[n]);
    if (!strstr(bp_text_string(&said), source))
      append_line(form, sources, source, text);
    bp_text_append(&said, source);
    bp_free(source);
  }
  if (peers->count && !any)
    append_line(form, sources,
                "No figure of another program is of a problem, degree and size of this record",
                text);
  bp_text_destroy(&said);
  bp_groups_destroy(&groups);
}
