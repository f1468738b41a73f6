# folders.sh -- folders that others may write, that are full, read-only or oddly named, and what is left in them.
export TMPDIR=$here/tmp
mkdir "$TMPDIR"
cache=$XDG_CACHE_HOME/bp
one="bp1.0/cube --degree 5 --elements 1 --set options.elements_per_block=1" # a single program, and no count of flops
emulate() {
  bp check --backend emulate $one
  sed -i '/^bp check: .* done/d' "$err" # on a busy machine
}
works_without_it() {
  expect_exit 0
  expect_stdout '^[0-9]+ passed, 0 failed$'
  expect_equal "files in $1:" "$(ls -A "$1" | wc -l)" "${2:-0}"
  expect_equal "files left in TMPDIR:" "$(ls -A "$TMPDIR" | wc -l)" 0
}

emulate
expect_exit 0
expect_no_stderr
expect_equal "mode of the cache:" "$(stat -c %a "$cache")" 700
expect_true "programs are kept" ls "$cache"/emulated-*
rm -rf "$cache"

# ---- whose code runs ----
mkdir "$cache"
chmod 777 "$cache"
emulate
works_without_it "$cache"
expect_lines stderr 1
expect_stderr "^bp: $cache: not used as a cache: expected a folder of this user that nobody else may write, found one that others may write \(mode 0777\)\$"
chmod 700 "$cache"
if [ "$(id -u)" = 0 ]; then
  chown 54321 "$cache"
  emulate
  works_without_it "$cache"
  expect_stderr 'not used as a cache: .* found one of user 54321$'
  chown 0 "$cache"
fi
emulate
expect_no_stderr
if [ "$(id -u)" = 0 ] && setpriv --version > /dev/null 2>&1; then # a folder that may be written, but not be looked into
  mkdir "$here/theirs" "$here/theirs/bp"
  chown 54322 "$here/theirs/bp"
  chmod 733 "$here/theirs/bp"
  cp "$BP" "$here/bp"
  chmod 755 "$here/bp" "$here/theirs" "$here" "$(dirname "$here")"
  mkdir "$here/temporary"
  chmod 1777 "$here/temporary"
  ran="bp check of user 54321 with a cache of user 54322"
  TMPDIR=$here/temporary XDG_CACHE_HOME=$here/theirs setpriv --reuid 54321 --regid 54321 --clear-groups "$here/bp" check \
    --backend emulate $one > "$out" 2> "$err"
  code=$?
  works_without_it "$here/theirs/bp"
  expect_stderr "not used as a cache: .* found one of user 54322\$"
  expect_equal "files left in TMPDIR:" "$(ls -A "$here/temporary" | wc -l)" 0
  chmod 700 "$(dirname "$here")"
fi
chmod 777 "$cache"/emulated-* # a file of others in a folder of ours is made again
emulate
expect_exit 0
expect_equal "mode of the program made again:" "$(stat -c %a "$cache"/emulated-* | grep -c 777)" 0

mkdir -p "$XDG_CONFIG_HOME/bp"
echo '* bp1.0 1 any cube' > "$XDG_CONFIG_HOME/bp/best"
best="run --problem bp1.0 --degree 1 --box 1x1x1 --variants best --backend emulate --dry-run"
bp $best
expect_no_stderr
expect_stdout "cube.*$XDG_CONFIG_HOME/bp/best:1"
chmod 666 "$XDG_CONFIG_HOME/bp/best"
bp $best
expect_exit 0
expect_no_stdout "$XDG_CONFIG_HOME/bp/best"
expect_stderr "^bp: $XDG_CONFIG_HOME/bp/best: passed over: expected a table of this user that nobody else may write, found one that others may write \(mode 0666\)\$"
rm "$XDG_CONFIG_HOME/bp/best"

mkdir -p "$here/kernels/bp1.0"
cp kernels/bp1.0/cube.cu "$here/kernels/bp1.0/"
BP_KERNEL_DIR=$here/kernels bp list bp1.0/cube
expect_exit 0
expect_no_stderr
chmod 777 "$here/kernels/bp1.0/cube.cu"
BP_KERNEL_DIR=$here/kernels bp list bp1.0/cube
expect_exit 0
expect_lines stderr 1
expect_stderr "^BP_KERNEL_DIR: $here/kernels/bp1.0/cube.cu: code of others will run: expected a file of this user, found one that others may write \(mode 0777\)\$"

# ---- folders that do not do ----
rm -rf "$cache"
XDG_CACHE_HOME="$here/a\"b" emulate
expect_exit 0
expect_no_stderr
expect_true "programs are kept, for no compiler hears of the name" ls "$here/a\"b/bp"/emulated-*
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null; then
  mkdir "$cache"
  ran="bp check with a cache on a full disk"
  unshare -m sh -c 'mount -t tmpfs -o size=64k,mode=700 none "$1" && "$BP" check --backend emulate $2' \
    sh "$cache" "$one" > "$out" 2> "$err"
  code=$?
  works_without_it "$cache"
  mkdir "$here/read-only"
  ran="bp tune with a read-only XDG_CONFIG_HOME"
  XDG_CONFIG_HOME=$here/read-only/config unshare -m sh -c 'mount -t tmpfs -o ro none "$1" && "$BP" tune \
    --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --max-time 1' sh "$here/read-only" > "$out" 2> "$err"
  code=$?
  expect_exit 3
  expect_lines stderr 1
  expect_stderr "^$here/read-only/config: cannot be made: Read-only file system\$"
  ran="bp tune with a table on a read-only disk"
  XDG_CONFIG_HOME=$here/read-only unshare -m sh -c 'mount -t tmpfs none "$1" && mkdir "$1/bp" && : > "$1/bp/best" &&
    mount -o remount,ro "$1" && "$BP" tune --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --max-time 1' \
    sh "$here/read-only" > "$out" 2> "$err"
  code=$?
  expect_exit 3
  expect_lines stderr 1
  expect_stderr "^$here/read-only/bp/best: cannot be written: Read-only file system\$"
fi
ran="bp tune without a home"
env -u HOME -u XDG_CONFIG_HOME "$BP" tune --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu > "$out" 2> "$err"
code=$?
expect_exit 3
expect_stderr '^bp tune: .*expected XDG_CONFIG_HOME or HOME to be set$'
: > "$here/file"
XDG_CONFIG_HOME=$here/file bp tune --problem bp1.0 --degree 1 --box 1x1x1 --backend cpu --max-time 1
expect_exit 3
expect_stderr "^$here/file: cannot be made: Not a directory\$"

# ---- damaged entries of the cache are made again ----
rm -rf "$cache"
emulate
spoil() { printf 'damage' | dd of="$1" bs=1 seek=5000 conv=notrunc status=none; }
for damage in 'truncate -s 1000' spoil 'truncate -s 0'; do
  for entry in "$cache"/emulat*; do
    $damage "$entry"
  done
  emulate
  expect_exit 0
  expect_stdout '^1 passed, 0 failed$'
done

# ---- kernels of the CPU lie there, too ----
rm -rf "$cache"
cpu() { bp check --backend cpu --degree 2 --elements 3 "$@"; }
kernels() { ls "$cache" | grep -c "^kernel-"; }
cpu bp3.5/simd
expect_exit 0
expect_no_stderr
made=$(stat -c %i "$cache"/kernel-*)
cpu bp3.5/simd
expect_equal "what is there is not made again:" "$(stat -c %i "$cache"/kernel-*)" "$made"
for damage in 'truncate -s 1000' spoil 'truncate -s 0' 'chmod 777'; do
  $damage "$cache"/kernel-*
  cpu bp3.5/simd
  expect_exit 0
  expect_stdout '^1 passed, 0 failed$'
  expect_equal "mode of the kernel made again:" "$(stat -c %a "$cache"/kernel-* | grep -c 777)" 0
done
BP_CFLAGS=-O0 cpu bp3.5/simd
expect_equal "other flags make another kernel:" "$(kernels)" 2
cp -r kernels "$here/changed"
echo '/* another text */' >> "$here/changed/abi/simd.h"
BP_KERNEL_DIR=$here/changed cpu bp3.5/simd
expect_equal "so does another header:" "$(kernels)" 3
rm -rf "$here/changed"
echo '#!/bin/sh
[ "$1" = --version ] && echo "cc other 1.0" && exit
exec cc "$@"' > "$here/other"
chmod 755 "$here/other"
CC=$here/other cpu bp3.5/simd
expect_exit 0
expect_equal "and another compiler:" "$(kernels)" 4
CC="env BP_UNUSED=1 $here/other" cpu bp3.5/simd
expect_exit 0
expect_equal "its command may have words:" "$(kernels)" 4

# Two runs at once, as ranks are, wait for each other: each thing is compiled once.
rm -rf "$cache"
echo '#!/bin/sh
[ "$1" = --version ] && echo "cc slow 1.0" && exit
echo "$@" >> "'"$here"'/compiled"
sleep 1
exec cc "$@"' > "$here/other"
CC=$here/other "$BP" check --backend cpu --degree 2,3 --elements 3 bp5/unfused > "$here/first" 2>&1 &
CC=$here/other bp check --backend cpu --degree 2,3 --elements 3 bp5/unfused
wait $!
expect_exit 0
expect_true "both are right" grep -q ' passed, 0 failed$' "$here/first"
expect_equal "compilations:" "$(wc -l < "$here/compiled")" "$(ls "$cache" | grep -c '^kernel-')"

# ---- compilers that fail, crash, are missing ----
fails() { # WHAT SCRIPT STDOUT
  printf '#!/bin/sh\n[ "$1" = --version ] && echo "cc %s 1.0" && exit\n%s\n' "$1" "$2" > "$here/other"
  CC=$here/other cpu bp3.5/simd
  expect_exit 1
  expect_stdout "^FAIL  bp3.5/simd .*: $3\$"
}
fails broken 'echo "x.c:1:1: error: no such thing" >&2; exit 1' 'x.c:1:1: error: no such thing'
fails silent 'exit 1' "$here/other fails and does not say why"
fails crashed 'kill -SEGV $$' "$here/other fails and does not say why"
fails lazy 'exit 0' "$cache/.*: cannot be written: No such file or directory|.*output: cannot be opened: No such file or directory"
expect_equal "nothing is left of these:" "$(ls -d "$cache"/bp-build-* 2> /dev/null | wc -l)" 0
CC=/bin/false cpu bp1.0/simd
expect_exit 3
expect_stdout "^skip  bp1.0/simd +CC: expected a C compiler, found '/bin/false'\$"
expect_stderr "^bp: CC: expected a C compiler, found '/bin/false': without one 1 kernels cannot run, bp1.0/simd for one\$"
cpu bp3.5/simd
ran="bp check of what is in the cache, without a compiler"
PATH=/nowhere "$BP" check --backend cpu --degree 2 --elements 3 bp3.5/simd > "$out" 2> "$err"
code=$?
expect_exit 0
expect_no_stderr
ran="bp run, without a compiler and a cache"
XDG_CACHE_HOME=$here/nothing PATH=/nowhere "$BP" run --problem bp3.5 --degree 2 --box 2x2x2 --backend cpu > "$out" 2> "$err"
code=$?
expect_exit 3
expect_stderr '^bp: needs a C compiler; found none of cc, gcc, clang \(CC names another\): without one [0-9]+ kernels cannot run, '

# ---- a kernel's file from anywhere ----
mkdir "$here/mine"
sed 's,^/\* bp3.5/naive,/* bp3.5/fresh,; s,abi/cpu.h,mine.h,' kernels/bp3.5/naive.c > "$here/mine/fresh.c"
echo '#include "abi/cpu.h"' > "$here/mine/mine.h"
bp check "$here/mine/fresh.c" --degree 1..3
expect_exit 0
expect_stdout '^ok    bp3.5/fresh '
bp run --variants "$here/mine/fresh.c" --degree 2 --box 2x2x2 --set measure.max_time=0.01 --set measure.min_time=0 --format csv
expect_exit 0
expect_stdout '^.*bp3\.5.*fresh.*,ok,'
mkdir "$here/mine/bp3.5"
cp "$here/mine/fresh.c" "$here/mine/bp3.5/"
BP_KERNEL_DIR=$here/mine bp check bp3.5/fresh --degree 2
expect_exit 0
sed -i 's/BP_KERNEL/BP_KERNEL x/' "$here/mine/fresh.c"
bp check "$here/mine/fresh.c" --degree 2 --elements 1
expect_exit 1
expect_stdout "^FAIL .*: $here/mine/fresh.c:[0-9]+:[0-9]+: error: "
echo 'int x;' > "$here/mine/fresh.c"
bp check "$here/mine/fresh.c"
expect_exit 2
expect_stderr "^$here/mine/fresh.c:1: expected '/\* PROBLEM/NAME -- \.\.\.', found 'int x;'\$"
bp check "$here/mine/none.c"
expect_exit 2

# ---- what is left by a run that was killed ----
rm -rf "$cache"
ran="bp check, killed while it compiles"
"$BP" check --backend emulate bp1.0/cube --degree 1..9 > /dev/null 2>&1 &
killed=$!
compilers() { readlink /proc/[0-9]*/cwd | grep "$cache/bp-build-"; } # which run in such a folder
for n in $(seq 200); do
  compilers > /dev/null && break
  sleep 0.05
done
expect_true "it was compiling" compilers
disown $killed
kill -9 $killed $(pgrep -P $killed) # the program and its child that checks, not the compilers

for n in $(seq 40); do
  compilers > /dev/null || break
  sleep 0.05
done
expect_equal "compilers still running:" "$(compilers | wc -l)" 0
expect_true "folders were left" ls -d "$cache"/bp-build-*
mkdir "$cache/bp-build-yyyyyy"
emulate
expect_true "a young folder may be somebody's" [ -d "$cache/bp-build-yyyyyy" ]
touch -d '2 minutes ago' "$cache"/bp-build-*
mkdir "$cache/build-x86_64" # and one of that name is not ours
touch -d '2 minutes ago' "$cache/build-x86_64"
emulate
expect_exit 0
expect_equal "folders left:" "$(cd "$cache" && echo *build-*)" build-x86_64
mkdir "$cache/bp-build-locked" # as another process holds it
touch -d '2 minutes ago' "$cache/bp-build-locked"
flock "$cache/bp-build-locked" "$BP" check --backend emulate $one > /dev/null
expect_true "a folder in use stays" [ -d "$cache/bp-build-locked" ]
rmdir "$cache/bp-build-locked" "$cache/build-x86_64"
