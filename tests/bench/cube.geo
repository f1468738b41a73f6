// cube.geo -- a cube of n x n x n hexahedra, for timing.
If (!Exists(n))
  n = 10;
EndIf
Point(1) = {0, 0, 0, 1};
line[] = Extrude {1, 0, 0} { Point{1}; Layers{n}; };
square[] = Extrude {0, 1, 0} { Line{line[1]}; Layers{n}; Recombine; };
cube[] = Extrude {0, 0, 1} { Surface{square[1]}; Layers{n}; Recombine; };
Physical Volume("cube", 1) = {cube[1]};
