# wrong.sh -- kernels of our own with one thing wrong each: `bp check` finds it, and passes the kernel as it is. A row:
# variant @ file @ what changes @ options @ what is told.
wrong=$here/wrong
declare -A passed
cp -r kernels "$wrong"
while IFS=@ read -r variant file change options told; do
  [[ $options == *--backend* ]] || options="--backend emulate $options"
  sed -i "$change" "$wrong/$file"
  expect_true "$file changes: $change" test -n "$(cmp "kernels/$file" "$wrong/$file")"
  BP_KERNEL_DIR=$wrong bp check $variant $options
  cp "kernels/$file" "$wrong/$file"
  expect_exit 1
  expect_stdout "^FAIL  $variant .*$told"
  [ "${passed[$variant $options]}" ] && continue
  passed[$variant $options]=yes
  bp check $variant $options
  expect_exit 0
done << 'EOF'
bp5/two-kernel@lib/solve/sums.h@s/return k > 0 ? sums_ratio(rr, before)/return k > 5 ? sums_ratio(before, rr) : k > 0 ? sums_ratio(rr, before)/@--degree 1 --set options.history=4@10 iterations differ by
bp5/two-kernel@lib/solve/sums.h@s/return k > 0 ? sums_ratio(rr, before)/return k > 0 \&\& rr > 1e-3 * before ? sums_ratio(rr, before)/@--degree 1 --set options.history=4@1 elements: .*iterations differ by
bp5/two-kernel@lib/solve/sums.h@s/SUMS_ALPHA + k % KEPT/SUMS_ALPHA + (k < KEPT ? k : 0)/@--degree 1 --set options.history=4@iterations differ by
bp5/two-kernel@lib/solve/vectors.h@s/(k + 1) % KEPT == 0/k + 1 == KEPT/@--degree 1 --set options.history=4@iterations differ by
bp5/two-kernel@lib/solve/vectors.h@s/(1u << k % KEPT) - 1/(1u << k) - 1/@--degree 1 --set options.history=4@200 elements: 
bp5/two-kernel@lib/solve/vectors.h@s/n < l->starts\[s + 1\]; ++n/n < l->starts[s] + 8; ++n/@--degree 1 --set options.history=4@20 elements: .*iterations differ by
bp5/two-kernel@lib/solve/vectors.h@s/const long long surface_stride = (long long)/const int surface_stride = /@--degree 1 --set options.history=4@7 elements behind [0-9]+: 
bp5/two-kernel@lib/solve/batches.h@s/ids\[(size_t)at.batch/ids[(size_t)(at.batch % 190)/@--degree 1 --set options.history=4@200 elements: .*iterations differ by
bp5/two-kernel@lib/operator/metric.h@s/lambda, r, s, t, u/BP_NQ % 2 == 0 \&\& lambda > 1 ? 1 : lambda, r, s, t, u/@--degree 1 --set options.history=4@lambda 2.5.*iterations differ by
bp5/two-kernel@lib/solve/sums.h@/buffer\[32 \* c + n\];/,/BP_BARRIER/s/BP_BARRIER()/(void)0/@--degree 1 --set options.history=4@race: .* as threads run in one order or the other
bp5/two-kernel@lib/operator/metric.h@s/m.z\[a\]\[c\] = polynomial(slope, y)/m.z[a][c] = polynomial(slope, -y)/@--degree 1 --geometry trilinear --set options.history=4@iterations differ by
bp5/two-kernel@lib/operator/metric.h@s/a\[2\] \* b\[0\] - a\[0\] \* b\[2\]/a[2] * b[0] + a[0] * b[2]/@--degree 1 --geometry trilinear --set options.history=4@iterations differ by
bp5/two-kernel@lib/operator/flux.h@s/f\[5 \* step\] \* c;/f[5 * step] * c * (real)(BP_PRECISION == 2 ? 1.00001 : 1);/@--degree 2 --precision single --set options.history=4@iterations differ by
bp5/merged@lib/solve/merged.h@s/return n % 2 ? a->p + KEPT/return n % 4 == 3 ? a->p + KEPT/@--degree 1 --set options.history=4@race: 
bp5/merged@lib/solve/merged.h@s/next > SUMS_NOISE \* s.rz/next > 1e-3 * s.rz/@--degree 1 --set options.history=4@1 elements: .*iterations differ by
bp3/predicted@lib/solve/predicted.h@s/totals\[1\] += state\[SUMS_SURFACE/totals[1] += k > 2 ? 0 : state[SUMS_SURFACE/@--degree 1 --set options.history=3@iterations differ by
bp5/one-kernel@lib/solve/merged.h@s/int k = (n - 1) \/ (KEPT - 1)/int k = n \/ (KEPT - 1)/@--degree 1 --set options.history=5@iterations differ by
bp5/unfused@lib/solve/unfused.h@s/(size_t)e \* NODES_3D/(int)e * NODES_3D/@--degree 2 --set options.in_l2=0@elements behind [0-9]+: 
bp5/unfused@lib/solve/apply_pencils.h@s/(size_t)blockIdx.x \* EXCHANGED/(size_t)(blockIdx.x % 2) * EXCHANGED/@--degree 2 --set options.in_l2=1@race: blocks [0-9]+ and [0-9]+ of a launch both write to scratch
bp3.5/slices@bp3.5/slices.cu@s/element_of_thread() \* 2/(blockIdx.x % 8 * ELEMENTS_PER_BLOCK + threadIdx.z) * 2/@--degree 2 --set options.pad=1@race: blocks [0-9]+ and [0-9]+ of a launch both write to scratch
wave/two-kernel@lib/wave/surface.h@s/return id < 0 ? ~id : id/return id < 0 ? 0 : id/@--degree 2 --set options.cubes=3@(race: |fixed, sources and receivers: .* steps differ by)
wave/two-kernel@lib/wave/surface.h@s/signals\[\(.*\)\];/(k > 16 ? 0 : signals[\1]);/@--degree 2 --set options.cubes=3@20 steps differ by
wave/two-kernel@lib/wave/surface.h@s/\] = sum;/] = r == 3 ? 0 : sum;/@--degree 2 --set options.cubes=3@sources and receivers: .* steps differ by
wave/two-kernel@lib/wave/surface.h@s/s < SOURCES/s < SOURCES - 1/@--degree 2 --set options.cubes=3@sources and receivers: .* steps differ by
wave/two-kernel@lib/wave/surface.h@s/k % 2 \* stride;/(k < 7 ? k % 2 : 0) * stride;/@--degree 2 --set options.cubes=3@steps differ by
wave/resident@wave/resident.cu@s/node.number)$/node.number \&\& node.m < 0)/@--degree 2 --set options.threads=64@sources and receivers: .* steps differ by
wave/two-kernel-ranks@lib/wave/launches.h@s/inbox, 1 - wave_half(mail)/inbox, wave_half(mail)/@--degree 1 --set options.cubes=3@by one rank and by several
bp5/two-kernel-ranks@lib/solve/mail.h@s/if (!mail\[BP_MAIL_WAITS\])//@--degree 1 --set options.history=2@by one rank and by several
bp5/two-kernel-ranks@lib/solve/vectors.h@s/return !EXACT_SUMS || .*/return true;/@--degree 1 --set options.history=2@by one rank and by several
bp5/two-kernel-ranks@lib/solve/sums.h@s/partial\[EXACT_PARTS \* n + i\] = n == 0/partial[EXACT_PARTS * n + i] = n < 2/@--degree 1 --set options.history=2@by one rank and by several
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& !(ELEMENTS_PER_BLOCK == 4 \&\& threadIdx.z == 3))/@--degree 4,5@never written
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& !(ELEMENTS_PER_BLOCK == 7 \&\& threadIdx.z == 6))/@--degree 4,5@never written
bp3.5/columns@bp3.5/columns.cu@s/if (t.stores)/if (t.stores \&\& blockIdx.x != 150)/@--degree 2 --set options.pad=1@200 elements: v\[
bp3.5/columns@bp3.5/columns.cu@s/&t, lambda/\&t, (real)(float)lambda/@--degree 2 --set options.pad=1@error .*, tolerance
bp3.5/columns@bp3.5/columns.cu@s/&t, lambda/\&t, lambda > 1 ? 1 : lambda/@--degree 3 --set options.pad=1@error .*, tolerance
bp3.0/direct@lib/operator/flux.h@s/lambda \* /(lambda + (BP_PRECISION ? 1e-4f : 0)) * /@--degree 2 --precision single --set options.stagger=0@error .*, tolerance
bp5/one-pass@lib/solve/host_one_pass.h@s/now + beta \* a->p\[at\];/now + (f ? 0 : beta) * a->p[at];/@--backend cpu --degree 1@20 elements: bp6, .*iterations differ by
bp1/unfused@lib/solve/host.h@s/return k > 0 ? host_ratio(rz, before)/return k > 5 ? host_ratio(before, rz) : k > 0 ? host_ratio(rz, before)/@--backend cpu --degree 1@12 iterations differ by
bp5/one-pass-ranks@lib/solve/host_one_pass.h@s/leave_out_shared(h, v, DIVIDED, .*//@--backend cpu --degree 1@by one rank and by several
wave/fused@lib/wave/host_wave.h@s/int run = fused; run < RUNS/int run = fused; run < RUNS - (h->last > 15)/@--backend cpu --degree 1@20 elements: .* steps differ by
wave/fused@lib/wave/host_wave.h@s/r < RECEIVERS \&\&/r < 63 \&\&/@--backend cpu --degree 1@sources and receivers: .* steps differ by
EOF
