#!/usr/bin/env python3
"""performance.py -- writes the CPU tables of docs/performance.md from docs/results/cpu-*.json.

Rates are of the fastest sample, for kernel, copy and peak alike; the records hold medians and all samples."""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = ("bp1.0", "bp3.0", "bp3.5")
SIZES = ("2M", "20M")
PEAK = 59.1  # GFLOPS of machine/fma on one thread
# The best backend of libCEED on one core of the same machine, GFLOPS by the same model, by degree.
LIBCEED = {
    "bp1.0": "3.4 6.5 10.6 14.4 18.9 20.9 24.6 26.3 27.1 28.0 29.3 - 32.4 - 34.7",
    "bp3.0": "4.5 8.8 12.5 13.3 17.5 18.2 21.2 22.6 23.9 24.4 24.1 - 26.2 - 27.4",
    "bp3.5": "1.7 3.7 6.5 8.9 10.2 13.0 13.4 16.2 17.5 19.5 19.4 - 22.3 - 23.7",
}


def libceed(problem, degree):
    value = LIBCEED[problem].split()[degree - 1]
    return None if value == "-" else float(value)


def read(name):
    """The rows that are well, by problem and degree, with the figures of the tables; and the record."""
    path = os.path.join(HERE, "results", name + ".json")
    if not os.path.exists(path):
        return {}, None
    record = json.load(open(path))
    peak = PEAK * int(re.search(r"(\d+) threads?,", record["environment"]["device"]).group(1))
    rows = {}
    for r in record["rows"]:
        if r["status"] == "ok":
            seconds = r["seconds"]["min"]
            copy = 2e-9 * r["copy"]["bytes"] / r["copy"]["seconds"]["min"]
            row = {"gflops": 1e-9 * r["flops"] / seconds, "gbytes": 1e-9 * r["bytes"] / seconds}
            row["copy"] = row["gbytes"] / copy
            row["bound"] = row["gflops"] / min(copy * r["flops"] / r["bytes"], peak)
            rows[r["problem"], r["degree"]] = row
    return rows, record


def cells(row, ratio):
    if not row:
        return [""] * 5
    return ["%.1f" % row["gflops"], "%.1f" % row["gbytes"], "%.0f %%" % (100 * row["copy"]),
            "%.0f %%" % (100 * row["bound"]), "%.2f" % ratio if ratio else ""]


def tables(threads, heading, ratio):
    """One table per problem; ratio(problem, degree, size, row) fills the last column of each size."""
    records = {size: read("cpu-%s-%s" % (threads, size)) for size in SIZES}
    out = ["| DOFs | command | load average before |", "|---|---|--:|"]
    for size, (_, record) in records.items():
        if record:
            load = record["environment"].get("load average before")
            out.append("| %s | `%s` | %s |" % (size, record["command"], load))
    for problem in PROBLEMS:
        columns = ["GFLOPS", "GB/s", "of copy", "of the bound", heading]
        out += ["", "**%s**" % problem.upper(), ""]
        out.append("| N | libCEED | " + " | ".join("%s: %s" % (SIZES[0], columns[0]) if n == 0 else c
                                                 for n, c in enumerate(columns))
                   + " | %s: " % SIZES[1] + " | ".join(columns) + " |")
        out.append("|" + "--:|" * (2 + len(SIZES) * len(columns)))
        for degree in range(1, 16):
            line = [str(degree), str(libceed(problem, degree) or "")]
            for size in SIZES:
                row = records[size][0].get((problem, degree))
                line += cells(row, row and ratio(problem, degree, size, row))
            out.append("| " + " | ".join(line) + " |")
    return "\n".join(out)


def over_libceed(problem, degree, size, row):
    other = libceed(problem, degree)
    return other and row["gflops"] / other


def over_one_thread(problem, degree, size, row):
    one = read("cpu-1-thread-" + size)[0].get((problem, degree))
    return one and row["gflops"] / one["gflops"]


def standing():
    out = ["| | DOFs | least times libCEED | least fraction of the bound, N >= 3 |", "|---|--:|---|---|"]
    for problem in PROBLEMS:
        for size in SIZES:
            rows = {n: r for (p, n), r in read("cpu-1-thread-" + size)[0].items() if p == problem}
            times = [(r["gflops"] / libceed(problem, n), n) for n, r in rows.items() if libceed(problem, n)]
            parts = [(r["bound"], n) for n, r in rows.items() if n >= 3]
            if times and parts:
                out.append("| %s | %s | %.2f (N = %d) | %.0f %% (N = %d) |" % (
                    problem.upper(), size, *min(times), 100 * min(parts)[0], min(parts)[1]))
    return "\n".join(out)


def main():
    path = os.path.join(HERE, "performance.md")
    text = open(path).read()
    bodies = {
        "cpu-standing": standing(),
        "cpu-1-thread": tables("1-thread", "x libCEED", over_libceed),
        "cpu-all-threads": tables("all-threads", "x one thread", over_one_thread),
    }
    for name, body in bodies.items():
        text = re.sub(r"<!-- %s -->.*?<!-- end -->" % name,
                      lambda m: "<!-- %s -->\n%s\n<!-- end -->" % (name, body), text, flags=re.S)
    open(path, "w").write(text)


main()
