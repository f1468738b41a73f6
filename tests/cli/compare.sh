# compare.sh -- bp compare: verdicts, exit codes, what is said about environments.
record=tests/records/schema-1.json

bp compare $record
expect_exit 2
bp compare $record $record
expect_exit 0
expect_no_stderr
expect_no_stdout 'slower|faster'
expect_stdout '^no regression beyond 5.0 %$'
expect_stdout '2 nothing to compare'
bp compare $record $record --strict
expect_exit 4
expect_stderr '^bp: --strict: [0-9] of 8 rows tell nothing: measure longer'
sed 's/"seconds": {/"busy": "busy: other programs", &/' $record > "$here/busy.json"
bp compare "$here/busy.json" $record
expect_exit 0
expect_stdout '^nothing could be told: no row has a verdict$'

# a mesh is its file, wherever that lies
sed 's|"mesh": "|&/elsewhere/|' $record > "$here/elsewhere.json"
bp compare $record "$here/elsewhere.json"
expect_exit 0
expect_no_stdout ' missing'

# Times of every row but the copies' times a factor; samples as many as it takes to be sure.
slowed() { # FACTOR < record
  python3 -c '
import json, sys
record, factor = json.load(sys.stdin), float(sys.argv[1])
for row in record["rows"]:
    row.update({k: row[k] / factor for k in ("gflops", "gbytes_per_second") if row.get(k)})
    for holder, f in (row, factor), (row["copy"], 1):
        t = holder["seconds"]
        if t["count"]:
            t.update({k: t[k] * f for k in ("min", "median", "max")}, count=9 * t["count"],
                     interval=[v * f for v in t["interval"]])
            holder["samples"] = 9 * [v * f for v in holder["samples"]]
json.dump(record, sys.stdout, indent=1)' "$1"
}
slowed 1 < $record > "$here/old.json"
slowed 1.1 < $record > "$here/slow.json"
slowed 1.045 < $record > "$here/less.json"

bp compare "$here/old.json" "$here/old.json"
expect_exit 0
expect_stdout '6 same'
bp compare "$here/old.json" "$here/slow.json"
expect_exit 4
expect_no_stderr
expect_stdout '2d-k4 .* slower !$'
expect_stdout '^6 regressions \(slower by more than 5.0 % beyond the noise, or wrong\)$'
bp compare "$here/slow.json" "$here/old.json"
expect_exit 0
expect_stdout '6 faster'
bp compare "$here/old.json" "$here/slow.json" --fail-over 20%
expect_exit 0
expect_stdout '^no regression beyond 20.0 %$'
bp compare "$here/old.json" "$here/less.json"
expect_exit 0
expect_stdout 'slower$'
bp compare "$here/old.json" "$here/less.json" --fail-over 1%
expect_exit 4
bp compare "$here/old.json" "$here/slow.json" --format json
expect_exit 4
expect_stdout '"verdict": "slower"'
expect_stdout '"regressions": 6'
expect_equal "slower rows" "$(grep -c '"verdict": "slower"' "$out")" 6

# Rows that came, went, broke.
sed 's/"degree": 2/"degree": 3/' "$here/old.json" > "$here/moved.json"
bp compare "$here/old.json" "$here/moved.json"
expect_exit 0
expect_stdout '4 missing, 4 new'
sed '0,/"status": "ok"/s//"status": "wrong"/' "$here/old.json" > "$here/broken.json"
bp compare "$here/old.json" "$here/broken.json"
expect_exit 4
expect_stdout 'BROKEN'
sed '0,/"status": "ok"/s//"status": "skipped"/' "$here/old.json" > "$here/lost.json"
bp compare "$here/old.json" "$here/lost.json"
expect_exit 0
expect_stdout '1 now skipped'

sed 's/580.10/590.20/; s/"version": "0.1.0"/"version": "0.2.0"/' "$here/old.json" > "$here/elsewhere.json"
bp compare "$here/old.json" "$here/elsewhere.json"
expect_exit 0
expect_stderr 'warning: the environments of the two records differ in 2 facts'
expect_stdout '^  driver: 580.10 -> 590.20$'
expect_stdout '^  bp: 0.1.0 -> 0.2.0$'

bp compare "$here/old.json" "$here/none.json"
expect_exit 2
expect_lines stderr 1
bp compare "$here/old.json" "$here/slow.json" --fail-over 0%
expect_exit 2
expect_stderr "^--fail-over: expected a number, 0.1 % to 1000 %, found '0%'"
bp compare "$here/old.json" "$here/slow.json" --fail-over fast
expect_exit 2

# Lambda is told where it is another one than usual, and only there.
sed 's/"lambda": 1,/"lambda": 0.25,/' "$here/old.json" > "$here/quarter.json"
bp compare "$here/old.json" "$here/old.json"
expect_no_stdout 'lambda'
bp compare "$here/quarter.json" "$here/quarter.json"
expect_exit 0
expect_stdout '^[^ ]+ lambda=0.25 .* same$'
bp compare "$here/old.json" "$here/quarter.json"
expect_stdout '^[^ ]+ .* missing$'
expect_stdout '^[^ ]+ lambda=0.25 .* new$'
bp compare "$here/quarter.json" "$here/quarter.json" --format json
expect_stdout '"lambda": 0.25,'
bp report "$here/quarter.json"
expect_stdout 'lambda 0.25'
bp compare docs/results/h200-solves.json docs/results/h200-solves.json
expect_stdout '^bp5 lambda=0\.1 '
expect_stdout '^bp5 box '
expect_no_stdout '^bp[1-46] lambda'

# Two machines: each row beside that of the other, with what it reaches of its own copy.
bp compare docs/results/h200-best.json docs/results/h100.json --across
expect_exit 0
expect_no_stderr
expect_stdout '^first: NVIDIA H200$'
expect_stdout '^second: NVIDIA H100'
expect_stdout '^problem +N +DOFs  cache  first  +GDOF/s  of copy  second  +GDOF/s  of copy  ratio$'
expect_stdout '^bp3.5 +7 +[0-9.]+ [kM] +hot +[a-z].* [0-9.]+ %  [a-z].* [0-9.]+ % +[0-9.]+$'
bp compare docs/results/h200-best.json $record --across --strict
expect_exit 2
