/* msh_scan.c -- the reader's messages, and single values in text and in binary. */
#include "base/memory.h"
#include "base/text.h"
#include "mesh/msh/msh.h"
#include "mesh/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHOWN = 40 }; /* characters of what was found that a message shows */

static bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static int64_t line_of(const bp_msh *msh, const char *at)
{
  int64_t line = 1;
  for (const char *p = msh->data; (p = memchr(p, '\n', (size_t)(at - p))); ++p)
    ++line;
  return line;
}

void bp_msh_fail(bp_msh *msh, const char *at, const char *format, ...)
{
  if (!bp_msh_ok(msh))
    return;
  bp_text text = {0};
  if (msh->bytes)
    bp_text_appendf(&text, "%s: byte %" PRId64 ": ", msh->name, (int64_t)(at - msh->data));
  else
    bp_text_appendf(&text, "%s:%" PRId64 ": ", msh->name, line_of(msh, at));
  va_list arguments;
  va_start(arguments, format);
  char message[512];
  vsnprintf(message, sizeof message, format, arguments); /* NOLINT: started just above */
  va_end(arguments);
  bp_text_append(&text, message);
  msh->status = bp_fail(BP_BAD_INPUT, "%s", bp_text_string(&text));
  bp_text_destroy(&text);
}

static const char *token_end(const bp_msh *msh, const char *p)
{
  while (p < msh->end && !is_space(*p))
    ++p;
  return p;
}

void bp_msh_unexpected(bp_msh *msh, const char *at, const char *what)
{
  at = bp_msh_skip_space(msh, at);
  if (at == msh->end) {
    bp_msh_fail(msh, at, "expected %s, found the end of the file", what);
    return;
  }
  char shown[4 * SHOWN + 4] = "";
  const char *end = token_end(msh, at);
  for (const char *p = at; p < end && p - at < SHOWN; ++p) {
    bool plain = (unsigned char)*p >= ' ' && *p != 0x7f;
    size_t used = strlen(shown);
    snprintf(shown + used, sizeof shown - used, plain ? "%c" : "\\x%02x", (unsigned char)*p);
  }
  bp_msh_fail(msh, at, "expected %s, found \"%s%s\"", what, shown, end - at > SHOWN ? "..." : "");
}

const char *bp_msh_skip_space(const bp_msh *msh, const char *p)
{
  while (p < msh->end && is_space(*p))
    ++p;
  return p;
}

void bp_msh_skip_line(bp_msh *msh)
{
  const char *newline = memchr(msh->p, '\n', (size_t)bp_msh_left(msh));
  msh->p = newline ? newline + 1 : msh->end;
}

void bp_msh_finish_line(bp_msh *msh)
{
  const char *p = msh->p;
  while (p < msh->end && *p != '\n' && is_space(*p))
    ++p;
  if (p < msh->end && *p == '\n')
    msh->p = p + 1;
}

/* The next token of the text, copied, or NULL at the end of the file. A number needs no more
 * characters than `room`; a longer token is cut, which no number survives unnoticed: see its users.
 */
static bool take_token(bp_msh *msh, const char *what, char *room, size_t size, const char **at)
{
  *at = bp_msh_skip_space(msh, msh->p);
  const char *end = token_end(msh, *at);
  size_t length = (size_t)(end - *at);
  if (length == 0 || length >= size) {
    bp_msh_unexpected(msh, *at, what);
    return false;
  }
  memcpy(room, *at, length);
  room[length] = '\0';
  msh->p = end;
  return true;
}

static int64_t take_text_int(bp_msh *msh, const char *what, int64_t smallest, int64_t largest)
{
  char token[32];
  const char *at;
  int64_t value = 0;
  if (!bp_msh_ok(msh) || !take_token(msh, what, token, sizeof token, &at))
    return 0;
  if (bp_parse_int(token, &value) && value >= smallest && value <= largest)
    return value;
  bp_msh_unexpected(msh, at, what);
  return 0;
}

const char *bp_msh_take_bytes(bp_msh *msh, const char *what, int64_t count, int64_t bytes)
{
  if (!bp_msh_ok(msh))
    return NULL;
  if (count > bp_msh_left(msh) / bytes) {
    bp_msh_fail(msh, msh->p,
                "expected %s (%" PRId64 " x %" PRId64 " bytes), found %" PRId64
                " bytes left in the file",
                what, count, bytes, bp_msh_left(msh));
    return NULL;
  }
  const char *at = msh->p;
  msh->p += count * bytes;
  return at;
}

void bp_msh_drop(const bp_msh *msh, const char *begin, const char *end)
{
  if (!msh->mapped)
    return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = (uintptr_t)begin / page * page, last = (uintptr_t)end / page * page;
  if (first < (uintptr_t)msh->data)
    first += page;
  if (last > first)
    madvise((void *)first, last - first, MADV_DONTNEED);
}

static int64_t take_binary_int(bp_msh *msh, const char *what, int width)
{
  const char *at = bp_msh_take_bytes(msh, what, 1, width);
  return at ? bp_msh_load_int(at, width, msh->swap) : 0;
}

int bp_msh_take_int(bp_msh *msh, const char *what)
{
  return (int)(msh->binary ? take_binary_int(msh, what, 4)
                           : take_text_int(msh, what, INT32_MIN, INT32_MAX));
}

int64_t bp_msh_take_tag(bp_msh *msh, const char *what)
{
  return take_text_int(msh, what, 0, INT64_MAX);
}

int64_t bp_msh_take_size(bp_msh *msh, const char *what)
{
  if (!msh->binary)
    return take_text_int(msh, what, 0, INT64_MAX);
  const char *at = msh->p;
  int64_t value = take_binary_int(msh, what, msh->width);
  if (value < 0 && msh->width == 4)
    value &= UINT32_MAX;
  if (value < 0) {
    bp_msh_fail(msh, at, "expected %s, found %" PRIu64, what, (uint64_t)value);
    return 0;
  }
  return value;
}

double bp_msh_take_double(bp_msh *msh, const char *what)
{
  double value = 0;
  const char *at;
  if (msh->binary) {
    at = bp_msh_take_bytes(msh, what, 1, 8);
    value = at ? bp_msh_load_double(at, msh->swap) : 0;
    if (!isfinite(value))
      bp_msh_fail(msh, at, "expected %s, found %s", what, isnan(value) ? "nan" : "infinity");
    return bp_msh_ok(msh) ? value : 0;
  }
  char token[1024];
  if (!bp_msh_ok(msh) || !take_token(msh, what, token, sizeof token, &at))
    return 0;
  for (char *c = token; *c; ++c)
    *c = *c == 'd' || *c == 'D' ? 'e' : *c; /* Fortran's exponents */
  if (!bp_parse_double(token, &value))
    bp_msh_unexpected(msh, at, what);
  return value;
}

int64_t bp_msh_take_count(bp_msh *msh, const char *what, int64_t text_bytes, int64_t binary_bytes)
{
  const bool is_text = !msh->binary || msh->version < 40;
  const char *at = is_text ? bp_msh_skip_space(msh, msh->p) : msh->p;
  int64_t count = is_text ? take_text_int(msh, what, 0, INT64_MAX) : bp_msh_take_size(msh, what);
  if (is_text && msh->binary)
    bp_msh_skip_line(msh);
  int64_t most = (bp_msh_left(msh) + 1) / (msh->binary ? binary_bytes : text_bytes);
  if (bp_msh_ok(msh) && count > most)
    bp_msh_fail(msh, at,
                "expected %s, at most %" PRId64 " in the %" PRId64 " bytes left, found %" PRId64,
                what, most, bp_msh_left(msh), count);
  return bp_msh_ok(msh) ? count : 0;
}

void bp_msh_grow(void **array, int64_t count, int64_t *capacity, size_t size)
{
  if (count < *capacity)
    return;
  *capacity = 2 * *capacity + 16;
  *array = bp_realloc(*array, (size_t)*capacity, size);
}
