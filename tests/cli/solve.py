# solve.py -- checks what `bp solve` and `bp apply` of bp1..bp6 wrote, with an operator of its own (apply.py).
# Usage: solve.py solve|apply bp1..bp6 LAMBDA TOLERANCE PREFIX [POINTS gauss|lobatto]
#        solve.py near PREFIX PREFIX TOLERANCE   the same u and residuals
import math
import sys

import apply

OPERATORS = {"1": "bp1.0", "2": "bp1.0", "3": "bp3.0", "4": "bp3.0", "5": "bp3.5", "6": "bp3.5"}


def norm(values):
    return math.sqrt(sum(t * t for t in values))


def assemble(operator, lam, nodes, rule, x, ids, nq, elements, u):
    """A u of all unknowns, fixed ones as any other."""
    v = [0.0] * (len(x) // 3)
    for e in range(elements):
        index = {
            (k, j, i): ids[((e * nq + k) * nq + j) * nq + i]
            for k in range(nq)
            for j in range(nq)
            for i in range(nq)
        }
        part = apply.apply_element(
            operator,
            lam,
            nodes,
            rule,
            {a: x[3 * n : 3 * n + 3] for a, n in index.items()},
            {a: u[n] for a, n in index.items()},
        )
        for a, n in index.items():
            v[n] += part[a]
    return v


def check_space(prefix, dirichlet):
    (n, three), x = apply.read_npy(prefix + "-x.npy")
    (elements, nq, _, _), ids = apply.read_npy(prefix + "-ids.npy")
    fixed_shape, fixed = apply.read_npy(prefix + "-fixed.npy")
    assert three == 3 and fixed_shape == (n,) and set(fixed) <= {0, 1}
    assert set(ids) == set(range(n)), "every unknown is in an element"
    assert len({x[3 * m : 3 * m + 3] for m in range(n)}) == n, "no two unknowns at one point"
    for m in range(n):
        boundary = any(t in (0, 1) for t in x[3 * m : 3 * m + 3])
        assert fixed[m] == (boundary if dirichlet else 0), m
    return n, x, elements, nq, ids, fixed


def check(kind, problem, lam, tolerance, prefix, points=None, named=None):
    operator, components = OPERATORS[problem[2]], 1 if int(problem[2]) % 2 else 3
    n, x, elements, nq, ids, fixed = check_space(prefix, operator != "bp1.0")
    nodes = apply.lobatto(nq)[0]
    rule = apply.lobatto(nq) if operator == "bp3.5" else apply.gauss(nq + 1)
    if points:
        rule = {"gauss": apply.gauss, "lobatto": apply.lobatto}[named](int(points))
    u_shape, u = apply.read_npy(prefix + "-u.npy")
    f_shape, f = apply.read_npy(prefix + ("-f.npy" if kind == "solve" else "-v.npy"))
    assert u_shape == f_shape == ((n,) if components == 1 else (n, 3)), u_shape
    residual = []
    for c in range(components):
        mine = [u[m * components + c] for m in range(n)]
        assert all(mine[m] == 0 and f[m * components + c] == 0 for m in range(n) if fixed[m])
        v = assemble(operator, lam, nodes, rule, x, ids, nq, elements, mine)
        residual += [f[m * components + c] - v[m] for m in range(n) if not fixed[m]]
    size = norm(f)
    print("%s N=%d, %d unknowns: |f - A u| / |f| = %.2g" % (problem, nq - 1, n, norm(residual) / size))
    assert size > 0 and norm(residual) <= tolerance * size
    if kind == "solve":
        _, history = apply.read_npy(prefix + "-residuals.npy")
        assert abs(history[0] - size) < 1e-12 * size, "the first residual is that of u = 0"
        assert abs(history[-1] - norm(residual)) < 1e-9 * size, "the last one is that of u"


def near(one, other, tolerance):
    for name in ("u", "residuals"):
        (shape, a), (also, b) = (apply.read_npy("%s-%s.npy" % (prefix, name)) for prefix in (one, other))
        assert shape == also and 0 < max(map(abs, a)) < math.inf, name
        assert max(abs(x - y) for x, y in zip(a, b)) <= tolerance * max(map(abs, a)), name


if sys.argv[1] == "near":
    near(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    sys.exit()
check(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), *sys.argv[5:])
