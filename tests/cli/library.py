"""library.py -- libbp from Python against files of `bp apply`: library.py FOLDER MESHES (see library.sh)"""
import ctypes
import sys

import libbp
import numpy as np

folder, meshes = sys.argv[1:]
checks = 0


def expect(what, is_so):
    global checks
    checks += 1
    if not is_so:
        sys.exit("expected: " + what)


def refused(text, make):
    try:
        make()
    except libbp.Error as e:
        expect("%s, found: %s" % (text, e), text in str(e) and "\n" not in str(e))
    else:
        expect(text, False)


def near(v, reference):
    return np.abs(v - reference).max() < 1e-13 * np.abs(reference).max()


def load(name):
    return np.load("%s/%s.npy" % (folder, name))


mesh = libbp.Mesh.box(3, 2, 2, warp=0.2)

# Elements, and the sums alpha A u + beta v, at any address
u, v = load("elements-u"), load("elements-v")
e = libbp.Operator(mesh, "bp3", 3, lam=0.5)
expect("length", e.length == u.size)
expect("A u", near(e.apply(u), v.ravel()))
room = np.zeros(u.size + 9)
for begin in range(8):
    place = room[begin:begin + u.size]
    place[:] = u.ravel()
    expect("A u from address %d" % begin, near(e.apply(place), v.ravel()))
    expect("A u to address %d" % begin, near(e.apply(u, v=place), v.ravel()))
expect("2 A u - 3 w", near(e.apply(u, 2, -3, np.arange(u.size, dtype=float)), 2 * v.ravel() - 3 * np.arange(u.size)))

# Unknowns: the numbers of `bp apply` are others, so the nodes' places tell which is which.
x, u, v, fixed = load("whole-x"), load("whole-u").ravel(), load("whole-v").ravel(), load("whole-fixed")
a = libbp.Operator(mesh, "bp3", 3, lam=0.5, layout=libbp.UNKNOWNS)
own = np.empty((a.length, 3))
libbp.call("operator_nodes", a.handle, libbp.P(own.ctypes.data))
place = {tuple(p): n for n, p in enumerate(np.round(x, 9))}
order = np.array([place[tuple(p)] for p in np.round(own, 9)])
expect("a place for each", sorted(order) == list(range(len(x))))
expect("fixed", a.fixed == np.count_nonzero(fixed))
expect("A u by unknowns", near(a.apply(u[order]), v[order]))
numbers = a.numbers()
expect("fixed ones are negative", set(~numbers[numbers < 0]) == set(np.flatnonzero(np.ravel(fixed)[order])))

# The caller's numbers, with gaps, of free unknowns only
free = np.flatnonzero(np.ravel(fixed) == 0)
new = np.full(len(x), -1)
new[free] = 7 + 2 * np.random.default_rng(1).permutation(len(free))
count = 8 + 2 * len(free)
numbers = np.where(numbers < 0, -1, new[order[np.maximum(numbers, 0)]])
b = libbp.Operator(mesh, "bp3", 3, lam=0.5, layout=libbp.UNKNOWNS, map=numbers, count=count)
w, expected = np.full(count, 0.0), np.full(count, 5.0)
w[new[free]] = u[free]
expected[new[free]] = v[free]
result = b.apply(w, v=np.full(count, 5.0))
expect("A u by the caller's numbers", near(result, expected))
expect("what has no number stays", (np.delete(result, new[free]) == 5).all())
expect("alpha, beta by them", near(b.apply(w, 2, 1, expected.copy())[new[free]], 3 * v[free]))

expect("rows of elements", (a.kept, b.kept, e.kept) == ("rows", "rows", None))

# A number for each node of each element, and one for nodes that are far apart: any map is a sum over elements
each = np.arange(e.length).reshape(mesh.elements, -1)
w = np.random.default_rng(4).random(e.length + 5)
plain = libbp.Operator(mesh, "bp3", 3, lam=0.5)
for problem, number in (("bp3", each), ("bp3", each % 97), ("bp3", each // 5 * 5 + 4 - each % 5), ("bp4", each % 1000)):
    o = libbp.Operator(mesh, problem, 3, lam=0.5, layout=libbp.UNKNOWNS, map=number, count=number.max() + 1)
    summed = np.zeros(number.max() + 1)
    np.add.at(summed, number.ravel(), plain.apply(w[number].ravel()))
    result = o.apply(np.tile(w[:len(summed)], o.length // len(summed)))
    expect("any map", near(result.reshape(-1, len(summed)), summed))

number = np.random.default_rng(5).permutation(mesh.elements * 125)
o = libbp.Operator(mesh, "bp1", 4, layout=libbp.UNKNOWNS, map=number, count=number.size)
expect("nodes", o.kept == "nodes")
w = np.random.default_rng(6).random(number.size)
expect("A u by nodes", near(o.apply(w)[number], libbp.Operator(mesh, "bp1", 4).apply(w[number])))

# Factors of the caller's, of a box of 2 x 1 x 3 equal elements, by the formula; then others
point, weight = np.polynomial.legendre.leggauss(6)
weight = np.einsum("k,j,i->kji", weight, weight, weight) / 8
h = np.array([1 / 2, 1, 1 / 3])
metric = [4 * h.prod() / h[d] ** 2 if n == d else 0 for n, d in ((0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2))]
factors = np.tile(np.array([m * weight for m in metric + [h.prod()]]), (6, 1, 1, 1, 1))
box = libbp.Operator(libbp.Mesh.box(2, 1, 3), "bp3", 3, lam=0.7, beyond=3, rule="gauss")
w = np.random.default_rng(7).random(box.length)
f = libbp.Operator(factors, "bp3", 3, lam=0.7, beyond=3)
expect("factors of the caller's", near(f.apply(w), box.apply(w)))
libbp.call("operator_set_factors", f.handle, libbp.P((2 * factors).ctypes.data))
expect("other factors", near(f.apply(w), 2 * box.apply(w)))
number = 3 * np.random.default_rng(8).permutation(box.length)
vector = libbp.Operator(factors, "bp4", 3, lam=0.7, beyond=3, layout=libbp.UNKNOWNS, map=number, count=3 * box.length - 2, stride=1)
result = vector.apply(np.arange(3 * box.length, dtype=float))
expect("components beside each other", all(near(result[number + c], box.apply(number + c)) for c in range(3)))

# Three components are three times the one
c = libbp.Operator(mesh, "bp4", 3, lam=0.5, layout=libbp.UNKNOWNS)
three = c.apply(np.concatenate([u[order], 2 * u[order], 0 * u[order]])).reshape(3, -1)
expect("components", near(three[0], v[order]) and near(three[1], 2 * v[order]) and not three[2].any())

# The same bits with any number of threads
bits = [libbp.Operator(libbp.Mesh.box(5, 4, 3, warp=0.3, on=libbp.context(t)), "bp5", 6, layout=libbp.UNKNOWNS)
        for t in (1, 2, 3)]
w = np.random.default_rng(2).random(bits[0].length)
expect("bits", all((o.apply(w) == bits[0].apply(w)).all() for o in bits))

# A solve gives back what the right-hand side came of; twice, with another right-hand side
for problem in "bp1", "bp3", "bp5", "bp6":
    s = libbp.Operator(mesh, problem, 4, layout=libbp.UNKNOWNS, jacobi=problem == "bp3")
    inside = s.apply(np.random.default_rng(3).random(s.length))
    for f in inside, 2 * inside:
        solution, iterations = s.solve(f, 1e-10)
        expect("%s solved" % problem, 1 < iterations < 1000 and np.abs(s.apply(solution) - f).max() < 1e-8 * np.abs(f).max())
diagonal = np.empty(a.length)
libbp.call("operator_diagonal", a.handle, libbp.P(diagonal.ctypes.data))
unit = np.zeros(a.length)
at = int(np.flatnonzero(np.ravel(fixed)[order] == 0)[0])
unit[at] = 1
expect("the diagonal", abs(a.apply(unit)[at] - diagonal[at]) < 1e-13 * diagonal[at])

# Meshes: of arrays, of a file
x, node = np.array([[i, j, k] for k in (0, 1) for j in (0, 1) for i in (0, 1, 2.5)]), np.array(
    [[[[0, 1], [3, 4]], [[6, 7], [9, 10]]], [[[1, 2], [4, 5]], [[7, 8], [10, 11]]]])
m = libbp.Operator(libbp.Mesh.of(x, node), "bp1", 2)
expect("the volume of a mesh of arrays", abs(m.apply(np.ones(m.length)).sum() - 2.5) < 1e-14)
expect("a file", libbp.Mesh.read(meshes + "/cube512.msh").elements == 512)

# What is refused, in a line that names the call
refused("libbp_mesh_read: no-such.msh: ", lambda: libbp.Mesh.read("no-such.msh"))
call = libbp.call
refused("libbp_mesh_read: expected a path, found NULL", lambda: libbp.Mesh("mesh_read", None))
refused("libbp_mesh_read: expected a context, found NULL",
        lambda: call("mesh_read", None, (meshes + "/cube512.msh").encode(), ctypes.byref(libbp.P())))
refused("libbp_mesh_box: expected numbers of elements, found NULL", lambda: libbp.Mesh("mesh_box", None, libbp.DOUBLE(0)))
refused("libbp_mesh_create: expected arrays, found NULL",
        lambda: libbp.Mesh("mesh_create", libbp.I64(1), None, 1, libbp.I64(1), None))
refused("libbp_operator_create: expected a mesh, found NULL", lambda: call("operator_create", None, None, ctypes.byref(libbp.P())))
refused("libbp_operator_create_factors: expected a context, found NULL",
        lambda: call("operator_create_factors", None, None, libbp.I64(1), None, ctypes.byref(libbp.P())))
refused("libbp_operator_create: options 'x=1 3' of bp1.0/naive: expected NAME=INTEGER",
        lambda: libbp.Operator(mesh, "bp1", 2, variant="bp1.0/naive x=1 3"))
refused("no kernel naive=1", lambda: libbp.Operator(mesh, "bp1", 2, variant="naive=1"))
# NULL for each pointer that a call cannot do without
one, zero, some = libbp.DOUBLE(1), libbp.DOUBLE(0), libbp.P(u.ctypes.data)
on, options, made = libbp.context(), libbp.Options(b"bp1", 1), libbp.Operator(factors, "bp3", 3, beyond=3)
for name, arguments in (
        ("context_create", (None, None)), ("mesh_create", (on.handle, libbp.I64(1), some, 1, libbp.I64(1), some, None)),
        ("mesh_box", (on.handle, (libbp.I64 * 3)(1, 1, 1), zero, None)), ("mesh_read", (on.handle, (meshes + "/cube512.msh").encode(), None)),
        ("mesh_sort", (None, None)), ("operator_create", (mesh.handle, ctypes.byref(options), None)),
        ("operator_create", (mesh.handle, None, ctypes.byref(libbp.P()))),
        ("operator_create_factors", (on.handle, ctypes.byref(options), libbp.I64(1), some, None)),
        ("operator_create_factors", (on.handle, ctypes.byref(options), libbp.I64(1), None, ctypes.byref(libbp.P()))),
        ("operator_set_factors", (None, some)), ("operator_set_factors", (made.handle, None)), ("operator_info", (None, ctypes.byref(libbp.Info()))),
        ("operator_info", (a.handle, None)), ("operator_apply", (None, one, some, zero, some)),
        ("operator_apply", (a.handle, one, some, zero, None)), ("operator_apply_on", (None, None, one, some, zero, some)),
        ("operator_apply_dot_on", (None, None, some, some, some)), ("operator_diagonal", (None, some)),
        ("operator_diagonal", (a.handle, None)), ("operator_numbers", (None, some)), ("operator_numbers", (a.handle, None)),
        ("operator_nodes", (None, some)), ("operator_nodes", (e.handle, None)), ("solve", (None, some, some, None, None)),
        ("solve", (a.handle, some, None, None, None))):
    refused("libbp_%s: expected " % name, lambda: call(name, *arguments))
expect("elements of no mesh", libbp.library.libbp_mesh_elements(None) == 0)
refused("libbp_operator_numbers: expected an operator on unknowns", lambda: call("operator_numbers", b.handle, some))
refused("libbp_mesh_box: box: expected at least one element each way, found 0", lambda: libbp.Mesh.box(0, 1, 1))
refused("libbp_mesh_create: expected nodes from 0 to 11, found 12 in element 1", lambda: libbp.Mesh.of(x, node + (node == 11)))
refused("expected right-handed elements, found 2 left-handed ones", lambda: libbp.Mesh.of(x, node[..., ::-1]))
refused("expected finite coordinates, found nan of node 0", lambda: libbp.Mesh.of(x * np.nan, node))
refused("libbp_operator_create: problem: expected bp1 to bp6, found 'bp7'", lambda: libbp.Operator(mesh, "bp7", 3))
refused("degree: expected 1 to 15, found 16", lambda: libbp.Operator(mesh, "bp1", 16))
refused("lambda: expected a number from 0 on, found -1", lambda: libbp.Operator(mesh, "bp3", 1, lam=-1))
refused("layout: expected LIBBP_UNKNOWNS for bp2", lambda: libbp.Operator(mesh, "bp2", 2))
refused("expected a physical group of surfaces (the mesh has none), found \"no-such-group\"", lambda: libbp.Operator(mesh, "bp3", 2, layout=libbp.UNKNOWNS, fixed="no-such-group"))
refused("map: expected numbers below 3, found 7 in element 0",
        lambda: libbp.Operator(mesh, "bp1", 1, layout=libbp.UNKNOWNS, map=np.full((12, 8), 7), count=3))
refused("libbp_operator_create_factors: expected a map", lambda: libbp.Operator(factors, "bp3", 3, layout=libbp.UNKNOWNS))
refused("beyond: expected 0 to 5, found 6", lambda: libbp.Operator(mesh, "bp3", 3, beyond=6))
refused("rule: expected own, gauss or lobatto, found 'none'", lambda: libbp.Operator(mesh, "bp3", 3, rule="none"))
refused("libbp_operator_create: beyond and rule: ", lambda: libbp.Operator(mesh, "bp5", 3, beyond=2))
refused("expected an operator made of factors", lambda: libbp.call("operator_set_factors", e.handle, libbp.P(factors.ctypes.data)))
refused("libbp_solve: expected an operator on unknowns in libbp's numbers", lambda: b.solve(np.zeros(count)))
refused("libbp_solve: expected an operator on unknowns", lambda: e.solve(np.zeros(e.length)))
refused("libbp_operator_create: no memory: it needs ", lambda: libbp.Operator(libbp.Mesh.box(100, 100, 100), "bp3", 15))
refused("expected a residual of 1e-10 of the first within 2 iterations", lambda: s.solve(inside, 1e-10, 2))
refused("tolerance: expected a number between 0 and 1, found 2", lambda: s.solve(inside, 2))
refused("libbp_operator_apply: expected two arrays, found NULL",
        lambda: libbp.call("operator_apply", e.handle, libbp.DOUBLE(1), None, libbp.DOUBLE(0), libbp.P(u.ctypes.data)))


# Made and destroyed again and again, nothing is kept
def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


for n in range(1200):
    if n == 200:
        before = resident()
    libbp.Operator(libbp.Mesh.box(2, 2, 1), "bp5", 2, layout=libbp.UNKNOWNS)
expect("memory is given back: %d bytes more" % (resident() - before), resident() - before < 2 << 20)
print("%d checks" % checks)
