# apply.py -- recomputes what `bp apply` wrote, from the weak form by dense quadrature in plain Python: no
# factor, no matrix, no library of bp. Usage: apply.py PROBLEM LAMBDA PREFIX
#
# A file's axes are (element, k, j, i): i along r is the last. Elements are trilinear: their maps follow from
# the eight corners, x[e][0 or N][0 or N][0 or N].
import ast
import math
import struct
import sys


def read_npy(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", path
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10 : 10 + length].decode("latin1"))
    assert not header["fortran_order"], header
    assert (10 + length) % 64 == 0, length
    code, size = {"<f8": ("d", 8), "<i8": ("q", 8), "|u1": ("B", 1)}[header["descr"]]
    numbers = struct.unpack("<%d%s" % ((len(data) - 10 - length) // size, code), data[10 + length :])
    assert len(numbers) == math.prod(header["shape"]), header
    return header["shape"], numbers


def lobatto(n):
    """Points and weights from closed forms."""
    a = math.sqrt(1 / 5)
    return {
        2: ([-1, 1], [1, 1]),
        3: ([-1, 0, 1], [1 / 3, 4 / 3, 1 / 3]),
        4: ([-1, -a, a, 1], [1 / 6, 5 / 6, 5 / 6, 1 / 6]),
    }[n]


def gauss(n):
    a = math.sqrt(3 / 5)
    b, c = math.sqrt(3 / 7 - 2 / 7 * math.sqrt(6 / 5)), math.sqrt(3 / 7 + 2 / 7 * math.sqrt(6 / 5))
    v, w = (18 + math.sqrt(30)) / 36, (18 - math.sqrt(30)) / 36
    return {3: ([-a, 0, a], [5 / 9, 8 / 9, 5 / 9]), 4: ([-c, -b, b, c], [w, v, v, w])}[n]


def lagrange(p, a, x):
    return math.prod((x - p[b]) / (p[a] - p[b]) for b in range(len(p)) if b != a)


def slope(p, a, x):
    others = [b for b in range(len(p)) if b != a]
    return sum(
        math.prod((x - p[b]) / (p[a] - p[b]) for b in others if b != skip) / (p[a] - p[skip])
        for skip in others
    )


def shape(p, a, r):
    """Value and gradient of the function that is 1 at node a = (k, j, i)."""
    l = [lagrange(p, a[2 - d], r[d]) for d in range(3)]
    s = [slope(p, a[2 - d], r[d]) for d in range(3)]
    return l[0] * l[1] * l[2], [s[0] * l[1] * l[2], l[0] * s[1] * l[2], l[0] * l[1] * s[2]]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def apply_element(problem, lam, nodes, rule, x, u):
    """x and u: from (k, j, i) to coordinates and value."""
    points, weights = rule
    n = len(nodes)
    v = dict.fromkeys(u, 0.0)
    corners = [(k, j, i) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    for q in [(k, j, i) for k in range(len(points)) for j in range(len(points)) for i in range(len(points))]:
        r = [points[q[2]], points[q[1]], points[q[0]]]
        J = [[0.0] * 3 for _ in range(3)]  # J[d] = dx / dr_d
        for c in corners:
            _, g = shape([-1, 1], c, r)
            for d in range(3):
                for y in range(3):
                    J[d][y] += g[d] * x[tuple((n - 1) * t for t in c)][y]
        det = dot(J[0], cross(J[1], J[2]))
        assert det > 0
        inverse = [[t / det for t in cross(J[(d + 1) % 3], J[(d + 2) % 3])] for d in range(3)]
        w = weights[q[0]] * weights[q[1]] * weights[q[2]] * det
        shapes = {}
        for a in u:
            value, g = shape(nodes, a, r)
            shapes[a] = value, [sum(inverse[d][y] * g[d] for d in range(3)) for y in range(3)]
        at = sum(shapes[a][0] * u[a] for a in u)
        gradient = [sum(shapes[a][1][y] * u[a] for a in u) for y in range(3)]
        for a in u:
            value, g = shapes[a]
            v[a] += w * (value * at if problem == "bp1.0" else dot(g, gradient) + lam * value * at)
    return v


def main(problem, lam, prefix):
    x_shape, x = read_npy(prefix + "-x.npy")
    u_shape, u = read_npy(prefix + "-u.npy")
    v_shape, v = read_npy(prefix + "-v.npy")
    elements, nq = u_shape[0], u_shape[1]
    assert u_shape == v_shape == (elements, nq, nq, nq) and x_shape == u_shape + (3,)
    nodes = lobatto(nq)[0]
    rule = lobatto(nq) if problem == "bp3.5" else gauss(nq + 1)
    worst = 0.0
    for e in range(elements):
        index = {
            (k, j, i): ((e * nq + k) * nq + j) * nq + i
            for k in range(nq)
            for j in range(nq)
            for i in range(nq)
        }
        expected = apply_element(
            problem,
            lam,
            nodes,
            rule,
            {a: x[3 * n : 3 * n + 3] for a, n in index.items()},
            {a: u[n] for a, n in index.items()},
        )
        size = max(abs(t) for t in expected.values())
        worst = max(worst, max(abs(expected[a] - v[n]) for a, n in index.items()) / size)
    print("%s N=%d, %d elements: off by %.2g" % (problem, nq - 1, elements, worst))
    assert worst < 1e-13


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3])
