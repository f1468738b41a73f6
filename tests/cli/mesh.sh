# mesh.sh -- `bp mesh info` and `bp mesh box`.

bp mesh info meshes/cube512.msh
expect_exit 0
expect_no_stderr
expect_stdout '^file +meshes/cube512.msh$'
expect_stdout '^format +Gmsh 4.1 ASCII$'
expect_stdout '^elements +512$'
expect_stdout '^order +1$'
expect_stdout '^vertices +729$'
expect_stdout '^faces +1728$'
expect_stdout '^boundary faces +384$'
expect_stdout '^volume +1$'
expect_stdout '^lower corner +0 0 0$'
expect_stdout '^upper corner +1 1 1$'
expect_stdout '^smallest Jacobian +0.000244141 \(element 0, tag 1\)$'
expect_stdout '^unique nodes N=15 +1771561$'

bp mesh info meshes/cube4096.msh --degrees 1,7
expect_exit 0
expect_stdout '^unique nodes N=7 +1442897$'
expect_no_stdout 'N=2 '

bp mesh info meshes/pipe.msh --format json --degrees 3
expect_exit 0
expect_no_stderr
expect_stdout '^  "elements": 72,$'
expect_stdout '^  "order": 3,$'
expect_stdout '"name": "core",$'
expect_stdout '^      "nodes": 2299$'
expect_true "valid JSON" python3 -m json.tool "$out"

bp mesh info meshes/pipe.msh --group wall
expect_exit 0
expect_stdout '^elements +48$'
bp mesh info meshes/pipe.msh --group 2
expect_exit 0
expect_stdout '^elements +48$'
bp mesh info meshes/pipe.msh --group wal
expect_exit 2
expect_no_stdout
expect_lines stderr 1
expect_stderr '^meshes/pipe.msh: expected a physical group of volumes \(1 "core", 2 "wall"\), found "wal"; did you mean .wall.\?$'

# ---- files that are not right, and files that only look wrong ----

while IFS=$'\t' read -r file one two three; do
  case $file in
  bad/*)
    bp mesh info "tests/meshes/$file"
    expect_exit 2
    expect_no_stdout
    expect_lines stderr 1
    expect_stderr "^tests/meshes/$file:.*${one#:}"
    ;;
  odd/*)
    bp mesh info "tests/meshes/$file" --degrees 1
    expect_exit 0
    expect_no_stderr
    expect_stdout "^elements +$one\$"
    expect_stdout "^volume +$two\$"
    [ -z "$three" ] || expect_stdout "$three"
    ;;
  esac
done < <(grep -v '^#' tests/meshes/expected.txt)
for file in tests/meshes/{bad,odd}/*.msh; do
  expect_true "$file is in expected.txt" grep -qP "^${file#tests/meshes/}\t" tests/meshes/expected.txt
done

bp mesh info "$here/none.msh"
expect_exit 2
expect_stderr 'none.msh: cannot be opened: No such file or directory$'
bp mesh info "$here"
expect_exit 2
expect_stderr 'expected a regular file, found a directory$'
bp mesh info
expect_exit 2
expect_no_stdout
bp mesh info meshes/cube512.msh --degrees 16
expect_exit 2

# ---- meshes of other projects, where they are at hand; volumes of the elements' own maps, and
# of linear ones that by their midpoints, as Gmsh computes it ----

while read -r file elements volume midpoints; do
  [ -e "../shared/meshes/$file" ] || continue
  bp mesh info "../shared/meshes/$file" --degrees 1
  expect_exit 0
  expect_stdout "^elements +$elements\$"
  expect_stdout "^volume +$volume\$"
  [ -z "$midpoints" ] || expect_stdout "^volume by midpoints +$midpoints "
done << 'END'
mfem-periodic-cube.msh 64 1 1
petsc-hex20.msh 4 0.7852761804
dealii-sphere_r6.msh 4625 108.1870563 108.1228443
dealii-3d.v41.msh 1 1
dealii-3da.v1.msh 200 1.47254196 1.460330853
gridap-cube.msh 8 1
gridap-o3.msh 8 1
nek-pipe.msh 960 5.497516004
paranumal-cubeHex.msh 216 8
palace-coaxial.msh 256 852.5388897
palace-dielectric_grating.msh 1728 32
elmer-cubes.msh 91 2
cardinal-box.msh 64 8
END

# ---- boxes ----

for version in 2.2 4.1; do
  for binary in "" --binary; do
    bp mesh box --force --elements 3x4x5 --warp 0.5 --output "$here/box.msh" --version $version $binary
    expect_exit 0
    expect_no_stdout
    expect_no_stderr
    bp mesh info "$here/box.msh"
    expect_exit 0
    expect_stdout "^format +Gmsh $version $([ -n "$binary" ] && echo binary || echo ASCII)\$"
    expect_stdout '^elements +60$'
    expect_stdout '^volume +1$'
    expect_stdout '^unique nodes N=2 +693$'
  done
done
bp mesh box --force --elements 3x4x5
expect_exit 2
expect_stderr '^bp mesh box: expected --output FILE.msh, found none$'
bp mesh box --force --output "$here/box.msh"
expect_exit 2
expect_stderr '^bp mesh box: expected --elements AxBxC, found none$'
bp mesh box --force --elements 3x4 --output "$here/box.msh"
expect_exit 2
bp mesh box --force --elements 3x4x5 --warp 1.5 --output "$here/box.msh"
expect_exit 2
bp mesh box --force --elements 100000x100000x100000 --output "$here/box.msh"
expect_exit 2
bp mesh box --force --elements 2x2x2 --output "$here/none/box.msh"
expect_exit 3
expect_stderr 'none/box.msh: cannot be written: No such file or directory$'
expect_true "no temporary file is left" [ "$(ls "$here"/*.msh.* 2>/dev/null | wc -l)" -eq 0 ]
bp mesh box --force --elements 2x2x2 --output -
expect_exit 0
expect_stdout '^\$EndElements$'
bp mesh box --force --elements 9x9x9 --output /dev/full
expect_exit 3
expect_lines stderr 1
expect_stderr '^/dev/full: cannot be written: No space left on device$'

# What a terminal would obey in the name of a group or of a file is shown.
bp mesh info tests/meshes/odd/control-characters-in-a-name.msh
expect_exit 0
expect_equal "bytes that a terminal obeys" "$(tr -d '\n\40-\176' < "$out" | wc -c)" 0
cp tests/meshes/odd/small.msh "$here/$(printf 'a\033[31m.msh')"
bp mesh info "$here/$(printf 'a\033[31m.msh')"
expect_exit 0
expect_stdout '^file .*/a\\x1b\[31m\.msh$'
bp mesh info "$here/$(printf 'b\033[31m.msh')"
expect_exit 2
expect_stderr '/b\\x1b\[31m\.msh: cannot be opened'
