# library.sh -- libbp in other programs: C, C++, Fortran, Python.

lib=$(dirname "$(realpath "$BP")")
[ -e "$lib/libbp.so" ] || make -s BUILD="$lib" lib > /dev/null

says() { # NAME COMMAND...: its exit code is 0
  ran=$1
  shift
  "$@" > "$out" 2> "$err" < /dev/null
  code=$?
  expect_exit 0
}

# What bp.h declares, and nothing else, is what others see.
nm -D --defined-only "$lib/libbp.so" | awk '{ print $3 }' | sort > "$here/symbols"
grep -oE '\blibbp_[a-z_]+\(' src/bp.h | tr -d '(' | sort -u > "$here/declared"
ran="symbols of libbp.so"
expect_true "they are those of bp.h" cmp "$here/declared" "$here/symbols"

IFS=. read -r major minor patch < VERSION
expect_true "its version is that of bp" grep -q "LIBBP_VERSION = $((10000 * major + 100 * minor + patch)) }" src/bp.h

"${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic -O2 -Isrc docs/examples/cg.c -o "$here/cg" -L"$lib" -lbp -lm 2> "$err"
says 'docs/examples/cg.c' env LD_LIBRARY_PATH="$lib" "$here/cg"
expect_stdout '^15625 unknowns, bp3\.5/[a-z_]+: ([0-9]+) iterations, libbp_solve [0-9]+, difference [0-9.]+e-(0[7-9]|1[0-9])$'
"${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic -Isrc docs/examples/volume.c -o "$here/volume" -L"$lib" -lbp 2> "$err"
says 'docs/examples/volume.c' env LD_LIBRARY_PATH="$lib" "$here/volume"
expect_stdout '^112 unknowns, volume 2$'
# Without bp beside it the library starts compilers itself.
mkdir "$here/alone"
cp "$lib/libbp.so" "$here/alone/libbp.so.0"
says 'docs/examples/cg.c, without bp' env LD_LIBRARY_PATH="$here/alone" XDG_CACHE_HOME="$here/alone" "$here/cg"
expect_stdout '^15625 unknowns, '
if command -v c++ > /dev/null; then
  echo '#include <bp.h>
int main() { return libbp_version() == LIBBP_VERSION ? 0 : 1; }' > "$here/version.cc"
  c++ -Wall -Wextra -Werror -Isrc "$here/version.cc" -o "$here/version" -L"$lib" -lbp
  says 'bp.h from C++' env LD_LIBRARY_PATH="$lib" "$here/version"
fi
if command -v gfortran > /dev/null; then
  gfortran -Wall -Werror docs/examples/apply.f90 -J "$here" -o "$here/apply" -L"$lib" -lbp
  says 'docs/examples/apply.f90' env LD_LIBRARY_PATH="$lib" "$here/apply"
  expect_stdout '^volume +1\.000000000$'
fi
"${CC:-cc}" -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -O1 -Isrc tests/cli/library_memory.c -o "$here/memory" -L"$lib" -lbp -lm 2> "$err"
says 'an allocator that refuses' env LD_LIBRARY_PATH="$lib" XDG_CACHE_HOME="$here/fresh" "$here/memory"
expect_stdout '^[1-9][0-9]+ arrays, 1 compiled$'
"${CC:-cc}" -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -O1 -Isrc tests/cli/library_threads.c -o "$here/threads" -L"$lib" -lbp -lm -lpthread 2> "$err"
says 'two threads, a context each' env LD_LIBRARY_PATH="$lib" XDG_CACHE_HOME="$here/fresh" "$here/threads"
expect_stdout '^0 wrong$'

# A client that is killed while it compiles leaves no process.
ran='a client, killed'
for moment in 0.05 0.2 0.5; do
  XDG_CACHE_HOME=$here/killed-$moment LD_LIBRARY_PATH=$lib "$here/memory" > "$out" 2> "$err" < /dev/null &
  client=$!
  sleep $moment
  kill -KILL $client
  wait $client 2> /dev/null
  for _ in {1..100}; do
    grep -lzsF "XDG_CACHE_HOME=$here/killed-$moment" /proc/[0-9]*/environ > "$here/left"
    [ -s "$here/left" ] || break
    sleep 0.1
  done
  expect_true "nothing runs on" test ! -s "$here/left"
done
if pkg-config --exists PETSc mpi-c 2> /dev/null; then
  # shellcheck disable=SC2046
  "${CC:-cc}" -O2 -Wall -Wextra -Werror -Isrc docs/examples/petsc.c -o "$here/petsc" \
    -L"$lib" -lbp $(pkg-config --cflags --libs PETSc mpi-c) -lm 2> "$err"
  says 'docs/examples/petsc.c' env LD_LIBRARY_PATH="$lib" "$here/petsc" -degree 3 -side 3
  expect_stdout '^libbp: [0-9]+ iterations, '
  expect_stdout '^assembled: [0-9]+ iterations, '
  expect_stdout '^difference [0-9.]+e-(09|1[0-9])$'
else
  echo "skipped: docs/examples/petsc.c, no PETSc (./setup.sh examples)"
fi
if command -v valgrind > /dev/null; then
  says 'cg.c, nothing is lost' env LD_LIBRARY_PATH="$lib" OMP_NUM_THREADS=1 BP_CFLAGS=-mno-avx512f \
    valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 "$here/cg"
fi

# Against what `bp apply` writes, in both layouts, with numbers of the caller's; what is refused.
"$BP" apply --problem bp3 --degree 3 --box 3x2x2 --warp 0.2 --lambda 0.5 --output "$here/whole" > "$out" 2> "$err"
"$BP" apply --problem bp3.0 --degree 3 --box 3x2x2 --warp 0.2 --lambda 0.5 --output "$here/elements" > "$out" 2> "$err"
python=python3 # one that has NumPy, which the tests' set-up installs
"$python" -c 'import numpy' 2> /dev/null || python=/usr/bin/python3
says 'docs/examples/libbp.py' env LIBBP="$lib/libbp.so" PYTHONPATH=docs/examples PYTHONDONTWRITEBYTECODE=1 \
  $python tests/cli/library.py "$here" meshes
cat "$out" "$err" | sed 's/^/  /' | tail -n 20
expect_stdout '^[1-9][0-9]* checks$'
