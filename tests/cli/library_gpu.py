"""library_gpu.py -- libbp on a GPU from Python, by the driver alone: library_gpu.py LIBCUDA FILE (see cuda.sh)

FILE is a kernel for bp1. With degrees instead, what a GPU is asked itself: library_gpu.py libcuda.so.1 N... Errors of
bp1, bp3 and bp5 (PROBLEMS) at these degrees, unless ERRORS is 0; unknowns: of these alone, 4 million. Then least times at 20 million unknowns (NODES), as far as UNTIL
seconds allow, beside those of a copy of as many bytes as have to move: vectors once, and the factors. WAYS are the
layouts: elements; own and lines, unknowns in libbp's numbers and along lines of the box; faces, its numbers with
faces, edges and vertices shuffled; atomic, gathered: libbp's with atomic sums, through elements; mapped or mapped-mma by
that kernel, mapped:blocks_per_sm=4 with an option of it; solve. With LOCK, a file, TOGETHER processes set up at the same time, and measure in turn."""
import ctypes
import fcntl
import glob
import os
import sys
import threading
import time

import libbp
import numpy as np

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
driver = ctypes.CDLL(sys.argv[1])
degrees, own = [], None
problems = os.environ.get("PROBLEMS", "bp1 bp3 bp5").split()
until = time.time() + float(os.environ.get("UNTIL", 100))
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
    captured(streams[0], lambda: gpu[0].apply_on(streams[0].value, u[0].at, w.at))
    replayed = error(w.read(), cpu.apply(us[0]))
    for a in u + v + [w]:
        a.free()
    for s in streams:
        cu("StreamDestroy_v2", s)
    return gpu[0].variant, apart, replayed


def check_threads(kernel, N=2, times=5):
    """The largest error of two threads, each with a context and a stream, whose kernels wait for each other."""
    worst = []

    def run(seed):
        cu("CtxSetCurrent", context)
        a = libbp.Operator(libbp.Mesh.box(2, 3, 2 + seed, warp=0.2, on=libbp.context(gpu=0)), "bp1", N, variant=kernel)
        b = libbp.Operator(libbp.Mesh.box(2, 3, 2 + seed, warp=0.2), "bp1", N)
        x, stream = np.random.default_rng(seed).random(b.length), made("StreamCreate", 1)
        ready.wait()
        for _ in range(times):
            u, v = Array(x.copy()), Array(np.full(b.length, np.nan))
            a.apply_on(stream.value, u.at, v.at)
            cu("StreamSynchronize", stream)
            worst.append(error(v.read(), b.apply(x)))
            u.free()
            v.free()
        cu("StreamDestroy_v2", stream)

    ready, threads = threading.Barrier(2), [threading.Thread(target=run, args=(n,)) for n in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return max(worst) if len(worst) == 2 * times else np.inf


def captured(stream, run):
    """A graph of what run() puts into the stream, launched once."""
    graph = P()
    cu("StreamBeginCapture_v2", stream, 1)
    run()
    cu("StreamEndCapture", stream, ctypes.byref(graph))
    replay = made("GraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
    cu("GraphLaunch", replay, stream)
    cu("StreamSynchronize", stream)
    cu("GraphExecDestroy", replay)
    cu("GraphDestroy", graph)


def check_unknowns(problem, N, boxes=(4, 3, 5)):
    """The largest error: in libbp's numbers, and in others, some of which are nobody's; at once and of a graph."""
    gpu, cpu = (libbp.Mesh.box(*boxes, warp=0.2, on=o) for o in (on, None))
    plain = libbp.Operator(cpu, problem, N, lam=0.3, layout=libbp.UNKNOWNS)
    number = plain.numbers()
    other = np.where(number < 0, -1, 2 * np.random.default_rng(3).permutation(plain.length)[np.maximum(number, 0)])
    stream, worst = made("StreamCreate", 1), 0
    for options in {}, {"map": other, "count": 2 * plain.length}:
        a, b = (libbp.Operator(m, problem, N, lam=0.3, layout=libbp.UNKNOWNS, variant=v, **options)
                for m, v in ((gpu, own), (cpu, None)))
        u, v = (np.random.default_rng(n).random(b.length) for n in (4, 5))
        for alpha, beta in (1, 0), (2, -0.5):
            expected = b.apply(u, alpha, beta, v.copy())
            x, y = Array(u.copy()), Array(v.copy())
            apply = lambda: a.apply_on(stream.value, x.at, y.at, alpha, beta)
            apply()
            cu("StreamSynchronize", stream)
            worst = max(worst, error(y.read(), expected))
            if beta == 0:
                captured(stream, apply)
                worst = max(worst, error(y.read(), expected))
            if beta == 0:
                dot = Array(np.full(1, np.nan))
                a.apply_dot_on(stream.value, x.at, y.at, dot.at)
                cu("StreamSynchronize", stream)
                had = expected != v
                worst = max(worst, abs(dot.read()[0] - (u * expected)[had].sum()) / np.abs((u * expected)[had]).sum())
                dot.free()
            x.free()
            y.free()
    cu("StreamDestroy_v2", stream)
    return worst


def check_solve(problem, N, boxes=(4, 3, 5)):
    """What is left of f, by the CPU's operator, of what the solve says; the diagonal's error."""
    a, b = (libbp.Operator(libbp.Mesh.box(*boxes, warp=0.2, on=o), problem, N, layout=libbp.UNKNOWNS) for o in (on, None))
    f = b.apply(np.random.default_rng(6).random(b.length))
    x, y, d = Array(f.copy()), Array(np.zeros(b.length)), Array(np.zeros(b.length))
    iterations = a.solve_on(x.at, y.at, 1e-10)
    left = np.linalg.norm(f - b.apply(y.read())) / np.linalg.norm(f)
    diagonal = np.zeros(b.length)
    libbp.call("operator_diagonal", a.handle, P(d.at))
    libbp.call("operator_diagonal", b.handle, P(diagonal.ctypes.data))
    apart = error(d.read(), diagonal)
    for array in x, y, d:
        array.free()
    return iterations, left, apart


def seconds_of(stream, run, rounds=7, each=10):
    begin, end, taken, least = made("EventCreate", 0), made("EventCreate", 0), ctypes.c_float(), 1e9
    for n in range(rounds):
        cu("EventRecord", begin, stream)
        for _ in range(each):
            run()
        cu("EventRecord", end, stream)
        cu("StreamSynchronize", stream)
        cu("EventElapsedTime", ctypes.byref(taken), begin, end)
        least = min(least, taken.value / 1e3 / each)
    return least


def memory():
    """Bytes of the device that somebody has."""
    free, total = SIZE(), SIZE()
    cu("MemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return total.value - free.value


def copy_seconds(stream, length):
    """Of a copy that reads and writes so many bytes together."""
    u, v = Array(np.zeros(length // 16)), Array(np.zeros(length // 16))
    least = seconds_of(stream, lambda: cu("MemcpyDtoDAsync_v2", P(v.at), P(u.at), SIZE(u.bytes), stream))
    u.free()
    v.free()
    return least


def along_lines(problem, N, side, former):
    """Numbers of a box's nodes, i fastest; -1 on the boundary of diffusion."""
    line, e, a = side * N + 1, np.asarray(former), np.arange(N + 1)
    x, y, z = (N * c[:, None] + a for c in (e % side, e // side % side, e // side ** 2))
    number = (z[:, :, None, None] * line + y[:, None, :, None]) * line + x[:, None, None, :]
    for at in (z[:, :, None, None], y[:, None, :, None], x[:, None, None, :]) if problem != "bp1" else ():
        number = np.where((at == 0) | (at == N * side), -1, number)
    return number.reshape(len(e), -1), line ** 3


def shuffled(number, N, side):
    """Other numbers of faces, edges and vertices, in the order of nodes in each."""
    kinds, new = (3 * side ** 2 * (side + 1), 3 * side * (side + 1) ** 2, (side + 1) ** 3), []
    begin = side ** 3 * (N - 1) ** 3
    new.append(np.arange(begin))
    for k, each in enumerate(((N - 1) ** 2, N - 1, 1)):
        new.append(begin + (np.random.default_rng(k).permutation(kinds[k])[:, None] * each + np.arange(each)).ravel())
        begin += kinds[k] * each
    return np.where(number < 0, -1, np.concatenate(new)[np.maximum(number, 0)])


def operator_of(way, mesh, problem, N, side, former):
    if way == "elements":
        return libbp.Operator(mesh, problem, N, variant=own)
    if way == "lines":
        number, count = along_lines(problem, N, side, former)
        return libbp.Operator(mesh, problem, N, layout=libbp.UNKNOWNS, map=number, count=count)
    variant = "best" if way == "gathered" else "%s/%s" % (problem, way.replace(":", " ")) if way.startswith("mapped") else own
    a = libbp.Operator(mesh, problem, N, layout=libbp.UNKNOWNS, variant=variant, atomic=way == "atomic")
    if way == "faces":
        a = libbp.Operator(mesh, problem, N, layout=libbp.UNKNOWNS, map=shuffled(a.numbers(), N, side), count=a.length)
    return a


def times(problem, N, nodes):
    """Lines of a table: what was applied, seconds, bytes that have to move."""
    side = max(2, round(nodes ** (1 / 3) / N))
    stream = made("StreamCreate", 1)
    mesh = libbp.Mesh.box(side, side, side, on=on)
    former = np.zeros(side ** 3, np.int64)
    libbp.call("mesh_sort", mesh.handle, P(former.ctypes.data))
    made_as, lock = [], open(os.environ["LOCK"], "w") if "LOCK" in os.environ else None
    for way in os.environ.get("WAYS", "elements own lines gathered solve").split():
        begin = time.time()
        try:
            a = [x for name, x, _ in made_as if name == "own"][0] if way == "solve" else operator_of(way, mesh, problem, N, side, former)
        except libbp.Error as e:
            print("%s N=%d %s: %s" % (problem, N, way, e), flush=True)
            continue
        made_as.append((way, a, time.time() - begin))
    open("%s.%d" % (os.environ["LOCK"], os.getpid()), "w").close() if lock else None
    for _ in range(400 if lock else 0):  # 40 s at most
        if len(glob.glob(os.environ["LOCK"] + ".*")) < int(os.environ.get("TOGETHER", 1)):
            time.sleep(0.1)
    if lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    first = None
    for way, a, made_in in made_as:
        moved = a.bytes - 16 * side ** 3 * (N + 1) ** 3 + 16 * a.length
        u, v = Array(np.random.default_rng(1).random(a.length)), Array(np.zeros(a.length))
        if way == "solve":
            a.apply_on(stream.value, u.at, v.at)
            cu("StreamSynchronize", stream)
            for tolerance in 1e-4, 1e-6:  # the first makes the solver
                begin = time.time()
                iterations = a.solve_on(v.at, u.at, tolerance, 100000)
                taken = time.time() - begin
            print("%s solve N=%d, %.1f M: %d iterations, %.1f us each" % (
                problem, N, a.length / 1e6, iterations, 1e6 * taken / iterations), flush=True)
        else:
            least, copy = seconds_of(stream, lambda: a.apply_on(stream.value, u.at, v.at)), copy_seconds(stream, int(moved))
            a.apply_on(stream.value, u.at, v.at)
            cu("StreamSynchronize", stream)
            first = v.read().copy() if first is None else first
            apart = error(v.read(), first) if way not in ("lines", "faces") else np.nan
            print("%s %-8s N=%2d %5.1f M %7.1f us %4.0f %% of the copy, %5.2f s to make (%s, %s), %.1e apart" % (
                problem, way, N, a.length / 1e6, 1e6 * least, 100 * copy / least, made_in, a.variant, a.kept, apart),
                flush=True)
        u.free()
        v.free()


def told(ask, problem, N, *more):
    """One that fails keeps no other from being asked."""
    try:
        ask(problem, N, *more)
        return 0
    except libbp.Error as e:
        print("%s N=%d: %s" % (problem, N, e), flush=True)
        return 1


def errors(problem, N):
    if os.environ.get("ERRORS") == "unknowns":
        side = round(4e6 ** (1 / 3) / N)
        print("%s N=%d unknowns %.1e" % (problem, N, check_unknowns(problem, N, (side, side + 1, side - 1))), flush=True)
        return
    print("%s N=%d %s: error %.1e, in a graph %.1e; unknowns %.1e" % (
        problem, N, *check(problem, N), check_unknowns(problem, N)), flush=True)
    print("%s N=%d solve: %d iterations, %.1e left; diagonal %.1e" % (problem, N, *check_solve(problem, N)), flush=True)


failed = 0
for N in degrees if os.environ.get("ERRORS") != "0" else ():
    for problem in problems:
        failed += told(errors, problem, N)
for N in degrees:
    for problem in problems:
        if time.time() < until:
            failed += told(times, problem, N, float(os.environ.get("NODES", 2e7)) / (4 if N == 1 else 1))
if not degrees:
    print("%s, %.1e from the CPU, in a graph %.1e" % check("bp1", 2))
    print("unknowns, %.1e from the CPU" % check_unknowns("bp1", 2))
    print("two threads, two streams, %.1e from the CPU" % check_threads(own.replace("mass.cu", "mass-together.cu")))
    mesh = libbp.Mesh.box(2, 2, 2, on=on)
    before = memory()
    for n in range(1000):
        libbp.Operator(mesh, "bp1", 2, variant=own, layout=n % 2)
    assert memory() == before, "%d bytes of the device are lost" % (memory() - before)
    a = libbp.Operator(mesh, "bp1", 2, variant=own)
    refused("libbp_operator_apply: expected an operator on a CPU", lambda: a.apply(np.zeros(a.length)))
    refused("libbp_operator_apply_on: expected two arrays", lambda: a.apply_on(0, 64, 64))
    refused("libbp_operator_apply_on: expected two arrays", lambda: a.apply_on(0, 0, 64))
    refused("libbp_operator_apply_on: expected arrays that begin", lambda: a.apply_on(0, 64, 100))
    refused("expected alpha 1 and beta 0 on elements", lambda: a.apply_on(0, 64, 128, 2, 0))
    refused("libbp_operator_apply_on: expected an operator on a GPU",
            lambda: libbp.Operator(libbp.Mesh.box(1, 1, 1), "bp1", 2).apply_on(0, 64, 128))
    refused("map: expected numbers below 3, found 7 in element 0",
            lambda: libbp.Operator(mesh, "bp1", 1, layout=libbp.UNKNOWNS, map=np.full((8, 8), 7), count=3, variant=own))
    refused("libbp_context_create: cuda: expected a device 0..", lambda: libbp.context(gpu=99))
now = P()
cu("CtxGetCurrent", ctypes.byref(now))
assert now.value == context.value, "the current context is another"
sys.exit(failed > 0)
