# multigrid.sh -- p-multigrid in bp run, solve and check: iterations, refusals.
solve="--tolerance 1e-8 --force --output $here/s"
cycle="--backend cpu --preconditioner p-multigrid"

# at most so many iterations, and the same solution as without
iterations() {
  local most=$1 found
  shift
  bp solve $cycle "$@" $solve
  expect_exit 0
  found=$(sed -n 's/.*: \([0-9]*\) iterations with p-multigrid.*/\1/p' "$out")
  expect_true "$*: at most $most iterations, found $found" [ "${found:-999}" -le "$most" ]
}
iterations 7 --problem bp5 --degree 3 --box 4x4x4
error=$(sed -n 's/^L2 error \([^,]*\),.*/\1/p' "$out")
bp solve --problem bp5 --degree 3 --box 4x4x4 $solve
expect_stdout "^L2 error $error,"
iterations 10 --problem bp3 --degree 4 --box 3x3x2 --levels 4-1
iterations 8 --problem bp4 --degree 2 --box 3x2x2 --smoother schwarz
iterations 6 --problem bp1 --degree 3 --box 3x3x3
iterations 12 --problem bp5 --degree 3 --box 4x4x4 --coarse 5 # by aggregates
iterations 8 --problem bp6 --degree 3 --box 3x3x2 --smoother ras --lambda 0.5 --fixed none

# Kershaw's mesh: without a cycle ten times as many; boxes of elements need fewer than the diagonal
iterations 60 --problem bp5 --degree 4 --box 6x4x4 --kershaw 0.3
iterations 45 --problem bp5 --degree 4 --box 6x4x4 --kershaw 0.3 --smoother ras

# neither ranks nor threads change a bit: faces between ranks in boxes with neighbours' nodes, all fields, aggregates
shares=("--threads 2" "--ranks 2 --threads 1" "--ranks 3 --threads 1")
same() {
  local alone= bits shared
  for shared in "${shares[@]}"; do
    bp solve $cycle "$@" $solve $shared
    expect_exit 0
    bits=$(cat "$here/s-u.npy" "$here/s-residuals.npy" | sha256sum)
    expect_true "$*: the bits of one rank by $shared" [ "${alone:=$bits}" = "$bits" ]
  done
}
same --problem bp3 --degree 3 --box 3x3x2 --smoother ras --coarse 5
same --problem bp6 --degree 2 --box 4x2x2 --smoother schwarz
# of GPUs, by mailboxes and by the hosts; a rank without elements
shares=("--variants multigrid-ranks" "--ranks 3 --communication ipc" "--ranks 2 --partition cyclic")
cycle=${cycle/cpu/emulate} solve="--tolerance 0.05 --force --output $here/s" \
  same --problem bp4 --degree 2 --box 2x1x1 --lambda 0.5 --fixed none --smoother ras --coarse 9 --smoothing 1

# other polynomials: of the first kind, and of other degrees down and up
iterations 24 --problem bp5 --degree 4 --box 6x4x4 --kershaw 0.3 --smoother ras --smoothing 3,2
iterations 15 --problem bp5 --degree 4 --box 6x4x4 --kershaw 0.3 --smoother ras --smoothing 5 --chebyshev first

# rows of bp run: the operator of the mesh is applied once outside of the cycle, twice three times inside
bp run --problem bp5 --degree 3 --box 2x2x2 --preconditioner p-multigrid --tolerance 1e-8 --backend emulate --format json
expect_exit 0
expect_json "[(row['variant'], row['preconditioner'], row['applications'] == 7 * row['iterations'], row['iterations'] < 9)
  for row in r['rows']] == [('multigrid', 'p-multigrid', True, True)]"
expect_json "[row['options'] for row in r['rows']] == [
  {'levels': '3-2-1', 'smoother': 'jacobi', 'smoothing': 3, 'coarse': 3000}]"
bp run --problem bp5 --degree 3 --box 2x2x2 --preconditioner p-multigrid --backend emulate --format json \
  --levels 3-1 --set 'smoothing=[2, 1]' --chebyshev first --cycle double
expect_json "[(row['applications'] == 4 * row['iterations'], row['options']) for row in r['rows']] == [(True,
  {'levels': '3-1', 'smoother': 'jacobi', 'smoothing': '2,1', 'chebyshev': 'first', 'coarse': 3000, 'cycle': 'double'})]"
bp run --problem bp5 --degree 2 --box 2x2x2 --backend emulate --format json --set iterations=2
expect_json "[row['applications'] for row in r['rows']] == [None]"

# by name; without a tolerance it is 1e-8
bp solve --problem bps5 --degree 3 --box 3x3x3 --backend cpu --force --output "$here/s"
expect_exit 0
expect_stdout ' with p-multigrid, residual [1-9][0-9.]*e-(09|1[0-9]) of the first'
bp run --problem bps5 --preconditioner jacobi --degree 2 --box 2x2x2 --backend emulate --format json
expect_json "[(row['problem'], row['preconditioner'], row['applications'], row['iterations'] < 100) for row in r['rows']] == [
  ('bp5', 'jacobi', 9, True)]"
expect_json "[row['seconds']['interval'] for row in r['rows']] == [[]]"
cp "$out" "$here/emulated.json"
bp report "$here/emulated.json"
expect_stdout '^ +2 +two-kernel +27 +9 +- .* - +9 +[0-9.e-]+ '
bp run --problem bps3 --degree 2 --box 2x2x2 --backend emulate --format json
expect_json "[(row['problem'], row['preconditioner'], row['residual'] <= 1e-8) for row in r['rows']] == [('bp3', 'p-multigrid', True)]"
bp run --problem bps3,bp3 --degree 2 --box 2x2x2
expect_exit 2
expect_stderr '^--problem: expected bps1 to bps6 by themselves, found others with them$'
bp list bps4
expect_exit 0
expect_true "bps4 is bp3/multigrid alone" [ "$(grep -cE '^bp3/multigrid(-ranks)? ' "$out")" = "$(grep -c . "$out")" ]

# too many unknowns are told before too many copies of them
bp run --problem bp5 --degree 15 --box 1000x1000x1000 --backend emulate
expect_exit 2
expect_stderr 'expected fewer than 2\^31 unknowns'

# what an iteration spends on which part: of every level, and of no other solve
bp run --problem bps5 --degree 4 --box 4x4x4 --backend cpu --format json
expect_json "[(s['degree'], s['part'], s['seconds'] > 0) for s in r['rows'][0]['shares']] == [(n, part, True)
  for n in (4, 2) for part in ('operator', 'smoother', 'transfer')] + [(0, 'coarse', True), (4, 'iterations', True)]"
cp "$out" "$here/shares.json"
bp report "$here/shares.json"
expect_stdout 'shares: operator 4 [0-9.]* %, smoother 4 .*, iterations [0-9.]* %'

# the residual by time, beside that of another preconditioner
bp run --problem bp5 --tolerance 1e-8 --preconditioner jacobi --degree 4 --box 4x4x4 --backend cpu --format json
expect_json "[(h[0], h[-1]['iteration'] == row['iterations'], h[-1]['residual'] <= 1e-8, len(h) <= 52)
  for row in r['rows'] for h in [row['history']]] == [({'iteration': 0, 'residual': 1}, True, True, True)]"
cp "$out" "$here/jacobi.json"
bp report "$here/shares.json" "$here/jacobi.json" --figure residuals --svg "$here/residuals.svg"
expect_exit 0
expect_equal "lines" "$(grep -oE '(jacobi|p-multigrid): [0-9.]+ ' "$here/residuals.svg" | wc -l)" 2
bp run --problem bps5 --degree 4 --box 4x4x4 --levels 4-1 --smoothing 3,2 --backend cpu --format json
cp "$out" "$here/other.json"
bp report "$here/shares.json" "$here/other.json" --figure residuals --svg "$here/residuals.svg" --force
expect_equal "lines" "$(grep -oE '>(4-2-1 3|4-1 3,2): [0-9.]+ ' "$here/residuals.svg" | sort -u | wc -l)" 2
bp report "$here/shares.json" "$here/other.json"
expect_stdout ' multigrid +levels=4-1 smoothing=3,2 '

# bp tune: levels and smoothers by their time to solution, and a command that runs the fastest
bp tune --problem bps5 --degree 2,3 --elements 8 --backend cpu --threads 1 --coarse 2000 --smoothing 3
expect_exit 0
expect_equal "tables" "$(grep -cE '^bp5 N=[23] on box 2x2x2, to 1e-08, ' "$out")" 2
expect_equal "of N=3" "$(sed '1,/^bp run/d' "$out" | awk '/^(jacobi|schwarz|ras)/ { print $1, $2, $3 }' | sort)" "$(
  sed '1,/^bp run/d' "$out" | awk '/^(jacobi|schwarz|ras)/ { print $1, $2, $3 }' | sort -u)"
expect_true "three smoothers" [ "$(grep -cE '^(jacobi|schwarz|ras) +3-2-1 +3 ' "$out")" = 3 ]
expect_stdout '^(jacobi|schwarz|ras) +3-1 +3 +[0-9]+ '
expect_stdout '^jacobi +3-2-1 +3 .* 1\.000 as configured$'
command=$(tail -1 "$out")
fastest=$(sed '1,/^bp run/d' "$out" | sed -n 3p | awk '{ print $1, $2, $3, $4 }')
expect_true "$command" grep -qE '^bp run --problem bps5 --degree 3 --box 2x2x2 --backend cpu --threads 1 --coarse 2000 --levels ' <<< "$command"
eval "$command --format json"
expect_exit 0
expect_json "[(o['smoother'], o['levels'], str(o['smoothing']), str(row['iterations']), o['coarse']) for row in r['rows']
  for o in [row['options']]] == [(*'$fastest'.split(), 2000)]"
bp tune --problem bp5 --preconditioner p-multigrid --degree 3 --box 2x2x2 --backend cpu --smoother ras --levels 3-1 --iterations 3
expect_exit 3
expect_stderr '^none of [0-9] cycles could be timed: more than 3 iterations$'
bp tune --problem bp5,bp3.5 --preconditioner p-multigrid --degree 2 --elements 8 --backend cpu
expect_exit 2
expect_stderr '^--preconditioner: expected p-multigrid with bp1 to bp6 only, found bp3.5$'

# not reached: told, with the residuals kept
bp solve --problem bp5 --degree 4 --box 6x4x4 --kershaw 0.3 $cycle $solve --iterations 3
expect_exit 1
expect_stderr 'expected a residual of 1e-08 of the first within 3 iterations'
expect_true "residuals are kept" [ -s "$here/s-residuals.npy" ]
bp run --problem bps5 --degree 4 --box 6x4x4 --kershaw 0.3 --backend cpu --iterations 3 --format json
expect_exit 1
expect_json "[(row['status'], [h['iteration'] for h in row['history']], 1e-8 < row['history'][3]['residual'] < 1)
  for row in r['rows']] == [('wrong', [0, 1, 2, 3], True)]"

# no Dirichlet nodes: with a mass term
python3 tests/cli/box.py 3 3 3 xyz > "$here/torus.msh"
cycle="$cycle --mesh $here/torus.msh --periodic" iterations 7 --problem bp5 --degree 3 --lambda 1

# bad input
refuse() {
  local expected=$1
  shift
  bp "$@" $solve
  expect_exit 2
  expect_stderr "$expected"
}
small="solve --degree 4 --box 2x2x2 $cycle"
refuse "levels: expected degrees that fall from 4 to 1, found '4-2'" $small --problem bp5 --levels 4-2
refuse "levels: expected degrees that fall from 4 to 1, found '3-1'" $small --problem bp5 --levels 3-1
refuse "levels: expected them with preconditioner p-multigrid only" solve --degree 4 --box 2x2x2 --problem bp5 --levels 4-1
refuse "smoothing: expected one degree, or two, down and up, found more" $small --problem bp5 --smoothing 1,2,3
refuse "smoother: expected jacobi for bp1, which has no stiffness, found ras" $small --problem bp1 --smoother ras
refuse "smoother: expected one of jacobi, schwarz, ras" $small --problem bp5 --smoother ilu
refuse "the operator is singular" $small --problem bp5 --fixed none
refuse "the operator is singular" solve --degree 3 --mesh "$here/torus.msh" --periodic --problem bp5 $cycle
"$BP" mesh box --elements 2x2x2 --output "$here/folded.msh" > "$out"
sed -i 's/^0.5 0.5 0.5$/1.2 0.5 0.5/' "$here/folded.msh"
refuse "folded.msh:70: element 2: expected a positive Jacobian at its corners, found both signs" \
  solve --degree 2 --mesh "$here/folded.msh" --problem bp5 $cycle
refuse "preconditioner: expected none or jacobi with --backend reference" ${small/cpu/reference} --problem bp5

# against a literal cycle
bp check bp5/multigrid --backend cpu --degree 2 --elements 7,20
expect_exit 0
expect_stdout '^ok +bp5/multigrid'
