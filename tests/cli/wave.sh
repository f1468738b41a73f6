# wave.sh -- the wave equation: `bp run`, `bp check`.
quick="--backend cpu --threads 2 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

bp run --problem wave --degree 2,5 --box 3x3x3 --variants all --set iterations=20 $quick --format json
expect_exit 0
expect_json "len(r['rows']) == 4 and all(row['status'] == 'ok' for row in r['rows'])"
expect_json "all(row['iterations'] == 20 and row['error'] <= row['tolerance'] < 1e-10 for row in r['rows'])"
expect_json "all(0 < row['solution_error'] < (0.05 if row['degree'] == 2 else 2e-3) for row in r['rows'])"
expect_json "all(row['dofs'] == (3 * row['degree'] - 1) ** 3 for row in r['rows'])"
expect_json "all(row['least_bytes'] < row['bytes'] < 4 * row['least_bytes'] for row in r['rows'])"

bp run --problem wave --degree 3 --box 3x2x2 --set fixed=none --set iterations=9 $quick --format json
expect_exit 0
expect_json "r['rows'][0]['status'] == 'ok' and r['rows'][0]['dofs'] == 10 * 7 * 7"

bp check wave --degree 3
expect_exit 0
expect_stdout ' 0 failed'
bp check --backend emulate wave/two-kernel --degree 3 --elements 2
expect_exit 0
expect_stdout ' 0 failed'
