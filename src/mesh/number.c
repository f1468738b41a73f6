/* number.c -- the exact part of decimal to binary conversion. */
#include "mesh/number.h"

#include <float.h>

bool bp_decimal(uint64_t mantissa, int exponent, double *value)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  enum { EXACT = 22 };
  if (mantissa == 0) {
    *value = 0;
    return true;
  }
  if (mantissa <= UINT64_C(1) << 53 && -EXACT <= exponent && exponent <= EXACT) {
    double m = (double)mantissa;
    *value = exponent < 0 ? m / power[-exponent] : m * power[exponent];
    return true;
  }
#if LDBL_MANT_DIG == 64
  static const long double long_power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                           1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                           1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                           1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
  enum { LONG_EXACT = 27, BELOW_DOUBLE = 0x7ff, HALFWAY = 0x400 };
  if (-LONG_EXACT <= exponent && exponent <= LONG_EXACT) {
    long double m = (long double)mantissa;
    long double rounded = exponent < 0 ? m / long_power[-exponent] : m * long_power[exponent];
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    /* Rounding to 64 bits and then to 53 is rounding once, unless the first lands halfway. */
    if ((bits & BELOW_DOUBLE) == HALFWAY)
      return false;
    *value = (double)rounded;
    return true;
  }
#endif
  return false;
}
