/* completion.c -- what may come next on a command line, and how bash, zsh and fish ask for it. */
#include "cli/command.h"

#include "base/memory.h"
#include "base/text.h"
#include "registry/variant.h"

#include <string.h>

/* The first words of the commands, or the second ones of a group's, each once. */
static void append_commands(const char *group, bp_text *text)
{
  size_t skip = group ? strlen(group) + 1 : 0;
  const char *last = "";
  for (int n = 0; n < bp_commands_count; ++n) {
    const bp_command *command = &bp_commands[n];
    const char *word = command->name + skip;
    if (!command->run || (group && strncmp(command->name, group, skip - 1) != 0) ||
        (group && word[-1] != ' '))
      continue;
    size_t length = strcspn(word, " ");
    if (strncmp(word, last, length) != 0)
      bp_text_appendf(text, "%.*s\t%s\n", (int)length, word,
                      word[length] ? "see --help" : command->summary);
    last = word;
  }
}

static void append_options(const bp_command *command, bp_text *text)
{
  for (int n = 0; n < bp_options_count; ++n)
    if (bp_option_is_of(&bp_options[n], command))
      bp_text_appendf(text, "--%s\t%s\n", bp_options[n].name, bp_option_help(&bp_options[n]));
  bp_text_append(text, "--help\tprint help\n");
}

/* A line, unless there is one of that word. */
static void append_once(const char *before, const char *word, const char *what, bp_text *text)
{
  char *line = bp_format("\n%s%s\t", before, word);
  const char *there = bp_text_string(text);
  if (!strstr(there, line) && strstr(there, line + 1) != there)
    bp_text_appendf(text, "%s%s\n", line + 1, what);
  bp_free(line);
}

/* Variants by name, behind a problem and / by it, too; rungs, problems. Paths are the shell's affair. */
static void append_variants(const char *typed, const char *before, bp_text *text)
{
  int count;
  const bp_variant *all = bp_variants(&count);
  const bool is_whole = strchr(typed, '/') != NULL;
  if (*typed == '.')
    return;
  for (int n = 0; n < count; ++n)
    if (strcmp(all[n].problem, "peaks") != 0)
      append_once(before, is_whole ? all[n].id : all[n].name, all[n].summary, text);
  for (int n = 0; n < bp_rungs_count && !is_whole; ++n)
    append_once(before, bp_rungs[n].name, "a rung of a ladder", text);
  for (int n = 0; n < count && !is_whole; ++n)
    append_once(before, all[n].problem, "all of this problem", text);
  if (!is_whole)
    bp_text_appendf(text, "%sbest\twhat is fastest, by the table\n%sall\tall of them\n", before,
                    before);
}

static void append_keys(const char *end, bp_text *text)
{
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    char *word = bp_format("%s%s", bp_config_keys[n].name, end);
    append_once("", word, bp_config_keys[n].help, text);
    bp_free(word);
  }
}

static void append_key_values(const char *key, size_t length, const char *before, bp_text *text)
{
  for (int n = 0; n < BP_CONFIG_KEYS; ++n) {
    const bp_config_key *k = &bp_config_keys[n];
    if (strlen(k->name) == length && strncmp(k->name, key, length) == 0)
      for (const char *const *name = k->allowed; name && *name; ++name)
        bp_text_appendf(text, "%s%s\t%s\n", before, *name, k->help);
  }
}

/* The row of an option that is typed as `word`, "--degree"; NULL: none. */
static const bp_option *option_of(const bp_command *command, const char *word, size_t length)
{
  for (int n = 0; n < bp_options_count && length > 2; ++n)
    if (bp_option_is_of(&bp_options[n], command) && strlen(bp_options[n].name) == length - 2 &&
        strncmp(bp_options[n].name, word + 2, length - 2) == 0)
      return &bp_options[n];
  return NULL;
}

/* The names that it may hold, each behind `before`. */
static void append_values(const bp_option *option, const char *typed, const char *before,
                          bp_text *text)
{
  if (strcmp(option->name, "variants") == 0)
    append_variants(typed, before, text);
  for (const char *const *name = bp_option_allowed(option); name && *name; ++name)
    bp_text_appendf(text, "%s%s\t%s\n", before, *name, bp_option_help(option));
}

/* Behind --set: keys, or a key and what it may be. */
static void append_setting(const char *typed, bp_text *text)
{
  const char *sign = strchr(typed, '=');
  char *before = bp_strndup(typed, sign ? (size_t)(sign - typed) + 1 : 0);
  if (sign)
    append_key_values(typed, (size_t)(sign - typed), before, text);
  else
    append_keys("=", text);
  bp_free(before);
}

/* What stands alone: variants, what `help` knows. */
static void append_positional(const bp_command *command, int count, const char *const *words,
                              bp_text *text)
{
  const bool is_help = strcmp(command->name, "help") == 0;
  if (strcmp(command->name, "list") == 0 || strcmp(command->name, "check") == 0)
    append_variants(words[count - 1], "", text);
  else if (is_help && count == 2 && bp_command_is_group(words[0]))
    append_commands(words[0], text);
  else if (is_help && count == 1) {
    append_commands(NULL, text);
    append_keys("", text);
    bp_text_append(text, "keys\tall keys of a config\n");
  }
}

/* An option, its value behind a blank or a sign, or a file, which is the shell's affair. bash makes a word of
 * the sign. */
static void append_next(const bp_command *command, int count, const char *const *words,
                        bp_text *text)
{
  const char *word = words[count - 1], *sign = strchr(word, '=');
  const bool is_behind = count > 2 && strcmp(words[count - 2], "=") == 0,
             has_sign = is_behind || strcmp(word, "=") == 0;
  const int at = count - 2 - is_behind;
  const char *name = at >= 0 ? words[at] : "";
  const bp_option *option = *name == '-' ? option_of(command, name, strlen(name)) : NULL;
  if (*word == '-' && sign) {
    char *before = bp_strndup(word, (size_t)(sign - word) + 1);
    option = option_of(command, word, (size_t)(sign - word));
    if (option)
      append_values(option, sign + 1, before, text);
    bp_free(before);
  } else if (*word == '-') {
    append_options(command, text);
  } else if (has_sign && at > 0 && strcmp(words[at - 1], "--set") == 0) {
    append_key_values(name, strlen(name), "", text);
  } else if (option && strcmp(option->name, "set") == 0) {
    append_setting(word, text);
  } else if (option && option->metavar) {
    append_values(option, word, "", text);
  } else {
    append_positional(command, count, words, text);
  }
}

void bp_completion_words(int count, const char *const *words, bp_text *text)
{
  int used;
  if (count <= 1) {
    append_commands(NULL, text);
    bp_text_append(text, "--help\tprint help\n--version\tprint the version\n");
    return;
  }
  const bp_command *command = bp_command_of(count, words, &used);
  if (count == 2 && bp_command_is_group(words[0]))
    append_commands(words[0], text);
  else if (command)
    append_next(command, count - used, words + used, text);
}

void bp_completion_bash(bp_text *text)
{
  bp_text_append(text, "# bash completion of bp; made by `bp help --format bash`\n"
                       "_bp() {\n"
                       "  local offered word=${COMP_WORDS[COMP_CWORD]#=}\n"
                       "  offered=$(\"${COMP_WORDS[0]/#\\~/$HOME}\" help --format words -- "
                       "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2> /dev/null | cut -f 1)\n"
                       "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
                       "}\n"
                       "complete -o default -F _bp bp\n");
}

void bp_completion_zsh(bp_text *text)
{
  bp_text_append(text,
                 "#compdef bp\n"
                 "# zsh completion of bp; made by `bp help --format zsh`\n"
                 "_bp() {\n"
                 "  local -a offered\n"
                 "  offered=(\"${(@f)$(${~words[1]} help --format words -- "
                 "\"${(@)words[2,CURRENT]}\" 2> /dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}\")\n"
                 "  [[ -n $offered ]] && _describe bp offered || _files\n"
                 "}\n"
                 "_bp \"$@\"\n");
}

void bp_completion_fish(bp_text *text)
{
  bp_text_append(text, "# fish completion of bp; made by `bp help --format fish`\n"
                       "function __bp_offered\n"
                       "  set -l words (commandline -opc)\n"
                       "  $words[1] help --format words -- $words[2..] \"$(commandline -ct)\" "
                       "2> /dev/null\n"
                       "end\n"
                       "complete -c bp -n 'test -n \"$(__bp_offered)\"' -f\n"
                       "complete -c bp -a '(__bp_offered)'\n");
}
