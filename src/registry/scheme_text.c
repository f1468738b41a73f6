/* scheme_text.c -- the texts of a scheme's variants: its own, with one operator's header included. */
#include "registry/scheme_text.h"

#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

static const char key[] = "\n * operators:", place[] = "OPERATOR.h\"";

/* What follows the key in the first comment, or NULL. */
static const char *list_of(const char *source)
{
  const char *found = strstr(source, key), *end = strstr(source, "*/");
  return found && found < end ? found + sizeof key - 1 : NULL;
}

bool bp_scheme_text_is(const bp_variant_text *text)
{
  return text->source && list_of(text->source);
}

/* The operator's header in each place for one: "bp3-mma" is apply_bp3_mma.h. */
static void append_code(bp_text *text, const char *code, const char *word)
{
  for (const char *at; (at = strstr(code, place)); code = at + sizeof place - 1) {
    bp_text_append_bytes(text, code, (size_t)(at - code));
    for (const char *c = word; *c; ++c)
      bp_text_append_bytes(text, *c == '-' ? "_" : c, 1);
    bp_text_append(text, ".h\"");
  }
  bp_text_append(text, code);
}

/* The line `operators:` becomes `degrees:`, or empty. */
static char *source_with(const char *source, const char *word, const char *degrees)
{
  const char *list = list_of(source);
  bp_text text = {0};
  bp_text_append_bytes(&text, source, (size_t)(list - source) - (sizeof key - 1));
  bp_text_appendf(&text, "\n *%s%s", *degrees ? " degrees: " : "", degrees);
  append_code(&text, list + strcspn(list, "\n"), word);
  return text.data;
}

/* "bp3/two-kernel-mma-ranks" of bp3-mma and solve/two-kernel-ranks. */
static char *id_of(const char *scheme, const char *word)
{
  const char *name = strchr(scheme, '/') + 1, *end = strrchr(name, '-');
  const int problem = (int)strcspn(word, "-");
  const bool is_for_ranks = end && strcmp(end, "-ranks") == 0;
  const int stem = (int)(is_for_ranks ? (size_t)(end - name) : strlen(name));
  return bp_format("%.*s/%.*s%s%s", problem, word, stem, name, word + problem, name + stem);
}

/* "bp5 1..12": the degrees may be missing. */
static bool read_operator(const char *item, char word[32], char degrees[16])
{
  int named = 0, used = 0;
  *degrees = '\0';
  if (sscanf(item, " %31[a-z0-9.-] %n%15[0-9.] %n", word, &named, degrees, &used) < 1)
    return false;
  return item[used > named ? used : named] == '\0' && word[0] >= 'a' && word[0] <= 'z' &&
         strcspn(word, "-") < sizeof((bp_variant *)NULL)->problem;
}

bp_status bp_scheme_text_variants(const bp_variant_text *scheme, bp_variant_text **variants,
                                  int *count)
{
  const char *list = list_of(scheme->source);
  char *copy = bp_strndup(list, strcspn(list, "\n")), *rest = NULL;
  bp_status status = BP_OK;
  *variants = NULL;
  *count = 0;
  for (char *item = strtok_r(copy, ",", &rest); item && !status;
       item = strtok_r(NULL, ",", &rest)) {
    char word[32], degrees[16];
    if (!read_operator(item, word, degrees)) {
      status = bp_fail(BP_BAD_INPUT, "%s: operators: expected bp1, bp3-mma 7..14, ..., found '%s'",
                       scheme->file, item);
      continue;
    }
    *variants = bp_realloc(*variants, (size_t)*count + 1, sizeof **variants);
    bp_variant_text *variant = &(*variants)[(*count)++];
    *variant = *scheme;
    variant->id = id_of(scheme->id, word);
    variant->source = source_with(scheme->source, word, degrees);
  }
  bp_free(copy);
  return status;
}
