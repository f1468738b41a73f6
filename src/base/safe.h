/* safe.h -- text from files and names of files made safe for where it goes. Whoever writes such text appends
 * it by one of these; nothing else escapes.
 *
 * In all of them what a terminal would obey is shown instead: control characters as \x1b, those of Unicode and
 * marks that reverse the order of letters as \u202e, bytes that are no UTF-8 as \xff. */
#ifndef BP_BASE_SAFE_H
#define BP_BASE_SAFE_H

#include "base/text.h"

/* The length in bytes of the code point at `text`, of which `left` bytes may be read; 0: no UTF-8 (overlong
 * forms, halves of pairs and what is beyond Unicode included). */
size_t bp_utf8_length(const char *text, size_t left, unsigned *code);

/* One line of a terminal: newlines and tabs are shown as \x0a and \x09, too. */
void bp_safe_line(bp_text *to, const char *text);

/* Several lines: newlines and tabs stay. */
void bp_safe_lines(bp_text *to, const char *text);

/* Inside a Markdown paragraph, heading or cell of a table: what is special there behind a backslash, newlines
 * as blanks. */
void bp_safe_markdown(bp_text *to, const char *text);

/* Inside an element of HTML or SVG, or an attribute between "; newlines stay. */
void bp_safe_xml(bp_text *to, const char *text);

/* A cell of a CSV file (RFC 4180). It reads back as it was, so control characters stay. */
void bp_safe_csv(bp_text *to, const char *cell);

/* For bp_fail, which must not allocate: at most `size` bytes with the '\0', newlines and tabs stay. */
void bp_safe_copy(char *to, size_t size, const char *text);

#endif
