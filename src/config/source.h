/* source.h -- the text of a config, and complaints about places in it. */
#ifndef BP_CONFIG_SOURCE_H
#define BP_CONFIG_SOURCE_H

#include "base/status.h"
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>

enum { BP_SOURCE_SIZE_MAX = 1000000 };

typedef struct bp_complaint bp_complaint;

typedef struct {
  const char *name; /* of the file, or the place on the command line */
  const char *data; /* not ended by '\0'; a byte order mark is left out */
  size_t size;
  bool has_lines; /* places have a line, a column and an excerpt; else they are just the name */

  bp_complaint *complaints;
  int count;
  bool has_more;   /* than are kept */
  bool has_listed; /* the valid names, which is done once */
} bp_source;

/* Looks at the bytes: the size, UTF-8, no NUL or other control characters, no tab as indentation.
 * Complains at most once; false when the text must not be parsed. */
bool bp_source_is_text(bp_source *source);

/* "name:line:column" and "  12 | degree: 99\n     |         ^"; lines and columns count from 1 and
 * columns are characters. Free with bp_free. NULL for the excerpt where there are no lines. */
char *bp_source_where(const bp_source *source, int line, int column);
char *bp_source_excerpt(const bp_source *source, int line, int column);

/* Keeps a complaint, "expected ..., found ...". */
void bp_source_complain(bp_source *source, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends what stands at a place, for "found ...": a word in quotes, the end of the line, of the
 * text. */
void bp_source_append_found(const bp_source *source, int line, int column, bp_text *text);

/* Whether there was one more than are kept: time to stop looking. */
bool bp_source_is_full(const bp_source *source);

/* BP_OK without complaints; else BP_BAD_INPUT with all of them, by place, as the message. Frees
 * them. */
bp_status bp_source_finish(bp_source *source);

/* Frees the complaints unsaid. */
void bp_source_drop(bp_source *source);

/* Bytes of the printable character at `text` with `left` bytes to go: 1..4; 0 where there is none
 * (not UTF-8, or a control character). */
size_t bp_character_length(const char *text, size_t left);

#endif
