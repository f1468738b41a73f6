#!/usr/bin/env python3
"""star.py SIDE LAYERS -- an ASCII .msh 2.2, to standard output: five rhombi around an edge, each of SIDE x SIDE cells,
in layers. No lattice of boxes has an edge with five elements. Points are moved a little."""
import math
import sys

side, layers = int(sys.argv[1]), int(sys.argv[2])
ring = [(math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k)) for k in range(5)]
nodes, x, cells = {}, [], []


def node(k, i, j, l):
    """Point (i, j) of rhombus k in layer l: i ring[k] + j ring[k + 1]."""
    a, b = ring[k % 5], ring[(k + 1) % 5]
    p = [(i * a[d] + j * b[d]) / side for d in range(2)] + [0.7 * l / layers]
    key = tuple(round(1e6 * c) for c in p)
    if key not in nodes:
        nodes[key] = len(nodes) + 1
        shift = 0.05 / side
        x.append([p[d] + shift * math.sin(7 * p[(d + 1) % 3] + 3 * p[(d + 2) % 3] + d) for d in range(3)])
    return nodes[key]


for l in range(layers):
    for k in range(5):
        for i in range(side):
            for j in range(side):
                cells.append([node(k, i + a, j + b, l + c) for c in (0, 1)
                              for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))])
print('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d' % len(x))
for n, p in enumerate(x):
    print(n + 1, *('%.17g' % c for c in p))
print('$EndNodes\n$Elements\n%d' % len(cells))
for n, c in enumerate(cells):
    print(n + 1, 5, 2, 1, 1, *c)
print('$EndElements')
