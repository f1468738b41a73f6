/* run.c -- `bp run`: from a config and a mesh to verified, timed numbers. */
#include "measured.h"

static bp_status read_config(const bp_arguments *arguments, bp_config **config)
{
  bp_status status = BP_OK;
  if (bp_argument_count(arguments))
    status = bp_config_read(bp_argument_at(arguments, 0), config);
  else
    *config = bp_config_default();
  if (!status)
    status = bp_arguments_to_config(arguments, *config);
  return status ? status : bp_config_check(*config);
}

bp_status bp_command_run(const bp_arguments *arguments)
{
  bp_config *config = NULL;
  const bp_measured how = {
      .write = bp_report_write,
      .dry = bp_argument_has(arguments, "dry-run"),
      .force = bp_argument_has(arguments, "force"),
  };
  bp_status status = read_config(arguments, &config);
  if (!status)
    status = bp_measured_run(arguments, config, &how);
  bp_config_destroy(config);
  return status;
}
