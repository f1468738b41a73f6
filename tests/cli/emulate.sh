# emulate.sh -- the emulator finds the bugs planted in tests/planted/, says what and where, and passes
# the same kernels without them.
export BP_KERNEL_DIR=tests/planted
folder=tests/planted/bp3.5

options=() degree=3

check() {
  bp check --backend emulate --degree $degree --elements 2 "${options[@]}" "bp3.5/$1" "${@:2}"
}

# finds NAME REGEX [OPTIONS]: what is wrong with the kernel, and that it is right without the bug
finds() {
  check "$1" ${3---set options.correct=0}
  expect_exit 1
  expect_stdout "^FAIL  bp3.5/$1 .*: $2"
  check "$1" --set options.correct=1
  expect_exit 0
  expect_stdout '^[12] passed, 0 failed$'
}

inline='planted.h:[0-9]+, from '
no_writer='which no thread has written'
finds missing-barrier "$inline$folder/missing-barrier.cu:11: thread .* reads shared s_u\[[0-9]+\], $no_writer \(or a barrier is missing\)"
finds stale-cube 'race: v\[0\] is [-0-9.]+ or [-0-9.]+ as threads run in one order or the other \(seed 1\)'
finds never-written "$inline$folder/never-written.cu:11: thread .* reads shared s_u\[32\], $no_writer"
finds scratch-unwritten "$folder/scratch-unwritten.cu:17: thread .* reads scratch\[[0-9]+\], $no_writer"
finds result-missing 'v\[1\] of 128 is never written'
finds shared-overrun "$folder/shared-overrun.cu:11: thread \(3, 3, 3\) of block 0 wrote shared s_u\[64\], past its end \(64 doubles\), before this line and after line 4"
finds global-overrun "$folder/global-overrun.cu:10: thread \(0, 0, 0\) of block 0 wrote v\[128\], past its end \(128 doubles\), after this line"
finds local-overrun "$folder/local-overrun.cu:14: thread .* of block 0 has an index outside a local or shared array"
finds global-read "$folder/global-read.cu:12: thread .* of block 1 reads factors\[[0-9]+\], past its end \(896 doubles\)"
finds input-written "$folder/input-written.cu:13: thread .* writes u\[[0-9]+\]"
finds divergent-barrier "$folder/divergent-barrier.cu:(10|12): divergent barrier: thread .* waits here, thread .* at $folder/divergent-barrier.cu:(10|12)"
finds early-exit "$folder/early-exit.cu:14: 63 threads, .* wait here for 1 that has exited"
finds divergent-warp "$folder/divergent-warp.cu:15: 32 threads, .* wait here for 32 that have exited"
finds async-without-wait "$inline$folder/async-without-wait.cu:13: thread .* reads shared s_u\[[0-9]+\], $no_writer"
finds bulk-bytes "$folder/bulk-bytes.cu:10: thread .* waits for an mbarrier whose phase never ends: 0 of 1 arrivals and 16 bytes have not come"
finds bulk-beyond "$folder/bulk-beyond.cu:10: bp_slot_copy of 512 bytes: its global side, u\[[0-9]+\], is not inside one array"
finds bulk-exit "$folder/bulk-exit.cu:16: thread \(0, 0, 0\) of block 0 exits while bulk stores still read shared memory"

finds lambda-ignored 'error 0\.00[0-9]*, tolerance '
finds index-overflow "$inline$folder/index-overflow.cu:13: thread .* of block 34594560 reads address .*, far from every array"
finds scratch-overflow "$folder/scratch-overflow.cu:16: thread .* of block [0-9]+ writes address .*, far from every array"
finds read-beyond "$folder/read-beyond.cu:11: thread .* of block 1 reads u\[1[0-9]+\], past its end \(128 doubles\)"
finds endless 'the emulated kernel did not end within 5 s'
finds counter-left "$folder/counter-left.cu:[0-9]+: the launch leaves a counter at [0-9]+, not at 0 as it found it"
# With second choices, which nobody asks for
finds last-block 'v\[0\] of 128 is never written' ''
finds elements-overlap "race: v\[[0-9]+\] is " ''
finds block-exit "$folder/block-exit.cu:14: 63 threads, .* wait here for 1 that has exited" ''

# Flops, and doubles of memory, are counted where N <= 4: one check more.
finds extra-flops 'executes 26880 flops on 4 elements; its header has no line flops:, and the model.s most is 17408'
finds flops-declared 'executes 16896 flops on 4 elements; its header.s line flops: says 16128'
finds shared-declared 'moves 57344 bytes of shared memory on 4 elements; its header.s line shared traffic: says 49152'

# Copies into slots: bulk, asynchronous, and by loads and stores.
for arch in sm_90 sm_80 sm_75; do
  options=(--arch $arch) degree=3
  finds slot-unwaited "($inline)?$folder/slot-unwaited.cu:[0-9]+: thread .* reads shared s_u\[[0-9]+\], $no_writer"
  finds slot-arrival "$folder/slot-arrival.cu:[0-9]+: thread .* waits for an mbarrier whose phase never ends: 1 of 2 arrivals"
done
options=()

# The wrappers: shuffles, products, copies, mbarriers.
degree=1
for arch in sm_90 sm_80; do
  options=(--arch $arch)
  finds names 'error inf|error [0-9.e+]+, tolerance'
done
options=()

# Kernels of waves, solves, gradients and pairs: 19 elements unless told.
finds_other() {
  bp check --backend emulate --degree ${3:-2} --elements 19 "$1" --set options.correct=0
  expect_exit 1
  expect_stdout "^FAIL  $1 .*: $2"
  bp check --backend emulate --degree ${3:-2} --elements 19 "$1" --set options.correct=1
  expect_exit 0
}
finds_other wave/fixed-moves 'fixed, no sources: 6 steps differ by [0-9.]+, tolerance '
finds_other wave/source-late 'free, sources and receivers: 6 steps differ by [0-9.]+, tolerance '
finds_other wave/blocks-meet-alone '.*loops.h:[0-9]+, from .* reads scratch\[[0-9]+\], which no thread has written'
finds_other bp5/fixed-counted '[0-9] iterations differ by [0-9.]+, tolerance '
finds_other bp5/index-overflow '5 iterations differ by [0-9.]+, tolerance '
finds_other bp5/matrix-overflow "tests/planted/bp5/matrix-overflow.cu:[0-9]+: thread .* reads address .*, far from every array"
finds_other wave/index-overflow 'fixed, no sources: 20 steps differ by [0-9.]+, tolerance '
finds_other bp5/right-hand-side-written "tests/planted/bp5/right-hand-side-written.cu:28: thread \(0, 0, 0\) of block 0 writes f\[0\]"
finds_other gradient/swapped 'error [0-9.]+, tolerance .*, direction [01]: expected '
finds_other gradient/index-overflow "tests/planted/gradient/index-overflow.cu:[0-9]+: thread .* of block 5[0-9]+ writes address .*, far from every array" 1
finds_other pair/index-overflow "tests/planted/pair/index-overflow.cu:[0-9]+: thread .* of block [0-9]+ writes address .*, far from every array" 3
# Beyond the first round of a multiprocessor's blocks
for correct in 0 1; do
  bp check --backend emulate --degree 1 gradient/rounds --set options.correct=$correct
  expect_exit $((1 - correct))
  [ $correct = 1 ] || expect_stdout '^FAIL  gradient/rounds correct=0 .* 149 elements: v\[[0-9]+\] of [0-9]+ is never written'
done
finds_other pair/stride 'v\[[0-9]+\] of 76 is never written'

# `bp run` goes its whole way, and does not rank what is wrong.
bp run --backend emulate --problem bp3.5 --degree 3 --box 2x1x1 --variants missing-barrier \
  --set measure.max_time=0.01 --set measure.min_time=0 --format csv
expect_exit 1
expect_stdout ',wrong,'
bp run --backend emulate --problem bp3.5 --degree 3 --box 2x1x1 --variants missing-barrier \
  --set options.correct=1 --set measure.max_time=0.01 --set measure.min_time=0 --format csv
expect_exit 0
expect_stdout ',ok,'

check nothing-here
expect_exit 2
mkdir "$here/none"
for program in timeout grep head tr; do ln -s "$(command -v $program)" "$here/none/"; done
PATH=$here/none check names
expect_exit 3
expect_no_stdout
expect_stderr '^emulate: needs a C\+\+ compiler; found none of'
BP_CXX=/bin/false check names --set options.correct=1
expect_exit 3
expect_stderr "^emulate: BP_CXX: expected a C\+\+ compiler, found '/bin/false'$"
