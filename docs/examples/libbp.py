"""libbp.py -- bp's operators on NumPy arrays, by ctypes (bp.h says what each call does).

    import numpy as np, libbp
    mesh = libbp.Mesh.box(8, 8, 8, warp=0.3)
    a = libbp.Operator(mesh, "bp5", degree=7, layout=libbp.UNKNOWNS)
    x, iterations = a.solve(a.apply(np.random.rand(a.length)))

LIBBP names the library, else it is the system's libbp.so.0."""
import ctypes
import os

import numpy as np

ELEMENTS, UNKNOWNS = 0, 1
P, I64, INT, DOUBLE, SIZE, TEXT = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.c_double, ctypes.c_size_t,
                                   ctypes.c_char_p)


def struct(*fields):
    s = type("struct", (ctypes.Structure,), {"_fields_": [("size", SIZE), *fields]})
    return lambda *values: s(ctypes.sizeof(s), *values)


Context = struct(("threads", INT), ("gpu", INT))
Options = struct(("problem", TEXT), ("degree", INT), ("lam", DOUBLE), ("layout", INT), ("map", P), ("count", I64),
                 ("fixed", TEXT), ("jacobi", INT), ("beyond", INT), ("rule", TEXT), ("stride", I64), ("variant", TEXT), ("atomic", INT))
Info = struct(("length", I64), ("fixed", I64), ("variant", TEXT), ("flops", DOUBLE), ("bytes", DOUBLE),
              ("kept", TEXT))
Solve = struct(("tolerance", DOUBLE), ("iterations", INT))
Result = struct(("iterations", INT), ("first", DOUBLE), ("last", DOUBLE))
library = ctypes.CDLL(os.environ.get("LIBBP", "libbp.so.0"))
library.libbp_message.restype = TEXT
library.libbp_mesh_elements.restype = I64


class Error(Exception):
    pass


def call(name, *arguments):
    status = getattr(library, "libbp_" + name)(*arguments)
    if status:
        raise Error(library.libbp_message().decode())


def array(x, kind=np.float64):
    return np.ascontiguousarray(x, kind)


class Handle:
    """Owns what a call made; destroys it."""

    def __init__(self, kind, make, *arguments):
        self.kind, self.handle = kind, P()
        call(make, *arguments, ctypes.byref(self.handle))

    def __del__(self):
        if getattr(self, "handle", None):
            getattr(library, "libbp_%s_destroy" % self.kind)(self.handle)


def context(threads=0, gpu=-1):
    return Handle("context", "context_create", ctypes.byref(Context(threads, gpu)))


class Mesh(Handle):
    def __init__(self, make, *arguments, on=None):
        on = on or context()
        super().__init__("mesh", make, on.handle, *arguments)
        self.elements = library.libbp_mesh_elements(self.handle)

    @classmethod
    def box(cls, nx, ny, nz, warp=0.0, on=None):
        return cls("mesh_box", (I64 * 3)(nx, ny, nz), DOUBLE(warp), on=on)

    @classmethod
    def read(cls, path, on=None):
        return cls("mesh_read", os.fsencode(path), on=on)

    @classmethod
    def of(cls, x, node, on=None):
        """x[node][3], node[e][k][j][i]"""
        x, node = array(x), array(node, np.int32)
        return cls("mesh_create", I64(len(x)), P(x.ctypes.data), node.shape[1] - 1, I64(len(node)), P(node.ctypes.data),
                   on=on)


class Operator(Handle):
    def __init__(self, mesh, problem, degree, lam=0.0, layout=ELEMENTS, map=None, count=0, fixed=None, jacobi=False,
                 beyond=0, rule="own", stride=0, variant=None, atomic=False, on=None):
        map = None if map is None else array(map, np.int64)
        options = Options(problem.encode(), degree, lam, layout, P(map.ctypes.data) if map is not None else None, count,
                          fixed.encode() if fixed is not None else None, jacobi, beyond, rule.encode(), stride,
                          variant.encode() if variant is not None else None, atomic)
        if isinstance(mesh, Mesh):
            super().__init__("operator", "operator_create", mesh.handle, ctypes.byref(options))
        else:  # factors[e][c][k][j][i]
            mesh, on = array(mesh), on or context()
            super().__init__("operator", "operator_create_factors", on.handle, ctypes.byref(options),
                             I64(len(mesh)), P(mesh.ctypes.data))
        info = Info()
        call("operator_info", self.handle, ctypes.byref(info))
        self.length, self.fixed, self.variant = info.length, info.fixed, info.variant.decode()
        self.bytes, self.flops = info.bytes, info.flops
        self.kept = info.kept and info.kept.decode()
        self.elements, self.nodes = mesh.elements if isinstance(mesh, Mesh) else len(mesh), degree + 1

    def apply(self, u, alpha=1.0, beta=0.0, v=None):
        u, v = array(u), np.zeros(self.length) if v is None else v
        assert u.size == v.size == self.length and v.dtype == np.float64 and v.flags.c_contiguous
        call("operator_apply", self.handle, DOUBLE(alpha), P(u.ctypes.data), DOUBLE(beta), P(v.ctypes.data))
        return v

    def apply_on(self, stream, u, v, alpha=1.0, beta=0.0):
        """On a GPU: addresses of device memory; the number of a stream, 0 for the default one."""
        call("operator_apply_on", self.handle, P(stream), DOUBLE(alpha), P(u), DOUBLE(beta), P(v))

    def apply_dot_on(self, stream, u, v, dot):
        call("operator_apply_dot_on", self.handle, P(stream), P(u), P(v), P(dot))

    def numbers(self):
        n = np.empty((self.elements,) + 3 * (self.nodes,), np.int64)
        call("operator_numbers", self.handle, P(n.ctypes.data))
        return n

    def solve(self, f, tolerance=1e-8, iterations=1000):
        f, x = array(f), np.empty(self.length)
        assert f.size == self.length
        return x, self.solve_on(f.ctypes.data, x.ctypes.data, tolerance, iterations)

    def solve_on(self, f, x, tolerance=1e-8, iterations=1000):
        """By addresses, on a GPU of device memory."""
        result = Result()
        call("solve", self.handle, P(f), P(x), ctypes.byref(Solve(tolerance, iterations)), ctypes.byref(result))
        return result.iterations
