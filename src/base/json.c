/* json.c -- JSON writer and reader. */
#include "base/json.h"

#include "base/memory.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { DEPTH_CAP = 64, KEYS_CAP = 4096 };

/* ---- writing ---- */

static void quote(bp_text *text, const char *s)
{
  bp_text_append(text, "\"");
  for (; *s; ++s) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      bp_text_appendf(text, "\\%c", c);
    else if (c == '\n')
      bp_text_append(text, "\\n");
    else if (c == '\t')
      bp_text_append(text, "\\t");
    else if (c < 0x20 || c == 0x7f)
      bp_text_appendf(text, "\\u%04x", c);
    else
      bp_text_append_bytes(text, s, 1);
  }
  bp_text_append(text, "\"");
}

static void begin_value(bp_json *json, const char *key)
{
  if (json->comma)
    bp_text_append(json->text, ",");
  if (json->line)
    bp_text_append(json->text, json->comma ? " " : "");
  else if (json->depth > 0)
    bp_text_appendf(json->text, "\n%*s", 2 * json->depth, "");
  if (key) {
    quote(json->text, key);
    bp_text_append(json->text, ": ");
  }
  json->comma = true;
}

static void begin_level(bp_json *json, const char *key, const char *bracket)
{
  begin_value(json, key);
  bp_text_append(json->text, bracket);
  ++json->depth;
  json->comma = false;
}

static void end_level(bp_json *json, const char *bracket)
{
  --json->depth;
  if (json->comma && !json->line)
    bp_text_appendf(json->text, "\n%*s", 2 * json->depth, "");
  if (json->depth < json->line)
    json->line = 0;
  bp_text_append(json->text, bracket);
  if (json->depth == 0)
    bp_text_append(json->text, "\n");
  json->comma = true;
}

void bp_json_begin_object(bp_json *json, const char *key)
{
  begin_level(json, key, "{");
}

void bp_json_begin_line(bp_json *json, const char *key)
{
  begin_level(json, key, "{");
  if (!json->line)
    json->line = json->depth;
}

void bp_json_end_object(bp_json *json)
{
  end_level(json, "}");
}

void bp_json_begin_array(bp_json *json, const char *key)
{
  begin_level(json, key, "[");
}

void bp_json_end_array(bp_json *json)
{
  end_level(json, "]");
}

void bp_json_string(bp_json *json, const char *key, const char *value)
{
  begin_value(json, key);
  if (value)
    quote(json->text, value);
  else
    bp_text_append(json->text, "null");
}

void bp_json_int(bp_json *json, const char *key, int64_t value)
{
  begin_value(json, key);
  bp_text_appendf(json->text, "%lld", (long long)value);
}

void bp_json_double(bp_json *json, const char *key, double value)
{
  char number[32];
  begin_value(json, key);
  bp_text_append(json->text, isfinite(value) ? bp_print_double(number, value) : "null");
}

void bp_json_bool(bp_json *json, const char *key, bool value)
{
  begin_value(json, key);
  bp_text_append(json->text, value ? "true" : "false");
}

void bp_json_doubles(bp_json *json, const char *key, const double *values, size_t count)
{
  begin_level(json, key, "[");
  if (!json->line)
    json->line = json->depth;
  for (size_t n = 0; n < count; ++n)
    bp_json_double(json, NULL, values[n]);
  end_level(json, "]");
}

/* ---- reading ---- */

typedef struct {
  const char *name, *at, *end;
  int line, depth;
} reader;

static bp_status expected(const reader *r, const char *what)
{
  if (r->at >= r->end)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s, found the end of the text", r->name, r->line,
                   what);
  unsigned char c = (unsigned char)*r->at;
  if (c < 0x20 || c >= 0x7f)
    return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s, found byte 0x%02x", r->name, r->line, what,
                   c);
  int length = 1;
  while (length < 24 && r->at + length < r->end && r->at[length] > ' ' && r->at[length] < 0x7f &&
         !strchr(",:[]{}\"", r->at[length]))
    ++length;
  return bp_fail(BP_BAD_INPUT, "%s:%d: expected %s, found '%.*s'", r->name, r->line, what, length,
                 r->at);
}

static void skip_blanks(reader *r)
{
  for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; ++r->at)
    r->line += *r->at == '\n';
}

static bool take(reader *r, char c)
{
  skip_blanks(r);
  if (r->at >= r->end || *r->at != c)
    return false;
  ++r->at;
  return true;
}

static int hex4(const reader *r)
{
  int code = 0;
  for (int n = 0; n < 4; ++n) {
    const char c = r->end - r->at > n ? r->at[n] : '\0';
    if (!isxdigit((unsigned char)c))
      return -1;
    code = 16 * code + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  return code;
}

static void append_utf8(bp_text *text, int code)
{
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  char bytes[4] = {(char)(more ? 0xff00 >> (more + 1) | code >> 6 * more : code)};
  for (int n = 1; n <= more; ++n)
    bytes[n] = (char)(0x80 | (code >> 6 * (more - n) & 0x3f));
  bp_text_append_bytes(text, bytes, (size_t)more + 1);
}

/* After "\u": one code point, from two escapes when the first is the high half of a pair. */
static bool read_code_point(reader *r, bp_text *text)
{
  int code = hex4(r);
  if (code <= 0)
    return false;
  r->at += 4;
  if (code >= 0xd800 && code < 0xdc00) {
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
      return false;
    r->at += 2;
    int low = hex4(r);
    if (low < 0xdc00 || low > 0xdfff)
      return false;
    r->at += 4;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return false;
  }
  append_utf8(text, code);
  return true;
}

static bp_status read_string(reader *r, char **string)
{
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  bp_text text = {0};
  if (!take(r, '"'))
    return expected(r, "a string");
  bp_text_append(&text, "");
  while (r->at < r->end && *r->at != '"') {
    if ((unsigned char)*r->at < 0x20)
      goto bad;
    if (*r->at != '\\') {
      bp_text_append_bytes(&text, r->at++, 1);
      continue;
    }
    if (++r->at >= r->end)
      goto bad;
    const char *escape = *r->at ? strchr(escapes, *r->at) : NULL;
    if (escape)
      bp_text_append_bytes(&text, &meanings[escape - escapes], 1);
    ++r->at;
    if (!escape && (r->at[-1] != 'u' || !read_code_point(r, &text)))
      goto bad;
  }
  if (r->at < r->end) {
    ++r->at;
    *string = text.data;
    return BP_OK;
  }
bad:
  bp_text_destroy(&text);
  return expected(r, "the rest of a string");
}

static bp_status read_number(reader *r, double *number)
{
  char digits[64];
  size_t length = 0;
  while (r->at + length < r->end && length + 1 < sizeof digits && r->at[length] &&
         strchr("+-.0123456789eE", r->at[length]))
    ++length;
  memcpy(digits, r->at, length);
  digits[length] = '\0';
  if (length == 0 || !bp_parse_double(digits, number))
    return expected(r, "a value");
  r->at += length;
  return BP_OK;
}

static bool take_word(reader *r, const char *word)
{
  size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
    return false;
  r->at += length;
  return true;
}

static bp_status read_value(reader *r, bp_json_value *value);

static bp_status read_items(reader *r, bp_json_value *value, char close)
{
  size_t capacity = 0;
  bp_status status = BP_OK;
  if (take(r, close))
    return BP_OK;
  do {
    if (value->count == capacity) {
      capacity = capacity ? 2 * capacity : 4;
      value->items = bp_realloc(value->items, capacity, sizeof *value->items);
    }
    if (close == '}' && value->count == KEYS_CAP) /* each new key is compared with all before it */
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected at most %d keys in an object, found more",
                     r->name, r->line, KEYS_CAP);
    bp_json_value *item = &value->items[value->count++];
    *item = (bp_json_value){0};
    if (close == '}') {
      char *key = NULL;
      skip_blanks(r);
      status = read_string(r, &key);
      if (!status && bp_json_find(value, key))
        status = bp_fail(BP_BAD_INPUT, "%s:%d: expected each key once, found '%s' again", r->name,
                         r->line, key);
      item->key = key;
      if (!status && !take(r, ':'))
        status = expected(r, "':'");
    }
    if (!status)
      status = read_value(r, item);
  } while (!status && take(r, ','));
  if (!status && !take(r, close))
    status = expected(r, close == '}' ? "',' or '}'" : "',' or ']'");
  return status;
}

static bp_status read_value(reader *r, bp_json_value *value)
{
  bp_status status = BP_OK;
  skip_blanks(r);
  value->line = r->line;
  if (r->at < r->end && (*r->at == '{' || *r->at == '[')) {
    if (++r->depth > DEPTH_CAP)
      return bp_fail(BP_BAD_INPUT, "%s:%d: expected at most %d levels of nesting, found more",
                     r->name, r->line, DEPTH_CAP);
    bool object = *r->at++ == '{';
    value->kind = object ? BP_JSON_OBJECT : BP_JSON_ARRAY;
    status = read_items(r, value, object ? '}' : ']');
    --r->depth;
  } else if (r->at < r->end && *r->at == '"') {
    value->kind = BP_JSON_STRING;
    status = read_string(r, &value->string);
  } else if (take_word(r, "null")) {
    value->kind = BP_JSON_NULL;
  } else if (take_word(r, "true") || take_word(r, "false")) {
    value->kind = BP_JSON_BOOL;
    value->number = r->at[-2] == 'u';
  } else {
    value->kind = BP_JSON_NUMBER;
    status = read_number(r, &value->number);
  }
  return status;
}

static void destroy_items(bp_json_value *value)
{
  for (size_t n = 0; n < value->count; ++n)
    destroy_items(&value->items[n]);
  bp_free(value->items);
  bp_free(value->string);
  bp_free(value->key);
}

void bp_json_destroy(bp_json_value *value)
{
  if (!value)
    return;
  destroy_items(value);
  bp_free(value);
}

bp_status bp_json_read(const char *name, const char *text, size_t length, bp_json_value **value)
{
  reader r = {.name = name, .at = text, .end = text + length, .line = 1};
  *value = bp_alloc(1, sizeof **value);
  bp_status status = read_value(&r, *value);
  skip_blanks(&r);
  if (!status && r.at < r.end)
    status = expected(&r, "the end of the text");
  if (status) {
    bp_json_destroy(*value);
    *value = NULL;
  }
  return status;
}

const bp_json_value *bp_json_find(const bp_json_value *object, const char *key)
{
  if (!object || object->kind != BP_JSON_OBJECT)
    return NULL;
  for (size_t n = 0; n < object->count; ++n)
    if (object->items[n].key && strcmp(object->items[n].key, key) == 0)
      return &object->items[n];
  return NULL;
}
