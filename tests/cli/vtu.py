"""vtu.py -- reads a .vtu by VTK's own reader and compares it with the standing wave at t = 0 on the unit cube.

    vtu.py FILE DEGREE TOLERANCE     exit code 77: there is no VTK (Debian's python3-vtk9)"""
import math
import sys

try:
    from vtkmodules.vtkCommonCore import reference
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError:
    sys.exit(77)

LAGRANGE_HEXAHEDRON = 72
path, degree, tolerance = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
reader = vtkXMLUnstructuredGridReader()
reader.SetFileName(path)
reader.Update()
grid = reader.GetOutput()
u = grid.GetPointData().GetArray("u")
assert grid.GetNumberOfCells() > 0 and u.GetNumberOfTuples() == grid.GetNumberOfPoints()
weights = [0.0] * (degree + 1) ** 3
worst = volume = 0.0
for c in range(grid.GetNumberOfCells()):
    cell = grid.GetCell(c)
    assert cell.GetCellType() == LAGRANGE_HEXAHEDRON and cell.GetNumberOfPoints() == (degree + 1) ** 3
    ids = [cell.GetPointId(n) for n in range(cell.GetNumberOfPoints())]
    corners = []
    for p in ((0.2, 0.3, 0.9), (0.5, 0.5, 0.5), (0.85, 0.1, 0.45), (0, 0, 0), (1, 1, 1)):
        x = [0.0] * 3
        cell.EvaluateLocation(reference(0), p, x, weights)
        value = sum(w * u.GetValue(i) for w, i in zip(weights, ids))
        exact = math.prod(math.sin(math.pi * t) for t in x)
        worst = max(worst, abs(value - exact))
        corners.append(x)
    volume += math.prod(b - a for a, b in zip(corners[3], corners[4]))
print("largest difference %.3g, volume of the boxes %.12g" % (worst, volume))
sys.exit(0 if worst < tolerance else 1)
