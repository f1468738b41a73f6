# crash.sh -- a run-time compiler that crashes costs that one compilation; with a driver and a compiler that
# pretend (tests/fake_cuda).
fake=$(dirname "$(realpath "$BP")")/fake
[ -e "$fake/libnvrtc.so.13" ] || return 0
mkdir -p "$here/nvrtc" "$here/kernels/bp1.0"
for major in 13 20; do # the driver's version; the newest
  ln -s "$fake/libnvrtc.so.13" "$here/nvrtc/libnvrtc.so.$major"
done
export LD_LIBRARY_PATH=$here/nvrtc BP_CUDA_DRIVER=$fake/libcuda.so.1 BP_KERNEL_DIR=$here/kernels

# NAME TEXT
kernel() {
  printf '/* bp1.0/%s -- made here\n *\n * degrees: 1..3\n * option: pad 0..1 = 0 -- nothing\n * launch: mass; threads 96 */\nBP_KERNEL(mass)\n{\n} // %s\n' \
    "$1" "$2" > "$BP_KERNEL_DIR/bp1.0/$1.cu"
}
kernel mine-good ''
kernel mine-crash 'NVRTC crashes at N = 2;'
kernel mine-exit 'NVRTC exits at N = 2;'
crashed='the compiler NVRTC crashed \(signal 11\) on bp1\.0/mine-crash pad=0 for sm_90 at N = 2'
exited='the compiler NVRTC gave up on bp1\.0/mine-exit pad=0 for sm_90 at N = 2'

bp list 'bp1.0/mine-*' --arch sm_90 --degrees 1..3
expect_exit 3
expect_stderr "^bp list: $crashed\$"
expect_stderr "^bp list: $exited\$"
expect_lines stderr 3
expect_stdout '^bp1\.0/mine-good +2 +mass +32'
expect_stdout '^bp1\.0/mine-crash +3 +mass +32'
expect_stdout '^sm_90 by NVRTC 13\.99: 7 kernels, 0 of them spill; 2 compilations failed'
expect_lines stdout 9

bp run --backend cuda --problem bp1.0 --variants 'mine-*' --degree 1..3 --elements 8 --set measure.max_time=0.01
expect_exit 1
expect_stdout "mine-crash .*$crashed\$"
expect_stdout "mine-exit .*$exited\$"
expect_equal "rows that went well" "$(grep -cE '^[*~ ][a-z]* +[123] +mine-.*e-1[0-9] .*[0-9.]+e-1[0-9]' "$out")" 7

bp check --backend cuda 'bp1.0/mine-*' --degree 1..3 --elements 2
expect_exit 1
expect_stdout "^FAIL  bp1\.0/mine-crash pad=0  cuda  N=2, 2 elements: $crashed\$"
expect_stdout "^FAIL  bp1\.0/mine-exit pad=0  cuda  N=2, 2 elements: $exited\$"
expect_stdout '^ok    bp1\.0/mine-good +pad=0: 3 passed'
expect_stdout '^10 passed, 2 failed$' # each at pad=1, too, at one degree

bp tune --backend cuda --problem bp1.0 --variants 'mine-*' --degree 2 --elements 8 --max-time 600
expect_exit 0
expect_stderr "^bp tune: bp1\.0/mine-crash pad=., N=2, 8 elements: ${crashed/pad=0/pad=.}\$"
expect_stdout '^bp1\.0 +2 +8 .* mine-good '
expect_stdout '^1 tuned, '

# code that the driver refuses
kernel refused 'NVRTC errs at N = 2;'
bp run --backend cuda --problem bp1.0 --variants refused,mine-good --degree 2 --elements 8 --set measure.max_time=0.01
expect_exit 1
expect_stdout ' refused +WRONG: cuda: loading .*bp1\.0/refused\.cu: CUDA_ERROR_PRETENDED'
expect_stdout ' mine-good .*e-1'

# A kernel that needs more memory than there is cannot run here: no result is wrong, also where rank 1 alone lacks it,
# which has two of three elements.
printf '/* bp1.0/greedy -- made here\n *\n * degrees: 1..3\n * scratch: 20000 * elements\n * launch: mass; threads 96 */\nBP_KERNEL(mass)\n{\n}\n' \
  > "$BP_KERNEL_DIR/bp1.0/greedy.cu"
FAKE_CUDA_MEMORY=300000 bp run --backend cuda --problem bp1.0 --variants greedy,mine-good --degree 2 --elements 64 --set measure.max_time=0.01
expect_exit 0
expect_stdout 'greedy +skipped: cuda: out of device memory: scratch needs 10\.2 MB, '
expect_stdout ' mine-good .*e-1'
FAKE_CUDA_MEMORY=300000 bp run --backend cuda --problem bp1.0 --variants greedy,mine-good --degree 2 --box 1x1x3 --ranks 2 --set measure.max_time=0.01
expect_exit 0
expect_stdout 'greedy +skipped: cuda: out of device memory: scratch needs 320 kB, '
expect_stdout ' mine-good .*e-1'

# A signal to all processes of the run (timeout, a terminal that closes, a batch system) ends no worker. Below nohup
# SIGHUP would be ignored.
for signal in INT:130 TERM:143 TERM:143 TERM:143 HUP:129 HUP:129; do
  ran="bp run, all its processes get SIG${signal%:*}"
  rm -f "$here/signal.json"
  setsid env --default-signal=HUP "$BP" run --backend cuda --problem bp1.0 --variants mine-good --degree 1..3 --nodes 1e5 \
    --set measure.min_time=0.02 --set measure.confidence=0 --output "$here/signal.json" > "$out" 2> "$err" &
  pid=$!
  while kill -0 $pid 2> /dev/null && ! [ -s "$here/signal.json" ]; do sleep 0.02; done
  sleep 0.$((RANDOM % 9))
  kill -"${signal%:*}" -- -$pid
  wait $pid
  code=$?
  expect_exit "${signal#*:}"
  expect_true "no row is wrong" eval '! grep -q "\"wrong\"\|process that" "$here/signal.json" "$err"'
done
