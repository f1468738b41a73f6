# box.py -- writes the .msh of a box of the unit cube whose nodes lie apart where its sides are periodic, or with
# prisms. Usage: box.py NX NY NZ WHAT, such as "xy" (periodic along x and y), "prisms" (the hexahedra of the
# second layer along x are two prisms each).
import itertools
import sys

n = [int(a) for a in sys.argv[1:4]]
what = sys.argv[4]


def tag(i, j, k):
    return 1 + i + (n[0] + 1) * (j + (n[1] + 1) * k)


points = list(itertools.product(*(range(m + 1) for m in n)))
cells = []
for i, j, k in itertools.product(*(range(m) for m in n)):
    low = [tag(i, j, k), tag(i + 1, j, k), tag(i + 1, j + 1, k), tag(i, j + 1, k)]
    high = [tag(i, j, k + 1), tag(i + 1, j, k + 1), tag(i + 1, j + 1, k + 1), tag(i, j + 1, k + 1)]
    if what == "prisms" and i == 1:
        cells += [(6, [c[m] for c in (low, high) for m in (a, b, d)]) for a, b, d in ((0, 1, 2), (0, 2, 3))]
    else:
        cells.append((5, low + high))
sides = [(3, [tag(0, j, k), tag(0, j + 1, k), tag(0, j + 1, k + 1), tag(0, j, k + 1)])
         for j in range(n[1]) for k in range(n[2])]
print("$MeshFormat\n2.2 0 8\n$EndMeshFormat")
print('$PhysicalNames\n2\n2 2 "left"\n3 1 "all"\n$EndPhysicalNames')
print("$Nodes\n%d" % len(points))
for i, j, k in points:
    print(tag(i, j, k), i / n[0], j / n[1], k / n[2])
print("$EndNodes\n$Elements\n%d" % (len(cells) + len(sides)))
for number, (kind, nodes) in enumerate(cells + sides):
    group = 2 if kind == 3 else 1
    print(number + 1, kind, 2, group, group, *nodes)
print("$EndElements")
axes = ["xyz".index(c) for c in what if what != "prisms"]
if axes:
    print("$Periodic\n%d" % len(axes))
    for d in axes:
        pairs = [(p, p[:d] + (0,) + p[d + 1 :]) for p in points if p[d] == n[d]]
        print("2 %d %d\n%d" % (d + 11, d + 1, len(pairs)))
        for a, b in pairs:
            print(tag(*a), tag(*b))
    print("$EndPeriodic")
