# expect.bash -- the words of a CLI test: `bp ARGUMENT...` runs the program, expect_... look at that run.
#
#   bp run --degre 7              runs it, keeps the exit code in $code, the output in $out and $err (files)
#   bp_in 'text' list             the same with text as standard input
#   expect_exit 2
#   expect_stdout REGEX           a line of standard output matches (extended regular expression)
#   expect_stderr REGEX           the same for standard error
#   expect_no_stdout REGEX        no line matches; without REGEX: nothing was written at all
#   expect_no_stderr [REGEX]
#   expect_lines stdout 3         so many lines
#   expect_equal WHAT FOUND EXPECTED
#   expect_true WHAT COMMAND...   the command succeeds
#   bp_interrupted 'COMMAND' run  runs it and sends it SIGINT once COMMAND succeeds
#
# No test waits for so many seconds, and none expects bp to be done in so many: limits are there against what hangs.
out=$here/.stdout err=$here/.stderr
code=0 ran=

bp_in() {
  local input=$1
  shift
  ran="bp $*"
  timeout "${BP_TIMEOUT:-600}" "$BP" "$@" > "$out" 2> "$err" <<< "$input"
  code=$?
  if [ $code -ge 124 ] && [ $code -ne 130 ]; then
    judge false "ended by itself, not by a crash or a timeout" "exit code $code"
  elif grep -q 'Sanitizer\|runtime error:' "$err"; then
    judge false "nothing for the sanitizers to find" "$(grep -m1 'Sanitizer\|runtime error:' "$err")"
  fi
}

bp() {
  bp_in "" "$@"
}

bp_interrupted() {
  local when=$1 pid
  shift
  ran="bp $*, interrupted"
  "$BP" "$@" > "$out" 2> "$err" &
  pid=$!
  while kill -0 $pid 2> /dev/null && ! eval "$when"; do sleep 0.05; done
  kill -INT $pid
  wait $pid
  code=$?
}

# judge COMMAND EXPECTED FOUND
judge() {
  if "$1"; then
    echo pass >> "$tally"
  else
    echo fail >> "$tally"
    echo "$script:${BASH_LINENO[1]}: $ran: expected $2, found $3"
  fi
}

# What a stream holds, for a message: its first lines on one line.
shown() {
  [ -s "$1" ] && echo "'$(head -n 4 "$1" | head -c 400 | tr '\n' '~')'" || echo nothing
}

expect_exit() {
  local is=false
  [ "$code" = "$1" ] && is=true
  judge $is "exit code $1" "$code, stderr $(shown "$err")"
}

expect_stdout() {
  local is=false
  grep -qE -- "$1" "$out" && is=true
  judge $is "/$1/ on stdout" "$(shown "$out")"
}

expect_stderr() {
  local is=false
  grep -qE -- "$1" "$err" && is=true
  judge $is "/$1/ on stderr" "$(shown "$err")"
}

expect_no_stdout() {
  local is=true
  grep -qE -- "${1:-}" "$out" && is=false
  judge $is "no /${1:-.*}/ on stdout" "$(shown "$out")"
}

expect_no_stderr() {
  local is=true
  grep -qE -- "${1:-}" "$err" && is=false
  judge $is "no /${1:-.*}/ on stderr" "$(shown "$err")"
}

expect_lines() {
  local is=false file=$out
  [ "$1" = stderr ] && file=$err
  [ "$(wc -l < "$file")" -eq "$2" ] && is=true
  judge $is "$2 lines on $1" "$(wc -l < "$file"): $(shown "$file")"
}

expect_equal() {
  local is=false
  [ "$2" = "$3" ] && is=true
  judge $is "$1 $3" "$2"
}

expect_true() {
  local is=false what=$1
  shift
  "$@" > /dev/null 2>&1 && is=true
  judge $is "$what" "that '$*' fails"
}

# expect_json EXPRESSION: standard output is JSON, and EXPRESSION over it (`r`) is true, in Python.
expect_json() {
  local is=false
  python3 -c '
import json, sys
def refuse(pairs):
    keys = [k for k, v in pairs]
    assert len(keys) == len(set(keys)), "duplicate keys"
    return dict(pairs)
r = json.load(open(sys.argv[1]), object_pairs_hook=refuse)
assert eval(sys.argv[2])' "$out" "$1" 2> "$here/.python" && is=true
  judge $is "JSON with $1" "$(tail -n 1 "$here/.python"): $(shown "$out")"
}
