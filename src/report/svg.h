/* svg.h -- the few shapes that figures are made of, as SVG text. Every colour is an attribute, so that
 * programs without CSS draw it, too; classes let a dark screen have its own. Coordinates are pixels, y
 * downwards. */
#ifndef BP_REPORT_SVG_H
#define BP_REPORT_SVG_H

#include "base/text.h"
#include <stdbool.h>

typedef enum { BP_SVG_START, BP_SVG_MIDDLE, BP_SVG_END } bp_svg_anchor;

/* Those of series, from BP_SERIES on, can be told apart by the colour-blind; BP_LIGHT and BP_DARK are those
 * of letters on a coloured ground. */
typedef enum {
  BP_PAPER,
  BP_INK,
  BP_SOFT,
  BP_RULE,
  BP_GREY,
  BP_BAD,
  BP_SERIES,
  BP_LIGHT = BP_SERIES + 7,
  BP_DARK
} bp_color;
enum { BP_SVG_COLORS = BP_LIGHT - BP_SERIES, BP_SVG_STOPS = 16 };

/* What is drawn of a shape: its line or its area. */
typedef enum {
  BP_ROLE_NONE, /* nothing, or a colour that is given */
  BP_ROLE_LINE, /* a plain one */
  BP_ROLE_PATH,
  BP_ROLE_BOLD,
  BP_ROLE_THIN,
  BP_ROLE_THICK,
  BP_ROLE_BAND,
  BP_ROLE_DASH,
  BP_ROLE_LONG,
  BP_ROLE_DOTS,
  BP_ROLE_OUTLINE,
  BP_ROLE_MARK, /* areas from here on */
  BP_ROLE_FILL,
  BP_ROLE_TINT
} bp_role;

typedef enum {
  BP_LETTERS_USUAL,
  BP_LETTERS_HEADLINE,
  BP_LETTERS_TITLE,
  BP_LETTERS_STRONG,
  BP_LETTERS_LARGE,
  BP_LETTERS_MEDIUM,
  BP_LETTERS_CELL,
  BP_LETTERS_ALARM /* in a cell */
} bp_letters;

/* The rules for dark screens; a page holds them once, a file of its own in itself. */
void bp_svg_append_style(bp_text *css);
/* The same colours for the rest of a page: --ink, --paper ... */
void bp_svg_append_palette(bp_text *css);

/* As attributes of an element; for svg.c. */
void bp_svg_shape_attributes(bp_text *svg, bp_role role, bp_color color);
void bp_svg_text_attributes(bp_text *svg, bp_letters letters, bp_color color);

/* `label` is what those who cannot see it are told. `is_file`: with the style, as a file of its
 * own. */
void bp_svg_begin(bp_text *svg, double width, double height, const char *label, bool is_file);
void bp_svg_end(bp_text *svg);

/* What follows until bp_svg_close is moved by x, y. */
void bp_svg_open(bp_text *svg, double x, double y);
void bp_svg_close(bp_text *svg);

void bp_svg_line(bp_text *svg, double x1, double y1, double x2, double y2, bp_role role,
                 bp_color color);
/* `tip` is shown under the mouse; NULL: none. `fill` "#rrggbb", of BP_ROLE_NONE; else NULL. */
void bp_svg_box(bp_text *svg, double x, double y, double width, double height, bp_role role,
                bp_color color, const char *fill, const char *tip);
void bp_svg_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, bp_letters letters,
                 bp_color color, const char *text);
/* Turned by 90 degrees, read from below. */
void bp_svg_upright(bp_text *svg, double x, double y, bp_letters letters, bp_color color,
                    const char *text);

/* A path through points, begun and ended by these. */
void bp_svg_path_begin(bp_text *svg, bp_role role, bp_color color);
void bp_svg_path_to(bp_text *svg, bool is_first, double x, double y);
void bp_svg_path_end(bp_text *svg, const char *tip);

/* The shape tells series apart where colours do not: circle, square, triangle, diamond ... `is_hollow`: the
 * outline alone. */
void bp_svg_marker(bp_text *svg, double x, double y, int shape, bool is_hollow, bp_color color,
                   const char *tip);

/* Of the n-th series; from the first again after the last. */
bp_color bp_svg_color(int n);

/* Dark violet over blue and green to yellow at 1, orange and pink beyond, as "#rrggbb".
 * *is_dark: letters of BP_LIGHT stand out more than those of BP_DARK, by 4.5 : 1 and more. */
char *bp_svg_shade(char out[8], double fraction, bool *is_dark);
/* The fractions between which colours are mixed, ascending from 0; returns how many. */
int bp_svg_shade_stops(double stops[BP_SVG_STOPS]);

/* About how wide the text will be, rather more than less. */
double bp_svg_width(const char *text, double size);
/* As bp_svg_text, cut with "..." to fit; the mouse then shows all of it. */
void bp_svg_fitted_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, bp_letters letters,
                        bp_color color, const char *text, double size, double width);

#endif
