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
bp apply --problem gradient-tri --degree 1 --box 2x2x1 --output "$here/out"
expect_exit 2
