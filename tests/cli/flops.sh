# flops.sh -- flops of C kernels of operators: as many as the header says, or else the model's at most, with the mass
# term and sums that its conventions leave out at a point.
if ! echo '__float128 x __attribute__((vector_size(32)));' | gcc -c -x c -o "$here/x.o" - 2> /dev/null; then
  echo "tests/cli/flops.sh: no GCC with __float128: flops of C kernels were not counted"
else
  bp run --problem bp1.0,bp3.0,bp3.5 --variants naive --degree 1..15 --elements 1 --backend cpu --threads 1 \
    --set measure.max_time=0.001 --format json --output "$here/model.json"
  python3 - "$here/model.json" > "$here/model" <<'PY'
import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    print(row["problem"], row["degree"], row["flops"] // row["elements"])
PY
  for kernel in kernels/bp1.0/*.c kernels/bp3.0/*.c kernels/bp3.5/*.c; do
    problem=$(basename "$(dirname "$kernel")")
    line=$(sed -n 's/^ \* flops: *//p' "$kernel")
    least=$(sed -n 's/^ \* degrees: *\([0-9]*\).*/\1/p' "$kernel")
    for N in ${line:+1 2 3 6} 7 8 ${line:+14 15}; do
      [ $N -ge $least ] || continue
      nq=$((N + 1)) nc=$((N + 2)) lanes=2 slack=5
      [ $problem != bp3.5 ] || nc=$nq
      [ $problem != bp1.0 ] || slack=0
      gcc -O0 -w -Wno-psabi -Ikernels "-DKERNEL=\"${kernel#kernels/}\"" -DBP_LANES=$lanes -DBP_N=$N -DBP_NC=$nc \
        tests/cli/flops.c -o "$here/flops"
      found=$("$here/flops")
      model=$(awk -v p=$problem -v n=$N '$1 == p && $2 == n { print $3 }' "$here/model")
      most=$((model + slack * nc * nc * nc))
      ran="flops of $kernel at N=$N"
      if [ -n "$line" ]; then
        expect_equal "flops" "$found" $((line))
      else
        expect_true "at least 1 and at most $most, not $found" [ "$found" -gt 0 -a "$found" -le "$most" ]
      fi
    done
  done
fi
