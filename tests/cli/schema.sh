# schema.sh -- records against docs/record.schema.json, and docs/bp_records.py against what bp itself computes.
root=$PWD
valid() { # WHAT FILE...
  local what=$1
  shift
  expect_equal "what is wrong with $what" "$(python3 tests/cli/schema.py "$@" 2>&1 | head -n 5)" ""
}
small="--problem bp1.0,bp3.5 --degree 2,3 --elements 8 --backend cpu --set threads=1 --set measure.max_time=0.01"

bp run $small --format json --output "$here/run.json"
expect_exit 0
valid "a fresh record" "$here/run.json"
bp roofline $small --format json --output "$here/roofline.json"
valid "a record of the roofline" "$here/roofline.json"
valid "kept records" tests/records/schema-2*.json
for old in tests/records/schema-1*.json; do
  bp report --force $old --json "$here/new.json"
  valid "$old, written anew" "$here/new.json"
done
records=$(grep -l '"schema": [0-9]' docs/results/*.json)
valid "the records of the documents" $records

# What is wrong is found: a key too many, one missing, another kind, a value that cannot be.
for damage in 's/"rung": /"rang": /' 's/"degree": [0-9]*/"degree": "2"/' 's/"status": "ok"/"status": "fine"/' \
  's/"elements": [0-9]*, //' 's/"samples": \[/"samples": [-1, /' 's/"seed": "0x/"seed": "/'; do
  sed "$damage" "$here/run.json" > "$here/bad.json"
  expect_true "$damage is found" bash -c "! python3 tests/cli/schema.py '$here/bad.json' > /dev/null"
done

# The reader for Python gives what the CSV has.
python=
export PYTHONDONTWRITEBYTECODE=1
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2> /dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
  echo "tests/cli/schema.sh: no numpy: docs/bp_records.py was not run"
else
  bp report --force docs/results/h200-best.json --csv "$here/rows.csv" --json "$here/rows.json"
  for file in "$here/rows.json" "$here/rows.csv"; do
    "$python" docs/bp_records.py "$file" > "$here/best"
    expect_equal "rows that are best in $file" "$(wc -l < "$here/best")" 180
    expect_true "one of them" grep -q '^bp3.5  N=7 .* hot  .* GDOF/s .* of the copy$' "$here/best"
    mv "$here/best" "$here/best-$(basename "$file")"
  done
  expect_true "JSON and CSV are read alike" cmp "$here/best-rows.json" "$here/best-rows.csv"
  # All kinds of rows, as JSON and CSV; a column that is not known yet.
  sed 's/"rung": /"later": "a text", "rung": /' "$here/run.json" > "$here/later.json"
  for file in "$here/run.json" "$here/later.json" tests/records/kinds/*.json; do
    bp report --force "$file" --csv "$here/kind.csv"
    "$python" docs/bp_records.py "$file" > "$here/best-json" 2>&1
    "$python" docs/bp_records.py "$here/kind.csv" > "$here/best-csv" 2>&1
    expect_equal "lines of $file that are no row" "$(grep -vc ' GDOF/s ' "$here/best-json")" 0
    expect_true "$file has rows" [ -s "$here/best-json" ]
    expect_true "$file and its CSV are read alike" cmp "$here/best-json" "$here/best-csv"
  done
  for file in tests/records/kinds/*.csv; do
    expect_true "$file is read" "$python" docs/bp_records.py "$file"
  done
  # Its example draws a line for each degree. What Matplotlib would get is printed.
  mkdir "$here/matplotlib"
  : > "$here/matplotlib/__init__.py"
  cat > "$here/matplotlib/pyplot.py" <<'PY'
def semilogx(x, y, style, label):
    print(label, len(x), all(x > 0), all(y > 0))
xlabel = ylabel = legend = savefig = lambda *what: None
PY
  sed -n '/with Matplotlib/,/savefig/s/^    //p' docs/bp_records.py > "$here/example.py"
  expect_equal "the example" "$(cd "$here" && PYTHONPATH=$here:$root/docs "$python" example.py 2>&1 | tr '\n' ' ')" \
    "N=2 2 True True N=3 2 True True "
  "$python" docs/bp_records.py tests/records/schema-1.json > "$here/best"
  expect_true "DOFs of schema 1" grep -q '^bp1.0  N=1  *4913 DOFs hot  cube  *1.88 GDOF/s' "$here/best"
  expect_equal "samples" "$("$python" -c "
import sys; sys.path.insert(0, 'docs'); import bp_records
print(*map(len, bp_records.samples('tests/records/schema-1.json')))")" "9 9 9 9 0 0 9 9"
fi
