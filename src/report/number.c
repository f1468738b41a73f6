/* number.c -- figures for people. Digits come from integers, so no locale can change them. */
#include "report/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *none(bp_number out)
{
  return strcpy(out, "-");
}

char *bp_number_fixed(bp_number out, double value, int decimals)
{
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  if (decimals > 9)
    decimals = 9;
  double scaled = round(fabs(value) * powers[decimals]);
  if (!isfinite(value) || scaled > 9e17)
    return none(out);
  int64_t digits = (int64_t)scaled, one = (int64_t)powers[decimals];
  const char *sign = value < 0 && digits > 0 ? "-" : "";
  if (decimals == 0)
    snprintf(out, BP_NUMBER, "%s%" PRId64, sign, digits);
  else
    snprintf(out, BP_NUMBER, "%s%" PRId64 ".%0*" PRId64, sign, digits / one, decimals,
             digits % one);
  return out;
}

/* Decimals that leave `digits` significant ones once `value` is rounded to them. */
static int decimals_for(double value, int digits)
{
  double size = fabs(value);
  if (size == 0 || !isfinite(size))
    return 0;
  int exponent = (int)floor(log10(size));
  if (round(size * pow(10, digits - 1 - exponent)) >= pow(10, digits))
    ++exponent;
  int decimals = digits - 1 - exponent;
  return decimals < 0 ? 0 : decimals;
}

char *bp_number_four(bp_number out, double value)
{
  return bp_number_fixed(out, value, decimals_for(value, 4));
}

char *bp_number_seconds(bp_number out, double seconds, bool micro)
{
  const struct {
    double size;
    const char *name;
  } units[] = {{1e-9, "ns"}, {1e-6, micro ? "\xc2\xb5s" : "us"}, {1e-3, "ms"}, {1, "s"}};
  if (!isfinite(seconds))
    return none(out);
  int unit = 0;
  while (unit < 3 && fabs(seconds) >= 0.99995 * units[unit + 1].size)
    ++unit;
  bp_number_four(out, seconds / units[unit].size);
  strcat(strcat(out, " "), units[unit].name);
  return out;
}

char *bp_number_percent(bp_number out, double fraction)
{
  if (!isfinite(fraction))
    return none(out);
  return strcat(bp_number_fixed(out, 100 * fraction, fabs(fraction) < 0.00995 ? 2 : 1), " %");
}

char *bp_number_grouped(bp_number out, int64_t value)
{
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%" PRId64, value), at = 0;
  for (int n = 0; n < length; ++n) {
    if (n > (value < 0) && (length - n) % 3 == 0)
      out[at++] = ',';
    out[at++] = digits[n];
  }
  out[at] = '\0';
  return out;
}

char *bp_number_count(bp_number out, double value)
{
  static const char *const units[] = {"", " k", " M", " G", " T"};
  int unit = 0;
  if (!isfinite(value))
    return none(out);
  if (fabs(value) < 9999.5)
    return bp_number_fixed(out, value, 0);
  while (unit < 4 && fabs(value) >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return strcat(bp_number_four(out, value), units[unit]);
}

char *bp_number_small(bp_number out, double value)
{
  if (!isfinite(value))
    return none(out);
  if (value == 0)
    return strcpy(out, "0");
  snprintf(out, BP_NUMBER, "%.1e", value);
  out[value < 0 ? 2 : 1] = '.'; /* in any locale */
  return out;
}
