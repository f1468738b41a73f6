/* tune_seeds.h -- where the search of a case begins, and how far it may go. */
#ifndef BP_BENCH_TUNE_SEEDS_H
#define BP_BENCH_TUNE_SEEDS_H

#include "bench/tune_case.h"

/* Its place in bp_variants(). */
int bp_tune_number(const bp_variant *variant);

/* Whether it is of a variant that the case asks for, with options that the config sets at its values. */
bool bp_tune_is_wanted(const bp_tuner *tuner, const bp_case *c, const bp_choice *choice);

/* Whether it is wanted, made for the degree, and its launches are such as the device can have. */
bool bp_tune_fits(const bp_tuner *tuner, const bp_case *c, const bp_choice *choice);

/* The choice that the shipped table has, the hints, those that any table has for this problem and degree,
 * and the case's own, each as it stands and with blocks of moderate size; what was fast before goes first.
 * Those that fit, each once. Free *seeds with bp_free. Returns their number. */
int bp_tune_seeds(const bp_tuner *tuner, const bp_case *c, const bp_choice *hints, int hints_count,
                  bp_choice **seeds);

#endif
