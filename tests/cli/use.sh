# use.sh -- what a person types without reading: examples, shipped files by name, short names, files that are there.
root=$PWD

# every help fits a screen and ends with two examples that work as typed
commands=$("$BP" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]\+\( [a-z]\+\)\?\)  .*/\1/p')
expect_true "help names the commands" [ "$(wc -l <<< "$commands")" -ge 15 ]
while read -r command; do
  folder=$here/examples/${command// /-}
  mkdir -p "$folder"
  bp $command --help
  expect_true "bp $command --help fits a screen" [ "$(wc -l < "$out")" -le 40 ]
  expect_equal "examples of bp $command" "$(tail -n 3 "$out" | grep -c '^Examples:$\|^  bp \|^  source ')" 3
  tail -n 2 "$out" > "$folder/typed"
  while read -r line; do
    ran=$line
    (cd "$folder" && PATH=$(dirname "$BP"):$PATH timeout 600 bash -c "$line" < /dev/null > "$out" 2> "$err")
    code=$?
    expect_exit 0
  done < "$folder/typed"
done <<< "$commands
mesh
--help"

# shipped meshes and configs: the file as given, beside the config, shipped
anywhere() {
  ran="bp $*, in a folder of its own"
  (cd "$here" && timeout 600 "$BP" "$@" > "$out" 2> "$err" < /dev/null)
  code=$?
}
anywhere run smoke.yaml --dry-run
expect_exit 0
anywhere run configs/smoke.yaml --dry-run
expect_exit 0
mkdir "$here/beside"
printf 'problem: bp3.5\ndegree: 2\nmesh: pipe.msh\n' > "$here/beside/c.yaml"
anywhere run beside/c.yaml --dry-run
expect_stdout '/meshes/pipe.msh +72 '
bp mesh box --elements 3x1x1 --output "$here/beside/pipe.msh"
bp mesh box --elements 5x1x1 --output "$here/plate.msh"
bp mesh box --elements 7x1x1 --output "$here/beside/plate.msh"
bp mesh box --elements 7x1x1 --output "$here/beside/other.msh"
anywhere run beside/c.yaml --dry-run
expect_stdout ' beside/pipe.msh +3 '
anywhere run beside/c.yaml --mesh plate.msh --dry-run
expect_stdout ' plate.msh +5 '
anywhere run beside/c.yaml --mesh other.msh --dry-run
expect_stdout ' beside/other.msh +7 '
anywhere run beside/c.yaml --mesh none.msh --dry-run
expect_exit 2
expect_stderr '^none.msh: cannot be opened: No such file or directory; nor is it one of /.*meshes$'
anywhere run none.yaml
expect_exit 2
expect_stderr '^none.yaml: cannot be opened: No such file or directory; nor is it one of /.*configs$'
anywhere mesh info meshes/none.msh
expect_exit 2

# an installed program finds those of its installation
make -n install BUILD="$(dirname "$BP")" > "$out" 2>&1 # as it is typed, but for what it takes long to do
code=$? ran='make -n install'
expect_exit 0
make -s install BUILD="$(dirname "$BP")" -o "$(dirname "$BP")/bp" SHIPPED="$here/shipped" SHIPPED_DEGREES=1 PREFIX=/usr DESTDIR="$here/installed" > "$out" 2>&1
code=$? ran='make install'
expect_exit 0
if command -v cmake > /dev/null; then
  mkdir "$here/client"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(client C)' 'find_package(bp REQUIRED)' \
    "add_executable(cg $PWD/docs/examples/cg.c)" 'target_link_libraries(cg bp::bp m)' > "$here/client/CMakeLists.txt"
  ran='the CMake package'
  { cmake -S "$here/client" -B "$here/client/build" -DCMAKE_PREFIX_PATH="$here/installed/usr" &&
    cmake --build "$here/client/build"; } > "$out" 2>&1
  code=$?
  expect_exit 0
fi
echo 'problem: bp3.5' > "$here/installed/usr/share/bp/configs/mine.yaml"
ran='bp run mine.yaml, installed'
(cd "$here" && "$here/installed/usr/bin/bp" run mine.yaml --degree 1 --box 2x2x2 --dry-run > "$out" 2> "$err")
code=$?
expect_exit 0
ran='bp run, installed, without a compiler'
(unset BP_CFLAGS; cd "$here" && XDG_CACHE_HOME=$here/none XDG_CONFIG_HOME=$here/none PATH=/nowhere "$here/installed/usr/bin/bp" run --backend cpu --problem bp3.5,bp5 \
  --degree 1,3 --box 4x4x4 --set measure.min_time=0 --set measure.max_time=0.1 --format csv > "$out" 2> "$err")
code=$?
expect_exit 0
expect_equal "rows that came with it" "$(grep -c ',ok,' "$out")" 2
expect_equal "rows that need a compiler" "$(grep -c 'needs a C compiler' "$out")" 2
expect_stderr '^bp: needs a C compiler; .*: without one 2 kernels cannot run'
for file in README.md configs/*.yaml meshes/*.msh; do
  [ "$file" = README.md ] || expect_true "$file is installed" cmp "$file" "$here/installed/usr/share/bp/$file"
done
# with pages whose links lead to a file, and the records that they name
pages=$here/installed/usr/share/doc/bp
links=$(cd "$pages" && for page in *.md docs/*.md; do
  awk '/^ *```/ { code = !code } !code' "$page" | grep -oE '\]\([^) #]+' | sed "s|](|$(dirname "$page")/|"
done | grep -vE '/(https?|mailto):')
expect_true "the installed pages have links" [ "$(wc -l <<< "$links")" -gt 100 ]
expect_equal "links of installed pages to nowhere" "$(cd "$pages" && for link in $links; do
  [ -e "$link" ] || echo "$link"
done | tr '\n' ' ')" ""
ran='a record of the README'
(cd "$pages" && grep -o '`bp report docs/[^ `]*`' README.md | tr -d '`' | sed "s|^bp|$BP|" | bash -e > "$out" 2> "$err")
code=$?
expect_exit 0
expect_stdout 'bp3.5'
for file in docs/bp_records.py docs/record.schema.json; do
  expect_true "$file is installed" [ -f "$pages/$file" ]
done

# and so does one from a package
if ! command -v dpkg-deb > /dev/null; then
  echo "tests/cli/use.sh: no dpkg-deb: no package was made"
else
  DPKG_DEB_COMPRESSOR_TYPE=none make -s deb BUILD="$(dirname "$BP")" -o "$(dirname "$BP")/bp" SHIPPED="$here/shipped" SHIPPED_DEGREES=1 DEB="$here/bp.deb" > "$out" 2>&1
  code=$? ran='make deb'
  expect_exit 0
  expect_equal "version of the package" "$(dpkg-deb -f "$here/bp.deb" Version)" "$(cat VERSION)"
  dpkg-deb -x "$here/bp.deb" "$here/unpacked"
  ran='bp run bp3.yaml, unpacked'
  (cd "$here" && "$here/unpacked/usr/bin/bp" run bp3.yaml --backend cpu --dry-run > "$out" 2> "$err")
  code=$?
  expect_exit 0
fi

# nobody's file is replaced unasked
bp mesh box --elements 2x2x2 --output "$here/plate.msh"
expect_exit 2
expect_stderr "^--output: expected a new file, found '.*/plate.msh', which is there already; --force replaces it\$"
bp mesh box --elements 2x2x2 --output "$here/plate.msh" --force
expect_exit 0
for format in html svg markdown csv json; do
  echo mine > "$here/report.$format"
  bp report tests/records/schema-2.json --$format "$here/report.$format"
  expect_exit 2
  expect_stderr "^--$format: expected a new file"
  expect_equal "what is there" "$(cat "$here/report.$format")" mine
done
bp report tests/records/schema-2.json --svg "$here/figures/"
expect_exit 0
bp report tests/records/schema-2.json --svg "$here/figures/"
expect_exit 2
expect_stderr "^--svg: expected a new file, found '.*\.svg'"
bp report tests/records/schema-2.json --svg "$here/figures/" --force
expect_exit 0
echo mine > "$here/o-x.npy"
for command in 'apply --problem bp3.5' 'solve --problem bp5'; do
  bp $command --degree 1 --box 2x1x1 --output "$here/o"
  expect_exit 2
  expect_stderr "^--output: expected a new file, found '.*/o-x.npy'"
done

# names
bp -V
expect_exit 0
expect_stdout "^bp $(cat VERSION)\$"
bp list bp3.5 --backend cpu
expect_exit 0
expect_stdout '^bp3.5/'
expect_no_stdout '^bp[^3]|^bp3\.[^5]'
bp list 'bp3.5/*' --backend cpu
cp "$out" "$here/globbed"
bp list bp3.5 --backend cpu
expect_true "a problem's name stands for all its variants" cmp "$out" "$here/globbed"
for option in variant variants; do
  bp run --problem bp3.5 --degree 2 --box 2x2x2 --dry-run --$option bp3.5
  expect_exit 0
  expect_stdout ' naive '
done
bp run --problem bp3.5 --degree 2 --box 2x2x2 --dry-run --variant bp3.5 --variants nosuch
expect_exit 2
expect_stderr "^--variants: "

# an option that no selected variant has
bp run --problem bp3.5 --degree 2 --box 2x2x2 --backend cpu --variants naive --set options.elements_per_block=1 --dry-run
expect_exit 2
expect_stderr "^options: expected options of the selected variants, found 'elements_per_block', which none of them has\$"
bp check bp3.5/naive --degree 2 --set options.elements_per_block=1
expect_exit 2
expect_no_stdout
expect_stderr "^options: expected options of the selected variants, found 'elements_per_block', which none of them has\$"
for name in bk5 BK5; do
  bp run --problem $name --degree 2 --box 2x2x2
  expect_exit 2
  expect_stderr "found '$name'; did you mean 'bp3.5'\?\$"
done
bp list bk3
expect_exit 2
expect_stderr "found 'bk3'; did you mean 'bp3.0'\?\$"
bp list best
expect_exit 2
expect_stderr "^bp list: .* found 'best', .*: 'bp run --dry-run' and --arch say which\$"
