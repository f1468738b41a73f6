/* svg.c -- SVG text. */
#include "report/svg.h"

#include "base/memory.h"
#include "base/safe.h"
#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* "BEFOREx y" */
static void append_pair(bp_text *svg, const char *before, double x, double y)
{
  bp_text_append(svg, before);
  append_number(svg, x);
  bp_text_append(svg, " ");
  append_number(svg, y);
}

static void append_area(bp_text *svg, double x, double y, double width, double height)
{
  append_attribute(svg, "x", x);
  append_attribute(svg, "y", y);
  append_attribute(svg, "width", width);
  append_attribute(svg, "height", height);
}

void bp_svg_begin(bp_text *svg, double width, double height, const char *label, bool is_file)
{
  bp_text_append(svg, "<svg class=\"bp\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                      "font-family=\"system-ui,'Segoe UI',Helvetica,Arial,sans-serif\" "
                      "font-size=\"12\"");
  append_attribute(svg, "width", width);
  append_attribute(svg, "height", height);
  append_pair(svg, " viewBox=\"0 0 ", width, height);
  bp_text_append(svg, "\" aria-label=\"");
  bp_safe_xml(svg, label);
  bp_text_append(svg, "\">\n");
  if (is_file) {
    bp_text_append(svg, "<style>\n");
    bp_svg_append_style(svg);
    bp_text_append(svg, "</style>\n");
    bp_svg_box(svg, 0, 0, width, height, BP_ROLE_FILL, BP_PAPER, NULL, NULL);
  }
}

void bp_svg_end(bp_text *svg)
{
  bp_text_append(svg, "</svg>\n");
}

void bp_svg_open(bp_text *svg, double x, double y)
{
  append_pair(svg, "<g transform=\"translate(", x, y);
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

void bp_svg_line(bp_text *svg, double x1, double y1, double x2, double y2, bp_role role,
                 bp_color color)
{
  bp_text_append(svg, "<line");
  bp_svg_shape_attributes(svg, role, color);
  append_attribute(svg, "x1", x1);
  append_attribute(svg, "y1", y1);
  append_attribute(svg, "x2", x2);
  append_attribute(svg, "y2", y2);
  end_element(svg, "line", NULL);
}

void bp_svg_box(bp_text *svg, double x, double y, double width, double height, bp_role role,
                bp_color color, const char *fill, const char *tip)
{
  bp_text_append(svg, "<rect");
  bp_svg_shape_attributes(svg, role, color);
  append_area(svg, x, y, width, height);
  if (fill)
    bp_text_appendf(svg, " fill=\"%s\"", fill);
  end_element(svg, "rect", tip);
}

/* `tip`: NULL for none. */
static void append_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, bp_letters letters,
                        bp_color color, const char *text, const char *tip)
{
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  bp_text_append(svg, "<text");
  bp_svg_text_attributes(svg, letters, color);
  append_attribute(svg, "x", x);
  append_attribute(svg, "y", y);
  bp_text_appendf(svg, "%s>", anchors[anchor]);
  bp_safe_xml(svg, text);
  if (tip) {
    bp_text_append(svg, "<title>");
    bp_safe_xml(svg, tip);
    bp_text_append(svg, "</title>");
  }
  bp_text_append(svg, "</text>\n");
}

void bp_svg_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, bp_letters letters,
                 bp_color color, const char *text)
{
  append_text(svg, x, y, anchor, letters, color, text, NULL);
}

void bp_svg_upright(bp_text *svg, double x, double y, bp_letters letters, bp_color color,
                    const char *text)
{
  bp_text_append(svg, "<text");
  bp_svg_text_attributes(svg, letters, color);
  append_pair(svg, " text-anchor=\"middle\" transform=\"translate(", x, y);
  bp_text_append(svg, ") rotate(-90)\">");
  bp_safe_xml(svg, text);
  bp_text_append(svg, "</text>\n");
}

void bp_svg_path_begin(bp_text *svg, bp_role role, bp_color color)
{
  bp_text_append(svg, "<path");
  bp_svg_shape_attributes(svg, role, color);
  bp_text_append(svg, " d=\"");
}

void bp_svg_path_to(bp_text *svg, bool is_first, double x, double y)
{
  append_pair(svg, is_first ? "M" : "L", x, y);
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
} polygon;

static const polygon shapes[] = {
    {0, {{0}}},
    {4, {{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}}},
    {3, {{0, -5}, {4.6, 3.4}, {-4.6, 3.4}}},
    {4, {{0, -5.2}, {5.2, 0}, {0, 5.2}, {-5.2, 0}}},
    {3, {{0, 5}, {4.6, -3.4}, {-4.6, -3.4}}},
    {6, {{-5, 0}, {-2.5, -4.3}, {2.5, -4.3}, {5, 0}, {2.5, 4.3}, {-2.5, 4.3}}},
    {4, {{-5, -2.2}, {5, -2.2}, {5, 2.2}, {-5, 2.2}}},
};

void bp_svg_marker(bp_text *svg, double x, double y, int shape, bool is_hollow, bp_color color,
                   const char *tip)
{
  const polygon *p = &shapes[(size_t)shape % (sizeof shapes / sizeof *shapes)];
  const bp_role role = is_hollow ? BP_ROLE_OUTLINE : BP_ROLE_MARK;
  if (p->count == 0) {
    bp_text_append(svg, "<circle");
    bp_svg_shape_attributes(svg, role, color);
    append_attribute(svg, "cx", x);
    append_attribute(svg, "cy", y);
    append_attribute(svg, "r", 4.2);
    end_element(svg, "circle", tip);
    return;
  }
  bp_svg_path_begin(svg, role, color);
  for (int n = 0; n < p->count; ++n)
    bp_svg_path_to(svg, n == 0, x + p->corners[n][0], y + p->corners[n][1]);
  bp_text_append(svg, "Z");
  bp_svg_path_end(svg, tip);
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

/* As much of it as fits, with "..."; free with bp_free. */
static char *fitted(const char *text, double size, double width)
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

void bp_svg_fitted_text(bp_text *svg, double x, double y, bp_svg_anchor anchor, bp_letters letters,
                        bp_color color, const char *text, double size, double width)
{
  char *shown = fitted(text, size, width);
  append_text(svg, x, y, anchor, letters, color, shown, strcmp(shown, text) == 0 ? NULL : text);
  bp_free(shown);
}
