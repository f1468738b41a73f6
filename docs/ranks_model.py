#!/usr/bin/env python3
"""ranks_model.py -- an iteration of conjugate gradients on many GPUs: latencies, bandwidths, one rank's timeline.

    docs/ranks_model.py           published figures beside simulated ones, and what bp may expect on H200s
    docs/ranks_model.py --check   exits 1 if a simulated figure is more than 15 % off a published one

A rank has a cube of n unknowns of degree 7 and up to 26 neighbours. It applies the operator to the elements at its
surface, sends one message to each neighbour and works on the inner elements meanwhile; then two sums over all ranks.
The rank simulated is one that has all neighbours and sits at a corner of its node: the others wait for it.

What is known of a code on one GPU (rate, floor) and of a network is put in. NOISE and the times `sync` were chosen while
looking at the published figures of many GPUs, one for all machines of a maker."""
import collections
import sys

DEGREE = 7
OPERATOR = 0.5  # part of an iteration that the operator takes: what messages can hide behind
NOISE = 1.05  # the slowest of many GPUs against a typical one, beyond one node
WITHIN = 0.15

# gdofs, floor: of one GPU, T = floor + n / gdofs. sync: seconds from the end of a kernel to the next thing that waits
# for it, through the host. link, nic: bytes per second of a GPU to another one of the node, out of the node.
# message: seconds of the host for each. stage: seconds of one stage of a sum, in the node, beyond it.
# gather: seconds per shared value where the host adds them up, and nothing is overlapped.
Machine = collections.namedtuple("Machine", "gdofs floor per_node sync link nic message stage far_stage gather")


def machine(gdofs, floor, per_node, sync, link, nic, message=2e-6, stage=2e-6, far_stage=2e-6, gather=0):
    return Machine(gdofs, floor, per_node, sync, link, nic, message, stage, far_stage, gather)


SUMMIT = machine(2.57, 80e-6, 6, 15e-6, 40e9, 4.2e9)
PERLMUTTER = machine(4.4, 60e-6, 4, 15e-6, 80e9, 25e9)
JUWELS = PERLMUTTER
CRUSHER = machine(3.5, 100e-6, 8, 30e-6, 40e9, 12.5e9)
V100_2018 = machine(2.5, 80e-6, 4, 15e-6, 12e9, 6e9, gather=10e-9)
GH200 = machine(9.5, 50e-6, 4, 15e-6, 120e9, 25e9)
H200 = machine(25.6, 9.5e-6, 8, 5e-6, 300e9, 45e9, message=1e-6, stage=3e-6, far_stage=4e-6)


def factors(count):
    """Three factors as near to each other as can be, the smallest first."""
    found = [(a, b, count // a // b) for a in range(1, round(count ** (1 / 3)) + 1) if count % a == 0
             for b in range(a, count // a + 1) if count // a % b == 0 and b <= count // a // b]
    return min(found, key=lambda f: f[2] - f[0])


def neighbours(m, ranks, n):
    """(bytes, is beyond the node) of every message."""
    side = n ** (1 / 3)
    node = factors(min(ranks, m.per_node))
    grid = factors(ranks)
    for offset in [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)]:
        if any(o and (size == 1 or (size == 2 and o < 0)) for o, size in zip(offset, grid)):
            continue
        values = 1
        for o in offset:
            values *= 1 if o else side
        is_far = ranks > m.per_node and any(o < 0 or (o > 0 and size == 1) for o, size in zip(offset, node))
        yield 8 * values, is_far


def log2(count):
    return max(0, (int(count) - 1).bit_length())


def iteration(m, ranks, n):
    """Seconds."""
    compute = m.floor + n / (m.gdofs * 1e9)
    if ranks == 1:
        return compute
    if ranks > m.per_node:
        compute *= NOISE
    per_side = max(n ** (1 / 3) / DEGREE, 2)
    inner = OPERATOR * (compute - m.floor) * (1 - 2 / per_side) ** 3
    clock = near = far = 0.0
    shared = 0
    for size, is_far in neighbours(m, ranks, n):  # the host posts one after the other, wires carry them in turn
        clock += m.message
        near = max(near, clock) + size / m.link if not is_far else near
        far = max(far, clock) + size / m.nic if is_far else far
        shared += size / 8
    exchange = m.sync + max(near, far, clock)
    if m.gather:  # to the host, added up there, and back
        exchange += 2 * 8 * shared / m.link + m.gather * shared
        inner = 0
    stages = log2(min(ranks, m.per_node)) * m.stage + log2(-(-ranks // m.per_node)) * m.far_stage
    return compute + max(0.0, exchange - inner) + m.sync + 2 * (m.sync + stages)


def rate(m, ranks, n):
    """GDOF/s of one rank."""
    return n / iteration(m, ranks, n) * 1e-9


E8000 = 8000 * DEGREE ** 3
# What, published, simulated; nekRS has 2.7 M unknowns on each GPU, on the two A100 together; libParanumal 20 M
# together; MFEM's number is not known, 20 M each are assumed.
PUBLISHED = [
    ("nekRS, 510 V100, GDOF/s each", 1.86, lambda: rate(SUMMIT, 510, E8000)),
    ("nekRS, 512 A100, Perlmutter", 3.37, lambda: rate(PERLMUTTER, 512, E8000)),
    ("nekRS, 512 A100, JUWELS", 3.40, lambda: rate(JUWELS, 512, E8000)),
    ("nekRS, 512 MI250X dies", 2.27, lambda: rate(CRUSHER, 512, E8000)),
    ("nekRS, 2 A100, efficiency", 0.87,
     lambda: rate(PERLMUTTER, 2, E8000 / 2) / rate(PERLMUTTER, 1, E8000)),
    ("libParanumal, 8 V100, speed-up", 4.0,
     lambda: iteration(V100_2018, 1, 20e6) / iteration(V100_2018, 8, 2.5e6)),
    ("MFEM, 9216 GH200, weak, of 144", 1.0,
     lambda: rate(GH200, 9216, 20e6) / rate(GH200, 144, 20e6)),
]
COUNTS = (1, 8, 64, 512, 4096, 10000)


def reach(m, ranks, share=0.8):
    """Unknowns of a rank at which it has that share of its highest rate."""
    low, high = 1e3, 1e10
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if rate(m, ranks, middle) < share * m.gdofs else (low, middle)
    return high


def compared():
    """Lines of a table."""
    for what, published, simulate in PUBLISHED:
        yield [what, "%.2f" % published, "%.2f" % simulate(), "%+.0f %%" % (100 * (simulate() / published - 1))]


def expected():
    """Of H200s with 20 M unknowns each; and how many each needs for 80 %, with the time of such an iteration."""
    for ranks in COUNTS:
        n = reach(H200, ranks)
        yield [ranks, "%.0f" % (1e6 * iteration(H200, ranks, 20e6)), "%.0f" % (ranks * rate(H200, ranks, 20e6)),
               "%.1f" % (100 * rate(H200, ranks, 20e6) / rate(H200, 1, 20e6)), "%.1f" % (n / 1e6),
               "%.0f" % (1e6 * iteration(H200, ranks, n))]


def main():
    for line in compared():
        print("%-32s %8s %8s %6s" % tuple(line))
    if "--check" in sys.argv:
        return any(abs(simulate() / published - 1) > WITHIN for _, published, simulate in PUBLISHED)
    print("\n%8s %8s %10s %8s %8s %8s" % ("GPUs", "us", "GDOF/s", "%", "n0.8, M", "t0.8, us"))
    for line in expected():
        print("%8s %8s %10s %8s %8s %8s" % tuple(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
