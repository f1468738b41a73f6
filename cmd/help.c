/* help.c -- `bp --help`, `bp NAME --help` and `bp help`, all from the tables. */
#include "command.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 2, NAME_WIDTH = 20, LINE_WIDTH = 79 };

/* "  name   text", the text broken into lines below each other. */
static void append_item(const char *name, const char *text, bp_text *out)
{
  int width = LINE_WIDTH - INDENT - NAME_WIDTH;
  bp_text_appendf(out, "%*s%-*s", INDENT, "", NAME_WIDTH, name);
  if ((int)strlen(name) >= NAME_WIDTH)
    bp_text_appendf(out, "\n%*s", INDENT + NAME_WIDTH, "");
  while ((int)strlen(text) > width) {
    int cut = width;
    while (cut > 1 && text[cut] != ' ')
      --cut;
    bp_text_appendf(out, "%.*s\n%*s", cut, text, INDENT + NAME_WIDTH, "");
    text += cut + (text[cut] == ' ');
  }
  bp_text_appendf(out, "%s\n", text);
}

const char *bp_option_help(const bp_option *option)
{
  return option->help ? option->help : bp_config_keys[bp_config_find(option->key)].help;
}

/* What it does, what it may be, what it is otherwise. */
static void describe(const char *help, const char *const *allowed, const char *standard,
                     bp_text *text)
{
  bp_text_append(text, help);
  for (const char *const *name = allowed; name && *name; ++name)
    bp_text_appendf(text, "%s%s", name == allowed ? ": " : ", ", *name);
  if (standard)
    bp_text_appendf(text, " [%s]", standard);
}

static void append_option(const bp_option *option, bp_text *out)
{
  const bp_config_key *key = option->key ? &bp_config_keys[bp_config_find(option->key)] : NULL;
  bp_text name = {0}, text = {0};
  bp_text_appendf(&name, "--%s%s%s", option->name, option->metavar ? " " : "",
                  option->metavar ? option->metavar : "");
  if (option->sets)
    bp_text_append(&text, bp_option_help(option));
  else
    describe(bp_option_help(option), key ? key->allowed : option->allowed,
             key ? key->standard : option->standard, &text);
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

static void append_keys(bp_text *out)
{
  bp_text_append(out, "\nConfig keys (YAML; also --set KEY=VALUE):\n");
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const bp_config_key *key = &bp_config_keys[n];
    bp_text text = {0};
    describe(key->help, key->allowed, key->standard, &text);
    append_item(key->name, text.data, out);
    bp_text_destroy(&text);
  }
}

void bp_help_command(const bp_command *command, bp_text *text)
{
  bool takes_set = false;
  bp_text_appendf(text, "Usage: bp %s [OPTION]...%s%s\n\n%s%c%s.\n", command->name,
                  *command->positional ? " " : "", command->positional, "",
                  command->summary[0] -
                      ('a' <= command->summary[0] && command->summary[0] <= 'z' ? 32 : 0),
                  command->summary + 1);
  bp_text_append(text, command->details);
  bp_text_append(text, "\nOptions:\n");
  for (int n = 0; n < bp_options_count; ++n)
    if (bp_option_is_of(&bp_options[n], command)) {
      append_option(&bp_options[n], text);
      takes_set |= strcmp(bp_options[n].name, "set") == 0;
    }
  append_item("--help", "print this", text);
  bp_text_append(text, "\nExamples:\n");
  append_indented(command->examples, text);
  if (takes_set)
    append_keys(text);
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
  bp_text_appendf(text, "\n`bp %s COMMAND --help` tells more.\n", word);
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
                 "\nExamples:\n"
                 "  bp run configs/bp3.yaml\n"
                 "  bp run --problem bp3.5 --box 16x16x16 --degree 7\n"
                 "  bp check 'bp3.5/*'\n\n"
                 "`bp COMMAND --help` tells more. Exit codes: 0 all well, 1 a result is wrong,\n"
                 "2 bad input, 3 the environment failed, 4 a regression, 130 interrupted.\n");
}

bp_status bp_command_help(const bp_arguments *arguments)
{
  bp_text text = {0};
  (void)arguments;
  bp_help_program(&text);
  fputs(text.data, stdout);
  bp_text_destroy(&text);
  return BP_OK;
}
