#!/usr/bin/env bash
# figures.sh -- draws every figure of every record: docs/results/NAME.json gives docs/figures/NAME/FIGURE.svg.
# Usage: docs/figures.sh [NAME]...   (BP=path/to/bp, default build/bp)
set -eu
cd "$(dirname "$0")/.."
bp=${BP:-build/bp}
[ $# -gt 0 ] || set -- $(cd docs/results && ls *.json | sed 's/\.json$//')
for name in "$@"; do
  record=docs/results/$name.json
  grep -q '^  "schema": [0-9]*,$' "$record" || continue # other data of the documents
  rm -rf "docs/figures/$name"
  mkdir -p "docs/figures/$name"
  "$bp" report "$record" --svg "docs/figures/$name/"
  echo "$record: $(ls "docs/figures/$name" | tr '\n' ' ')"
done
