# periodic.sh -- meshes with periodic sections, and those that are not all hexahedra.

box() { # NX NY NZ WHAT FILE
  python3 tests/cli/box.py "$1" "$2" "$3" "$4" > "$here/$5.msh"
}
box 3 3 3 xyz torus
box 6 6 6 xyz finer
box 4 3 3 xy channel
box 2 3 3 x two
box 1 3 3 x one
box 4 3 3 prisms prisms

# ---- periodic ----

bp mesh info "$here/torus.msh" --degrees 1,2
expect_exit 0
expect_stdout '^boundary faces +54$'
expect_stdout '^periodic nodes +48$'
expect_stdout '^unique nodes N=2 +343$'
bp mesh info "$here/torus.msh" --periodic --degrees 1,2
expect_exit 0
expect_no_stderr
expect_stdout '^vertices +27$'
expect_stdout '^faces +81$'
expect_stdout '^boundary faces +0$'
expect_stdout '^periodic nodes +48, joined$'
expect_stdout '^unique nodes N=1 +27$'
expect_stdout '^unique nodes N=2 +216$'
bp mesh info "$here/channel.msh" --periodic --degrees 1
expect_stdout '^boundary faces +24$'
expect_stdout '^unique nodes N=1 +48$'

# The known solution is periodic, too: halving elements lowers the error by 2^(N+1).
solve() { # MESH NAME ARGUMENTS
  bp solve --mesh "$here/$1.msh" --output "$here/$2" --force "${@:3}"
}
error() {
  sed -n 's/^L2 error \([^,]*\),.*/\1/p' "$out"
}
for backend in reference cpu; do
  solve torus coarse --periodic --problem bp5 --lambda 1 --degree 3 --tolerance 1e-10 --backend $backend
  expect_exit 0
  expect_no_stderr
  expect_stdout ', periodic: 729 unknowns, 0 of them fixed$'
  coarse=$(error)
  solve finer fine --periodic --problem bp5 --lambda 1 --degree 3 --tolerance 1e-10 --backend $backend
  expect_stdout ': 5832 unknowns'
  expect_true "the error falls by about 16: $coarse, $(error)" \
    awk "BEGIN { exit !($coarse / $(error) > 11 && $coarse / $(error) < 40) }"
done
solve channel channel --periodic --problem bp3 --degree 4 --tolerance 1e-9
expect_exit 0
expect_stdout ': 2496 unknowns, 384 of them fixed$'
expect_true "the channel's error is small: $(error)" awk "BEGIN { exit !($(error) < 5e-3) }"
for ranks in 1 2 3; do
  solve torus "ranks$ranks" --periodic --problem bp3 --lambda 1 --degree 2 --iterations 20 --backend cpu \
    --variants one-pass-ranks --ranks $ranks --partition cyclic
  expect_exit 0
  expect_true "$ranks ranks, the same bits" cmp "$here/ranks$ranks-u.npy" "$here/ranks1-u.npy"
done

solve torus wave --periodic --problem wave --degree 5 --iterations 60 --snapshots 60
expect_exit 0
expect_true "each element has points of its own" grep -q 'NumberOfPoints="5832"' "$here/wave-u-000060.vtu"
time=$(sed -n 's/.* to t = //p' "$out")
expect_true "the standing wave is periodic" python3 -c "
import sys
sys.path.insert(0, 'tests/cli')
from apply import read_npy
from math import cos, pi, prod, sqrt
x, u = read_npy('$here/wave-x.npy')[1], read_npy('$here/wave-u.npy')[1]
exact = [cos(2 * pi * sqrt(3) * $time) * prod(cos(2 * pi * x[3 * n + d]) for d in range(3)) for n in range(len(u))]
sys.exit(max(abs(a - b) for a, b in zip(u, exact)) > 0.02)"

solve torus none --problem bp5 --lambda 1 --degree 2
expect_exit 0
expect_stderr 'torus.msh: 48 periodic nodes are not joined, which `periodic: true` does$'
expect_lines stderr 1
solve torus singular --periodic --problem bp5 --degree 2
expect_exit 2
expect_stderr 'nothing fixed and lambda 0: the operator is singular$'
for mesh in one two; do
  solve $mesh few --periodic --problem bp5 --degree 2
  expect_exit 2
  expect_stderr ', periodic: expected at least three elements from periodic side to side and no node on both, '
done
solve prisms none --periodic --problem bp5 --degree 2 --fixed left
expect_exit 2
expect_stderr 'prisms.msh: periodic: expected periodic nodes in the file, found none$'
bp run --problem bp5 --degree 2 --box 3x3x3 --set periodic=true --backend cpu
expect_exit 2
expect_stderr 'periodic: expected it with a mesh from a file only, found a box$'

# ---- other cells ----

bp mesh info "$here/prisms.msh" --degrees 1
expect_exit 0
expect_stdout '^elements +27$'
expect_stdout '^other cells +18$'
expect_stdout '^skipped +18 x prism \(type 6\)$'
expect_stdout '^skipped +9 x quadrilateral \(type 3\)$'
solve prisms refused --problem bp3 --degree 2
expect_exit 2
expect_stderr 'prisms.msh: expected `fixed` or `group`, since cells that are no hexahedra are left out '
solve prisms given --problem bp3 --degree 2 --fixed left --lambda 1
expect_exit 0
expect_stderr 'prisms.msh: 18 of 45 cells are no hexahedra and left out; where they were is boundary$'
solve prisms given --problem bp3 --degree 2 --group all
expect_exit 0
solve prisms given --problem bp1 --degree 2
expect_exit 0
bp run --problem bp3 --degree 2 --mesh "$here/prisms.msh" --backend cpu
expect_exit 2
expect_stderr 'expected `fixed` or `group`'
bp run --problem bp3.5 --degree 2 --mesh "$here/prisms.msh" --backend cpu --format json --output "$here/r.json" \
  --set measure.max_time=0.01 --set measure.min_time=0 --set measure.warmup=0
expect_exit 0
expect_stderr '18 of 45 cells are no hexahedra'
expect_true "the record says it" grep -q '"other_cells": 18, "reoriented": 0, "periodic_nodes": 0' "$here/r.json"
bp run --problem bp3.5 --degree 2 --mesh tests/meshes/odd/inverted.msh --backend cpu --dry-run
expect_stderr '^tests/meshes/odd/inverted.msh: 1 of 1 elements are left-handed in the file and were turned$'
