/* version.c -- `bp version`, also `bp --version`. */
#include "cli/command.h"

#include <stdio.h>

bp_status bp_command_version(const bp_arguments *arguments)
{
  (void)arguments;
  printf("bp %s\n", BP_VERSION);
  return BP_OK;
}
