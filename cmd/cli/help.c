/* help.c -- `bp --help`, `bp NAME --help` and `bp help`, all from the tables. */
#include "cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 2, NAME_WIDTH = 17, LINE_WIDTH = 79 };

/* The text broken into lines that end at LINE_WIDTH; all but the first begin with `indent` blanks. */
static void append_wrapped(const char *text, int indent, bp_text *out)
{
  int width = LINE_WIDTH - indent;
  while ((int)strlen(text) > width) {
    int cut = width;
    while (cut > 1 && text[cut] != ' ')
      --cut;
    bp_text_appendf(out, "%.*s\n%*s", cut, text, indent, "");
    text += cut + (text[cut] == ' ');
  }
  bp_text_appendf(out, "%s\n", text);
}

static void append_item(const char *name, const char *text, bp_text *out)
{
  bp_text_appendf(out, "%*s%-*s", INDENT, "", NAME_WIDTH, name);
  if ((int)strlen(name) >= NAME_WIDTH)
    bp_text_appendf(out, "\n%*s", INDENT + NAME_WIDTH, "");
  append_wrapped(text, INDENT + NAME_WIDTH, out);
}

/* How much of a name one can leave out after the one before: "gradient" of gradient-quad after
 * gradient-tri. */
static size_t shared_stem(const char *name, const char *before)
{
  size_t length = strcspn(name, "-");
  return name[length] && strncmp(name, before, length + 1) == 0 ? length : 0;
}

/* What it does: what it may be [what it is otherwise]. */
static void describe(const char *help, const char *const *allowed, const char *standard,
                     bp_text *text)
{
  bp_text_append(text, help);
  for (const char *const *name = allowed; name && *name; ++name)
    bp_text_appendf(text, "%s%s", name == allowed ? ": " : ", ",
                    *name + (name == allowed ? 0 : shared_stem(*name, name[-1])));
  if (standard)
    bp_text_appendf(text, " [%s]", standard);
}

static void append_option(const bp_option *option, bp_text *out)
{
  bp_text name = {0}, text = {0};
  bp_text_appendf(&name, "--%s%s%s", option->name, option->metavar ? " " : "",
                  option->metavar ? option->metavar : "");
  describe(bp_option_help(option), bp_option_allowed(option), bp_option_standard(option), &text);
  append_item(name.data, text.data, out);
  bp_text_destroy(&name);
  bp_text_destroy(&text);
}

static void append_indented(const char *lines, bp_text *out)
{
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    bp_text_appendf(out, "%*s%.*s\n", INDENT, "", (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

static void append_key(const bp_config_key *key, bp_text *out)
{
  bp_text text = {0};
  describe(key->help, key->allowed, key->standard, &text);
  append_item(key->name, text.data, out);
  bp_text_destroy(&text);
}

static void append_keys(bp_text *out)
{
  bp_text_append(out, "Keys of a config (YAML; on the command line --set KEY=VALUE) [and what they "
                      "are without]:\n");
  for (int n = 0; n < BP_CONFIG_KEYS; ++n)
    append_key(&bp_config_keys[n], out);
}

enum { SCREEN = 40 };

/* What few runs need; where all options would not fit a screen they are named only. */
static const char *const rare[] = {
    "species",   "points",        "nodes",          "periodic", "group",     "warp",   "lambda",
    "rhs",       "quadrature",    "rule",           "geometry", "precision", "device", "arch",
    "isa",       "seed",          "preconditioner", "fixed",    "scheme",    "launch", "ranks",
    "threads",   "communication", "partition",      "dt",       "cfl",       "source", "receiver",
    "slice",     "frequency",     "snapshots",      "kershaw",  "no-figure", "levels", "smoother",
    "smoothing", "chebyshev",     "coarse",         "cache",    "cycle",     "resume"};

static bool is_rare(const bp_option *option)
{
  for (size_t n = 0; n < sizeof rare / sizeof *rare; ++n)
    if (strcmp(option->name, rare[n]) == 0)
      return true;
  return false;
}

static int lines_of(const bp_text *text)
{
  int count = 0;
  for (const char *at = text->data; at && *at; ++at)
    count += *at == '\n';
  return count;
}

static void append_rare(const bp_command *command, bp_text *out)
{
  bp_text names = {0};
  for (int n = 0; n < bp_options_count; ++n)
    if (bp_option_is_of(&bp_options[n], command) && is_rare(&bp_options[n]))
      bp_text_appendf(&names, "%s--%s", names.length ? ", " : "", bp_options[n].name);
  bp_text_appendf(&names, ": `bp help %s`", command->name);
  append_item("and", names.data, out);
  bp_text_destroy(&names);
}

static void append_options(const bp_command *command, bool all, bp_text *out)
{
  for (int n = 0; n < bp_options_count; ++n)
    if (bp_option_is_of(&bp_options[n], command) && (all || !is_rare(&bp_options[n])))
      append_option(&bp_options[n], out);
  if (!all)
    append_rare(command, out);
}

static void append_fitting_options(const bp_command *command, bp_text *out)
{
  enum { OTHERS = 5 }; /* --help, examples */
  bp_text options = {0};
  append_options(command, true, &options);
  append_options(command, lines_of(out) + lines_of(&options) + OTHERS <= SCREEN, out);
  bp_text_destroy(&options);
}

void bp_help_command(const bp_command *command, bool whole, bp_text *text)
{
  bp_text_appendf(text, "Usage: bp %s [OPTION]...%s%s\n\n%c%s.\n", command->name,
                  *command->positional ? " " : "", command->positional,
                  toupper((unsigned char)command->summary[0]), command->summary + 1);
  if (*command->details)
    append_wrapped(command->details, 0, text);
  bp_text_append(text, "\nOptions [and what they are without]:\n");
  if (whole)
    append_options(command, true, text);
  else
    append_fitting_options(command, text);
  append_item("--help", "print this", text);
  bp_text_append(text, "\nExamples:\n");
  append_indented(command->examples, text);
}

static void append_commands(const char *prefix, bp_text *text)
{
  for (int n = 0; n < bp_commands_count; ++n)
    if (bp_commands[n].run && strncmp(bp_commands[n].name, prefix, strlen(prefix)) == 0)
      append_item(bp_commands[n].name, bp_commands[n].summary, text);
}

void bp_help_group(const char *word, bp_text *text)
{
  bp_text prefix = {0};
  bp_text_appendf(&prefix, "%s ", word);
  bp_text_appendf(text, "Usage: bp %s COMMAND [OPTION]...\n\nCommands:\n", word);
  append_commands(prefix.data, text);
  bp_text_appendf(text, "\n`bp %s COMMAND --help` tells more.\n\nExamples:\n", word);
  append_indented(bp_command_find("mesh info")->examples, text);
  bp_text_destroy(&prefix);
}

void bp_help_program(bp_text *text)
{
  bp_text_append(text,
                 "Usage: bp COMMAND [OPTION]... [ARGUMENT]...\n\n"
                 "How fast do the CEED bake-off operators BP1.0, BP3.0 and BP3.5 run on this\n"
                 "machine, how fast could they run, and which kernel gets there?\n\nCommands:\n");
  append_commands("", text);
  bp_text_append(text,
                 "\n`bp COMMAND --help` tells more. Exit codes: 0 all well, 1 a result is wrong,\n"
                 "2 bad input, 3 the environment failed, 4 a regression, 130 interrupted.\n"
                 "\nExamples:\n"
                 "  bp run bp3.yaml --degree 7\n"
                 "  bp check bp3.5 --degree 2\n");
}

/* The help of a command or of a group of them. */
static bp_status help_on(int count, const char *const *words, bp_text *text)
{
  int used;
  const bp_command *command = bp_command_of(count, words, &used);
  if (command && used < count)
    return bp_fail(BP_BAD_INPUT, "bp help: expected one command, found '%s %s'", words[0],
                   words[1]);
  if (command)
    bp_help_command(command, true, text);
  else if (count == 1 && strcmp(words[0], "keys") == 0)
    append_keys(text);
  else if (count == 1 && bp_command_is_group(words[0]))
    bp_help_group(words[0], text);
  else if (count == 1 && bp_config_find(words[0]) >= 0)
    append_key(&bp_config_keys[bp_config_find(words[0])], text);
  else
    return bp_command_unknown(count, words);
  return BP_OK;
}

bp_status bp_command_help(const bp_arguments *arguments)
{
  static const struct {
    const char *format;
    void (*write)(bp_text *text);
  } formats[] = {{"text", bp_help_program},        {"man", bp_manual_man},
                 {"markdown", bp_manual_markdown}, {"bash", bp_completion_bash},
                 {"zsh", bp_completion_zsh},       {"fish", bp_completion_fish}};
  const char *format = bp_argument_string(arguments, "format");
  bp_text text = {0};
  bp_status status = BP_OK;
  int count = bp_argument_count(arguments);
  const char *const *words = bp_argument_words(arguments);
  if (strcmp(format, "words") == 0)
    bp_completion_words(count, words, &text);
  else if (count)
    status = help_on(count, words, &text);
  else
    for (size_t n = 0; n < sizeof formats / sizeof *formats; ++n)
      if (strcmp(formats[n].format, format) == 0)
        formats[n].write(&text);
  fputs(bp_text_string(&text), stdout);
  bp_text_destroy(&text);
  return status;
}
