# gmsh.sh -- meshes that the Gmsh at hand writes, in every format it has: `bp mesh info` agrees with Gmsh's
# own counts and volumes; and what `bp mesh box` writes, Gmsh reads.

cat > "$here/cube.geo" << 'END'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {1, 0, 0, 1, 1, 1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Transfinite Curve{:} = 4;
Transfinite Surface{:};
Recombine Surface{:};
Transfinite Volume{:};
Physical Volume("left part", 1) = {1};
Physical Volume("right part", 2) = {-2};
Physical Volume("both", 3) = {1, 2};
Physical Surface("wall", 1) = {1 : 5};
low() = Surface In BoundingBox{-0.1, -1, -1, 0.1, 2, 2};
high() = Surface In BoundingBox{1.9, -1, -1, 2.1, 2, 2};
Periodic Surface {high(0)} = {low(0)} Translate {2, 0, 0};
END
cat > "$here/tets.geo" << 'END'
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Mesh.MeshSizeMax = 0.6;
Physical Volume("ball", 1) = {1};
END
cat > "$here/count.geo" << 'END'
Printf("hexahedra %g", Mesh.NbHexahedra);
Plugin(MeshVolume).Dimension = 3;
Plugin(MeshVolume).PhysicalGroup = -1;
Plugin(MeshVolume).Run;
Printf("volume %.10g", View[0].Max);
END

# What Gmsh says of a file: "ELEMENTS VOLUME".
gmsh_says() {
  gmsh "$1" "$here/count.geo" - 2>&1 | awk '$1 == "hexahedra" { n = $2 } $1 == "volume" { v = $2 } END { print n, v }'
}

# The same of bp, and as Gmsh computes it: with a rule of one point for linear elements.
bp_says() {
  bp mesh info "$1" --degrees 1
  expect_exit 0
  expect_no_stderr
  awk '$1 == "elements" { n = $2 } $1 == "volume" { v = $2 == "by" ? $4 : $2 } END { print n, v }' "$out"
}

# agree NAME VERSION BINARY GMSH'S ARGUMENTS...
agree() {
  local name=$1 version=$2 binary=$3 file=$here/$1-$2-$3.msh
  shift 3
  gmsh "$@" -3 -setnumber Mesh.MshFileVersion "$version" -setnumber Mesh.Binary "$binary" -format msh \
    -o "$file" > "$here/log" 2>&1
  if grep -q 'Can only write MSH 4.0 format in ASCII' "$here/log"; then
    return
  fi
  bp_says "$file" > "$here/found"
  expect_equal "Gmsh's elements and volume" "$(cat "$here/found")" "$(gmsh_says "$file")"
  expect_stdout "^format +Gmsh $version $([ "$binary" = 1 ] && echo binary || echo ASCII)\$"
}

# fixes NAME VERSION BINARY GROUP UNKNOWNS: a physical group of surfaces is found in the file.
fixes() {
  local file=$here/$1-$2-$3.msh
  [ -s "$file" ] || return # a format that Gmsh cannot write
  bp solve --force --problem bp3 --degree 2 --mesh "$file" --fixed "$4" --iterations 1 --output "$here/s"
  expect_exit 0
  expect_stdout " unknowns, $5 of them fixed\$"
}

if command -v gmsh > /dev/null; then
  for version in 2.2 4.0 4.1; do
    for binary in 0 1; do
      agree pipe $version $binary meshes/pipe.geo
      fixes pipe $version $binary inlet 57
      agree second $version $binary "$here/cube.geo" -order 2 -setnumber Mesh.SaveAll 1
      [ $version = 2.2 ] || fixes second $version $binary wall 193 # SaveAll drops groups in 2.2
      agree partitioned $version $binary "$here/cube.geo" -part 3 -setnumber Mesh.SaveAll 1
      [ $version = 2.2 ] || fixes partitioned $version $binary wall 193
    done
  done

  # Gmsh counts the copies that it makes of elements beside another part; they are not elements of the mesh.
  for binary in 0 1; do
    gmsh "$here/cube.geo" -3 -part 3 -setnumber Mesh.PartitionCreateGhostCells 1 -setnumber Mesh.Binary $binary \
      -format msh -o "$here/ghosts.msh" > "$here/log" 2>&1
    expect_equal "elements and volume" "$(bp_says "$here/ghosts.msh")" "54 2"
  done

  # With groups that overlap 2.2 lists elements twice; they are counted once.
  for version in 2.2 4.1; do
    gmsh "$here/cube.geo" -3 -setnumber Mesh.MshFileVersion $version -format msh -o "$here/groups.msh" > "$here/log" 2>&1
    expect_equal "elements and volume" "$(bp_says "$here/groups.msh")" "54 2"
    bp mesh info "$here/groups.msh"
    expect_stdout '^physical group +1 "left part", 27 elements$'
    expect_stdout '^physical group +2 "right part", 27 elements$'
    expect_stdout '^physical group +3 "both", 54 elements$'
  done

  # The highest order, incomplete elements, and the plate as its script says.
  gmsh "$here/cube.geo" -3 -order 9 -format msh41 -bin -o "$here/ninth.msh" > "$here/log" 2>&1
  expect_equal "elements and volume" "$(bp_says "$here/ninth.msh")" "54 2"
  expect_stdout '^order +9$'
  gmsh meshes/pipe.geo -3 -setnumber Mesh.ElementOrder 2 -setnumber Mesh.SecondOrderIncomplete 1 -format msh41 \
    -o "$here/serendipity.msh" > "$here/log" 2>&1
  bp_says "$here/serendipity.msh" > "$here/found"
  expect_stdout '^order +[23]$'
  expect_equal "Gmsh's elements and volume" "$(cat "$here/found")" "$(gmsh_says "$here/serendipity.msh")"
  expect_equal "Gmsh's elements and volume" "$(bp_says meshes/plate.msh)" "$(gmsh_says meshes/plate.msh)"

  for version in 2.2 4.1; do
    for binary in "" --binary; do
      bp mesh box --force --elements 3x4x5 --warp 0.9 --output "$here/box.msh" --version $version $binary
      expect_equal "Gmsh's elements and volume" "$(bp_says "$here/box.msh")" "$(gmsh_says "$here/box.msh")"
    done
  done

  # Gradients: elements of each shape and order, complete or not. With complete ones of order p Gmsh's nodes are those
  # of degree p.
  cat > "$here/surface.geo" << 'END'
SetFactory("OpenCASCADE");
Disk(1) = {0, 0, 0, 1, 0.6};
Mesh.MeshSizeMax = 0.25;
Physical Surface("disk", 7) = {1};
END
  cat > "$here/nodes.geo" << 'END'
Printf("nodes %g elements %g %g %g %g", Mesh.NbNodes, Mesh.NbTriangles, Mesh.NbQuadrangles, Mesh.NbTetrahedra, Mesh.NbHexahedra);
END
  # differentiates SHAPE COLUMN DIMENSION SCRIPT GROUP GMSH'S ARGUMENTS...
  differentiates() {
    local shape=$1 column=$2 dimension=$3 script=$4 group=$5 order said file=$here/cells.msh
    shift 5
    for order in 1 2 3 "2 1"; do
      set -- "${order% *}" "${order#? }" "$@"
      gmsh "$script" -"$dimension" -order "$1" -setnumber Mesh.SecondOrderIncomplete $(($2 == 1 && $1 == 2)) "${@:3}" \
        -format msh41 -setnumber Mesh.Binary $(($1 % 2)) -o "$file" > "$here/log" 2>&1
      said=$(gmsh "$file" "$here/nodes.geo" - 2>&1 | sed -n 's/.*\(nodes .*\)/\1/p')
      bp run --problem "gradient-$shape,gradient-$shape-vector" --mesh "$file" $group --degree "$1" --backend cpu \
        --variants naive,simd --set measure.warmup=0 --set measure.min_time=0 --set measure.max_time=0.001 \
        --set measure.min_samples=1 --format json
      expect_exit 0
      expect_json "all(row['status'] == 'ok' for row in r['rows'])"
      expect_json "len(r['rows']) == 4 and r['rows'][0]['elements'] == $(echo $said | cut -d ' ' -f $column)"
      [ "$order" = "2 1" ] || expect_json "r['rows'][0]['dofs'] == $(echo $said | cut -d ' ' -f 2)"
      shift 2
    done
  }
  differentiates tri 4 2 "$here/surface.geo" "--group disk"
  differentiates quad 5 2 "$here/surface.geo" "--group 7" -setnumber Mesh.RecombineAll 1 -setnumber Mesh.SubdivisionAlgorithm 1
  differentiates tet 6 3 "$here/tets.geo" "--group 1"
  differentiates hex 7 3 "$here/cube.geo" "--group both"
  bp run --problem gradient-tri --mesh "$here/cells.msh" --degree 1 --backend cpu
  expect_exit 2
  expect_stderr 'expected triangles of order 1 to 3 in the mesh, found .*hexahedron of order 2'
  bp run --problem gradient-quad --mesh "$here/cells.msh" --group nowhere --degree 1 --backend cpu
  expect_exit 2
  expect_stderr 'expected a physical group of surfaces \(1 "wall"\), found "nowhere"'
else
  echo "gmsh.sh: no gmsh here, so nothing of this is tested"
fi
