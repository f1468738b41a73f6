# ranks.sh -- solves and operators by several ranks: the same bits, and what happens when a rank is lost.
bp mesh box --elements 4x3x3 --warp 0.4 --version 2.2 --output "$here/straight.msh"
expect_exit 0
python3 tests/cli/rotate.py "$here/straight.msh" 7 > "$here/turned.msh"
kernels="--backend cpu --variants two-pass-ranks"

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

# any number of ranks and threads, any partition, elements with axes of their own
for problem in bp1:4 bp3:2 bp5:3 bp6:2 bp5:1; do
  solve="--problem ${problem%:*} --degree ${problem#*:} $kernels --mesh $here/turned.msh --iterations 12"
  bp solve --force $solve --output "$here/one" --threads 1
  expect_exit 0
  same_bits "$problem, 2 threads" $solve --threads 2
  for ranks in 2 3 4 8; do
    same_bits "$problem, $ranks ranks" $solve --ranks $ranks
    expect_stdout "^bp./two-pass-ranks on .*, $ranks ranks by shm: "
  done
  same_bits "$problem, ranks with every third element" $solve --ranks 3 --partition cyclic
done

# ranks without elements; a part of the boundary
solve="--problem bp5 --degree 3 $kernels --box 2x1x1 --iterations 5 --rhs constant"
bp solve --force $solve --output "$here/one"
same_bits "ranks without elements" $solve --ranks 5
solve="--problem bp4 --degree 2 $kernels --mesh meshes/pipe.msh --fixed inlet --iterations 5"
bp solve --force $solve --output "$here/one"
same_bits "an inlet" $solve --ranks 4

# operators, and rows of a record
bp run --problem bp1.0,bp3.5,bp5 --degree 2 --box 4x4x4 --ranks 3 --backend cpu --set measure.max_time=0.02 \
  --set measure.min_time=0 --set measure.min_samples=3 --format json --output "$here/run.json" --force
expect_exit 0
expect_equal "rows of 3 ranks" "$(grep -c '"ranks": 3' "$here/run.json")" 3
expect_equal "rows that are right" "$(grep -c '"status": "ok"' "$here/run.json")" 3

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

# a rank that is killed ends the job: one line, exit code 3, nobody is left, and what was finished is kept
cat > "$here/long.yaml" << END
problem: [bp5]
degree: [2, 3]
box: 4x4x4
backend: cpu
ranks: 3
measure: {min_time: 0.3, max_time: 1000, min_samples: 100000, max_samples: 1000000}
report: {format: json, output: $here/long.json}
END
rm -f "$here/long.json"
"$BP" run "$here/long.yaml" --set measure.max_time=1 --degree 2 > /dev/null 2>&1
cp "$here/long.json" "$here/first.json"
for victim in 1 2 0; do
  "$BP" run --resume "$here/first.json" --degree 2,3 --set measure.max_time=1000 > "$out" 2> "$err" &
  job=$!
  ran="bp run with 3 ranks, one of them killed"
  until [ "$(pgrep -P $job | wc -l)" -eq 3 ]; do sleep 0.05; done
  ranks=$(pgrep -P $job)
  sleep "0.$((RANDOM % 10))"
  kill -KILL $(echo $ranks | cut -d' ' -f$((victim + 1)))
  wait $job
  code=$?
  expect_exit 3
  expect_lines stderr 1
  expect_stderr "^rank $victim of 3 on .* was ended by signal 9 "
  expect_true "no rank is left" eval "! kill -0 $(echo $ranks | tr ' ' '\n' | paste -sd' ') 2> /dev/null"
  expect_true "the finished row is kept" grep -q '"degree": 2' "$here/first.json"
done

# the same by MPI, where `make` has found one and its mpirun is there
library=$(dirname "$BP")/libbp_mpi.so mpirun=
case $(ldd "$library" 2> /dev/null) in
  *libmpich*) mpirun="mpirun.mpich" ;;
  *libmpi.so*) mpirun="mpirun.openmpi --allow-run-as-root --oversubscribe" ;;
esac
if [ -n "$mpirun" ] && command -v "${mpirun%% *}" > /dev/null; then
  solve="--problem bp5 --degree 2 $kernels --mesh $here/turned.msh --iterations 5 --threads 1"
  "$BP" solve --force $solve --output "$here/one" > /dev/null
  ran="$mpirun -n 2 bp solve $solve"
  timeout 120 $mpirun -n 2 "$BP" solve --force $solve --output "$here/many" > "$out" 2> "$err"
  code=$?
  expect_exit 0
  expect_stdout ', 2 ranks by mpi: '
  expect_true "the same solution by MPI" cmp "$here/one-u.npy" "$here/many-u.npy"
  expect_true "the same residuals by MPI" cmp "$here/one-residuals.npy" "$here/many-residuals.npy"
else
  echo "tests/cli/ranks.sh: no MPI: ranks by mpirun were not tested"
fi
