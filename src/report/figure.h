/* figure.h -- the figures of a record, as a table: what each shows, and how its panels are drawn. */
#ifndef BP_REPORT_FIGURE_H
#define BP_REPORT_FIGURE_H

#include "report/curve.h"
#include "report/group.h"
#include "report/plot.h"
#include "report/series.h"
#include "report/sizes.h"

extern const bp_wishes bp_no_wishes;

typedef struct {
  const bp_record *record;
  const bp_wishes *wishes;
  bp_groups all; /* every group of the record */
  bp_groups
      groups; /* those that figures by degree show: of a problem at many sizes only the largest */
} bp_drawing;

typedef struct {
  const char *name;  /* "gflops" */
  const char *title; /* "Rate by degree" */
  const char *how;   /* how to read it, one or two sentences */
  /* Panels are numbered from 0; false behind the last, and then nothing is drawn. */
  bool (*draw)(const bp_drawing *drawing, int number, bp_panel *panel);
} bp_figure;

/* In the order of a page. */
enum { BP_FIGURES = 8 };
extern const bp_figure bp_figures[BP_FIGURES];

/* Theirs, for the command line; ends with NULL. */
extern const char *const bp_figure_names[BP_FIGURES + 1];
/* NULL: none of that name. */
const bp_figure *bp_figure_find(const char *name);

/* Points to both. */
bp_drawing bp_drawing_of(const bp_record *record, const bp_wishes *wishes);
void bp_drawing_destroy(bp_drawing *drawing);

typedef struct {
  bp_panel *panels;
  int count;
} bp_panels;

/* Of a record that names none: the rate by size or by ranks where it has several of them, else by degree. */
const bp_figure *bp_figure_usual(const bp_record *record);

bp_panels bp_figure_panels(const bp_figure *figure, const bp_drawing *drawing);
void bp_panels_destroy(bp_panels *panels);

/* All panels as a file of its own; BP_BAD_INPUT where the record has no rows for the figure. */
bp_status bp_figure_file(const bp_figure *figure, const bp_record *record, const bp_wishes *wishes,
                         bp_text *svg);

/* The first group of a panel, NULL behind the last: those that belong together share one, and what
 * does not belong to itself is on none. */
typedef bool bp_belong(const bp_drawing *drawing, const bp_group *a, const bp_group *b);
const bp_group *bp_drawing_find(const bp_drawing *drawing, bp_belong *belong, int number);

/* "BP3.5: stiffness and mass, at the nodes"; of other problems the name. */
const char *bp_figure_problem(const char *name);

/* "bp3.5, NVIDIA H200, hot" and "cube.msh, 4,096 elements"; free with bp_free. */
char *bp_figure_title(const bp_group *group);
char *bp_figure_subtitle(const bp_group *group);

/* "columns N=7: 41.2 us, 5650 GFLOPS, 97.8 % of roofline", for the mouse. */
char *bp_figure_tip(const bp_row *row);

/* Whether lines are few enough to be told apart, and more than points; else the heat map tells more. */
bool bp_gflops_is_enough(const bp_series_set *set);

/* The entries of the table, one file each. */
bool bp_gflops_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_roofline_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_heatmap_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_sizes_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_scaling_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_ladder_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_setup_draw(const bp_drawing *drawing, int number, bp_panel *panel);
bool bp_peers_draw(const bp_drawing *drawing, int number, bp_panel *panel);

#endif
