#!/usr/bin/env bash
# figures.sh -- draws the figures of every record: docs/results/NAME.json, or NAME.csv where there is no such, gives
# docs/figures/NAME/FIGURE.svg. Of ladders (NAME holds "-ladder-") the ladder and the heat map, of a sweep of one option
# ("-elements-per-block") the sweep and the heat map.
# Usage: docs/figures.sh [NAME]...   (BP=path/to/bp, default build/bp)
set -eu
cd "$(dirname "$0")/.."
bp=${BP:-build/bp}
[ $# -gt 0 ] || set -- $(cd docs/results && ls *.json *.csv | sed 's/\.[a-z]*$//' | sort -u)
for name in "$@"; do
  record=docs/results/$name.json
  [ -e "$record" ] || record=docs/results/$name.csv
  grep -q '^  "schema": [0-9]*,$\|^problem,variant,' "$record" || continue # other data of the documents
  rm -rf "docs/figures/$name"
  mkdir -p "docs/figures/$name"
  case $name in
  *-ladder-*) figures='ladder heatmap' ;;
  *-elements-per-block*) figures='sweep heatmap' ;;
  *) figures= ;;
  esac
  for figure in $figures; do
    "$bp" report "$record" --svg "docs/figures/$name/$figure.svg" --figure "$figure"
  done
  [ "$figures" ] || "$bp" report "$record" --svg "docs/figures/$name/"
  echo "$record: $(ls "docs/figures/$name" | tr '\n' ' ')"
done
