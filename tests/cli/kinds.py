# kinds.py -- recomputes what `bp apply` wrote of gradients and pair, with the formulas of docs/mathematics.md alone.
# Usage: kinds.py gradient SIMPLEX(0|1) DEGREE PREFIX  |  kinds.py pair PREFIX  |  kinds.py wave2d ITERATIONS PREFIX
import itertools
import sys

import apply


def read(prefix, name):
    return apply.read_npy("%s-%s.npy" % (prefix, name))


def near(a, b, size):
    return abs(a - b) <= 2e-14 * size


def power(x, exponents, d=None):
    value = 1.0
    for axis, e in enumerate(exponents):
        if axis == d:
            value *= e * (x[axis] ** (e - 1) if e else 0)
        else:
            value *= x[axis] ** e
    return value


def check_element(simplex, degree, dim, nodes, points, table):
    """Shape functions differentiate all polynomials of the space exactly; points are where the docs say."""
    indices = [
        tuple(reversed(i))
        for i in itertools.product(range(degree + 1), repeat=dim)
        if not simplex or sum(i) <= degree
    ]
    assert len(indices) == len(nodes) == len(points)
    for n, index in enumerate(indices):
        if simplex:
            for d in range(dim):
                assert near(points[n][d], (index[d] + 1 / 3) / (degree + (dim + 1) / 3), 1)
        else:
            line = apply.lobatto(degree + 1)[0]
            assert all(near(nodes[n][d], line[index[d]], 1) for d in range(dim))
    for index in indices:
        for q, point in enumerate(points):
            for d in range(dim):
                row = table[(q * dim + d) * len(nodes) : (q * dim + d + 1) * len(nodes)]
                found = sum(w * power(nodes[n], index) for n, w in enumerate(row))
                assert near(found, power(point, index, d), sum(map(abs, row)) + 1), (index, q, d)


def gradient(simplex, degree, prefix):
    (count, dim), flat = read(prefix, "nodes")
    nodes = [flat[n * dim : (n + 1) * dim] for n in range(count)]
    (many, _), flat = read(prefix, "points")
    points = [flat[n * dim : (n + 1) * dim] for n in range(many)]
    shape, table = read(prefix, "table")
    assert shape == (many, dim, count)
    check_element(simplex, degree, dim, nodes, points, table)
    (elements, _), gather = read(prefix, "gather")
    u_shape, u = read(prefix, "u")
    v_shape, v = read(prefix, "v")
    fields = u_shape[1] if len(u_shape) > 1 else 1
    assert set(gather) <= set(range(u_shape[0]))
    assert v_shape == (elements, many) + ((fields,) if fields > 1 else ()) + (dim,), v_shape
    at = 0
    for e in range(elements):
        own = gather[e * count : (e + 1) * count]
        for q in range(many):
            for f in range(fields):
                for d in range(dim):
                    row = table[(q * dim + d) * count : (q * dim + d + 1) * count]
                    terms = [w * u[own[n] * fields + f] for n, w in enumerate(row)]
                    assert near(v[at], sum(terms), sum(map(abs, terms)) + 1e-300), (e, q, f, d)
                    at += 1


def pair(prefix):
    (four, species, points), u = read(prefix, "u")
    shape, v = read(prefix, "v")
    assert four == 4 and shape == (species, species, points)
    ax, bx, ay, by = (u[k * species * points : (k + 1) * species * points] for k in range(4))
    for y, x, t in itertools.product(range(species), range(species), range(points)):
        i, j = x * points + t, y * points + t
        terms = ax[i] * ay[j], bx[i] * by[j]
        assert near(v[(y * species + x) * points + t], sum(terms), sum(map(abs, terms)))


def wave2d(iterations, prefix):
    (grids, two, side, also), u = read(prefix, "u")
    shape, v = read(prefix, "v")
    assert two == 2 and also == side and shape == (grids, 2, side, side)
    points = side * side
    for g in range(grids):
        now, before = (u[(2 * g + k) * points : (2 * g + k + 1) * points] for k in range(2))
        for _ in range(2 * iterations):
            after = []
            for j, i in itertools.product(range(side), range(side)):
                around = [(j, i - 1), (j, i + 1), (j - 1, i), (j + 1, i)]
                slope = sum(now[b * side + a] for b, a in around if 0 <= a < side and 0 <= b < side) - 4 * now[j * side + i]
                after.append(2 * now[j * side + i] - before[j * side + i] + slope / 4)
            now, before = after, now
        assert all(near(a, b, 10) for a, b in zip(v[2 * g * points : 2 * (g + 1) * points], now + before)), g
        assert max(map(abs, now)) > 0.1


if sys.argv[1] == "pair":
    pair(sys.argv[2])
elif sys.argv[1] == "wave2d":
    wave2d(int(sys.argv[2]), sys.argv[3])
else:
    gradient(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
