/* bp.c -- finds the command and says, once, what went wrong. */
#include "cli/command.h"
#include "device/device.h"

#include "base/child.h"
#include "base/file.h"
#include "registry/variant.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bp_status print(FILE *stream, bp_text *text, bp_status status)
{
  fputs(bp_text_string(text), stream);
  bp_text_destroy(text);
  return status;
}

static bool asks_for_help(int first, int argc, char **argv)
{
  for (int n = first; n < argc && strcmp(argv[n], "--") != 0; ++n)
    if (strcmp(argv[n], "--help") == 0 || strcmp(argv[n], "-h") == 0)
      return true;
  return false;
}

/* "bp mesh" alone, or with a second word that no command has. */
static bp_status run_group(int argc, char **argv)
{
  bp_text text = {0};
  bool is_asked = asks_for_help(2, argc, argv);
  if (argc > 2 && !is_asked)
    return bp_command_unknown(argc - 1, (const char *const *)argv + 1);
  bp_help_group(argv[1], &text);
  return is_asked ? print(stdout, &text, BP_OK) : print(stderr, &text, BP_BAD_INPUT);
}

static bp_status run_command(const bp_command *command, int first, int argc, char **argv)
{
  bp_arguments *arguments = NULL;
  bp_text text = {0};
  if (asks_for_help(first, argc, argv)) {
    bp_help_command(command, false, &text);
    return print(stdout, &text, BP_OK);
  }
  bp_status status = bp_arguments_parse(command, first, argc, argv, &arguments);
  if (!status)
    status = bp_registry_read(getenv("BP_KERNEL_DIR"));
  if (!status)
    status = command->run(arguments);
  bp_arguments_destroy(arguments);
  return status;
}

static bp_status run(int argc, char **argv)
{
  bp_text text = {0};
  int used = 1;
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    bp_help_program(&text);
    return argc < 2 ? print(stderr, &text, BP_BAD_INPUT) : print(stdout, &text, BP_OK);
  }
  const char *const *words = (const char *const *)argv + 1;
  const bp_command *command = strcmp(words[0], "--version") == 0 || strcmp(words[0], "-V") == 0
                                  ? bp_command_find("version")
                                  : bp_command_of(argc - 1, words, &used);
  if (command)
    return run_command(command, 1 + used, argc, argv);
  if (bp_command_is_group(words[0]))
    return run_group(argc, argv);
  return bp_command_unknown(argc - 1, words);
}

/* What is still in the buffer of stdout may not reach a full disk. */
static bp_status flush(bp_status status)
{
  bp_output *output = NULL;
  if (status == BP_OK)
    status = bp_output_create(NULL, &output);
  return output ? bp_output_finish(output) : status;
}

/* `bp list | head`: the reader has what it wanted, and nothing went wrong. One rule for all commands: the
 * exit code is as if the rest had been read. */
static bool is_closed_pipe(bp_status status)
{
  return status == BP_ENVIRONMENT && strcmp(bp_message(), bp_output_closed_pipe()) == 0;
}

/* The runtime of OpenMP, where it cannot start a thread, says so and ends the program with 1, which is our
 * code for a wrong result. */
static bool is_at_its_end;

static void leave(void)
{
  if (!is_at_its_end)
    bp_leave(BP_ENVIRONMENT);
}

static void tell(const char *line)
{
  fprintf(stderr, "%s\n", line);
}

static void end(const char *line)
{
  fprintf(stderr, "bp: %s\n", line);
  exit(BP_ENVIRONMENT);
}

/* The loader takes an empty entry of LD_LIBRARY_PATH for the current folder, which may be anybody's, and has
 * read it already: so once more without. */
static void leave_out_empty_folders(char **argv)
{
  const char *list = getenv("LD_LIBRARY_PATH");
  const size_t length = list ? strlen(list) : 0;
  bp_text kept = {0};
  for (size_t n = 0; n < length;) {
    const size_t entry = strcspn(list + n, ":;");
    bp_text_appendf(&kept, "%s%.*s", entry && *bp_text_string(&kept) ? ":" : "", (int)entry,
                    list + n);
    n += entry + 1;
  }
  if (length && strlen(bp_text_string(&kept)) < length) {
    setenv("LD_LIBRARY_PATH", bp_text_string(&kept), 1);
    execv("/proc/self/exe", argv);
  }
  bp_text_destroy(&kept);
}

/* `bp check` keeps all processors busy with processes of several threads each. Threads that wait would take
 * them from others, unless they are told to sleep before the runtime of OpenMP starts: so once more. */
static void let_threads_sleep(char **argv)
{
  if (argv[0] && argv[1] && strcmp(argv[1], "check") == 0 && !getenv("OMP_WAIT_POLICY") &&
      setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
  leave_out_empty_folders(argv);
  let_threads_sleep(argv);
  bp_listen(tell, end);
  bp_device_worker();
  signal(SIGPIPE, SIG_IGN); /* what cannot be written is said */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL); /* processes are waited for, whatever the caller does with its own */
  atexit(leave);
  bp_status status = bp_threads_check();
  if (!status)
    status = run(argc, argv);
  status = flush(status);
  if (is_closed_pipe(status))
    status = BP_OK;
  if (status == BP_BAD_INPUT || status == BP_ENVIRONMENT)
    fprintf(stderr, "%s%s", bp_message(), *bp_message() ? "\n" : "");
  is_at_its_end = true;
  return status;
}
