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

static const bp_variant *find_variant(const char *id)
{
  const bp_variant *variant = bp_variant_find(id, BP_LANGUAGE_CUDA);
  return variant ? variant : bp_variant_find(id, BP_LANGUAGE_C);
}

/* "rooms=2" of a variant. */
static void append_option(bp_text *text, const bp_variant *variant, char *word)
{
  char *equals = strchr(word, '=');
  if (equals)
    *equals = '\0';
  const char *name = variant && equals ? bp_choice_option_name(variant, word) : NULL;
  bp_text_appendf(text, " %s%s%s", name ? name : word, equals ? "=" : "", equals ? equals + 1 : "");
}

char *bp_renamed_choice(const char *choice)
{
  bp_text text = {0};
  char *copy = bp_strdup(choice), *rest = NULL, *id = strtok_r(copy, " ", &rest);
  const char *today = id ? bp_renamed_variant(id) : NULL;
  bp_text_append(&text, today ? today : id ? id : "");
  const bp_variant *variant = find_variant(text.data);
  for (char *word; (word = strtok_r(NULL, " ", &rest));)
    append_option(&text, variant, word);
  bp_free(copy);
  return text.data;
}
