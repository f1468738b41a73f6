/* completion.c -- completions for bash, zsh and fish. */
#include "cli/command.h"

#include <string.h>

static bool takes_file(const bp_option *option)
{
  return option->metavar && strncmp(option->metavar, "FILE", 4) == 0;
}

/* The names that the option may hold, separated by blanks; none when it holds anything else. */
static void append_values(const bp_option *option, bp_text *text)
{
  const char *const *allowed = bp_option_allowed(option);
  for (const char *const *name = allowed; name && *name; ++name)
    bp_text_appendf(text, "%s%s", name == allowed ? "" : " ", *name);
}

/* The first words of the commands, or the second words of those of a group. */
static void append_words(const char *group, bp_text *text)
{
  size_t length = group ? strlen(group) + 1 : 0;
  const char *last = "";
  for (int n = 0; n < bp_commands_count; ++n) {
    const char *name = bp_commands[n].name;
    if (!bp_commands[n].run ||
        (group && (strncmp(name, group, length - 1) != 0 || name[length - 1] != ' ')))
      continue;
    size_t word = strcspn(name + length, " ");
    if (strncmp(last, name + length, word + 1) != 0 && strncmp(last, name + length, word) != 0)
      bp_text_appendf(text, "%.*s ", (int)word, name + length);
    last = name + length;
  }
}

void bp_completion_bash(bp_text *text)
{
  bp_text_append(text, "# bash completion of bp; made by `bp help --format bash`\n"
                       "_bp() {\n"
                       "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                       "  local command=${COMP_WORDS[1]} first=2 values=\n"
                       "  [[ $word == '=' ]] && word=\n"
                       "  [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n");
  for (int n = 0; n < bp_commands_count; ++n) {
    const char *space = strchr(bp_commands[n].name, ' ');
    int length = space ? (int)(space - bp_commands[n].name) : 0;
    bool is_first =
        n == 0 || strncmp(bp_commands[n - 1].name, bp_commands[n].name, (size_t)length + 1) != 0;
    if (bp_commands[n].run && space && is_first)
      bp_text_appendf(text,
                      "  [[ $command == %.*s ]] && command=\"%.*s ${COMP_WORDS[2]}\" first=3\n",
                      length, bp_commands[n].name, length, bp_commands[n].name);
  }
  bp_text_append(text, "  if ((COMP_CWORD == 1)); then\n    values='");
  append_words(NULL, text);
  bp_text_append(text, "--help --version'\n  elif ((COMP_CWORD < first)); then\n    values='");
  append_words("mesh", text);
  bp_text_append(text, "'\n  elif [[ $word == -* ]]; then\n    case $command in\n");
  for (int n = 0; n < bp_commands_count; ++n) {
    if (!bp_commands[n].run)
      continue;
    bp_text_appendf(text, "    '%s') values='", bp_commands[n].name);
    for (int o = 0; o < bp_options_count; ++o)
      if (bp_option_is_of(&bp_options[o], &bp_commands[n]))
        bp_text_appendf(text, "--%s ", bp_options[o].name);
    bp_text_append(text, "--help' ;;\n");
  }
  bp_text_append(text, "    esac\n  else\n    case \"$command $before\" in\n");
  for (int n = 0; n < bp_commands_count; ++n)
    for (int o = 0; o < bp_options_count; ++o)
      if (bp_commands[n].run && bp_option_is_of(&bp_options[o], &bp_commands[n]) &&
          bp_option_allowed(&bp_options[o])) {
        bp_text_appendf(text, "    '%s --%s') values='", bp_commands[n].name, bp_options[o].name);
        append_values(&bp_options[o], text);
        bp_text_append(text, "' ;;\n");
      }
  bp_text_append(text, "    esac\n  fi\n"
                       "  COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
                       "}\ncomplete -o default -F _bp bp\n");
}

/* For zsh and fish: what ends a string or has a meaning inside is left out or escaped. */
static void append_escaped(const char *plain, const char *special, bp_text *text)
{
  for (const char *c = plain; *c; ++c) {
    if (*c == '\'')
      bp_text_append(text, "'\\'");
    else if (strchr(special, *c))
      bp_text_append(text, "\\");
    bp_text_append_bytes(text, c, 1);
  }
}

static void append_zsh_options(const bp_command *command, bp_text *text)
{
  for (int o = 0; o < bp_options_count; ++o) {
    const bp_option *option = &bp_options[o];
    if (!bp_option_is_of(option, command))
      continue;
    bp_text_appendf(text, " \\\n      '*--%s%s[", option->name, option->metavar ? "=" : "");
    append_escaped(bp_option_help(option), "[]:\\", text);
    bp_text_append(text, "]");
    if (option->metavar) {
      bp_text_appendf(text, ":%s:", option->metavar);
      bp_text_append(text, bp_option_allowed(option) ? "(" : "");
      append_values(option, text);
      bp_text_append(text, bp_option_allowed(option) ? ")" : takes_file(option) ? "_files" : "");
    }
    bp_text_append(text, "'");
  }
}

void bp_completion_zsh(bp_text *text)
{
  bp_text_append(text, "#compdef bp\n# zsh completion of bp; made by `bp help --format zsh`\n"
                       "_bp() {\n  local command=$words[2]\n  if (( CURRENT == 2 )); then\n"
                       "    compadd -- ");
  append_words(NULL, text);
  bp_text_append(text, "--help --version\n    return\n  fi\n"
                       "  if [[ $command == mesh ]]; then\n    if (( CURRENT == 3 )); then\n"
                       "      compadd -- ");
  append_words("mesh", text);
  bp_text_append(text, "\n      return\n    fi\n    command=\"mesh $words[3]\"\n    shift words\n"
                       "    (( CURRENT-- ))\n  fi\n  shift words\n  (( CURRENT-- ))\n"
                       "  case $command in\n");
  for (int n = 0; n < bp_commands_count; ++n) {
    const bp_command *command = &bp_commands[n];
    if (!command->run)
      continue;
    bp_text_appendf(text, "  '%s')\n    _arguments '--help[print help]'", command->name);
    append_zsh_options(command, text);
    bp_text_append(text, *command->positional ? " \\\n      '*:argument:_files'\n    ;;\n"
                                              : "\n    ;;\n");
  }
  bp_text_append(text, "  esac\n}\n_bp \"$@\"\n");
}

/* fish: the condition under which a command's options are offered. */
static void append_fish_condition(const bp_command *command, bp_text *text)
{
  const char *space = strchr(command->name, ' ');
  if (space)
    bp_text_appendf(text, "__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s",
                    (int)(space - command->name), command->name, space + 1);
  else
    bp_text_appendf(text,
                    "__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from mesh",
                    command->name);
}

static void append_fish_command(const bp_command *command, bp_text *text)
{
  const char *space = strchr(command->name, ' ');
  if (space)
    bp_text_appendf(text, "complete -c bp -n '__fish_seen_subcommand_from %.*s' -a %s -d '",
                    (int)(space - command->name), command->name, space + 1);
  else
    bp_text_appendf(text, "complete -c bp -n __fish_use_subcommand -a %s -d '", command->name);
  append_escaped(command->summary, "\\", text);
  bp_text_append(text, "'\n");
  for (int o = 0; o < bp_options_count; ++o) {
    const bp_option *option = &bp_options[o];
    if (!bp_option_is_of(option, command))
      continue;
    bp_text_append(text, "complete -c bp -n '");
    append_fish_condition(command, text);
    bp_text_appendf(text, "' -l %s%s", option->name,
                    !option->metavar     ? ""
                    : takes_file(option) ? " -r"
                                         : " -x");
    if (bp_option_allowed(option)) {
      bp_text_append(text, " -a '");
      append_values(option, text);
      bp_text_append(text, "'");
    }
    bp_text_append(text, " -d '");
    append_escaped(bp_option_help(option), "\\", text);
    bp_text_append(text, "'\n");
  }
}

void bp_completion_fish(bp_text *text)
{
  bp_text_append(text, "# fish completion of bp; made by `bp help --format fish`\n"
                       "complete -c bp -n __fish_use_subcommand -f\n"
                       "complete -c bp -l help -d 'print help'\n"
                       "complete -c bp -n __fish_use_subcommand -l version -d 'the version'\n");
  bool has_mesh = false;
  for (int n = 0; n < bp_commands_count; ++n) {
    const char *space = strchr(bp_commands[n].name, ' ');
    if (!bp_commands[n].run)
      continue;
    if (space && !has_mesh)
      bp_text_appendf(text, "complete -c bp -n __fish_use_subcommand -a %.*s -d 'work on meshes'\n",
                      (int)(space - bp_commands[n].name), bp_commands[n].name);
    has_mesh |= space != NULL;
    append_fish_command(&bp_commands[n], text);
  }
}
