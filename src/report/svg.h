/* svg.h -- the few shapes that figures are made of, as SVG text. Colours are CSS classes, so that
 * one file serves light and dark screens and paper; coordinates are pixels, y downwards. */
#ifndef BP_REPORT_SVG_H
#define BP_REPORT_SVG_H

#include "base/text.h"

typedef enum { BP_SVG_START, BP_SVG_MIDDLE, BP_SVG_END } bp_svg_anchor;

/* Classes c0 .. c6 are colours that the colour-blind can tell apart; "grey", "ink" and "bad" the
 * others. */
enum { BP_SVG_COLORS = 7 };

/* The rules that all figures need; a page holds them once, a file of its own in itself. */
extern const char bp_svg_style[];

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

/* The shape tells series apart where colours do not: circle, square, triangle, diamond ... */
void bp_svg_marker(bp_text *svg, double x, double y, int shape, const char *css, const char *tip);

/* "c3" for n = 3, again from c0 after the last; `out` holds 8 bytes and is returned. */
char *bp_svg_color(char out[8], int n);

/* Dark blue over green to yellow for 0..1, as "#rrggbb"; even in grey it gets lighter all the way.
 * *is_dark: white letters are read better on it. */
char *bp_svg_shade(char out[8], double fraction, bool *is_dark);

/* About how wide the text will be, rather more than less. */
double bp_svg_width(const char *text, double size);
/* `text`, cut with "..." to fit; free with bp_free. */
char *bp_svg_fitted(const char *text, double size, double width);

#endif
