# tune.sh -- `bp tune`: what it stores, passes over, refuses and survives.
own=$XDG_CONFIG_HOME/bp/best
tune() { bp tune --backend cpu --problem bp1.0 --threads 1 --max-time 600 --box "${box:-2x2x2}" "$@"; }
rows() { grep -vc '^#' "$own"; }

# ---- on the CPU ----

tune --degree 1,2
expect_exit 0
expect_stdout '^bp1\.0 +1 +8 +[0-9.]+ [mun]s  even_odd .* [0-9.]+ [mun]s  [a-z_]+( [a-z]+=[0-9]+)* +[0-9.]+$'
expect_stdout "^2 tuned, in [0-9.]+ s; rows in $own\$"
expect_lines stdout 5
expect_stderr '^\[2/2\] bp1\.0 N=2, 8 elements: [0-9]+ candidates in [0-9.]+ s$'
expect_equal "rows" "$(rows)" 2
variant=$(awk '$3 == 1 { print $5 }' "$own")

bp run --problem bp1.0 --degree 1 --elements 8 --backend cpu --threads 1 --dry-run
expect_exit 0
expect_stdout " $variant.* \($own:1\)\$"

tune --degree 1..3
expect_exit 0
expect_stdout '^1 tuned, 2 passed over that had been'
expect_equal "rows" "$(rows)" 3
tune --degree 3 --again
expect_exit 0
expect_stdout '^1 tuned, in'
expect_equal "rows" "$(rows)" 3
box=3x3x3 tune --degree 3
expect_stdout '^1 tuned, in'
expect_equal "rows" "$(rows)" 4

# other candidates, another search; the shipped choice is told although it is none of them
tune --degree 1 --variants naive
expect_exit 0
expect_stdout '^bp1\.0 +1 .* even_odd .* naive '
expect_equal "what is stored" "$(awk '$3 == 1 && $4 == 8 { print $5 }' "$own")" naive
expect_equal "rows" "$(rows)" 4
tune --degree 1 --set options.pad=0 --variants 'n*'
expect_exit 2
expect_stderr "^options: expected options of the selected variants, found 'pad', which none of them has\$"

bp tune --backend cpu --problem bp3.0 --degree 1 --mesh meshes/cube512.msh --threads 1 --max-time 600
expect_exit 0
expect_stdout '^bp3\.0 +1 +512 '

# what is best with hot and cold caches together is another question
tune --degree 3 --cache both
expect_exit 0
expect_stdout ', mean of hot and cold$'
expect_stdout '^1 tuned, in'
tune --degree 3 --cache both
expect_stdout '^0 tuned, 1 passed over'

# A machine that others have (each look at its processors finds all of them used) teaches nothing.
mkdir -p "$here/proc/self/task"
mkfifo "$here/proc/stat"
(trap '' PIPE; for ((n = 1; ; ++n)); do echo "cpu  $((n * 1000000)) 0 0 0" > "$here/proc/stat"; done) 2> /dev/null &
looks=$!
before=$(cat "$own")
BP_PROC=$here/proc tune --degree 4
expect_exit 3
expect_stderr '^bp tune: bp1\.0 N=4, 8 elements: not stored: busy: other programs had 100 % of the processors. time; end'
expect_stderr '^bp tune: nothing could be tuned$'
expect_equal "the table" "$(cat "$own")" "$before"
BP_PROC=$here/proc bp run --backend cpu --problem bp1.0 --degree 3,4 --elements 64 --threads 1 --output "$here/busy.json"
expect_exit 0
kill $looks
bp report "$here/busy.json"
expect_stdout '^ b 3  [a-z]'
expect_stdout '^b 2 rows slowed by other work: '
expect_no_stdout '[0-9] % .*memory'
bp run --resume "$here/busy.json" # measures them again
expect_exit 0
bp report "$here/busy.json"
expect_stdout '^[ *~][a-z ]? 3  [a-z]'
expect_no_stdout 'slowed by other work'

tune --degree 9 --dry-run
expect_exit 0
expect_stdout '^bp1\.0 +9 .* naive'
expect_equal "rows" "$(rows)" 5

# what is for ranks is no candidate beside others, and its row is nothing for one rank
solve="--problem bp1 --degree 2 --box 2x2x2 --backend cpu --threads 1"
bp tune $solve --max-time 600 --variants one-pass,one-pass-ranks
expect_exit 0
expect_stderr ': 1 candidates in '
expect_equal "what is stored" "$(awk '$2 == "bp1" { print $5 }' "$own")" one-pass
bp tune $solve --max-time 600 --variants one-pass-ranks
expect_exit 0
expect_equal "what is stored" "$(awk '$2 == "bp1" { print $5 }' "$own")" one-pass-ranks
bp run $solve --dry-run
expect_exit 0
expect_stdout ' one-pass.* \(kernels/best:[0-9]+\)$'

# Rows of solves say the geometry and the precision, and are taken for these alone.
for kind in "--precision single" "--precision mixed" "--geometry trilinear" "--geometry trilinear --precision single"; do
  bp tune $solve --max-time 600 --variants unfused $kind
  expect_exit 0
  expect_stdout '^1 tuned, in'
  bp run $solve $kind --dry-run
  expect_stdout " unfused .* \\($own:[0-9]+\\)\$"
done
expect_equal "what is stored" "$(awk '$5 == "unfused" { print $3 }' "$own" | tr '\n' ' ')" \
  "2/single 2/mixed 2/trilinear 2/trilinear/single "
bp run $solve --dry-run
expect_stdout ' one-pass.* \(kernels/best:[0-9]+\)$'

# ---- refused ----

cp "$own" "$here/good"
sed -i '1iwhat is this?' "$own"
tune --degree 1
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr "^$own:1: expected a problem such as bp3\.5 in column 2, found 'is'"
cp "$here/good" "$own"
bp tune --backend emulate
expect_exit 2
expect_stderr "^--backend: expected one of auto, cpu, cuda, found 'emulate'"
bp tune --max-time 0
expect_exit 2
expect_stderr '^--max-time: expected a number, 0\.1 to'
if [ "$(id -u)" -ne 0 ]; then
  chmod a-w "${own%/*}"
  tune --degree 4
  expect_exit 3
  expect_stderr "^$own: cannot be written"
  chmod u+w "${own%/*}"
fi
XDG_CONFIG_HOME=/dev/null tune --degree 4
expect_exit 3
expect_no_stdout
expect_stderr '^/dev/null: cannot be made: '

# ---- too little time, and Ctrl-C ----

rm "$own"
for little in 0.1 0.5 2 8 32; do # enough for one, on a machine however busy
  bp tune --backend cpu --problem bp1.0 --degree 1..15 --elements 4096 --max-time $little
  grep -q '^[1-9][0-9]* tuned' "$out" && break
done
expect_exit 0
expect_stdout ', [0-9]+ left for another call, in'
expect_true "what there was time for is kept" [ "$(rows)" -ge 1 ]
expect_stdout 'tuned, [0-9]+ of them cut short'
bp tune --backend cpu --problem bp1.0 --degree 1 --elements 4096
expect_stdout '^1 tuned, in'
bp tune --backend cpu --problem bp1.0 --degree 1 --elements 4096
expect_stdout '^0 tuned, 1 passed over'

rm "$own"
bp_interrupted 'grep -q "^\[1/" "$err"' tune --backend cpu --problem bp1.0 --degree 1..15 --elements 4096 \
  --max-time 60
expect_exit 130
expect_stdout '^[0-9]+ tuned, .* left for another call'
expect_true "what was found is kept" [ "$(rows)" -ge 1 ]
expect_equal "nothing half-written" "$(ls "${own%/*}")" best

# ---- on a GPU that pretends, with kernels of a folder: one right, fastest in blocks of 96 threads ----

pretended=$(dirname "$(realpath "$BP")")/fake/libcuda.so.1
bp list 'bp1.0/cube' --arch sm_90 --degrees 1
if [ $code -ne 3 ] && [ -e "$pretended" ]; then
  export BP_CUDA_DRIVER=$pretended BP_KERNEL_DIR=$here/kernels BP_CUDA_PATIENCE=4
  mkdir -p "$BP_KERNEL_DIR/bp1.0"
  # NAME KERNEL [HEADER LINE]
  kernel() {
    printf '/* bp1.0/%s -- made here\n *\n * degrees: 1..3\n%s * launch: %s; threads 8 * elements_per_block */\n#include "abi/gpu.h"\n\nBP_KERNEL(%s)\n{\n  v[0] = ELEMENTS_PER_BLOCK;\n}\n' \
      "$1" " * option: elements_per_block 1..64 = 1 -- elements of a block
" "$2" "$2" > "$BP_KERNEL_DIR/bp1.0/$1.cu"
  }
  kernel mine-right mass
  kernel mine-wrong empty
  kernel mine-astray astray
  kernel mine-endless endless
  kernel mine-gone gone
  pretend() { bp tune --backend cuda --problem bp1.0 --elements 8 "$@"; }
  gpu() { pretend --variants 'mine-*' "$@"; }
  gpu --degree 2,3 --max-time 600
  expect_exit 1
  expect_stderr '^bp tune: bp1\.0/mine-wrong elements_per_block=1, N=2, 8 elements: error '
  expect_stderr '^bp tune: bp1\.0/mine-astray .* started anew'
  expect_stderr '^bp tune: bp1\.0/mine-gone .* started anew'
  expect_stderr '^bp tune: bp1\.0/mine-endless is left out from here on: it failed after 4 s'
  expect_equal "an endless kernel takes the time once" "$(grep -c 'mine-endless elements' "$err")" 1
  expect_equal "the choices" "$(awk '{ print $1, $3, $5, $6 }' "$own" | grep GPU)" \
    "$(printf 'Pretended?GPU?A %d mine-right elements_per_block=12\n' 2 3)"
  gpu --degree 2,3
  expect_exit 0
  expect_stdout '^0 tuned, 2 passed over'
  echo >> "$BP_KERNEL_DIR/bp1.0/mine-gone.cu" # another source, another search
  gpu --degree 2 --variants mine-right --max-time 600
  expect_stdout '^1 tuned, '
  bp run --problem bp1.0 --degree 3 --elements 9 --backend cuda --dry-run
  expect_stdout ' mine-right\[elements_per_block=12\] \('

  # the fastest one fails in the last round, where choices take turns
  kernel jealous mass_jealous
  pretend --degree 1 --variants jealous --max-time 600
  expect_exit 0
  expect_stderr '^bp tune: bp1\.0/jealous elements_per_block=12, N=1, 8 elements: .* started anew'
  expect_stdout '^bp1\.0 .* jealous elements_per_block=1[13] '

  # hot, cold, and the mean of both: three answers
  kernel caches mass_in_caches
  for question in hot=12 cold=20 both=16; do
    pretend --degree 1 --variants caches --cache "${question%=*}" --max-time 600
    expect_exit 0
    expect_stdout "^bp1\\.0 .* caches elements_per_block=${question#*=} "
  done
fi
