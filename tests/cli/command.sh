# command.sh -- finding commands, options in general, help.

bp
expect_exit 2
expect_no_stdout
expect_stderr '^Usage: bp COMMAND'

bp --help
expect_exit 0
expect_no_stderr
expect_stdout '^Usage: bp COMMAND'
expect_stdout '^  check +compare variants'
expect_true "help fits a screen" [ "$(wc -l < "$out")" -le 40 ]
expect_true "help fits 80 columns" [ "$(wc -L < "$out")" -lt 80 ]
cp "$out" "$here/help"

bp -h
expect_true "-h is --help" cmp "$out" "$here/help"
bp help
expect_exit 0
expect_true "help is --help" cmp "$out" "$here/help"

bp --version
expect_exit 0
expect_stdout "^bp $(cat VERSION)\$"
expect_lines stdout 1
bp version
expect_stdout "^bp $(cat VERSION)\$"

bp chek
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr "^bp: unknown command 'chek'; did you mean 'check'\?\$"
bp xylophone
expect_exit 2
expect_stderr "^bp: unknown command 'xylophone'; see 'bp --help'\$"
bp $'\e[31mred'
expect_exit 2
expect_stderr "unknown command '\?\[31mred'"
bp ''
expect_exit 2
expect_stderr "unknown command nothing"

# every command of the list has its own help
for name in $(sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' "$here/help" | sort -u); do
  bp $name --help
  expect_exit 0
  expect_no_stderr
  expect_stdout "^Usage: bp $name"
  expect_true "help fits 80 columns" [ "$(wc -L < "$out")" -lt 80 ]
  bp help $name
  expect_exit 0
  expect_stdout "^Usage: bp $name"
done
bp help chek
expect_exit 2
expect_stderr "^bp: unknown command 'chek'; did you mean 'check'\?\$"

# commands of two words
bp mesh
expect_exit 2
expect_no_stdout
expect_stderr '^Usage: bp mesh COMMAND'
bp mesh --help
expect_exit 0
expect_no_stderr
expect_stdout '^  mesh info +what'
expect_stdout '^  mesh box +write'
cp "$out" "$here/group"
bp help mesh
expect_exit 0
expect_true "the same" cmp "$out" "$here/group"
bp help mesh info
expect_exit 0
expect_stdout '^Usage: bp mesh info .* FILE$'
bp mesh inf
expect_exit 2
expect_lines stderr 1
expect_stderr "^bp: unknown command 'mesh inf'; did you mean 'mesh info'\?\$"
bp help mesh xylophone
expect_exit 2
expect_stderr "^bp: unknown command 'mesh xylophone'"
bp help run extra
expect_exit 2
expect_stderr "^bp help: expected one command, found 'run extra'\$"
bp mesh info
expect_exit 2
expect_stderr "^bp mesh info: expected FILE, found nothing; see 'bp mesh info --help'\$"
bp mesh box --force --elements 2x2
expect_exit 2
expect_stderr "^--elements: expected elements along x, y and z such as 16x16x16, found '2x2'\$"
bp mesh box --force --elements 2x2x2 --version 3 --output "$here/a.msh"
expect_exit 2
expect_stderr "^--version: expected one of 2.2, 4.1, found '3'\$"
bp mesh info --degrees 1..99 a.msh
expect_exit 2
expect_stderr "^--degrees: expected whole numbers .*, found '1\.\.99'\$"

bp check --degre 7
expect_exit 2
expect_lines stderr 1
expect_stderr "^bp check: unknown option '--degre'; did you mean '--degree'\?\$"
bp check --xylophone=3
expect_exit 2
expect_stderr "^bp check: unknown option '--xylophone'; see 'bp check --help'\$"
bp check -d 7
expect_exit 2
expect_stderr "^bp check: unknown option '-d'"
bp check --degree
expect_exit 2
expect_stderr '^--degree: expected LIST, found nothing$'
bp check --degree --seed 1
expect_exit 2
expect_stderr "^--degree: expected LIST, found '--seed'\$"
bp check --degree 99
expect_exit 2
expect_lines stderr 1
expect_stderr "^--degree: expected whole numbers .* 1 to 15, found '99'\$"
bp check --seed 1 --seed 2
expect_exit 2
expect_stderr '^--seed: expected once, found twice$'
bp check --elements 0
expect_exit 2
expect_stderr "^--elements: expected whole numbers .*, found '0'\$"
bp check --elements 1 --elements 1
expect_exit 2
expect_stderr "^--elements: expected each value once, found '1' again\$"
bp check --backend cud
expect_exit 2
expect_stderr "^--backend: expected one of auto, cpu, cuda, emulate, found 'cud'; did you mean 'cuda'\?\$"
bp list --details=yes
expect_exit 2
expect_stderr '^--details: expected no value, found one$'
bp list --format xml
expect_exit 2
expect_stderr "^--format: expected one of table, json, found 'xml'\$"
bp info extra
expect_exit 2
expect_stderr "^bp info: expected options only, found 'extra'; see 'bp info --help'\$"
bp version -- --help
expect_exit 2
expect_stderr "^bp version: expected options only, found '--help'"

# what cannot be written is said, once; a reader that leaves early is no error to talk about
ran='bp --help > /dev/full'
"$BP" --help > /dev/full 2> "$err"
code=$?
expect_exit 3
expect_lines stderr 1
expect_stderr '^standard output: cannot be written: No space left on device$'
ran='bp --help >&-'
"$BP" --help >&- 2> "$err"
code=$?
expect_exit 3
expect_lines stderr 1
expect_stderr '^standard output: cannot be written: Bad file descriptor$'
ran='bp --help | true'
exec {pipe}> >(true)
wait $! # nobody reads from here on
"$BP" --help 2> "$err" >&$pipe
code=$?
exec {pipe}>&-
expect_exit 0
expect_no_stderr

# what the caller did to signals changes nothing; a limit on the size of files is a full disk
ran='bp check, children not waited for'
(trap '' CHLD; exec "$BP" check bp1.0/naive --degree 1 --elements 1) > "$out" 2> "$err"
code=$?
expect_exit 0
expect_stdout '^[0-9]+ passed, 0 failed$'
ran='bp mesh box, files of at most one block'
(ulimit -f 1; export GCOV_PREFIX="$here/counts"; exec "$BP" mesh box --elements 9x9x9 --output "$here/large.msh") > "$out" 2> "$err"
code=$?
expect_exit 3
expect_stderr "^$here/large.msh: cannot be written: File too large\$"
expect_equal "nothing half-written" "$(ls "$here" | grep -c large)" 0

# options that mean nothing there
bp list --backend gpu
expect_exit 2
expect_stderr "^--backend: expected one of auto, cpu, cuda, emulate, found 'gpu'"
bp list --degrees 3
expect_exit 2
expect_stderr '^bp list: --degrees: expected --arch sm_N beside it, found none$'
bp list --arch sm_90 --backend cpu
expect_exit 2
expect_stderr '^bp list: --arch: expected backend cuda, found cpu$'
bp list --arch sm_90 --details
expect_exit 2
expect_stderr '^bp list: --arch: expected no --details beside it, found it$'
bp run --set =3
expect_exit 2
expect_stderr "^--set: expected KEY=VALUE, found '=3'\$"

# A reader that has gone is no error: the exit code is as if it had read all.
closed() {
  ran="bp $* into a closed pipe"
  ( exec 3> >(exit 0); sleep 0.1; timeout 60 "$BP" "$@" >&3 2> "$err"; echo $? > "$here/code" )
  code=$(cat "$here/code")
  expect_exit "$expected"
  expect_no_stderr 'written|error'
}
expected=0
closed list
closed list --format json
closed --help
closed help run
closed help --format man
closed version
closed info
closed mesh info meshes/cube512.msh
closed mesh info meshes/cube512.msh --format json
closed mesh box --elements 20x20x20 --output -
closed report tests/records/schema-1-cpu.json
closed report tests/records/schema-1-cpu.json --html -
closed compare tests/records/schema-1-cpu.json tests/records/schema-1-cpu.json
closed run --problem bp1.0 --variants naive --degree 1 --box 2x2x2 --backend cpu --set measure.max_time=0.01 --format json
closed run --problem bp1.0 --box 2x2x2 --degree 1..15 --backend cpu --dry-run
closed check bp1.0/naive --degree 1 --elements 1
expected=2
closed run --problem bp9 --backend cpu

# Threads that cannot be had.
export OMP_NUM_THREADS=1000000
bp run --problem bp1.0 --degree 1 --box 2x2x2 --backend cpu
expect_exit 2
expect_lines stderr 1
expect_stderr '^OMP_NUM_THREADS: expected at most 4096 threads, found 1000000$'
if ! ldd "$BP" | grep -q 'lib[atu]b*san'; then # sanitizers need address space
  export OMP_NUM_THREADS=2000
  ( ulimit -v 4000000; bp run --problem bp1.0 --degree 1 --box 2x2x2 --backend cpu; echo $code > "$here/code" )
  code=$(cat "$here/code")
  expect_exit 3
  expect_lines stderr 1
  expect_stderr '^OMP_NUM_THREADS: expected a number of threads that can be started, found 2000 of which [0-9]+ can \(Resource temporarily unavailable\)$'
  export OMP_NUM_THREADS=2 OMP_STACKSIZE=100000G # the runtime itself gives up
  bp run --problem bp1.0 --degree 1 --box 2x2x2 --backend cpu --set measure.max_time=0.01
  expect_exit 3
  unset OMP_STACKSIZE
fi
unset OMP_NUM_THREADS

# Text from files, the environment or the command line does not command the terminal.
escape=$'x\033[7my' mark=$'x\u202ey'
harmless() { # ARGUMENT...: its text is shown on standard output as \x1b or \u202e
  bp "$@"
  expect_exit 0
  expect_stdout 'x(\\x1b\[7m|\\u202e)y'
  expect_true "nothing to obey" bash -c '! grep -qF -e "$0" -e "$1" "$2" "$3"' $'\033' $'\u202e' "$out" "$err"
}
mkdir -p "$here/kernels/bp1.0"
sed "1s/--.*/-- $escape/" kernels/bp1.0/direct.cu > "$here/kernels/bp1.0/direct.cu"
BP_KERNEL_DIR=$here/kernels harmless list bp1.0/direct
mv "$here/kernels" "$here/$escape"
sed "1s/bp1.0.direct/bp1.0\/$escape/" kernels/bp1.0/direct.cu > "$here/$escape/bp1.0/$escape.cu"
sed -i '1s/--.*/-- plain/' "$here/$escape/bp1.0/direct.cu"
BP_KERNEL_DIR=$here/$escape harmless list bp1.0/direct --details
BP_KERNEL_DIR=$here/$escape harmless check "bp1.0/$escape" --backend emulate --degree 1 --elements 1
OMP_PLACES=$escape harmless info
small="--degree 1 --backend cpu --threads 1"
XDG_CONFIG_HOME=$here/$escape harmless tune --problem bp1.0 --variants naive $small --box 2x2x2
XDG_CONFIG_HOME=$here/$escape harmless run --problem bp1.0 $small --box 2x2x2 --dry-run
cp meshes/cube512.msh "$here/$mark.msh"
harmless run --problem bp1.0 $small --mesh "$here/$mark.msh" --dry-run
harmless apply --problem bp1.0 $small --mesh "$here/$mark.msh" --output "$here/$mark"
harmless solve --problem bp1 $small --mesh "$here/$mark.msh" --output "$here/$mark-solve"

bp help measure.cache
expect_exit 0
expect_stdout '^ *measure.cache  .*hot, cold'
expect_lines stdout 1
