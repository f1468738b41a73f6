/* html.c -- the page. */
#include "report/report.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/columns.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is the same on every page ---- */

/* Only the script below may run, by its SHA-256 (`openssl dgst -sha256 -binary | base64` of what stands
 * between its tags; tests/cli/report.sh tells the new one), and nothing is fetched. */
#define SCRIPT_HASH "2txe8k6iR72VFxWfh1e2NpoMNLdCXQIuBn6a6Edqsvs="

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'sha256-" SCRIPT_HASH
    "'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";

static const char style[] =
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    "main{max-width:1440px;margin:0 auto;padding:1.2rem 1.4rem 4rem}\n"
    "h1{font-size:1.6rem;margin:.4rem 0}h2{font-size:1.2rem;margin:2.4rem 0 .4rem;"
    "border-bottom:1px solid var(--rule);padding-bottom:.2rem}h3{font-size:1rem;margin:1.4rem 0 "
    ".4rem}\n"
    "p{max-width:70ch;margin:.4rem 0}.how{color:var(--soft)}a{color:var(--c0)}"
    "nav a{margin-right:1.1em;white-space:nowrap}\n"
    "pre{overflow-x:auto;background:color-mix(in srgb,var(--rule) 40%,transparent);padding:.6rem "
    ".8rem;border-radius:4px;font-size:13px}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,560px),1fr));"
    "gap:1.2rem 1.4rem}.panel{overflow-x:auto;max-width:100%}"
    ".panel>svg{display:block;max-width:max(100%,400px);height:auto}\n"
    ".scroll{overflow:auto;max-width:100%;max-height:90vh}table{border-collapse:collapse;font-size:"
    "13px;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--rule)}th.l,td.l{text-align:left}\n"
    "td.l:last-child{white-space:normal;min-width:14em}tr.best td{font-weight:600}thead "
    "th{position:sticky;top:0;z-index:1;background:var(--paper)}th:nth-child(2),td:nth-child(2){"
    "position:sticky;left:0;background:var(--paper)}thead th:nth-child(2){z-index:2}"
    "tr.wrong td{color:var(--bad)}tr.skipped td{color:var(--soft)}\n"
    "th button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;"
    "cursor:pointer}th[aria-sort] button{text-decoration:underline}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:13px}"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".found{font-size:1.15rem}.found,p.wide{max-width:none}"
    ".alarm{color:var(--bad);font-weight:600}\n"
    "@media "
    "print{main{max-width:none;padding:0}nav{display:none}.scroll{max-height:none}.panel,tr{break-"
    "inside:avoid}"
    "th button{cursor:auto}body{font-size:11px}}\n";

/* Figures sort as numbers, by data-v where the cell prints a unit; rows without one go last. */
static const char script[] =
    "<script>\n"
    "for (const button of document.querySelectorAll('th button')) button.onclick = () => {\n"
    "  const th = button.parentElement, body = th.closest('table').tBodies[0];\n"
    "  const n = th.cellIndex, down = th.getAttribute('aria-sort') !== 'descending';\n"
    "  const key = row => row.cells[n].dataset.v ?? row.cells[n].textContent.replace(' %', '');\n"
    "  const rows = [...body.rows].sort((a, b) => {\n"
    "    const x = key(a), y = key(b);\n"
    "    if (!x || !y) return !x - !y;\n"
    "    const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;\n"
    "    return down ? -order : order;\n"
    "  });\n"
    "  for (const other of th.parentElement.cells) other.removeAttribute('aria-sort');\n"
    "  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');\n"
    "  body.append(...rows);\n"
    "};\n"
    "</script>\n";

static const char how_to_read[] =
    "<h2 id=\"reading\">How to read this</h2>\n"
    "<p>Each row is one operator (problem) at one degree N on one mesh, applied by one kernel "
    "(variant). GFLOPS and GB/s come from the model's flops and bytes of the operator and the "
    "median time, so rows of one problem and degree compare by time alone.</p>\n"
    "<p>The <b>roofline</b> is what those flops would reach if the model's bytes moved as fast as "
    "a plain copy of as many bytes, timed in the same rounds and the same cache mode. "
    "<b>Reached</b> is the part of it that the kernel got. A kernel that reads much more than it "
    "writes may pass 100 %, for reading is a little faster than copying.</p>\n"
    "<p>Every result was compared with a reference before its time was believed: <b>error</b> is "
    "the largest normalised difference, <b>tolerance</b> what is allowed. A wrong row has no "
    "rate. <b>&plusmn;</b> is half of the 95 % confidence interval of the median.</p>\n";

/* ---- what stands on top ---- */

static void element(bp_text *text, const char *open, const char *content, const char *close)
{
  bp_text_append(text, open);
  bp_safe_xml(text, content);
  bp_text_append(text, close);
}

enum { FOUND_MOST = 6 }; /* more tables say nothing at a glance */

/* What is said of a group counts only what its kernels did themselves, from memory. */
static bool is_quotable(const bp_row *row)
{
  return row && bp_row_flag(row) == ' ' && isfinite(bp_row_roofline_fraction(row));
}

static void append_part(const char *before, const bp_row *row, bp_text *text)
{
  bp_number number;
  bp_text_appendf(text, "%s<b>%s</b> (N=%d)", before,
                  bp_number_percent(number, bp_row_roofline_fraction(row)), row->degree);
}

/* "bp3.5 reaches 91.2 % (N=2) to 97.8 % (N=7) of what a copy of its bytes allows", of `count` groups. */
static void append_found(const bp_group *groups, int64_t count, const char *name, bp_text *text)
{
  const bp_row *least = NULL, *most = NULL;
  for (int64_t g = 0; g < count; ++g) {
    bp_series_set set = bp_series_of(&groups[g]);
    for (int degree = set.first; degree <= set.last; ++degree) {
      const bp_row *row = set.best[degree];
      if (!is_quotable(row))
        continue;
      const double fraction = bp_row_roofline_fraction(row);
      most = most && bp_row_roofline_fraction(most) > fraction ? most : row;
      least = least && bp_row_roofline_fraction(least) < fraction ? least : row;
    }
    bp_series_destroy(&set);
  }
  element(text, "<p class=\"found\">", name, "");
  if (most) {
    append_part(" reaches ", least, text);
    if (least != most)
      append_part(" to ", most, text);
    bp_text_append(text, " of what a copy of its bytes allows</p>\n");
  } else {
    bp_text_append(text, ": no row at memory's speed is without a mark</p>\n");
  }
}

/* A sentence for each table where they are few, else for each problem. */
static void append_sentences(const bp_groups *groups, bp_text *text)
{
  const bool by_table = groups->count <= FOUND_MOST;
  for (int64_t g = 0, end; g < groups->count; g = end) {
    const bp_group *group = &groups->groups[g];
    for (end = g + 1; !by_table && end < groups->count; ++end)
      if (strcmp(groups->groups[end].problem, group->problem) != 0)
        break;
    char *title = by_table && groups->count > 1 ? bp_group_title(group, ", ")
                                                : bp_format("%s", group->problem);
    append_found(group, end - g, title, text);
    bp_free(title);
  }
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

static bool is_shown(const bp_panels *panels)
{
  bool is = false;
  for (int n = 0; n < panels->count; ++n)
    is |= !panels->panels[n].is_spare;
  return is;
}

static void append_figure(const bp_figure *figure, const bp_panels *panels, bp_text *text)
{
  bp_text_appendf(text, "<h2 id=\"%s\">%s</h2>\n<p class=\"how\">%s</p>\n<div class=\"panels\">\n",
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
  if (drawing->wishes->peers)
    bp_peers_append(drawing->wishes->peers, drawing->record, BP_FORM_HTML, NULL, text);
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

static void append_head(const bp_record *record, const char *title, bp_text *text)
{
  bp_text_append(text, head);
  element(text, "<title>", title, "</title>\n<style>\n");
  bp_svg_append_palette(text);
  bp_svg_append_style(text);
  bp_text_appendf(text, "%s</style>\n</head>\n<body class=\"bp\">\n<main>\n", style);
  element(text, "<h1>", title, "</h1>\n<p class=\"how\">");
  element(text, "bp ", record->version, ", ");
  element(text, "", record->time, "</p>\n");
}

static void append_links(const bp_panels *panels, bp_text *text)
{
  bp_text_append(text, "<nav><a href=\"#tables\">Tables</a> ");
  for (int f = 0; f < BP_FIGURES; ++f)
    if (is_shown(&panels[f]))
      bp_text_appendf(text, "<a href=\"#%s\">%s</a> ", bp_figures[f].name, bp_figures[f].title);
  bp_text_append(text, "<a href=\"#environment\">Environment</a> <a href=\"#command\">Command</a> "
                       "<a href=\"#reading\">How to read this</a></nav>\n");
}

/* The first figure stands before the tables, the rest behind them. */
void bp_report_html(const bp_record *record, const bp_wishes *wishes, bp_text *text)
{
  bp_drawing drawing = bp_drawing_of(record, wishes);
  bp_panels panels[BP_FIGURES];
  bool has_tables = false;
  char *title = wishes->title ? bp_strdup(wishes->title)
                              : bp_format("CEED bake-off problems on %s", bp_record_device(record));
  for (int f = 0; f < BP_FIGURES; ++f)
    panels[f] = bp_figure_panels(&bp_figures[f], &drawing);
  append_head(record, title, text);
  append_links(panels, text);
  append_summary(&drawing, text);
  for (int f = 0; f < BP_FIGURES; ++f) {
    if (!is_shown(&panels[f]))
      continue;
    append_figure(&bp_figures[f], &panels[f], text);
    if (!has_tables)
      append_tables(&drawing, text);
    has_tables = true;
  }
  if (!has_tables)
    append_tables(&drawing, text);
  append_environment(record, text);
  bp_text_appendf(text, "%s</main>\n%s</body>\n</html>\n", how_to_read, script);
  bp_free(title);
  for (int f = 0; f < BP_FIGURES; ++f)
    bp_panels_destroy(&panels[f]);
  bp_drawing_destroy(&drawing);
}
