/* renamed.h -- old names of variants and options, from kernels/renamed: where somebody's table, record or
 * configuration has one, it means the new name. */
#ifndef BP_REGISTRY_RENAMED_H
#define BP_REGISTRY_RENAMED_H

typedef struct {
  const char *kind, *old_name, *new_name; /* "option" or "variant"; variants as PROBLEM/NAME */
} bp_rename;

extern const bp_rename bp_renames[];
extern const int bp_renames_count;

/* The new name, or NULL where `name` is no old one. */
const char *bp_renamed_option(const char *name);
const char *bp_renamed_variant(const char *id);

/* A variant as it is asked for, "turn" or "bp1.0/turn": "mma-transposed", "bp1.0/mma-transposed", or NULL. */
const char *bp_renamed_pattern(const char *pattern);

/* Tells what an old name is called now (bp_tell). */
void bp_renamed_tell(const char *old_name, const char *new_name);

/* "bp1.0/turn rooms=2 apart=8" with the new names and all options in the header's order: one that was not
 * there yet had today's default. A variant that is not in the registry keeps its options, for they may be
 * anybody's. Free with bp_free. */
char *bp_renamed_choice(const char *choice);

#endif
