# resume.sh -- records of runs that were killed, and of runs that are repeated.
python3 tests/cli/resume.py "$BP" "$here" > "$here/mistakes"
expect_equal "nothing lost at ten moments of three kinds" "$(cat "$here/mistakes")" ""

quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"
bp run --problem bp1.0 --variant naive --degree 1..3 --box 2x2x2 $quick --format json --output "$here/first.json"
expect_exit 0
bp run "$here/first.json" --format json
expect_exit 0
expect_json "[row['degree'] for row in r['rows']] == [1, 2, 3] and r['rows'][0]['mesh'] == 'box 2x2x2'"
bp run "$here/first.json"
expect_exit 0
expect_stdout ' 3 +naive '
bp run --resume "$here/first.json" --degree 1..4
expect_exit 0
cp "$here/first.json" "$out"
expect_json "[row['degree'] for row in r['rows']] == [1, 2, 3, 4]"
# what is damaged in a record's rows is told, and what is only another run's
for damage in 's/"error": [0-9.e-]*/"error": -1/' 's/"samples": \[[^]]*\]/"samples": "xyz"/'; do
  sed "$damage" "$here/first.json" > "$here/damaged.json"
  bp run --resume "$here/damaged.json"
  expect_exit 2
  expect_stderr "^$here/damaged.json:[0-9]+: expected "
done
sed '0,/"gflops": [0-9.e-]*/s//"gflops": 7e9/' "$here/first.json" > "$here/damaged.json"
bp run --resume "$here/damaged.json" --degree 1..3
expect_exit 0
expect_stderr "^$here/damaged.json:[0-9]+: expected 'gflops' to follow from the row's time, found another figure"
sed '0,/"variant": "naive"/s//"variant": "native"/' "$here/first.json" > "$here/damaged.json"
bp run --resume "$here/damaged.json" --degree 1..3
expect_exit 0
expect_stderr '^--resume: kept as they are: 2 of 4 rows, which this run would not make; the first is bp1\.0/native'
bp run "$here/first.json" --resume "$here/first.json"
expect_exit 2
expect_stderr "^--resume: expected no config beside the record's own"
sed 's/"device": "/"device": "Another /' "$here/first.json" > "$here/other.json"
bp run --resume "$here/other.json" --degree 5
expect_exit 2
expect_stderr "^--resume: expected the device of the record, 'Another "
bp run --resume "$here/nothing.json"
expect_exit 2
