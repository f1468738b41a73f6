/* svg_style.c -- colours and roles as attributes that every program understands, and the rules that darken
 * them where a browser asks for it. */
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The colours of series were searched for, not chosen: any two of the seven differ by 34 and more in CIELAB,
 * also as the three kinds of colour-blind see them, and stand out from the ground by 3 : 1 and more. */
static const struct {
  const char *name, *light, *dark;
} colors[] = {
    {"paper", "#ffffff", "#14181d"}, {"ink", "#1b1f24", "#e8ecf1"},  {"soft", "#57606a", "#a3adb8"},
    {"rule", "#d8dee4", "#333b45"},  {"grey", "#a6aeb7", "#68727e"}, {"bad", "#c02a2a", "#ff8378"},
    {"c0", "#1a7bfc", "#8560e0"},    {"c1", "#e06719", "#ef8e1c"},   {"c2", "#580884", "#e4b1ff"},
    {"c3", "#959773", "#69ff91"},    {"c4", "#712200", "#97713b"},   {"c5", "#c068af", "#cdf4e4"},
    {"c6", "#18353f", "#37948c"},    {"light", "#ffffff", NULL},     {"dark", "#000000", NULL},
};
enum { COLORS = sizeof colors / sizeof *colors };

/* What a shape is: whether its colour is that of the line or the area, a colour of its own (NULL: the one
 * named behind the role), and the rest. */
static const struct {
  const char *name;
  bool is_filled;
  const char *color, *attributes;
} roles[] = {
    {"path", false, NULL, " stroke-width=\"2\" stroke-linejoin=\"round\""},
    {"bold", false, NULL, " stroke-width=\"3\" stroke-linejoin=\"round\" stroke-linecap=\"round\""},
    {"thin", false, NULL, " stroke-width=\"1\""},
    {"thick", false, NULL, " stroke-width=\"3\""},
    {"band", false, NULL,
     " stroke-width=\"8\" stroke-opacity=\"0.3\" stroke-linejoin=\"round\" "
     "stroke-linecap=\"round\""},
    {"dash", false, NULL, " stroke-width=\"1.5\" stroke-dasharray=\"5 4\""},
    {"long", false, NULL, " stroke-width=\"1.8\" stroke-dasharray=\"9 4\""},
    {"dots", false, NULL, " stroke-width=\"2\" stroke-dasharray=\"2 3\""},
    {"ring", false, "ink", " stroke-width=\"1.6\""},
    {"none", false, "rule", ""},
    {"hollow", false, NULL, " stroke-width=\"1.6\""},
    {"rule", false, "rule", ""},
    {"axis", false, "soft", ""},
    {"mark", true, NULL, " stroke-width=\"0.7\""}, /* on a thin ring of paper */
    {"fill", true, NULL, ""},
    {"faint", true, NULL, " fill-opacity=\"0.18\""},
    {"tint", true, NULL, " fill-opacity=\"0.06\""},
    {"paper", true, "paper", ""},
};
enum { ROLES = sizeof roles / sizeof *roles };

static const struct {
  const char *name, *attributes;
} letters[] = {
    {"headline", " font-size=\"17\" font-weight=\"600\""},
    {"title", " font-size=\"14\" font-weight=\"600\""},
    {"strong", " font-size=\"15\" font-weight=\"600\""},
    {"large", " font-size=\"15\""},
    {"medium", " font-size=\"14\""},
    {"cell", " font-size=\"11\" text-anchor=\"middle\""},
    {"bad", " font-weight=\"600\""},
};
enum { LETTERS = sizeof letters / sizeof *letters };

static bool has_word(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = words; *at; at += strspn(at, " ")) {
    size_t found = strcspn(at, " ");
    if (found == length && memcmp(at, word, length) == 0)
      return true;
    at += found;
  }
  return false;
}

/* The first colour among the words, or `otherwise`. */
static int color_of(const char *words, const char *otherwise)
{
  int found = 0;
  for (int n = 0; n < COLORS; ++n) {
    if (has_word(words, colors[n].name))
      return n;
    if (strcmp(colors[n].name, otherwise) == 0)
      found = n;
  }
  return found;
}

void bp_svg_shape_attributes(bp_text *svg, const char *css)
{
  int role = 0;
  while (role < ROLES && !has_word(css, roles[role].name))
    ++role;
  if (role == ROLES) /* its fill is given */
    return;
  int color = color_of(roles[role].color ? roles[role].color : css, "ink");
  bool is_mark = strcmp(roles[role].name, "mark") == 0;
  bp_text_appendf(svg, " class=\"%s %s%s\"", roles[role].is_filled ? "f" : "s", colors[color].name,
                  is_mark ? " m" : "");
  if (roles[role].is_filled)
    bp_text_appendf(svg, " fill=\"%s\"%s", colors[color].light,
                    is_mark ? " stroke=\"#ffffff\"" : "");
  else
    bp_text_appendf(svg, " fill=\"none\" stroke=\"%s\"", colors[color].light);
  bp_text_append(svg, roles[role].attributes);
}

void bp_svg_text_attributes(bp_text *svg, const char *css)
{
  int color = color_of(css, "ink");
  if (colors[color].dark)
    bp_text_appendf(svg, " class=\"f %s\"", colors[color].name);
  bp_text_appendf(svg, " fill=\"%s\"", colors[color].light);
  for (int n = 0; n < LETTERS; ++n)
    if (has_word(css, letters[n].name))
      bp_text_append(svg, letters[n].attributes);
}

void bp_svg_append_style(bp_text *css)
{
  bp_text_append(css, "@media screen and (prefers-color-scheme:dark){\n");
  for (int n = 0; n < COLORS; ++n)
    if (colors[n].dark)
      bp_text_appendf(css, ".bp .f.%s{fill:%s}.bp .s.%s{stroke:%s}\n", colors[n].name,
                      colors[n].dark, colors[n].name, colors[n].dark);
  bp_text_appendf(css, ".bp .m{stroke:%s}}\n", colors[0].dark);
}

void bp_svg_append_palette(bp_text *css)
{
  for (int is_dark = 0; is_dark < 2; ++is_dark) {
    bp_text_append(css, is_dark ? "@media screen and (prefers-color-scheme:dark){.bp{" : ".bp{");
    for (int n = 0; n < COLORS; ++n)
      if (colors[n].dark)
        bp_text_appendf(css, "--%s:%s;", colors[n].name,
                        is_dark ? colors[n].dark : colors[n].light);
    bp_text_append(css, is_dark ? "}}\n" : "}\n");
  }
}

char *bp_svg_color(char out[8], int n)
{
  snprintf(out, 8, "c%d", n % BP_SVG_COLORS);
  return out;
}

/* Steep where good kernels lie: 95, 100 and 105 % are told apart at a glance. Black or white letters
 * stand out from any colour by 4.58 : 1 and more. */
static const struct {
  double at, color[3];
} shades[] = {
    {0, {46, 18, 84}},     {0.25, {96, 44, 140}},  {0.5, {62, 96, 176}},
    {0.8, {44, 150, 164}}, {0.9, {62, 168, 102}},  {0.95, {152, 206, 78}},
    {1, {250, 226, 60}},   {1.05, {248, 152, 66}}, {1.1, {216, 88, 142}},
};
enum { SHADES = sizeof shades / sizeof *shades };

char *bp_svg_shade(char out[8], double fraction, bool *is_dark)
{
  static const double dark = 0.653; /* below, white letters stand out more, above black ones */
  int stop = 1, color[3];
  double at = fmin(fmax(fraction, 0), shades[SHADES - 1].at);
  while (at > shades[stop].at)
    ++stop;
  double part = (at - shades[stop - 1].at) / (shades[stop].at - shades[stop - 1].at);
  for (int c = 0; c < 3; ++c) {
    double from = shades[stop - 1].color[c];
    color[c] = (int)lround(from + part * (shades[stop].color[c] - from));
  }
  *is_dark = at < dark;
  snprintf(out, 8, "#%02x%02x%02x", color[0] & 255, color[1] & 255, color[2] & 255);
  return out;
}

int bp_svg_shade_stops(double stops[BP_SVG_STOPS])
{
  for (int n = 0; n < SHADES; ++n)
    stops[n] = shades[n].at;
  return SHADES;
}
