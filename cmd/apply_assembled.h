/* apply_assembled.h -- `bp apply` of a bake-off problem's assembled operator. */
#ifndef BP_CMD_APPLY_ASSEMBLED_H
#define BP_CMD_APPLY_ASSEMBLED_H

#include "cli/command.h"
#include "fem/bake_off.h"

bp_status bp_apply_assembled(const bp_arguments *arguments, const bp_bake_off *row);

#endif
