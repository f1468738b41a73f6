# ceed.sh -- libCEED's programs on bp: where libCEED is (CEED_DIR, or pkg-config knows it), else skipped. CEED_DIR may be
# its source tree, whose own examples and tests of operators are then run, too, as far as they are built there.

lib=$(dirname "$(realpath "$BP")")
ceed=${CEED_DIR:-$(pkg-config --variable=prefix ceed 2> /dev/null)}
if [ ! -e "$ceed/include/ceed.h" ]; then
  echo "skipped: no libCEED (CEED_DIR names it)"
  return 0 2> /dev/null || exit 0
fi
make -s BUILD="$lib" CEED_DIR="$ceed" lib > /dev/null

on_bp() { # COMMAND...
  { env LD_LIBRARY_PATH="$ceed/lib:$lib${NVRTC:+:$NVRTC}" LD_PRELOAD="$lib/libbp_ceed.so" CEED_DEBUG=1 "$@" > "$out" 2> "$err" \
      < /dev/null; } 2> /dev/null
  code=$?
  cat "$err" >> "$out" # where it says what runs on what
}

"${CC:-cc}" -std=c11 -O1 -I"$ceed/include" tests/cli/ceed.c -o "$here/ceed" -L"$ceed/lib" -lceed -lm 2> "$err"
for resource in /cpu/self/bp /cpu/self/bp:threads=2; do
  ran="operators on $resource"
  on_bp "$here/ceed" $resource
  expect_exit 0
  expect_stdout '^10 operators$'
  # One is looked at again when its context has changed.
  expect_true "eight of them are libbp's, and one twice" test "$(grep -acE '^bp: bp[135]\.[05]/' "$out")" = 9
  expect_true "two are not" test "$(grep -ac '^bp: other backend: ' "$out")" = 2
done
expect_stdout 'bp: other backend: a function that is not bilinear'
expect_stdout 'bp: other backend: neither a mass nor diffusion'

# By a driver that pretends, whose kernels are a mass, at N + 2 points
fake=$lib/fake
if [ -e "$fake/libnvrtc.so.13" ] && ! [ -e /dev/nvidiactl ]; then
  mkdir "$here/nvrtc"
  for major in 13 20; do ln -sf "$fake/libnvrtc.so.13" "$here/nvrtc/libnvrtc.so.$major"; done
  for resource in /gpu/cuda/bp /gpu/cuda/bp:atomic=1:device_id=0; do
    ran="operators on $resource"
    BP_CUDA_DRIVER=$fake/libcuda.so.1 FAKE_CUDA_APPLY=mass_by_columns NVRTC=$here/nvrtc on_bp "$here/ceed" $resource masses
    expect_exit 0
    expect_stdout '^4 operators$'
    expect_true "they are libbp's, and one twice" test "$(grep -ac '^bp: bp1\.0/direct' "$out")" = 5
  done
  for wrong in device_id=none device_id=0: atomic device_id=0,atomic=1; do
    ran="/gpu/cuda/bp:$wrong"
    on_bp "$here/ceed" /gpu/cuda/bp:$wrong
    expect_true "it is refused" grep -aq 'expected /gpu/cuda/bp, /gpu/cuda/bp:device_id=1 or /gpu/cuda/bp:atomic=1' "$out"
  done
fi

ran='a resource of another form'
on_bp "$here/ceed" /cpu/self/bp:threads=none
expect_true "it is refused" grep -aq 'expected /cpu/self/bp or /cpu/self/bp:threads=4' "$out"

for example in ex1-volume ex2-surface; do
  [ -x "$ceed/build/$example" ] || continue
  for form in '' -g; do
    ran="$example $form"
    on_bp "$ceed/build/$example" -ceed /cpu/self/bp -d 3 -p 3 -t $form
    expect_exit 0
    expect_true "an operator is libbp's" grep -aq '^bp: bp[13]\.0/' "$out"
  done
done
for program in "$ceed"/build/t5??-operator "$ceed"/build/t5??-operator-f; do
  [ -x "$program" ] || continue
  ran=$(basename "$program")
  env LD_LIBRARY_PATH="$ceed/lib" "$program" /cpu/self/ref/serial > "$here/reference" 2> "$err"
  reference=$?
  env LD_LIBRARY_PATH="$ceed/lib:$lib" LD_PRELOAD="$lib/libbp_ceed.so" "$program" /cpu/self/bp > "$out" 2> "$err"
  code=$?
  expect_true "it ends as with the reference" test $code = $reference
  expect_true "and says the same" cmp -s "$out" "$here/reference"
done
