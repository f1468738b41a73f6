# partition.sh -- parts of a mesh by METIS and by Gmsh: what they are, and that they change no bit of a solve.
solve="--problem bp5 --degree 3 --backend cpu --variants one-pass-ranks --iterations 8 --threads 1"
same_bits() { # WHAT OPTION...
  local what=$1 file
  shift
  bp solve --force $solve --output "$here/many" "$@"
  expect_exit 0
  for file in u residuals; do
    expect_true "$what: the same $file" cmp "$here/one-$file.npy" "$here/many-$file.npy"
  done
}

bp mesh box --elements 5x4x4 --warp 0.3 --version 4.1 --output "$here/box.msh"
bp mesh info "$here/box.msh" --ranks 3 --partition file
expect_exit 2
expect_stderr "box.msh: partition: file: expected the parts that gmsh -part 3 writes, found none\$"
bp solve --force $solve --ranks 3 --partition file --mesh "$here/box.msh" --output "$here/o"
expect_exit 2
expect_lines stderr 1

bp mesh info "$here/box.msh" --ranks 4 --partition metis
if [ "$code" -eq 3 ]; then
  expect_stderr '^partition: metis: .*libmetis5'
  echo "tests/cli/partition.sh: no METIS: its partitions were not tested"
else
  expect_exit 0
  expect_stdout '^balance +(9[0-9]|100)'
  bp solve --force $solve --mesh "$here/box.msh" --output "$here/one"
  same_bits "parts by METIS" --mesh "$here/box.msh" --ranks 3 --partition metis
fi

if command -v gmsh > /dev/null; then
  gmsh "$here/box.msh" -part 4 -format msh41 -o "$here/parts.msh" -save > /dev/null
  gmsh "$here/box.msh" -part 4 -bin -format msh41 -o "$here/binary.msh" -save > /dev/null
  gmsh "$here/box.msh" -part 4 -format msh22 -o "$here/tags.msh" -save > /dev/null 2>&1
  gmsh "$here/box.msh" -part 4 -part_ghosts -bin -format msh22 -o "$here/ghosts.msh" -save > /dev/null 2>&1
  for file in parts binary tags ghosts; do
    bp mesh info "$here/$file.msh" --ranks 4 --partition file
    expect_exit 0
    expect_stdout '^ +3 +[0-9]+ +[0-9]+ +[0-9]+ +[1-3]$'
    expect_stdout '^balance +(9[0-9]|100)'
    bp solve --force $solve --mesh "$here/$file.msh" --output "$here/one"
    same_bits "Gmsh's parts" --mesh "$here/$file.msh" --ranks 4 --partition file
  done
  bp mesh info "$here/parts.msh" --ranks 5 --partition file
  expect_exit 2
  expect_stderr 'expected the parts of 5 ranks, found 4$'
else
  echo "tests/cli/partition.sh: no gmsh: its parts were not tested"
fi
