# wrong.sh -- kernels of our own with one thing wrong each: plain `bp check` finds it in the emulator, and passes the
# kernel as it is. A row: variant @ file @ what changes @ options @ what is told.
wrong=$here/wrong
declare -A passed
while IFS=@ read -r variant file change options told; do
  rm -rf "$wrong"
  cp -r kernels "$wrong"
  sed -i "$change" "$wrong/$file"
  expect_true "$file changes: $change" test -n "$(cmp "kernels/$file" "$wrong/$file")"
  BP_KERNEL_DIR=$wrong bp check --backend emulate $variant $options
  expect_exit 1
  expect_stdout "^FAIL  $variant .*$told"
  [ "${passed[$variant $options]}" ] && continue
  passed[$variant $options]=yes
  bp check --backend emulate $variant $options
  expect_exit 0
done << 'EOF'
bp1/two-kernel@lib/solve/sums.h@s/return k > 0 ? sums_ratio(rr, before)/return k > 5 ? sums_ratio(before, rr) : k > 0 ? sums_ratio(rr, before)/@--degree 2 --set options.history=8@18 iterations differ by
bp1/two-kernel@lib/solve/sums.h@s/residuals\[k\] = norm/residuals[k] = k > 9 ? 1.01 * norm : norm/@--degree 2 --set options.history=8@18 iterations differ by
bp1/two-kernel@lib/solve/sums.h@s/SUMS_ALPHA + k % KEPT/SUMS_ALPHA + (k < KEPT ? k : 0)/@--degree 2 --set options.history=8@18 iterations differ by
bp5/two-kernel@lib/solve/vectors.h@s/(k + 1) % KEPT == 0/k + 1 == KEPT/@--degree 2 --set options.history=2@iterations differ by
bp5/two-kernel@lib/solve/sums.h@/buffer\[32 \* c + n\];/,/BP_BARRIER/s/BP_BARRIER()/(void)0/@--degree 2 --set options.history=8@race: .* as threads run in one order or the other
wave/two-kernel@lib/wave/surface.h@s/return id < 0 ? ~id : id/return id < 0 ? 0 : id/@--degree 2 --set options.cubes=3@(race: |fixed, sources and receivers: .* steps differ by)
wave/two-kernel@lib/wave/surface.h@s/signals\[\(.*\)\];/(k > 16 ? 0 : signals[\1]);/@--degree 2 --set options.cubes=3@20 steps differ by
wave/two-kernel@lib/wave/surface.h@s/\] = sum;/] = r == 3 ? 0 : sum;/@--degree 2 --set options.cubes=3@sources and receivers: .* steps differ by
wave/two-kernel@lib/wave/surface.h@s/s < SOURCES/s < 2/@--degree 2 --set options.cubes=3@sources and receivers: .* steps differ by
wave/two-kernel@lib/wave/surface.h@s/s < SOURCES/s < SOURCES - 1/@--degree 2 --set options.cubes=3@sources and receivers: .* steps differ by
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& !(ELEMENTS_PER_BLOCK == 4 \&\& threadIdx.z == 3))/@--degree 1..8@never written
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& !(ELEMENTS_PER_BLOCK == 7 \&\& threadIdx.z == 6))/@--degree 1..8@never written
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& blockIdx.x != 150)/@--degree 2 --set options.pad=1@200 elements: v\[
bp3.5/columns@bp3.5/columns.cu@s/&t, lambda/\&t, lambda > 1 ? 1 : lambda/@--degree 2 --set options.pad=1@error .*, tolerance
bp5/two-kernel-ranks@lib/solve/mail.h@s/if (!mail\[BP_MAIL_WAITS\])//@--degree 1@by one rank and by several
bp5/two-kernel-ranks@lib/solve/vectors.h@s/return !EXACT_SUMS || .*/return true;/@--degree 1@by one rank and by several
EOF
