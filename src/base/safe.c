/* safe.c -- one decoder of UTF-8 that knows what is not to be written as it is. */
#include "base/safe.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 16 };

size_t bp_utf8_length(const char *text, size_t left, unsigned *code)
{
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text;
  if (left == 0)
    return 0;
  size_t count = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
  unsigned c = count < 2 ? *at : *at & (0x7fu >> count);
  if (count > left)
    return 0;
  for (size_t n = 1; n < count; ++n) {
    if ((at[n] & 0xc0) != 0x80) /* the closing '\0' is none either */
      return 0;
    c = c << 6 | (at[n] & 0x3f);
  }
  *code = c;
  return count && c >= least[count] && c < 0x110000 && (c < 0xd800 || c > 0xdfff) ? count : 0;
}

/* Control characters, marks of the direction of writing, and what XML does not allow. */
static bool is_shown(unsigned code)
{
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
         (code & 0xfffe) == 0xfffe;
}

/* Returns how many bytes of the text were taken; `shown` is what to write for them, or "" for themselves. */
static size_t take(const char *at, char shown[SHOWN_MAX])
{
  enum { LONGEST = 4 };
  unsigned char byte = (unsigned char)*at;
  unsigned code = 0;
  size_t length = bp_utf8_length(at, LONGEST, &code);
  shown[0] = '\0';
  if (length == 0 || (length == 1 && is_shown(code)))
    snprintf(shown, SHOWN_MAX, "\\x%02x", byte);
  else if (is_shown(code))
    snprintf(shown, SHOWN_MAX, "\\u%04x", code);
  return length ? length : 1;
}

/* Characters of `kept` are never shown; a character at n of `special` is written as replaced[n]. */
static void append(bp_text *to, const char *text, const char *kept, const char *special,
                   const char *const *replaced)
{
  while (*text) {
    char shown[SHOWN_MAX];
    const char *found = strchr(special, *text);
    size_t length = take(text, shown);
    if (found)
      bp_text_append(to, replaced[found - special]);
    else if (*shown && !strchr(kept, *text))
      bp_text_append(to, shown);
    else
      bp_text_append_bytes(to, text, length);
    text += length;
  }
}

void bp_safe_line(bp_text *to, const char *text)
{
  append(to, text, "", "", NULL);
}

void bp_safe_lines(bp_text *to, const char *text)
{
  append(to, text, "\n\t", "", NULL);
}

void bp_safe_xml(bp_text *to, const char *text)
{
  static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  append(to, text, "\n", "&<>\"", entities);
}

void bp_safe_markdown(bp_text *to, const char *text)
{
  static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_",   "\\[", "\\]", "\\<",
                                        "\\>",  "\\|", "\\~", "&amp;", " ",   " "};
  append(to, text, "", "\\`*_[]<>|~&\n\t", escaped);
}

void bp_safe_csv(bp_text *to, const char *cell)
{
  if (!cell[strcspn(cell, ",\"\r\n")]) {
    bp_text_append(to, cell);
    return;
  }
  bp_text_append(to, "\"");
  for (; *cell; ++cell)
    bp_text_append_bytes(to, *cell == '"' ? "\"\"" : cell, *cell == '"' ? 2 : 1);
  bp_text_append(to, "\"");
}

void bp_safe_copy(char *to, size_t size, const char *text)
{
  size_t used = 0;
  while (*text) {
    char shown[SHOWN_MAX];
    bool is_kept = *text == '\n' || *text == '\t';
    size_t taken = take(text, shown);
    const char *from = *shown && !is_kept ? shown : text;
    size_t length = from == shown ? strlen(shown) : taken;
    if (used + length >= size)
      break;
    memcpy(to + used, from, length);
    used += length;
    text += taken;
  }
  to[used] = '\0';
}
