/* manual.c -- the man page, and the table of config keys for docs/configuration.md. */
#include "cli/command.h"

#include <string.h>

/* What roff takes for its own is escaped; a minus stays one that can be pasted. */
static void append_roff(const char *plain, bp_text *text)
{
  for (const char *c = plain; *c; ++c) {
    bool starts_line = text->length == 0 || text->data[text->length - 1] == '\n';
    if (starts_line && (*c == '.' || *c == '\''))
      bp_text_append(text, "\\&");
    if (*c == '-')
      bp_text_append(text, "\\-");
    else if (*c == '\\')
      bp_text_append(text, "\\e");
    else
      bp_text_append_bytes(text, c, 1);
  }
}

/* ".TP / name / text", the name bold and what follows it in italics. */
static void append_tagged(const char *dashes, const char *name, const char *metavar,
                          const char *help, bp_text *text)
{
  bp_text_append(text, ".TP\n\\fB");
  append_roff(dashes, text);
  append_roff(name, text);
  bp_text_append(text, "\\fR");
  if (metavar) {
    bp_text_append(text, " \\fI");
    append_roff(metavar, text);
    bp_text_append(text, "\\fR");
  }
  bp_text_append(text, "\n");
  append_roff(help, text);
  bp_text_append(text, "\n");
}

static void append_default(const char *standard, const char *const *allowed, bp_text *text)
{
  for (const char *const *name = allowed; name && *name; ++name) {
    bp_text_append(text, name == allowed ? ".br\nOne of " : ", ");
    append_roff(*name, text);
  }
  bp_text_append(text, allowed ? ".\n" : "");
  if (standard) {
    bp_text_append(text, ".br\nDefault: ");
    append_roff(standard, text);
    bp_text_append(text, "\n");
  }
}

static void append_command(const bp_command *command, bp_text *text)
{
  bp_text_append(text, ".SS \"bp ");
  append_roff(command->name, text);
  bp_text_append(text, *command->positional ? " " : "");
  append_roff(command->positional, text);
  bp_text_append(text, "\"\n");
  append_roff(command->summary, text);
  bp_text_append(text, ".\n");
  append_roff(command->details, text);
  bp_text_append(text, *command->details ? "\n" : "");
  for (int n = 0; n < bp_options_count; ++n) {
    const bp_option *option = &bp_options[n];
    if (!bp_option_is_of(option, command))
      continue;
    append_tagged("--", option->name, option->metavar, bp_option_help(option), text);
    append_default(bp_option_standard(option), bp_option_allowed(option), text);
  }
  bp_text_append(text, ".PP\nExamples:\n.PP\n.nf\n.RS\n");
  append_roff(command->examples, text);
  bp_text_append(text, ".RE\n.fi\n");
}

void bp_manual_man(bp_text *text)
{
  bp_text_appendf(text, ".TH BP 1 \"\" \"bp %s\" \"User Commands\"\n", BP_VERSION);
  bp_text_append(text,
                 ".SH NAME\nbp \\- time, verify and rank kernels of the CEED bake\\-off "
                 "operators\n"
                 ".SH SYNOPSIS\n.B bp\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... "
                 "[\\fIARGUMENT\\fR]...\n"
                 ".SH DESCRIPTION\nHow fast do the operators BP1.0, BP3.0 and BP3.5 run on this "
                 "machine, how fast could they run, and which kernel gets there?\n"
                 "Options are written \\fB\\-\\-name\\fR \\fIvalue\\fR or "
                 "\\fB\\-\\-name=\\fR\\fIvalue\\fR; \\fB\\-\\-\\fR ends them.\n"
                 ".SH COMMANDS\n");
  for (int n = 0; n < bp_commands_count; ++n)
    if (bp_commands[n].run)
      append_command(&bp_commands[n], text);
  bp_text_append(text, ".SH CONFIG KEYS\nA config is YAML; each key may also be given by "
                       "\\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR.\n");
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    append_tagged("", bp_config_keys[n].name, NULL, bp_config_keys[n].help, text);
    append_default(bp_config_keys[n].standard, bp_config_keys[n].allowed, text);
  }
  bp_text_append(
      text,
      ".SH EXIT STATUS\n"
      ".TP\n0\nall well\n.TP\n1\na result is wrong\n.TP\n2\nbad input: arguments, config, "
      "mesh, record\n.TP\n3\nthe environment failed: no GPU, no memory, a file that cannot be "
      "written\n.TP\n4\n\\fBbp compare\\fR found a regression, or with \\fB--strict\\fR a row that "
      "tells nothing\n.TP\n130\ninterrupted; the rows "
      "that were finished are kept. SIGTERM: 143, SIGHUP: 129, SIGUSR1: 138\n"
      ".SH FILES\n"
      ".TP\n\\fI~/.config/bp/best\\fR\nthe user's table of best choices, from \\fBbp tune\\fR\n"
      ".TP\n\\fI~/.cache/bp\\fR\ncompiled kernels, and in \\fIcopies\\fR the fastest copies that "
      "this "
      "machine has shown: a row whose copy is far below is marked b\n"
      ".TP\n\\fI../share/bp\\fR\nbeside the program: configs, meshes and kernels, which are found "
      "by "
      "name from any folder\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBNO_COLOR\\fR\nno colours\n"
      ".TP\n\\fBXDG_CACHE_HOME\\fR\nwhere compiled kernels are kept, in the folder bp\n"
      ".TP\n\\fBBP_KERNEL_DIR\\fR\nread kernel sources from this folder\n"
      ".TP\n\\fBCC\\fR, \\fBBP_CFLAGS\\fR\nthe compiler of CPU kernels, and more flags for it\n"
      ".TP\n\\fBOMP_NUM_THREADS\\fR\nthreads on the CPU where none are asked for\n"
      ".SH EXAMPLES\n"
      ".TP\n\\fBbp run bp3.yaml \\-\\-degree 7 \\-\\-output run.json\\fR\n"
      "time and verify a shipped config at one degree, and keep all that was found out\n"
      ".TP\n\\fBbp run \\-\\-resume run.json\\fR\ngo on with a run that was ended\n"
      ".TP\n\\fBbp report run.json \\-\\-html run.html\\fR\nits tables and figures as a page\n"
      ".TP\n\\fBbp check ./mine.c\\fR\ncompare a kernel of one's own with the reference\n"
      ".TP\n\\fBbp compare before.json after.json \\-\\-fail\\-over 5%\\fR\n"
      "exit with 4 where a row is slower for all that noise can do\n");
}

/* ---- docs/configuration.md ---- */

static void append_row(const bp_config_key *key, bp_text *text)
{
  bp_text_appendf(text, "| `%s` | %s | ", key->name, key->help);
  bp_config_describe(key, text);
  bp_text_appendf(text, " | %s%s%s |\n", key->standard ? "`" : "",
                  key->standard ? key->standard : "", key->standard ? "`" : "");
}

void bp_manual_markdown(bp_text *text)
{
  bp_text_append(
      text,
      "# Configuration\n\n"
      "This page is made by `bp help --format markdown`.\n\n"
      "A config is a YAML file of the keys below; all but `problem` may be left out.\n"
      "Names with a dot stand in a section:\n\n"
      "```yaml\n"
      "problem: [bp1.0, bp3.5]\n"
      "mesh: ../meshes/cube4096.msh # from the folder of the config\n"
      "degree: [1..8, 15]\n"
      "variants: ['*/simd', best]   # quote a glob that begins with a star\n"
      "options:\n"
      "  elements_per_block: [1, 2, 4] # a sweep: one row for each\n"
      "measure:\n"
      "  cache: cold\n"
      "```\n\n"
      "On the command line the same keys are options (`--degree 7`) or settings\n"
      "(`--set measure.cache=cold`, `--set options.pad=0,1`); they replace what the file says.\n"
      "At most one of `mesh`, `box`, `elements`, `dofs` and `nodes` may be given.\n\n"
      "| key | what it is | values | default |\n|---|---|---|---|\n");
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    append_row(&bp_config_keys[n], text);
  bp_text_append(
      text,
      "\nNumbers are decimal, with a point in every locale. Counts may be written `20M` or\n"
      "`2e6`; parts of one as `5%`. Nothing is guessed from how a value looks: `yes` is no\n"
      "boolean, `0x10` no number, and `null` is a name like any other. Anchors, aliases, tags\n"
      "and second documents are refused; so is every key that is not in the table. All\n"
      "mistakes of a file are told at once:\n\n"
      "```text\n"
      "bp3.yaml:3:9: expected whole numbers such as 7 or 1..4, 1 to 15, found '17'\n"
      "   3 | degree: 17\n"
      "     |         ^\n"
      "bp3.yaml:4:1: expected a key, found 'bakend'; did you mean 'backend'?\n"
      "   4 | bakend: cpu\n"
      "     | ^\n"
      "```\n");
}
