#!/usr/bin/env python3
"""performance.py -- writes the tables of docs/performance.md from docs/results/cpu.json, h200-best.json, h100.json,
h200-one-element.csv, h200-graph.csv, h200-pass.csv and h200-traffic.csv.

CPU rates are of the fastest sample, for kernel, copy and peak alike; the records hold medians and all samples."""
import csv
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
# The best public kernels on an H200 at 4096 elements, % of copy: libCEED gen, libParanumal, at odd degrees.
PUBLIC = {
    "bp1.0": ("32 28 23 24 27 22 20 12", "37 34 32 39 42 46 40 38"),
    "bp3.0": ("16 23 23 24 25 18 12 fails", "34 34 41 40 37 32 28 21"),
    "bp3.5": ("37 44 43 51 35 43 23 20", "32 53 63 55 53 44 42 28"),
}
GOAL = {"20 M": 97, "4096": 95}
PASSES = {"bp1.0": 5, "bp3.0": 5, "bp3.5": 4}  # the least over an element's pencils, each after the other
CLOCK = 1.98e3  # MHz, the H200's highest


def libceed(problem, degree):
    value = LIBCEED[problem].split()[degree - 1]
    return None if value == "-" else float(value)


def load(name):
    return json.load(open(os.path.join(HERE, "results", name + ".json")))


def cpu_rows():
    """The rows that are well, by threads, size, problem and degree, with the figures of the tables."""
    rows = {}
    for r in load("cpu")["rows"]:
        if r["status"] == "ok":
            threads = int(re.search(r"(\d+) threads?,", r["device"]).group(1))
            seconds = r["seconds"]["min"]
            copy = 2e-9 * r["copy"]["bytes"] / r["copy"]["seconds"]["min"]
            row = {"gflops": 1e-9 * r["flops"] / seconds, "gbytes": 1e-9 * r["bytes"] / seconds}
            row["copy"] = row["gbytes"] / copy
            row["bound"] = row["gflops"] / min(copy * r["flops"] / r["bytes"], PEAK * threads)
            size = "%.0fM" % (1e-6 * r["target_nodes"])
            rows["1-thread" if threads == 1 else "all-threads", size, r["problem"], r["degree"]] = row
    return rows


CPU = cpu_rows()


def cells(row, ratio):
    if not row:
        return [""] * 5
    return ["%.1f" % row["gflops"], "%.1f" % row["gbytes"], "%.0f %%" % (100 * row["copy"]),
            "%.0f %%" % (100 * row["bound"]), "%.2f" % ratio if ratio else ""]


def tables(threads, heading, ratio):
    """One table per problem; ratio(problem, degree, size, row) fills the last column of each size."""
    out = []
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
                row = CPU.get((threads, size, problem, degree))
                line += cells(row, row and ratio(problem, degree, size, row))
            out.append("| " + " | ".join(line) + " |")
    return "\n".join(out[1:])


def over_libceed(problem, degree, size, row):
    other = libceed(problem, degree)
    return other and row["gflops"] / other


def over_one_thread(problem, degree, size, row):
    one = CPU.get(("1-thread", size, problem, degree))
    return one and row["gflops"] / one["gflops"]


def standing():
    out = ["| | DOFs | least times libCEED | least fraction of the bound, N >= 3 |", "|---|--:|---|---|"]
    for problem in PROBLEMS:
        for size in SIZES:
            rows = {k[3]: r for k, r in CPU.items() if k[:3] == ("1-thread", size, problem)}
            times = [(r["gflops"] / libceed(problem, n), n) for n, r in rows.items() if libceed(problem, n)]
            parts = [(r["bound"], n) for n, r in rows.items() if n >= 3]
            if times and parts:
                out.append("| %s | %s | %.2f (N = %d) | %.0f %% (N = %d) |" % (
                    problem.upper(), size, *min(times), 100 * min(parts)[0], min(parts)[1]))
    return "\n".join(out)


def gpu_rows(record="h200-best"):
    """The rows that are well, by problem, degree, size and state of the caches."""
    rows = {}
    for r in load(record)["rows"]:
        if r["status"] == "ok":
            rows[r["problem"], r["degree"], "4096" if r["target_nodes"] is None else "20 M", r["cache"]] = r
    return rows


def percent(row, size):
    value = 100 * row["roofline_fraction"]
    return ("**%.1f**" if value >= GOAL[size] else "%.1f") % value


def gpu_tables():
    rows = gpu_rows()
    out = []
    for problem in PROBLEMS:
        out += ["", "**%s**" % problem.upper(), "",
                "| N | 20 M DOFs: variant | GFLOPS | GB/s | % of copy | cold | 4096 elements: variant | GFLOPS | % of copy "
                "| cold | libCEED gen | libParanumal |", "|--:|:--|" + "--:|" * 4 + ":--|" + "--:|" * 5]
        for degree in range(1, 16):
            line = [str(degree)]
            for size in ("20 M", "4096"):
                hot, cold = (rows[problem, degree, size, cache] for cache in ("hot", "cold"))
                line += [hot["variant"], "%.0f" % hot["gflops"]]
                line += ["%.0f" % hot["gbytes_per_second"]] if size == "20 M" else []
                line += [percent(hot, size), percent(cold, size)]
            line += [p.split()[degree // 2] if degree % 2 else "" for p in PUBLIC[problem]]
            out.append("| " + " | ".join(line) + " |")
    return "\n".join(out[1:])


def gpu_standing(record="h200-best"):
    rows = gpu_rows(record)
    out = ["| | size | caches | least, N >= 3 | degrees at the goal |", "|---|---|---|---|---|"]
    for problem in PROBLEMS:
        for size in ("20 M", "4096"):
            for cache in ("hot", "cold"):
                of = {k[1]: 100 * r["roofline_fraction"] for k, r in rows.items() if (k[0],) + k[2:] == (problem, size, cache)}
                least = min((f, n) for n, f in of.items() if n >= 3)
                out.append("| %s | %s | %s | %.1f %% (N = %d) | %d of %d at %d %% |" % (
                    problem.upper(), size + (" DOFs" if size == "20 M" else " elements"), cache, *least,
                    sum(f >= GOAL[size] for f in of.values()), len(of), GOAL[size]))
    return "\n".join(out)


def microseconds(name, cache):
    """Of kernel and copy, by problem, degree and elements."""
    return {(r["problem"], int(r["degree"]), int(r["elements"])): (float(r["microseconds"]), float(r["copy_microseconds"]))
            for r in csv.DictReader(open(os.path.join(HERE, "results", name + ".csv"))) if r["cache"] == cache}


def pass_microseconds():
    """The least that an operator's passes take one after the other, by problem and degree, where it was measured."""
    rows = csv.DictReader(open(os.path.join(HERE, "results", "h200-pass.csv")))
    clocks = {int(r["pencil"]): float(r["clocks"]) for r in rows}
    return {(p, n - 1): k * clocks[n] / CLOCK for p, k in PASSES.items() for n in clocks}


def traffic_microseconds(cache):
    """Of a kernel that only moves the operator's data, and of a copy beside it, by problem and degree."""
    return {(r["problem"], int(r["degree"])): (float(r["microseconds"]), float(r["copy_microseconds"]))
            for r in csv.DictReader(open(os.path.join(HERE, "results", "h200-traffic.csv"))) if r["cache"] == cache}


MISSED_HEADING = ("µs | copy, µs | measured | traffic alone, µs | beside a copy of | with it alone | and least passes "
                  "| one element, µs more | with it instead | µs beyond that")


def missed_cells(problem, degree, t, copy, one, traffic):
    """Of a case: its time and its copy's; what its traffic leaves of a copy (the slower of two, of two programs), alone, with the
    least passes, with one element's way."""
    moved, copied = traffic[problem, degree]
    least, slower = pass_microseconds().get((problem, degree)), max(copy, copied)
    with_passes = "%.1f %%" % (100 * slower / (moved + least)) if least else ""
    return "%.1f | %.1f | %.1f %% | %.1f | %.1f | %.1f %% | %s | %.1f | %.1f %% | %.1f" % (
        t, copy, 100 * copy / t, moved, copied, 100 * slower / moved, with_passes, one, 100 * slower / (moved + one),
        t - moved - one)


def gpu_small():
    """What stands between 4096 elements and a copy, cold, where the goal is missed."""
    rows, one, traffic = gpu_rows(), microseconds("h200-one-element", "cold"), traffic_microseconds("cold")
    out = ["| cold | N | variant | %s |" % MISSED_HEADING, "|---|--:|---|" + "--:|" * 10]
    for problem in PROBLEMS:
        for degree in range(1, 16):
            r, (t1, copy1) = rows[problem, degree, "4096", "cold"], one[problem, degree, 1]
            if 100 * r["roofline_fraction"] < GOAL["4096"]:
                t = 1e6 * r["seconds"]["median"]
                out.append("| %s | %d | %s | %s |" % (problem.upper(), degree, r["variant"], missed_cells(
                    problem, degree, t, t * r["roofline_fraction"], t1 - copy1, traffic)))
    return "\n".join(out)


def gpu_graph():
    """The same, hot, with launches replayed as a graph, where the goal is missed so or one by one."""
    rows, graph, traffic = gpu_rows(), microseconds("h200-graph", "hot"), traffic_microseconds("graph")
    out = ["| hot, as a graph | N | variant | %s | one by one |" % MISSED_HEADING, "|---|--:|---|" + "--:|" * 11]
    for problem in PROBLEMS:
        for degree in range(1, 16):
            r = rows[problem, degree, "4096", "hot"]
            (t, copy), (t1, copy1) = graph[problem, degree, 4096], graph[problem, degree, 1]
            if 100 * min(copy / t, r["roofline_fraction"]) < GOAL["4096"]:
                out.append("| %s | %d | %s | %s | %.1f %% |" % (
                    problem.upper(), degree, r["variant"], missed_cells(problem, degree, t, copy, t1 - copy1, traffic),
                    100 * r["roofline_fraction"]))
    return "\n".join(out)


def main():
    path = os.path.join(HERE, "performance.md")
    text = open(path).read()
    bodies = {
        "h200-standing": gpu_standing(),
        "h200-tables": gpu_tables(),
        "h100-standing": gpu_standing("h100"),
        "h200-small": gpu_small(),
        "h200-graph": gpu_graph(),
        "cpu-standing": standing(),
        "cpu-1-thread": tables("1-thread", "x libCEED", over_libceed),
        "cpu-all-threads": tables("all-threads", "x one thread", over_one_thread),
    }
    for name, body in bodies.items():
        text = re.sub(r"<!-- %s -->.*?<!-- end -->" % name,
                      lambda m: "<!-- %s -->\n%s\n<!-- end -->" % (name, body), text, flags=re.S)
    open(path, "w").write(text)


main()
