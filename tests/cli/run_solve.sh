# run_solve.sh -- `bp run` of whole solves: rows, their fields, what is wrong, what is refused.

quick="--set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.01 --set measure.min_samples=2"
emulate="--backend emulate $quick"

# rows and their fields, in every format
bp run --problem bp3,bp6 --degree 2 --box 2x2x1 --warp 0.3 --variant one-pass --set iterations=5 --backend cpu $quick \
  --format json --output "$here/r.json"
expect_exit 0
expect_true "the schema" python3 tests/cli/schema.py "$here/r.json"
expect_true "what the fields say" python3 - "$here/r.json" <<'PYTHON'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [r["problem"] for r in rows] == ["bp3", "bp6"]
for r, fields in zip(rows, (1, 3)):
    assert r["status"] == "ok" and r["iterations"] == 5 and r["lambda"] == 0
    assert r["dofs"] == fields * 3 * 3 * 1  # 5x5x3 nodes, those of the boundary fixed
    assert abs(r["true_residual"] - r["residual"]) < 1e-3 * r["residual"] and r["residual"] < 1
    assert 0 < r["solution_error"] < 0.5
    assert r["least_bytes"] < r["bytes"] and r["gdofs_per_second"] > 0
    assert abs(r["gdofs_per_second"] * r["seconds"]["median"] * 1e9 / r["dofs"] - 1) < 1e-9
    assert (r["least_fraction"] is None) == (r["roofline_fraction"] is None)  # in cache
    points = 4 if r["problem"] == "bp3" else 3
    assert r["least_bytes"] == 56 * fields * 75 + 8 * 6 * points**3 * 4
PYTHON
for format in markdown csv html svg; do
  bp report "$here/r.json" --$format "$here/r.$format"
  expect_exit 0
done
bp report "$here/r.json"
expect_stdout '^ *N .* iterations .* GDOF/s .* residual .* L2 error( +note)?$'
bp report "$here/r.csv"
expect_exit 0
expect_stdout ' iterations '
bp compare "$here/r.json" "$here/r.json"
expect_exit 0
bp roofline --problem bp5 --degree 2 --box 2x2x1 --backend cpu $quick
expect_exit 0
expect_stdout '^ +N .* least +GFLOPS +of copy +of least +of bound  least bound'
expect_stdout '^least: .* its factors and 56 bytes an unknown$'

# a tolerance ends a solve early, or the solve is wrong
bp run --problem bp1 --degree 2 --box 2x2x2 --set tolerance=1e-6 $emulate --format csv
expect_exit 0
bp run --problem bp5 --degree 3 --box 2x2x2 --set tolerance=1e-6 --set iterations=3 $emulate
expect_exit 1
expect_stdout 'WRONG: expected a residual of 1e-06 of the first within 3 iterations, found'

# preconditioned with the diagonal; `bp check` compares its iterations with the textbook's
bp run --problem bp4 --degree 2 --box 2x2x1 --preconditioner jacobi --set iterations=4 $emulate
expect_exit 0
cpu="--problem bp5 --degree 3 --box 3x2x2 --backend cpu --threads 2 --set iterations=4 $quick"
bp run $cpu --variants one-pass,unfused --format json --output "$here/plain.json"
expect_exit 0
bp run --resume "$here/plain.json" --preconditioner jacobi
expect_exit 0
cp "$here/plain.json" "$out"
expect_json "[(row['variant'], row['preconditioner'], row['status']) for row in r['rows']] == [('one-pass', '', 'ok'),
  ('unfused', '', 'ok'), ('one-pass', 'jacobi', 'ok'), ('unfused', 'jacobi', 'ok')]"
bp report "$here/plain.json"
expect_stdout '^bp5 . jacobi on box 3x2x2'
bp compare "$here/plain.json" "$here/plain.json"
expect_exit 0
expect_stdout '^bp5 jacobi  +3  one-pass'
bp run --resume "$here/plain.json" --set lambda=0.5
expect_exit 0
cp "$here/plain.json" "$out"
expect_json "[(row['lambda'], row['preconditioner']) for row in r['rows'][3:]] == [(0, 'jacobi')] + 2 * [(0.5, '')]"
bp run --problem bp5 --degree 2 --box 2x2x1 --preconditioner ilu $emulate
expect_exit 2
expect_stderr 'expected one of none, jacobi, p-multigrid, found .?ilu'

# right-hand sides; the L2 error is of the known solution only
solve="--problem bp3 --degree 2 --box 2x2x2 --backend cpu"
bp run $solve $quick --rhs constant --set iterations=3 --format json --output "$here/c.json"
expect_exit 0
expect_true "no solution is known" grep -q '"solution_error": null' "$here/c.json"
bp solve $solve --rhs constant --iterations 3 --output "$here/c"
expect_exit 0
bp run $solve $quick --rhs "$here/c-f.npy" --set iterations=3 --format json --output "$here/f.json"
expect_exit 0
expect_true "the same f from a file, the same residual" python3 - "$here/c.json" "$here/f.json" <<'PYTHON'
import json, sys
c, f = (json.load(open(p))["rows"][0] for p in sys.argv[1:])
assert c["status"] == f["status"] == "ok" and c["true_residual"] == f["true_residual"] and f["solution_error"] is None
PYTHON
bp run $solve $quick --rhs "$here/c-u.npy" --degree 3
expect_exit 2
expect_stderr 'c-u.npy: expected shape \(343,\), found \(125,\)$'
bp run $solve $quick --rhs constnt
expect_exit 2
expect_stderr '^constnt: cannot be opened'

# how large a solve must be
bp run --problem bp5 --degree 2 --dofs 1e2,1e3,1e4 --backend cpu --set iterations=5 $quick
expect_exit 0
expect_stdout '^bp5 N=2: T0 .*, highest rate [0-9.]+ GDOF/s(, 80 % of it at n0.8 [0-9.]+( [kMG])? DOFs, t0.8 .*|, which larger sizes may pass)?$'

# bytes beforehand
bp run --problem bp5 --degree 7 --dofs 20M --backend emulate --dry-run
expect_stdout '^bp5 +7  box 38x39x39 +57798 +20045292 .* two-kernel\[.*\] 1[45][0-9]\.[0-9] B/DOF'
bp run --problem bp5 --degree 3 --elements 216 --set kershaw=0.3 --backend emulate --dry-run
expect_stdout ' kershaw 6x6x6, linear, epsilon 0.3 '

# an operator that is wrong by little: no rate, exit 1
mkdir -p "$here/kernels/lib/operator"
cp -r kernels/solve "$here/kernels"
sed 's/\*t = f2 \* a + f4 \* b + f\[5 \* step\] \* c;/*t = f2 * a + f4 * b + (1 + 1e-3) * f[5 * step] * c;/' kernels/lib/operator/flux.h > "$here/kernels/lib/operator/flux.h"
BP_KERNEL_DIR=$here/kernels bp run --problem bp5 --degree 3 --box 2x2x2 --variant two-kernel $emulate --format json \
  --output "$here/w.json"
expect_exit 1
expect_true "it is told, without a rate" grep -q '"gdofs_per_second": null.*"status": "wrong", "reason": "the true residual is' "$here/w.json"

bp check --backend emulate bp5/two-kernel --degree 2 --elements 2 --set options.elements_per_block=1
expect_exit 0
expect_stdout '^1 passed, 0 failed$'
BP_KERNEL_DIR=$here/kernels bp check --backend emulate bp5/two-kernel --degree 2 --elements 2 --set options.elements_per_block=1
expect_exit 1
expect_stdout '^FAIL +bp5/two-kernel .*N=2, 2 elements: bp5, lambda [02]\.5, jacobi: . iterations differ by .*, tolerance 1e-11$'
bp check --backend cpu 'bp?/unfused' --degree 2 --elements 3
expect_exit 0

# what is refused
refuse() {
  bp run --degree 3 $emulate "$@"
  expect_exit 2
  expect_lines stderr 1
}
refuse --problem bp5 --mesh meshes/pipe.msh --set kershaw=0.3
expect_stderr 'kershaw: expected it with a box only, found a mesh from a file$'
refuse --problem bp5 --box 2x2x2 --set iterations=0
expect_stderr 'expected a whole number, 1 to 1000000, found .?0'
refuse --problem bp5 --box 2x2x2 --set iterations=1000001
# before anything runs or is allocated
for dry in "" --dry-run; do
  refuse --problem bp3 --box 2x2x2 --set fixed=none $dry
  expect_stderr '^box 2x2x2: expected a fixed boundary or lambda > 0 for bp3, found nothing fixed and lambda 0: the operator is singular$'
  expect_no_stdout
  refuse --problem bp5 --box 2x2x2 --set fixed=wall $dry
  expect_stderr '^box 2x2x2: expected a physical group of surfaces \(the mesh has none\), found "wall"$'
  refuse --problem bp1 --dofs 1.5e9 $dry
  expect_stderr '^bp1: expected fewer than 2\^31 nodes on surfaces of elements for kernels of GPUs, found 31[0-9]+ \(degree 3, [0-9]+ elements\)$'
  refuse --problem bp6 --box 1000x1000x1000 $dry
  expect_stderr '^box 1000x1000x1000: expected fewer than 2\^31 unknowns, found 27027009001 \(degree 3, 1000000000 elements\)$'
done
refuse --problem bp3 --mesh meshes/pipe.msh --set fixed=outlet --dry-run
expect_stderr 'found "outlet"; did you mean .inlet.\?$'
bp run --problem bp3 --degree 2 --box 2x2x2 --set fixed=none --lambda 0.5 --set iterations=3 $emulate
expect_exit 0

# lambda is of problems with a mass term; a wave beside them has none
bp run --problem wave --degree 2 --box 2x2x2 --lambda 3 --backend cpu --set measure.max_time=0 --set measure.min_samples=1 --format json
expect_exit 0
expect_json '[row["status"] for row in r["rows"]] == ["ok"] and r["rows"][0]["lambda"] == 0'
expect_stderr "^--lambda: 'lambda' is without effect on wave\$"
bp run --problem bp1.0,bp3 --degree 2 --box 2x2x2 --lambda 3 --species 4 --backend cpu --dry-run
expect_exit 0
expect_stderr "^--species: 'species' is without effect on bp1\.0\$"
expect_lines stderr 1
bp run --problem bp3.5 --degree 2 --box 2x2x2 --preconditioner jacobi --dry-run
expect_exit 2
expect_stderr '^--preconditioner: expected one of bp1 to bp6, which are solved, found bp3\.5$'

# keys of solves are options; where they are not, the message says how to set them
bp run --problem bp3 --degree 2 --mesh meshes/pipe.msh --fixed inlet --iterations 40 --tolerance 0.9 $emulate
expect_exit 0
expect_stdout '^ +2 +two-kernel +684 +1 '
bp run --problem bp5 --degree 1 --box 6x2x2 --kershaw 0.5 --dry-run --backend cpu
expect_exit 0
expect_stdout '^bp5 +1 +kershaw 6x2x2, linear, epsilon 0.5 '
bp roofline --problem bp5 --iterations 5
expect_exit 2
expect_stderr "^bp roofline: unknown option '--iterations'; did you mean '--set iterations=\.\.\.'\?\$"

# with nothing to solve for there is no row, and no kernel is blamed
bp run --problem bp5 --degree 1,2 --box 3x3x1 --iterations 3 $emulate
expect_exit 0
expect_stdout '^ +1 +two-kernel +skipped: all unknowns are fixed$'
expect_stdout '^ +2 +two-kernel +25 +3 '
: > "$here/any.npy"
bp run --problem bp3 --degree 2 --box 2x2x2 --ranks 2 --rhs "$here/any.npy" --backend cpu
expect_exit 2
expect_stderr "^rhs: expected manufactured or constant with several ranks, found '$here/any.npy'\$"

# what setting up took is in the record
bp run --problem bp5,bp3.5 --degree 5 --box 6x6x6 --backend cpu --threads 1 --iterations 5 --format json \
  --set measure.max_time=0.01
expect_exit 0
expect_json "all(x['stages'][k] > 0 for x in r['rows'] for k in ('mesh', 'geometry', 'load', 'device', 'verification'))"
expect_json "r['rows'][0]['stages']['unknowns'] > 0 and r['rows'][1]['stages']['unknowns'] is None"

# Of one unknown a solve is at its end at once: what predicts beta makes nothing of its rounding errors
one="--problem bp3 --degree 1 --box 2x2x2 --set measure.max_time=0.01 --set measure.warmup=0"
for lambda in 0 0.5 1 4; do # some of which would diverge
  bp run $one --lambda $lambda --iterations 200 --backend cpu --threads 1 --variants one-pass,one-pass-ranks
  expect_exit 0
done
bp run $one --iterations 60 --backend emulate --variants merged,merged-atomic,predicted,one-kernel
expect_exit 0

# A signal ends a solve between two of its iterations, of which these would take days; with ranks at the same one.
long="--problem bp5 --box 12x12x12 --backend cpu --threads 1"
for ranks in 1 2; do
  BP_PROGRESS=0.1 bp_interrupted 'grep -q "verifying" "$err"' run $long --degree 9 --ranks $ranks --iterations 1000000
  expect_exit 130
done

# What was timed, and not yet verified again, is kept.
BP_PROGRESS=0.1 bp_interrupted 'grep -q "timing" "$err" && sleep 1' run $long --degree 1 --iterations 10 \
  --output "$here/cut.json" --set measure.max_time=1000 --set measure.min_time=1000 --set measure.warmup=0
expect_exit 130
cp "$here/cut.json" "$out"
expect_json "r['interrupted'] and r['rows'][0]['stopped'] == 'interrupted' and r['rows'][0]['error'] < 1e-9"
