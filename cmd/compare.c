/* compare.c -- `bp compare`: what became faster or slower between two records, beyond the noise. */
#include "cli/command.h"

#include "report/compare.h"
#include <stdio.h>
#include <string.h>

static void print(const bp_comparison *comparison, const char *format)
{
  bp_text text = {0};
  bp_style style = bp_style_of(stdout);
  if (strcmp(format, "json") == 0)
    bp_comparison_json(comparison, &text);
  else
    bp_comparison_table(comparison, &style, &text);
  fwrite(bp_text_string(&text), 1, text.length, stdout);
  bp_text_destroy(&text);
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
  comparison = bp_compare(old, new, threshold);
  print(comparison, bp_argument_string(arguments, "format"));
  if (comparison->differences_count)
    fprintf(stderr, "bp: warning: the environments of the two records differ in %d fact%s\n",
            comparison->differences_count, comparison->differences_count == 1 ? "" : "s");
  if (comparison->regressions)
    status = BP_REGRESSION;
done:
  bp_comparison_destroy(comparison);
  bp_record_destroy(old);
  bp_record_destroy(new);
  return status;
}
