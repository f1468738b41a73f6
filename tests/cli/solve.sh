# solve.sh -- `bp solve`, and `bp apply` of bp1 to bp6: files, messages, and results checked by another program.
box="--box 3x2x2 --warp 0.4 --output $here/o"

# every problem, solved and checked with another operator
for problem in bp1 bp2 bp3 bp4 bp5 bp6; do
  bp solve --force --problem $problem --degree 2 $box --lambda 0.5 --tolerance 1e-11
  expect_exit 0
  expect_no_stderr
  expect_stdout "^$problem, degree 2, lambda 0.5, 12 elements of box 3x2x2: 175 unknowns"
  expect_stdout '^reference: [0-9]+ iterations, residual [0-9.e-]+ of the first, true [0-9.e-]+$'
  expect_stdout '^L2 error [0-9.e-]+, of the solution.s norm 0\.[0-9]+$'
  expect_stdout "^wrote $here/o-ids.npy \\(12, 3, 3, 3\\)\$"
  expect_true "another program finds A u = f" \
    python3 tests/cli/solve.py solve $problem 0.5 2e-11 "$here/o"
  bp apply --force --problem $problem --degree 2 $box --lambda 0.5 --seed 3 --backend cpu
  expect_exit 0
  expect_stdout ' on .*: error [0-9.e-]+ of \|v\|, tolerance 1e-11$'
  expect_true "another program finds the kernels' v = A u" \
    python3 tests/cli/solve.py apply $problem 0.5 1e-12 "$here/o"
  bp apply --force --problem $problem --degree 2 $box --lambda 0.5 --seed 3
  expect_exit 0
  expect_stdout '^seed 3$'
  expect_true "another program finds v = A u" \
    python3 tests/cli/solve.py apply $problem 0.5 1e-13 "$here/o"
done
expect_true "another lambda is told apart" eval "! python3 tests/cli/solve.py apply bp6 0.6 1e-13 '$here/o'"

# u read back gives the same v
cp "$here/o-u.npy" "$here/u.npy"
cp "$here/o-v.npy" "$here/v.npy"
bp apply --force --problem bp6 --degree 2 $box --lambda 0.5 --u "$here/u.npy"
expect_exit 0
expect_no_stdout '^seed'
expect_true "the same u, the same v" cmp "$here/o-v.npy" "$here/v.npy"

# iterations: 100 unless something else is said
bp solve --force --problem bp5 --degree 3 $box
expect_exit 0
expect_stdout '^reference: 100 iterations, '
expect_stdout "^wrote $here/o-residuals.npy \\(101\\)\$"
bp solve --force --problem bp5 --degree 3 $box --iterations 4 --preconditioner jacobi --rhs constant
expect_exit 0
expect_stdout '^reference: 4 iterations with jacobi, '
expect_no_stdout 'L2 error'
expect_stdout "^wrote $here/o-residuals.npy \\(5\\)\$"
bp solve --force --problem bp5 --degree 3 $box --iterations 4 --tolerance 1e-6
expect_exit 1
expect_stderr '^bp solve: expected a residual of 1e-06 of the first within 4 iterations, found [0-9.]+$'

# kernels stop where the reference does
bp solve --force --problem bp3 --degree 2 $box --tolerance 1e-7
expect_exit 0
stops=$(grep -oE ': [0-9]+ iterations' "$out")
for backend in cpu 'cpu --ranks 2' 'emulate --variants two-kernel' 'emulate --variants one-kernel'; do
  bp solve --force --problem bp3 --degree 2 $box --tolerance 1e-7 --backend $backend
  expect_exit 0
  expect_stdout "$stops, residual [1-9][0-9.]*e-08 of the first"
  expect_true "no more residuals are written" [ "$(stat -c %s "$here/o-residuals.npy")" -lt 600 ]
done
bp solve --force --problem bp3 --degree 2 $box --tolerance 1e-7 --iterations 3 --backend cpu
expect_exit 1
expect_stderr '^bp solve: expected a residual of 1e-07 of the first within 3 iterations, found [0-9.]+$'

# a right-hand side of one's own: the one just written
bp solve --force --problem bp3 --degree 2 $box
cp "$here/o-u.npy" "$here/u.npy"
cp "$here/o-f.npy" "$here/f.npy"
bp solve --force --problem bp3 --degree 2 $box --rhs "$here/f.npy"
expect_exit 0
expect_no_stdout 'L2 error'
expect_true "the same f, the same u" cmp "$here/o-u.npy" "$here/u.npy"
bp solve --force --problem bp3 --degree 3 $box --rhs "$here/f.npy"
expect_exit 2
expect_stderr 'f.npy: expected shape \(490,\), found \(175,\)$'
bp solve --force --problem bp4 --degree 2 $box --rhs "$here/f.npy"
expect_exit 2
expect_stderr 'f.npy: expected shape \(175, 3\), found \(175,\)$'
python3 - "$here" << 'END'
import struct, sys
data = bytearray(open(sys.argv[1] + "/f.npy", "rb").read())
data[-8:] = struct.pack("<d", float("nan"))
open(sys.argv[1] + "/nan.npy", "wb").write(data)
END
bp solve --force --problem bp3 --degree 2 $box --rhs "$here/nan.npy"
expect_exit 2
expect_stderr 'nan.npy: expected finite numbers, found -?nan at index 174$'
bp solve --force --problem bp3 --degree 2 $box --rhs manufactord
expect_exit 2
expect_stderr '^manufactord: cannot be opened: No such file'

# elements stand in the ids as in the file, whatever order bp works in
bp mesh box --force --elements 3x3x3 --output "$here/box.msh"
bp solve --force --problem bp1 --degree 1 --mesh "$here/box.msh" --output "$here/m"
expect_exit 0
found=$(python3 - "$here/m" << 'END'
import sys
sys.path.insert(0, "tests/cli")
import apply
_, x = apply.read_npy(sys.argv[1] + "-x.npy")
_, ids = apply.read_npy(sys.argv[1] + "-ids.npy")
print(*(round(3 * t) for e in range(27) for t in x[3 * ids[8 * e] : 3 * ids[8 * e] + 3]))
END
)
expect_equal "first corners of the elements" "$found" "$(python3 -c \
  'print(*(t for k in range(3) for j in range(3) for i in range(3) for t in (i, j, k)))')"

# physical groups of surfaces; curved elements
bp mesh info meshes/pipe.msh
expect_stdout '^physical surface +3 "inlet", 12 quadrilaterals$'
bp solve --force --problem bp3 --degree 4 --mesh meshes/pipe.msh --fixed inlet --tolerance 1e-9 --output "$here/p"
expect_exit 0
expect_stdout ': 5225 unknowns, 209 of them fixed$'
expect_stdout '^L2 error 0\.00029'
bp solve --force --problem bp3 --degree 4 --mesh meshes/pipe.msh --fixed inlet,outlet --output "$here/p"
expect_exit 2
expect_stderr '^meshes/pipe.msh: expected a physical group of surfaces \(3 "inlet"\), found "outlet"; did you mean .inlet.\?$'

# Kershaw's mesh
bp mesh kershaw --force --elements 6x4x4 --epsilon 0.3 --output "$here/k.msh"
expect_exit 0
bp mesh info "$here/k.msh"
expect_stdout '^volume +1$'
bp solve --force --problem bp3 --degree 3 --mesh "$here/k.msh" --tolerance 1e-8 --output "$here/k"
expect_exit 0
bp solve --problem bp3 --degree 3 --box 6x4x4 --kershaw 0.3 --tolerance 1e-8 --output "$here/l"
expect_exit 0
expect_stdout 'kershaw 6x4x4, linear, epsilon 0.3:'
expect_true "a mesh of kershaw is what --kershaw makes" cmp "$here/k-x.npy" "$here/l-x.npy"
bp solve --problem bp3 --degree 3 --box 8x4x4 --kershaw 0.3 --tolerance 1e-8 --output "$here/l8"
expect_stdout 'kershaw 8x4x4, linear, epsilon 0.3, order 3:'
bp mesh kershaw --elements 8x4x4 --order 3 --output "$here/3.msh"
bp mesh info "$here/3.msh"
expect_stdout '^order +3$'
bp mesh kershaw --force --elements 8x4x4 --profile quintic --output "$here/k.msh"
expect_exit 2
expect_stderr '^kershaw: expected a multiple of 6 elements along x for quintic, found 8$'
bp mesh kershaw --force --elements 6x4x4 --epsilon 2 --output "$here/k.msh"
expect_exit 2
expect_lines stderr 1

# what is refused
solve() {
  bp solve --force --problem bp5 --degree 3 --box 2x2x2 --output "$here/x" "$@"
  expect_exit 2
  expect_lines stderr 1
}
solve --fixed none
expect_stderr 'expected a fixed boundary or lambda > 0 for bp5, found nothing fixed and lambda 0: the operator is singular$'
solve --fixed wall
expect_stderr '^box 2x2x2: expected a physical group of surfaces \(the mesh has none\), found "wall"$'
solve --iterations 0
solve --iterations -5
solve --tolerance 0
solve --tolerance nan
solve --lambda -1
bp solve --force --problem bp7 --degree 3 --box 2x2x2 --output "$here/x"
expect_exit 2
expect_stderr 'bp7'
bp solve --force --degree 3 --box 2x2x2 --output "$here/x"
expect_exit 2
expect_stderr '^bp solve: expected --problem bp1..bp6 or wave, found none$'
for problem in bp5 wave; do
  bp solve --force --problem $problem --degree 3 --box 2x2x2 --variants one-pass --output "$here/x"
  expect_exit 2
  expect_stderr '^--variants: expected --backend cpu, cuda or emulate, found reference$'
done
bp solve --force --problem bp1 --box 2x2x2 --output "$here/x"
expect_exit 2
expect_stderr '^bp solve: expected --degree N, found none$'
bp solve --force --problem bp1 --degree 3 --output "$here/x"
expect_exit 2
expect_stderr '^bp solve: expected --mesh FILE or --box AxBxC, found neither$'
bp solve --force --problem bp1 --degree 3 --box 2x2x2
expect_exit 2
expect_stderr '^bp solve: expected --output PREFIX, found none$'
bp solve --force --problem bp1 --degree 3 --box 2x2x2 --output "$here/none/x"
expect_exit 3
expect_no_stdout
bp apply --force --problem bp5 --degree 3 --box 2x2x2 --variants naive --backend cpu --output "$here/x"
expect_exit 2
expect_stderr '^--variants: expected a variant that backend cpu can run, found those of another problem or degree$'
bp apply --force --problem bp5 --degree 3 --box 2x2x2 --variants unfused,one-pass --backend cpu --output "$here/x"
expect_exit 2
expect_stderr '^bp apply: --variants: expected one variant, found 2 of them$'
bp apply --force --problem bp3.5 --degree 3 --box 2x2x2 --fixed none --output "$here/x"
expect_exit 2
expect_stderr '^bp apply: --fixed: expected a problem of bp1..bp6, found bp3.5$'
expect_true "nothing was written" [ ! -e "$here/x-u.npy" ]

# kernels that solve, emulated, and those that step
for problem in 'bp3 --variants two-kernel' 'bp6 --variants one-kernel' 'wave --variants two-kernel'; do
  bp apply --force --problem $problem --degree 2 --box 2x2x1 --warp 0.3 --backend emulate --output "$here/k"
  expect_exit 0
  expect_stdout ' on .*: error [0-9.e-]+ of \|v\|, tolerance 1e-11$'
done
python3 - "$here" << 'END'
import struct, sys
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (27,), }".ljust(117) + b"\n"
with open(sys.argv[1] + "/zero.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<27d", *[0] * 27))
END
bp apply --force --problem bp1 --degree 2 --box 1x1x1 --backend cpu --u "$here/zero.npy" --output "$here/k"
expect_exit 0
bp apply --force --problem bp5 --degree 2 --box 1x1x1 --backend cpu --output "$here/k" # one unknown is not fixed
expect_exit 0

# with lambda, nothing need be fixed
bp solve --force --problem bp5 --degree 3 --box 2x2x2 --fixed none --lambda 0.1 --tolerance 1e-10 --output "$here/n"
expect_exit 0
expect_stdout ' 0 of them fixed$'

# numbers that leave the range of doubles are no solution, nor are they taken where they are seen
bp solve --force --problem bp3 --degree 2 --box 2x2x2 --lambda 1e308 --iterations 3 --output "$here/n"
expect_exit 2
expect_stderr '^--lambda: expected a number, 0 to 1e\+100, found .1e308'
# nor is an option taken that has no effect
bp solve --force --problem bp3 --degree 2 --box 2x2x2 --dt 0.1 --output "$here/n"
expect_exit 2
expect_stderr '^--dt: expected --problem wave, found bp3$'
