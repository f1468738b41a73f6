/* command.h -- the command line as data: the subcommands, their options, and what was typed.
 *
 * A command is one file cmd/NAME.c with one function and one row of bp_commands (cmd/cli/options.c);
 * what it understands is the rows of bp_options that name it. The parser, `--help`, the man page
 * and the shell completions all follow these two tables. */
#ifndef BP_CMD_COMMAND_H
#define BP_CMD_COMMAND_H

#include "base/status.h"
#include "base/text.h"
#include "config/config.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct bp_arguments bp_arguments;

/* What a command returns is the exit code. main() prints bp_message() for BP_BAD_INPUT and
 * BP_ENVIRONMENT, as it stands; for the others the command has said on stderr what there is to say.
 */
typedef bp_status bp_command_function(const bp_arguments *arguments);

typedef struct {
  const char *name;         /* "run", "mesh info" */
  const char *positional;   /* "CONFIG", "[GLOB]...", "" */
  int least, most;          /* how many positional arguments */
  const char *summary;      /* half a line */
  const char *details;      /* a paragraph for `bp NAME --help`; "" for none */
  const char *examples;     /* command lines, each ending with '\n' */
  bp_command_function *run; /* NULL: not part of this build, as if the row were missing */
} bp_command;

/* An option has a config key, and is checked by the key's rules, or a type of its own. */
typedef struct {
  const char *name;    /* "degree", typed as --degree */
  const char *metavar; /* "LIST"; NULL: a flag, which takes no value */
  const char *key;     /* config key that the option sets; NULL: none */
  const char *sets;    /* a flag with a key: the value that the key gets */
  bp_config_kind kind; /* without a key: the type, its range and names as in bp_config_key */
  double low, high;
  const char *const *allowed;
  const char *standard; /* the default; NULL: the key's, or none */
  const char *commands; /* names separated by '|' */
  bool is_output;       /* a file that is written, or what the names of such files begin with */
  const char *help;     /* one line */
} bp_option;

extern const bp_command bp_commands[];
extern const int bp_commands_count;
extern const bp_option bp_options[];
extern const int bp_options_count;

/* ---- finding (find.c) ---- */

/* NULL when there is none of that name; `name` is "run" or "mesh info". */
const bp_command *bp_command_find(const char *name);

/* Whether `word` is the first of a command's two, as "mesh" is. */
bool bp_command_is_group(const char *word);

/* The command that count > 0 words begin with, NULL for none; *used: how many words are its name.
 */
const bp_command *bp_command_of(int count, const char *const *words, int *used);

/* BP_BAD_INPUT: bp: unknown command ...; did you mean ...? */
bp_status bp_command_unknown(int count, const char *const *words);

/* Whether `option` belongs to `command`. */
bool bp_option_is_of(const bp_option *option, const bp_command *command);

/* What the option does, its names and its default: its own or those of its config key. */
const char *bp_option_help(const bp_option *option);
const char *const *bp_option_allowed(const bp_option *option); /* NULL: none */
const char *bp_option_standard(const bp_option *option);       /* NULL: none */

/* ---- what was typed ---- */

/* Parses argv[first] and what follows, all that stands behind the command's name. A mistake is
 * BP_BAD_INPUT with `bp run: ...` as the message. Options may stand anywhere, as `--name value` or
 * `--name=value`; `--` ends them. Those that take lists may be repeated. */
bp_status bp_arguments_parse(const bp_command *command, int first, int argc, char **argv,
                             bp_arguments **arguments);
void bp_arguments_destroy(bp_arguments *arguments);

/* The whole command line, as main() got it. */
int bp_arguments_argc(const bp_arguments *arguments);
char **bp_arguments_argv(const bp_arguments *arguments);

/* Positional arguments. */
int bp_argument_count(const bp_arguments *arguments);
const char *const *bp_argument_words(const bp_arguments *arguments); /* all of them */
const char *bp_argument_at(const bp_arguments *arguments, int n);

/* Whether the option was typed. Here and below a name that the command does not have is a bug. */
bool bp_argument_has(const bp_arguments *arguments, const char *option);

/* " --degree 7 ...": what was typed of the options that `other` has, too, but for those that `except` names,
 * between blanks. */
void bp_arguments_append(const bp_arguments *arguments, const bp_command *other, const char *except,
                         bp_text *text);

/* The value typed or the default, as text; NULL without either. */
const char *bp_argument_string(const bp_arguments *arguments, const char *option);

/* The same as numbers; asking for one that has neither value nor default is a bug: ask _has first.
 */
int64_t bp_argument_int(const bp_arguments *arguments, const char *option);
double bp_argument_double(const bp_arguments *arguments, const char *option);

/* BP_KEY_NUMBERS and BP_KEY_COUNTS; free items with bp_free. count 0 without value and default. */
bp_config_numbers bp_argument_numbers(const bp_arguments *arguments, const char *option);

/* BP_KEY_BOX; false without value and default. */
bool bp_argument_box(const bp_arguments *arguments, const char *option, int64_t box[3]);

/* Puts every option that has a config key, and every --set, onto the config, in the order typed; then the
 * defaults that the command has instead of the keys'. */
bp_status bp_arguments_to_config(const bp_arguments *arguments, bp_config *config);

/* ---- what is made of the tables ---- */

void bp_help_program(bp_text *text);
/* Its options; those that few need are only named where all would not fit a screen, unless `whole`. */
void bp_help_command(const bp_command *command, bool whole, bp_text *text);
void bp_help_group(const char *word, bp_text *text); /* the commands whose first word it is */

void bp_manual_man(bp_text *text);      /* bp.1 */
void bp_manual_markdown(bp_text *text); /* docs/configuration.md */
/* A line "word TAB what it is" for each that may be the last of `words`, which follow "bp". The shells'
 * functions call it as `bp help --format words -- WORD...`. */
void bp_completion_words(int count, const char *const *words, bp_text *text);
void bp_completion_bash(bp_text *text);
void bp_completion_zsh(bp_text *text);
void bp_completion_fish(bp_text *text);

/* Looks at OMP_NUM_THREADS and the like as the OpenMP runtime understands them; more threads than processors
 * are started once to see (threads.c). BP_BAD_INPUT for more than any machine has, BP_ENVIRONMENT for more than
 * this one lets a process have. No thread is left running. */
bp_status bp_threads_check(void);

/* ---- the commands ---- */

bp_command_function bp_command_run, bp_command_roofline, bp_command_check, bp_command_list,
    bp_command_info, bp_command_mesh_info, bp_command_mesh_box, bp_command_mesh_kershaw,
    bp_command_mesh_cells, bp_command_apply, bp_command_solve, bp_command_report,
    bp_command_compare, bp_command_tune, bp_command_version, bp_command_help;

/* `bp list --arch sm_90` (compiled.c): what the run-time compiler makes of the CUDA variants, without a GPU.
 * Compiles the wanted variants and rungs at the wanted degrees, in parallel, and prints a row for each
 * kernel. BP_ENVIRONMENT, after all rows, when one did not compile. */
bp_command_function bp_command_compiled;

#endif
