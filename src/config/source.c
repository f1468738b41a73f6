/* source.c -- byte checks, excerpts with a caret, and the list of complaints. */
#include "config/source.h"

#include "base/memory.h"
#include "base/safe.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message of a status is a few kB: so many complaints fit, and nobody reads more. */
enum { COMPLAINTS_MAX = 20, MESSAGE_MAX = 6000, EXCERPT_MAX = 76 };

struct bp_complaint {
  int line, column, order;
  char *text;
};

size_t bp_character_length(const char *text, size_t left)
{
  unsigned c;
  size_t length = bp_utf8_length(text, left, &c);
  if (length == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
    return 0;
  /* the other line breaks of Unicode, a byte order mark inside, and noncharacters */
  return c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff ? 0 : length;
}

static bool refuse_byte(bp_source *source, size_t at, int line, int column)
{
  unsigned char byte = (unsigned char)source->data[at];
  unsigned code;
  if (byte == '\0')
    bp_source_complain(source, line, column, "expected text, found a NUL byte");
  else if (byte == '\t')
    bp_source_complain(source, line, column, "expected spaces as indentation, found a tab");
  else if (byte == '\r')
    bp_source_complain(source, line, column,
                       "expected a line to end with LF or CR LF, found a CR alone");
  else if (bp_utf8_length(source->data + at, source->size - at, &code))
    bp_source_complain(source, line, column, "expected text, found the control character U+%04X",
                       code);
  else
    bp_source_complain(source, line, column,
                       "expected UTF-8 text, found the byte 0x%02x, which is not%s", byte,
                       line == 1 && column == 1 && byte >= 0xfe ? " (UTF-16?)" : "");
  return false;
}

bool bp_source_is_text(bp_source *source)
{
  int line = 1, column = 1;
  bool is_indentation = true;
  if (source->size > BP_SOURCE_SIZE_MAX) {
    bp_source_complain(source, 1, 1, "expected a config of at most %d bytes, found %zu",
                       BP_SOURCE_SIZE_MAX, source->size);
    return false;
  }
  if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0) {
    source->data += 3;
    source->size -= 3;
  }
  for (size_t at = 0; at < source->size;) {
    const char *s = source->data + at;
    size_t left = source->size - at, length = bp_character_length(s, left);
    if (*s == '\n' || (*s == '\r' && left > 1 && s[1] == '\n')) {
      at += *s == '\r' ? 2 : 1;
      ++line;
      column = 1;
      is_indentation = true;
      continue;
    }
    if (*s == '\t' && !is_indentation)
      length = 1;
    if (length == 0)
      return refuse_byte(source, at, line, column);
    is_indentation &= *s == ' ';
    at += length;
    ++column;
  }
  return true;
}

char *bp_source_where(const bp_source *source, int line, int column)
{
  return source->has_lines ? bp_format("%s:%d:%d", source->name, line, column)
                           : bp_strdup(source->name);
}

static const char *find_line(const bp_source *source, int line, const char **end)
{
  const char *start = source->data, *stop = source->data + source->size;
  for (; line > 1 && start < stop; --line) {
    const char *next = memchr(start, '\n', (size_t)(stop - start));
    start = next ? next + 1 : stop;
  }
  const char *next = memchr(start, '\n', (size_t)(stop - start));
  *end = next ? next : stop;
  if (*end > start && (*end)[-1] == '\r')
    --*end;
  return start;
}

void bp_source_append_found(const bp_source *source, int line, int column, bp_text *text)
{
  const char *end, *at = find_line(source, line, &end);
  for (int n = 1; n < column && at < end; ++n) {
    size_t length = bp_character_length(at, (size_t)(end - at));
    at += length ? length : 1;
  }
  const char *stop = at;
  for (size_t length = 1; stop < end && *stop != ' ' && stop - at < 20 && length; stop += length)
    length = bp_character_length(stop, (size_t)(end - stop));
  if (stop > at)
    bp_text_appendf(text, "'%.*s'", (int)(stop - at), at);
  else
    bp_text_appendf(text, "the end of the %s",
                    end == source->data + source->size ? "text" : "line");
}

/* A long line is shown from some way before the column on. */
char *bp_source_excerpt(const bp_source *source, int line, int column)
{
  if (!source->has_lines)
    return NULL;
  bp_text text = {0}, caret = {0};
  const char *end, *at = find_line(source, line, &end);
  int first = column > EXCERPT_MAX ? column - EXCERPT_MAX / 2 : 1;
  bp_text_appendf(&text, "%4d | %s", line, first > 1 ? "..." : "");
  bp_text_appendf(&caret, "     | %s", first > 1 ? "   " : "");
  for (int n = 1; at < end && n < first + EXCERPT_MAX; ++n) {
    size_t length = bp_character_length(at, (size_t)(end - at));
    if (n >= first && length)
      bp_text_append_bytes(&text, at, length);
    else if (n >= first)
      bp_text_append(&text, *at == '\t' ? "\t" : "?");
    if (n >= first && n < column)
      bp_text_append(&caret, *at == '\t' ? "\t" : " ");
    at += length ? length : 1;
  }
  bp_text_appendf(&text, "%s\n%s^", at < end ? "..." : "", caret.data);
  bp_text_destroy(&caret);
  return text.data;
}

bool bp_source_is_full(const bp_source *source)
{
  return source->has_more;
}

void bp_source_complain(bp_source *source, int line, int column, const char *format, ...)
{
  if (source->count == COMPLAINTS_MAX) {
    source->has_more = true;
    return;
  }
  char what[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);

  char *where = bp_source_where(source, line, column);
  char *excerpt = bp_source_excerpt(source, line, column);
  source->complaints =
      bp_realloc(source->complaints, (size_t)source->count + 1, sizeof *source->complaints);
  source->complaints[source->count] = (bp_complaint){
      line, column, source->count,
      bp_format("%s: %s%s%s", where, what, excerpt ? "\n" : "", excerpt ? excerpt : "")};
  ++source->count;
  bp_free(where);
  bp_free(excerpt);
}

static int by_place(const void *a, const void *b)
{
  const bp_complaint *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  if (x->column != y->column)
    return x->column < y->column ? -1 : 1;
  return x->order - y->order;
}

void bp_source_drop(bp_source *source)
{
  for (int n = 0; n < source->count; ++n)
    bp_free(source->complaints[n].text);
  bp_free(source->complaints);
  source->complaints = NULL;
  source->count = 0;
  source->has_more = false;
}

bp_status bp_source_finish(bp_source *source)
{
  bp_status status = BP_OK;
  bp_text text = {0};
  if (source->count)
    qsort(source->complaints, (size_t)source->count, sizeof *source->complaints, by_place);
  for (int n = 0; n < source->count && text.length < MESSAGE_MAX; ++n) {
    bp_text_appendf(&text, "%s%s", n ? "\n" : "", source->complaints[n].text);
    source->has_more |= n + 1 < source->count && text.length >= MESSAGE_MAX;
  }
  if (source->has_more)
    bp_text_appendf(&text, "\n%s: and more of them", source->name);
  if (source->count)
    status = bp_fail(BP_BAD_INPUT, "%s", text.data);
  bp_text_destroy(&text);
  bp_source_drop(source);
  return status;
}
