"""library_gpu.py -- libbp on a GPU from Python, by the driver alone: library_gpu.py LIBCUDA FILE (see cuda.sh)

FILE is a kernel for bp1. With more arguments instead, a GPU's own check and times: library_gpu.py libcuda.so.1 N... (all problems at these degrees)"""
import ctypes
import sys

import libbp
import numpy as np

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
driver = ctypes.CDLL(sys.argv[1])
degrees, own = [], None
if sys.argv[2].isdigit():
    degrees = [int(n) for n in sys.argv[2:]]
else:
    own = sys.argv[2]


def cu(name, *arguments):
    result = getattr(driver, "cu" + name)(*arguments)
    if result:
        sys.exit("cu%s: %d" % (name, result))


def made(name, *arguments):
    handle = P()
    cu(name, ctypes.byref(handle), *arguments)
    return handle


class Array:
    def __init__(self, values):
        self.bytes, self.values = values.nbytes, values
        self.at = made("MemAlloc_v2", SIZE(values.nbytes)).value
        self.stream = made("StreamCreate", 1)
        cu("MemcpyHtoDAsync_v2", P(self.at), P(values.ctypes.data), SIZE(self.bytes), self.stream)
        cu("StreamSynchronize", self.stream)

    def read(self):
        cu("MemcpyDtoHAsync_v2", P(self.values.ctypes.data), P(self.at), SIZE(self.bytes), self.stream)
        cu("StreamSynchronize", self.stream)
        return self.values

    def free(self):
        cu("MemFree_v2", P(self.at))
        cu("StreamDestroy_v2", self.stream)


def refused(text, make):
    try:
        make()
    except libbp.Error as e:
        assert text in str(e), e
    else:
        sys.exit("expected: " + text)


def error(v, w):
    return np.abs(v - w).max() / np.abs(w).max()


cu("Init", 0)
context = made("DevicePrimaryCtxRetain", 0)
cu("CtxSetCurrent", context)
on = libbp.context(gpu=0)


def check(problem, N, boxes=(4, 3, 5)):
    """The error in two streams at once, and of what a graph did."""
    gpu = [libbp.Operator(libbp.Mesh.box(*boxes, warp=0.2, on=on), problem, N, lam=0.3, variant=own) for _ in range(2)]
    cpu = libbp.Operator(libbp.Mesh.box(*boxes, warp=0.2), problem, N, lam=0.3)
    streams = [made("StreamCreate", 1) for _ in gpu]
    us = [np.random.default_rng(n).random(cpu.length) for n in range(2)]
    u, v = [Array(x.copy()) for x in us], [Array(np.full(cpu.length, np.nan)) for _ in us]
    for _ in range(3):
        for n in range(2):
            gpu[n].apply_on(streams[n].value, u[n].at, v[n].at)
    for s in streams:
        cu("StreamSynchronize", s)
    apart = max(error(v[n].read(), cpu.apply(us[n])) for n in range(2))
    w = Array(np.full(cpu.length, np.nan))
    cu("StreamBeginCapture_v2", streams[0], 1)
    gpu[0].apply_on(streams[0].value, u[0].at, w.at)
    graph = P()
    cu("StreamEndCapture", streams[0], ctypes.byref(graph))
    replay = made("GraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
    cu("GraphLaunch", replay, streams[0])
    cu("StreamSynchronize", streams[0])
    captured = error(w.read(), cpu.apply(us[0]))
    cu("GraphExecDestroy", replay)
    cu("GraphDestroy", graph)
    for a in u + v + [w]:
        a.free()
    for s in streams:
        cu("StreamDestroy_v2", s)
    return gpu[0].variant, apart, captured


def seconds(problem, N, side):
    a = libbp.Operator(libbp.Mesh.box(side, side, side, on=on), problem, N)
    u, v = Array(np.random.default_rng(1).random(a.length)), Array(np.zeros(a.length))
    stream, begin, end, taken = made("StreamCreate", 1), made("EventCreate", 0), made("EventCreate", 0), ctypes.c_float()
    times = []
    for _ in range(7):
        cu("EventRecord", begin, stream)
        for _ in range(20):
            a.apply_on(stream.value, u.at, v.at)
        cu("EventRecord", end, stream)
        cu("StreamSynchronize", stream)
        cu("EventElapsedTime", ctypes.byref(taken), begin, end)
        times.append(taken.value / 20e3)
    u.free()
    v.free()
    return sorted(times[1:])[3]


for problem in ("bp1", "bp3", "bp5") if degrees else ():
    for N in degrees:
        side = max(2, round(2e7 ** (1 / 3) / N))
        print("%s N=%d %s: error %.1e, in a graph %.1e, %d^3 elements %.1f us" %
              (problem, N, *check(problem, N), side, 1e6 * seconds(problem, N, side)), flush=True)
if not degrees:
    print("%s, %.1e from the CPU, in a graph %.1e" % check("bp1", 2))
    mesh = libbp.Mesh.box(2, 2, 2, on=on)
    a = libbp.Operator(mesh, "bp1", 2, variant=own)
    refused("layout: expected LIBBP_ELEMENTS on a GPU", lambda: libbp.Operator(mesh, "bp1", 2, layout=libbp.UNKNOWNS))
    refused("libbp_operator_apply: expected an operator on a CPU", lambda: a.apply(np.zeros(a.length)))
    refused("libbp_operator_apply_on: expected two arrays", lambda: a.apply_on(0, 64, 100))
    refused("libbp_operator_apply_on: expected an operator on a GPU",
            lambda: libbp.Operator(libbp.Mesh.box(1, 1, 1), "bp1", 2).apply_on(0, 64, 128))
    refused("libbp_context_create: cuda: expected a device 0..", lambda: libbp.context(gpu=99))
now = P()
cu("CtxGetCurrent", ctypes.byref(now))
assert now.value == context.value, "the current context is another"
