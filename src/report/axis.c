/* axis.c -- ticks at round numbers. */
#include "report/axis.h"

#include "report/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The least of 1, 2, 5 times a power of ten that is not below `step`. */
static double round_step(double step)
{
  double power = pow(10, floor(log10(step)));
  double part = step / power;
  return (part <= 1.0001 ? 1 : part <= 2.0001 ? 2 : part <= 5.0001 ? 5 : 10) * power;
}

/* Steps, ratios and logarithms of what is within these are finite and not zero. */
static const double SMALLEST = 1e-290, LARGEST = 1e290, LEAST_SPAN = 1e-9;

static double within(double value, double least, double most)
{
  return value > least ? (value < most ? value : most) : least; /* NaN becomes the least */
}

bp_axis bp_axis_linear(double low, double high, int wanted)
{
  low = isnan(low) ? 0 : within(low, -LARGEST, LARGEST);
  high = within(high, low, LARGEST);
  if (high - low <= fmax(SMALLEST, LEAST_SPAN * fmax(fabs(low), fabs(high))))
    high = low + fmax(1, fabs(low));
  double step = round_step((high - low) / wanted);
  bp_axis axis = {.low = floor(low / step + 1e-9) * step, .high = ceil(high / step - 1e-9) * step};
  int steps = (int)lround((axis.high - axis.low) / step);
  axis.ticks_count = steps + 1 < BP_AXIS_TICKS ? steps + 1 : BP_AXIS_TICKS;
  for (int n = 0; n < axis.ticks_count; ++n)
    axis.ticks[n] = axis.low + n * step;
  axis.decimals = step >= 0.9999 ? 0 : (int)ceil(-log10(step) - 1e-9);
  return axis;
}

bp_axis bp_axis_log(double low, double high, int wanted)
{
  static const double parts[] = {1, 2, 5};
  low = within(low, SMALLEST, LARGEST);
  high = within(high, low, LARGEST);
  bp_axis axis = {.is_log = true, .low = low, .high = high > low * 1.0001 ? high : 2 * low};
  int first = (int)floor(log10(axis.low)), last = (int)ceil(log10(axis.high));
  int every = 3 * (last - first) > wanted ? 3 : 1; /* of the parts */
  for (int e = first; e <= last; ++e)
    for (int n = 0; n < 3; n += every) {
      double tick = parts[n] * pow(10, e);
      if (tick >= axis.low * 0.9999 && tick <= axis.high * 1.0001 &&
          axis.ticks_count < BP_AXIS_TICKS)
        axis.ticks[axis.ticks_count++] = tick;
    }
  return axis;
}

bp_axis bp_axis_whole(int low, int high, int wanted)
{
  bp_axis axis = {.low = low - 0.5, .high = high + 0.5};
  int step = (high - low) / wanted + 1;
  for (int n = low; n <= high && axis.ticks_count < BP_AXIS_TICKS; n += step)
    axis.ticks[axis.ticks_count++] = n;
  return axis;
}

double bp_axis_at(const bp_axis *axis, double value)
{
  double part = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                             : (value - axis->low) / (axis->high - axis->low);
  return axis->from + part * (axis->to - axis->from);
}

char *bp_axis_label(char out[40], const bp_axis *axis, double tick)
{
  if (fabs(tick) >= 999999.5)
    return strcat(bp_number_fixed(out, tick / 1e6, fmod(round(tick), 1e6) != 0), "M");
  bool has_thousands = axis->ticks_count && axis->ticks[axis->ticks_count - 1] >= 9999.5;
  if (fabs(tick) >= 9999.5 || (has_thousands && fabs(tick) >= 999.5))
    return strcat(bp_number_fixed(out, tick / 1000, fmod(round(tick), 1000) != 0), "k");
  int decimals = axis->decimals;
  if (axis->is_log && tick < 0.00999) {
    const double exponent = floor(log10(tick) + 1e-9);
    snprintf(out, 40, "%.0fe%.0f", tick / pow(10, exponent), exponent);
    return out;
  }
  if (axis->is_log)
    decimals = tick >= 0.9999 ? 0 : (int)ceil(-log10(tick) - 1e-9);
  return bp_number_fixed(out, tick, decimals);
}
