# config.sh -- `bp run` and its config: the corpus, settings from the command line, what contradicts.

for file in tests/configs/bad/*.yaml; do
  bp run "$file" --dry-run
  expect_exit 2
  expect_no_stdout
  expect_true "the message of ${file%.yaml}.expected" cmp "$err" "${file%.yaml}.expected"
done
for file in tests/configs/good/*.yaml; do
  bp run "$file" --dry-run --backend cpu --launch stream --device 0 --isa auto --box 1x1x1 --variants '*' --set options={}
  expect_exit 0
  expect_no_stderr
done
for file in configs/*.yaml; do
  bp run "$file" --dry-run --backend cpu --box 6x2x2 --variants '*' --set options={}
  expect_exit 0
  expect_no_stderr
done

# As they are, without a GPU: each runs what the CPU has, or says in one line what to ask for instead.
for file in configs/*.yaml; do
  bp run "$file" --dry-run --backend cpu
  case $file in
    */ladder-bp5.yaml) expect_exit 0 ;;
    */ladder-*)
      expect_exit 2
      expect_stderr "^$file:4:1[12]: expected a variant that backend cpu can run, found '[a-z0-9*-]+', which is CUDA's: --backend cuda or emulate, or --variants best\$"
      ;;
    */elements-per-block.yaml | */gradient-[23]d.yaml) expect_exit 2 ;;
    *) expect_exit 0 ;;
  esac
  [ $code -eq 0 ] && expect_no_stderr || expect_lines stderr 1
done
bp run configs/quadrature.yaml --dry-run --backend cpu
expect_stdout '^75 rows on '
bp check k4 --backend cpu
expect_stderr '^bp check: no variant of backend cpu was asked for '

bp run nowhere.yaml
expect_exit 2
expect_lines stderr 1
expect_stderr '^nowhere.yaml: cannot be opened: No such file or directory; nor is it one of .*configs$'
bp run configs
expect_exit 2
expect_stderr '^configs: expected a regular file, found a directory$'
bp run a.yaml b.yaml
expect_exit 2
expect_stderr "^bp run: expected no more than \[CONFIG\|RECORD\], found 'b.yaml'; see 'bp run --help'\$"
bp run
expect_exit 2
expect_lines stderr 1
expect_stderr '^problem: expected one or more of bp1.0, bp3.0, bp3.5, bp1 to bp6, pair, wave, gradient-tri .., found none$'

# the file, then the command line in its order
base='run configs/smoke.yaml --dry-run --backend cpu'
bp $base --degree 7 --problem bp3.5 --set degree=2..3
expect_exit 0
expect_stdout '^bp3\.5 +2 '
expect_stdout '^bp3\.5 +3 '
expect_no_stdout '^bp3\.5 +7 '
expect_no_stdout '^bp1\.0 '
bp $base --degree 1 --degree 2 --problem=bp1.0
expect_exit 0
expect_stdout '^bp1\.0 +1 '
expect_stdout '^bp1\.0 +2 '
bp $base --box 3x3x3 --degree 1
expect_exit 0
expect_stdout ' 27 '
bp $base --elements 8 --degree 1
expect_exit 0
expect_stdout ' 8 '

bp $base --set degree=99
expect_exit 2
expect_lines stderr 1
expect_stderr "^--set degree: expected whole numbers such as 7 or 1\.\.4, 1 to 15, found '99'\$"
bp $base --set degre=9
expect_exit 2
expect_stderr "^--set degre: expected a key, found 'degre'; did you mean 'degree'\?\$"
bp $base --set measure.cach=hot
expect_exit 2
expect_stderr "^--set measure.cach: expected a key of measure, found 'cach'; did you mean 'cache'\?\$"
bp $base --set measure=hot
expect_exit 2
expect_stderr "^--set measure: expected a key of measure, written measure.KEY, found 'measure' alone\$"
bp $base --set degree
expect_exit 2
expect_stderr "^--set: expected KEY=VALUE, found 'degree'\$"
bp $base --set options.pad=x
expect_exit 2
expect_stderr "^--set options.pad: expected whole numbers .*, found 'x'\$"
bp $base --lambda -1
expect_exit 2
expect_stderr "^--lambda: expected a number, 0 to 1e\+100, found '-1'\$"
bp $base --lambda=
expect_exit 2
expect_stderr '^--lambda: expected a number, 0 to 1e\+100, found nothing$'
bp run --problem bp3 --degree 2 --box 2x2x2 --backend cpu --rhs none.npy --dry-run
expect_exit 2
expect_stderr '^none\.npy: cannot be opened: No such file or directory$'
bp $base --mesh a.msh --box 2x2x2
expect_exit 2
expect_stderr '^--box: expected one of mesh, box, elements, dofs, nodes, found --mesh besides$'
bp $base --warp 0.2 --mesh meshes/cube512.msh
expect_exit 2
expect_stderr '^--warp: expected it with a box only, found a mesh from a file$'
bp $base --group a
expect_exit 2
expect_stderr '^--group: expected it with a mesh from a file only, found a box$'
bp $base --set measure.min_time=3 --set measure.max_time=2
expect_exit 2
expect_stderr '^--set measure.min_time: expected at most max_time, found more$'
bp $base --set measure.min_samples=3 --set measure.max_samples=2
expect_exit 2
expect_stderr '^--set measure.min_samples: expected at most max_samples, found more$'

# a mesh is looked for beside the config, but from the command line here
mkdir "$here/configs"
cp meshes/cube512.msh "$here/a.msh"
printf 'problem: bp1.0\nmesh: ../a.msh\ndegree: 1\n' > "$here/configs/a.yaml"
bp run "$here/configs/a.yaml" --dry-run --backend cpu
expect_exit 0
expect_stdout ' 512 '
bp run "$here/configs/a.yaml" --dry-run --backend cpu --mesh meshes/cube4096.msh
expect_exit 0
expect_stdout ' 4096 '
