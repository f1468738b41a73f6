# quadrature.sh -- other quadrature points than a problem's own: `--quadrature` and `--rule`.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem bp1.0,bp3.0 --degree 2 --quadrature N+1..N+3 --box 2x2x2 --variants best,simd $quick --format json
expect_exit 0
expect_json "[(row['quadrature'], row['variant'], row['status']) for row in r['rows'] if row['problem'] == 'bp3.0'] == [
  ('N+1 gauss', 'even_odd', 'ok'), ('N+1 gauss', 'simd', 'skipped'), ('', 'even_odd', 'ok'), ('', 'simd', 'ok'),
  ('N+3 gauss', 'even_odd', 'ok'), ('N+3 gauss', 'simd', 'skipped')]"
expect_json "r['rows'][1]['reason'] == 'made for N+2 points per direction, not for N+1'"
expect_json "all(row['bytes'] == 8 * 8 * (2 * 27 + 7 * (4 + int('0' + row['quadrature'][2:3] or 2) - 2) ** 3)
  for row in r['rows'] if row['problem'] == 'bp3.0' and row['quadrature'])"
cp "$out" "$here/quadrature.json"
bp report "$here/quadrature.json"
expect_exit 0
expect_stdout '^bp3\.0 . N\+3 gauss points on box 2x2x2'
bp compare "$here/quadrature.json" "$here/quadrature.json"
expect_exit 0

bp check --backend cpu 'bp?.0/naive' 'bp?.0/even_odd' --degree 1,8 --quadrature N+1,N+5 --rule lobatto --elements 1,11
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp3.0/naive --degree 2 --elements 1
expect_stdout '^[2-9][0-9]* passed, 0 failed$' # other points among them

for problem in bp3.5 bp5 wave; do
  bp run --problem $problem --quadrature N+2 --box 2x2x2 $quick
  expect_exit 2
  expect_stderr "^--quadrature: expected bp1.0, bp3.0 or bp1 to bp4, whose points are free, found $problem\$"
done
bp run --problem bp3.0 --quadrature N+6 --box 2x2x2 $quick
expect_exit 2
expect_stderr "^--quadrature: expected points per direction such as N\\+2 or N\\+1\\.\\.N\\+4, from N\\+1 to N\\+5, found 'N\\+6'\$"

# A kernel that is right with the problem's own points only is found with the others.
ran="bp check, planted bp1.0/points-left"
BP_KERNEL_DIR=tests/planted "$BP" check --backend cpu bp1.0/points-left --degree 2 --quadrature N+1..N+5 --elements 3 \
  --set options.correct=0,1 > "$out" 2> "$err"
code=$?
expect_exit 1
expect_stdout '^FAIL .*correct=0 .*N=2, N\+3 gauss points, 3 elements: error 0\.'
expect_stdout '^ok .*correct=1: [0-9]+ passed$'

# One kernel for all pairs, and its twin for each; also of another rule, after the first one's programs are in the cache.
for rule in gauss lobatto; do
  bp check --backend emulate 'bp3.0/*-time-sized' bp1.0/direct --degree 2 --quadrature N+1,N+4 --rule $rule --elements 3
  expect_exit 0
  expect_no_stdout FAIL
done

# Solves: each problem's rows have their points, their bytes and an error of their own.
bp run --problem bp1,bp4 --degree 2 --quadrature N+1..N+3 --box 3x3x3 --variants unfused,one-pass,assembled --set iterations=10 $quick --format json
expect_exit 0
expect_json "sorted({(row['problem'], row['quadrature']) for row in r['rows']}) == [
  (p, q) for p in ('bp1', 'bp4') for q in ('', 'N+1 gauss', 'N+3 gauss')]"
expect_json "len(r['rows']) == 18 and all(row['status'] == 'ok' for row in r['rows'])"
# 27 elements; more points are more factors, 1 or 6 of 8 bytes for each
expect_json "all(b['bytes'] - a['bytes'] == 27 * 8 * (1 if a['problem'] == 'bp1' else 6) * (5 ** 3 - 3 ** 3)
  for a in r['rows'] for b in r['rows'] if a['quadrature'] == 'N+1 gauss' and b['quadrature'] == 'N+3 gauss'
  and a['problem'] == b['problem'] and a['variant'] == b['variant'] != 'assembled')"
cp "$out" "$here/solves.json"
bp compare "$here/solves.json" "$here/solves.json"
expect_exit 0
bp run --resume "$here/solves.json"
expect_exit 0

bp run --problem bp3 --degree 3 --quadrature N+4 --rule lobatto --box 2x2x2 --variants best $quick --format json
expect_json "[(row['quadrature'], row['status']) for row in r['rows']] == [('N+4 lobatto', 'ok')]"

# Another program has the same quadrature.
for points in "2 1 lobatto" "1 3 gauss"; do
  set -- $points
  bp solve --problem bp3 --degree $1 --quadrature N+$2 --rule $3 --box 3x2x2 --warp 0.4 --tolerance 1e-11 --output "$here/$3"
  expect_exit 0
  expect_stdout "^bp3, degree $1, N\\+$2 $3 points, lambda 0, 12 elements"
  expect_true "another program finds A u = f" python3 tests/cli/solve.py solve bp3 0 2e-11 "$here/$3" $(($1 + $2)) $3
  expect_true "the problem's own points are told apart" eval "! python3 tests/cli/solve.py solve bp3 0 2e-11 '$here/$3'"
done
bp apply --problem bp2 --degree 2 --quadrature N+5 --box 2x2x2 --output "$here/applied"
expect_exit 0
expect_stdout '^bp2, degree 2, N\+5 gauss points, '
bp solve --problem bp3 --degree 2 --quadrature N+1,N+2 --box 2x2x2 --output "$here/several"
expect_exit 2
expect_stderr '^--quadrature: expected one number of points, found 2 of them$'
bp solve --problem wave --degree 2 --quadrature N+2 --box 2x2x2 --output "$here/several"
expect_exit 2

bp check bp1/unfused bp3/one-pass --degree 1 --quadrature N+1,N+5 --rule lobatto --elements 5,7
expect_exit 0
bp check bp5/one-pass bp3.5/naive --degree 2 --rule gauss --elements 1
expect_stdout '^0 passed, 0 failed, [1-9]'
bp check --backend emulate bp1/two-kernel bp3/merged --set options.elements_per_block=2 --degree 2 --quadrature N+1,N+4 --elements 5
expect_exit 0
expect_no_stdout FAIL
