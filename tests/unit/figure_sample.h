/* figure_sample.h -- made-up records to draw, and what to find in a drawing, for the tests of figures. */
#ifndef BP_TEST_FIGURE_SAMPLE_H
#define BP_TEST_FIGURE_SAMPLE_H

#include "report/figure.h"
#include "sample.h"
#include <stdbool.h>

/* Three problems at 15 degrees, 15 variants each, with faults; one at nine degrees with a swept option. */
extern const sample_recipe figure_full, figure_swept;

/* A record of as few problems, degrees and variants as are named, else as of figure_full, without faults. */
#define FIGURE_RECORD(...)                                                                         \
  sample_record(&(sample_recipe)SAMPLE_RECIPE(.samples = 60, .seed = 5, __VA_ARGS__))

/* Both, the second on another mesh; and a third size; and on two ranks a row of the first one's problem. */
bp_record *figure_two_sizes(void);
bp_record *figure_three_sizes(void);
bp_record *figure_on_ranks(void);

/* Of an "NVIDIA H200", hot, 4,096 elements. */
bp_peer figure_peer(char *program, char *problem, int degree, double seconds);

/* The SVG of one panel, which has to be there; free with bp_free. `wishes`: NULL for none. */
char *figure_panel(const char *figure, const bp_record *record, const bp_wishes *wishes,
                   int number);
int figure_panels(const char *figure, const bp_record *record);
/* How often `what` occurs. */
int figure_count(const char *text, const char *what);

/* Every element that begins ends, in order; returns what is wrong, or NULL. HTML's void elements and the
 * texts of <script> and <style> are passed over. */
const char *figure_ill_formed(const char *text);
/* A figure that is not finite was printed as a coordinate: "-" alone, "nan", "inf". */
bool figure_has_bad_number(const char *svg);
/* Programs without CSS paint black what has neither: the shape, or NULL. */
const char *figure_without_color(const char *svg);

#endif
