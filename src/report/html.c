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

enum { FOUND_MOST = 6 }; /* more say nothing at a glance */

/* What is said of a group counts only what its kernels did themselves, from memory. */
static bool is_quotable(const bp_row *row)
{
  return bp_row_flag(row) == ' ' && isfinite(bp_row_roofline_fraction(row));
}

typedef struct {
  const bp_row *most, *least;
} reached;

/* By the fastest variant of each degree. */
static void look_at(reached *r, const bp_group *group)
{
  bp_series_set set = bp_series_of(group);
  for (int degree = set.first; degree <= set.last; ++degree) {
    const bp_row *row = set.best[degree];
    if (!row || !is_quotable(row))
      continue;
    const double fraction = bp_row_roofline_fraction(row);
    r->most = r->most && bp_row_roofline_fraction(r->most) > fraction ? r->most : row;
    r->least = r->least && bp_row_roofline_fraction(r->least) < fraction ? r->least : row;
  }
  bp_series_destroy(&set);
}

static void append_part(const bp_row *row, bool has_name, bp_text *text)
{
  bp_number number;
  bp_text_appendf(text, "<b>%s</b> (", bp_number_percent(number, bp_row_roofline_fraction(row)));
  element(text, "", has_name ? row->problem : "", has_name ? ", " : "");
  bp_text_appendf(text, "N=%d)", row->degree);
}

/* "bp3.5 reaches 91.2 % (N=2) to 97.8 % (N=7) of what a copy of its bytes allows". */
static void append_found(const reached *r, const char *name, bool has_names, bp_text *text)
{
  element(text, "<p class=\"found\">", name, "");
  if (!r->most) {
    bp_text_append(text, ": no row at memory's speed is without a mark</p>\n");
    return;
  }
  bp_text_append(text, " reaches ");
  if (r->least != r->most) {
    append_part(r->least, has_names, text);
    bp_text_append(text, " to ");
  }
  append_part(r->most, has_names, text);
  bp_text_append(text, " of what a copy of its bytes allows</p>\n");
}

/* A sentence for each table, or one for all. */
static void append_sentences(const bp_groups *groups, bp_text *text)
{
  reached all = {0};
  for (int64_t g = 0; g < groups->count; ++g) {
    reached one = {0};
    char *title = bp_group_title(&groups->groups[g], ", ");
    look_at(groups->count <= FOUND_MOST ? &one : &all, &groups->groups[g]);
    if (groups->count <= FOUND_MOST)
      append_found(&one, groups->count == 1 ? groups->groups[g].problem : title, false, text);
    bp_free(title);
  }
  if (groups->count > FOUND_MOST)
    append_found(&all, "The fastest variant of each degree", true, text);
}

static void append_flags(const bp_record *record, bp_text *text)
{
  for (const bp_flag *f = bp_flags; f->flag; ++f) {
    long long count = 0;
    for (int64_t n = 0; n < record->rows_count; ++n)
      count += bp_row_flag(&record->rows[n]) == f->flag;
    if (count)
      bp_text_appendf(text, " <span%s><b>%c</b> %lld row%s %s.</span>",
                      f->flag == 'c' ? "" : " class=\"alarm\"", f->flag, count,
                      count == 1 ? "" : "s", f->means);
  }
}

static void append_summary(const bp_drawing *drawing, bp_text *text)
{
  const bp_record *record = drawing->record;
  long long wrong = 0, skipped = 0;
  for (int64_t n = 0; n < record->rows_count; ++n) {
    wrong += record->rows[n].status == BP_ROW_WRONG;
    skipped += record->rows[n].status == BP_ROW_SKIPPED;
  }
  append_sentences(&drawing->groups, text);
  bp_text_appendf(text, "<p class=\"wide\">%lld row%s%s.", (long long)record->rows_count,
                  record->rows_count == 1 ? "" : "s", record->interrupted ? ", interrupted" : "");
  if (skipped)
    bp_text_appendf(text, " %lld skipped.", skipped);
  if (wrong)
    bp_text_appendf(text, " <span class=\"alarm\">%lld wrong: no rate is given for them.</span>",
                    wrong);
  append_flags(record, text);
  bp_text_append(text, "</p>\n");
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

static void append_tables(const bp_drawing *drawing, bp_text *text)
{
  bp_text_append(text,
                 "<h2 id=\"tables\">Tables</h2>\n<p class=\"how\">A click on a heading sorts; "
                 "* faster than all other variants of its degree, ~ the "
                 "fastest and those that bp compare does not tell from it.</p>\n");
  for (int64_t g = 0; g < drawing->all.count; ++g) {
    const bp_group *group = &drawing->all.groups[g];
    char *title = bp_group_title(group, ", ");
    bp_rows_table t = {.all = bp_columns, .group = group, .form = BP_FORM_HTML};
    element(text, "<h3>", title, "</h3>\n");
    bp_rows_table_fill(&t);
    bp_table_append(&t.table, BP_FORM_HTML, NULL, text);
    bp_table_destroy(&t.table);
    bp_free(title);
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
        bp_format("%s element%s of order %d, %s vertices, volume %s%s%s",
                  bp_number_grouped(elements, mesh->elements), mesh->elements == 1 ? "" : "s",
                  mesh->order, bp_number_grouped(vertices, mesh->vertices),
                  bp_number_four(volume, mesh->volume), *mesh->format ? ", " : "", mesh->format);
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
    bp_peers_append(wishes->peers, record, BP_FORM_HTML, NULL, text);
  append_figures(sections, false, text);
  append_environment(record, text);
  bp_text_appendf(text, "%s</main>\n%s</body>\n</html>\n", bp_html_how_to_read, bp_html_script);
  bp_free(devices);
  bp_free(title);
  for (int f = 0; f < BP_FIGURES; ++f)
    bp_panels_destroy(&sections[f].panels);
  bp_drawing_destroy(&drawing);
}
