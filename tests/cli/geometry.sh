# geometry.sh -- factors that kernels compute from a few numbers of each element.
quick="--backend cpu --threads 1 --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.02 --set measure.min_samples=3"

# Every value is compared with the reference on factors that the host made of the mesh; fewer bytes, more flops.
for geometry in stored trilinear; do
  bp run --problem bp1,bp3.0,bp3.5,bp5 --degree 3 --box 3x2x2 --warp 0.3 --geometry $geometry --iterations 20 \
    --variants one-pass,even_odd,naive $quick --format json
  expect_exit 0
  cp "$out" "$here/$geometry.json"
done
expect_json "[(row['problem'], row['variant'], row['geometry'], row['status']) for row in r['rows']] == [
  ('bp1', 'one-pass', 'trilinear', 'ok'),
  ('bp3.0', 'even_odd', 'trilinear', 'ok'), ('bp3.0', 'naive', 'trilinear', 'skipped'),
  ('bp3.5', 'even_odd', 'trilinear', 'ok'), ('bp3.5', 'naive', 'trilinear', 'skipped'),
  ('bp5', 'one-pass', 'trilinear', 'ok')]"
expect_json "r['rows'][2]['reason'] == 'made for stored factors, not for trilinear elements'"
expect_json "r['rows'][3]['bytes'] == 12 * 8 * (2 * 4 ** 3 + 21)"
bp report "$here/trilinear.json"
expect_stdout '^bp5 · trilinear on box 3x2x2'
bp compare "$here/stored.json" "$here/trilinear.json" # they are different rows
expect_stdout '^1?[0-9] missing, [0-9]+ new$'
bp run --problem bp1,bp3.0,bp3.5,bp5,wave --degree 3 --box 3x2x2 --geometry affine --iterations 20 \
  --variants one-pass,even_odd,fused $quick --format json
expect_json "[(row['geometry'], row['status']) for row in r['rows']] == 5 * [('affine', 'ok')]"
expect_json "[row['bytes'] for row in r['rows'] if row['problem'] in ('bp3.0', 'bp3.5')] == 2 * [12 * 8 * (2 * 4 ** 3 + 7)]"
bp run --problem bp3.5 --degree 2 --box 2x2x2 --geometry affine --backend emulate --variants stream --format json
expect_json "r['rows'][0]['status'] == 'ok'"
bp run --problem bp3 --degree 2 --elements 216 --kershaw 0.3 --geometry trilinear $quick --format json
expect_json "r['rows'][0]['status'] == 'ok'"
bp run --problem bp3.5 --degree 2 --box 2x2x2 --geometry trilinear --backend emulate --variants stream --format json
expect_json "r['rows'][0]['status'] == 'ok'"
bp run --problem bp3.5 --degree 3 --box 3x1x1 --geometry trilinear --precision single --backend emulate --variants stream --format json
expect_json "[(row['status'], row['bytes']) for row in r['rows']] == [('ok', 3 * 4 * (2 * 4 ** 3 + 21))]"
bp run --problem bps5 --degree 2 --box 2x2x2 --geometry trilinear --backend emulate --format json
expect_json "[(row['status'], row['geometry'], row['residual'] <= 1e-8) for row in r['rows']] == [('ok', 'trilinear', True)]"

# What has no kernels for it is not left out in silence.
bp run --problem bp5,bp1.0 --degree 2 --box 2x2x2 --geometry trilinear $quick
expect_exit 2
expect_stderr '^--geometry: expected a problem with kernels of backend cpu for trilinear elements, found bp1\.0 \(see docs/fewer-bytes\.md\)$'

# Curved elements are refused, and counted.
printf 'SetFactory("OpenCASCADE"); Cylinder(1) = {0,0,0, 0,0,1, 1}; Mesh.ElementOrder = 2; Mesh.SubdivisionAlgorithm = 2;
  Mesh.SecondOrderLinear = 0; Mesh.MeshSizeMin = 1; Mesh.MeshSizeMax = 1; Physical Volume(1) = {1};' > "$here/curved.geo"
gmsh -3 -v 0 -order 2 -o "$here/curved.msh" "$here/curved.geo" > "$here/gmsh.log" 2>&1
bp run --problem bp5 --degree 2 --mesh "$here/curved.msh" --geometry trilinear $quick
expect_exit 2
expect_stderr 'curved\.msh: element [0-9]+: expected nodes where the trilinear map has them, .* of the diagonal away$'
bp mesh info "$here/curved.msh" --format json
expect_json "0 == r['affine_elements'] < r['trilinear_elements'] < r['elements'] == r['quadratic_elements'] and r['order'] == 2"
bp run --problem bp1,bp3.0,bp3.5,bp5 --degree 2 --mesh "$here/curved.msh" --geometry quadratic --iterations 20 \
  --variants one-pass,even_odd $quick --format json
expect_json "[(row['geometry'], row['status']) for row in r['rows']] == 4 * [('quadratic', 'ok')]"
bp run --problem bp5 --degree 1 --mesh "$here/curved.msh" --geometry quadratic --iterations 9 --backend emulate --format json
expect_json "r['rows'][0]['status'] == 'ok'"
bp mesh info meshes/cube512.msh
expect_stdout '^affine elements +512$'
expect_stdout '^trilinear elements +512$'
bp mesh box --elements 3x3x3 --warp 0.2 --output "$here/warped.msh"
bp mesh info "$here/warped.msh" --format json
expect_json "(r['affine_elements'], r['trilinear_elements']) == (7, 27)"
bp run --problem bp3.5 --degree 2 --mesh "$here/warped.msh" --geometry affine $quick
expect_exit 2
expect_stderr 'warped\.msh: element 1: expected nodes where the affine map has them, as geometry says, found one 0\.[0-9]+ of the diagonal away$'

# A cofactor's sign, an edge's term left out, a weight: plain `bp check` finds them.
planted() { # FILE CHANGES VARIANT BACKEND GEOMETRY...
  rm -rf "$here/kernels"
  cp -r kernels "$here/kernels"
  sed -i "$2" "$here/kernels/$1"
  expect_true "$1 changes: $2" test -n "$(cmp "kernels/$1" "$here/kernels/$1")"
  BP_KERNEL_DIR=$here/kernels bp check --backend $4 $3 --degree 2 --elements 3
  expect_exit 1
  for geometry in "${@:5}"; do
    expect_stdout "^FAIL  $3 .*N=2, $geometry, 3 elements: "
  done
}
planted lib/operator/metric.h 's/cross(line.z1, m.x\[0\], m.y\[1\])/cross(line.z1, m.y[1], m.x[0])/; s/cross(z, along_x, along_y)/cross(z, along_y, along_x)/' \
  bp3.5/stream emulate trilinear quadratic
planted lib/operator/metric.h 's/p\[k\] = a + b + k ?/p[k] = a + b + k \&\& b + k != 2 ?/; s/bp_weight\[z\] \* element/bp_weight[y] * element/' \
  bp3.5/stream emulate trilinear affine quadratic
planted lib/operator/host_geometry.h 's/weight\[i\] \* weight\[j\]/weight[i] * weight[i]/; s/weight\[k\] \* bp_load/weight[j] * bp_load/' \
  bp3.5/even_odd cpu trilinear affine quadratic
bp check --backend cpu bp3.5/even_odd --degree 2 --elements 3 --geometry trilinear
expect_exit 0
bp check --backend emulate bp3.5/stream --degree 2 --elements 3
expect_exit 0
