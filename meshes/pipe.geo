// pipe.geo -- a bent pipe of circular section: a square core and four sides, curved hexahedra of order 3.
// Made into pipe.msh by: gmsh pipe.geo -3 -format msh41 -bin -o pipe.msh
SetFactory("OpenCASCADE");
r = 1;
c = 0.45;
bend = 3;
d = r * Sqrt(2) / 2;
Point(1) = {0, 0, 0};
Point(2) = {c, c, 0};
Point(3) = {-c, c, 0};
Point(4) = {-c, -c, 0};
Point(5) = {c, -c, 0};
Point(6) = {d, d, 0};
Point(7) = {-d, d, 0};
Point(8) = {-d, -d, 0};
Point(9) = {d, -d, 0};
For n In {0 : 3}
  Line(1 + n) = {2 + n, 2 + (n + 1) % 4};
  Circle(5 + n) = {6 + n, 1, 6 + (n + 1) % 4};
  Line(9 + n) = {2 + n, 6 + n};
EndFor
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
For n In {0 : 3}
  Curve Loop(2 + n) = {1 + n, 9 + (n + 1) % 4, -(5 + n), -(9 + n)};
  Plane Surface(2 + n) = {2 + n};
EndFor
Transfinite Curve{1 : 8} = 3;
Transfinite Curve{9 : 12} = 2;
Transfinite Surface{1 : 5};
Recombine Surface{1 : 5};
out[] = Extrude {{0, 1, 0}, {bend, 0, 0}, Pi / 2} { Surface{1 : 5}; Layers{6}; Recombine; };
Physical Volume("core", 1) = {1};
Physical Volume("wall", 2) = {2 : 5};
Physical Surface("inlet", 3) = {1 : 5};
Mesh.ElementOrder = 3;
Mesh.HighOrderOptimize = 0;
