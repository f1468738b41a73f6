#!/bin/bash
# ranks.sh -- two ranks of one thread against one rank of two threads, in turns, on a quiet host with two processors.
#
# Usage: [BP=build/bp] [PROBLEM=bp5] [ROUNDS=5] [MAX_TIME=4] tests/bench/ranks.sh [DEGREE BOX]...
# (else 3 40x40x40 and 7 20x20x20; MAX_TIME: seconds of a measurement)
# A line for each case: the time of an iteration with two threads, with two ranks, and the second over the first, of the
# lowest median of all rounds. Exit code 1 where two ranks take more than 5 % longer.
set -eu
bp=${BP:-build/bp} problem=${PROBLEM:-bp5} rounds=${ROUNDS:-5} max_time=${MAX_TIME:-4}
[ $# -gt 0 ] || set -- 3 40x40x40 7 20x20x20
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failed=0

# median RANKS THREADS VARIANTS DEGREE BOX: seconds of an iteration
median() {
  "$bp" run --problem "$problem" --variants "$3" --degree "$4" --box "$5" --backend cpu --ranks "$1" --set threads="$2" \
    --set iterations=20 --set measure.min_samples=7 --set measure.max_time="$max_time" --format json \
    --output "$here/run.json" --force > /dev/null
  python3 -c 'import json, sys
print(min(r["seconds"]["median"] for r in json.load(open(sys.argv[1]))["rows"] if r["status"] == "ok"))' "$here/run.json"
}

least() { printf '%s\n' "$@" | sort -g | head -n 1; }

while [ $# -ge 2 ]; do
  one="" best="" two=""
  for ((n = 0; n < rounds; ++n)); do
    one="$one $(median 1 2 one-pass-ranks "$1" "$2")"
    two="$two $(median 2 1 one-pass-ranks "$1" "$2")"
    best="$best $(median 1 2 best "$1" "$2")"
  done
  two=$(least $two)
  for threads in "one-pass-ranks $(least $one)" "best $(least $best)"; do
    line=$(python3 -c 'import sys
a, b = map(float, sys.argv[2:])
print("threads by %s: 2 threads %.1f us, 2 ranks %.1f us, %.3f %s" %
      (sys.argv[1], 1e6 * a, 1e6 * b, b / a, "" if b < 1.05 * a else "MORE THAN 5 %"))' $threads "$two")
    echo "$problem N=$1 $2, $line"
    case $line in *MORE*) failed=1 ;; esac
  done
  shift 2
done
exit $failed
