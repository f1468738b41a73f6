/* figure_peers.c -- tests of the figure beside other programs. */
#include "figure_sample.h"
#include "test.h"

#include "base/memory.h"

#include <math.h>

/* A record of bp1.0 at these degrees, with three programs beside it. */
static char *drawn_at(const int *degrees, int count)
{
  static char *const programs[] = {"one", "two", "three"};
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = count, .variants = 1);
  bp_peer items[30];
  bp_peers peers = {.items = items, .any_machine = true};
  for (int n = 0; n < count; ++n) {
    bp_row *row = &record->rows[n];
    row->degree = degrees[n];
    for (int p = 0; p < 3; ++p) {
      bp_peer *peer = &items[peers.count++];
      *peer = figure_peer(programs[p], row->problem, row->degree,
                          (2 + p) * row->seconds.statistics.median);
      peer->elements = row->elements;
    }
  }
  bp_wishes wishes = {.peers = &peers};
  char *svg = figure_panel("peers", record, &wishes, 0);
  bp_record_destroy(record);
  return svg;
}

/* Three rivals differ in colour, in dashes and in marks. */
TEST(peers, are_told_apart)
{
  static const int degrees[] = {3, 5, 7, 11, 15};
  char *svg = drawn_at(degrees, 5);
  static const char *const lines[] = {"class=\"s c1\"", "class=\"s c2\"", "class=\"s c3\""};
  const char *dashes[3] = {0};
  for (int n = 0; n < 3; ++n) {
    const char *line = strstr(svg, lines[n]);
    CU_ASSERT_FATAL(line != NULL);
    dashes[n] = strstr(line, "stroke-dasharray=");
    CU_ASSERT(dashes[n] && dashes[n] < strchr(line, '>'));
    for (int m = 0; m < n; ++m)
      CHECK(strncmp(dashes[n], dashes[m], 24) != 0, "lines %d and %d are dashed alike", m, n);
  }
  CU_ASSERT(!strstr(svg, "s grey") && !strstr(svg, "f grey"));
  CU_ASSERT(strstr(svg, ">11<") && !strstr(svg, ">12<"));    /* which nobody ran */
  CU_ASSERT_EQUAL(figure_count(svg, "class=\"f c0"), 5 + 2); /* marks, and the name */
  bp_free(svg);
}

/* A point of a throttled device is slower than it need be: the picture says so. */
TEST(peers, throttled_points_are_told)
{
  bp_record *record = FIGURE_RECORD(.problems = 1, .degrees = 4, .variants = 1);
  bp_row *row = &record->rows[0];
  bp_peer peer = figure_peer("one", row->problem, row->degree, 1);
  peer.elements = row->elements;
  bp_peers peers = {.items = &peer, .count = 1, .any_machine = true};
  bp_wishes wishes = {.peers = &peers};
  for (int throttled = 0; throttled < 2; ++throttled) {
    char *svg = figure_panel("peers", record, &wishes, 0);
    bool is_told = strstr(svg, ">hollow: 1 of bp's 4 points are marked (") != NULL;
    CU_ASSERT_EQUAL(is_told, throttled);
    CU_ASSERT_EQUAL(strstr(svg, "throttled") != NULL, throttled);
    bp_free(svg);
    bp_record_set(&row->power.throttle, "power cap");
  }
  bp_record_destroy(record);
}
