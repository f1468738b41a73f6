/* number.h -- decimal text to numbers, as fast as a mesh of a million elements wants it and
 * correctly rounded all the same.
 *
 * The scanners skip blanks (not newlines), read one number and return the byte after it, or NULL
 * when the text is not a plain number that they are sure about: the caller then takes bp_parse_int
 * or bp_parse_double. A number ends at a blank or a control character, and the scanners never pass
 * one, so a '\n' before the end of the buffer is all the sentinel they need; `end` only limits
 * reading ahead. */
#ifndef BP_MESH_NUMBER_H
#define BP_MESH_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* value = mantissa * 10^exponent to the nearest double; false where that needs more than two exact
 * operands and one rounding. */
bool bp_decimal(uint64_t mantissa, int exponent, double *value);

static inline const char *bp_skip_blanks(const char *p)
{
  while (*p == ' ' || *p == '\t' || *p == '\r')
    ++p;
  return p;
}

static inline const char *bp_scan_int(const char *p, int64_t *value)
{
  p = bp_skip_blanks(p);
  bool negative = *p == '-';
  p += negative;
  const char *first = p;
  uint64_t v = 0;
  for (unsigned digit; (digit = (unsigned)(*p - '0')) < 10; ++p)
    v = v * 10 + digit;
  if (p == first || p - first > 18 || (unsigned char)*p > ' ')
    return 0;
  *value = negative ? -(int64_t)v : (int64_t)v;
  return p;
}

/* Eight digits at once: bytes to pairs, pairs to fours, fours to eight. */
static inline bool bp_eight_digits(const char *p, uint64_t *value)
{
  uint64_t v;
  memcpy(&v, p, 8);
  uint64_t over = v + 0x4646464646464646u, under = v - 0x3030303030303030u;
  if ((over | under) & 0x8080808080808080u)
    return false;
  v = (under * 10) + (under >> 8);
  v = ((v & 0x000000ff000000ffu) * 0x000f424000000064u +
       ((v >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
      32;
  *value = v;
  return true;
}

static inline const char *bp_scan_digits(const char *p, const char *end, uint64_t *mantissa)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (uint64_t eight; end - p >= 8 && bp_eight_digits(p, &eight); p += 8)
    *mantissa = *mantissa * 100000000 + eight;
#endif
  for (unsigned digit; (digit = (unsigned)(*p - '0')) < 10; ++p)
    *mantissa = *mantissa * 10 + digit;
  return p;
}

static inline const char *bp_scan_double(const char *p, const char *end, double *value)
{
  p = bp_skip_blanks(p);
  bool negative = *p == '-';
  p += negative;
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  const char *first = p;
  p = bp_scan_digits(p, end, &mantissa);
  int64_t digits = p - first;
  if (*p == '.') {
    const char *fraction = p + 1;
    p = bp_scan_digits(fraction, end, &mantissa);
    exponent = fraction - p;
    digits += p - fraction;
  }
  if (digits == 0)
    return 0;
  for (const char *z = first; digits > 19 && (*z == '0' || *z == '.'); ++z)
    digits -= *z == '0'; /* leading zeros did not fill the mantissa */
  if (digits > 19)
    return 0;
  if (*p == 'e' || *p == 'E') {
    bool minus = p[1] == '-';
    p += 1 + (minus || p[1] == '+');
    const char *start = p;
    int64_t e = 0;
    for (unsigned digit; (digit = (unsigned)(*p - '0')) < 10 && p - start < 5; ++p)
      e = e * 10 + digit;
    if (p == start || p - start == 5)
      return 0;
    exponent += minus ? -e : e;
  }
  if ((unsigned char)*p > ' ' || !bp_decimal(mantissa, (int)exponent, value))
    return 0;
  *value = negative ? -*value : *value;
  return p;
}

#endif
