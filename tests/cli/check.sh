# check.sh -- `bp check`.

bp check '*/naive' --backend cpu --degree 1,2 --elements 1,2 --seed 42
expect_exit 0
expect_no_stderr '^bp: |expected' # but where it has come after half a minute
expect_stdout '^seed 42, backend cpu'
expect_stdout '^ok +bp1\.0/naive +[0-9]+ passed'
expect_stdout '^ok +bp3\.5/naive +'
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
cp "$out" "$here/first"
bp check '*/naive' --backend cpu --degree 1,2 --elements 1,2 --seed 42
expect_true "the same output for the same seed" cmp "$out" "$here/first"

bp check nothing
expect_exit 2
expect_no_stdout '^ok'
expect_lines stderr 1
expect_stderr "^bp check: expected the name or glob of a variant or a rung, .*, found 'nothing'"
bp check bp3.5/columns --backend cpu
expect_exit 2
expect_stderr '^bp check: no variant of backend cpu was asked for '
bp check bp1.0/naive --degree 16
expect_exit 2
bp check bp1.0/naive --elements 0
expect_exit 2

# What was asked for is looked at before anything is checked.
bp check --backend emulate bp3.0/tensor bp3.0/tensor-middle-slice --degree 15 --elements 1 --set options.warps=8,17
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr '^option warps of bp3\.0/tensor-middle-slice: expected 2\.\.16, found 17$'
mkdir -p "$XDG_CONFIG_HOME/bp"
echo '* bp1.0 x' > "$XDG_CONFIG_HOME/bp/best"
bp check --backend cpu best --degree 3
expect_exit 2
expect_no_stdout
expect_stderr "^$XDG_CONFIG_HOME/bp/best:1: expected degrees "
rm "$XDG_CONFIG_HOME/bp/best"

# What cannot run here says why; where nothing can, nothing has been checked.
bp check --backend emulate bp3.5/columns --degree 2,7 --elements 1 --set options.elements_per_block=32
expect_exit 0
expect_stdout '^ok +bp3\.5/columns .*: 2 passed, some cannot run here: needs 2048 threads per block; this device allows 1024$'
expect_stdout '^2 passed, 0 failed, 1 skipped$'
bp check --backend emulate bp3.5/columns --degree 7,8 --elements 1 --set options.elements_per_block=32
expect_exit 3
expect_stdout '^skip +bp3\.5/columns .*=1: needs 2048 threads per block; this device allows 1024$'
expect_stdout '^0 passed, 0 failed, 2 skipped$'
expect_stderr '^bp check: nothing of what was asked for can run here: needs 2048 threads per block; this device allows 1024$'

# Blocks of more elements than there are: flops and bytes are counted with whole ones.
bp check --backend emulate bp1.0/pairs --degree 1 --elements 1,5 --set options.pairs=32
expect_exit 0
expect_stdout '^3 passed, 0 failed$'

# A part of the factors leaves L2 first: the ends of that option, and of others, are checked by tests/ends
bp check --backend emulate bp1.0/direct bp1.0/mma-tiles bp3.0/direct 'bp3.0/five-pass-*' bp3.0/producer-warp bp3.0/mma-transposed bp3.5/tensor \
  --degree 6,12 --elements 19 --set options.evict_first=9
expect_exit 0
expect_stdout '^8 passed, 0 failed'

# Elements are dealt out by a counter that a launch has to leave as it found it. The emulator launches up to 16
# elements twice, and at one block per multiprocessor its blocks take several.
bp check --backend emulate bp1.0/pairs bp1.0/mma-rows bp1.0/mma-tiles bp1.0/mma-transposed bp3.0/five-pass-stream bp3.0/stream bp3.0/mma-transposed \
  bp3.5/stream --degree 8,15 --elements 16 --set options.blocks_per_sm=1
expect_exit 0
expect_stdout '^8 passed, 0 failed$'
cp -r kernels "$here/kernels"
sed -i 's/gridDim.x - 1)/gridDim.x + 9999)/' "$here/kernels/lib/schedule/tile_scheduler.h"
BP_KERNEL_DIR=$here/kernels bp check --backend emulate bp1.0/pairs bp3.0/five-pass-stream bp3.0/stream bp3.0/mma-transposed bp3.5/stream \
  --degree 8 --elements 16 --set options.blocks_per_sm=1
expect_exit 1
expect_stdout '^0 passed, 5 failed$'
# A wrong limit of later claims shows where a block's later claim is the last one of all: on one multiprocessor.
cp kernels/lib/schedule/tile_scheduler.h "$here/kernels/lib/schedule/"
sed -i 's/= scheduler_claim(elements, 0)/= scheduler_claim(elements, 1)/' "$here/kernels/lib/schedule/tile_scheduler.h"
BP_KERNEL_DIR=$here/kernels bp check --backend emulate bp3.5/stream --degree 2 --elements 7 --set options.dynamic=1
expect_exit 1
expect_stdout 'FAIL .* the launch leaves a counter at 7, not at 0 as it found it'

# A kernel names what it takes, in an order of its own.
taking() {
  sed "1s/run-time-sized/taking/; s/operands: .*/operands: $1/" kernels/bp1.0/run-time-sized.cu > "$here/taking/bp1.0/taking.cu"
  BP_KERNEL_DIR=$here/taking bp check --backend emulate bp1.0/taking --degree 2 --elements 3
}
cp -r kernels "$here/taking"
taking 'v I factors u points'
expect_exit 0
expect_stdout '^[1-9][0-9]* passed, 0 failed$'
taking 'v factors u points'
expect_exit 1
expect_stdout 'taking\.cu:[0-9]+:[0-9]+: error: .I. was not declared'
taking 'v w'
expect_exit 2
expect_stderr "taking\.cu: its header cannot be understood: 'operands: v w'"

# Killed, it leaves nothing running behind it.
marked() { grep -laz "^BP_TEST_MARK=$here\$" /proc/[0-9]*/environ 2> /dev/null | wc -l; }
wait_until() { # COMMAND...: at most 5 seconds
  for _ in {1..50}; do
    if "$@"; then return; fi
    sleep 0.1
  done
}
BP_TEST_MARK=$here "$BP" check --backend cpu bp3.0/naive --degree 15 --elements 3000 > "$out" 2> "$err" < /dev/null &
killed=$!
disown
ran="bp check, killed"
is_at_work() { [ "$(marked)" -ge 2 ]; }
is_over() { [ "$(marked)" -eq 0 ]; }
wait_until is_at_work
expect_true "bp check has a child" is_at_work
kill -KILL $killed
wait_until is_over
expect_true "its children end with it" is_over

# Kernels of the CPU that are wrong: what is told, and that they are right without the bug.
finds() {
  ran="bp check, planted $1"
  BP_KERNEL_DIR=tests/planted "$BP" check --backend cpu "$1" --degree 3 --elements "${3:-1,7}" --set threads=1 \
    --set options.correct=0,1 > "$out" 2> "$err"
  code=$?
  expect_exit 1
  expect_stdout "^FAIL  $1 .*correct=0  cpu .*: $2"
  expect_stdout "^ok +$1 .*correct=1"
}
finds bp3.5/too-large 'error 1e-07, tolerance '
finds bp3.5/lambda-ignored 'error 0\.00[0-9]*, tolerance '
finds bp3.5/read-beyond '(crashed: Segmentation fault|its process ended with 1)$' # the latter by a sanitizer
finds bp3.5/index-overflow '(crashed: Segmentation fault|its process ended with 1)$' 16
finds bp5/index-overflow '(crashed: Segmentation fault|its process ended with 1)$' 16
finds pair/index-overflow '(crashed: Segmentation fault|its process ended with 1)$' 16
finds bp3.5/input-written 'wrote to u, at index 384 of 448$'
finds bp3.5/factors-written 'wrote to the factors, at index 2688 of 3136$'
finds bp3.5/endless 'did not end in 12 s$' 1,600 # the limit follows the elements
expect_stderr '^bp check: waits for bp3\.5/endless, N=3, 600 elements, for at most 12 s$'
ran="bp check with one thread, planted bp3.5/first-element"
OMP_NUM_THREADS=1 BP_KERNEL_DIR=tests/planted "$BP" check --backend cpu bp3.5/first-element --degree 3 --elements 7 \
  --set options.correct=0,1 > "$out" 2> "$err"
code=$?
expect_exit 1
expect_stdout '^FAIL  bp3.5/first-element .*correct=0  cpu .*: '
expect_stdout '^ok +bp3.5/first-element .*correct=1'
finds gradient/swapped 'error [0-9.]+, tolerance .*, direction [01]: expected '
finds pair/stride 'error inf, tolerance .*, found -?nan$'

# `bp run` does not rank them, and the neighbour of one that spoils an input is not to blame.
for pair in 'too-large|error 1' 'input-written|wrote to u, at index 448 of 512' \
  'factors-written|wrote to the factors, at index 3136 of 3584'; do
  ran="bp run, planted ${pair%|*}"
  BP_KERNEL_DIR=tests/planted "$BP" run --problem bp3.5 --variants "${pair%|*},lambda-ignored" --backend cpu --degree 3 --box 2x2x2 \
    --format json --set measure.max_time=0.01 > "$out" 2> "$err"
  code=$?
  expect_exit 1
  expect_json "[row['status'] for row in r['rows']] == ['wrong', 'ok'] and '${pair#*|}' in r['rows'][0]['reason']"
  expect_json "r['rows'][0]['gflops'] is None and r['rows'][1]['gflops'] > 0"
done
