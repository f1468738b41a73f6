/* svg.h -- the few shapes that figures are made of, as SVG text. Every colour is an attribute, so that
 * programs without CSS draw it, too; classes let a dark screen have its own. Coordinates are pixels, y
 * downwards.
 *
 * `css` is one role and one colour, such as "path c3": the roles are path, bold, thin, thick, band,
 * dash, long, dots (lines), mark, fill, faint, tint (areas), ring, hollow, none, rule, axis and paper (with a colour of their own);
 * those of texts headline, title, strong, large, medium, cell, and "" for the common size. */
#ifndef BP_REPORT_SVG_H
#define BP_REPORT_SVG_H

#include "base/text.h"
#include <stdbool.h>

typedef enum { BP_SVG_START, BP_SVG_MIDDLE, BP_SVG_END } bp_svg_anchor;

/* c0 .. c6 are colours that the colour-blind can tell apart; ink, soft, grey, rule, bad and paper
 * the others, light and dark those of letters on a coloured ground. */
enum { BP_SVG_COLORS = 7, BP_SVG_STOPS = 16 };

/* The rules for dark screens; a page holds them once, a file of its own in itself. */
void bp_svg_append_style(bp_text *css);
/* The same colours for the rest of a page: --ink, --paper ... */
void bp_svg_append_palette(bp_text *css);

/* What a role and a colour are, as attributes of an element; for svg.c. */
void bp_svg_shape_attributes(bp_text *svg, const char *css);
void bp_svg_text_attributes(bp_text *svg, const char *css);

/* `label` is what those who cannot see it are told. `is_file`: with the style, as a file of its
 * own. */
void bp_svg_begin(bp_text *svg, double width, double height, const char *label, bool is_file);
void bp_svg_end(bp_text *svg);

/* What follows until bp_svg_close is moved by x, y. */
void bp_svg_open(bp_text *svg, double x, double y);
void bp_svg_close(bp_text *svg);

void bp_svg_line(bp_text *svg, double x1, double y1, double x2, double y2, const char *css);
/* `tip` is shown under the mouse; NULL: none. `fill` "#rrggbb" or NULL for what the class says. */
void bp_svg_box(bp_text *svg, double x, double y, double width, double height, const char *css,
                const char *fill, const char *tip);
void bp_svg_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, const char *css,
                 const char *text);
/* Turned by 90 degrees, read from below. */
void bp_svg_upright(bp_text *svg, double x, double y, const char *css, const char *text);

/* A path through points, begun and ended by these. */
void bp_svg_path_begin(bp_text *svg, const char *css);
void bp_svg_path_to(bp_text *svg, bool is_first, double x, double y);
void bp_svg_path_end(bp_text *svg, const char *tip);

/* The shape tells series apart where colours do not: circle, square, triangle, diamond ... `is_hollow`: the
 * outline alone. */
void bp_svg_marker(bp_text *svg, double x, double y, int shape, bool is_hollow, const char *color,
                   const char *tip);

/* "c3" for n = 3, again from c0 after the last; `out` holds 8 bytes and is returned. */
char *bp_svg_color(char out[8], int n);

/* Dark violet over blue and green to yellow at 1, orange and pink beyond, as "#rrggbb".
 * *is_dark: letters of colour "light" stand out more than "dark" ones, by 4.5 : 1 and more. */
char *bp_svg_shade(char out[8], double fraction, bool *is_dark);
/* The fractions between which colours are mixed, ascending from 0; returns how many. */
int bp_svg_shade_stops(double stops[BP_SVG_STOPS]);

/* About how wide the text will be, rather more than less. */
double bp_svg_width(const char *text, double size);
/* As bp_svg_text, cut with "..." to fit; the mouse then shows all of it. */
void bp_svg_fitted_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, const char *css,
                        const char *text, double size, double width);

#endif
