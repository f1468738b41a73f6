#!/usr/bin/env python3
"""tables.py -- writes the tables of README.md and docs/ from the files in docs/results: `make docs`.

    docs/tables.py [--check] [FILE]...      (BP=path/to/bp, default build/bp)

The lines between '<!-- table NAME ARGUMENT... -->' and '<!-- end -->' are what the function NAME below returns.
--check writes nothing; it names every table that differs from its data and exits 1."""
import csv
import os
import re
import subprocess
import sys

import ranks_model

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BP = os.environ.get("BP", os.path.join(ROOT, "build", "bp"))
PAGES = ["README.md", "docs/performance.md", "docs/solves.md", "docs/ladders.md", "docs/ranks.md", "docs/library.md"]
PROBLEMS = ("bp1.0", "bp3.0", "bp3.5")
DEGREES = range(1, 16)
GOAL = {"20M": 97, "4096": 95}  # per cent of the copy
PASSES = {"bp1.0": 5, "bp3.0": 5, "bp3.5": 4}  # the fewest dependent passes over an element
CLOCK = 1.98e3  # MHz: the highest of an H200
BEYOND = range(1, 6)  # quadrature points beyond the degree
SHARED = 33.21e12  # bytes a second of an H200's shared memory, h200-solves.json
TWINS = ("run-time-sized", "compile-time-sized")
RECORDS = {}


def plain(name):
    """The rows of a CSV file; lines that begin with # are comments."""
    with open(os.path.join(ROOT, "docs", "results", name)) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def record(name):
    """The rows of a record that are right, as `bp report` gives them: variants and options by their names of today."""
    if name not in RECORDS:
        path = os.path.join(ROOT, "docs", "results", name)
        text = subprocess.run([BP, "report", path, "--csv", "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
        RECORDS[name] = list(csv.DictReader(text.splitlines()))
    return RECORDS[name]


def gpu(name):
    """The rows of a GPU's record by problem, degree, size and cache."""
    return {(r["problem"], int(r["degree"]), "20M" if r["target_nodes"] else "4096", r["cache"]): r
            for r in record(name) if r["status"] == "ok"}


def percent(row):
    return 100 * float(row["roofline_fraction"])


def seconds(row):
    return float(row["seconds_median"])


def table(head, rows, align=None):
    """Numbers need no blanks around them: these lines are for programs. Short headings stay on one line."""
    align = align or [":--"] + ["--:"] * (len(head) - 1)
    head = [unbroken(str(cell)) if len(str(cell)) < 16 else cell for cell in head]
    return ["|" + "|".join(str(cell) for cell in line) + "|" for line in [head, align] + rows]


def unbroken(text):
    """A cell that stays on one line."""
    return text.replace(" ", "\u00a0")


def shown(value):
    """Three or four digits, for people."""
    return ("%.2f" if value < 10 else "%.1f" if value < 100 else "%.0f") % value


def summary(*names):
    """README: some degrees of one problem, without options."""
    name, problem, size = names
    rows = gpu(name)
    out = []
    for degree in DEGREES[::2]:
        r = rows[problem, degree, size, "hot"]
        out.append([degree, r["variant"], "%.1f µs" % (1e6 * seconds(r)),
                    "%.1f" % (1e-9 * float(r["dofs"]) / seconds(r)), "%.1f %%" % percent(r)])
    return table(["N", "variant", "time", "GDOF/s", "of the copy"], out, ["--:", ":--", "--:", "--:", "--:"])


def standing(*names):
    """For each GPU, problem, size and cache: the least fraction over N >= 3, and how many degrees are at the goal."""
    out = []
    for problem in PROBLEMS:
        for size, cache in (("20M", "hot"), ("20M", "cold"), ("4096", "hot"), ("4096", "cold")):
            line = ["%s, %s, %s" % (problem.upper(), size + (" nodes" if size == "20M" else " elements"), cache)]
            for name in names:
                of = {k[1]: percent(r) for k, r in gpu(name).items() if (k[0], k[2], k[3]) == (problem, size, cache)}
                least = min((f, n) for n, f in of.items() if n >= 3)
                line += ["%.1f %% (N=%d)" % least, "%d of %d" % (sum(f >= GOAL[size] for f in of.values()), len(of))]
            out.append(line)
    head = ["case"]
    for name in names:
        head += [record(name)[0]["device"].split(" 80GB")[0] + ": least for N ≥ 3", "at the goal"]
    return table(head, out)


def by_degree(name):
    """Per cent of the copy by degree."""
    rows = gpu(name)
    out = []
    for problem in PROBLEMS:
        for size, cache in (("20M", "hot"), ("20M", "cold"), ("4096", "hot"), ("4096", "cold")):
            out.append(["%s %s %s" % (problem.upper(), size, cache)] +
                       ["%.0f" % percent(rows[problem, n, size, cache]) for n in DEGREES])
    return table(["% of copy"] + list(DEGREES), out)


def peers(name, others):
    """Per cent of the copy at 4096 elements, hot: bp beside other programs."""
    rows, times = gpu(name), {}
    for r in plain(others):
        program = r["program"].split(",")[0]  # the better of a program's ways
        key = program, r["problem"], int(r["degree"])
        times[key] = min(float(r["seconds"]), times.get(key, 1))
    programs = list(dict.fromkeys(k[0] for k in times))
    out = []
    for problem in PROBLEMS:
        own = [rows[problem, n, "4096", "hot"] for n in DEGREES]
        out.append(["%s, bp" % problem.upper()] + ["%.0f" % percent(r) for r in own])
        for program in programs:
            line = ["%s, %s" % (problem.upper(), program)]
            for n, r in zip(DEGREES, own):
                t = times.get((program, problem, n))
                line.append("%.0f" % (percent(r) * seconds(r) / t) if t else "–")
            out.append(line)
    return table(["% of copy"] + list(DEGREES), out)


def gap(name):
    """What stands between 4096 elements and the copy, cold, where the goal is missed: microseconds."""
    def of(file):
        return {(r["problem"], int(r["degree"])): r for r in plain(file)}
    rows, one, traffic = gpu(name), of("h200-one-element.csv"), of("h200-traffic.csv")
    clocks = {int(r["pencil"]): float(r["clocks"]) for r in plain("h200-pass.csv")}
    out = []
    for problem in PROBLEMS:
        for n in DEGREES:
            r = rows[problem, n, "4096", "cold"]
            if percent(r) < GOAL["4096"]:
                own, alone = 1e6 * seconds(r), float(traffic[problem, n]["microseconds"])
                o = one[problem, n]
                passes = "%.1f" % (PASSES[problem] * clocks[n + 1] / CLOCK) if n + 1 in clocks else "–"
                out.append(["%s N=%d" % (problem.upper(), n), r["variant"], "%.1f" % own, "%.1f" % (own * percent(r) / 100),
                            "%.1f" % alone, passes, "%.1f" % (float(o["microseconds"]) - float(o["copy_microseconds"]))])
    return table(["case", "variant", "time", "copy", "traffic alone", "least passes", "one element"], out,
                 [":--", ":--"] + ["--:"] * 5)


def counters(name, size, what=""):
    """How busy the units of a GPU are during a launch, of a solve the one with the operator, per cent, hot."""
    out = []
    for r in plain(name):
        if r["cache"] == "hot" and r["dofs_or_elements"].startswith((size + " " + what).strip()):
            name, _, shape = r["problem"].partition("-")
            case = "%s N=%s" % (shape.replace("-", ", ") or name.upper(), r["degree"])
            units = [float(r[k + "_percent"]) for k in ("dram", "l2", "shared_memory", "fp64", "tensor_dp", "issue")]
            out.append([case, r["variant"]] + ["%.0f" % u for u in units])
    return table(["case", "variant", "DRAM", "L2", "shared memory", "FP64", "FP64 tensor cores", "issue slots"],
                 sorted(out, key=lambda line: (line[0][:5], int(line[0].split("=")[1]))), [":--", ":--"] + ["--:"] * 6)


def cpu(name, others):
    """One thread, 2 million DOFs, by degree: GFLOPS, times libCEED, per cent of the copy."""
    libceed = {(r["problem"], int(r["degree"])): float(r["gflops"]) for r in plain(others)}
    rows = {(r["problem"], int(r["degree"])): r for r in record(name)
            if "1 thread," in r["device"] and float(r["target_nodes"]) < 3e6 and r["status"] == "ok"}
    out = []
    for problem in PROBLEMS:
        own = [(n, float(rows[problem, n]["gflops"]), float(rows[problem, n]["roofline_gflops"])) for n in DEGREES]
        title = problem.upper()
        out.append([title + " GFLOPS"] + ["%.0f" % g for n, g, bound in own])
        out.append([title + " times libCEED"] + ["%.1f" % (g / libceed[problem, n]) if (problem, n) in libceed else "–"
                                                 for n, g, bound in own])
        out.append([title + " % of copy"] + ["%.0f" % (100 * g / bound) for n, g, bound in own])
    return table(["N"] + list(DEGREES), out)


def cpu_avx2(name, others):
    """GFLOPS with AVX2, and how many times libCEED's with AVX-512, by degree."""
    libceed = {(r["problem"], r["degree"]): float(r["gflops"]) for r in plain(others)}
    own = {(r["problem"], r["degree"]): float(r["gflops"]) for r in plain(name)}
    out = []
    for problem in PROBLEMS:
        keys = [(problem, str(n)) for n in DEGREES]
        out.append([problem.upper() + " GFLOPS"] + ["%.0f" % own[k] if k in own else "–" for k in keys])
        out.append([problem.upper() + " times libCEED"] + ["%.1f" % (own[k] / libceed[k]) if k in libceed and k in own else "–" for k in keys])
    return table(["N"] + list(DEGREES), out)


def ladder(name, prefix):
    """Per cent of the copy: the rungs whose name begins with PREFIX, by degree. Bold: the best of a degree, whose bound
    by shared memory is the last line but one."""
    rows = [r for r in record(name) if r["rung"].startswith(prefix)]
    cells = {(r["rung"], int(r["degree"])): percent(r) for r in rows if r["status"] == "ok"}
    degrees = sorted({int(r["degree"]) for r in rows})
    best = {n: max((v for (rung, m), v in cells.items() if m == n), default=0) for n in degrees}
    out = []
    for rung in dict.fromkeys(r["rung"] for r in rows):
        line = [rung]
        for n in degrees:
            v = cells.get((rung, n))
            line.append("–" if v is None else "**%.0f**" % v if v == best[n] else "%.0f" % v)
        out.append(line)
    shared = {}
    for r in rows:
        n = int(r["degree"])
        if r["status"] == "ok" and r["shared_traffic"] and cells[r["rung"], n] == best[n]:
            seconds = int(r["elements"]) * int(r["shared_traffic"]) / SHARED
            shared[n] = 100 * float(r["copy_seconds_median"]) / seconds
    out.append(["shared memory"] + ["%.0f" % shared[n] if n in shared else "–" for n in degrees])
    roofline = {int(r["degree"]): float(r["roofline_gflops"]) for r in rows if r["roofline_gflops"]}
    out.append(["copy, GFLOPS"] + [shown(roofline[n]) if n in roofline else "–" for n in degrees])
    return table(["N"] + degrees, out)


def solves(name, atomic, others):
    """GDOF/s of whole solves of about 20 million unknowns, beside the fastest other program."""
    shown = (3, 5, 7, 11, 15)
    rate, best = {}, {}
    for r in record(name) + record(atomic):
        if int(r["dofs"]) > 15e6 and int(r["degree"]) in shown and float(r["lambda"]) == 0:
            key = r["problem"] + (", atomic sums" if r["variant"].endswith("-atomic") else ""), int(r["degree"])
            rate[key] = float(r["gdofs_per_second"])
    for r in plain(others):
        key = r["problem"], int(r["degree"])
        best[key] = max(best.get(key, 0), int(r["dofs"]) * int(r["iterations"]) / float(r["seconds"]) / 1e9)
    out = []
    for problem in sorted({p for p, _ in rate}):
        for title, of in ((problem.upper().replace("ATOMIC SUMS", "atomic sums"), rate),
                          (problem.upper() + ", fastest other program", best)):
            if any((problem, n) in of for n in shown):
                out.append([title] + ["%.1f" % of[problem, n] if (problem, n) in of else "–" for n in shown])
    return table(["GDOF/s"] + ["N=%d" % n for n in shown], out)


def solves_by_degree(*names):
    """Whole solves of about 20 million unknowns: the rate, and per cent of a copy of the scheme's bytes."""
    found = {}
    for r in [r for name in names for r in record(name)]:
        if int(r["dofs"]) > 15e6 and float(r["lambda"]) == 0:
            title = r["problem"].upper() + (", atomic sums" if r["variant"].endswith("-atomic") else "")
            found[title, int(r["degree"])] = "%.1f" % float(r["gdofs_per_second"]), "%.0f" % percent(r)
    out = []
    for title in sorted({t for t, _ in found}):
        for n, unit in enumerate(("GDOF/s", "%")):
            out.append(["%s, %s" % (title, unit)] + [found[title, d][n] if (title, d) in found else "–" for d in DEGREES])
    return table(["N"] + list(DEGREES), out)


def pair(name, published):
    """Microseconds of each way to write the loops, and how much faster than the first."""
    then = {r["rung"]: float(r["seconds"]) for r in plain(published)}
    rows = {r["rung"] or r["variant"]: r for r in record(name)}
    out = []
    for rung, r in rows.items():
        old = ["%.0f" % (1e3 * then[rung]), "%.2f" % (then["loop"] / then[rung])] if rung in then else ["–", "–"]
        out.append([rung] + old + ["%.0f" % (1e6 * seconds(r)), "%.2f" % (seconds(rows["loop"]) / seconds(r)),
                                   "%.0f" % percent(r)])
    return table(["rung", "K40, ms", "× loop", "H200, µs", "× loop", "% of copy"], out)


def of_copy(row):
    return seconds(row) / float(row["copy_seconds_median"])


def least(rows, *key, of=seconds):
    """The fastest row of problem, degree, points beyond the degree and variants."""
    problem, degree, beyond, variants = key
    return min((r for r in rows if r["problem"] == problem and int(r["degree"]) == degree and
                int(r["quadrature"][2:3] or 2) == beyond and (r["variant"] in TWINS) == bool(variants) and
                (not variants or r["variant"] == variants)), key=of, default=None)


def quadrature(name):
    """By degree and number of points: the time of run-time-sized by that of its compiled twin, whose compilation stands
    behind it."""
    rows, out = record(name), []
    for n in DEGREES:
        own = [[least(rows, "bp3.0", n, beyond, twin) for twin in TWINS] for beyond in BEYOND]
        out.append([n] + [unbroken("%.2f (%.1f s, %.0f kB)" % (seconds(a) / seconds(b), float(b["compile_seconds"]),
                                                               float(b["code_bytes"]) / 1e3)) if a else "–" for a, b in own])
    return table(["N"] + ["N+%d" % beyond for beyond in BEYOND], out)


def best_points(name):
    """Per cent of the copy of the fastest, up to 12 points, of BP3.0 and of BP1.0, where the points are not their own."""
    rows, out = record(name), []
    for beyond in BEYOND:
        cells = []
        for n in range(1, 12) if beyond != 2 else ():
            found = [least(rows, p, n, beyond, "", of=of_copy) for p in ("bp3.0", "bp1.0")]
            cells.append("/".join("%.0f" % (100 / of_copy(r)) for r in found)
                         if n + beyond <= 12 else "–")
        if cells:
            out.append(["N+%d" % beyond] + cells)
    return table(["points"] + list(range(1, 12)), out)


def gradients(name, published, other, host):
    """Microseconds for a million elements: one per block, the best number, and beyond; then and now; the best of an H100
    and of a CPU beside."""
    then, now, h100, cpu = {}, {}, {}, {}
    for r in plain(published):
        then.setdefault((r["shape"], r["fields"], int(r["degree"])), {})[int(r["elements_per_block"])] = float(r["microseconds"])
    def key_of(r):
        parts = r["problem"].split("-")
        return parts[1], "vector" if len(parts) > 2 else "scalar", int(r["degree"])
    for r in record(other):
        h100[key_of(r)] = 1e12 * seconds(r) / int(r["elements"]), 100 * float(r["copy_seconds_median"]) / seconds(r)
    for r in record(host):
        cpu.setdefault(key_of(r), {})[r["variant"]] = seconds(r)
    for r in record(name):
        key = key_of(r)
        options = dict(o.split("=") for o in r["options"].split())
        t = 1e12 * seconds(r) / int(r["elements"])
        way = int(options["elements_per_block"]) if r["variant"] == "naive" else r["variant"]
        now.setdefault(key, []).append((t, way, 100 * float(r["copy_seconds_median"]) / seconds(r)))
    out = []
    for key in sorted(h100, key=lambda k: (("tri", "quad", "tet", "hex").index(k[0]), k[1], k[2])):
        old = min((t, k) for k, t in then[key].items())
        new = ["–"] * 4
        if key in now:
            blocks = [n for n in now[key] if isinstance(n[1], int)]
            one, best, most = min(n for n in blocks if n[1] == 1), min(blocks), min(now[key], key=lambda n: n[0])
            new = ["%.0f" % one[0], "%.0f (%d)" % best[:2], "%.0f %s" % most[:2], "%.0f" % most[2]]
        cells = ["%s, %s, p=%d" % key, "%.0f" % then[key][1], "%.0f (%d)" % old] + new + [
            "%.0f" % h100[key][0], "%.0f" % h100[key][1],
            "%.0f (%.1f)" % (1e6 * cpu[key]["simd"], cpu[key]["naive"] / cpu[key]["simd"])]
        out.append([unbroken(cell) for cell in cells])
    return table(["µs", "GV100, 1", "best (k)", "H200, 1", "best (k)", "beyond", "% of copy", "H100", "% of copy", "EPYC (×naive)"], out)


def waves(name):
    """Steps of the wave equation: the best by degree."""
    rows = [r for r in record(name) if r["status"] == "ok"]
    best = {}
    for r in rows:
        n = int(r["degree"])
        best[n] = min(best.get(n, r), r, key=seconds)
    degrees = sorted(best)
    return table(["N"] + degrees, [
        ["GDOF/s"] + [shown(1e-9 * float(best[n]["dofs"]) / seconds(best[n])) for n in degrees],
        [unbroken("% of the copy")] + ["%.0f" % percent(best[n]) for n in degrees]])


def launches(name):
    """Microseconds of a step on small boxes, by rung and by how it is launched."""
    of = {(r["rung"], r["launch"], int(r["elements"])): float(r["microseconds"]) for r in plain(name)}
    kinds = sorted({(k[2], k[1]) for k in of}, key=lambda k: (k[0], ["synchronous", "stream", "graph"].index(k[1])))
    out = [[rung] + [shown(of[rung, launch, n]) if (rung, launch, n) in of else "–" for n, launch in kinds]
           for rung in dict.fromkeys(k[0] for k in of)]
    return table(["µs a step"] + ["%d, %s" % k for k in kinds], out)


def ranks(part):
    """Of the model of many GPUs."""
    if part == "published":
        return table(["case", "published", "simulated", ""], [line[:3] + [line[3].replace(" ", "")] for line in
                                                              ranks_model.compared()])
    return table(["GPUs", "µs", "GDOF/s", "%", "n0.8", "µs"], list(ranks_model.expected()))


def library(name):
    """Times of libbp beside those of its yardsticks, by degree."""
    rows = {(r["what"], r["problem"], int(r["degree"])): [float(r[k]) for k in ("microseconds", "beside_microseconds")]
            for r in plain(name)}
    degrees = sorted({n for _, _, n in rows})
    kinds = (("elements", "elements"), ("unknowns", "unknowns"), ("`cg.c`", "cg"))
    out = [["%s %s" % (p.upper(), text)] + ["%.2f" % (rows[what, p, n][0] / rows[what, p, n][1]) for n in degrees]
           for text, what in kinds for p in ("bp1", "bp3", "bp5")]
    return table(["N"] + degrees, out)


def library_gpu(name):
    """µs of an application on unknowns and, in brackets, % of the copy."""
    rows = {(r["problem"], r["way"], int(r["degree"])): "%.0f (%s)" % (float(r["microseconds"]), r["copy_percent"])
            for r in plain(name)}
    degrees, ways = sorted({n for _, _, n in rows}), ("own", "atomic")
    return table(["N"] + degrees, [["%s %s" % (p.upper(), way)] + [unbroken(rows.get((p, way, n), "–")) for n in degrees]
                                   for p in ("bp1", "bp3", "bp5") for way in ways])


def library_libceed(name):
    """How many times as fast as /gpu/cuda/gen, by degree, in numbers by cells."""
    rows = {(r["problem"], r["resource"].split("/")[-1], int(r["degree"])): float(r["microseconds"])
            for r in plain(name) if r["numbers"] == "cells"}
    degrees = sorted({n for _, _, n in rows})
    return table(["N"] + degrees, [["%s%s" % (p.upper(), text)] + ["%.2f" % (rows[p, "gen", n] / rows[p, way, n]) for n in degrees]
                                   for p in ("bp1", "bp3", "bp5") for way, text in (("bp", ""), ("bp:atomic=1", " atomic"))])


TABLES = {f.__name__: f for f in (summary, standing, by_degree, peers, gap, counters, cpu, cpu_avx2, ladder, solves,
                                solves_by_degree, pair, waves, launches, quadrature, best_points, gradients,
                                ranks, library, library_gpu, library_libceed)}


def main(arguments):
    check = "--check" in arguments
    files = [a for a in arguments if a != "--check"] or PAGES
    stale = 0
    for name in files:
        path = os.path.join(ROOT, name)
        old = open(path).read()

        def fill(match):
            words = match[1].split()
            return "<!-- table %s -->\n%s\n<!-- end -->" % (match[1], "\n".join(TABLES[words[0]](*words[1:])))

        new = re.sub(r"<!-- table (.*?) -->\n.*?<!-- end -->", fill, old, flags=re.S)
        if new != old and check:
            stale += 1
            print("%s: a table is not what its data give: run make docs" % name)
        elif new != old:
            open(path, "w").write(new)
    return 1 if stale else 0


sys.exit(main(sys.argv[1:]))
