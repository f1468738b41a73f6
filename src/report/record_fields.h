/* record_fields.h -- the fields of a record as tables: one line per field serves the JSON writer,
 * the JSON reader, the CSV writer, and the making and freeing of rows. */
#ifndef BP_REPORT_RECORD_FIELDS_H
#define BP_REPORT_RECORD_FIELDS_H

#include "base/json.h"
#include "report/csv_lines.h"
#include "report/record.h"
#include <stddef.h>

typedef enum {
  BP_FIELD_STRING,     /* char *, "" when empty */
  BP_FIELD_MAYBE_TEXT, /* char *, NULL where unknown: null in JSON */
  BP_FIELD_OPTIONS,    /* char *, "a=1 b=x": an object in JSON */
  BP_FIELD_INT,        /* int */
  BP_FIELD_COUNT,      /* int64_t, never negative */
  BP_FIELD_MAYBE,      /* int64_t, -1 where it does not apply: null in JSON */
  BP_FIELD_DOUBLE,     /* double, NaN where it does not apply: null in JSON */
  BP_FIELD_TIME, /* double, seconds that a clock may tell; 0 where there are none: null in JSON */
  BP_FIELD_SEED, /* uint64_t: "0x..." in JSON, which has no integers of that size */
  BP_FIELD_BOOL,
  BP_FIELD_STATUS, /* bp_row_status */
  BP_FIELD_TIMING, /* bp_timing: an object with `samples` behind it in JSON, six columns in CSV */
  BP_FIELD_RATE,   /* what follows from a row: written, not read */
  BP_FIELD_FACTS,  /* a list of bp_fact: an object of texts in JSON */
  BP_FIELD_LIST,   /* of items with fields: an array of objects in JSON, missing in CSV */
  BP_FIELD_FIRST   /* the first of a list, or null; read where that list is empty */
} bp_field_kind;

/* How any list lies in a struct: items, with room for the next power of two, and how many. */
typedef struct {
  void *items;
  int64_t count;
} bp_list;

typedef struct bp_field {
  const char
      *object; /* that it stands in: "copy", in CSV before the name as "copy_"; NULL: in none */
  const char *key;
  bp_field_kind kind;
  size_t offset;
  bool required; /* a record without it is damaged; else it has the value of bp_fields_clear */
  double (*rate)(const bp_row *row); /* BP_FIELD_RATE */
  const struct bp_field *items;      /* of lists: the fields of an item, and its size */
  size_t size;
} bp_field;

#define BP_MEMBER(type, member, name, needed)                                                      \
  {                                                                                                \
    .key = #member, .kind = BP_FIELD_##name, .offset = offsetof(type, member), .required = needed  \
  }

/* In the order they are written; each ends with a field whose key is NULL. */
extern const bp_field bp_record_fields[], bp_mesh_fields[], bp_bound_fields[], bp_row_fields[],
    bp_rank_fields[], bp_share_fields[], bp_residual_fields[], bp_fact_fields[],
    bp_statistics_fields[];

extern const char *const bp_row_status_names[3];

/* What schema 1 called the fields of a row; ends with NULL. A row has them all or none. */
typedef struct {
  const char *old, *new;
} bp_renamed;
extern const bp_renamed bp_row_renamed[];

/* Strings "", figures NaN, -1 or 0; what was there before is not freed. */
void bp_fields_clear(void *base, const bp_field *fields);
/* The strings, samples and lists. */
void bp_fields_free(void *base, const bp_field *fields);
/* The list that lies there. */
bp_list bp_list_at(const void *at);
/* One more item at its end, zeroed and cleared. */
void *bp_list_add(void *at, const bp_field *fields, size_t size);

/* Fills what `fields` describe at `base` from JSON; what is not required and not there is left as it is.
 * `name` is the file's, for messages such as "run.json:12: expected a number as 'degree', found null". */
bp_status bp_fields_read(const char *name, const bp_json_value *object, const bp_field *fields,
                         void *base);

/* What a field holds, as a number, a text (which the field keeps) or nothing; of options their text, of
 * lists and timings nothing. `text` holds what is made up for it. */
bp_json_value bp_field_value(const bp_field *field, const void *base, char text[32]);

/* The cells of a line of CSV as the object that JSON would give, so that one reader checks all. */
bp_json_value bp_fields_of_csv(const bp_csv_lines *csv, const bp_field *fields);

/* Whether the text begins as what bp_report_csv writes does. */
bool bp_record_is_csv(const char *data, size_t size);
/* All of its rows; values know their lines. Always to be destroyed with bp_json_destroy. */
bp_status bp_record_csv_tree(const char *name, const char *data, size_t size, bp_json_value **tree);

#endif
