/* figure.h -- the figures of a record, as a table: what each shows, and how its panels are drawn. */
#ifndef BP_REPORT_FIGURE_H
#define BP_REPORT_FIGURE_H

#include "report/group.h"
#include "report/peers.h"
#include "report/plot.h"
#include "report/series.h"

/* What somebody asked of figures beyond what the record holds. */
typedef struct {
  const bp_peers *peers; /* NULL: none */
  const char *title;     /* stands above a file's panels; NULL: none */
} bp_wishes;

typedef struct {
  const bp_record *record;
  const bp_wishes *wishes;
  bp_groups all; /* every group of the record */
  bp_groups
      groups; /* those that figures by degree show: of a problem at many sizes only the largest */
} bp_drawing;

typedef struct {
  bp_panel *panels;
  int count;
} bp_panels;

typedef struct {
  const char *name;  /* "gflops" */
  const char *title; /* "Rate by degree" */
  const char *how;   /* how to read it, one or two sentences */
  void (*draw)(const bp_drawing *drawing, bp_panels *panels);
} bp_figure;

/* In the order of a page. */
enum { BP_FIGURES = 9 };
extern const bp_figure bp_figures[BP_FIGURES];

/* Theirs, for the command line; ends with NULL. */
extern const char *const bp_figure_names[BP_FIGURES + 1];
/* NULL: none of that name. */
const bp_figure *bp_figure_find(const char *name);

/* Of a record that names none: the rate by size or by ranks where it has several of them, else by degree. */
const bp_figure *bp_figure_usual(const bp_record *record);

/* Points to both. */
bp_drawing bp_drawing_of(const bp_record *record, const bp_wishes *wishes);
void bp_drawing_destroy(bp_drawing *drawing);

bp_panels bp_figure_panels(const bp_figure *figure, const bp_drawing *drawing);
void bp_panels_destroy(bp_panels *panels);

/* All panels as a file of its own; BP_BAD_INPUT where the record has no rows for the figure. */
bp_status bp_figure_file(const bp_figure *figure, const bp_record *record, const bp_wishes *wishes,
                         bp_text *svg);

/* ---- for the figures, a file each ---- */

/* An empty panel at the end, good until the next one. */
bp_panel *bp_panels_add(bp_panels *panels);
/* Puts one into another. */
void bp_panel_place(bp_panel *panel, const bp_panel *part, double x, double y);

/* The groups of one panel. */
typedef struct {
  const bp_drawing *drawing;
  const bp_group **groups;
  int count;
} bp_members;

/* A panel for all groups that belong together; what does not belong to itself is on none. */
typedef bool bp_belong(const bp_group *a, const bp_group *b);
typedef void bp_draw_panel(const bp_members *members, bp_panel *panel);
void bp_drawing_panels(const bp_drawing *drawing, bp_belong *belong, bp_draw_panel *draw,
                       bp_panels *panels);

/* All free with bp_free: "bp1.0: mass"; "NVIDIA H200, hot"; "bp3.5, NVIDIA H200, hot"; "cube.msh, 4,096
 * elements". */
char *bp_figure_problem(const char *name);
char *bp_figure_machine(const bp_row *row);
char *bp_figure_title(const bp_group *group);
char *bp_figure_subtitle(const bp_group *group);

/* An axis over the degrees of the set, with ticks at those that somebody ran. */
bp_axis bp_figure_degrees(const bp_series_set *set);

/* value(rows[degree]) over the degrees that the set has; NaN where there is no row. A line goes on from
 * one degree to the next that somebody ran. */
void bp_figure_by_degree(bp_curve *curve, const bp_series_set *set, const bp_row *const *rows,
                         double (*value)(const bp_row *row));

/* The rate by degree under the roofline; of a group without rates it has no curves. */
bp_plot bp_gflops_plot(const bp_group *group);
/* Whether lines are few enough to be told apart, and more than points; else the heat map tells more. */
bool bp_gflops_is_enough(const bp_series_set *set);

void bp_gflops_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_roofline_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_heatmap_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_sizes_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_scaling_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_ladder_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_residuals_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_setup_draw(const bp_drawing *drawing, bp_panels *panels);
void bp_peers_draw(const bp_drawing *drawing, bp_panels *panels);

#endif
