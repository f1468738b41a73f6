# ladder.sh -- the published ladders: every rung has its rows, a run on the emulator, a table in the docs.

# Rungs times degrees times sizes, of which the 3D ones end early.
for ladder in bp1:8 bp3.5:16 bp3:19; do
  bp run "configs/ladder-${ladder%:*}.yaml" --backend emulate --degree 5 --dry-run
  expect_exit 0
  expect_stdout "^$((2 * ${ladder#*:})) rows on "
done
bp list 'k*' '2d-*' '3d-*'
for rung in 'bp1.0 +k8 +symmetric' 'bp3.5 +2d-k10 +columns' 'bp3.5 +3d-k6 +nodes-cubes' \
  'bp3.0 +2d-k9 +symmetric' 'bp3.0 +2d-bonus +symmetric-columns' 'bp3.0 +3d-k9 +nodes-five-cubes'; do
  expect_stdout "^ +$rung "
done
bp check --backend emulate 2d-k10 3d-k1 k8 --degree 2 --elements 3
expect_exit 0
expect_stdout '^8 passed, 0 failed$'

# Several elements in a block, the last block not full; too many threads are a reason, not a failure.
bp check --backend emulate 2d-k10 --degree 4 --elements 7 --set options.elements_per_block=3,32
expect_exit 0
expect_stdout 'elements_per_block=3 .*: 2 passed'
bp check --backend emulate bp3.5/columns --degree 2,7 --elements 1 --set options.elements_per_block=32
expect_exit 0
expect_stdout '^2 passed, 0 failed, 1 skipped$'

# The tables of docs/ladders.md, from a record whose rows are rungs.
mkdir "$here/results"
sed 's/"rung": "[^"]*"/"rung": "2d-k3"/' tests/records/schema-1.json > "$here/results/r.json"
rows() {
  printf 'before\n<!-- ladder %s %s %s -->\nold\n<!-- end -->\nafter\n' "$@" > "$here/page.md"
  awk -v bp="$BP" -v results="$here/results" -f docs/ladders.awk "$here/page.md" > "$out" 2> "$err"
  ran="docs/ladders.awk $*"
}
rows r.json 4096 2d-
expect_no_stderr
expect_stdout '^\| N \|( [0-9]+ \|)+$'
expect_stdout '^\| 2d-k3 \|.*\*\*[0-9.]+\*\* \|'
expect_stdout '^\| roofline \| [0-9.]+ \|'
expect_no_stdout '^old$'
expect_stdout '^after$'
$BP report "$here/results/r.json" --csv "$here/results/s.csv"
rows s.csv 4096 2d-
expect_stdout '^\| 2d-k3 \|'
sed 's/2d-k3/2d-k4/' "$here/results/r.json" > "$here/results/s.json"
rows s.csv 4096 2d- # the JSON of that name goes before
expect_stdout '^\| 2d-k4 \|'
sed -i 's/"elements": 4096/"elements": 9/' "$here/results/s.json"
rows s.csv 4096 2d- # where it has such rows
expect_stdout '^\| 2d-k3 \|'
rows r.json '*' 2d-
expect_no_stdout '^old$'
rows r.json 17 2d- # no such size: the text stays
expect_stdout '^old$'
rows other.json 4096 2d- # no such record
expect_stdout '^old$'
expect_lines stdout 5
