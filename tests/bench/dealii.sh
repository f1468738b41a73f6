#!/bin/bash
# dealii.sh -- BP5 and BP3 by bp and by deal.II (Debian's libdeal.ii-dev, which it installs) on this machine, in turns: a
# table, and a peers' CSV for `bp report --with` that has both.
#
# Usage: [BP=build/bp] [DEGREES="2 3 4 5 7"] [DOFS=2e6] [RANKS=1] [ROUNDS=3] [ISA=avx2] [KEEP=FOLDER] tests/bench/dealii.sh CSV
# RANKS: processes of deal.II, threads of bp. A number is the least time of all rounds; stop other work first. deal.II's
# tuned way wants a header of kronbichler/ceed_benchmarks_dealii, which is cloned unless HEADERS is a folder that has it.
# Compiling takes minutes: KEEP keeps the programs. Both solve the same system: a displacement of 0.02 sin sin sin is
# bp's warp of 0.02 * 3 pi, and residuals after 100 iterations must agree.
set -eu
csv=${1:?usage: dealii.sh CSV}
bp=${BP:-build/bp} ranks=${RANKS:-1} rounds=${ROUNDS:-3} dofs=${DOFS:-2e6}
degrees=${DEGREES:-2 3 4 5 7}
here=$(dirname "$0")/peers/dealii
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "skipped: $1"; exit 0; }

config=/usr/include/deal.II/base/config.h
if [ ! -e $config ]; then
  command -v apt-get > /dev/null || skip "there is no deal.II, and no apt-get to install it"
  [ "$(id -u)" = 0 ] || command -v sudo > /dev/null || skip "only root may install libdeal.ii-dev, and there is no sudo"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  echo "installing libdeal.ii-dev"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libdeal.ii-dev > "$work/apt" 2>&1 ||
    skip "apt-get could not install libdeal.ii-dev: $(tail -n 1 "$work/apt")"
fi
command -v mpicxx > /dev/null && command -v mpirun > /dev/null || skip "there is no mpicxx or no mpirun"
isa=${ISA:-avx512} lanes=8 march=native
if [ "$isa" = avx2 ] || ! grep -qw avx512f /proc/cpuinfo; then isa=avx2 lanes=4 march=x86-64-v3; fi
grep -qw avx2 /proc/cpuinfo || skip "expected a processor with AVX2 or AVX-512"
tuned="-DTUNED -I${HEADERS:-$work/peer/common_code}" ways=035
if [ -z "${HEADERS:-}" ] && ! { git clone -q https://github.com/kronbichler/ceed_benchmarks_dealii "$work/peer" &&
  git -C "$work/peer" checkout -q 0333b1b; } 2> /dev/null; then
  echo "deal.II's tuned way is left out: ceed_benchmarks_dealii cannot be cloned"
  tuned="" ways=03
fi

# The package is scalar: its config.h, changed, goes first.
mkdir -p "$work/deal.II/base"
sed "s/^#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS .*/#define DEAL_II_VECTORIZATION_WIDTH_IN_BITS $((64 * lanes))/" $config \
  > "$work/deal.II/base/config.h"
folders="-I$work $tuned"
for folder in trilinos hdf5/openmpi scotch suitesparse petsc opencascade slepc; do
  folders="$folders -isystem /usr/include/$folder"
done
compile() { # DEGREE OUTPUT ARGUMENT...
  mpicxx -std=c++17 -O3 -march=$march -funroll-loops -fopenmp-simd -DNDEBUG -DDEG="$1" -DLANES=$lanes -w $folders "${@:3}" -o "$2"
}
link="-Wl,--as-needed -lpetsc_real"
for part in $(sed -n 's/^SET(DEAL_II_LIBRARIES_RELEASE "\(.*\)")/\1/p' /usr/share/cmake/deal.II/deal.IIConfig.cmake | tr ';' ' '); do
  case $part in
    /*) link="$link $part" ;;
    *{DEAL_II_PATH}*) link="$link /usr${part#*\}}" ;;
    *) link="$link -l$part" ;;
  esac
done
keep=${KEEP:-$work}
mkdir -p "$keep"

take() { # DEGREE HALF: one round of each, as lines "program,problem,degree,dofs,seconds,residual"
  ITS=100 mpirun --allow-run-as-root --oversubscribe -np "$ranks" "$keep/driver$1" "$2x$2x$2" 1 3 $ways 53 |
    awk -F, '{ sub("six-merged|compressed-merged", $6 ~ /six/ ? "merged" : "tuned", $6)
               printf "deal.II %s,%s,%d,%d,%.6e,%s\n", $6, $1, $2, $4, $8 / 1e3, $11 }'
  "$bp" run --backend cpu --threads "$ranks" --isa $isa --problem bp5,bp3 --degree "$1" --box "$((2 * $2))x$((2 * $2))x$((2 * $2))" \
    --warp 0.188495559 --rhs constant --iterations 100 --no-figure --format csv --set measure.max_time=1 > "$work/bp.csv"
  python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    if r["status"] == "ok":
        print("bp", r["problem"], r["degree"], r["dofs"], r["seconds_min"], r["residual"], sep=",")' "$work/bp.csv"
}
for degree in $degrees; do
  [ -e "$keep/driver$degree" ] || compile "$degree" "$keep/driver$degree" "$here"/{driver,inst,stub}.cc $link &
done
wait
for degree in $degrees; do
  half=$(awk -v d="$dofs" -v N="$degree" 'BEGIN { printf "%d", exp(log(d) / 3) / N / 2 + 0.5 }')
  for ((round = 0; round < rounds; ++round)); do take "$degree" "$half" >> "$work/lines"; done
done

python3 - "$work/lines" "$csv" "$(sed -n 's/^#define DEAL_II_PACKAGE_VERSION "\(.*\)"/\1/p' $config)" "$ranks" "$lanes" "$isa" \
  "$("$bp" info | sed -n 's/^cpu   *//p' | head -n 1)" "$(date +%F)" << 'PY'
import sys
path, csv, version, ranks, lanes, isa, machine, date = sys.argv[1:]
rows, residuals = {}, {}
for line in open(path):
    program, problem, degree, dofs, seconds, residual = line.strip().split(",")
    key = problem, int(degree)
    row = rows.setdefault(key, {})
    row[program] = min((float(seconds), int(dofs)), row.get(program, (1e30, 0)))
    residuals.setdefault(key, []).append(float(residual))
with open(csv, "w") as out:
    out.write("# machine: %s, %s thread%s, %s\n# version: deal.II %s, %s lanes, ranks of MPI\n# date: %s\n"
              "# command: RANKS=%s tests/bench/dealii.sh\nprogram,problem,degree,dofs,seconds\n"
              % (machine, ranks, "" if ranks == "1" else "s", isa, version, lanes, date, ranks))
    for key, row in rows.items():
        for program in row:
            out.write("%s,%s,%d,%d,%.6e\n" % (program, *key, row[program][1], row[program][0]))
wrong = 0
for key, row in sorted(rows.items()):
    far = max(residuals[key]) / min(residuals[key]) - 1
    wrong |= far > 1e-3
    print("%s N=%-2d" % key, ", ".join("%s %.3f ms" % (p, 1e3 * t[0]) for p, t in row.items())
          + "; best of deal.II over bp %.2f" % (min(t[0] for p, t in row.items() if p != "bp") / row["bp"][0]),
          "RESIDUALS DIFFER" if far > 1e-3 else "")
sys.exit(wrong)
PY
