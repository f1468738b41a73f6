/* run.c -- `bp run`: from a config and a mesh to verified, timed numbers. */
#include "ranks.h"
#include "record_run.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/shipped.h"
#include "base/text.h"
#include <string.h>

/* A record says itself what it is; a config in braces would name a problem first. */
static bool is_record(const char *path)
{
  char text[64];
  bp_file_peek(path, text, sizeof text);
  return text[0] == '{' && strstr(text, "\"schema\"");
}

/* What the record's run was asked for; its paths are those of the folder it ran in. */
static bp_status config_of(const bp_record *record, const char *path, bp_config **config)
{
  const char *slash = strrchr(path, '/');
  *config = NULL;
  if (!*record->config)
    return bp_fail(BP_BAD_INPUT, "%s: expected a record with a config, found none", path);
  char *name = bp_format("config of %s", slash ? slash + 1 : path);
  bp_status status = bp_config_read_bytes(name, record->config, strlen(record->config), config);
  bp_free(name);
  return status;
}

/* Its rows are measured anew; the result goes where this command line says. */
static bp_status repeat(const char *path, bp_config **config)
{
  bp_record *record = NULL;
  bp_status status = bp_record_read(path, &record);
  if (!status)
    status = config_of(record, path, config);
  if (!status)
    status = bp_config_set(*config, "report.format", "auto", path);
  if (!status) {
    bp_free((*config)->report.output);
    (*config)->report.output = NULL;
  }
  bp_record_destroy(record);
  return status;
}

/* Its rows stay, but for those that were cut short or slowed by other work; the result takes its place. */
static bp_status resume(const char *path, bp_config **config, bp_record **record)
{
  bp_status status = bp_record_read(path, record);
  if (!status)
    status = config_of(*record, path, config);
  if (!status)
    status = bp_config_set(*config, "report.format", "json", "--resume");
  if (!status)
    status = bp_config_set(*config, "report.output", path, "--resume");
  if (!status)
    bp_record_drop_unfinished(*record);
  return status;
}

static bp_status read_file(const char *path, bp_config **config)
{
  char *found = bp_shipped_find("configs", path, "", NULL);
  bp_status status = bp_shipped_explain("configs", found, bp_config_read(found, config));
  bp_free(found);
  return status;
}

/* Where no problem is asked for, those of the kernels' files; files in C are for the CPU. */
static bp_status ask_for_files(bp_config *config)
{
  bp_text problems = {0};
  bp_status status = BP_OK;
  const bp_variant *variant = NULL;
  for (int n = 0; n < config->variants.count && !config->problems.count && !status; ++n) {
    if (!bp_select_is_file(config->variants.items[n]))
      continue;
    status = bp_registry_add(config->variants.items[n], &variant);
    if (!status && !strstr(bp_text_string(&problems), variant->problem))
      bp_text_appendf(&problems, "%s%s", problems.length ? ", " : "[", variant->problem);
  }
  if (!status && problems.length) {
    bp_text_append(&problems, "]");
    status = bp_config_set(config, "problem", problems.data, "variants");
    if (!status && variant->language == BP_LANGUAGE_C &&
        strcmp(config->backends.items[0], "auto") == 0)
      status = bp_config_set(config, "backend", "cpu", "variants");
  }
  bp_text_destroy(&problems);
  return status;
}

static bp_status read_config(const bp_arguments *arguments, bp_config **config, bp_record **resumed)
{
  const char *path = bp_argument_count(arguments) ? bp_argument_at(arguments, 0) : NULL;
  const char *from = bp_argument_string(arguments, "resume");
  bp_status status = BP_OK;
  if (path && from)
    return bp_fail(BP_BAD_INPUT, "--resume: expected no config beside the record's own, found '%s'",
                   path);
  if (from)
    status = resume(from, config, resumed);
  else if (path)
    status = is_record(path) ? repeat(path, config) : read_file(path, config);
  else
    *config = bp_config_default();
  if (!status)
    status = bp_arguments_to_config(arguments, *config);
  if (!status)
    status = ask_for_files(*config);
  return status ? status : bp_config_check(*config);
}

bp_status bp_command_run(const bp_arguments *arguments)
{
  bp_config *config = NULL;
  bp_record *resumed = NULL;
  bp_status status = read_config(arguments, &config, &resumed);
  const char *from = bp_argument_string(arguments, "resume");
  bp_comm *comm = NULL;
  char *what = bp_format("bp run%s, %lld rows to resume from",
                         bp_argument_has(arguments, "dry-run") ? " --dry-run" : "",
                         (long long)(resumed ? resumed->rows_count : 0));
  status = status ? bp_ranks_give_up(status) : bp_ranks_open(config, what, &comm);
  bp_free(what);
  const bp_measured how = {
      .comm = comm,
      .write = bp_report_write,
      .dry = bp_argument_has(arguments, "dry-run"),
      .force = bp_argument_has(arguments, "force") ||
               (!status && from && strcmp(config->report.output, from) == 0),
      .resumed = resumed,
  };
  if (comm)
    status = bp_comm_close(comm, bp_measured_run(arguments, config, &how));
  bp_record_destroy(resumed);
  bp_config_destroy(config);
  return status;
}
