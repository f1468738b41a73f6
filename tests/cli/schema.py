"""schema.py -- checks JSON files against docs/record.schema.json, with Python's standard library only.

schema.py FILE.json...   one line per mistake; a key that the schema does not describe is one, too

Knows the words of JSON Schema that the record's schema uses, and refuses others.
"""
import json
import re
import sys

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_kind(value, kind):
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def check_type(value, kinds, schema, where, root):
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not any(is_kind(value, kind) for kind in kinds):
        yield "%s: expected %s, found %s" % (where, " or ".join(kinds), json.dumps(value)[:40])


def check_properties(value, properties, schema, where, root):
    for key, item in value.items() if isinstance(value, dict) else ():
        if key in properties:
            yield from check(item, properties[key], "%s.%s" % (where, key), root)
        elif "additionalProperties" not in schema:
            yield "%s.%s: is not in the schema" % (where, key)


def check_required(value, keys, schema, where, root):
    for key in keys if isinstance(value, dict) else ():
        if key not in value:
            yield "%s: expected the key %s, found none" % (where, key)


def check_additional(value, item, schema, where, root):
    for key, found in value.items() if isinstance(value, dict) else ():
        if key not in schema.get("properties", {}):
            yield from check(found, item, "%s.%s" % (where, key), root)


def check_items(value, item, schema, where, root):
    for n, found in enumerate(value if isinstance(value, list) else ()):
        yield from check(found, item, "%s[%d]" % (where, n), root)


def check_any(value, schemas, schema, where, root):
    found = [list(check(value, one, where, root)) for one in schemas]
    if all(found):
        yield from found[0]


def simple(is_well, word):
    def check_simple(value, limit, schema, where, root):
        if not is_well(value, limit):
            yield "%s: expected %s %s, found %s" % (where, word, json.dumps(limit), json.dumps(value)[:40])
    return check_simple


def is_number(value):
    return is_kind(value, "number")


WORDS = {
    "type": check_type, "properties": check_properties, "required": check_required,
    "additionalProperties": check_additional, "items": check_items, "anyOf": check_any,
    "enum": simple(lambda value, limit: value in limit, "one of"),
    "const": simple(lambda value, limit: value == limit, "just"),
    "pattern": simple(lambda value, limit: not isinstance(value, str) or re.search(limit, value), "a text like"),
    "minimum": simple(lambda value, limit: not is_number(value) or value >= limit, "at least"),
    "exclusiveMinimum": simple(lambda value, limit: not is_number(value) or value > limit, "more than"),
    "maxItems": simple(lambda value, limit: not isinstance(value, list) or len(value) <= limit, "items up to"),
}
SILENT = {"$schema", "$defs", "title", "description"}


def check(value, schema, where, root):
    """The mistakes in `value`, one by one."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from check(value, root["$defs"][name], where, root)
    for word, limit in schema.items():
        if word in WORDS:
            yield from WORDS[word](value, limit, schema, where, root)
        elif word not in SILENT and word != "$ref":
            raise SystemExit("schema.py: the schema says '%s', which is not known here" % word)


if __name__ == "__main__":
    with open("docs/record.schema.json") as file:
        schema = json.load(file)
    mistakes = 0
    for path in sys.argv[1:]:
        with open(path) as file:
            for mistake in check(json.load(file), schema, "record", schema):
                mistakes += 1
                print("%s: %s" % (path, mistake))
    sys.exit(1 if mistakes else 0)
