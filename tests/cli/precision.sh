# precision.sh -- `precision`: what has it, what is told of it, errors of 1e-5 in single, and double answers by single.

bp check 'bp?.?/naive' --backend cpu --degree 1,2 --elements 1,20 --precision mixed
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check 'bp?.?/even_odd' --backend cpu --degree 1..3 --elements 1,20 --precision single
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp3.5/direct bp1.0/pairs --backend emulate --degree 2 --elements 3 --precision single
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
for precision in mixed single; do
  bp check 'bp[136]/one-pass' 'bp[25]/unfused' --backend cpu --degree 1,3 --elements 2,20 --precision $precision
  expect_exit 0
  expect_stdout '^[1-9][0-9]* passed, 0 failed$'
  bp check 'bp[135]/two-kernel' --backend emulate --degree 2 --elements 20 --precision $precision \
    --set options.evict_first=16
  expect_exit 0
  expect_stdout '^3 passed, 0 failed$'
done
bp check bp1/merged bp5/unfused --backend emulate --degree 2 --elements 20 --precision single --set options.evict_first=16
expect_exit 0
expect_stdout '^2 passed, 0 failed$'
# also as the last of very many elements
bp check bp5/two-kernel --backend emulate --degree 2 --precision single --set options.evict_first=16
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
bp check bp5/assembled --backend cpu --degree 2 --precision single
expect_exit 2
expect_stderr '^bp check: no variant of backend cpu in precision single was asked for '

# What rounded factors change, by the norm of G^-1/2 (G' - G) G^-1/2 and by W.
kershaw="--degree 2 --elements 216 --kershaw 0.1 --backend cpu"
bp apply --problem bp3.0 $kershaw --output "$here/factors" --save-factors --variants reference
python=python3
"$python" -c 'import numpy' 2> /dev/null || python=/usr/bin/python3
expected=$("$python" - "$here/factors-factors.npy" << 'END'
import sys
import numpy as np
f = np.load(sys.argv[1]).reshape(216, 7, -1)
g, w = (np.moveaxis(f[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]], 1, 2).reshape(-1, 3, 3), f[:, 6])
m = np.linalg.solve(g, g.astype(np.float32).astype(float) - g)
print('%.2g' % max(np.sqrt(np.einsum('nab,nba->n', m, m).max()), abs(w.astype(np.float32) / w - 1).max()))
END
)
bp apply --problem bp3.0 $kershaw --precision mixed --output "$here/mixed" --variants naive
expect_stdout "^factors rounded to floats change the operator by $expected of itself at most\$"
bp run --problem bp3 $kershaw --precision mixed --variants one-pass --set measure.warmup=0 --set measure.min_time=0 \
  --set measure.max_time=0.01 --no-figure
expect_stderr "^bp: bp3 N=2: factors rounded to floats change the operator by .* of itself at most\$"

# One entry of D is wrong.
mkdir -p "$here/bp3.5"
sed -e 's#bp3.5/naive#bp3.5/planted#' \
  -e 's/const real \*D = a->D;/real D[64]; for (int m = 0; m < n2; ++m) D[m] = a->D[m] * (m == 1 ? (real)1.00001 : 1);/' \
  kernels/bp3.5/naive.c > "$here/bp3.5/planted.c"
bp check "$here/bp3.5/planted.c" --backend cpu --degree 2,7 --elements 20 --precision single
expect_exit 1
expect_stdout '^FAIL +bp3\.5/planted .*N=7.* error '

# Rows say it; what has no single is skipped.
bp run --problem bp3.5,bp5 --degree 3 --precision single --elements 20 --backend cpu --variants even_odd,one-pass,assembled \
  --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.01 --no-figure --format json
expect_exit 0
expect_json "[(row['variant'], row['precision'], row['status'], row['bytes'] // row['elements']) for row in r['rows']][0] == ('even_odd', 'single', 'ok', 4 * 9 * 64)"
expect_json "[(row['variant'], row['status'], row['reason']) for row in r['rows']][1:] == [('one-pass', 'ok', ''), ('assembled', 'skipped', 'has no single precision')]"

# Residuals in single leave the textbook's once they have fallen: that is rounding, no error.
bp run --problem bp5 --degree 3 --dofs 5000 --precision single --iterations 30 --backend cpu --threads 1 \
  --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.01 --no-figure
expect_exit 0

# To a tolerance single precision answers the system in double: with a preconditioner, of three components, on a GPU.
to_double="--precision single --tolerance 1e-8 --warp 0.2"
for case in "bp5 --backend cpu --degree 3" "bp3 --backend cpu --degree 3 --preconditioner jacobi" \
  "bp6 --backend cpu --degree 2" "bp5 --backend emulate --degree 2 --variants two-kernel"; do
  bp run $to_double --problem $case --elements 27 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.01 \
    --no-figure --format json
  expect_exit 0
  expect_json "[(row['status'], row['precision'], 2 <= row['outer_iterations'] < 6, row['applications'] == row['iterations'] + row['outer_iterations'], row['true_residual'] <= 1e-8, row['tolerance'] < 1e-10) for row in r['rows']] == [('ok', 'single', True, True, True, True)]"
done
# Factors, vectors and lists of both are counted.
for memory in "54.0 --tolerance 0" "109 --tolerance 1e-8"; do
  bp run --problem bp5 --degree 7 --dofs 300000 --precision single --backend cpu --dry-run ${memory#* }
  expect_stdout "^bp5 +7 .* ${memory%% *} MB  one-pass "
done
bp solve $to_double --problem bp5 --degree 3 --box 4x4x4 --backend cpu --output "$here/double"
expect_exit 0
expect_stdout '^cpu: [0-9]+ iterations in single precision within [2-5] iterations in double, residual [0-9.]+e-09 of the first'
bp apply --problem bp5 --degree 3 --box 4x4x4 --precision single --backend cpu --output "$here/applied"
expect_exit 0
expect_stdout 'error [0-9.]+e-0[78] of .v., tolerance 5\.2e-06'
# The residual grows for hundreds of iterations, which is no stall.
bp solve --problem bp5 --degree 1 --box 400x1x1 --fixed none --lambda 0.01 --precision single --tolerance 1e-6 \
  --backend cpu --output "$here/long"
expect_exit 0
expect_stdout '^cpu: [0-9]+ iterations in single precision within [2-8] iterations in double'
bp solve --problem bp5 --degree 3 --box 4x4x4 --geometry trilinear --precision single --iterations 20 --backend cpu \
  --output "$here/trilinear"
expect_exit 0
bp run $to_double --problem bp5 --backend cpu --preconditioner p-multigrid
expect_exit 2
expect_stderr '^precision: expected double with p-multigrid, whose cycles are in single precision unless `cycle` says double, found single$'
bp run $to_double --problem bp5 --backend cpu --ranks 2
expect_exit 2
expect_stderr 'tolerance: expected 0 for ranks in single precision, as iterations in double around it have none, found 1e-08$'
# Sums of floats by ranks are exact, too.
for ranks in 1 2 3; do
  bp solve --problem bp6 --degree 2 --box 4x5x3 --warp 0.2 --precision single --iterations 40 --backend cpu --variants one-pass-ranks \
    --ranks $ranks --output "$here/ranks$ranks"
  expect_exit 0
  expect_true "the bits of $ranks ranks" cmp "$here/ranks1-u.npy" "$here/ranks$ranks-u.npy"
done
