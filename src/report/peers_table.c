/* peers_table.c -- bp's best beside other programs, as a table for a terminal, a document or a page. */
#include "report/peers.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/grid.h"
#include "report/number.h"
#include "report/report.h"
#include "report/series.h"
#include "report/svg.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 3 + 2 * BP_PEERS_PROGRAMS };

static void put_peer(bp_grid *g, int row, int column, const bp_peer *peer, const bp_row *best,
                     bool unicode)
{
  bp_number number;
  bool is_known = peer != NULL;
  bp_grid_put(g, row, column,
              bp_strdup(is_known ? bp_number_seconds(number, peer->seconds, unicode) : ""));
  bp_grid_put(g, row, column + 1,
              bp_strdup(is_known ? bp_number_fixed(number, bp_peer_ratio(peer, best), 2) : ""));
}

static void fill_row(bp_grid *g, int row, const bp_row *best, const bp_peers *peers,
                     const bp_peer *const *programs, int count, bool unicode)
{
  bp_number number;
  bp_grid_put(g, row, 0, bp_strdup(bp_number_fixed(number, best->degree, 0)));
  bp_grid_put(g, row, 1, bp_strdup(best->variant));
  bp_grid_put(g, row, 2,
              bp_strdup(bp_number_seconds(number, best->seconds.statistics.median, unicode)));
  for (int p = 0; p < count; ++p)
    put_peer(g, row, 3 + 2 * p, bp_peers_find(peers, programs[p], best), best, unicode);
}

static int degrees_of(const bp_series_set *set)
{
  int count = 0;
  for (int degree = set->first; degree <= set->last; ++degree)
    count += set->best[degree] != NULL;
  return count;
}

/* No columns where the group has no peers. */
static bp_grid grid_of(const bp_peers *peers, const bp_group *group, bool unicode, char **title)
{
  const bp_peer *programs[BP_PEERS_PROGRAMS];
  int count = bp_peers_programs(peers, group, programs), row = 1;
  *title = NULL;
  if (count == 0)
    return (bp_grid){0};
  bp_series_set set = bp_series_of(group);
  char *of = bp_group_title(group, ", ");
  *title = bp_format("%s, beside other programs", of);
  bp_grid g = bp_grid_create(1 + degrees_of(&set), 3 + 2 * count);
  bp_grid_put(&g, 0, 0, bp_strdup("N"));
  bp_grid_put(&g, 0, 1, bp_strdup("variant"));
  bp_grid_put(&g, 0, 2, bp_strdup("bp"));
  for (int p = 0; p < count; ++p) {
    bp_grid_put(&g, 0, 3 + 2 * p, bp_peer_label(peers, programs[p], group->rows[0]));
    bp_grid_put(&g, 0, 4 + 2 * p, bp_strdup(unicode ? "\xc3\x97" : "x"));
  }
  for (int degree = set.first; degree <= set.last; ++degree)
    if (set.best[degree])
      fill_row(&g, row++, set.best[degree], peers, programs, count, unicode);
  bp_free(of);
  bp_series_destroy(&set);
  return g;
}

/* ---- where figures are from ---- */

static bool has_shown_before(const bp_peers *peers, int n)
{
  const bp_peer *peer = &peers->items[n];
  for (int m = 0; m < n; ++m) {
    const bp_peer *other = &peers->items[m];
    if (strcmp(peer->program, other->program) == 0 && strcmp(peer->version, other->version) == 0 &&
        strcmp(peer->machine, other->machine) == 0 && strcmp(peer->date, other->date) == 0 &&
        strcmp(peer->command, other->command) == 0)
      return true;
  }
  return false;
}

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

static const char meaning[] = "How many times as fast bp's fastest variant is stands behind each "
                              "program's time";

typedef void print_grid(const bp_grid *g, const char *title, bp_text *text);
typedef void print_line(const char *line, bp_text *text);

static void append_all(const bp_peers *peers, const bp_record *record, bool unicode,
                       print_grid *print, print_line *note, bp_text *text)
{
  bp_groups groups = bp_groups_of(record);
  bool any = false;
  for (int64_t n = 0; n < groups.count; ++n) {
    char *title;
    bp_grid g = grid_of(peers, &groups.groups[n], unicode, &title);
    if (g.columns)
      print(&g, title, text);
    any |= g.columns > 0;
    bp_grid_destroy(&g);
    bp_free(title);
  }
  if (any)
    note(meaning, text);
  for (int n = 0; any && n < peers->count; ++n) {
    if (has_shown_before(peers, n))
      continue;
    char *source = source_of(&peers->items[n]);
    note(source, text);
    bp_free(source);
  }
  if (peers->count && !any)
    note("No figure of another program is of a problem, degree and size of this record", text);
  bp_groups_destroy(&groups);
}

/* ---- forms ---- */

static void print_plain(const bp_grid *g, const char *title, bp_text *text)
{
  static const bool is_left[COLUMNS_MAX] = {[1] = true};
  int gap[COLUMNS_MAX] = {2, 2, 2};
  for (int c = 3; c < g->columns; ++c)
    gap[c] = 1 + c % 2;
  bp_text_append(text, "\n");
  bp_safe_line(text, title);
  bp_text_append(text, "\n");
  bp_grid_print(g, is_left, gap, NULL, text);
}

static void note_plain(const char *line, bp_text *text)
{
  bp_text_append(text, line == meaning ? "\n" : "  ");
  bp_safe_line(text, line);
  bp_text_append(text, "\n");
}

static void print_markdown(const bp_grid *g, const char *title, bp_text *text)
{
  bp_text_append(text, "\n### ");
  bp_safe_markdown(text, title);
  bp_text_append(text, "\n\n");
  for (int r = 0; r < g->rows; ++r) {
    bp_text_append(text, "|");
    for (int c = 0; c < g->columns; ++c) {
      bp_text_append(text, " ");
      bp_safe_markdown(text, bp_grid_cell(g, r, c));
      bp_text_append(text, " |");
    }
    bp_text_append(text, "\n");
    for (int c = 0; r == 0 && c < g->columns; ++c)
      bp_text_append(text, c == 0 ? "|--:|" : c == 1 ? ":--|" : "--:|");
    bp_text_append(text, r ? "" : "\n");
  }
}

static void note_markdown(const char *line, bp_text *text)
{
  bp_text_append(text, line == meaning ? "\n" : "* ");
  bp_safe_markdown(text, line);
  bp_text_append(text, line == meaning ? ":\n\n" : "\n");
}

static void print_html(const bp_grid *g, const char *title, bp_text *text)
{
  bp_text_append(text, "<h3>");
  bp_safe_xml(text, title);
  bp_text_append(text, "</h3>\n<div class=\"scroll\"><table class=\"peers\">");
  for (int r = 0; r < g->rows; ++r) {
    const char *tag = r ? "td" : "th";
    bp_text_append(text, r ? "<tr>" : "<thead><tr>");
    for (int c = 0; c < g->columns; ++c) {
      bp_text_appendf(text, "<%s%s>", tag, c == 1 ? " class=\"l\"" : "");
      bp_safe_xml(text, bp_grid_cell(g, r, c));
      bp_text_appendf(text, "</%s>", tag);
    }
    bp_text_append(text, r ? "</tr>\n" : "</tr></thead>\n<tbody>\n");
  }
  bp_text_append(text, "</tbody></table></div>\n");
}

static void note_html(const char *line, bp_text *text)
{
  bp_text_append(text, "<p class=\"how\">");
  bp_safe_xml(text, line);
  bp_text_append(text, "</p>\n");
}

void bp_peers_table(const bp_peers *peers, const bp_record *record, const bp_style *style,
                    bp_text *text)
{
  append_all(peers, record, style->unicode, print_plain, note_plain, text);
}

void bp_peers_markdown(const bp_peers *peers, const bp_record *record, bp_text *text)
{
  append_all(peers, record, true, print_markdown, note_markdown, text);
}

void bp_peers_html(const bp_peers *peers, const bp_record *record, bp_text *text)
{
  append_all(peers, record, true, print_html, note_html, text);
}
