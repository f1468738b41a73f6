#!/bin/bash
# busy.sh -- whether a row that other work slowed is marked: one run on a quiet machine, one beside busy loops. Says how
# far off the quiet one each row is, as CSV. Exit code 1: one without a mark is more than 5 % off; 2: none was quiet before.
#
#   tests/bench/busy.sh [LOOPS [OPTION OF bp run]...]       BP=build/bp; eight loops, bp3.5 and bp5 on the CPU
#
# AHEAD='chrt -f 1', by root, runs the first ahead of whatever else the machine does.
loops=${1:-8}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- --problem bp3.5,bp5 --degree 3,7 --nodes 1e6 --backend cpu --set measure.max_time=1
folder=$(mktemp -d)
running=()
finish() {
  [ ${#running[@]} -eq 0 ] || { kill "${running[@]}" && wait; } 2> /dev/null
  rm -r "$folder"
}
trap finish EXIT
run() { # FILE OPTION...
  local file=$1
  shift
  $first "${BP:-build/bp}" run "$@" --format json --output "$file" 2> "$folder/said" || { cat "$folder/said"; exit 1; }
}
first=${AHEAD:-} run "$folder/quiet.json" "$@" || exit
for ((n = 0; n < loops; ++n)); do
  while :; do :; done &
  running+=($!)
done
run "$folder/busy.json" "$@" || exit
python3 - "$folder/quiet.json" "$folder/busy.json" "$loops" << 'P'
import json, sys
def read(path):
    rows = json.load(open(path))["rows"]
    return {(r["problem"], r["degree"], r["variant"], r["cache"]): r for r in rows if r["seconds"]["median"]}
quiet, busy = read(sys.argv[1]), read(sys.argv[2])
marked = lambda row: bool(row["busy"] or row["waited"] or row["copy"]["waited"])
off, hidden, judged = [], 0, 0
print("loops,problem,degree,variant,quiet_seconds,quiet_mark,busy_seconds,busy_mark,change_percent")
for key in sorted(quiet):
    a, b = quiet[key], busy.get(key)
    if not b:
        continue
    change = b["seconds"]["median"] / a["seconds"]["median"] - 1
    print("%s,%s,%d,%s,%.4g,%s,%.4g,%s,%.1f" % (sys.argv[3], *key[:3], a["seconds"]["median"], "marked" if marked(a) else "",
          b["seconds"]["median"], "marked" if marked(b) else "", 100 * change))
    judged += not marked(a)
    hidden += not marked(a) and not marked(b) and abs(change) > 0.05
print("# %d rows beside %s busy loops, %d quiet before: %d unmarked and more than 5 %% off" %
      (len(quiet), sys.argv[3], judged, hidden))
sys.exit(1 if hidden else 0 if judged else 2)
P
