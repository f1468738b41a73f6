# precision.sh -- `precision`: what has it, what is told of it, and errors of 1e-5 in single.

bp check 'bp?.?/naive' --backend cpu --degree 1,2 --elements 1,20 --precision mixed
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check 'bp?.?/even_odd' --backend cpu --degree 1..3 --elements 1,20 --precision single
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp3.5/direct bp1.0/pairs --backend emulate --degree 2 --elements 3 --precision single
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp5/one-pass --backend cpu --degree 2 --precision single
expect_exit 2
expect_stderr '^bp check: no variant of backend cpu in precision single was asked for '

# One entry of D is wrong.
mkdir -p "$here/bp3.5"
sed -e 's#bp3.5/naive#bp3.5/planted#' \
  -e 's/const real \*D = a->D;/real D[64]; for (int m = 0; m < n2; ++m) D[m] = a->D[m] * (m == 1 ? (real)1.00001 : 1);/' \
  kernels/bp3.5/naive.c > "$here/bp3.5/planted.c"
bp check "$here/bp3.5/planted.c" --backend cpu --degree 2,7 --elements 20 --precision single
expect_exit 1
expect_stdout '^FAIL +bp3\.5/planted .*N=7.* error '

# Rows say it; what has no single is skipped.
bp run --problem bp3.5,bp5 --degree 3 --precision single --elements 20 --backend cpu --variants even_odd,one-pass \
  --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.01 --no-figure --format json
expect_exit 0
expect_json "[(row['variant'], row['precision'], row['status'], row['bytes'] // row['elements']) for row in r['rows']][0] == ('even_odd', 'single', 'ok', 4 * 9 * 64)"
expect_json "[(row['precision'], row['status'], row['reason']) for row in r['rows']][1] == ('single', 'skipped', 'has no single precision')"
