/* figure.h -- the figures of a record, as a table: what each shows, how many panels it has, and how
 * one panel is drawn. */
#ifndef BP_REPORT_FIGURE_H
#define BP_REPORT_FIGURE_H

#include "report/group.h"
#include "report/peers.h"
#include "report/plot.h"

/* What somebody asked of figures beyond what the record holds. */
typedef struct {
  const bp_peers *peers; /* NULL: none */
  const char *title;     /* stands above a file's panels; NULL: none */
  bp_limits x, y;        /* of figures with axes */
} bp_wishes;

extern const bp_wishes bp_no_wishes;

typedef struct {
  const bp_record *record;
  const bp_wishes *wishes;
  bp_groups all; /* every group of the record */
  bp_groups
      groups; /* those that figures by degree show: of a problem at many sizes only the largest */
} bp_drawing;

typedef struct {
  double width, height;
} bp_size;

typedef struct {
  const char *name;  /* "gflops" */
  const char *title; /* "GFLOPS by degree" */
  const char *how;   /* how to read it, one or two sentences */
  int (*panels)(const bp_drawing *drawing);
  bp_size (*size)(const bp_drawing *drawing, int panel);
  void (*draw)(const bp_drawing *drawing, int panel, bp_text *svg);
} bp_figure;

enum { BP_FIGURES = 9 };
extern const bp_figure bp_figures[BP_FIGURES];

extern const char
    *const bp_figure_names[BP_FIGURES + 1]; /* theirs, for the command line; ends with NULL */

/* NULL where there is no such figure. */
const bp_figure *bp_figure_find(const char *name);

bp_drawing bp_drawing_of(const bp_record *record, const bp_wishes *wishes);
void bp_drawing_destroy(bp_drawing *drawing);

/* One panel alone, for a page that holds the style. */
void bp_figure_panel(const bp_figure *figure, const bp_drawing *drawing, int panel, bp_text *svg);

/* All panels, as a file of its own; BP_BAD_INPUT where the record has nothing for this figure. */
bp_status bp_figure_file(const bp_figure *figure, const bp_record *record, const bp_wishes *wishes,
                         bp_text *svg);

/* Whether rows of several problems belong on one panel: the same device, cache mode and size. */
bool bp_figure_is_together(const bp_row *a, const bp_row *b);

/* "bp3.5, NVIDIA H200, hot" and "cube.msh, 4,096 elements"; free with bp_free. */
char *bp_figure_title(const bp_group *group);
char *bp_figure_subtitle(const bp_group *group);

/* "columns N=7: 41.2 us, 5650 GFLOPS, 97.8 % of roofline", for the mouse. */
char *bp_figure_tip(const bp_row *row);

/* The entries of the table, one file each. */
int bp_peers_panels(const bp_drawing *drawing);
bp_size bp_peers_size(const bp_drawing *drawing, int panel);
void bp_peers_draw(const bp_drawing *drawing, int panel, bp_text *svg);
int bp_gflops_panels(const bp_drawing *drawing);
bp_size bp_gflops_size(const bp_drawing *drawing, int panel);
void bp_gflops_draw(const bp_drawing *drawing, int panel, bp_text *svg);
/* Whether the group's lines are few enough to be told apart, and more than points. */
bool bp_gflops_is_enough(const bp_group *group);
int bp_roofline_panels(const bp_drawing *drawing);
bp_size bp_roofline_size(const bp_drawing *drawing, int panel);
void bp_roofline_draw(const bp_drawing *drawing, int panel, bp_text *svg);
int bp_sizes_panels(const bp_drawing *drawing);
bp_size bp_sizes_size(const bp_drawing *drawing, int panel);
void bp_sizes_draw(const bp_drawing *drawing, int panel, bp_text *svg);
/* Where the rate first reaches half of the highest, sizes ascending; NaN where the first does already. */
double bp_sizes_half(const double *dofs, const double *rates, int count);
int bp_heatmap_panels(const bp_drawing *drawing);
bp_size bp_heatmap_size(const bp_drawing *drawing, int panel);
void bp_heatmap_draw(const bp_drawing *drawing, int panel, bp_text *svg);
/* The first group of a panel. */
const bp_group *bp_heatmap_group(const bp_drawing *drawing, int panel);
int bp_sweep_panels(const bp_drawing *drawing);
bp_size bp_sweep_size(const bp_drawing *drawing, int panel);
void bp_sweep_draw(const bp_drawing *drawing, int panel, bp_text *svg);
int bp_ladder_panels(const bp_drawing *drawing);
bp_size bp_ladder_size(const bp_drawing *drawing, int panel);
void bp_ladder_draw(const bp_drawing *drawing, int panel, bp_text *svg);
int bp_times_panels(const bp_drawing *drawing);
bp_size bp_times_size(const bp_drawing *drawing, int panel);
void bp_times_draw(const bp_drawing *drawing, int panel, bp_text *svg);
int bp_setup_panels(const bp_drawing *drawing);
bp_size bp_setup_size(const bp_drawing *drawing, int panel);
void bp_setup_draw(const bp_drawing *drawing, int panel, bp_text *svg);

#endif
