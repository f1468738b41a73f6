# edges.sh -- what seldom comes: too little memory, headers that are not understood, many mistakes, records without rows, terminals.
records=tests/records

# ---- memory: the arithmetic is told before anything is allocated ----
if ! ldd "$BP" | grep -q 'lib[atu]b*san'; then # sanitizers reserve much more
  small() { # KILOBYTES ARGUMENT...
    ran="bp ${*:2}, with $1 kB of address space"
    (ulimit -v "$1" && exec "$BP" "${@:2}") > "$out" 2> "$err"
    code=$?
  }
  export OMP_NUM_THREADS=1
  small 1500000 mesh box --elements 400x400x400 --output "$here/box.msh"
  expect_exit 3
  expect_stderr '^box: 64000000 elements need [0-9.]+ GB of memory, found [0-9.]+ [GM]B$'
  small 1500000 solve --problem bp3 --degree 15 --box 40x40x40 --output "$here/x"
  expect_exit 3
  expect_stderr '^memory: bp3 at degree 15 with [0-9]+ unknowns needs [0-9.]+ GB, available: [0-9.]+ [GM]B$'
  unset OMP_NUM_THREADS
fi

# ---- headers of kernels from outside ----
export BP_KERNEL_DIR=$here/kernels
mkdir -p "$BP_KERNEL_DIR/bp1.0"
refused() { # EXPECTED LINE...
  printf '/* bp1.0/mine -- a kernel\n *\n' > "$BP_KERNEL_DIR/bp1.0/mine.cu"
  printf ' * %s\n' "${@:2}" >> "$BP_KERNEL_DIR/bp1.0/mine.cu"
  echo ' */' >> "$BP_KERNEL_DIR/bp1.0/mine.cu"
  bp check --backend emulate bp1.0/mine --degree 1 --elements 1
  [ -z "$1" ] || expect_stderr "$1"
}
refused "mine\.cu: .*no line 'degrees: A\.\.B'" 'launch: mine; threads 1'
refused "mine\.cu: .*no line 'launch: KERNEL; threads X, Y, Z'" 'degrees: 1..1'
nested=$(printf '(%.0s' $(seq 100))1$(printf ')%.0s' $(seq 100))
refused '' 'degrees: 1..1' "launch: mine; threads $nested"
expect_exit 1
expect_stdout "^FAIL +bp1.0/mine .*mine\.cu: expression '\(+1\)+', column [0-9]+: expected fewer levels of nesting, found"
unset BP_KERNEL_DIR
bp run --problem bp1.0 --variants simd --degree 2 --box 1x1x1 --quadrature N+5 --backend cpu
expect_stdout 'skipped: made for N\+2 points per direction, not for N\+5$'

# ---- a config with more mistakes than anyone reads ----
for n in $(seq 60); do echo "wrong$n: 1"; done > "$here/many.yaml"
bp run "$here/many.yaml"
expect_exit 2
expect_stderr "^$here/many.yaml: and more of them$"

# ---- records: cut short, without rows, two in one, with energy ----
change() { # FILE PYTHON: a record r is changed
  python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(r, open(sys.argv[2], "w"))' "$records/schema-2.json" "$here/$1" "$2"
}
change none.json 'r["rows"] = []; r["interrupted"] = True'
bp report "$here/none.json"
expect_exit 0
expect_stdout '^no rows$'
expect_stdout '^interrupted: these are the rows finished until then$'
change other.json 'r["environment"]["driver"] = "elsewhere"; r["bounds"][0]["name"] = "other"; r["meshes"][0]["file"] = "more.msh"
for row in r["rows"]: row["mesh"] = "more.msh"; row["degree"] += 1; row["power"]["joules"] = 3
r["rows"][0].update(status="wrong", reason="one bit")'
bp report "$records/schema-2.json" "$here/other.json" --json -
expect_json 'len(r["rows"]) == 16 and {"other", "fma"} <= {b["name"] for b in r["bounds"]}'
bp report "$here/other.json"
expect_stdout 'GDOF/J'
bp compare "$records/schema-2.json" "$here/other.json" --format json
expect_json 'any(d["new"] == "elsewhere" for d in r["differences"])'

# ---- a terminal: its width, colours ----
on_terminal() { # COLUMNS ARGUMENT...: of a terminal of so many columns
  python3 -c '
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
text = b""
try:
    while part := os.read(terminal, 65536):
        text += part
except OSError:
    pass
sys.stdout.write(text.decode(errors="replace").replace("\r", ""))' "$1" "$BP" "${@:2}" > "$out" 2> "$err"
}
longest() { sed 's/\x1b\[[0-9;]*m//g' "$out" | wc -L; }
ran="bp report on a terminal"
unset COLUMNS NO_COLOR
TERM=xterm on_terminal 200 report "$here/other.json"
wide=$(longest)
expect_true "colours" grep -q $'\x1b\\[' "$out"
TERM=dumb on_terminal 60 report "$here/other.json"
expect_true "no colours" [ "$(grep -c $'\x1b\\[' "$out")" = 0 ]
narrow=$(longest)
expect_true "the figure follows the width ($narrow, $wide)" [ "$narrow" -lt "$wide" ]
COLUMNS=200 TERM=dumb on_terminal 60 report "$here/other.json"
expect_equal "columns of COLUMNS:" "$(longest)" "$wide"
