/* find.c -- which command is meant. */
#include "cli/command.h"

#include "base/memory.h"
#include "config/value.h"
#include <string.h>

const bp_command *bp_command_find(const char *name)
{
  for (int n = 0; n < bp_commands_count; ++n)
    if (bp_commands[n].run && strcmp(bp_commands[n].name, name) == 0)
      return &bp_commands[n];
  return NULL;
}

bool bp_command_is_group(const char *word)
{
  size_t length = strlen(word);
  for (int n = 0; n < bp_commands_count; ++n)
    if (bp_commands[n].run && strncmp(bp_commands[n].name, word, length) == 0 &&
        bp_commands[n].name[length] == ' ')
      return true;
  return false;
}

const bp_command *bp_command_of(int count, const char *const *words, int *used)
{
  *used = count > 1 && bp_command_is_group(words[0]) ? 2 : 1;
  if (*used == 1)
    return bp_command_find(words[0]);
  char *name = bp_format("%s %s", words[0], words[1]);
  const bp_command *command = bp_command_find(name);
  bp_free(name);
  return command;
}

/* Names that were not said completely are compared with the same part of a command's. */
bp_status bp_command_unknown(int count, const char *const *words)
{
  const char *names[32];
  size_t names_count = 0;
  bool is_pair = count > 1 && bp_command_is_group(words[0]);
  bp_text text = {0};
  char *typed = is_pair ? bp_format("%s %s", words[0], words[1]) : bp_strdup(words[0]);
  for (int n = 0; n < bp_commands_count && names_count < 32; ++n)
    if (bp_commands[n].run)
      names[names_count++] = bp_commands[n].name;
  bp_text_append(&text, "bp: unknown command ");
  bp_value_quote(typed, &text);
  const char *near = bp_suggestion(typed, names, names_count);
  bp_text_append(&text, *near ? near : "; see 'bp --help'");
  bp_status status = bp_fail(BP_BAD_INPUT, "%s", text.data);
  bp_text_destroy(&text);
  bp_free(typed);
  return status;
}

bool bp_option_is_of(const bp_option *option, const bp_command *command)
{
  size_t length = strlen(command->name);
  for (const char *at = option->commands; at; at = strchr(at, '|')) {
    at += *at == '|';
    if (strncmp(at, command->name, length) == 0 && (at[length] == '|' || at[length] == '\0'))
      return true;
  }
  return false;
}

const char *bp_option_help(const bp_option *option)
{
  return option->help ? option->help : bp_config_keys[bp_config_find(option->key)].help;
}

const char *const *bp_option_allowed(const bp_option *option)
{
  return option->key && !option->sets ? bp_config_keys[bp_config_find(option->key)].allowed
                                      : option->allowed;
}

const char *bp_option_standard(const bp_option *option)
{
  if (option->sets)
    return NULL;
  bool is_the_keys = option->key && !option->standard;
  return is_the_keys ? bp_config_keys[bp_config_find(option->key)].standard : option->standard;
}
