/* record_read.c -- a record from JSON or CSV, or what is wrong with it. */
#include "report/record.h"

#include "base/file.h"
#include "base/memory.h"
#include "report/record_json.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

static bp_status read_environment(const char *name, const bp_json_value *root, bp_record *record)
{
  const bp_json_value *environment = bp_record_json_find(name, root, "environment", BP_JSON_OBJECT);
  if (!environment)
    return BP_BAD_INPUT;
  for (size_t n = 0; n < environment->count; ++n) {
    const bp_json_value *fact = &environment->items[n];
    if (fact->kind != BP_JSON_STRING)
      return bp_record_json_wants(name, environment, fact->key, fact, "a text");
    bp_record_add_fact(record, fact->key, fact->string);
  }
  return BP_OK;
}

/* The rows of schema 1 by the names of today. */
static void rename_keys(bp_json_value *row)
{
  for (const bp_renamed *r = bp_row_renamed; r->old; ++r)
    for (size_t n = 0; n < row->count; ++n)
      if (row->kind == BP_JSON_OBJECT && strcmp(row->items[n].key, r->old) == 0)
        bp_record_set(&row->items[n].key, r->new);
}

/* Older schemas as today's. */
static void modernise(bp_json_value *root)
{
  const bp_json_value *schema = bp_json_find(root, "schema");
  const bp_json_value *rows = bp_json_find(root, "rows");
  for (size_t n = 0; schema->number < 2 && rows && n < rows->count; ++n)
    rename_keys(&rows->items[n]);
}

static bp_status read_lists(const char *name, const bp_json_value *root, bp_record *record)
{
  const bp_json_value *meshes, *bounds, *rows;
  bp_status status = bp_record_json_objects(name, root, "meshes", &meshes);
  if (!status)
    status = bp_record_json_objects(name, root, "bounds", &bounds);
  if (!status)
    status = bp_record_json_objects(name, root, "rows", &rows);
  if (status)
    return status;
  const bp_json_value *mesh = bp_json_find(root, "mesh");
  if (meshes->count == 0 && mesh && mesh->kind == BP_JSON_OBJECT)
    status = bp_record_json_fields(name, mesh, bp_mesh_fields, bp_record_add_mesh(record));
  for (size_t n = 0; !status && n < meshes->count; ++n)
    status =
        bp_record_json_fields(name, &meshes->items[n], bp_mesh_fields, bp_record_add_mesh(record));
  for (size_t n = 0; !status && n < bounds->count; ++n)
    status = bp_record_json_fields(name, &bounds->items[n], bp_bound_fields,
                                   bp_record_add_bound(record, "", "", "", NAN, ""));
  for (size_t n = 0; !status && n < rows->count; ++n)
    status = bp_record_json_fields(name, &rows->items[n], bp_row_fields, bp_record_add_row(record));
  return status;
}

static bp_status read_schema(const char *name, const bp_json_value *root)
{
  const bp_json_value *schema = bp_json_find(root, "schema"),
                      *version = bp_json_find(root, "version");
  if (!schema || !bp_record_json_is_whole(schema, 1, 0x1p30))
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected a record of bp (an object with a 'schema'), found %s", name,
                   root->line,
                   root->kind == BP_JSON_OBJECT ? "another one" : bp_record_json_kinds[root->kind]);
  if (schema->number > BP_RECORD_SCHEMA)
    return bp_fail(BP_BAD_INPUT,
                   "%s:%d: expected a record of schema %d or older, found schema %.0f: it was "
                   "written by bp %.40s, read it with that",
                   name, schema->line, BP_RECORD_SCHEMA, schema->number,
                   version && version->kind == BP_JSON_STRING ? version->string : "of later date");
  return BP_OK;
}

static bp_status read_tree(const char *name, const char *data, size_t size, bp_json_value **root)
{
  if (bp_record_is_csv(data, size))
    return bp_record_csv_tree(name, data, size, root);
  if (size && isalpha((unsigned char)*data))
    return bp_fail(BP_BAD_INPUT,
                   "%s:1: expected a record of bp, JSON that begins with '{' or CSV that begins "
                   "with 'problem,', found another text",
                   name);
  return bp_json_read(name, data, size, root);
}

bp_status bp_record_read_bytes(const char *name, const char *data, size_t size, bp_record **record)
{
  bp_json_value *root = NULL;
  *record = NULL;
  bp_status status = read_tree(name, data, size, &root);
  BP_ASSERT(status || root);
  if (!status)
    status = read_schema(name, root);
  if (status)
    goto done;
  modernise(root);
  *record = bp_record_create(0, NULL);
  status = bp_record_json_fields(name, root, bp_record_fields, *record);
  (*record)->schema = BP_RECORD_SCHEMA;
  if (!status)
    status = read_environment(name, root, *record);
  if (!status)
    status = read_lists(name, root, *record);
done:
  bp_json_destroy(root);
  if (status) {
    bp_record_destroy(*record);
    *record = NULL;
  }
  return status;
}

bp_status bp_record_read(const char *path, bp_record **record)
{
  bp_file file;
  *record = NULL;
  bp_status status = bp_file_map(path, &file);
  if (status)
    return status;
  status = bp_record_read_bytes(path, file.data, file.size, record);
  if (bp_file_check(&file, path)) {
    bp_record_destroy(*record);
    *record = NULL;
    status = BP_BAD_INPUT;
  }
  bp_file_unmap(&file);
  return status;
}
