/* svg_style.c -- colours and roles as attributes that every program understands, and the rules that darken
 * them where a browser asks for it. */
#include "report/svg.h"

#include <math.h>
#include <stdio.h>

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

static const char *const roles[] = {
    [BP_ROLE_LINE] = "",
    [BP_ROLE_PATH] = " stroke-width=\"2\" stroke-linejoin=\"round\"",
    [BP_ROLE_BOLD] = " stroke-width=\"3\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
    [BP_ROLE_THIN] = " stroke-width=\"1\"",
    [BP_ROLE_THICK] = " stroke-width=\"3\"",
    [BP_ROLE_BAND] = (" stroke-width=\"8\" stroke-opacity=\"0.3\" stroke-linejoin=\"round\" "
                      "stroke-linecap=\"round\""),
    [BP_ROLE_DASH] = " stroke-width=\"1.5\" stroke-dasharray=\"5 4\"",
    [BP_ROLE_LONG] = " stroke-width=\"1.8\" stroke-dasharray=\"9 4\"",
    [BP_ROLE_DOTS] = " stroke-width=\"2\" stroke-dasharray=\"2 3\"",
    [BP_ROLE_OUTLINE] = " stroke-width=\"1.6\"",
    [BP_ROLE_MARK] = " stroke-width=\"0.7\"", /* on a thin ring of paper */
    [BP_ROLE_FILL] = "",
    [BP_ROLE_TINT] = " fill-opacity=\"0.06\"",
};

static const char *const letters_of[] = {
    [BP_LETTERS_USUAL] = "",
    [BP_LETTERS_HEADLINE] = " font-size=\"17\" font-weight=\"600\"",
    [BP_LETTERS_TITLE] = " font-size=\"14\" font-weight=\"600\"",
    [BP_LETTERS_STRONG] = " font-size=\"15\" font-weight=\"600\"",
    [BP_LETTERS_LARGE] = " font-size=\"15\"",
    [BP_LETTERS_MEDIUM] = " font-size=\"14\"",
    [BP_LETTERS_CELL] = " font-size=\"11\" text-anchor=\"middle\"",
    [BP_LETTERS_ALARM] = " font-size=\"11\" text-anchor=\"middle\" font-weight=\"600\"",
};

void bp_svg_shape_attributes(bp_text *svg, bp_role role, bp_color color)
{
  const char *name = colors[color].name, *value = colors[color].light;
  if (role == BP_ROLE_NONE)
    return;
  if (role < BP_ROLE_MARK)
    bp_text_appendf(svg, " class=\"s %s\" fill=\"none\" stroke=\"%s\"", name, value);
  else if (role == BP_ROLE_MARK)
    bp_text_appendf(svg, " class=\"f %s m\" fill=\"%s\" stroke=\"#ffffff\"", name, value);
  else
    bp_text_appendf(svg, " class=\"f %s\" fill=\"%s\"", name, value);
  bp_text_append(svg, roles[role]);
}

void bp_svg_text_attributes(bp_text *svg, bp_letters letters, bp_color color)
{
  if (colors[color].dark)
    bp_text_appendf(svg, " class=\"f %s\"", colors[color].name);
  bp_text_appendf(svg, " fill=\"%s\"%s", colors[color].light, letters_of[letters]);
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

bp_color bp_svg_color(int n)
{
  return BP_SERIES + n % BP_SVG_COLORS;
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
