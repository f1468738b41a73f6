/* roofline.c -- `bp roofline`: every bound of this machine, and where its best variants stand. */
#include "device/machine.h"
#include "record_run.h"

#include <math.h>

/* Those that bp_bench_run does not measure in turns with the rows. */
static void add_bounds(bp_record *record, bp_device *device)
{
  double write;
  if (bp_write_measure(device, &write) == BP_OK)
    bp_record_add_bound(record, device->name, "write", "GB/s", 1e-9 * write, "measured");
  if (isfinite(device->peak_bytes_per_second))
    bp_record_add_bound(record, device->name, "peak bandwidth", "GB/s",
                        1e-9 * device->peak_bytes_per_second, "memory clock and bus width");
}

static void write_roofline(const bp_record *record, bp_report_format format, FILE *stream)
{
  bp_text text = {0};
  const bp_style style = bp_style_of(stream);
  if (format == BP_REPORT_TABLE)
    bp_report_table(record, true, &style, &text);
  else if (format == BP_REPORT_SVG)
    bp_report_write_figure(record, "roofline", stream);
  else
    bp_report_write(record, format, stream);
  fputs(bp_text_string(&text), stream);
  bp_text_destroy(&text);
}

bp_status bp_command_roofline(const bp_arguments *arguments)
{
  bp_config *config = bp_config_default();
  const bp_measured how = {.begin = add_bounds,
                           .write = write_roofline,
                           .is_roofline = true,
                           .force = bp_argument_has(arguments, "force")};
  bp_status status = bp_arguments_to_config(arguments, config);
  if (!status)
    status = bp_config_check(config);
  if (!status)
    status = bp_measured_run(arguments, config, &how);
  bp_config_destroy(config);
  return status;
}
