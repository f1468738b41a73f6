# cuda.sh -- what of the cuda backend can be tested without a GPU: saying that there is none, compiling for
# any architecture, the cache, kernels read from a folder.
export XDG_CACHE_HOME=$here/cache
cache=$XDG_CACHE_HOME/bp

# ---- no driver, half a driver ----

if ! [ -e /dev/nvidiactl ]; then
  bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cuda
  expect_exit 3
  expect_no_stdout
  expect_stderr '^cuda: no NVIDIA driver on this machine \(libcuda\.so\.1 was not found\); --backend cpu'
  expect_lines stderr 1

  bp run --problem bp1.0 --degree 1 --box 1x1x1 --variants naive --backend auto --set measure.max_time=0.01
  expect_exit 0
  expect_stderr 'running on the CPU \(cuda: no NVIDIA driver'

  bp info
  expect_exit 0
  expect_stdout '^cuda +cuda: no NVIDIA driver'

  bp check --backend cuda
  expect_exit 3
  expect_no_stdout
  expect_stderr '^cuda: no NVIDIA driver'
  expect_lines stderr 1
fi

mkdir -p "$here/half"
for library in libcuda.so.1 libnvrtc.so.20; do
  ${CC:-cc} -shared -o "$here/half/$library" -x c /dev/null
done
export LD_LIBRARY_PATH=$here/half
bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cuda
expect_exit 3
expect_stderr '^cuda: the NVIDIA driver lacks cuInit; it must be of CUDA 12 or newer'
bp list --arch sm_90
expect_exit 3
expect_stderr '^cuda: libnvrtc lacks the function nvrtcVersion'
# An empty entry is not the current folder.
ran="bp run, LD_LIBRARY_PATH=:"
program=$(realpath "$BP")
(cd "$here/half" && LD_LIBRARY_PATH=: "$program" run --problem bp1.0 --degree 1 --box 1x1x1 --backend cuda) > "$out" 2> "$err"
expect_no_stderr 'lacks cuInit'
unset LD_LIBRARY_PATH

# ---- names of architectures ----

for wrong in 90 sm90 sm_ sm_9x compute_90 sm_-90; do
  bp list --arch $wrong
  expect_exit 2
  expect_no_stdout
  expect_stderr "^bp list: --arch: expected a name such as sm_90, found '$wrong'"
done

# ---- compiling, where there is a compiler ----

bp list 'bp1.0/cube' --arch sm_90 --degrees 2
if [ $code -eq 3 ]; then
  expect_stderr '^cuda: no libnvrtc\.so\.12 or newer found; install .* or set CUDA_HOME'
  return 0
fi
expect_exit 0
expect_stdout '^bp1\.0/cube +2 +[a-z_]+ +[1-9][0-9]* +0 +0 +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+  const=1'
expect_stdout '^sm_90 by NVRTC [0-9.]+: 1 kernels, 0 of them spill; 0 compilations failed'
expect_lines stdout 3
expect_true "one file in the cache" [ "$(ls "$cache" | grep -c jit)" -eq 1 ]

bp list 'bp1.0/cube' --arch sm_90 --degrees 2
expect_stdout '^bp1\.0/cube .* 0\.000  const=1'

bp list 'bp1.0/naive' --arch sm_90
expect_exit 2
expect_stderr '^bp list: --arch: expected CUDA variants that run on sm_90, found none of them asked for$'

for size in 0 100 2000; do # a file cut off is compiled again and replaced
  truncate -s $size "$cache"/*.jit
  bp list 'bp1.0/cube' --arch sm_90 --degrees 2
  expect_exit 0
  expect_no_stderr
  bp list 'bp1.0/cube' --arch sm_90 --degrees 2
  expect_stdout ' 0\.000  const=1'
done

bp list 'bp1.0/cube' --arch sm_90 --degrees 2,3 --format json
expect_exit 0
expect_stdout '"degree": 3'
expect_true "another degree, another file" [ "$(ls "$cache" | grep -c jit)" -eq 2 ]
bp list 'bp1.0/cube' --arch sm_80 --degrees 2
expect_true "another architecture, another file" [ "$(ls "$cache" | grep -c jit)" -eq 3 ]

for n in 1 2 3 4; do # together in one empty folder
  XDG_CACHE_HOME=$here/together timeout 600 "$BP" list 'bp1.0/c*' --arch sm_90 --degrees 1..3 \
    > "$here/together.$n" 2>&1 &
done
wait
for n in 1 2 3 4; do
  expect_true "run $n of 4 ends well" grep -q ' 0 compilations failed' "$here/together.$n"
done
expect_true "nothing half-written is left" [ -z "$(ls "$here/together/bp" | grep -v '\.jit$')" ]

XDG_CACHE_HOME=/dev/null bp list 'bp1.0/cube' --arch sm_90 --degrees 2
expect_exit 0
expect_no_stderr

bp list best --arch sm_86 --degrees 1
expect_exit 0
expect_stdout '^bp5/two-kernel +1  apply '
expect_stdout '^sm_86 by NVRTC [0-9.]+: [0-9]+ kernels, '
for arch in sm_75 sm_89; do # the least shared memory of a block, and the next
  bp list best --arch $arch --degrees 15
  expect_exit 0
  expect_stdout '^bp3/unfused +15 +apply .* in_l2=1$'
done
cp -r kernels "$here/large"
sed -i 's/shared real \* apply_shared/shared real * 99999/' "$here"/large/solve/*.cu
BP_KERNEL_DIR=$here/large bp list best --arch sm_75 --degrees 15
expect_exit 1
expect_stderr '^bp list: best: expected something for bp5 at N = 15 on sm_75, found nothing$'

bp list --arch sm_10 'bp1.0/cube' --degrees 1
expect_exit 3
expect_stderr 'NVRTC [0-9.]+ compiles for sm_[0-9]+ and newer; this is sm_10'

# Constants that are fetched first are not used, and a compiler that saw through it would leave the loads out: with
# them goes the shared memory of the store that never happens, of which these kernels have no other.
bp list bp3.0/direct bp3.0/five-pass-direct bp3.5/direct --arch sm_90 --degrees 5
expect_exit 0
for fetching in bp3.0/direct bp3.0/five-pass-direct bp3.5/direct; do
  expect_stdout "^$fetching +5 +apply +[0-9]+ +0 +0 +[1-9][0-9]* .* prefetch_constants=1"
done

# ---- kernels from a folder ----

export BP_KERNEL_DIR=$here/kernels
mkdir -p "$BP_KERNEL_DIR/bp1.0"
kernel=$BP_KERNEL_DIR/bp1.0/mine.cu
bp list
expect_exit 2
expect_stderr '^BP_KERNEL_DIR: expected a folder with PROBLEM/NAME\.cu or \.c in it'

printf '/* bp1.0/mine -- made here\n *\n * degrees: 1..4\n * launch: mine; threads 32 */\n#include "abi/gpu.h"\n\nBP_KERNEL(mine)\n{\n  v[0] = nonsense;\n}\n' > "$kernel"
bp list 'bp1.0/mine'
expect_exit 0
expect_stdout '^bp1\.0/mine +cuda +N=1\.\.4  made here'
bp list 'bp1.0/mine' --arch sm_90 --degrees 1
expect_exit 3
expect_stderr "mine\.cu does not compile at N = 1: .*mine\.cu\(9\): error: identifier \"nonsense\" is undefined"

sed -i 's/nonsense/u[0]/' "$kernel"
bp list 'bp1.0/mine' --arch sm_90
expect_exit 0
expect_lines stdout 6

# Headers at any depth, as many as there are.
mkdir -p "$BP_KERNEL_DIR/lib/deep/er"
for n in {1..60}; do
  printf '/* h%d.h -- a header */\n#pragma once\n#define H%d %d\n' "$n" "$n" "$n" > "$BP_KERNEL_DIR/lib/deep/er/h$n.h"
  sed -i "1,/#include/s|^#include \"abi/gpu.h\"|&\n#include \"lib/deep/er/h$n.h\"|" "$kernel"
done
sed -i 's/u\[0\]/u[H60]/' "$kernel"
bp list 'bp1.0/mine' --arch sm_90 --degrees 1
expect_exit 0
expect_lines stdout 3

sed -i '1s/mine/yours/' "$kernel"
bp list
expect_exit 2
expect_stderr "mine\.cu:1: expected '/\* bp1\.0/mine -- \.\.\.', found '/\* bp1\.0/yours -- made here'"
unset BP_KERNEL_DIR

# ---- with a driver that pretends ----

pretended=$(dirname "$(realpath "$BP")")/fake/libcuda.so.1
if [ -e "$pretended" ] && ! [ -e /dev/nvidiactl ]; then
  export BP_CUDA_DRIVER=$pretended
  bp info
  expect_exit 0
  expect_stdout '^cuda +Pretended GPU A; cache 1\.05 MB, 268 MB free'
  expect_stdout '^cuda device 0 +Pretended GPU A, sm_90, 4 multiprocessors at 1000 MHz, 268 MB at 256 GB/s'
  expect_stdout '^cuda device 1 +Pretended GPU B, .* PCI 0000:02:00\.0'

  # u, v and the reference on the host; u, v, factors and as much again for the copy on the device
  bp run --problem bp1.0 --degree 7 --box 16x16x16 --backend cuda --variants cube --dry-run
  expect_exit 0
  expect_stdout ' DOFs +host +device  variants$'
  expect_stdout ' 50\.3 MB +115 MB  cube'
  bp run --problem bp1.0 --degree 7 --box 16x16x16 --backend cpu --variants naive --dry-run
  expect_stdout ' DOFs +memory  variants$'

  bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cuda --device 2
  expect_exit 3
  expect_stderr '^cuda: expected a device 0\.\.1, found 2'

  FAKE_CUDA_MEMORY=300000 bp run --problem bp1.0 --degree 7 --box 4x4x4 --backend cuda --variants cube
  expect_exit 3
  expect_stdout 'skipped: cuda: out of device memory: v needs 262 kB, 3[0-9.]+ kB are free'

  BP_CUDA_DRIVER=/dev/null bp run --problem bp1.0 --degree 1 --box 1x1x1 --backend cuda
  expect_exit 3
  expect_stderr "^cuda: BP_CUDA_DRIVER: cannot open '/dev/null' as a library"
fi

# So many elements that blocks come to a second round
fake=$(dirname "$(realpath "$BP")")/fake
if [ -e "$fake/libnvrtc.so.13" ] && ! [ -e /dev/nvidiactl ]; then
  mkdir -p "$here/many/bp1.0" "$here/nvrtc"
  for major in 13 20; do ln -sf "$fake/libnvrtc.so.13" "$here/nvrtc/libnvrtc.so.$major"; done
  for name in mass mass_of_few mass_together; do
    printf '/* bp1.0/%s -- made here\n *\n * degrees: 1..3\n * launch: %s; threads 96 */\nBP_KERNEL(%s)\n{\n}\n' \
      "${name//_/-}" "$name" "$name" > "$here/many/bp1.0/${name//_/-}.cu"
  done
  export LD_LIBRARY_PATH=$here/nvrtc BP_CUDA_DRIVER=$fake/libcuda.so.1 BP_KERNEL_DIR=$here/many
  bp check --backend cuda bp1.0/mass bp1.0/mass-of-few --degree 2 --elements 1,65
  expect_exit 0
  bp check --backend cuda bp1.0/mass bp1.0/mass-of-few --degree 2 # so many that blocks come to more than one round
  expect_exit 1
  expect_stdout '^ok    bp1\.0/mass +[0-9]+ passed'
  expect_stdout '^FAIL  bp1\.0/mass-of-few  cuda  N=2, [0-9]{5} elements: error inf, .* at element 1024 of '

  # libbp in another process, on arrays of its own, in a stream of its own; Python is not sanitized
  if ! ldd "$BP" | grep -q 'lib[atu]b*san'; then
    lib=$(dirname "$(realpath "$BP")") python=python3
    "$python" -c 'import numpy' 2> /dev/null || python=/usr/bin/python3
    [ -e "$lib/libbp.so" ] || make -s BUILD="$lib" lib > /dev/null
    ran='libbp on a GPU'
    LIBBP=$lib/libbp.so PYTHONPATH=docs/examples PYTHONDONTWRITEBYTECODE=1 \
      $python tests/cli/library_gpu.py "$BP_CUDA_DRIVER" "$here/many/bp1.0/mass.cu" \
      > "$out" 2> "$err" < /dev/null
    code=$?
    expect_exit 0
    expect_stdout '^bp1\.0/mass, [0-9.]+e-1[0-9] from the CPU, in a graph [0-9.]+e-1[0-9]$'
    expect_stdout '^unknowns, [0-9.]+e-1[0-9] from the CPU$'
    expect_stdout '^two threads, two streams, [0-9.]+e-1[0-9] from the CPU$'
  fi

  # what NVML says of a device; that it was held back
  ln -s "$fake/libnvidia-ml.so.1" "$here/nvrtc"
  power() {
    bp run --backend cuda --device 1 --problem bp1.0 --variants mass --degree 2 --elements 65 --format json \
      --set measure.warmup=$1 --set measure.max_time=0.01 --set measure.energy=${2:-0}
    expect_exit 0
  }
  export FAKE_NVML_REASONS=0x25 # idle, power cap, thermal limit
  power 0.2
  expect_json 'r["rows"][0]["power"] == {"watts": 350.5, "joules": None, "celsius": 62, "sm_mhz_before": 1410,
    "sm_mhz_during": 1410, "sm_mhz_after": 1410, "throttle": "power cap, thermal limit"}'
  expect_json 'r["environment"].items() >= {
    "gpu SM MHz": "1410 before, 1980 at most", "gpu memory MHz": "2600 before, 2619 at most",
    "gpu power limit": "700 W", "gpu temperature": "62 C before",
    "gpu held back by": "idle, power cap, thermal limit"}.items()'
  cp "$out" "$here/power.json"
  bp report "$here/power.json"
  expect_stdout '^ *! 2 +mass .* throttled: power cap, thermal limit'
  expect_stdout '^! 1 row ran while the device was throttled$'
  FAKE_NVML_REASONS=0x103 power 0.2 # idle, set by user, display clocks: nothing that a run would have had
  expect_json 'r["rows"][0]["power"]["throttle"] == ""'
  power 0 1 # the counter of energy agrees with the power over time
  expect_json 'abs(r["rows"][0]["power"]["watts"] - 350.5) < 18 and r["rows"][0]["power"]["joules"] > 0'
  cp "$out" "$here/energy.json"
  bp report "$here/energy.json"
  expect_stdout 'W +GDOF/J'
  FAKE_NVML_ENERGY=0.9 power 0 1 # or does not
  expect_json 'r["rows"][0]["power"]["joules"] is None'
  unset FAKE_NVML_REASONS
  power 0 1 # a library that tells nothing
  expect_json 'r["rows"][0]["power"]["joules"] is None and r["rows"][0]["power"]["throttle"] is None'
  unset LD_LIBRARY_PATH BP_CUDA_DRIVER BP_KERNEL_DIR
fi
