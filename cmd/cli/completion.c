/* completion.c -- what may come next on a command line, and how bash, zsh and fish ask for it. */
#include "cli/command.h"

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

/* The names that the option typed as `word` may hold, each behind `before`. */
static void append_values(const bp_command *command, const char *word, size_t length,
                          const char *before, bp_text *text)
{
  for (int n = 0; n < bp_options_count; ++n) {
    const bp_option *option = &bp_options[n];
    if (length < 2 || !bp_option_is_of(option, command) || strlen(option->name) != length - 2 ||
        strncmp(option->name, word + 2, length - 2) != 0)
      continue;
    for (const char *const *name = bp_option_allowed(option); name && *name; ++name)
      bp_text_appendf(text, "%s%s\t%s\n", before, *name, bp_option_help(option));
  }
}

/* An option, its value behind a blank or a sign, or a file, which is the shell's affair. bash makes a word of
 * the sign. */
static void append_next(const bp_command *command, int count, const char *const *words,
                        bp_text *text)
{
  const char *word = words[count - 1], *sign = strchr(word, '=');
  int before = count - 2;
  if (*word == '-' && sign) {
    bp_text whole = {0};
    bp_text_append_bytes(&whole, word, (size_t)(sign - word) + 1);
    append_values(command, word, (size_t)(sign - word), whole.data, text);
    bp_text_destroy(&whole);
  } else if (*word == '-') {
    append_options(command, text);
  } else if (before >= 0) {
    before -= before > 0 && strcmp(words[before], "=") == 0;
    append_values(command, words[before], strlen(words[before]), "", text);
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
