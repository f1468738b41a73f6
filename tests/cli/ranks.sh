# ranks.sh -- solves and operators by several ranks: the same bits, and what happens when a rank is lost.
python3 tests/cli/star.py 2 2 > "$here/straight.msh"
python3 tests/cli/rotate.py "$here/straight.msh" 7 > "$here/turned.msh"
kernels="--backend cpu --variants one-pass-ranks"

# same_bits WHAT OPTION...: another solve writes what the one before wrote
same_bits() {
  local what=$1 file
  shift
  bp solve --force --output "$here/many" "$@"
  expect_exit 0
  expect_no_stderr
  for file in x ids fixed f u residuals; do
    expect_true "$what: the same $file" cmp "$here/one-$file.npy" "$here/many-$file.npy"
  done
}

# any number of ranks and threads, any partition, an edge with five elements, which have axes of their own; under
# sanitizers, which are slow, fewer cases
cases="bp1:1 bp3:2 bp5:6 bp6:2 bp1:9 bp3:15"
ldd "$BP" | grep -q 'lib[atu]b*san' && cases="bp1:2 bp3:4 bp5:1 bp6:2"
for problem in $cases; do
  solve="--problem ${problem%:*} --degree ${problem#*:} $kernels --mesh $here/turned.msh --iterations 10"
  bp solve --force $solve --output "$here/one" --threads 1
  expect_exit 0
  same_bits "$problem, 2 threads" $solve --threads 2
  for ranks in 3 8; do
    same_bits "$problem, $ranks ranks" $solve --ranks $ranks
    expect_stdout "^bp./one-pass-ranks on .*, $ranks ranks by shm: "
  done
  same_bits "$problem, ranks with every third element" $solve --ranks 3 --partition cyclic
done

# with a preconditioner: as the literal iterations
for case in "--problem bp3 --degree 4" "--problem bp6 --degree 2" "--problem bp5 --degree 1 --lambda 3 --fixed none"; do
  solve="$case $kernels --mesh $here/turned.msh --iterations 9 --preconditioner jacobi"
  bp solve --force ${solve/$kernels/--backend reference} --output "$here/literal"
  bp solve --force $solve --output "$here/one"
  expect_exit 0
  expect_stdout ': 9 iterations with jacobi, residual '
  expect_true "$case: as the reference" python3 tests/cli/solve.py near "$here/literal" "$here/one" 1e-12
  same_bits "$case, jacobi" $solve --ranks 3 --partition cyclic
  same_bits "$case, jacobi, 2 threads" $solve --threads 2
done

# many elements, of which most touch no other rank's
solve="--problem bp5 --degree 3 $kernels --box 6x6x6 --iterations 5 --threads 2"
bp solve --force $solve --output "$here/one"
same_bits "inner elements" $solve --ranks 3

# ranks without elements; a part of the boundary
solve="--problem bp5 --degree 3 $kernels --box 2x1x1 --iterations 5 --rhs constant"
bp solve --force $solve --output "$here/one"
same_bits "ranks without elements" $solve --ranks 5
solve="--problem bp4 --degree 2 $kernels --mesh meshes/pipe.msh --fixed inlet --iterations 5"
bp solve --force $solve --output "$here/one"
same_bits "an inlet" $solve --ranks 4

# a case for each degree
bp run configs/bp5.yaml --degree 7..15 --box 2x2x2 --ranks 2 --backend cpu --dry-run
expect_exit 0
expect_equal "cases of degrees 7 to 15" "$(grep -c '^bp5 ' "$out")" 9

# operators, and rows of a record
bp run --problem bp1.0,bp3.0,bp3.5,bp5 --degree 2 --mesh "$here/turned.msh" --ranks 3 --backend cpu --set measure.max_time=0.02 \
  --set measure.min_time=0 --set measure.min_samples=3 --format json --output "$here/run.json" --force
expect_exit 0
expect_equal "rows of 3 ranks" "$(grep -c '"ranks": 3' "$here/run.json")" 4
expect_equal "rows that are right" "$(grep -c '"status": "ok"' "$here/run.json")" 4

# memory: of one more unknown, with the copy's 149 bytes; of eight ranks as of one, and little more for each (not
# under sanitizers)
most() { # RANKS BOX: bytes of all processes
  python3 tests/cli/memory.py "$BP" run --problem bp5 --degree 7 --box $2 $kernels --threads 1 --ranks $1 --no-figure \
    --set iterations=2 --set measure.max_time=0.01 --set measure.min_time=0 --set measure.min_samples=1
}
if ! ldd "$BP" | grep -q 'lib[atu]b*san'; then
  small=$(most 1 6x6x6) one=$(most 1 14x14x14) eight=$(most 8 14x14x14)
  expect_true "bytes of an unknown: $(((one - small) / 847000))" [ $(((one - small) / 847000)) -lt 400 ]
  expect_true "eight ranks: $eight bytes, one: $one" [ $eight -lt $((one * 110 / 100 + 8 * 4000000)) ]
fi

# in a shell that a starter of MPI has started, and of which it knows nothing
ran="bp solve --ranks 2 --communication shm with PMI_RANK"
PMI_RANK=0 "$BP" solve --force --problem bp5 --degree 2 $kernels --box 2x2x2 --iterations 3 --ranks 2 --communication shm \
  --output "$here/o" > "$out" 2> "$err"
code=$?
expect_exit 0
expect_stdout ", 2 ranks by shm: "

# nothing is lost or used wrongly up to the end; valgrind has no AVX-512, a binary for that alone does not run in it
solve="solve --force --problem bp5 --degree 2 $kernels --box 3x3x3 --iterations 3 --threads 1 --output $here/o"
if ! ldd "$BP" | grep -q 'lib[atu]b*san' && valgrind -q "$BP" $solve > /dev/null 2>&1; then
  ran="valgrind bp solve --ranks 3"
  timeout 120 valgrind -q --trace-children=yes --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
    --show-leak-kinds=definite "$BP" $solve --ranks 3 > "$out" 2> "$err"
  code=$?
  expect_exit 0
  expect_no_stderr
else
  echo "tests/cli/ranks.sh: no valgrind that runs this binary: the end of ranks was not looked at"
fi

# more unknowns than one rank can number
for ranks in 1 2; do
  bp run --problem bp5 --degree 2 --box 700x700x700 --variants one-pass-ranks --backend cpu --ranks $ranks --dry-run
  expect_exit $((ranks == 1 ? 2 : 0))
done

# what cannot be
bp solve --force --problem bp5 --degree 2 --box 2x2x2 --ranks 2 --output "$here/o"
expect_exit 2
expect_stderr '^bp solve: --ranks: expected --backend cpu, cuda or emulate, found reference$'
expect_lines stderr 1
bp solve --force --problem bp5 --degree 2 --backend cpu --mesh "$here/no.msh" --ranks 3 --output "$here/o"
expect_exit 2
expect_lines stderr 1
bp solve --force --problem bp5 --degree 2 --backend cpu --box 2x2x2 --fixed none --ranks 3 --output "$here/o"
expect_exit 2
expect_lines stderr 1
expect_stderr 'the operator is singular$'

for way in ipc nccl; do
  bp solve --force --problem bp5 --degree 2 --backend cpu --box 2x2x2 --ranks 2 --communication $way --output "$here/o"
  expect_exit 2
  expect_lines stderr 1
  expect_stderr "^communication: $way: expected GPUs \\(backend cuda\\), found cpu$"
done

# what each rank did, and how the rate changes with their number
for ranks in 1 2 3; do
  bp run --problem bp5 --degree 2 --box 4x4x4 --ranks $ranks --backend cpu --variants one-pass-ranks --set threads=1 \
    --set measure.max_time=0.02 --format json --output "$here/r$ranks.json" --force
  expect_exit 0
done
expect_equal "shares of ranks" "$(grep -o '"surface_nodes": [1-9]' "$here/r2.json" | wc -l)" 2
expect_true "how fast the way between ranks is" grep -q '"communication shm": "sum of 3 values ' "$here/r2.json"
expect_true "where each rank runs" grep -q '"rank 1": ".*, processors [0-9]' "$here/r2.json"
expect_true "not where one alone runs" test "$(grep -c '"rank 0"' "$here/r1.json")" -eq 0
bp report "$here"/r[123].json --svg "$here/scaling.svg" --figure scaling --force
expect_exit 0
expect_equal "a tick at each number of ranks" "$(grep -o ">[123]<" "$here/scaling.svg" | sort -u | tr -d '\n')" ">1<>2<>3<"
bp report "$here/r1.json" "$here/r2.json"
expect_stdout '^strong scaling of bp5 N=2, 343 DOFs, hot$'

# A rank that is lost ends the job within ten seconds: one line, exit code 3, nobody is left, and what was finished is
# kept. lose SIGNAL VICTIM SECONDS: of the job that runs, whose ranks are the children of $parent
cat > "$here/long.yaml" << END
problem: [bp5]
degree: [2, 3]
box: 4x4x4
backend: cpu
threads: 1
measure: {min_time: 0.1, max_time: 1000, min_samples: 100000, max_samples: 1000000}
report: {format: json, output: $here/long.json}
END
lose() {
  local ranks begin
  until [ -n "$(parent_of)" ] && [ "$(pgrep -P "$(parent_of)" | wc -l)" -eq 3 ]; do sleep 0.02; done
  ranks=$(pgrep -P "$(parent_of)")
  sleep "$3"
  begin=$(date +%s%N)
  kill "-$1" "$(echo $ranks | cut -d' ' -f$(($2 + 1)))"
  wait $job
  code=$?
  expect_true "$ran: over within 10 s" [ $((($(date +%s%N) - begin) / 1000000)) -lt 10000 ]
  for n in $(seq 20); do kill -0 $ranks 2> /dev/null && sleep 0.1; done
  expect_true "$ran: no rank is left" eval "! kill -0 $(echo $ranks) 2> /dev/null"
}
moment() { printf '0.%03d' $((RANDOM % 1000)); }
parent_of() { echo $job; }
"$BP" run "$here/long.yaml" --ranks 3 --set measure.max_time=0.2 --degree 2 --output "$here/first.json" > /dev/null 2>&1
for victim in 0 1 2 0 1 2; do
  ran="bp run with 3 ranks, rank $victim killed"
  "$BP" run --resume "$here/first.json" --degree 2,3 --set measure.max_time=1000 > "$out" 2> "$err" &
  job=$!
  lose KILL $victim "$(moment)"
  expect_exit 3
  expect_lines stderr 1
  expect_stderr "^rank $victim of 3 on .* was ended by signal 9 "
  expect_true "the finished row is kept" grep -q '"degree": 2' "$here/first.json"
done
ran="bp run with 3 ranks, one of them stopped"
"$BP" run "$here/long.yaml" --ranks 3 > "$out" 2> "$err" &
job=$!
lose STOP 1 0.5
expect_exit 3
expect_lines stderr 1
expect_stderr "^rank 1 of 3 on .* was stopped by a signal"

# a signal goes to all of them
BP_PROGRESS=0.1 bp_interrupted 'grep -q "^\[" "$err"' run --resume "$here/first.json" --degree 2,3 --set measure.max_time=1000
expect_exit 130
expect_true "the finished row is kept" grep -q '"degree": 2' "$here/first.json"
expect_true "it says that it was interrupted" grep -q '"interrupted": true' "$here/first.json"

# the same by MPI, where `make` has found one and its mpirun is there
library=$(dirname "$BP")/libbp_mpi.so mpirun=
case $(ldd "$library" 2> /dev/null) in
  *libmpich*) mpirun="mpirun.mpich" ;;
  *libmpi.so*) mpirun="mpirun.openmpi --allow-run-as-root --oversubscribe --quiet" ;;
esac
# (not under sanitizers: MPI's libraries have leaks of their own)
if [ -n "$mpirun" ] && command -v "${mpirun%% *}" > /dev/null && ! ldd "$BP" | grep -q 'lib[atu]b*san'; then
  solve="--problem bp5 --degree 2 $kernels --mesh $here/turned.msh --iterations 5 --threads 1"
  "$BP" solve --force $solve --output "$here/one" > /dev/null
  for ranks in 2 4 8; do
    ran="$mpirun -n $ranks bp solve $solve"
    timeout 120 $mpirun -n $ranks "$BP" solve --force $solve --output "$here/many" > "$out" 2> "$err"
    code=$?
    expect_exit 0
    expect_stdout ", $ranks ranks by (mpi|shm): "
    expect_true "$ranks ranks: the same solution by MPI" cmp "$here/one-u.npy" "$here/many-u.npy"
    expect_true "$ranks ranks: the same residuals by MPI" cmp "$here/one-residuals.npy" "$here/many-residuals.npy"
  done

  solve_wave="--problem wave --degree 3 --backend cpu --mesh $here/turned.msh --iterations 9 --threads 1"
  "$BP" solve --force $solve_wave --output "$here/wave" > /dev/null
  ran="$mpirun -n 3 bp solve $solve_wave"
  timeout 120 $mpirun -n 3 "$BP" solve --force $solve_wave --output "$here/waves" > "$out" 2> "$err"
  code=$?
  expect_exit 0
  expect_true "the same wave by MPI" cmp "$here/wave-u.npy" "$here/waves-u.npy"

  # started by the mpirun of another MPI
  other=PMI
  [ "$mpirun" != mpirun.mpich ] || other=OMPI_COMM_WORLD
  ran="bp solve, the first of two of another MPI"
  env ${other}_RANK=0 ${other}_SIZE=2 "$BP" solve --force $solve --output "$here/many" > "$out" 2> "$err"
  code=$?
  expect_exit 3
  expect_no_stdout
  expect_stderr '^MPI: expected 2 ranks, as mpirun has started, found 1: bp was built with another MPI; `make clean all MPICC='

  # ranks that were asked for different things
  quick="--backend cpu --set measure.max_time=0.02 --set measure.min_time=0 --set measure.min_samples=3"
  mixed() { # OPTION... : OPTION...: of rank 0, of rank 1
    local first=()
    while [ "$1" != : ]; do first+=("$1") && shift; done
    shift
    ran="$mpirun -n 1 bp ${first[*]} : -n 1 bp $*"
    timeout 60 $mpirun -n 1 "$BP" "${first[@]}" : -n 1 "$BP" "$@" > "$out" 2> "$err"
    code=$?
  }
  mixed run --problem bp5 --degree 2 --box 3x3x3 $quick : run --problem bp5 --degree 2 --box 3x3x4 $quick
  expect_exit 2
  expect_stderr "^rank 1 of 2 on .*: expected 'box: 3x3x3', as of rank 0, found 'box: 3x3x4': all ranks work on"
  expect_lines stderr 1
  cp "$BP" "$here/other" && cp "$library" "$here" && echo >> "$here/other"
  ran="$mpirun: two builds"
  timeout 60 $mpirun -n 1 "$BP" solve --force $solve --output "$here/o" : -n 1 "$here/other" solve --force $solve \
    --output "$here/o" > "$out" 2> "$err"
  code=$?
  expect_exit 3
  expect_stderr "^rank 1 of 2 on .*: expected the same bp as rank 0's "
  expect_lines stderr 1
  mixed run --problem bp5 --degree 2 --box 3x3x3 $quick : run --problem bp5 --degree x --box 3x3x3 $quick
  expect_exit 2
  expect_stderr "^rank 1 of 2 on .*: --degree: expected "

  # both ways between ranks of one host are timed
  timeout 60 $mpirun -n 2 "$BP" run --problem bp5 --degree 2 --box 3x3x3 $quick --format json > "$here/auto.json" 2> "$err"
  for way in mpi shm; do
    expect_true "the time by $way" grep -q "\"communication $way\": \"sum of" "$here/auto.json"
    ran="$mpirun -n 2 bp solve --communication $way"
    timeout 60 $mpirun -n 2 "$BP" solve --force $solve --communication $way --output "$here/many" > "$out" 2> "$err"
    code=$?
    expect_exit 0
    expect_stdout ", 2 ranks by $way: "
    expect_true "the same solution by $way" cmp "$here/one-u.npy" "$here/many-u.npy"
  done

  # between pretended GPUs: MPI gets their pointers where it says so and a trial shows it; it brings NCCL's id to
  # another host
  shim=$here/device_mpi.so
  ran="compiling tests/inject/device_mpi.c"
  case $mpirun in *openmpi*) mpicc=mpicc.openmpi ;; *) mpicc=mpicc.mpich ;; esac
  expect_true "no error" $mpicc -std=c11 -D_GNU_SOURCE -shared -fPIC -O1 -o "$shim" tests/inject/device_mpi.c -ldl
  for trial in mpi-device: mpi:error mpi:wrong mpi:silent mpi:none nccl:hosts; do
    export BP_TEST_MPI=${trial%:*} FAKE_MPI_DEVICE=${trial#*:}
    ran="$mpirun -n 2 unit device_mpi, FAKE_MPI_DEVICE=$FAKE_MPI_DEVICE"
    preload=$shim
    [ "$FAKE_MPI_DEVICE" = none ] && preload=
    BP_NCCL=$(dirname "$(realpath "$BP")")/fake/libnccl.so.2 timeout 60 \
      $mpirun -n 2 env LD_PRELOAD=$preload "$(dirname "$BP")/unit" device_mpi > "$out" 2> "$err"
    code=$?
    expect_exit 0
    unset BP_TEST_MPI FAKE_MPI_DEVICE
  done

  # losing ranks; mpirun itself says how a killed one ended, and with which code
  parent_of() { # of the ranks: mpirun of Open MPI, a process that mpirun of MPICH has started
    [[ $mpirun == *openmpi* ]] && echo $job || pgrep -P $job
  }
  for lost in "KILL 0" "KILL 1" "KILL 2" "KILL 0" "STOP 1"; do
    ran="$mpirun with 3 ranks, $lost"
    $mpirun -n 3 "$BP" run "$here/long.yaml" --force > "$out" 2> "$err" &
    job=$!
    when=$(moment)
    [ "$lost" = "STOP 1" ] && when=3 # MPI_Init itself waits for ever
    lose ${lost% *} ${lost#* } "$when"
    expect_true "$ran: a failure" [ $code -ne 0 ]
  done
  expect_exit 3
  expect_stderr "^rank 1 of 3 on .* was stopped by a signal"
else
  echo "tests/cli/ranks.sh: no MPI: ranks by mpirun were not tested"
fi

# Elements that share no mesh are not shared by ranks.
for problem in pair wave2d gradient-tri; do
  bp run --backend cpu --problem $problem --ranks 2
  expect_exit 2
  expect_stderr "^problem: expected one whose elements ranks can share, found $problem\$"
done
