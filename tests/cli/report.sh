# report.sh -- bp report: records redrawn, merged, refused.
record=tests/records/schema-1.json

bp report
expect_exit 2
bp report --force $record
expect_exit 0
expect_no_stderr
expect_stdout '^bp1.0 on cube.msh · 4,096 elements · NVIDIA H200 \(cuda\) · hot$'
expect_stdout 'WRONG: error 3.1e-02 at element 7'
expect_stdout 'skipped: needs 96 kB of shared memory'
expect_stdout '^1 of 8 rows WRONG'
expect_no_stdout $'\e'

LC_ALL=C bp report --force $record
expect_stdout '^bp1.0 on cube.msh, 4,096 elements, NVIDIA H200 \(cuda\), hot$'
expect_true "ASCII where the locale is not UTF-8" bash -c "! grep -qP '[^\x00-\x7f]' '$out'"

# Forms.
bp report --force $record --markdown - --csv "$here/rows.csv" --json "$here/again.json"
expect_exit 0
expect_stdout '^\| N \| variant \|'
expect_stdout '^    bp run .configs/my sweep.yaml. --set degree=1..15$'
expect_equal "lines of CSV" "$(wc -l < "$here/rows.csv")" 9
expect_equal "columns of CSV" "$(head -1 "$here/rows.csv" | tr ',' '\n' | grep -c .)" \
  "$(sed -n 2p "$here/rows.csv" | tr ',' '\n' | wc -l)"
bp report --force "$here/rows.csv" --csv "$here/again.csv" --svg "$here/from-csv.svg"
expect_exit 0
expect_true "CSV read and written does not change" cmp "$here/rows.csv" "$here/again.csv"
bp report --force $record --svg "$here/from-json.svg"
expect_true "CSV is drawn as the record is" cmp "$here/from-csv.svg" "$here/from-json.svg"
bp report --force "$here/again.json" --json "$here/third.json"
expect_true "a record read and written does not change" cmp "$here/again.json" "$here/third.json"

bp report --force $record --svg "$here/gflops.svg"
expect_exit 0
expect_no_stdout
expect_true "an SVG file" grep -q '^<svg class="bp"' "$here/gflops.svg"
bp report --force $record --svg "$here/figures/"
expect_exit 0
for figure in gflops roofline heatmap ladder setup; do
  expect_true "$figure.svg is there" [ -s "$here/figures/$figure.svg" ]
done
expect_true "one size alone, no file" [ ! -e "$here/figures/sizes.svg" ]
bp report --force $record --svg "$here/ladder.svg" --figure ladder
expect_true "the ladder" grep -q '2d ladder at N=1' "$here/ladder.svg"
bp report --force $record --svg "$here/x.svg" --figure laddr
expect_exit 2
expect_stderr "^--figure: expected one of peers, .*, found 'laddr'; did you mean 'ladder'\?"
bp report --force $record --svg "$here/x.svg" --figure sizes
expect_exit 2
expect_stderr "figure 'sizes': expected rows to draw, found none"
bp report --force $record --figure ladder
expect_exit 2
bp report --force $record --svg "$here/figures/" --figure ladder
expect_exit 2
expect_stderr 'expected a file for one figure'
bp report --force $record --csv - --html -
expect_exit 2
expect_no_stdout
expect_stderr "^--csv: expected a file, as --html goes to standard output, found '-'$"
if [ -w /dev/full ]; then
  bp report --force $record --html /dev/full
  expect_exit 3
  expect_stderr '^/dev/full: cannot be written: No space left on device$'
fi
bp report --force $record --html "$here/page.html"
expect_exit 0
expect_true "a page" grep -q '^<!DOCTYPE html>' "$here/page.html"
bp report --force $record --html "$here/no/such/page.html"
expect_exit 3
expect_lines stderr 1
expect_stderr "no/such/page.html: cannot be written"
expect_true "nothing is left behind" [ ! -e "$here/no" ]

# Beside other programs.
printf '# machine: NVIDIA H200\n# version: 7\nprogram,problem,degree,elements,seconds\nother,bp1.0,1,4096,5.226e-6\n' \
  > "$here/peers.csv"
bp report --force $record --with "$here/peers.csv"
expect_exit 0
expect_stdout '^bp1.0 on cube.msh, 4,096 elements, .*, beside other programs$'
expect_stdout '^ +1 +cube +2.613 µs +5.226 µs +2.00$'
expect_stdout '^  other: 7, NVIDIA H200$'
bp report --force $record --with "$here/peers.csv" --markdown - --svg "$here/peers.svg" --html "$here/peers.html"
expect_stdout '^\| 1 \| cube \| 2.613 µs \| 5.226 µs \| 2.00 \|$'
expect_true "the figure of peers" grep -q '>copy roofline<' "$here/peers.svg"
expect_true "the page has it" grep -q '>other<' "$here/peers.html"
sed 's/H200/H100/' "$here/peers.csv" > "$here/elsewhere.csv"
bp report --force $record --with "$here/elsewhere.csv"
expect_exit 2
expect_no_stdout
expect_stderr "elsewhere.csv: expected other on 'NVIDIA H200', the machine of the record, found 'NVIDIA H100'"
bp report --force $record --with "$here/elsewhere.csv" --any-machine
expect_exit 0
expect_stdout 'other on NVIDIA H100 '
sed 's/4096/4097/' "$here/peers.csv" > "$here/larger.csv"
bp report --force $record --with "$here/larger.csv"
expect_exit 0
expect_stdout '^ *No figure of another program is of a problem, degree and size of this record$'
sed 's/5.226e-6/soon/' "$here/peers.csv" > "$here/bad.csv"
bp report --force $record --with "$here/bad.csv"
expect_exit 2
expect_stderr "bad.csv:4: expected seconds from 1e-15 to 1e12 as 'seconds', found 'soon'"
bp report --force $record --any-machine
expect_exit 2
expect_stderr '^--any-machine: expected --with FILE beside it, found none$'

# As somebody publishes it.
bp report --force $record --svg "$here/titled.svg" --title 'A <title>'
expect_exit 0
expect_true "the headline" grep -q '>A &lt;title&gt;</text>' "$here/titled.svg"
bp report --force $record --title x
expect_exit 2
expect_stderr '^--title: expected --svg FILE beside it, found none$'

# bp run and bp roofline write the same directly.
small="--problem bp1.0 --degree 2,3 --elements 8 --backend cpu --set threads=1 --set measure.max_time=0.01"
bp run $small --format svg
expect_exit 0
expect_stdout '^<svg class="bp"'
expect_stdout 'polynomial degree N'
bp run ${small/8/8,27,64} --format svg
expect_exit 0
expect_stdout 'GDOF/s'
expect_stdout '>DOFs<'
bp report tests/records/schema-2-sizes.json --svg -
expect_stdout '>DOFs<'
bp report tests/records/schema-2-sizes.json --svg - --figure gflops
expect_stdout 'polynomial degree N'
bp run $small --format html --output "$here/run.html"
expect_exit 0
expect_true "a page of the run" grep -q '<td class="l">even_odd</td>' "$here/run.html"
bp roofline $small --format svg
expect_exit 0
expect_stdout 'flops per byte'
bp run $small --format json --output "$here/run.json"
bp report --force "$here/run.json"
expect_stdout '^bp1.0 on '
for run in 1 2; do bp run $small --format json --output "$here/aa-$run.json"; done
bp compare "$here/aa-1.json" "$here/aa-2.json"
expect_exit 0

# An interval wider than the median is told by its ends, and no row of few samples is tied with others.
bp report --force tests/records/schema-1-cpu.json
expect_stdout ' 2  simd .* [0-9.]+ [nµm]s\.\.[0-9.]+ [nµm]s '
expect_no_stdout '(199|285)\.[0-9] %'

# Several records are one.
sed 's/"variant": "/"variant": "other-/; s/"rung": ".*"/"rung": ""/; s/580.10/590.20/' $record > "$here/other.json"
bp report --force $record "$here/other.json" --csv -
expect_exit 0
expect_lines stdout 17
bp report --force $record "$here/other.json" --json -
expect_stdout '"driver": "580.10"'
expect_stdout '"driver \(other.json\)": "590.20"'

# What is not a record is one clear line.
refused() { # WHAT REGEX
  bp report --force "$here/bad.json"
  expect_exit 2
  expect_no_stdout
  expect_lines stderr 1
  expect_stderr "$2"
}
: > "$here/bad.json"
refused empty 'bad.json:1: expected a value, found the end of the text'
head -c 5000 $record > "$here/bad.json"
refused cut 'bad.json:[0-9]+: expected'
sed 's/"schema": 1/"schema": 7/; s/"version": "0.1.0"/"version": "9.8.7"/' $record > "$here/bad.json"
refused newer 'bad.json:2: expected a record of schema 2 or older, found schema 7: it was written by bp 9.8.7'
echo '{"a": 1}' > "$here/bad.json"
refused other "bad.json:1: expected a record of bp"
sed '0,/"degree": 1/s//"degree": "one"/' $record > "$here/bad.json"
refused type "bad.json:[0-9]+: expected a whole number from 0 on as 'degree', found 'one'"
{ printf '\333'; head -c 100000 /dev/urandom; } > "$here/bad.json"
refused noise "bad.json:1: expected a (value|record)"
head -c 100000 /dev/urandom > "$here/bad.json" # may begin with a line's end, a digit or a quote
refused noise 'bad.json:[0-9]+: expected'
echo 'build,run,seconds' > "$here/bad.json"
refused text "bad.json:1: expected a record of bp, JSON .* or CSV .*, found another text$"
sed '0,/"degree": 1/s//"degree": -1/' $record > "$here/bad.json"
refused negative "bad.json:[0-9]+: expected a whole number from 0 on as 'degree', found -1$"
sed '9s/[^,]*$/"open/' "$here/rows.csv" > "$here/bad.json"
refused quote 'bad.json:9: expected a closing quote, found the end of the text'
sed '9s/[^,]*$/"closed" early/' "$here/rows.csv" > "$here/bad.json"
refused comma "bad.json:9: expected a comma behind a quote, found ' '"
sed '3s/,[^,]*$//' "$here/rows.csv" > "$here/bad.json"
refused short 'bad.json:3: expected [0-9]+ values as in the line of names, found [0-9]+$'
sed '2s/,hot,1,/,hot,one,/' "$here/rows.csv" > "$here/bad.json"
refused number "bad.json:2: expected a whole number from 0 on as 'degree', found 'one'"
sed '1s/,flops,/,flips,/' "$here/rows.csv" > "$here/bad.json"
refused column "bad.json:2: expected the key 'flops', found none"
bp report --force "$here/none.json"
expect_exit 2
expect_stderr 'none.json: cannot be opened'
bp report --force "$here"
expect_exit 2
expect_stderr 'expected a regular file, found a directory'

# The page lets its own script run, by its hash, and nothing else.
bp report --force $record --html "$here/policy.html"
hash=$(python3 -c '
import base64, hashlib, sys
page = open(sys.argv[1]).read()
script = page[page.index("<script>") + 8:page.index("</script>")]
print(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())' "$here/policy.html")
expect_true "the page's policy names its script, $hash" grep -qF "script-src 'sha256-$hash'" "$here/policy.html"
expect_true "the policy forbids the rest" grep -qF "content=\"default-src 'none'; " "$here/policy.html"
expect_equal "scripts" "$(grep -c '<script' "$here/policy.html")" 1
expect_equal "handlers in attributes" "$(grep -cE '<[^>]* on[a-z]+=' "$here/policy.html")" 0

# figures of solves: in unknowns and iterations, no name cut short
for figure in gflops sizes peers; do
  bp report --force docs/results/h200-solves.json --with docs/results/peers-h200-solves.csv --svg "$here/s.svg" --figure $figure
  expect_exit 0
  expect_true "$figure in GDOF/s" grep -q '>GDOF/s<' "$here/s.svg"
  expect_true "$figure not in others" sh -c '! grep -q ">GFLOPS<\|>GB/s<\|>[^<]*…<" "$1"' sh "$here/s.svg"
done

bp report --force docs/results/cpu.json --with docs/results/libceed-cpu.csv --any-machine
expect_exit 0
expect_stdout 'libCEED xsmm/blocked'
