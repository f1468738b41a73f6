"""Reads records of bp into numpy arrays.

    import bp_records
    rows = bp_records.read("run.json")                    # or several, or the CSV of `bp report --csv`
    best = bp_records.best(rows[rows["problem"] == "bp3.5"])
    print(best["degree"], best["gdofs_per_second"])

`read` returns a structured array, a row of it for each row of the records, with the fields of docs/record.md; nested ones
are joined by `_`, as in the CSV: seconds_median, copy_gbytes_per_second, power_watts. Numbers are float64, NaN where the
record has null; counts, too, so that they can be NaN. Any other column is text; `options` is "a=1 b=2". Lists are left
out; samples: `samples(path)`.

GDOF/s by DOFs, a line for each degree, with Matplotlib (needed for this only):

    import numpy, matplotlib.pyplot as plt, bp_records
    rows = bp_records.best(bp_records.read("run.json"))
    for degree in numpy.unique(rows["degree"]):
        line = numpy.sort(rows[rows["degree"] == degree], order="dofs")
        plt.semilogx(line["dofs"], line["gdofs_per_second"], "o-", label="N=%d" % degree)
    plt.xlabel("DOFs"), plt.ylabel("GDOF/s"), plt.legend()
    plt.savefig("gdofs.svg")

As a program it prints the fastest row of each problem, size and degree:

    python3 docs/bp_records.py docs/results/h200-best.json
"""
import csv
import json
import sys

import numpy as np

# What schema 1 called the fields of a row.
RENAMED = {"target_dofs": "target_nodes", "dofs": "nodes", "unique_dofs": "dofs"}
# Text even where all rows are empty.
TEXTS = {"problem", "variant", "rung", "options", "backend", "device", "mesh", "cache", "quadrature", "geometry",
         "preconditioner", "communication", "status", "reason", "stopped", "copy_by", "copy_waited", "power_throttle", "waited"}


def _flat(row):
    """Nested objects joined by `_`, the interval as low and high, no other list."""
    flat = {}
    for key, value in row.items():
        if key == "options":
            flat[key] = " ".join("%s=%s" % item for item in value.items())
        elif key == "interval":
            flat["low"], flat["high"] = value if value else (None, None)
        elif isinstance(value, dict):
            flat.update(("%s_%s" % (key, inner), found) for inner, found in _flat(value).items())
        elif not isinstance(value, list):
            flat[key] = value
    return flat


def _modernised(row):
    """A row of schema 1, whose GDOF/s counted nodes, as one of today."""
    row = {RENAMED.get(key, key): value for key, value in row.items()}
    if row["gdofs_per_second"] not in (None, ""):
        row["gdofs_per_second"] = 1e-9 * float(row["dofs"]) / float(row["seconds_median"])
    return row


def _rows(path):
    with open(path) as file:
        if path.endswith(".csv"):
            rows = list(csv.DictReader(file))
        else:
            record = json.load(file)
            if record["schema"] > 2:
                raise ValueError("%s: expected a record of schema 2 or older, found %s" % (path, record["schema"]))
            rows = [_flat(row) for row in record["rows"]]
    if rows and "unique_dofs" in rows[0]:
        rows = [_modernised(row) for row in rows]
    return rows


def _column(name, values):
    """Numbers, or text where a value is no number."""
    if name not in TEXTS:
        try:
            return np.array([np.nan if value in (None, "") else value for value in values], dtype=float)
        except ValueError:
            pass
    return np.array(["" if value is None else value for value in values], dtype=str)


def read(*paths):
    """All rows of the records as one structured array."""
    rows = [row for path in paths for row in _rows(path)]
    names = list(dict.fromkeys([name for row in rows for name in row] + ["target_nodes"]))
    if not rows:
        return np.zeros(0)
    return np.rec.fromarrays([_column(name, [row.get(name) for row in rows]) for name in names], names=names)


def samples(path):
    """The times of each row of one record, in the order taken: a list of arrays."""
    with open(path) as file:
        return [np.array(row["samples"]) for row in json.load(file)["rows"]]


def best(rows):
    """The fastest correct row of each problem, preconditioner, device, cache mode, size and degree, by degree."""
    found = {}
    for row in rows[rows["status"] == "ok"]:
        size = row["mesh"] if np.isnan(row["target_nodes"]) else row["target_nodes"]
        way = row["preconditioner"] if "preconditioner" in rows.dtype.names else ""
        key = (row["problem"], way, row["device"], row["cache"], str(size), row["degree"])
        if key not in found or row["seconds_median"] < found[key]["seconds_median"]:
            found[key] = row
    return np.array([found[key] for key in sorted(found)], dtype=rows.dtype)


if __name__ == "__main__":
    for row in best(read(*sys.argv[1:])):
        print("%-6s N=%-2d %12d DOFs %-4s %-16s %8.2f GDOF/s %8.1f GB/s %6.1f %% of the copy" %
              (row["problem"], row["degree"], row["dofs"], row["cache"], row["variant"], row["gdofs_per_second"],
               row["gbytes_per_second"], 100 * row["roofline_fraction"]))
