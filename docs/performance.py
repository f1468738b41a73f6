#!/usr/bin/env python3
"""performance.py -- writes the tables of docs/performance.md from docs/results/cpu-*.json.

Rates are of the fastest sample, for kernel, copy and peak alike; the records hold medians and all samples."""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
# The best backend of libCEED on one core of the same machine, GFLOPS by the same model, by degree.
LIBCEED = {
    "bp1.0": "3.4 6.5 10.6 14.4 18.9 20.9 24.6 26.3 27.1 28.0 29.3 - 32.4 - 34.7",
    "bp3.0": "4.5 8.8 12.5 13.3 17.5 18.2 21.2 22.6 23.9 24.4 24.1 - 26.2 - 27.4",
    "bp3.5": "1.7 3.7 6.5 8.9 10.2 13.0 13.4 16.2 17.5 19.5 19.4 - 22.3 - 23.7",
}
PEAK = 59.1  # GFLOPS of machine/fma on one thread


def libceed(problem, degree):
    value = LIBCEED[problem].split()[degree - 1]
    return None if value == "-" else float(value)


def table(path):
    record = json.load(open(path))
    rows = [r for r in record["rows"] if r["status"] == "ok"]
    out = ["Command: `%s`, load average before it: %s.\n" % (record["command"], record["environment"].get("load average before"))]
    for problem in ("bp1.0", "bp3.0", "bp3.5"):
        out.append("**%s**\n" % problem)
        out.append("| N | GFLOPS | GB/s | of the copy roofline | of the FMA peak | of the lower bound | libCEED | ratio |")
        out.append("|---|---|---|---|---|---|---|---|")
        for r in (r for r in rows if r["problem"] == problem):
            gflops = r["flops"] / r["seconds"]["min"] * 1e-9
            gbytes = r["bytes"] / r["seconds"]["min"] * 1e-9
            copy = 2 * r["copy"]["bytes"] / r["copy"]["seconds"]["min"] * 1e-9
            roof = copy * r["flops"] / r["bytes"]
            other = libceed(problem, r["degree"])
            out.append("| %d | %.1f | %.1f | %.0f %% | %.0f %% | %.0f %% | %s | %s |" % (
                r["degree"], gflops, gbytes, 100 * gflops / roof, 100 * gflops / PEAK,
                100 * gflops / min(roof, PEAK), other or "", "%.2f" % (gflops / other) if other else ""))
        out.append("")
    return "\n".join(out)


def main():
    path = os.path.join(HERE, "performance.md")
    text = open(path).read()
    def fill(match):
        record = os.path.join(HERE, "results", match.group(1))
        body = table(record) if os.path.exists(record) else ""
        return "<!-- %s -->\n%s\n<!-- end -->" % (match.group(1), body)
    text = re.sub(r"<!-- (cpu-[\w-]+\.json) -->.*?<!-- end -->", fill, text, flags=re.S)
    open(path, "w").write(text)


main()
