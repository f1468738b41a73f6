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
  case $name in peers-*) continue ;; esac # other programs, drawn beside the records below
  record=docs/results/$name.json
  [ -e "$record" ] || record=docs/results/$name.csv
  grep -q '^  "schema": [0-9]*,$\|^problem,variant,rung,' "$record" || continue # other data of the documents
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
  # Beside other programs where somebody ran them on that machine.
  peers=docs/results/peers-${name%%-*}-operators.csv
  [ -e "$peers" ] && [ "$name" = "${name%%-*}-best" ] || peers=
  [ "$figures" ] || "$bp" report "$record" --svg "docs/figures/$name/" ${peers:+--with "$peers"}
  echo "$record: $(ls "docs/figures/$name" | tr '\n' ' ')"
done
