/* figure_sample.c -- see figure_sample.h. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const sample_recipe figure_full = SAMPLE_RECIPE(.problems = 3, .degrees = 15, .variants = 15,
                                                .samples = 60, .faults = true, .seed = 5);
const sample_recipe figure_swept = SAMPLE_RECIPE(.problems = 1, .degrees = 9, .variants = 5,
                                                 .samples = 30, .sweep = true, .seed = 6);

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

bp_record *figure_two_sizes(void)
{
  bp_record *record = sample_record(&figure_full);
  add_size(record, &figure_swept, "big & <bold>.msh", 2);
  return record;
}

bp_record *figure_three_sizes(void)
{
  bp_record *record = figure_two_sizes();
  add_size(record, &figure_swept, "bigger.msh", 8);
  return record;
}

bp_record *figure_on_ranks(void)
{
  bp_record *record = figure_three_sizes();
  const bp_row *first = &record->rows[0];
  int64_t n = 1;
  while (n < record->rows_count - 1 &&
         (record->rows[n].degree != first->degree || record->rows[n].elements != first->elements ||
          strcmp(record->rows[n].problem, first->problem) != 0))
    ++n;
  record->rows[n].ranks = 2;
  bp_row *solve = &record->rows[n];
  solve->iterations = 3;
  solve->history.count = 3;
  solve->history.items = bp_alloc(3, sizeof *solve->history.items);
  for (int k = 0; k < 3; ++k)
    solve->history.items[k] = (bp_row_residual){k == 2 ? 3 : k, k == 2 ? 0 : pow(1e-3, k)};
  return record;
}

bp_peer figure_peer(char *program, char *problem, int degree, double seconds)
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

/* Number of panels, and the SVG of one. */
static int draw(const char *figure, const bp_record *record, const bp_wishes *wishes, int number,
                char **svg)
{
  bp_drawing drawing = bp_drawing_of(record, wishes ? wishes : &(bp_wishes){0});
  bp_panels panels = bp_figure_panels(bp_figure_find(figure), &drawing);
  int count = panels.count;
  *svg = number < count ? bp_strdup(panels.panels[number].svg.data) : NULL;
  bp_panels_destroy(&panels);
  bp_drawing_destroy(&drawing);
  return count;
}

char *figure_panel(const char *figure, const bp_record *record, const bp_wishes *wishes, int number)
{
  char *svg;
  draw(figure, record, wishes, number, &svg);
  CU_ASSERT_FATAL(svg != NULL);
  return svg;
}

int figure_panels(const char *figure, const bp_record *record)
{
  char *svg;
  int count = draw(figure, record, NULL, 0, &svg);
  bp_free(svg);
  return count;
}

const char *figure_ill_formed(const char *text)
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

bool figure_has_bad_number(const char *svg)
{
  return strstr(svg, "nan") || strstr(svg, "inf\"") || strstr(svg, "=\"-\"") ||
         strstr(svg, "L- ") || strstr(svg, "M- ") || strstr(svg, " -L") || strstr(svg, "-\"");
}

const char *figure_without_color(const char *svg)
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

int figure_count(const char *text, const char *what)
{
  int count = 0;
  for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
    ++count;
  return count;
}
