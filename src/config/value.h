/* value.h -- one value of a key: from text into its field. Everything that a user types,
 * in a file or as an option, is converted here and nowhere else. */
#ifndef BP_CONFIG_VALUE_H
#define BP_CONFIG_VALUE_H

#include "config/config.h"

/* Adds what `text` says to a list (several values are separated by commas), or replaces a single
 * value. `field` is of the type of the key's kind. On failure appends "expected ..., found ..." to
 * `problem`; nothing was added then, or a part of a list. Not for BP_KEY_OPTIONS. */
bool bp_value_add(const bp_config_key *key, const char *text, void *field, bp_text *problem);

/* Makes the field empty (NULL, 0, count 0), freeing what it owns. A zeroed field is empty. */
void bp_value_clear(const bp_config_key *key, void *field);

/* Adds an option without values, `name` being a word of letters, digits and '_'; NULL when it is
 * not, with `problem` as above. */
bp_config_option *bp_value_add_option(bp_config_options *options, const char *name,
                                      bp_text *problem);

/* The values of one option follow this row. */
extern const bp_config_key bp_value_of_option;

/* Appends 'text', shortened, with what does not print replaced; "nothing" when it is empty. */
void bp_value_quote(const char *text, bp_text *out);

#endif
