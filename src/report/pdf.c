/* pdf.c -- runs rsvg-convert from a temporary file into a stream. */
#include "report/pdf.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* 0 or what errno would be. */
static int start(FILE *from, FILE *to, pid_t *process)
{
  char *words[] = {"rsvg-convert", "--format", "pdf", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(from), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(to), STDOUT_FILENO);
  int error = posix_spawnp(process, words[0], &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Whether the program ended well. */
static bool has_ended_well(pid_t process)
{
  int state;
  while (waitpid(process, &state, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

bp_status bp_pdf_write(const bp_text *svg, FILE *stream)
{
  pid_t process;
  FILE *source = tmpfile();
  if (!source)
    return bp_fail(BP_ENVIRONMENT, "a temporary file cannot be made: %s", strerror(errno));
  bp_status status = BP_OK;
  if (fwrite(bp_text_string(svg), 1, svg->length, source) != svg->length || fflush(source) ||
      fflush(stream))
    status = bp_fail(BP_ENVIRONMENT, "a temporary file cannot be written: %s", strerror(errno));
  rewind(source);
  int error = status ? 0 : start(source, stream, &process);
  if (error)
    status = bp_fail(BP_ENVIRONMENT,
                     "--pdf: expected the program rsvg-convert (librsvg2-bin), found: %s",
                     strerror(error));
  else if (!status && !has_ended_well(process))
    status = bp_fail(BP_ENVIRONMENT, "--pdf: rsvg-convert failed");
  fclose(source);
  return status;
}
