# apply.sh -- `bp apply`: files, messages, and results recomputed by another program.
box="--backend cpu --box 2x1x1 --warp 0.4 --lambda 2 --output $here/o"

# every operator, recomputed from coordinates and u alone
for problem in bp1.0 bp3.0 bp3.5; do
  for degree in 1 2; do
    bp apply --force --problem $problem --degree $degree $box
    expect_exit 0
    if [ $problem = bp1.0 ]; then expect_stderr "^--lambda: 'lambda' is without effect on bp1.0$"; else expect_no_stderr; fi
    expect_stdout '^seed 1$'
    expect_stdout "^$problem, degree $degree, lambda 2, 2 elements of box 2x1x1"
    expect_stdout 'error [0-9.e-]+ of \|v\|, tolerance [0-9.e-]+$'
    n=$((degree + 1))
    expect_stdout "^wrote $here/o-x.npy \\(2, $n, $n, $n, 3\\)\$"
    expect_stdout "^wrote $here/o-v.npy \\(2, $n, $n, $n\\)\$"
    expect_true "another program finds the same v" python3 tests/cli/apply.py $problem 2 "$here/o"
  done
done
expect_true "another operator is told apart" eval "! python3 tests/cli/apply.py bp3.0 2 '$here/o'"
expect_true "another lambda is told apart" eval "! python3 tests/cli/apply.py bp3.5 2.001 '$here/o'"

# the last axis is r, and the box's elements count along x first
bp apply --force --problem bp3.5 --degree 1 --backend cpu --box 2x1x1 --output "$here/straight"
expect_exit 0
found=$(python3 - "$here/straight-x.npy" << 'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
print(*struct.unpack("<48d", data[-48 * 8 :])[:15])
END
)
expect_equal "the first nodes of a straight box" "$found" \
  "0.0 0.0 0.0 0.5 0.0 0.0 0.0 1.0 0.0 0.5 1.0 0.0 0.0 0.0 1.0"

# the same seed, the same numbers; u read back gives the same v
bp apply --force --problem bp3.0 --degree 3 $box --seed 7
cp "$here/o-u.npy" "$here/u.npy"
cp "$here/o-v.npy" "$here/v.npy"
bp apply --force --problem bp3.0 --degree 3 $box --seed 7
expect_true "a seed repeats itself" cmp "$here/o-v.npy" "$here/v.npy"
bp apply --force --problem bp3.0 --degree 3 $box --seed 8
expect_true "another seed is another u" eval "! cmp '$here/o-u.npy' '$here/u.npy'"
bp apply --force --problem bp3.0 --degree 3 $box --u "$here/u.npy"
expect_exit 0
expect_no_stdout '^seed'
expect_stdout 'of \|A\|\|u\|, tolerance'
expect_true "u is what was given" cmp "$here/o-u.npy" "$here/u.npy"
expect_true "the same u, the same v" cmp "$here/o-v.npy" "$here/v.npy"
bp apply --force --problem bp3.0 --degree 3 $box --u "$here/u.npy" --variants reference
expect_exit 0
expect_stdout '^reference .* error 0 of'

# a constant without lambda: nothing but rounding errors is left, and that is right
python3 - "$here" << 'END'
import struct, sys
for name, value in (("one", 1.0), ("nan", float("nan"))):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 9, 9, 9), }".ljust(117) + b"\n"
    with open("%s/%s.npy" % (sys.argv[1], name), "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        f.write(struct.pack("<1458d", *([1.0] * 1000 + [value] * 458)))
END
one="--backend cpu --box 2x1x1 --output $here/one-out"
bp apply --force --problem bp3.5 --degree 8 $one --lambda 0 --u "$here/one.npy"
expect_exit 0

# what is refused
bp apply --force --problem bp3.5 --degree 8 $one --u "$here/nan.npy"
expect_exit 2
expect_stderr "nan.npy: expected finite numbers, found -?nan at index 1000\$"
bp apply --force --problem bp3.5 --degree 6 $one --u "$here/one.npy"
expect_exit 2
expect_stderr 'one.npy: expected shape \(2, 7, 7, 7\), found \(2, 9, 9, 9\)$'
bp apply --force --problem bp3.5 --degree 6 $one --u "$here/none.npy"
expect_exit 2
expect_stderr 'none.npy: cannot be opened: No such file'
bp apply --force --problem bp3.5 --degree 6 $one --u README.md
expect_exit 2
expect_stderr 'README.md: (expected a .npy file, found something else|cannot be opened.*)$'
bp apply --force --degree 3 --box 1x1x1 --output "$here/x"
expect_exit 2
expect_lines stderr 1
bp apply --force --problem bp1.0,bp3.0 --degree 3 --box 1x1x1 --output "$here/x"
expect_exit 2
expect_stderr '^bp apply: --problem: expected one problem, found 2 of them$'
bp apply --force --problem bp1.0 --box 1x1x1 --output "$here/x"
expect_exit 2
expect_stderr '^bp apply: --degree: expected one degree, found 15 of them$'
bp apply --force --problem bp1.0 --degree 3 --output "$here/x"
expect_exit 2
expect_stderr '^bp apply: expected --mesh FILE or --box AxBxC, found neither$'
bp apply --force --problem bp1.0 --degree 3 --box 1x1x1 --output "$here/none/x" # said before anything is computed
expect_exit 3
expect_no_stdout
expect_stderr "^$here/none/x-x.npy: cannot be written: No such file or directory\$"
bp apply --force --problem bp1.0 --degree 3 --box 1x1x1
expect_exit 2
expect_stderr '^bp apply: expected --output PREFIX, found none$'
bp apply --force --problem bp1.0 --degree 3 --box 1x1x1 --backend cpu --variants all --output "$here/all"
[ "$code" = 0 ] || expect_stderr '^bp apply: --variants: expected one variant, found [0-9]+ of them$'
bp apply --force --problem bp1.0 --degree 3 --box 1x1x1 --backend cpu --variants xylophone --output "$here/x"
expect_exit 2
expect_lines stderr 1
bp apply --force --problem bp1.0 --degree 3 --mesh "$here/none.msh" --backend cpu --output "$here/x"
expect_exit 2
expect_stderr 'none.msh'
expect_true "nothing was written" [ ! -e "$here/x-v.npy" ]

# the environment
bp apply --force --problem bp1.0 --degree 3 --box 1x1x1 --backend cpu --output "$here/no/such/folder"
expect_exit 3
expect_stderr 'no/such/folder-x.npy: cannot be written: No such file or directory$'
bp apply --force --problem bp3.5 --degree 15 --box 200x200x200 --backend cpu --output "$here/x"
expect_exit 3
expect_stderr '^memory: bp apply needs [0-9.]+ TB for vectors beside the factors. 1.84 TB, available: [0-9.]+ [MG]B$'

# another program's v is judged, where bp's would stand, and no file is written
mine="--problem bp3.5 --degree 3 --box 2x1x1 --warp 0.2"
bp apply --force $mine --output "$here/ours" --variants reference
bp apply $mine --v "$here/ours-v.npy"
expect_exit 0
expect_stdout "^$here/ours-v.npy: error 0 of \|v\|, tolerance"
expect_no_stdout '^wrote'
bp apply $mine --v "$here/ours-v.npy" --lambda 1.001
expect_exit 1
expect_stdout "^$here/ours-v.npy: error [1-9.]+e-0[2-7] of \|v\|, tolerance"
expect_stderr '^bp apply: error .*, tolerance .*; worst at element [01] of 2, node \(i [0-3], j [0-3], k [0-3]\): expected '
bp apply $mine --v "$here/ours-v.npy" --u "$here/ours-u.npy" --seed 9
expect_exit 0
expect_stdout ': error 0 of \|A\|\|u\|, tolerance'
bp apply $mine --v "$here/ours-x.npy"
expect_exit 2
expect_stderr "^$here/ours-x.npy: expected .*\(2, 4, 4, 4\)"
bp apply $mine --v "$here/ours-v.npy" --backend cpu
expect_exit 2
expect_stderr '^bp apply: --v: expected neither --variants nor --backend beside it, found --backend'
bp apply --force --problem bp2 --degree 2 --box 2x2x2 --output "$here/two"
bp apply --problem bp2 --degree 2 --box 2x2x2 --v "$here/two-v.npy"
expect_exit 0
bp apply --problem bp2 --degree 2 --box 2x2x2 --warp 0.1 --v "$here/two-v.npy"
expect_exit 1
expect_stderr 'worst at unknown '

# factors of a box of elements 1/2 x 1 x 1: the weights add up to its volume, and rr is 16 W, ss 4 W
bp apply --force --problem bp3.0 --degree 2 --box 2x1x1 --output "$here/f" --save-factors --backend cpu
expect_exit 0
expect_stdout "^wrote $here/f-factors.npy \(2, 7, 4, 4, 4\)\$"
expect_true "factors are W J^-1 J^-T and W" python3 - "$here/f-factors.npy" << 'EOF'
import struct, sys
f = struct.unpack("<896d", open(sys.argv[1], "rb").read()[-896 * 8 :])
rr, rs, rt, ss, st, tt, W = ([f[448 * e + 64 * c + q] for e in (0, 1) for q in range(64)] for c in range(7))
near = lambda a, b: abs(a - b) < 1e-14
sys.exit(not (near(sum(W), 1) and all(near(x, 16 * w) for x, w in zip(rr, W)) and not any(rs + rt + st)
              and all(near(x, 4 * w) and near(y, 4 * w) for x, y, w in zip(ss, tt, W))))
EOF
bp apply --problem bp3 --degree 2 --box 2x1x1 --output "$here/g" --save-factors
expect_exit 2
expect_stderr '^bp apply: --save-factors: expected bp1\.0, bp3\.0 or bp3\.5, found bp3$'

# what docs/your-code.md shows, where there is NumPy
if python3 -c 'import numpy' 2> /dev/null; then
  where="--degree 3 --box 3x3x3 --warp 0.2"
  sed -n '/^```python/,/^```$/p' docs/your-code.md | grep -v '^```' > "$here/mine.py"
  bp apply --problem bp3.5 $where --output "$here/a" --save-factors --variants reference
  bp solve --problem bp5 $where --iterations 20 --backend cpu --output "$here/s"
  expect_true "the page's residual is bp's" eval "(cd '$here' && python3 mine.py) | awk '{ exit !(\$NF > 0 && (\$7 - \$NF)^2 < 1e-20 * \$NF^2) }'"
  bp apply --problem bp3.5 $where --v "$here/mine.npy"
  expect_exit 0
fi
