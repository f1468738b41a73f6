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

# ---- what is left by a run that was killed ----
rm -rf "$cache"
ran="bp check, killed while it compiles"
"$BP" check --backend emulate bp1.0/cube --degree 1..9 > /dev/null 2>&1 &
killed=$!
compilers() { pgrep -f "/$(basename "$(ls -d "$cache"/bp-build-* 2> /dev/null | head -n 1)")/"; } # of that folder
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
emulate
expect_true "a young folder may be somebody's" ls -d "$cache"/bp-build-*
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
