/* bp.c -- finds the command and says, once, what went wrong. */
#include "command.h"

#include "base/memory.h"
#include "config/value.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static bp_status print(FILE *stream, bp_text *text, bp_status status)
{
  fputs(bp_text_string(text), stream);
  bp_text_destroy(text);
  return status;
}

/* "mesh" alone is not a command, but "mesh info" is. */
static bool begins_a_command(const char *word)
{
  size_t length = strlen(word);
  for (int n = 0; n < bp_commands_count; ++n)
    if (bp_commands[n].run && strncmp(bp_commands[n].name, word, length) == 0 &&
        bp_commands[n].name[length] == ' ')
      return true;
  return false;
}

static bp_status unknown_command(const char *typed)
{
  const char *names[32];
  size_t count = 0;
  bp_text text = {0};
  for (int n = 0; n < bp_commands_count && count < 32; ++n)
    if (bp_commands[n].run)
      names[count++] = bp_commands[n].name;
  bp_text_append(&text, "bp: unknown command ");
  bp_value_quote(typed, &text);
  const char *nearest = bp_nearest(typed, names, count);
  if (nearest)
    bp_text_appendf(&text, "; did you mean '%s'?", nearest);
  else
    bp_text_append(&text, "; see 'bp --help'");
  bp_fail(BP_BAD_INPUT, "%s", text.data);
  bp_text_destroy(&text);
  return BP_BAD_INPUT;
}

/* argv[1], or argv[1] and argv[2]; *first is where the arguments begin. NULL: no such command. */
static const bp_command *find_command(int argc, char **argv, int *first)
{
  const bp_command *command = NULL;
  *first = 2;
  if (begins_a_command(argv[1]) && argc > 2) {
    char *name = bp_format("%s %s", argv[1], argv[2]);
    command = bp_command_find(name);
    bp_free(name);
    *first = 3;
  }
  if (command || *first == 3)
    return command;
  return bp_command_find(strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
}

static bool asks_for_help(int first, int argc, char **argv)
{
  for (int n = first; n < argc && strcmp(argv[n], "--") != 0; ++n)
    if (strcmp(argv[n], "--help") == 0 || strcmp(argv[n], "-h") == 0)
      return true;
  return false;
}

static bp_status run_group(int argc, char **argv)
{
  bp_text text = {0};
  if (asks_for_help(2, argc, argv)) {
    bp_help_group(argv[1], &text);
    return print(stdout, &text, BP_OK);
  }
  if (argc > 2) {
    char *name = bp_format("%s %s", argv[1], argv[2]);
    unknown_command(name);
    bp_free(name);
    return BP_BAD_INPUT;
  }
  bp_help_group(argv[1], &text);
  return print(stderr, &text, BP_BAD_INPUT);
}

static bp_status run(int argc, char **argv)
{
  bp_text text = {0};
  bp_arguments *arguments = NULL;
  int first;
  if (argc < 2) {
    bp_help_program(&text);
    return print(stderr, &text, BP_BAD_INPUT);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    bp_help_program(&text);
    return print(stdout, &text, BP_OK);
  }
  const bp_command *command = find_command(argc, argv, &first);
  if (!command)
    return begins_a_command(argv[1]) ? run_group(argc, argv) : unknown_command(argv[1]);
  if (asks_for_help(first, argc, argv)) {
    bp_help_command(command, &text);
    return print(stdout, &text, BP_OK);
  }
  bp_status status = bp_arguments_parse(command, first, argc, argv, &arguments);
  if (!status)
    status = command->run(arguments);
  bp_arguments_destroy(arguments);
  return status;
}

/* What is still in the buffer of stdout may not reach a full disk. */
static bp_status flush(bp_status status)
{
  errno = 0;
  bool is_bad = fflush(stdout) != 0;
  int error = errno;
  if ((is_bad || ferror(stdout)) && status == BP_OK)
    return bp_fail(BP_ENVIRONMENT, "standard output: cannot be written: %s",
                   strerror(error ? error : EIO));
  return status;
}

/* `bp list | head`: the reader has what it wanted, and nothing went wrong. */
static bool is_closed_pipe(const char *message)
{
  const char *reason = strerror(EPIPE);
  size_t length = strlen(message), end = strlen(reason);
  return length >= end && strcmp(message + length - end, reason) == 0;
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN);
  bp_status status = flush(run(argc, argv));
  bool is_mine = status == BP_BAD_INPUT || status == BP_ENVIRONMENT;
  if (is_mine && *bp_message() && !is_closed_pipe(bp_message()))
    fprintf(stderr, "%s\n", bp_message());
  return status;
}
