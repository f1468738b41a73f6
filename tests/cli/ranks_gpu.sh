# ranks_gpu.sh -- the kernels of ranks on GPUs, emulated: the same bits with any number of ranks, and with one.
bp mesh box --elements 3x2x2 --warp 0.4 --version 2.2 --output "$here/straight.msh"
expect_exit 0
python3 tests/cli/rotate.py "$here/straight.msh" 7 > "$here/turned.msh"

# same_bits WHAT OPTION...: another solve writes what the one before wrote
same_bits() {
  local what=$1 file
  shift
  bp solve --force --output "$here/many" "$@"
  expect_exit 0
  expect_no_stderr
  for file in f u residuals; do
    expect_true "$what: the same $file" cmp "$here/one-$file.npy" "$here/many-$file.npy"
  done
}

# any number of ranks, any partition, elements with axes of their own
for problem in bp1:2:two-kernel bp3:3:two-kernel bp5:2:two-kernel bp6:2:two-kernel:single bp5:7:two-kernel-mma bp3:7:two-kernel-mma; do
  IFS=: read -r name degree kernels precision <<< "$problem"
  solve="--problem $name --degree $degree --mesh $here/turned.msh --iterations 5 --backend emulate --variants $kernels-ranks"
  solve="$solve --precision ${precision:-double}"
  bp solve --force $solve --output "$here/one"
  expect_exit 0
  expect_stdout "/$kernels-ranks on emulated GPU"
  same_bits "$problem, 2 ranks" $solve --ranks 2
  same_bits "$problem, 3 ranks, every third element" $solve --ranks 3 --partition cyclic
  same_bits "$problem, mailboxes" $solve --ranks 3 --partition cyclic --communication ipc
  expect_stdout ' 3 ranks by ipc$'
  export BP_CUDA_MAILBOXES=stream
  same_bits "$problem, mailboxes, the stream waits" $solve --ranks 2 --communication ipc
  unset BP_CUDA_MAILBOXES
done

# with a preconditioner: as the literal iterations
for case in bp3:3:two-kernel bp6:2:two-kernel bp5:7:two-kernel-mma; do
  IFS=: read -r name degree kernels <<< "$case"
  solve="--problem $name --degree $degree --mesh $here/turned.msh --iterations 5 --preconditioner jacobi"
  bp solve --force $solve --backend reference --output "$here/literal"
  solve="$solve --backend emulate --variants $kernels-ranks"
  bp solve --force $solve --output "$here/one"
  expect_exit 0
  expect_true "$case, jacobi: as the reference" python3 tests/cli/solve.py near "$here/literal" "$here/one" 1e-12
  same_bits "$case, jacobi, 2 ranks" $solve --ranks 2
  same_bits "$case, jacobi, mailboxes" $solve --ranks 3 --partition cyclic --communication ipc
done

solve="--problem bp5 --degree 2 --mesh $here/turned.msh --iterations 3 --backend emulate --variants two-kernel-ranks"
bp solve --force $solve --output "$here/one"
same_bits "8 ranks" $solve --ranks 8

# one-rank kernels differ by rounding alone; ranks without elements; what `best` means with ranks
solve="--problem bp5 --degree 2 --box 2x1x1 --iterations 4 --backend emulate --rhs constant"
bp solve --force $solve --output "$here/one" --variants two-kernel-ranks
same_bits "ranks without elements" $solve --ranks 4
expect_stdout '^bp5/two-kernel-ranks on emulated GPU, 4 ranks by shm$'
bp solve --force $solve --output "$here/many" --variants two-kernel
expect_true "two-kernel: nearly the same" python3 - << END
import sys
sys.path.insert(0, "tests/cli")
from array import array
def values(path):
    data = open(path, "rb").read()
    return array("d", data[10 + int.from_bytes(data[8:10], "little"):])
one, many = (values("$here/" + name + "-u.npy") for name in ("one", "many"))
assert len(one) == len(many) and max(abs(x - y) for x, y in zip(one, many)) <= 1e-13 * max(map(abs, one))
END
bp run --problem bp1.0,bp3.0,bp3.5,bp5 --degree 2 --box 3x3x2 --ranks 3 --backend emulate --format json --output "$here/run.json" --force
expect_exit 0
expect_equal "rows of 3 ranks" "$(grep -c '"ranks": 3' "$here/run.json")" 4
expect_equal "rows that are right" "$(grep -c '"status": "ok"' "$here/run.json")" 4
expect_true "best has a variant for ranks" grep -q '"variant": "two-kernel-ranks"' "$here/run.json"
