# wave2d.sh -- the wave equation by finite differences: run, verified from outside, beside the published times.
bp run configs/wave2d.yaml --backend cpu,emulate --species 3,10 --set iterations=7 --format json --set measure.max_time=0.02 \
  --set measure.min_time=0
expect_exit 0
expect_json "len(r['rows']) == 10 and all(row['status'] == 'ok' and row['iterations'] == 7 for row in r['rows'])"
expect_json "all(row['dofs'] == row['degree'] ** 2 and row['bytes'] == 48 * row['dofs'] for row in r['rows'])"
expect_json "{row['variant'] for row in r['rows']} == {'naive', 'loops', 'one-launch'}"

for case in 'cpu naive' 'cpu reference' 'emulate one-thread' 'emulate thread-per-row' 'emulate one-launch-rows' 'emulate many-blocks'; do
  set -- $case
  bp apply --force --problem wave2d --species 6 --elements 2 --set iterations=5 --backend $1 --variants $2 --output "$here/w"
  expect_exit 0
  expect_stdout '^wave2d, species 6, 2 grids$'
  expect_stdout "^wrote $here/w-v.npy \\(2, 2, 6, 6\\)\$"
  expect_true "$case: another program finds the same v" python3 tests/cli/kinds.py wave2d 5 "$here/w"
done
bp apply --force --problem wave2d --species 6 --elements 2 --set iterations=5 --u "$here/w-v.npy" --backend cpu --output "$here/w2"
expect_exit 0
cp "$here/w-u.npy" "$here/w2-u.npy"
expect_true "five and five are ten" python3 tests/cli/kinds.py wave2d 10 "$here/w2"

bp run configs/wave2d.yaml --backend cpu --species 10,50 --set iterations=5 --set measure.max_time=0.02 --set measure.min_time=0 \
  --output "$here/record.json" --force
expect_exit 0
bp report "$here/record.json" --with docs/results/peers-wave2d.csv --any-machine
expect_exit 0
expect_stdout 'Ballif S threads in one kernel'
bp check --backend emulate wave2d --degree 4 --elements 2
expect_exit 0
expect_stdout ' 0 failed$'
