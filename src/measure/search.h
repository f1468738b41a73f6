/* search.h -- looking for the fastest of many choices without trying all: from some to begin with, each
 * variant moves to its fastest neighbour, one option at a time. */
#ifndef BP_MEASURE_SEARCH_H
#define BP_MEASURE_SEARCH_H

#include "registry/choice.h"

typedef struct {
  bp_choice choice;
  double seconds; /* INFINITY: it cannot be used */
} bp_candidate;

typedef struct {
  /* Fills in the seconds of each. */
  void (*time)(void *context, bp_candidate *candidates, int count);
  /* Whether to try it at all. */
  bool (*fits)(void *context, const bp_choice *choice);
  /* How many there is time for; 0 ends the search. */
  int (*room)(void *context);
  void *context;
} bp_search;

/* Tries `seeds` in their order, then neighbours of each fast variant's fastest: its options halved, doubled
 * (from 0: to about the root of the most they may be) and switched; where none of those is faster, one more,
 * one less, and one doubled while another is halved. Ends where none is faster or there is no more room. *found:
 * all that were tried, fastest first; free with bp_free. Returns their number. */
int bp_search_run(const bp_search *search, const bp_choice *seeds, int count, bp_candidate **found);

#endif
