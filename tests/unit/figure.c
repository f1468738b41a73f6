/* figure.c -- tests of figures and of the page: well-formed, finite, complete, self-contained. */
#include "sample.h"
#include "test.h"

#include "base/memory.h"
#include "report/axis.h"
#include "report/compare.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/record_fields.h"
#include "report/report.h"
#include "report/series.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const sample_recipe full = {.problems = 3,
                                   .degrees = 15,
                                   .variants = 15,
                                   .samples = 60,
                                   .noise = 0.01,
                                   .slower = 1,
                                   .drift = 1,
                                   .faults = true,
                                   .seed = 5};
static const sample_recipe swept = {.problems = 1,
                                    .degrees = 9,
                                    .variants = 5,
                                    .samples = 30,
                                    .noise = 0.01,
                                    .slower = 1,
                                    .drift = 1,
                                    .sweep = true,
                                    .seed = 6};

/* The rows of `recipe` on another mesh, with `times` as many unknowns. */
static void add_size(bp_record *record, const sample_recipe *recipe, const char *mesh, int times)
{
  bp_record *other = sample_record(recipe);
  for (int64_t n = 0; n < other->rows_count; ++n) {
    bp_record_set(&other->rows[n].mesh, mesh);
    other->rows[n].dofs *= times;
    other->rows[n].nodes *= times;
  }
  bp_record_merge(record, other, "other.json");
}

/* Both, the second on another mesh. */
static bp_record *all_of_it(void)
{
  bp_record *record = sample_record(&full);
  add_size(record, &swept, "big & <bold>.msh", 2);
  return record;
}

/* And a third size. */
static bp_record *three_sizes(void)
{
  bp_record *record = all_of_it();
  add_size(record, &swept, "bigger.msh", 8);
  return record;
}

/* The same, where one of the rows is the first one's problem on two ranks. */
static bp_record *on_ranks(void)
{
  bp_record *record = three_sizes();
  const bp_row *first = &record->rows[0];
  int64_t n = 1;
  while (n < record->rows_count - 1 &&
         (record->rows[n].degree != first->degree || record->rows[n].elements != first->elements ||
          strcmp(record->rows[n].problem, first->problem) != 0))
    ++n;
  record->rows[n].ranks = 2;
  return record;
}

static bp_peer peer_of(char *program, char *problem, int degree, double seconds)
{
  return (bp_peer){.program = program,
                   .problem = problem,
                   .version = "1",
                   .machine = "NVIDIA H200",
                   .command = "",
                   .date = "",
                   .cache = "hot",
                   .degree = degree,
                   .elements = 4096,
                   .seconds = seconds};
}

static int panels_of(const char *figure, const bp_drawing *drawing)
{
  bp_panels panels = bp_figure_panels(bp_figure_find(figure), drawing);
  int count = panels.count;
  bp_panels_destroy(&panels);
  return count;
}

/* Every element that begins ends, in order; returns what is wrong, or NULL. HTML's void elements and the
 * texts of <script> and <style> are passed over. */
static const char *ill_formed(const char *text)
{
  static char message[100];
  char stack[64][16];
  int depth = 0;
  for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
    char name[16] = "";
    sscanf(at + 1, "%15[a-zA-Z0-9/!]", name);
    const char *end = strchr(at, '>');
    if (!end)
      return "a tag never ends";
    if (*name == '!' || end[-1] == '/' || !strcmp(name, "meta") || !strcmp(name, "link") ||
        !strcmp(name, "br"))
      continue;
    if (*name != '/') {
      snprintf(stack[depth < 63 ? depth++ : 63], 16, "%s", name);
      const char *close = !strcmp(name, "script") ? "</script>" : "</style>";
      if (!strcmp(name, "script") || !strcmp(name, "style"))
        at = strstr(at, close) - 1;
    } else if (depth == 0 || strcmp(name + 1, stack[--depth]) != 0) {
      snprintf(message, sizeof message, "<%s> after %d levels", name, depth);
      return message;
    }
  }
  return depth ? "an element never ends" : NULL;
}

/* No figure that is not finite was printed as a coordinate: "-" alone, "nan", "inf". */
static bool has_bad_number(const char *svg)
{
  return strstr(svg, "nan") || strstr(svg, "inf\"") || strstr(svg, "=\"-\"") ||
         strstr(svg, "L- ") || strstr(svg, "M- ") || strstr(svg, " -L") || strstr(svg, "-\"");
}

/* Programs without CSS paint black what has neither: the shape, or NULL. */
static const char *without_color(const char *svg)
{
  static const char *const shapes[] = {"<line ", "<rect ", "<path ", "<circle ", "<text "};
  for (size_t n = 0; n < sizeof shapes / sizeof *shapes; ++n)
    for (const char *at = strstr(svg, shapes[n]); at; at = strstr(at + 1, shapes[n])) {
      const char *fill = strstr(at, " fill=\"#"), *stroke = strstr(at, " stroke=\"#"),
                 *end = strchr(at, '>');
      if (!(fill && fill < end) && !(stroke && stroke < end))
        return at;
    }
  return NULL;
}

TEST(figure, all_are_well_formed)
{
  bp_peer items[] = {peer_of("other <b>", "bp1.0", 2, 1e-4),
                     peer_of("other <b>", "bp3.0", 7, 1e-4)};
  bp_peers peers = {.items = items, .count = 2};
  bp_wishes wishes = {.peers = &peers, .title = "a & b", .x = {2, 5e3}, .y = {NAN, 50}};
  bp_record *record = on_ranks();
  for (int n = 0; n < BP_FIGURES; ++n) {
    bp_text svg = {0};
    CHECK(bp_figure_file(&bp_figures[n], record, &wishes, &svg) == BP_OK, "%s: %s",
          bp_figures[n].name, bp_message());
    const char *wrong = ill_formed(svg.data);
    CHECK(!wrong, "%s: %s", bp_figures[n].name, wrong);
    CHECK(!has_bad_number(svg.data), "%s", bp_figures[n].name);
    CHECK(strncmp(svg.data, "<svg ", 5) == 0 && strstr(svg.data, "prefers-color-scheme:dark"), "%s",
          bp_figures[n].name);
    CHECK(!strstr(svg.data, "<bold>") && !strstr(svg.data, "<b>"), "%s: not escaped",
          bp_figures[n].name);
    CHECK(strstr(svg.data, ">a &amp; b<") != NULL, "%s: no headline", bp_figures[n].name);
    const char *unpainted = without_color(svg.data);
    CHECK(!unpainted, "%s: %.60s", bp_figures[n].name, unpainted);
    CHECK(!strstr(svg.data, "var(") && !strstr(svg.data, "currentColor"), "%s needs CSS",
          bp_figures[n].name);
    bp_text_destroy(&svg);
  }
  bp_record_destroy(record);
}

/* Records as users have them: one row, one wrong row, none, no samples, no copy. */
TEST(figure, little_data_is_no_trouble)
{
  for (int trial = 0; trial < 5; ++trial) {
    sample_recipe one = full;
    one.problems = one.degrees = one.variants = 1;
    one.samples = 3;
    bp_record *record = trial == 2 ? bp_record_create(0, NULL) : sample_record(&one);
    if (trial == 1)
      record->rows[0].status = BP_ROW_WRONG;
    if (trial == 3) {
      bp_free(record->rows[0].seconds.samples);
      record->rows[0].seconds.samples = NULL;
    }
    if (trial == 4)
      record->rows[0].copy.seconds.statistics.count = 0,
      record->rows[0].copy.seconds.statistics.median = 0;
    for (int n = 0; n < BP_FIGURES; ++n) {
      bp_text svg = {0};
      if (bp_figure_file(&bp_figures[n], record, &bp_no_wishes, &svg) == BP_OK)
        CHECK(!ill_formed(svg.data) && !has_bad_number(svg.data), "%s, trial %d",
              bp_figures[n].name, trial);
      bp_text_destroy(&svg);
    }
    bp_text html = {0};
    bp_report_html(record, &bp_no_wishes, &html);
    CHECK(!ill_formed(html.data), "trial %d: %s", trial, ill_formed(html.data));
    bp_text_destroy(&html);
    bp_record_destroy(record);
  }
}

/* Rows that the reader would refuse: nothing is drawn outside an array, and the page is whole. */
TEST(figure, absurd_times_are_no_trouble)
{
  static const double times[][2] = {{5e-324, 5e-324}, {1, 1e-300}, {1, 1e300}, {1e300, 1e300}};
  for (size_t trial = 0; trial < sizeof times / sizeof *times; ++trial) {
    sample_recipe few = full;
    few.problems = few.variants = 1;
    few.degrees = 3;
    bp_record *record = sample_record(&few);
    for (int64_t r = 0; r < record->rows_count; ++r) {
      bp_timing *t = &record->rows[r].seconds;
      t->statistics.minimum = t->statistics.median = t->statistics.maximum = times[trial][0];
      record->rows[r].setup_seconds = times[trial][1];
      for (int64_t n = 0; n < t->statistics.count; n += 2)
        t->samples[n] = times[trial][1];
    }
    bp_record_add_bound(record, record->rows[0].device, "fma", "GFLOPS", 1e308, "measured");
    bp_text html = {0};
    bp_report_html(record, &bp_no_wishes, &html);
    CHECK(!ill_formed(html.data), "trial %zu: %s", trial, ill_formed(html.data));
    bp_text_destroy(&html);
    bp_record_destroy(record);
  }
}

TEST(figure, found_by_name)
{
  for (int n = 0; n < BP_FIGURES; ++n)
    CU_ASSERT(bp_figure_find(bp_figure_names[n]) == &bp_figures[n]);
  CU_ASSERT(!bp_figure_names[BP_FIGURES] && !bp_figure_find("heatmpa"));
}

TEST(figure, an_empty_record_has_none)
{
  bp_record *record = bp_record_create(0, NULL);
  bp_text svg = {0};
  CU_ASSERT(bp_figure_file(&bp_figures[0], record, &bp_no_wishes, &svg) == BP_BAD_INPUT);
  CU_ASSERT(strstr(bp_message(), "expected rows to draw, found none") != NULL);
  bp_record_destroy(record);
}

static int count_of(const char *text, const char *what)
{
  int count = 0;
  for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
    ++count;
  return count;
}

TEST(html, a_full_sweep_is_one_small_page)
{
  bp_record *record = sample_record(&full);
  bp_text html = {0};
  bp_report_html(record, &bp_no_wishes, &html);
  const char *wrong = ill_formed(html.data);
  CHECK(!wrong, "%s", wrong);
  CHECK(html.length < 1000000, "%zu bytes", html.length);
  CU_ASSERT(count_of(html.data, "<tr") == 3 + 3 * 15 * 15);
  CU_ASSERT(count_of(html.data, "<tr class=\"best\">") == 3 * 15);
  CU_ASSERT(count_of(html.data, "<tr class=\"wrong\">") == 3);
  CU_ASSERT(strstr(html.data, "&lt;b&gt;&amp;amp;") != NULL); /* of the config */
  CU_ASSERT(strstr(html.data, "bp run 'configs/my sweep.yaml'") != NULL);
  bp_text_destroy(&html);
  bp_record_destroy(record);
}

/* Nothing is fetched: the only addresses are the name of SVG itself and the empty icon. */
/* Markup in every text of a record comes out as text, in the page and in every figure. */
static void spoil(void *base, const bp_field *fields, const char *text)
{
  for (const bp_field *f = fields; f->key; ++f)
    if (f->kind == BP_FIELD_STRING || f->kind == BP_FIELD_MAYBE_TEXT)
      bp_record_set((char **)((char *)base + f->offset), text);
}

static bp_record *spoiled(const char *text)
{
  bp_record *record = all_of_it();
  bp_record_add_fact(record, text, text);
  bp_record_add_mesh(record);
  bp_record_add_bound(record, "", "", "GFLOPS", 1, "");
  spoil(record, bp_record_fields, text);
  spoil(&record->meshes[record->meshes_count - 1], bp_mesh_fields, text);
  spoil(&record->bounds[record->bounds_count - 1], bp_bound_fields, text);
  for (int64_t n = 0; n < record->rows_count; n += 7) {
    bp_row *row = &record->rows[n];
    spoil(row, bp_row_fields, text);
    char *options = bp_format("%s=1", text);
    bp_record_set(&row->options, options);
    bp_free(options);
  }
  return record;
}

static const char markup[] = "</title></script></style></pre><img/src=x/onerror=alert(1)>\"'&lt;";

TEST(html, no_text_of_a_record_becomes_markup)
{
  bp_record *record = spoiled(markup);
  bp_text page = {0};
  bp_report_html(record, &bp_no_wishes, &page);
  CHECK(!ill_formed(page.data), "%s", ill_formed(page.data));
  CU_ASSERT_EQUAL(count_of(page.data, "<img"), 0);
  CU_ASSERT_EQUAL(count_of(page.data, "</title>"), count_of(page.data, "<title>"));
  CU_ASSERT_EQUAL(count_of(page.data, "</script>"), 1);
  CU_ASSERT(count_of(page.data, "&lt;img/src=x/onerror=alert(1)&gt;&quot;'&amp;lt;") > 20);
  for (int f = 0; f < BP_FIGURES; ++f) {
    bp_text svg = {0};
    if (bp_figure_file(&bp_figures[f], record, &bp_no_wishes, &svg) == BP_OK)
      CHECK(count_of(svg.data, "<img") == 0 && !ill_formed(svg.data), "%s", bp_figures[f].name);
    bp_text_destroy(&svg);
  }
  bp_text markdown = {0};
  bp_report_markdown(record, &markdown);
  char *command =
      strstr(markdown.data, "\n    <"); /* the command: code, in which nothing is special */
  CU_ASSERT_FATAL(command != NULL);
  *command = '\0';
  CU_ASSERT_EQUAL(count_of(markdown.data, "<img"), count_of(markdown.data, "\\<img"));
  bp_text_destroy(&markdown);
  bp_text_destroy(&page);
  bp_record_destroy(record);
}

/* What a terminal obeys is shown. */
TEST(report, control_characters_reach_no_reader)
{
  bp_record *record = spoiled("a\x1b[2J\tb\rc\x9b d\xe2\x80\xae | e\x07\xc2\x9b");
  bp_text text = {0};
  const bp_style style = {.width = 200};
  bp_report_table(record, &style, &text);
  bp_report_figure_terminal(record, &style, &text);
  for (int64_t n = 0; n < record->rows_count; ++n)
    bp_report_row_line(&record->rows[n], &style, &text);
  bp_comparison *c = bp_compare(record, record, 0.05);
  bp_comparison_table(c, &style, &text);
  bp_comparison_destroy(c);
  bp_report_markdown(record, &text);
  bp_report_html(record, &bp_no_wishes, &text);
  size_t clean = strcspn(text.data, "\x1b\r\x07");
  CHECK(clean == text.length, "found %.80s", text.data + clean);
  CU_ASSERT_EQUAL(count_of(text.data, "\xc2\x9b") + count_of(text.data, "c\x9b"), 0);
  CU_ASSERT_EQUAL(count_of(text.data, "\xe2\x80\xae"), 0);
  CU_ASSERT(count_of(text.data, "a\\x1b[2J\\x09b\\x0dc\\x9b d\\u202e | e\\x07\\u009b") > 3);
  CU_ASSERT(count_of(text.data, "d\\u202e \\| e\\x07") > 3); /* in a cell of Markdown */
  bp_text_destroy(&text);
  bp_record_destroy(record);
}

TEST(html, needs_no_network)
{
  bp_record *record = sample_record(&swept);
  bp_text html = {0};
  bp_report_html(record, &bp_no_wishes, &html);
  CU_ASSERT(count_of(html.data, "http:") + count_of(html.data, "https:") ==
            count_of(html.data, "http://www.w3.org/2000/svg"));
  CU_ASSERT(count_of(html.data, "src=") == 0 && count_of(html.data, "@import") == 0);
  CU_ASSERT(count_of(html.data, "url(") == 0);
  bp_text_destroy(&html);
  bp_record_destroy(record);
}

TEST(figure, terminal_figures_fit)
{
  bp_record *record = all_of_it();
  for (int width = 40; width <= 160; width += 13) {
    bp_style style = {.terminal = true, .width = width, .unicode = width % 2};
    bp_text text = {0};
    bp_report_figure_terminal(record, &style, &text);
    CU_ASSERT(strstr(text.data, style.unicode ? "\xe2\x97\x8f" : "a 2d-k15") != NULL);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
      CHECK(bp_style_width(line) <= width || strncmp(line, "GFLOPS of", 9) == 0, "width %d: %s",
            width, line);
    bp_text_destroy(&text);
  }
  bp_record_destroy(record);
}

TEST(axis, ticks_are_round_and_inside)
{
  static const double ends[][2] = {{0, 1}, {0, 22.9}, {16.92, 17.18}, {0, 31000},
                                   {5, 5}, {0, 1e-7}, {1e17, 1e17}};
  for (size_t n = 0; n < sizeof ends / sizeof *ends; ++n) {
    bp_axis axis = bp_axis_linear(ends[n][0], ends[n][1], 6);
    CHECK(axis.ticks_count >= 3 && axis.ticks_count <= 12, "%d ticks", axis.ticks_count);
    CU_ASSERT(axis.low <= ends[n][0] && axis.high >= ends[n][1]);
    CU_ASSERT(axis.ticks[0] >= axis.low && axis.ticks[axis.ticks_count - 1] <= axis.high * 1.0001);
  }
  bp_axis axis = bp_axis_log(0.3, 40, 14);
  char label[40];
  CU_ASSERT(axis.ticks_count == 6 && axis.ticks[0] == 0.5 && axis.ticks[5] == 20);
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &axis, 0.5), "0.5");
  CU_ASSERT_STRING_EQUAL(bp_axis_label(label, &axis, 12500), "12.5k");
  axis = bp_axis_log(1, 1e6, 8);
  CU_ASSERT(axis.ticks_count == 7);
}

TEST(axis, any_ends_will_do)
{
  static const double odd[][2] = {{0, 5e-324},
                                  {1e300, 1e300},
                                  {-INFINITY, INFINITY},
                                  {0, INFINITY},
                                  {INFINITY, INFINITY},
                                  {1e-320, 0.1},
                                  {NAN, 1},
                                  {1, NAN},
                                  {NAN, NAN},
                                  {1e300, 0}};
  for (size_t n = 0; n < sizeof odd / sizeof *odd; ++n) {
    bp_axis axes[] = {bp_axis_linear(odd[n][0], odd[n][1], 6),
                      bp_axis_log(odd[n][0], odd[n][1], 8)};
    for (int a = 0; a < 2; ++a)
      CHECK(axes[a].high > axes[a].low && isfinite(bp_axis_at(&axes[a], 1)) &&
                axes[a].ticks_count >= 0 && axes[a].ticks_count <= BP_AXIS_TICKS,
            "case %zu of kind %d", n, a);
  }
}

TEST(series, the_best_goes_first)
{
  bp_record *record = sample_record(&full);
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  int top[3];
  CU_ASSERT(groups.count == 3 && set.count == 15 && set.first == 1 && set.last == 15);
  CU_ASSERT(bp_series_top(&set, 3, top) == 3 && top[0] == 14 && top[1] == 13 && top[2] == 12);
  CU_ASSERT(set.best[7] == set.series[14].rows[7] && bp_series_typical_degree(&set) == 7);
  CU_ASSERT(set.series[0].rows[2]->status == BP_ROW_WRONG);
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* One rung with three options is three lines, and their names say so. */
TEST(series, names_differ)
{
  sample_recipe recipe = swept;
  recipe.degrees = 1;
  bp_record *record = sample_record(&recipe);
  for (int n = 0; n < 3; ++n)
    bp_record_set(&record->rows[n].rung, "2d-k9");
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  for (int n = 0; n < set.count; ++n)
    for (int m = 0; m < n; ++m)
      CHECK(strcmp(set.series[n].label, set.series[m].label) != 0, "%s", set.series[n].label);
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* Boxes made for one number of DOFs differ from degree to degree and are one figure. */
TEST(group, meshes_made_for_the_same_dofs_belong_together)
{
  sample_recipe recipe = full;
  recipe.problems = 1;
  recipe.variants = 2;
  bp_record *record = sample_record(&recipe);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    char mesh[32];
    bp_row *row = &record->rows[n];
    snprintf(mesh, sizeof mesh, "box %dx8x8", 40 / row->degree);
    bp_record_set(&row->mesh, mesh);
    row->target_nodes = 2000000;
    row->elements = 64 * (40 / row->degree);
  }
  bp_groups groups = bp_groups_of(record);
  CU_ASSERT(groups.count == 1 && groups.groups[0].count == 30 && !groups.groups[0].same_elements);
  char *title = bp_group_title(&groups.groups[0], ", ");
  CU_ASSERT_STRING_EQUAL(title, "bp1.0, about 2,000,000 nodes, NVIDIA H200 (cuda), hot");
  bp_free(title);
  bp_groups_destroy(&groups);
  record->rows[0].target_nodes = 20000000;
  groups = bp_groups_of(record);
  CU_ASSERT(groups.count == 2);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

/* A variant tuned anew for each degree is one line; so is one choice per degree of several variants. */
TEST(series, tuned_options_do_not_tear_lines_apart)
{
  sample_recipe recipe = full;
  recipe.problems = 1;
  recipe.variants = 2;
  recipe.faults = false;
  bp_record *record = sample_record(&recipe);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    char options[32];
    snprintf(options, sizeof options, "elements_per_block=%d", record->rows[n].degree);
    bp_record_set(&record->rows[n].options, options);
    bp_record_set(&record->rows[n].rung, "");
  }
  bp_groups groups = bp_groups_of(record);
  bp_series_set set = bp_series_of(&groups.groups[0]);
  CU_ASSERT(set.count == 2 && groups.groups[0].has_options);
  CU_ASSERT_STRING_EQUAL(set.series[0].label, "slab");
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  for (int64_t n = 0; n < record->rows_count; ++n)
    record->rows[n].degree = (int)n; /* one row each */
  groups = bp_groups_of(record);
  set = bp_series_of(&groups.groups[0]);
  CU_ASSERT(set.count == 1 && set.is_chosen);
  CU_ASSERT_STRING_EQUAL(set.series[0].label, "best of each degree");
  bp_series_destroy(&set);
  bp_groups_destroy(&groups);
  bp_record_destroy(record);
}

TEST(figure, ladders_of_every_kind_of_name)
{
  static const char *const names[] = {"k1", "k2", "2d-k1", "2d-bonus", "2d-k10", "2d-k9"};
  sample_recipe recipe = full;
  recipe.problems = recipe.degrees = 1;
  recipe.variants = 6;
  bp_record *record = sample_record(&recipe);
  for (int n = 0; n < 6; ++n) {
    bp_record_set(&record->rows[n].rung, names[n]);
    bp_record_set(&record->rows[n].variant, "columns");
    bp_record_set(&record->rows[n].options, n % 2 ? "pad=1" : "pad=0");
  }
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT(panels_of("ladder", &drawing) == 2);
  CU_ASSERT_FATAL(bp_ladder_draw(&drawing, 1, &panel));
  const char *nine = strstr(panel.svg.data, ">2d-k9 "), *ten = strstr(panel.svg.data, ">2d-k10 ");
  const char *bonus = strstr(panel.svg.data, ">2d-bonus ");
  CU_ASSERT(nine && ten && bonus && nine < ten && ten < bonus);
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

/* A scale on which good and very good kernels look alike says nothing. */
TEST(figure, shades_tell_95_from_105)
{
  static const double fractions[] = {0.8, 0.9, 0.95, 1, 1.05, 1.1};
  unsigned last[3] = {0};
  for (size_t n = 0; n < sizeof fractions / sizeof *fractions; ++n) {
    char shade[8];
    unsigned color[3];
    bool is_dark;
    int difference = 0;
    bp_svg_shade(shade, fractions[n], &is_dark);
    CU_ASSERT(sscanf(shade, "#%2x%2x%2x", &color[0], &color[1], &color[2]) == 3);
    for (int c = 0; c < 3; ++c) {
      difference += abs((int)color[c] - (int)last[c]);
      last[c] = color[c];
    }
    CHECK(difference > 70, "%s at %g differs by %d from the one before", shade, fractions[n],
          difference);
  }
}

TEST(axis, takes_ends)
{
  bp_axis axis = bp_axis_linear(0, 22.9, 6);
  CU_ASSERT(!bp_axis_limit(&axis, NAN, NAN) && axis.high == 25);
  CU_ASSERT(bp_axis_limit(&axis, NAN, 12) && axis.low == 0 && axis.high == 12);
  CU_ASSERT(axis.ticks[axis.ticks_count - 1] == 12 && axis.ticks[0] == 0);
  CU_ASSERT(!bp_axis_limit(&axis, 15, NAN) && axis.low == 0); /* above the other end */
  axis = bp_axis_log(10, 1e6, 14);
  CU_ASSERT(bp_axis_limit(&axis, 100, NAN) && axis.low == 100 && axis.high == 1e6);
  CU_ASSERT(!bp_axis_limit(&axis, 0, NAN) && axis.low == 100);
}

/* Of a problem at many sizes there is one figure, not one by degree for each. */
TEST(sizes, are_one_figure)
{
  bp_record *record = three_sizes();
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT(drawing.all.count == 5 && drawing.groups.count == 3);
  CU_ASSERT(panels_of("sizes", &drawing) == 1);
  CU_ASSERT_FATAL(bp_sizes_draw(&drawing, 0, &panel));
  CU_ASSERT(strstr(panel.svg.data, ">N=9, ") || strstr(panel.svg.data, ">N=9<"));
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
  record = all_of_it();
  drawing = bp_drawing_of(record, &bp_no_wishes);
  CU_ASSERT(panels_of("sizes", &drawing) == 0 && drawing.groups.count == 4);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

/* The first picture says what it shows: as many times as fast as the fastest of the others. */
TEST(peers, are_told_in_the_headline)
{
  bp_record *record = sample_record(&full);
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_series_set set = bp_series_of(&drawing.groups.groups[0]);
  const bp_row *best = set.best[2];
  bp_series_destroy(&set);
  CU_ASSERT_FATAL(best != NULL);
  double seconds = best->seconds.statistics.median;
  bp_peer items[] = {peer_of("slow", best->problem, 2, 9 * seconds),
                     peer_of("fast", best->problem, 2, 3 * seconds)};
  items[0].elements = items[1].elements = best->elements;
  bp_peers peers = {.items = items, .count = 2, .any_machine = true};
  bp_wishes wishes = {.peers = &peers, .x = {NAN, NAN}, .y = {NAN, NAN}};
  bp_panel panel = {0};
  bp_drawing_destroy(&drawing);
  drawing = bp_drawing_of(record, &wishes);
  CU_ASSERT_FATAL(bp_peers_draw(&drawing, 0, &panel));
  CU_ASSERT(strstr(panel.svg.data, "bp is 3.0 to 3.0 times as fast as the fastest of the others") !=
            NULL);
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

/* Set-up comes once, however many cache modes are timed after it. */
TEST(setup, is_drawn_once)
{
  bp_record *record = sample_record(&full), *cold = sample_record(&full);
  for (int64_t n = 0; n < record->rows_count; ++n) {
    record->rows[n].setup_seconds = cold->rows[n].setup_seconds = 1;
    bp_record_set(&cold->rows[n].cache, "cold");
  }
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  int count = panels_of("setup", &drawing);
  int64_t groups = drawing.groups.count;
  bp_drawing_destroy(&drawing);
  bp_record_merge(record, cold, "cold.json");
  drawing = bp_drawing_of(record, &bp_no_wishes);
  CU_ASSERT(count > 0 && panels_of("setup", &drawing) == count &&
            drawing.groups.count == 2 * groups);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}

TEST(sizes, half_of_the_highest_rate)
{
  static const double dofs[] = {1e2, 1e3, 1e4, 1e5};
  static const double rates[][4] = {{1, 2, 10, 8}, {2, 6, 10, 10}, {5, 6, 7, 8}};
  bp_point some[4], ramp[4], flat[4];
  for (int n = 0; n < 4; ++n) {
    some[n] = (bp_point){.x = dofs[n], .y = rates[0][n]};
    ramp[n] = (bp_point){.x = dofs[n], .y = rates[1][n]};
    flat[n] = (bp_point){.x = dofs[n], .y = rates[2][n]};
  }
  double rate;
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_reach(some, 4, 0.5, &rate), 1e3 * pow(10, 3.0 / 8), 1e-6);
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_reach(ramp, 4, 0.5, &rate), 1e2 * pow(10, 3.0 / 4), 1e-6);
  CU_ASSERT(rate == 5);
  CU_ASSERT(isnan(bp_sizes_reach(flat, 4, 0.5, &rate)) &&
            isnan(bp_sizes_reach(flat, 0, 0.5, &rate)));
}

/* The highest rate is where half of it is marked only if more DOFs would not give much more. */
TEST(sizes, rates_that_still_rise_have_no_half)
{
  bp_row rows[3] = {{0}};
  bp_point p[3];
  double rate;
  for (int n = 0; n < 3; ++n) {
    p[n] = (bp_point){.x = pow(10, 2 + n), .y = pow(2, n), .row = &rows[n]};
    rows[n].overhead_seconds = NAN;
  }
  CU_ASSERT(!bp_sizes_is_settled(p, 3) && isnan(bp_sizes_reach(p, 3, 0.5, &rate)) && rate == 2);
  p[2].y = 2.1;
  CU_ASSERT(bp_sizes_is_settled(p, 3) &&
            isfinite(bp_sizes_reach(p, 3, 0.5, &rate)) == (p[0].y < rate));
  rows[2].seconds.statistics = (bp_statistics){.median = 2e-6, .count = 1};
  rows[2].overhead_seconds = 1e-6;
  CU_ASSERT(bp_row_is_overhead(&rows[2]) && !bp_sizes_is_settled(p, 3));
  p[1].y = 3; /* the highest is another's */
  CU_ASSERT(bp_sizes_is_settled(p, 3) && !bp_sizes_is_settled(p, 1));
}

/* T(n) = T0 + n / R, T0 = 8 us, R = 20: the last size has all of R but for T0. */
TEST(sizes, floor_of_an_iteration)
{
  static const double dofs[] = {1e3, 1e4, 1e5, 1e6, 1e8};
  bp_point p[5];
  double rate;
  for (int n = 0; n < 5; ++n)
    p[n] = (bp_point){.x = dofs[n], .y = dofs[n] / (8e3 + dofs[n] / 20)};
  CU_ASSERT_DOUBLE_EQUAL(bp_sizes_floor(p, 5), 8e-6, 1e-9);
  double reach = bp_sizes_reach(p, 5, 0.8, &rate); /* 4 T0 R = 640,000, read between 1e5 and 1e6 */
  CU_ASSERT_DOUBLE_EQUAL(rate, 0.8 * p[4].y, 1e-12);
  CU_ASSERT(reach > 5e5 && reach < 9e5);
  CU_ASSERT(isnan(bp_sizes_floor(p, 0)));
}

/* Where each problem has one row per degree, the map has a row per problem. */
TEST(heatmap, has_a_row_per_problem)
{
  sample_recipe recipe = full;
  recipe.variants = 1;
  bp_record *record = sample_record(&recipe);
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_panel panel = {0};
  CU_ASSERT(panels_of("heatmap", &drawing) == 1);
  CU_ASSERT_FATAL(bp_heatmap_draw(&drawing, 0, &panel));
  CU_ASSERT(strstr(panel.svg.data, ">bp1.0<") && strstr(panel.svg.data, ">bp3.0<") &&
            strstr(panel.svg.data, ">bp3.5<"));
  bp_text_destroy(&panel.svg);
  bp_drawing_destroy(&drawing);
  bp_record_destroy(record);
}
