# run.sh -- `bp run` and `bp roofline`: what they write, and what stops them.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem bp1.0,bp3.5 --variants naive --degree 1..2 --box 2x2x2 --warp 0.2 $quick
expect_exit 0
expect_no_stderr
expect_no_stdout $'\e'
expect_stdout ' 1 +naive '
expect_stdout ' 2 +naive '

bp run --problem bp1.0,bp3.0,bp3.5 --variants naive --degree 1..2 --elements 8,27 $quick --format json --seed 5
expect_exit 0
expect_no_stderr
expect_json "r['schema'] == 2 and len(r['rows']) == 12 and not r['interrupted']"
expect_json "all(row['status'] == 'ok' and row['error'] <= row['tolerance'] for row in r['rows'])"
expect_json "all(row['nodes'] == row['elements'] * (row['degree'] + 1) ** 3 for row in r['rows'])"
expect_json "all(row['seconds']['min'] <= row['seconds']['median'] <= row['seconds']['max'] for row in r['rows'])"
expect_json "all(len(row['samples']) == row['seconds']['count'] for row in r['rows'])"
expect_json "all(abs(row['gflops'] - row['flops'] / row['seconds']['median'] / 1e9) < 1e-9 * row['gflops'] for row in r['rows'])"
expect_json "all(row['roofline_fraction'] is None if row['overhead_fraction'] > 0.2 or row['roofline_gflops'] is None else abs(row['roofline_fraction'] - row['gflops'] / row['roofline_gflops']) < 1e-9 for row in r['rows'])"
expect_json "all(row['copy']['waited'] is not None for row in r['rows'])"
expect_json "all(row['overhead_seconds'] > 0 and row['arithmetic_gflops'] > 0 and row['cache_bytes'] > 0 for row in r['rows'])"
expect_json "all(row['bound_fraction'] is None or row['bound_fraction'] <= 2 for row in r['rows'])"
expect_json "[b['name'] for b in r['bounds']] == ['fma']"
expect_json "{row['elements'] for row in r['rows']} == {8, 27}"
cp "$out" "$here/record.json"
python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["config"])' "$here/record.json" > "$here/again.yaml"
bp run "$here/again.yaml" --dry-run
expect_exit 0
expect_stdout '^12 rows '

bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format csv
expect_exit 0
expect_lines stdout 2
expect_stdout '^problem,variant,'
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format markdown
expect_exit 0
expect_stdout '^\|'
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --cache both --format csv
expect_exit 0
expect_lines stdout 3
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format json --output "$here/out.json"
expect_exit 0
expect_no_stdout
expect_true "a whole file" python3 -m json.tool "$here/out.json"

bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format json --output -
expect_exit 0
expect_json 'len(r["rows"]) == 1'

# a file that is there already is somebody's
cp "$here/out.json" "$here/before.json"
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format csv --output "$here/out.json"
expect_exit 2
expect_lines stderr 1
expect_stderr "^--output: expected a new file, found '$here/out.json', which is there already; --force replaces it\$"
expect_true "it is as it was" cmp "$here/out.json" "$here/before.json"
printf 'problem: bp1.0\nbox: 2x2x2\ndegree: 1\nbackend: cpu\nreport:\n  output: %s\n' "$here/out.json" > "$here/overwrites.yaml"
bp run "$here/overwrites.yaml" $quick
expect_exit 2
expect_stderr "overwrites.yaml:6:11: expected a new file, found '$here/out.json'"
bp roofline --backend cpu --problem bp1.0 --degree 1 --box 2x2x2 --output "$here/out.json"
expect_exit 2
expect_true "it is as it was" cmp "$here/out.json" "$here/before.json"
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format csv --output "$here/out.json" --force
expect_exit 0
expect_true "it is new" grep -q '^problem,' "$here/out.json"
for ending in csv json; do # the ending tells the format
  bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --output "$here/ending.$ending"
  expect_exit 0
  bp report "$here/ending.$ending"
  expect_exit 0
done
expect_true "CSV" grep -q '^problem,' "$here/ending.csv"
: > "$here/empty.json"
bp run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 $quick --format csv --output "$here/empty.json"
expect_exit 0

# said before hours of measuring, not after
bp run --problem bp1.0 --degree 1 --box 2x2x2 --backend cpu --set measure.max_time=3600 --set measure.min_time=3600 \
  --set measure.max_samples=1000000 --output "$here/nowhere/a"
expect_exit 3
expect_lines stderr 1
expect_stderr "^$here/nowhere/a: cannot be written: No such file or directory\$"
bp run --problem bp1.0 --degree 1 --box 2x2x2 $quick --output /dev/full
expect_exit 3
expect_stderr '^/dev/full: cannot be written: No space left on device$'
bp run --problem bp1.0 --variants nothing --dry-run --backend cpu
expect_exit 2
expect_lines stderr 1
expect_stderr "^--variants: expected the name or glob of a variant or a rung, 'best' or 'all', found 'nothing'"
bp run --problem bp1.0 --variants cube --dry-run --backend cpu
expect_exit 2
expect_stderr "^--variants: expected a variant that backend cpu can run, found 'cube', which is CUDA's: --backend cuda or emulate, or --variants best\$"
bp run --problem bp1.0,bp3.0 --degree 2,3 --box 4x4x4 --cache both --variant naive,simd --dry-run --backend cpu
expect_exit 0
expect_stdout '^16 rows .*[0-9] s to [0-9]+ s of samples'
expect_stdout ' 2 .* 729 '
bp run --problem bp1.0 --degree 1 --nodes 1e4..1e5 --dry-run --backend cpu
expect_exit 0
expect_stdout '^4 rows'
bp run --problem bp5,bp6 --degree 3 --nodes 1e6 --dry-run --backend cpu
expect_stdout '^bp6 +3 +box 25x25x25 '
bp run --problem bp3.5 --degree 1,15 --nodes auto --dry-run --backend cpu
expect_exit 0
expect_stdout '^2 rows'
bp run --problem bp1.0 --set options.nothing=1 --dry-run --backend cpu
expect_exit 2
expect_stderr "expected an option of some variant, found 'nothing'"
bp run --problem bp1.0 --mesh "$here/nowhere.msh" --backend cpu
expect_exit 2
expect_lines stderr 1
expect_stderr "^$here/nowhere.msh: cannot be opened: No such file or directory\$"
bp run --problem bp1.0 --mesh meshes/cube512.msh --group nobody --backend cpu
expect_exit 2
expect_lines stderr 1
expect_stderr '^meshes/cube512.msh: expected a physical group'

# no GPU: one helpful line where one was asked for, the CPU where it was left open
if ! command -v nvidia-smi > /dev/null; then
  bp run --problem bp1.0 --degree 1 --box 2x2x2 --backend cuda
  expect_exit 3
  expect_no_stdout
  expect_lines stderr 1
  expect_stderr '^cuda: .*--backend cpu'
  bp run --problem bp1.0 --degree 1 --box 2x2x2 --dry-run --backend auto
  expect_exit 0
  expect_lines stderr 1
  expect_stderr '^bp: running on the CPU'
fi

# Ctrl-C: what was measured is kept, and the file is whole
half_a_second="--problem bp1.0 --variants naive --box 4x4x4 --backend cpu --threads 1 --format json \
  --set measure.min_time=0.5 --set measure.max_time=0.5 --force --output $here/part.json"
start=$(date +%s%N)
bp run --degree 1 $half_a_second
rm "$here/part.json"
enough=$(($(date +%s%N) * 3 - start * 2)) # twice as long again as one of fifteen degrees took
bp_interrupted '[ "$(date +%s%N)" -gt $enough ]' run --degree 1..15 $half_a_second
expect_exit 130
cp "$here/part.json" "$out"
expect_json "r['interrupted'] and 1 <= len(r['rows']) < 15"

bp roofline --problem bp3.5 --degree 1,2 --box 4x4x4 $quick
expect_exit 0
expect_stdout ' N  variant .* copy GB/s +copy .* arithm\. +core +GFLOPS +of copy +of bound  least bound'
expect_stdout '^bounds above are in GFLOPS of the model$'
expect_stdout '^  fma +[0-9.]+ GFLOPS \(measured\)$'
bp roofline --problem bp3.0 --degree 1,2 --quadrature N+1,N+2 --box 4x4x4 $quick
expect_exit 0
expect_equal "a table for each number of points" "$(grep -oE '^bp3\.0( .* gauss)?|^.[ a-z] [12] ' "$out" |
  sed -E 's/^bp.*gauss$/gauss/; s/^.[ a-z] //' | tr '\n' ' ')" "gauss 1  2  bp3.0 1  2  "
bp roofline --problem bp3.5 --degree 1 --box 4x4x4 $quick --format json
expect_exit 0
expect_json "any(b['name'] == 'fma' and b['value'] > 0 for b in r['bounds'])"
bp roofline bp3.5
expect_exit 2
expect_stderr "^bp roofline: expected options only, found 'bp3.5'"
bp roofline --degree 16
expect_exit 2
expect_stderr "^--degree: expected whole numbers"

# A run that fits nowhere has measured nothing, and says so beside its rows.
bp run --problem bp1.0 --box 1000x1000x100 --degree 7 --backend cpu
expect_exit 3
expect_stdout 'skipped: bp1\.0 N=7 on 100000000 elements needs [0-9.]+ TB of memory'
expect_stderr '^nothing was measured: bp1\.0 N=7 on 100000000 elements needs'

# ---- what only a GPU can do ----

bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --device 1 --dry-run
expect_exit 0
expect_stderr "^--device: 'device' is without effect on backend cpu\$"
bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --launch graph --dry-run
expect_exit 0
expect_stderr "^--launch: 'launch' is without effect on backend cpu\$"
bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --device 0 --launch stream --dry-run
expect_exit 0
expect_no_stderr
if ! [ -e /dev/nvidiactl ]; then
  bp run --problem bp1.0 --degree 1 --box 1x1x1 --launch graph --dry-run
  expect_exit 0
  expect_stderr "^--launch: 'launch' is without effect on backend cpu\$"
fi

# An emulator's times are none.
bp run --problem bp1.0 --degree 1 --box 1x1x2 --backend emulate --variants global --no-figure
expect_exit 0
expect_stdout '^emulated: results are verified, times mean nothing$'
expect_no_stdout '[0-9] [mu]s'
bp run --problem bp1.0 --degree 1 --box 1x1x2 --backend emulate --variants global --format json
expect_exit 0
expect_json "all(row['status'] == 'ok' and row['seconds']['count'] == 0 and row['gflops'] is None and row['gdofs_per_second'] is None for row in r['rows'])"

# Without a terminal progress is told while one case takes long, too.
export BP_PROGRESS=0.02
bp run --problem bp1.0 --variants naive --degree 1 --box 4x4x4 --backend cpu --threads 1 --set measure.min_time=1 --set measure.max_time=1
unset BP_PROGRESS
expect_exit 0
expect_true "three lines of timing" test "$(grep -c '^\[1/1\] bp1.0 N=1, 64 elements: timing$' "$err")" -ge 3

# Rows are printed as they are done: those of N = 1 while N = 2 takes its second.
for command in 'run pipe' 'run terminal' 'roofline pipe'; do
  expect_equal "the table of bp ${command% *} grows in a ${command#* }:" "$(python3 tests/cli/grows.py ${command#* } "$BP" \
    ${command% *} --problem bp1.0 --set variants=naive --degree 1..2 --box 2x2x2 --backend cpu --threads 1 \
    --set measure.min_time=2 --set measure.max_time=2)" yes
done

# One record of two backends, in one command; what is resumed is measured where it was.
two="--problem bp1.0 --degree 1,2 --box 2x2x1 --backend cpu,emulate --set measure.max_time=0.02 --set measure.min_time=0"
bp run $two --output "$here/two.json" --force
expect_exit 0
bp report "$here/two.json"
expect_stdout '^bp1.0 on box 2x2x1 · 4 elements · .* \(cpu\) · hot$'
expect_stdout '^bp1.0 on box 2x2x1 · 4 elements · emulated GPU \(emulate\) · hot$'
cp "$here/two.json" "$out"
expect_json "[(row['backend'], row['degree'], row['status']) for row in r['rows']] == [(b, n, 'ok') for b in ('cpu', 'emulate') for n in (1, 2)]"
expect_json "r['environment']['backend'] == 'cpu' and r['environment']['backend (emulate)'] == 'emulate' and r['command'].count('bp') < 4"
python3 - "$here/two.json" << 'END'
import json, sys
r = json.load(open(sys.argv[1]))
del r["rows"][3], r["rows"][1]
json.dump(r, open(sys.argv[1], "w"))
END
bp run --resume "$here/two.json"
expect_exit 0
cp "$here/two.json" "$out"
expect_json "sorted((row['backend'], row['degree']) for row in r['rows']) == [(b, n) for b in ('cpu', 'emulate') for n in (1, 2)]"
bp run $two --format csv
expect_equal "one head and four rows:" "$(grep -vc '^#' "$out")" 5
bp run $two --ranks 2
expect_exit 2
expect_stderr '^--backend: expected one backend, found 2 of them$'
expect_lines stderr 1
for command in 'run --backend auto,cpu --dry-run' 'apply --backend cpu,emulate --output o' 'tune --backend cpu,cuda'; do
  bp $command --problem bp1.0 --degree 1 --box 2x2x1
  expect_exit 2
  expect_stderr '^--backend: expected (one backend, found 2 of them|auto alone, found it in a list)$'
done

# lanes that have no element
bp run --problem bp3.5 --variants simd --degree 1 --box 3x1x1 --isa base $quick
expect_exit 0
expect_stderr '^bp: bp3\.5 N=1: 3 elements on 4 lanes leave 25 % of them empty$'
bp run --problem bp3.5 --variants naive --degree 1 --box 3x1x1 --isa base $quick
expect_no_stderr 'lanes'
