# inject.sh -- every allocation and every write fails once, one run for each: one clear line, exit code 3.
inject=$here/inject.so step=16

# Whether a file is the whole record: a row is in it.
is_record() { "$BP" report "$1" 2> /dev/null | grep -qE '^[*~ ][a-z]* +1 +[a-z]'; }

# walk KIND EXPECTED ARGUMENT...: the first, second, ... call of the kind fails, later ones in steps, until
# none is left. A run may also end as usual, with the same output, where the call was dispensable; so may one that tried
# again to write its record, or could not write a cache.
walk() {
  local kind=$1 expected=$2 n=1 runs=0 wrong=0 first=
  shift 2
  "$BP" "$@" > "$here/whole" 2> "$here/whole.err"
  local usual=$?
  sed -i "/is without effect on backend/d" "$here/whole.err"
  while [ $n -lt 200000 ]; do
    rm -f "$here/reached" "$here/a.json"
    timeout 60 env BP_INJECT="$kind $n" BP_INJECT_LOG="$here/reached" LD_PRELOAD="$inject" \
      "$BP" "$@" > "$out" 2> "$err"
    code=$?
    sed -i '/is without effect on backend/d; /lanes leave/d' "$err" # notes on what the config asks for
    [ -e "$here/reached" ] || break
    runs=$((runs + 1))
    if grep -q '; it went to standard output$' "$err" && ! is_record "$out"; then
      code=lost
    fi
    if ! { [ $code = 3 ] && [ "$(wc -l < "$err")" = 1 ] && grep -qE "$expected" "$err"; } &&
       ! { [ $code = $usual ] && [ "$kind" = alloc ] && cmp -s "$err" "$here/whole.err" && cmp -s "$out" "$here/whole"; } &&
       ! { [ $code = 0 ] && [ "$kind" = write ] && is_record "$here/a.json" &&
           { [ ! -s "$err" ] || grep -q '; the run goes on$' "$err"; }; }; then
      wrong=$((wrong + 1))
      [ -n "$first" ] || first="call $n: exit code $code, stderr $(shown "$err")"
    fi
    n=$((n + 1 + n / step))
  done
  ran="bp $* ($kind)"
  expect_equal "runs answered wrongly (of $runs; the first was $first):" $wrong 0
  expect_true "some calls failed" [ $runs -gt 0 ]
}

# A sanitized program takes its time: fewer of the later calls. The library stands before the sanitizer's allocator.
if ldd "$BP" | grep -q 'lib[atu]b*san'; then
  step=4
  export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
fi
ran="compiling tests/inject/inject.c"
expect_true "no error" cc -std=c11 -D_GNU_SOURCE -shared -fPIC -O1 -o "$inject" tests/inject/inject.c -ldl
space=': cannot be written: No space left on device(; it went to standard output)?$'
memory='^bp: out of memory|: out of memory$|Cannot allocate memory$'
walk alloc "$memory" help run
walk alloc "$memory" help --format man
walk alloc "$memory" list
walk alloc "$memory" run configs/smoke.yaml --dry-run --backend cpu
walk alloc "$memory" run tests/configs/good/everything.yaml --dry-run --box 2x2x2 --isa auto
walk alloc "$memory" run tests/configs/bad/several.yaml
walk alloc "$memory" mesh info meshes/cube512.msh
walk alloc "$memory" mesh box --force --elements 2x2x2 --output "$here/a.msh"
walk write "$space" mesh box --force --elements 2x2x2 --output "$here/a.msh"

walk write "^standard output$space" list
quick="run --problem bp1.0 --box 1x1x1 --degree 1 --set measure.max_time=0 --set measure.min_samples=1 --backend cpu"
walk write "$space" $quick --force --output "$here/a.json" --format json

# A file that another process cuts while it is read.
cp tests/records/schema-1.json "$here/record.json"
"$BP" mesh box --elements 20x20x20 --output "$here/text.msh"
"$BP" mesh box --elements 20x20x20 --binary --output "$here/binary.msh"
cut() {
  for left in 0 5000 20000; do
    cp "$1" "$here/cut.${1##*.}"
    export BP_INJECT="cut $left" LD_PRELOAD=$inject
    bp "${@:2}" "$here/cut.${1##*.}"
    unset BP_INJECT LD_PRELOAD
    expect_exit 2
    expect_lines stderr 1
    expect_stderr "^$here/cut\\.[a-z]*: expected a file that stays as it is while it is read, found it cut short\$"
  done
}
cut "$here/text.msh" mesh info
cut "$here/binary.msh" mesh info
cut "$here/text.msh" run --problem bp1.0 --degree 1 --backend cpu --mesh
sed -i 's/$/                                        /' "$here/record.json" # of several pages
cut "$here/record.json" report
{
  printf '# machine: NVIDIA H200\nprogram,problem,degree,elements,seconds\n'
  for n in $(seq 2000); do echo "a,bp1.0,$((n % 15 + 1)),4096,1e-5"; done
} > "$here/peers.csv"
cut "$here/peers.csv" report tests/records/schema-2.json --with
rm -f "$here/a.json"
for n in 1 2 3 4; do
  BP_INJECT="write $n" LD_PRELOAD=$inject "$BP" $quick --output "$here/a.json" > /dev/null 2>&1 && break
  expect_equal "files left behind:" "$(ls "$here" | grep -c a.json)" 0
done
