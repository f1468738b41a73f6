/* figure_peers.c -- tests of the figure beside other programs. */
#include "figure_sample.h"
#include "test.h"

#include <math.h>

/* The first picture says what it shows: as many times as fast as the fastest of the others. */
TEST(peers, are_told_in_the_headline)
{
  bp_record *record = sample_record(&figure_full);
  bp_drawing drawing = bp_drawing_of(record, &bp_no_wishes);
  bp_series_set set = bp_series_of(&drawing.groups.groups[0]);
  const bp_row *best = set.best[2];
  bp_series_destroy(&set);
  CU_ASSERT_FATAL(best != NULL);
  double seconds = best->seconds.statistics.median;
  bp_peer items[] = {figure_peer("slow", best->problem, 2, 9 * seconds),
                     figure_peer("fast", best->problem, 2, 3 * seconds)};
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
