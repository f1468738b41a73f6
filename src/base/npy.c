/* npy.c -- NumPy's .npy: a magic string, a Python dictionary as text, the numbers as they lie in memory. */
#include "base/npy.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are written as they lie in memory");

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6, ALIGNMENT = 64, HEADER_MAX = 4096 };

/* "(2, 3)", "(2,)" as Python writes it. */
static void append_shape(bp_text *text, int rank, const int64_t *shape)
{
  bp_text_append(text, "(");
  for (int d = 0; d < rank; ++d)
    bp_text_appendf(text, d ? ", %lld" : "%lld", (long long)shape[d]);
  bp_text_append(text, rank == 1 ? ",)" : ")");
}

static size_t items(int rank, const int64_t *shape)
{
  size_t count = 1;
  for (int d = 0; d < rank; ++d)
    count *= (size_t)shape[d];
  return count;
}

static const struct {
  const char *name;
  size_t bytes;
} types[] = {[BP_NPY_FLOAT64] = {"<f8", sizeof(double)},
             [BP_NPY_INT64] = {"<i8", sizeof(int64_t)},
             [BP_NPY_UINT8] = {"|u1", sizeof(uint8_t)}};

bp_status bp_npy_write(bp_npy_type type, const char *path, int rank, const int64_t *shape,
                       const void *data)
{
  bp_output *output;
  bp_text header = {0};
  bp_status status = bp_output_create(path, &output);
  if (status)
    return status;
  BP_ASSERT(rank >= 1 && rank <= BP_NPY_RANK_MAX);
  bp_text_appendf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': ", types[type].name);
  append_shape(&header, rank, shape);
  bp_text_append(&header, ", }");
  while ((MAGIC + 4 + header.length + 1) % ALIGNMENT)
    bp_text_append(&header, " ");
  bp_text_append(&header, "\n");
  FILE *stream = bp_output_stream(output);
  unsigned char start[4] = {1, 0, (unsigned char)(header.length & 255),
                            (unsigned char)(header.length >> 8)};
  fwrite(magic, 1, MAGIC, stream);
  fwrite(start, 1, sizeof start, stream);
  fwrite(header.data, 1, header.length, stream);
  fwrite(data, types[type].bytes, items(rank, shape), stream); /* errors stick to the stream */
  bp_text_destroy(&header);
  return bp_output_finish(output);
}

/* ---- reading ---- */

/* The header's text, and where the numbers begin; false for a file that is no .npy. */
static bool find_header(const char *data, size_t size, char header[HEADER_MAX], size_t *numbers)
{
  const unsigned char *bytes = (const unsigned char *)data;
  if (size < MAGIC + 6 || memcmp(bytes, magic, MAGIC) != 0)
    return false;
  int version = bytes[MAGIC];
  size_t start = version == 1 ? MAGIC + 4 : MAGIC + 6;
  size_t length = bytes[MAGIC + 2] | (size_t)bytes[MAGIC + 3] << 8;
  if (version > 1)
    length |= (size_t)bytes[MAGIC + 4] << 16 | (size_t)bytes[MAGIC + 5] << 24;
  if (version < 1 || version > 3 || length >= HEADER_MAX || length > size - start)
    return false;
  memcpy(header, bytes + start, length);
  header[length] = '\0';
  *numbers = start + length;
  return strlen(header) == length;
}

/* The text behind `'key':`, without blanks before it; "" when there is no such key. */
static const char *value_of(const char *header, const char *key)
{
  char *quoted = bp_format("'%s':", key);
  const char *at = strstr(header, quoted);
  at = at ? at + strlen(quoted) : "";
  bp_free(quoted);
  return at + strspn(at, " ");
}

static const char *skip_blanks(const char *text)
{
  return text + strspn(text, " ");
}

/* Whether the text is this tuple, with or without blanks and a comma at its end. */
static bool is_shape(const char *text, int rank, const int64_t *shape)
{
  if (*text++ != '(')
    return false;
  for (int d = 0; d < rank; ++d) {
    char digits[24];
    text = skip_blanks(text);
    snprintf(digits, sizeof digits, "%lld", (long long)shape[d]);
    size_t length = strspn(text, "0123456789");
    if (length != strlen(digits) || strncmp(text, digits, length) != 0)
      return false;
    text = skip_blanks(text + length);
    if (*text == ',')
      text = skip_blanks(text + 1);
    else if (d < rank - 1)
      return false;
  }
  return *text == ')';
}

static bp_status check_header(const char *path, const char *header, int rank, const int64_t *shape)
{
  const char *type = value_of(header, "descr"), *fortran = value_of(header, "fortran_order"),
             *found = value_of(header, "shape");
  bp_text expected = {0};
  bp_status status = BP_OK;
  append_shape(&expected, rank, shape);
  if (strncmp(type, "'<f8'", 5) != 0)
    status = bp_fail(BP_BAD_INPUT, "%s: expected numbers of type '<f8' (float64), found %.*s", path,
                     (int)strcspn(type, ",}\n"), type);
  else if (strncmp(fortran, "False", 5) != 0)
    status = bp_fail(BP_BAD_INPUT, "%s: expected an array in C order, found fortran_order %.*s",
                     path, (int)strcspn(fortran, ",}\n"), fortran);
  else if (!is_shape(found, rank, shape))
    status = bp_fail(BP_BAD_INPUT, "%s: expected shape %s, found %.*s", path, expected.data,
                     (int)strcspn(found, ")}\n") + (found[strcspn(found, ")}\n")] == ')'), found);
  bp_text_destroy(&expected);
  return status;
}

bp_status bp_npy_read_bytes(const char *name, const char *bytes, size_t size, int rank,
                            const int64_t *shape, double **data)
{
  char header[HEADER_MAX];
  size_t start = 0, expected = items(rank, shape) * sizeof(double);
  *data = NULL;
  if (!find_header(bytes, size, header, &start))
    return bp_fail(BP_BAD_INPUT, "%s: expected a .npy file, found something else", name);
  bp_status status = check_header(name, header, rank, shape);
  if (!status && size - start != expected)
    status = bp_fail(BP_BAD_INPUT, "%s: expected %zu bytes behind the header, found %zu", name,
                     expected, size - start);
  if (!status) {
    *data = bp_alloc_array(expected / sizeof(double), sizeof(double));
    memcpy(*data, bytes + start, expected);
  }
  return status;
}

bp_status bp_npy_read(const char *path, int rank, const int64_t *shape, double **data)
{
  bp_file file;
  *data = NULL;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  status = bp_npy_read_bytes(path, file.data, file.size, rank, shape, data);
  if (bp_file_check(&file, path)) {
    bp_free(*data);
    *data = NULL;
    status = BP_BAD_INPUT;
  }
  bp_file_unmap(&file);
  return status;
}
