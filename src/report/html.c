/* html.c -- the page. */
#include "report/html.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/columns.h"
#include "report/figure.h"
#include "report/html_texts.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void element(bp_text *text, const char *open, const char *content, const char *close)
{
  bp_text_append(text, open);
  bp_safe_xml(text, content);
  bp_text_append(text, close);
}

/* ---- what stands on top ---- */

enum { TILES_MOST = 6 }; /* more say nothing at a glance */

/* "bp3.5: 97.8 % at N=7, 91.2 % at worst" for every group, from the fastest variant of each degree. */
static void append_tile(const bp_group *group, bp_text *text)
{
  const bp_row *most = NULL, *least = NULL;
  for (int64_t n = 0; n < group->count; ++n) {
    const bp_row *row = group->rows[n], *best = row;
    for (int64_t m = 0; m < group->count; ++m) {
      const bp_row *other = group->rows[m];
      if (other->degree == row->degree && bp_row_gflops(other) > bp_row_gflops(best))
        best = other;
    }
    double fraction = bp_row_roofline_fraction(row);
    if (best != row || !isfinite(fraction))
      continue;
    most = most && bp_row_roofline_fraction(most) > fraction ? most : row;
    least = least && bp_row_roofline_fraction(least) < fraction ? least : row;
  }
  if (!most)
    return;
  bp_number high, low;
  char *title = bp_group_title(group, ", ");
  bp_text_appendf(text, "<div class=\"tile\"><b>%s</b>of the copy roofline at N=%d",
                  bp_number_percent(high, bp_row_roofline_fraction(most)), most->degree);
  if (least != most)
    bp_text_appendf(text, ", least %s at N=%d",
                    bp_number_percent(low, bp_row_roofline_fraction(least)), least->degree);
  element(text, "<br><span class=\"how\">", title, "</span></div>\n");
  bp_free(title);
}

static void append_summary(const bp_drawing *drawing, bp_text *text)
{
  const bp_record *record = drawing->record;
  long long wrong = 0, skipped = 0, throttled = 0;
  char *crowd = bp_record_crowd(record);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    const bp_row *row = &record->rows[n];
    wrong += row->status == BP_ROW_WRONG;
    skipped += row->status == BP_ROW_SKIPPED;
    throttled += row->power.throttle && *row->power.throttle;
  }
  bp_text_append(text, "<div class=\"tiles\">\n");
  for (int64_t g = 0; drawing->groups.count <= TILES_MOST && g < drawing->groups.count; ++g)
    append_tile(&drawing->groups.groups[g], text);
  bp_text_appendf(text, "</div>\n<p>%lld rows, %lld skipped.", (long long)record->rows_count,
                  skipped);
  if (wrong)
    bp_text_appendf(text, " <span class=\"alarm\">%lld wrong: no rate is given for them.</span>",
                    wrong);
  if (throttled)
    bp_text_appendf(text, " <span class=\"alarm\">%lld ran while the device was throttled.</span>",
                    throttled);
  if (crowd)
    element(text, " <span class=\"alarm\">", crowd, ".</span>");
  bp_free(crowd);
  bp_text_appendf(text, "%s</p>\n", record->interrupted ? " The run was interrupted." : "");
}

/* ---- figures ---- */

/* The first that is shown stands before the tables, the rest behind them. */
typedef struct {
  bp_panels panels;
  bool is_shown, is_first;
} section;

static void draw_sections(const bp_drawing *drawing, section sections[BP_FIGURES])
{
  bool has_first = false;
  for (int f = 0; f < BP_FIGURES; ++f) {
    section s = {.panels = bp_figure_panels(&bp_figures[f], drawing)};
    for (int n = 0; n < s.panels.count; ++n)
      s.is_shown |= !s.panels.panels[n].is_spare;
    s.is_first = s.is_shown && !has_first;
    has_first |= s.is_shown;
    sections[f] = s;
  }
}

static void append_figures(const section *sections, bool is_first, bp_text *text)
{
  for (int f = 0; f < BP_FIGURES; ++f) {
    const bp_figure *figure = &bp_figures[f];
    const bp_panels *panels = &sections[f].panels;
    if (!sections[f].is_shown || sections[f].is_first != is_first)
      continue;
    bp_text_appendf(text,
                    "<h2 id=\"%s\">%s</h2>\n<p class=\"how\">%s</p>\n<div class=\"panels\">\n",
                    figure->name, figure->title, figure->how);
    for (const bp_panel *p = panels->panels; p < panels->panels + panels->count; ++p) {
      if (p->is_spare)
        continue;
      bp_text_append(text, "<div class=\"panel\">");
      bp_svg_begin(text, p->width, p->height, figure->title, false);
      bp_text_append(text, p->svg.data);
      bp_svg_end(text);
      bp_text_append(text, "</div>\n");
    }
    bp_text_append(text, "</div>\n");
  }
}

/* ---- tables ---- */

static void append_heads(const bp_group *group, bp_text *text)
{
  bp_text_append(text, "<thead><tr>");
  for (const bp_column *column = bp_columns; column->title; ++column)
    if (bp_column_is_shown(column, group))
      bp_text_appendf(text, "<th%s title=\"%s\"><button>%s</button></th>",
                      column->left ? " class=\"l\"" : "", column->meaning,
                      strcmp(column->title, "+-") == 0 ? "&plusmn;" : column->title);
  bp_text_append(text, "<th class=\"l\" title=\"ok, wrong or skipped, and why\"><button>status"
                       "</button></th></tr></thead>\n");
}

static void append_row(const bp_group *group, int64_t n, bp_text *text)
{
  static const char *const classes[] = {"", " class=\"wrong\"", " class=\"skipped\""};
  const bp_row *row = group->rows[n];
  bp_mark mark = bp_group_mark(group, n);
  bp_text_appendf(text, "<tr%s>",
                  mark == BP_MARK_BEST   ? " class=\"best\""
                  : mark == BP_MARK_TIED ? " class=\"tied\""
                                         : classes[row->status]);
  for (const bp_column *column = bp_columns; column->title; ++column) {
    bp_text cell = {0};
    if (!bp_column_is_shown(column, group))
      continue;
    bp_text_append(text, column->left ? "<td class=\"l\"" : "<td");
    if (row->status == BP_ROW_OK || column->names) {
      column->print(group, row, true, &cell);
      if (column->value && isfinite(column->value(row))) {
        char number[32];
        bp_text_appendf(text, " data-v=\"%s\"", bp_print_double(number, column->value(row)));
      }
    }
    element(text, ">", bp_text_string(&cell), "</td>");
    bp_text_destroy(&cell);
  }
  bp_text reason = {0};
  bp_columns_print_reason(row, &reason);
  element(text, row->status == BP_ROW_OK ? "<td class=\"l\">" : "<td class=\"l w\">",
          row->status == BP_ROW_OK ? "ok" : bp_text_string(&reason), "</td></tr>\n");
  bp_text_destroy(&reason);
}

static void append_tables(const bp_drawing *drawing, bp_text *text)
{
  bp_text_append(text,
                 "<h2 id=\"tables\">Tables</h2>\n<p class=\"how\">A click on a heading sorts; "
                 "bold: faster than all other variants of its degree, ~ the fastest and those that "
                 "bp compare does not tell from it.</p>\n");
  for (int64_t g = 0; g < drawing->all.count; ++g) {
    const bp_group *group = &drawing->all.groups[g];
    char *title = bp_group_title(group, ", ");
    element(text, "<h3>", title, "</h3>\n<div class=\"scroll\"><table>");
    bp_free(title);
    append_heads(group, text);
    bp_text_append(text, "<tbody>\n");
    for (int64_t n = 0; n < group->count; ++n)
      append_row(group, n, text);
    bp_text_append(text, "</tbody></table></div>\n");
  }
}

/* ---- what it was measured on, and how to read it ---- */

static void append_fact(bp_text *text, const char *key, const char *value)
{
  element(text, "<dt>", key, "</dt>");
  element(text, "<dd>", value, "</dd>\n");
}

static void append_bounds(const bp_record *record, bp_text *text)
{
  for (int n = 0; n < record->bounds_count; ++n) {
    const bp_bound *bound = &record->bounds[n];
    bp_number four;
    char *value =
        bp_format("%s %s, %s", bp_number_four(four, bound->value), bound->unit, bound->source);
    char *key = bp_format("%s of %s", bound->name, *bound->device ? bound->device : "the device");
    append_fact(text, key, value);
    bp_free(key);
    bp_free(value);
  }
}

static void append_environment(const bp_record *record, bp_text *text)
{
  char seed[24];
  snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)record->seed);
  bp_text_append(text, "<h2 id=\"environment\">Environment</h2>\n<dl>\n");
  append_fact(text, "bp", record->version);
  append_fact(text, "time", record->time);
  append_fact(text, "seed", seed);
  for (int n = 0; n < record->environment_count; ++n)
    append_fact(text, record->environment[n].key, record->environment[n].value);
  for (int n = 0; n < record->meshes_count; ++n) {
    const bp_record_mesh *mesh = &record->meshes[n];
    bp_number elements, vertices, volume;
    char *value =
        bp_format("%s elements of order %d, %s vertices, volume %s%s%s",
                  bp_number_grouped(elements, mesh->elements), mesh->order,
                  bp_number_grouped(vertices, mesh->vertices), bp_number_four(volume, mesh->volume),
                  *mesh->format ? ", " : "", mesh->format);
    append_fact(text, mesh->name, value);
    bp_free(value);
  }
  append_bounds(record, text);
  element(text, "</dl>\n<h2 id=\"command\">Command</h2>\n<pre>", record->command, "</pre>\n");
  if (*record->config)
    element(text, "<h3>Resolved config</h3>\n<pre>", record->config, "</pre>\n");
}

/* The devices of the rows, or how many there are. */
static char *devices_of(const bp_record *record)
{
  enum { NAMED = 2 };
  const char *names[NAMED];
  int count = 0;
  for (int64_t n = 0; n < record->rows_count; ++n) {
    bool is_new = true;
    for (int m = 0; m < count && m < NAMED; ++m)
      is_new &= strcmp(names[m], record->rows[n].device) != 0;
    if (is_new && count < NAMED)
      names[count] = record->rows[n].device;
    count += is_new;
  }
  return count == 0   ? bp_strdup("no device")
         : count == 1 ? bp_strdup(names[0])
         : count == 2 ? bp_format("%s and %s", names[0], names[1])
                      : bp_strdup("several devices");
}

static void append_head(const bp_record *record, const char *title, bp_text *text)
{
  bp_text_append(text, bp_html_head);
  element(text, "<title>", title, "</title>\n<style>\n");
  bp_svg_append_palette(text);
  bp_svg_append_style(text);
  bp_text_appendf(text, "%s</style>\n</head>\n<body class=\"bp\">\n<main>\n", bp_html_style);
  element(text, "<h1>", title, "</h1>\n<p class=\"how\">");
  element(text, "bp ", record->version, ", ");
  element(text, "", record->time, "</p>\n");
}

static void append_figure_links(const section *sections, bool is_first, bp_text *text)
{
  for (int f = 0; f < BP_FIGURES; ++f)
    if (sections[f].is_shown && sections[f].is_first == is_first)
      bp_text_appendf(text, "<a href=\"#%s\">%s</a> ", bp_figures[f].name, bp_figures[f].title);
}

static void append_links(const section *sections, bp_text *text)
{
  bp_text_append(text, "<nav>");
  append_figure_links(sections, true, text);
  bp_text_append(text, "<a href=\"#tables\">Tables</a> ");
  append_figure_links(sections, false, text);
  bp_text_append(text, "<a href=\"#environment\">Environment</a> <a href=\"#command\">Command</a> "
                       "<a href=\"#reading\">How to read this</a></nav>\n");
}

static bool are_solves(const bp_record *record)
{
  bool are = record->rows_count > 0;
  for (int64_t n = 0; n < record->rows_count; ++n)
    are = are && bp_row_is_solve(&record->rows[n]);
  return are;
}

void bp_report_html(const bp_record *record, const bp_wishes *wishes, bp_text *text)
{
  bp_drawing drawing = bp_drawing_of(record, wishes);
  section sections[BP_FIGURES];
  char *devices = devices_of(record);
  char *title = wishes->title ? bp_strdup(wishes->title)
                              : bp_format("CEED bake-off %s on %s",
                                          are_solves(record) ? "solves" : "operators", devices);
  draw_sections(&drawing, sections);
  append_head(record, title, text);
  append_links(sections, text);
  append_summary(&drawing, text);
  append_figures(sections, true, text);
  append_tables(&drawing, text);
  if (wishes->peers)
    bp_peers_html(wishes->peers, record, text);
  append_figures(sections, false, text);
  append_environment(record, text);
  bp_text_appendf(text, "%s</main>\n%s</body>\n</html>\n", bp_html_how_to_read, bp_html_script);
  bp_free(devices);
  bp_free(title);
  for (int f = 0; f < BP_FIGURES; ++f)
    bp_panels_destroy(&sections[f].panels);
  bp_drawing_destroy(&drawing);
}
