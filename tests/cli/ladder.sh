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
expect_stdout '^16 passed, 0 failed$'

# Several elements in a block, the last block not full; too many threads are a reason, not a failure.
bp check --backend emulate 2d-k10 --degree 4 --elements 7 --set options.elements_per_block=3,32
expect_exit 0
expect_stdout 'elements_per_block=3 .*: 2 passed'
bp check --backend emulate bp3.5/columns --degree 2,7 --elements 1 --set options.elements_per_block=32
expect_exit 0
expect_stdout '^2 passed, 0 failed, 1 skipped$'

# The tables of the docs are what their data give, and a table that is not is found.
docs/tables.py --check > "$out" 2> "$err"
expect_lines stdout 0
expect_no_stderr
sed 's/^|k8|/|k9|/' docs/ladders.md > "$here/ladders.md"
docs/tables.py --check "$here/ladders.md" > "$out" 2> "$err"
expect_stdout 'ladders.md: a table is not what its data give'
docs/tables.py "$here/ladders.md"
expect_true "docs/tables.py mends it" cmp "$here/ladders.md" docs/ladders.md
