# gradient.sh -- gradients at quadrature points on four shapes.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem gradient-tri,gradient-hex-vector --elements 200 --variants naive,simd $quick --format json
expect_exit 0
expect_json "[(row['problem'], row['degree'], row['variant']) for row in r['rows']] == [
  (p, n, v) for p in ('gradient-tri', 'gradient-hex-vector') for n in (1, 2, 3) for v in ('naive', 'simd')]"
expect_json "all(row['status'] == 'ok' and row['error'] <= row['tolerance'] for row in r['rows'])"
expect_json "r['rows'][0]['mesh'] == '200 triangles' and r['rows'][0]['dofs'] == 11 * 11"
expect_json "r['rows'][0]['bytes'] == 4 * 200 * 3 + 8 * 11 * 11 + 8 * 200 * 3 * 2"
cp "$out" "$here/gradient.json"
bp report "$here/gradient.json"
expect_exit 0
expect_stdout '^gradient-hex-vector on 200 hexahedra'

bp run --problem gradient-tet --degree 4 --elements 200 $quick
expect_exit 2
bp check gradient/simd --degree 2 --elements 1,9
expect_exit 0
expect_stdout '^(16|32|48) passed, 0 failed$'
bp check --backend emulate gradient/element gradient/lines --degree 1 --elements 33
expect_exit 0
expect_no_stdout FAIL

# files, recomputed by another program; a u of one's own, that cancels
for problem in tri,1,1 tri,1,3 quad,0,2 tet-vector,1,2 tet,1,3 hex,0,3 hex-vector,0,1; do
  IFS=, read -r shape simplex degree <<< "$problem"
  bp apply --force --problem gradient-$shape --degree $degree --elements 13 --backend cpu --output "$here/g"
  expect_exit 0
  expect_stdout "^gradient-$shape, degree $degree, 13 "
  expect_stdout ' on .*: error [0-9.e-]+ of \|v\|, tolerance '
  expect_true "another program finds the same v" python3 tests/cli/kinds.py gradient $simplex $degree "$here/g"
done
expect_true "another table is told apart" eval "! python3 tests/cli/kinds.py gradient 0 2 '$here/g'"
python3 - "$here" << 'END'
import struct, sys
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (36,), }".ljust(117) + b"\n"
with open(sys.argv[1] + "/one.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<36d", *[1e9] * 36))
END
bp apply --force --problem gradient-hex --degree 1 --elements 12 --backend cpu --u "$here/one.npy" --output "$here/g"
expect_exit 0
expect_stdout 'of \|A\|\|u\|, tolerance'
bp apply --force --problem gradient-hex --degree 2 --elements 12 --backend cpu --u "$here/one.npy" --output "$here/g"
expect_exit 2
expect_stderr 'one.npy: expected shape \([0-9]+,\), found \(36,\)$'
bp apply --force --problem gradient-tri --degree 1 --backend cpu --output "$here/g"
expect_exit 2
expect_stderr '^bp apply: expected --mesh FILE or --elements N, found neither$'
