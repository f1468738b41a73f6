/* record_json.h -- the fields of a record from JSON. `name` is the file's, for messages such as
 * "run.json:12: expected a number as 'degree', found null". */
#ifndef BP_REPORT_RECORD_JSON_H
#define BP_REPORT_RECORD_JSON_H

#include "base/json.h"
#include "report/record_fields.h"

/* "a number", "an object" ... by bp_json_kind. */
extern const char *const bp_record_json_kinds[];

/* Fails with what was wanted. `value` is what was found under `key`, or NULL; `object` is where it
 * should be. */
bp_status bp_record_json_wants(const char *name, const bp_json_value *object, const char *key,
                               const bp_json_value *value, const char *what);

/* The value of that kind, or NULL with the message kept. */
const bp_json_value *bp_record_json_find(const char *name, const bp_json_value *object,
                                         const char *key, bp_json_kind kind);

/* An array of objects under `key`; an empty one where there is none. */
bp_status bp_record_json_objects(const char *name, const bp_json_value *root, const char *key,
                                 const bp_json_value **array);

bool bp_record_json_is_whole(const bp_json_value *value, double least, double most);

/* Fills what `fields` describe at `base`; what is not required and not there is left as it is. */
bp_status bp_record_json_fields(const char *name, const bp_json_value *object,
                                const bp_field *fields, void *base);

#endif
