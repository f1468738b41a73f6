/* svg.c -- SVG text. */
#include "report/svg.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The colours of series were searched for, not chosen: any two of the seven differ by 34 and more in CIELAB,
 * also as the three kinds of colour-blind see them, and stand out from the ground by 3 : 1 and more. */
const char bp_svg_style[] =
    ".bp{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d8dee4;--grey:#b3bac2;--bad:#c02a2a;"
    "--c0:#1a7bfc;--c1:#e06719;--c2:#580884;--c3:#959773;--c4:#712200;--c5:#c068af;--c6:#18353f}\n"
    "@media screen and (prefers-color-scheme:dark){"
    ".bp{--paper:#14181d;--ink:#e8ecf1;--soft:#a3adb8;--rule:#333b45;--grey:#5c6672;--bad:#ff8378;"
    "--c0:#8560e0;--c1:#ef8e1c;--c2:#e4b1ff;--c3:#69ff91;--c4:#97713b;--c5:#cdf4e4;--c6:#37948c}}\n"
    ".bp text{font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:var(--ink)}\n"
    ".bp text.title{font-size:14px;font-weight:600}"
    ".bp text.soft{fill:var(--soft)}.bp text.light{fill:#fff}.bp text.dark{fill:#111}"
    ".bp text.cell{font-size:11px;text-anchor:middle}.bp "
    "text.bad{fill:var(--bad);font-weight:600}\n"
    ".bp .paper{fill:var(--paper)}.bp .rule{stroke:var(--rule)}.bp .axis{stroke:var(--soft)}\n"
    ".bp .c0{color:var(--c0)}.bp .c1{color:var(--c1)}.bp .c2{color:var(--c2)}"
    ".bp .c3{color:var(--c3)}.bp .c4{color:var(--c4)}.bp .c5{color:var(--c5)}"
    ".bp .c6{color:var(--c6)}.bp .ink{color:var(--ink)}.bp .grey{color:var(--grey)}"
    ".bp .bad{color:var(--bad)}\n"
    ".bp .path{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}"
    ".bp .thin{fill:none;stroke:currentColor;stroke-width:1}"
    ".bp .thick{fill:none;stroke:currentColor;stroke-width:3}"
    ".bp .dash{fill:none;stroke:currentColor;stroke-width:1.5;stroke-dasharray:5 4}"
    ".bp .mark{fill:currentColor;stroke:var(--paper);stroke-width:.7}"
    ".bp .fill{fill:currentColor}.bp .faint{fill:currentColor;fill-opacity:.18}"
    ".bp .ring{fill:none;stroke:var(--ink);stroke-width:1.6}"
    ".bp .none{fill:none;stroke:var(--rule)}\n";

static void append_number(bp_text *svg, double value)
{
  bp_number number;
  bp_number_fixed(number, value, 1);
  size_t length = strlen(number);
  if (length > 2 && strcmp(number + length - 2, ".0") == 0)
    number[length - 2] = '\0';
  bp_text_append(svg, number);
}

static void append_attribute(bp_text *svg, const char *name, double value)
{
  bp_text_appendf(svg, " %s=\"", name);
  append_number(svg, value);
  bp_text_append(svg, "\"");
}

void bp_svg_begin(bp_text *svg, double width, double height, const char *label, bool is_file)
{
  bp_text_append(svg, "<svg class=\"bp\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
  append_attribute(svg, "width", width);
  append_attribute(svg, "height", height);
  bp_text_append(svg, " viewBox=\"0 0 ");
  append_number(svg, width);
  bp_text_append(svg, " ");
  append_number(svg, height);
  bp_text_append(svg, "\" aria-label=\"");
  bp_safe_xml(svg, label);
  bp_text_append(svg, "\">\n");
  if (is_file) {
    bp_text_appendf(svg, "<style>\n%s</style>\n", bp_svg_style);
    bp_svg_box(svg, 0, 0, width, height, "paper", NULL, NULL);
  }
}

void bp_svg_end(bp_text *svg)
{
  bp_text_append(svg, "</svg>\n");
}

void bp_svg_open(bp_text *svg, double x, double y)
{
  bp_text_append(svg, "<g transform=\"translate(");
  append_number(svg, x);
  bp_text_append(svg, " ");
  append_number(svg, y);
  bp_text_append(svg, ")\">\n");
}

void bp_svg_close(bp_text *svg)
{
  bp_text_append(svg, "</g>\n");
}

/* Ends an element that was begun, with or without a tip inside. */
static void end_element(bp_text *svg, const char *element, const char *tip)
{
  if (!tip) {
    bp_text_append(svg, "/>\n");
    return;
  }
  bp_text_append(svg, "><title>");
  bp_safe_xml(svg, tip);
  bp_text_appendf(svg, "</title></%s>\n", element);
}

void bp_svg_line(bp_text *svg, double x1, double y1, double x2, double y2, const char *css)
{
  bp_text_appendf(svg, "<line class=\"%s\"", css);
  append_attribute(svg, "x1", x1);
  append_attribute(svg, "y1", y1);
  append_attribute(svg, "x2", x2);
  append_attribute(svg, "y2", y2);
  end_element(svg, "line", NULL);
}

void bp_svg_box(bp_text *svg, double x, double y, double width, double height, const char *css,
                const char *fill, const char *tip)
{
  bp_text_appendf(svg, "<rect class=\"%s\"", css);
  append_attribute(svg, "x", x);
  append_attribute(svg, "y", y);
  append_attribute(svg, "width", width);
  append_attribute(svg, "height", height);
  if (fill)
    bp_text_appendf(svg, " fill=\"%s\"", fill);
  end_element(svg, "rect", tip);
}

void bp_svg_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, const char *css,
                 const char *text)
{
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  bp_text_append(svg, "<text");
  if (*css)
    bp_text_appendf(svg, " class=\"%s\"", css);
  append_attribute(svg, "x", x);
  append_attribute(svg, "y", y);
  bp_text_appendf(svg, "%s>", anchors[anchor]);
  bp_safe_xml(svg, text);
  bp_text_append(svg, "</text>\n");
}

void bp_svg_upright(bp_text *svg, double x, double y, const char *css, const char *text)
{
  bp_text_appendf(svg, "<text class=\"%s\" text-anchor=\"middle\" transform=\"translate(", css);
  append_number(svg, x);
  bp_text_append(svg, " ");
  append_number(svg, y);
  bp_text_append(svg, ") rotate(-90)\">");
  bp_safe_xml(svg, text);
  bp_text_append(svg, "</text>\n");
}

void bp_svg_path_begin(bp_text *svg, const char *css)
{
  bp_text_appendf(svg, "<path class=\"%s\" d=\"", css);
}

void bp_svg_path_to(bp_text *svg, bool is_first, double x, double y)
{
  bp_text_append(svg, is_first ? "M" : "L");
  append_number(svg, x);
  bp_text_append(svg, " ");
  append_number(svg, y);
}

void bp_svg_path_end(bp_text *svg, const char *tip)
{
  bp_text_append(svg, "\"");
  end_element(svg, "path", tip);
}

/* Corners around the centre, as many as `count`; a circle has none. */
typedef struct {
  int count;
  double corners[8][2];
} shape;

static const shape shapes[] = {
    {0, {{0}}},
    {4, {{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}}},
    {3, {{0, -5}, {4.6, 3.4}, {-4.6, 3.4}}},
    {4, {{0, -5.2}, {5.2, 0}, {0, 5.2}, {-5.2, 0}}},
    {3, {{0, 5}, {4.6, -3.4}, {-4.6, -3.4}}},
    {6, {{-5, 0}, {-2.5, -4.3}, {2.5, -4.3}, {5, 0}, {2.5, 4.3}, {-2.5, 4.3}}},
    {4, {{-5, -2.2}, {5, -2.2}, {5, 2.2}, {-5, 2.2}}},
};

void bp_svg_marker(bp_text *svg, double x, double y, int number, const char *css, const char *tip)
{
  const shape *s = &shapes[(size_t)number % (sizeof shapes / sizeof *shapes)];
  char classes[32];
  snprintf(classes, sizeof classes, "mark %s", css);
  if (s->count == 0) {
    bp_text_appendf(svg, "<circle class=\"%s\"", classes);
    append_attribute(svg, "cx", x);
    append_attribute(svg, "cy", y);
    append_attribute(svg, "r", 4.2);
    end_element(svg, "circle", tip);
    return;
  }
  bp_svg_path_begin(svg, classes);
  for (int n = 0; n < s->count; ++n)
    bp_svg_path_to(svg, n == 0, x + s->corners[n][0], y + s->corners[n][1]);
  bp_text_append(svg, "Z");
  bp_svg_path_end(svg, tip);
}

char *bp_svg_color(char out[8], int n)
{
  snprintf(out, 8, "c%d", n % BP_SVG_COLORS);
  return out;
}

char *bp_svg_shade(char out[8], double fraction, bool *is_dark)
{
  static const double stops[][3] = {
      {48, 18, 84}, {61, 78, 138}, {38, 130, 142}, {94, 190, 102}, {250, 226, 60}};
  double at = 4 * fmin(fmax(fraction, 0), 1), light = 0;
  int stop = at >= 4 ? 3 : (int)at;
  int color[3];
  for (int c = 0; c < 3; ++c) {
    static const double weights[] = {0.299, 0.587, 0.114};
    double value = stops[stop][c] + (at - stop) * (stops[stop + 1][c] - stops[stop][c]);
    color[c] = (int)lround(value);
    light += weights[c] * value;
  }
  *is_dark = light < 135;
  snprintf(out, 8, "#%02x%02x%02x", color[0] & 255, color[1] & 255, color[2] & 255);
  return out;
}

/* Of the character that begins at `text`, in units of the font's size. */
static double ems_of(const char *text)
{
  return ((unsigned char)*text & 0xc0) == 0x80 ? 0
         : strchr("il.,:;|!'", *text)          ? 0.32
         : strchr("ftr()[]{}I-/ ", *text)      ? 0.42
         : strchr("mwMW%@", *text)             ? 0.98
         : *text >= 'A' && *text <= 'Z'        ? 0.74
                                               : 0.63;
}

double bp_svg_width(const char *text, double size)
{
  double ems = 0;
  for (; *text; ++text)
    ems += ems_of(text);
  return ems * size;
}

char *bp_svg_fitted(const char *text, double size, double width)
{
  double ems = 0;
  size_t length = 0;
  if (!*text || bp_svg_width(text, size) <= width)
    return bp_strdup(text);
  /* At least one character; never a part of one. */
  while (text[length] &&
         (length == 0 || ((unsigned char)text[length] & 0xc0) == 0x80 ||
          (ems + ems_of(text + length)) * size + bp_svg_width("...", size) <= width))
    ems += ems_of(text + length++);
  return bp_format("%.*s...", (int)length, text);
}
