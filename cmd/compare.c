/* compare.c -- `bp compare`: what became faster or slower between two records, beyond the noise. */
#include "cli/command.h"

#include "report/compare.h"
#include <stdio.h>
#include <string.h>

static void show(bp_text *text)
{
  fwrite(bp_text_string(text), 1, text->length, stdout);
  bp_text_destroy(text);
}

static bp_status across(const bp_arguments *arguments, const bp_record *first,
                        const bp_record *second)
{
  bp_text text = {0};
  if (bp_argument_has(arguments, "strict") ||
      strcmp(bp_argument_string(arguments, "format"), "table") != 0)
    return bp_fail(BP_BAD_INPUT,
                   "--across: expected neither --strict nor another --format beside it: two "
                   "machines have no verdict");
  bp_compare_across(first, second, &text);
  show(&text);
  return BP_OK;
}

static void print(const bp_comparison *comparison, const char *format)
{
  bp_text text = {0};
  bp_style style = bp_style_of(stdout);
  if (strcmp(format, "json") == 0)
    bp_comparison_json(comparison, &text);
  else
    bp_comparison_table(comparison, &style, &text);
  show(&text);
}

/* With --strict a row that tells nothing is as bad as one that is slower. */
static bp_status judge(const bp_comparison *c, bool is_strict)
{
  if (c->regressions)
    return BP_REGRESSION;
  const int64_t open = c->counts[BP_VERDICT_INCONCLUSIVE];
  if (!is_strict || (open == 0 && !bp_comparison_is_mute(c)))
    return BP_OK;
  fprintf(stderr,
          "bp: --strict: %lld of %lld rows tell nothing: measure longer, on a quieter machine, or "
          "four runs of each\n",
          (long long)(open ? open : c->count), (long long)c->count);
  return BP_REGRESSION;
}

bp_status bp_command_compare(const bp_arguments *arguments)
{
  bp_record *old = NULL, *new = NULL;
  bp_comparison *comparison = NULL;
  double threshold = bp_argument_double(arguments, "fail-over");
  bp_status status = bp_record_read(bp_argument_at(arguments, 0), &old);
  if (!status)
    status = bp_record_read(bp_argument_at(arguments, 1), &new);
  if (status)
    goto done;
  if (bp_argument_has(arguments, "across")) {
    status = across(arguments, old, new);
    goto done;
  }
  comparison = bp_compare(old, new, threshold);
  print(comparison, bp_argument_string(arguments, "format"));
  if (comparison->differences_count)
    fprintf(stderr, "bp: warning: the environments of the two records differ in %d fact%s\n",
            comparison->differences_count, comparison->differences_count == 1 ? "" : "s");
  status = judge(comparison, bp_argument_has(arguments, "strict"));
done:
  bp_comparison_destroy(comparison);
  bp_record_destroy(old);
  bp_record_destroy(new);
  return status;
}
