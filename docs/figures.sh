#!/usr/bin/env bash
# figures.sh -- draws the figures of docs/figures.md: RECORD in docs/results gives docs/figures/RECORD/FIGURE.svg.
# Usage: docs/figures.sh [RECORD]...   (BP=path/to/bp, default build/bp; FOLDER, default docs/figures)
set -eu
cd "$(dirname "$0")/.."
bp=${BP:-build/bp}
folder=${FOLDER:-docs/figures}

# RECORD FILE FIGURES
list='
h200-best              json peers,heatmap,roofline,setup
h100                   json heatmap
cpu                    json heatmap
h200-solves            json peers
h200-sizes             csv  sizes
h200-ladder-bp1-large  csv  ladder,heatmap
h200-ladder-bp3-large  csv  ladder,heatmap
h200-ladder-bp3.5-large csv ladder,heatmap'

while read -r record file figures; do
  [ "$record" ] || continue
  [ $# -eq 0 ] || [[ " $* " == *" $record "* ]] || continue
  rm -rf "${folder:?}/$record"
  mkdir -p "$folder/$record"
  for figure in ${figures//,/ }; do
    with=()
    [ "$figure" != peers ] || with=(--with "docs/results/peers-${record/-best/}.csv")
    "$bp" report "docs/results/$record.$file" "${with[@]}" --svg "$folder/$record/$figure.svg" --figure "$figure"
  done
  echo "docs/results/$record.$file: $figures"
done <<<"$list"
