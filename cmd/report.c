/* report.c -- `bp report`: records redrawn as tables, figures, a page; no device is needed. */
#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is drawn ---- */

/* All records of the command line as one. */
static bp_status read_records(const bp_arguments *arguments, bp_record **record)
{
  bp_status status = bp_record_read(bp_argument_at(arguments, 0), record);
  for (int n = 1; !status && n < bp_argument_count(arguments); ++n) {
    bp_record *other = NULL;
    const char *path = bp_argument_at(arguments, n), *slash = strrchr(path, '/');
    status = bp_record_read(path, &other);
    if (!status)
      bp_record_merge(*record, other, slash ? slash + 1 : path);
  }
  return status;
}

static bp_status read_peers(const bp_arguments *arguments, const bp_record *record, bp_peers *peers)
{
  const char *path = bp_argument_string(arguments, "with");
  if (!path)
    return BP_OK;
  peers->any_machine = bp_argument_has(arguments, "any-machine");
  bp_status status = bp_peers_read(path, peers);
  return status ? status : bp_peers_check_machines(peers, record, path);
}

/* ---- figures ---- */

/* Takes the text. */
static bp_status write_text(const char *path, bp_text *text)
{
  bp_output *output = NULL;
  bp_status status = bp_output_create(path, &output);
  if (!status) {
    fwrite(bp_text_string(text), 1, text->length, bp_output_stream(output));
    status = bp_output_finish(output);
  }
  bp_text_destroy(text);
  return status;
}

static bp_status write_figure(const bp_figure *figure, const bp_record *record,
                              const bp_wishes *wishes, const char *path)
{
  bp_text svg = {0};
  bp_status status = bp_figure_file(figure, record, wishes, &svg);
  return status ? status : write_text(path, &svg);
}

/* Every figure that the record has something for, as FOLDER/NAME.svg. */
static bp_status write_figures(const bp_record *record, const bp_wishes *wishes, const char *folder,
                               bool force)
{
  bp_status status = BP_OK;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return bp_fail(BP_ENVIRONMENT, "%s: cannot be made: %s", folder, strerror(errno));
  for (int n = 0; !status && n < BP_FIGURES; ++n) {
    bp_text svg = {0};
    if (bp_figure_file(&bp_figures[n], record, wishes, &svg))
      continue;
    char *path = bp_format("%s%s.svg", folder, bp_figures[n].name);
    status = force ? BP_OK : bp_file_check_new(path, "--svg");
    if (!status)
      status = write_text(path, &svg);
    bp_text_destroy(&svg);
    bp_free(path);
  }
  return status;
}

/* The one that was asked for; with peers it is theirs. */
static const bp_figure *figure_of(const bp_arguments *arguments, const bp_record *record)
{
  if (bp_argument_has(arguments, "figure"))
    return bp_figure_find(bp_argument_string(arguments, "figure"));
  return bp_argument_has(arguments, "with") ? bp_figure_find("peers") : bp_figure_usual(record);
}

static bp_status write_svg(const bp_arguments *arguments, const bp_record *record,
                           const bp_wishes *wishes)
{
  const char *path = bp_argument_string(arguments, "svg");
  if (!path)
    return BP_OK;
  bool is_folder = *path && path[strlen(path) - 1] == '/';
  if (is_folder && !bp_argument_has(arguments, "figure"))
    return write_figures(record, wishes, path, bp_argument_has(arguments, "force"));
  if (!is_folder)
    return write_figure(figure_of(arguments, record), record, wishes, path);
  return bp_fail(BP_BAD_INPUT, "--svg: expected a file for one figure, found the folder '%s'",
                 path);
}

/* ---- texts ---- */

static bp_status write_table(const bp_record *record, const bp_wishes *wishes)
{
  bp_text text = {0};
  bp_style style = bp_style_of(stdout);
  bp_report_write(record, BP_REPORT_TABLE, stdout);
  if (wishes->peers)
    bp_peers_append(wishes->peers, record, BP_FORM_TERMINAL, &style, &text);
  return write_text(NULL, &text);
}

static bp_status write_all(const bp_arguments *arguments, const bp_record *record,
                           const bp_wishes *wishes)
{
  bool is_written = bp_argument_has(arguments, "svg");
  bp_status status = write_svg(arguments, record, wishes);
  for (int format = BP_REPORT_MARKDOWN; !status && format <= BP_REPORT_HTML; ++format) {
    const char *path = bp_argument_string(arguments, bp_report_formats[format]);
    bp_text text = {0};
    if (!path)
      continue;
    bp_report_append(record, (bp_report_format)format, wishes, &text);
    status = write_text(path, &text);
    is_written = true;
  }
  return status || is_written ? status : write_table(record, wishes);
}

/* ---- the command ---- */

/* Standard output takes one of them. */
static bp_status check_outputs(const bp_arguments *arguments)
{
  static const char *const options[] = {"svg", "html", "markdown", "csv", "json"};
  const char *first = NULL;
  for (size_t n = 0; n < sizeof options / sizeof *options; ++n) {
    const char *path = bp_argument_string(arguments, options[n]);
    if (!path || strcmp(path, "-") != 0)
      continue;
    if (first)
      return bp_fail(BP_BAD_INPUT,
                     "--%s: expected a file, as --%s goes to standard output, found '-'",
                     options[n], first);
    first = options[n];
  }
  return BP_OK;
}

/* An option that would change nothing is a mistake. */
static bp_status check_options(const bp_arguments *arguments)
{
  static const char *const of_figures[] = {"figure", "title"};
  bool has_figure = bp_argument_has(arguments, "svg");
  bool has_page = bp_argument_has(arguments, "html");
  for (size_t n = 0; n < sizeof of_figures / sizeof *of_figures; ++n)
    if (bp_argument_has(arguments, of_figures[n]) && !has_figure &&
        !(has_page && strcmp(of_figures[n], "title") == 0))
      return bp_fail(BP_BAD_INPUT, "--%s: expected --svg FILE beside it, found none",
                     of_figures[n]);
  if (bp_argument_has(arguments, "any-machine") && !bp_argument_has(arguments, "with"))
    return bp_fail(BP_BAD_INPUT, "--any-machine: expected --with FILE beside it, found none");
  return check_outputs(arguments);
}

bp_status bp_command_report(const bp_arguments *arguments)
{
  bp_record *record = NULL;
  bp_peers peers = {0};
  bp_wishes wishes = {.title = bp_argument_string(arguments, "title")};
  bp_status status = check_options(arguments);
  if (!status)
    status = read_records(arguments, &record);
  if (!status)
    status = read_peers(arguments, record, &peers);
  wishes.peers = peers.count ? &peers : NULL;
  if (!status)
    status = write_all(arguments, record, &wishes);
  bp_peers_destroy(&peers);
  bp_record_destroy(record);
  return status;
}
