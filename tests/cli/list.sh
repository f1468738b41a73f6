# list.sh -- `bp list` and `bp info`.

bp list
expect_exit 0
expect_no_stderr
expect_stdout '^bp1\.0/naive +cpu +N=1\.\.15 '
expect_stdout '^bp3\.5/columns +cuda '
expect_stdout '^ +bp1\.0 +k1 '
files=$(find kernels/*/ -maxdepth 1 \( -path 'kernels/peaks*' -o -path 'kernels/solve*' \) -prune -o \( -name '*.c' -o -name '*.cu' \) -print | wc -l)
files=$((files + $(sed -n 's/^ \* operators: //p' kernels/solve/* | tr , '\n' | wc -l)))
expect_equal "variants, one for each file of kernels/ and each operator of a scheme:" "$(grep -c '^[a-z0-9.]*/' "$out")" "$files"

listed=$(cat "$out")
bp list all
expect_equal 'what `bp list all` lists' "$(grep -v '^$' "$out" | sort | head -n 40)" \
  "$(grep -v '^$' <<< "$listed" | sort | head -n 40)"

bp list --format json
expect_exit 0
expect_json "len(r['variants']) == $files"
expect_json "all(v['id'] == v['problem'] + '/' + v['name'] for v in r['variants'])"
expect_json "all(1 <= v['lowest_degree'] <= v['highest_degree'] <= 15 for v in r['variants'])"

bp list 'bp3.5/*' --backend cpu
expect_exit 0
expect_stdout '^bp3\.5/naive +cpu '
expect_no_stdout '^bp1\.0/'
expect_no_stdout ' cuda '
bp list --details bp3.5/naive
expect_exit 0
expect_stdout 'kernels/bp3\.5/naive\.c'

bp list nothing
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr "expected the name or glob of a variant or a rung, 'best' or 'all', found 'nothing'"
bp list bp3.5/niave
expect_exit 2
expect_stderr "did you mean 'bp3\.5/naive'\?"

bp info
expect_exit 0
expect_no_stderr
expect_stdout "^bp +$(cat VERSION)\$"
expect_stdout '^cpu +'
expect_stdout "^isa [a-z0-9]+ +runs here, used unless another is asked for\$"
expect_stdout '^cuda +'
bp info --format json
expect_exit 0
expect_json "r['bp'] == '$(cat VERSION)' and 'compiler' in r and 'git' in r"

# Problems with the kernels of another
for problem in bp2:bp1 bp4:bp3 bp6:bp5; do
  kernels=${problem#*:} problem=${problem%:*}
  bp list $kernels
  cp "$out" "$here/kernels-$kernels"
  bp list $problem
  expect_exit 0
  expect_true "$problem lists the kernels of $kernels" cmp "$out" "$here/kernels-$kernels"
  expect_stderr "^bp: $problem runs the kernels of $kernels\$"
  expect_lines stderr 1
done
for glob in bp6 'bp6/*-pass'; do
  bp check "$glob" --backend cpu --degree 2 --elements 7
  expect_exit 0
  expect_stdout '^ok +bp5/one-pass '
  expect_no_stdout '^ok +bp[^5]'
  expect_stderr '^bp: bp6 runs the kernels of bp5$'
done
bp run --problem bp4,bp6 --variants 'bp4/un*' --degree 2 --box 2x2x2 --backend cpu --dry-run
expect_exit 0
expect_stdout '^bp4 .* unfused'
expect_no_stdout '^bp6'
bp list 'gradient-hex/mma'
expect_exit 0
expect_stdout '^gradient/mma '
bp list bp6/none
expect_exit 2

# A file in C and one in CUDA may have one name; a size that cannot be understood is named.
mkdir -p "$here/kernels/bp1.0"
printf '/* bp1.0/mine -- in C\n *\n * degrees: 1..1 */\n' > "$here/kernels/bp1.0/mine.c"
printf '/* bp1.0/mine -- in CUDA\n *\n * degrees: 1..1\n * launch: mine; threads 1 */\n' > "$here/kernels/bp1.0/mine.cu"
expect_true "mine.c beside mine.cu" awk -v isas=base -f src/registry/registry.awk "$here"/kernels/bp1.0/mine.c{,u}
sed -i '3a\ * size: wide 3 * nq' "$here/kernels/bp1.0/mine.cu"
export BP_KERNEL_DIR=$here/kernels
bp list bp1.0/mine
expect_exit 2
expect_stderr "mine\.cu: its header cannot be understood: 'size: wide 3 \* nq'"
unset BP_KERNEL_DIR

# the machine's peaks, where they are named
bp list peaks --backend cpu
expect_exit 0
expect_stdout 'fma'
expect_no_stdout 'even_odd'
bp list 'peaks/f*'
expect_exit 0
expect_stdout 'flush'
expect_no_stdout 'empty'
bp list --backend cpu
expect_no_stdout 'flush'

# how counters are read, where a GPU has any
bp list pair/naive --details
expect_exit 0
expect_stdout '^  BP_CUDA_IN_PROCESS=1 ncu --set full .* -k apply -s 20 -c 1 bp run --variants naive \.\.\.$'
bp list bp3.5/simd --details
expect_exit 0
expect_no_stdout 'ncu'
