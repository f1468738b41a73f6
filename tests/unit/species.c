/* species.c -- the polynomial through the times of pair. */
#include "test.h"

#include "report/species.h"
#include <math.h>

TEST(species, finds_what_the_times_were_made_of)
{
  static const double x[] = {5, 10, 20, 50}, made[][3] = {{2e-8, 3e-9, 2e-10}, {0, 4e-11, 0}};
  for (int m = 0; m < 2; ++m) {
    double y[4], terms[BP_SPECIES_TERMS], worst = 1;
    for (int n = 0; n < 4; ++n)
      y[n] = x[n] * (made[m][0] + x[n] * (made[m][1] + x[n] * made[m][2]));
    CU_ASSERT_FATAL(bp_species_fit(4, x, y, terms, &worst));
    CU_ASSERT(worst < 1e-12);
    for (int t = 0; t < BP_SPECIES_TERMS; ++t)
      CHECK(fabs(terms[t] - made[m][t]) * pow(50, t + 1) < 1e-12 * y[3], "term %d: %g for %g", t,
            terms[t], made[m][t]);
  }
}

TEST(species, says_how_far_off_it_is)
{
  static const double x[] = {5, 10, 20, 40, 50}, twice[] = {5, 5, 10, 10};
  double y[5], terms[BP_SPECIES_TERMS], worst = 0;
  for (int n = 0; n < 5; ++n)
    y[n] = 1e-9 * x[n] * x[n] * (n == 2 ? 1.1 : 1);
  CU_ASSERT(bp_species_fit(5, x, y, terms, &worst));
  CU_ASSERT(worst > 0.01 && worst < 0.1);
  CU_ASSERT(!bp_species_fit(4, twice, y, terms, &worst));
}
