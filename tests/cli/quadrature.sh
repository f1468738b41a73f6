# quadrature.sh -- other quadrature points than a problem's own: `--quadrature` and `--rule`.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem bp1.0,bp3.0 --degree 2 --quadrature N+1..N+3 --box 2x2x2 --variants best,simd $quick --format json
expect_exit 0
expect_json "[(row['quadrature'], row['variant'], row['status']) for row in r['rows'] if row['problem'] == 'bp3.0'] == [
  ('N+1 gauss', 'naive', 'ok'), ('N+1 gauss', 'simd', 'skipped'), ('', 'even_odd', 'ok'), ('', 'simd', 'ok'),
  ('N+3 gauss', 'naive', 'ok'), ('N+3 gauss', 'simd', 'skipped')]"
expect_json "r['rows'][1]['reason'] == 'made for N+2 points per direction, not for N+1'"
expect_json "all(row['bytes'] == 8 * 8 * (2 * 27 + 7 * (4 + int('0' + row['quadrature'][2:3] or 2) - 2) ** 3)
  for row in r['rows'] if row['problem'] == 'bp3.0' and row['quadrature'])"
cp "$out" "$here/quadrature.json"
bp report "$here/quadrature.json"
expect_exit 0
expect_stdout '^bp3\.0 . N\+3 gauss points on box 2x2x2'
bp compare "$here/quadrature.json" "$here/quadrature.json"
expect_exit 0

bp check bp3.0/naive bp1.0/naive --degree 1,3 --quadrature N+1,N+5 --rule lobatto --elements 1,3
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp3.0/naive --degree 2 --elements 1
expect_stdout '^[2-9][0-9]* passed, 0 failed$' # other points among them

for problem in bp3.5 bp3; do
  bp run --problem $problem --quadrature N+2 --box 2x2x2 $quick
  expect_exit 2
  expect_stderr "^--quadrature: expected bp1.0 or bp3.0, whose points are free, found $problem\$"
done
bp run --problem bp3.0 --quadrature N+6 --box 2x2x2 $quick
expect_exit 2
expect_stderr "^--quadrature: expected points per direction such as N\\+2 or N\\+1\\.\\.N\\+4, from N\\+1 to N\\+5, found 'N\\+6'\$"

# One kernel for all pairs, and its twin for each.
bp check --backend emulate 'bp?.0/*-time-sized' --degree 2 --quadrature N+1,N+4 --elements 3
expect_exit 0
expect_no_stdout FAIL
