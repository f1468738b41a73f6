# pair.sh -- `bp run`, `bp list` and `bp check` of the problem that has points and species instead of a mesh.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem pair --species 3,8 --points 100,1001 --variants all $quick --format json
expect_exit 0
expect_json "len(r['rows']) == 8 and all(row['status'] == 'ok' for row in r['rows'])"
expect_json "all(row['dofs'] == row['elements'] * row['degree'] ** 2 for row in r['rows'])"
expect_json "all(row['bytes'] == 8 * row['elements'] * (row['degree'] ** 2 + 4 * row['degree']) for row in r['rows'])"
expect_json "all(row['flops'] == 3 * row['dofs'] for row in r['rows'])"
expect_json "{(row['degree'], row['mesh']) for row in r['rows']} == {(s, '%d points' % p) for s in (3, 8) for p in (100, 1001)}"
expect_json "r['meshes'] == []"

bp run --problem pair --species 5,10,20,50 --points 100 --variants all $quick
expect_exit 0
number='-?[0-9.]+(e-[0-9]+)?'
for variant in naive 'stream block=256'; do
  expect_stdout "^$variant, 100 points \(cpu\): $number NS [-+] $number NS\^2 [-+] $number NS\^3 seconds a point, within .* %$"
done
bp run --problem pair --species 5,10,20 --points 100 $quick
expect_exit 0
expect_equal "three numbers of species are no fit" "$(grep -c NS "$out")" 0

bp run --problem pair --species 0 $quick
expect_exit 2
expect_stderr '^--species: expected whole numbers such as 7 or 1..4, 1 to 1024, found '
for backend in cpu 'cpu --variants reference' emulate; do
  bp apply --force --problem pair --species 3 --points 17 --backend $backend --output "$here/pair"
  expect_exit 0
  expect_stdout '^pair, species 3, 17 points$'
  expect_stdout "^wrote $here/pair-v.npy \(3, 3, 17\)\$"
  expect_true "another program finds the same v" python3 tests/cli/kinds.py pair "$here/pair"
done
bp apply --problem pair --species 3 --points 17 --backend cpu --output "$here/pair"
expect_exit 2
expect_stderr "^--output: expected a new file, found '.*/pair-u.npy'"
bp apply --force --problem pair --species 3 --backend cpu --output "$here/pair"
expect_exit 2
expect_stderr '^bp apply: --points: expected one number of points, found none$'
bp run configs/pair.yaml --dry-run --backend cpu --variants all
expect_exit 0

bp list
expect_stdout '^Kernels of other codes:$'
expect_stdout '^  pair +team +warp-team +warps=8$'
expect_equal "kernels of other codes stand behind the bake-off's:" "$(sed '/^Kernels of other/,$d' "$out" | grep -c '^pair/')" 0

for rung in $(sed -n 's/^\([a-z0-9-]*\),0.*/\1/p' docs/results/k40-pair.csv); do
  expect_true "$rung, which is published, is a rung" grep -q "^$rung " kernels/pair/rungs
done
bp check --backend emulate tile-2-half tile-4-quarter tile-8-eighth --degree 5 --elements 7
expect_exit 0
expect_stdout '^3 passed, 0 failed$'
bp check --backend emulate pair --degree 5 --elements 7,40
expect_exit 0
expect_stdout ' 0 failed'
