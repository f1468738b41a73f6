#!/usr/bin/env python3
"""rotate.py MESH SEED -- an ASCII .msh 2.2 of linear hexahedra with each element's own axes turned, and the elements
shuffled, to standard output."""
import random
import sys

CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def rotations():
    """The 24 of a cube, as places of corners."""
    x = [CORNERS.index((c[0], 1 - c[2], c[1])) for c in CORNERS]
    y = [CORNERS.index((c[2], c[1], 1 - c[0])) for c in CORNERS]
    found, todo = set(), [tuple(range(8))]
    while todo:
        r = todo.pop()
        if r not in found:
            found.add(r)
            todo += [tuple(r[n] for n in x), tuple(r[n] for n in y)]
    return sorted(found)


lines = open(sys.argv[1]).read().split('\n')
random.seed(int(sys.argv[2]))
turns = rotations()
assert len(turns) == 24
first = lines.index('$Elements') + 2
last = lines.index('$EndElements')
elements = [line.split() for line in lines[first:last]]
for e in elements:
    if e[1] == '5':
        e[-8:] = [e[-8:][n] for n in random.choice(turns)]
random.shuffle(elements)
for n, e in enumerate(elements):
    e[0] = str(n + 1)
print('\n'.join(lines[:first] + [' '.join(e) for e in elements] + lines[last:]), end='')
