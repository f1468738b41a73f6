/* style.c -- asks the environment what a stream can show. */
#include "report/style.h"

#include "base/text.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40 };

static const char *variable(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* As setlocale would choose, without the need to call it. */
static bool is_utf8(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL;
  for (size_t n = 0; !locale && n < sizeof names / sizeof *names; ++n)
    locale = variable(names[n]);
  return locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

static int columns_of(int fd)
{
  struct winsize size;
  int64_t columns;
  const char *text = variable("COLUMNS");
  if (text && bp_parse_int(text, &columns) && columns > 0 && columns < 10000)
    return (int)columns;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bp_style bp_style_of(FILE *stream)
{
  const char *term = variable("TERM");
  bp_style style = {.unicode = is_utf8()};
  style.terminal = isatty(fileno(stream));
  if (style.terminal) {
    int columns = columns_of(fileno(stream));
    style.width = columns > NARROWEST ? columns : NARROWEST;
    style.color = !variable("NO_COLOR") && !(term && strcmp(term, "dumb") == 0);
  }
  return style;
}

int bp_style_width(const char *text)
{
  int width = 0;
  for (; *text; ++text) {
    if (*text == '\033') {
      text += strcspn(text, "m");
      if (!*text)
        break;
    } else {
      width += ((unsigned char)*text & 0xc0) != 0x80;
    }
  }
  return width;
}
