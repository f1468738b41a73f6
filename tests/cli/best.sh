# best.sh -- the tables behind `--variants best`: the user's own before the shipped one, the nearest size.
own=$XDG_CONFIG_HOME/bp/best
row() { bp run --problem bp1.0 --degree "$1" --elements "$2" --backend cpu --dry-run; }

row 3 64
expect_exit 0
expect_stdout '^bp1\.0 +3 .* even_odd \(kernels/best:[0-9]+\)$'

mkdir -p "${own%/*}"
printf '%s\n' '# mine' '* bp1.0 3 1000 naive # slow' '* bp1.0 3 100000 simd' '*GPU* bp1.0 3 64 naive' > "$own"
row 3 64
expect_stdout " naive \($own:2\)\$"
row 3 9999
expect_stdout " naive \("
row 3 10001
expect_stdout " simd.* \($own:3\)\$"
row 4 64
expect_stdout ' even_odd \(kernels/best:'

bp run --problem bp1.0 --degree 3 --elements 64 --backend cpu --set measure.max_time=0.01
expect_exit 0
expect_stdout ' naive '

# Rows of an older bp are passed over, and one line says so.
cp "$own" "$own.right"
printf '%s\n' '* bp1.0 3 64 simd gone=2' '* bp1.0 3 65 gone' >> "$own"
row 3 64
expect_exit 0
expect_stdout " naive \($own:2\)\$"
expect_lines stderr 1
expect_stderr "^$own:5: passed over, as are others: this bp has no bp1\.0/simd gone=2; 'bp tune' finds a new choice\$"
mv "$own.right" "$own"

# A variant that is named has its own nearest row's options, unless one of them is asked for.
cp "$own" "$own.right"
printf '%s\n' '* bp5 2 10 merged cubes=2' '* bp5 2 1000 merged elements_per_block=3' '* bp5 2 any two-kernel' >> "$own"
named() { bp run --problem bp5 --degree 2 --elements 8 --backend emulate --variants "$@" --dry-run; }
named merged
expect_exit 0
expect_stdout " merged\[.* cubes=2 .*\($own:5\)\$"
named merged --set options.blocks_per_sm=2
expect_exit 0
expect_no_stdout "$own"
mv "$own.right" "$own"

echo '* bp1.0 3 ten naive' >> "$own"
row 3 64
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr "^$own:5: expected a number of elements or 'any' in column 4, found 'ten'; mend the line or take it away\$"
for command in 'roofline --problem bp1.0 --elements 64' 'check bp1.0/simd' 'tune --problem bp1.0 --elements 64' \
    "solve --problem bp1 --box 2x2x2 --output $here/solve" "apply --problem bp1.0 --box 2x2x2 --output $here/apply"; do
  bp $command --degree 3 --backend cpu
  expect_exit 2
  expect_stderr "^$own:5: expected a number"
done
bp run --problem bp1.0 --degree 3 --elements 64 --backend cpu --variants naive --dry-run
expect_exit 0

rm "$own"
mkdir "$own"
row 3 64
expect_exit 2
expect_stderr "^$own: expected a regular file, found a directory"
