/* renamed.c -- finding old names of variants and options. */
#include "registry/renamed.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/choice.h"
#include <string.h>

static const char *find(const char *kind, const char *name)
{
  for (int n = 0; n < bp_renames_count; ++n)
    if (strcmp(bp_renames[n].kind, kind) == 0 && strcmp(bp_renames[n].old_name, name) == 0)
      return bp_renames[n].new_name;
  return NULL;
}

const char *bp_renamed_option(const char *name)
{
  return find("option", name);
}

const char *bp_renamed_variant(const char *id)
{
  return find("variant", id);
}

static const char *after_slash(const char *id)
{
  return strchr(id, '/') + 1;
}

const char *bp_renamed_pattern(const char *pattern)
{
  if (strchr(pattern, '/'))
    return bp_renamed_variant(pattern);
  for (int n = 0; n < bp_renames_count; ++n)
    if (strcmp(bp_renames[n].kind, "variant") == 0 &&
        strcmp(after_slash(bp_renames[n].old_name), pattern) == 0 &&
        strcmp(after_slash(bp_renames[n].new_name), pattern) != 0)
      return after_slash(bp_renames[n].new_name);
  return NULL;
}

void bp_renamed_tell(const char *old_name, const char *new_name)
{
  bp_tell("bp: '%s' is called '%s' now", old_name, new_name);
}

/* "rooms=2" of a variant, in range or not; false where it has no such option, nor a size that is always
 * that. */
static bool read_option(bp_choice *choice, const char *word)
{
  const bp_variant *v = choice->variant;
  const size_t length = strcspn(word, "=");
  char *old = bp_strndup(word, length);
  const char *name = bp_choice_option_name(v, old);
  int64_t value, fixed;
  bool is = word[length] && bp_parse_int(word + length + 1, &value), has = false;
  for (int n = 0; n < v->options_count && is && name; ++n)
    if (strcmp(v->options[n].name, name) == 0) {
      choice->option[n] = value;
      has = true;
    }
  for (int n = 0; n < v->sizes_count && is && !has; ++n)
    has = strcmp(v->sizes[n].name, old) == 0 && bp_parse_int(v->sizes[n].expression, &fixed) &&
          fixed == value;
  bp_free(old);
  return is && has;
}

/* All options of the variant in its header's order, or NULL where the words are not its own. */
static char *options_of(const bp_variant *variant, const char *words)
{
  if (!variant)
    return NULL;
  bp_choice choice = bp_choice_standard(variant);
  char *copy = bp_strdup(words), *rest = NULL;
  bool are_own = true;
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    are_own = are_own && read_option(&choice, word);
  bp_free(copy);
  return are_own ? bp_choice_options(&choice) : NULL;
}

char *bp_renamed_choice(const char *choice)
{
  const size_t length = strcspn(choice, " ");
  char *old = bp_strndup(choice, length), *options = NULL;
  const char *words = choice + length + strspn(choice + length, " "),
             *today = bp_renamed_variant(old);
  const char *id = today ? today : old;
  if (*words)
    options = options_of(bp_variant_find(id, BP_LANGUAGE_CUDA), words);
  if (*words && !options)
    options = options_of(bp_variant_find(id, BP_LANGUAGE_C), words);
  if (options)
    words = options;
  char *text = bp_format("%s%s%s", id, *words ? " " : "", words);
  bp_free(options);
  bp_free(old);
  return text;
}
