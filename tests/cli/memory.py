#!/usr/bin/env python3
"""memory.py -- the most bytes that a command and its children have at once; what they share counts once.

Usage: memory.py COMMAND [ARGUMENT]..."""
import os
import subprocess
import sys
import time


def family(parent):
    """Numbers of a process and of all below it."""
    below = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as file:
                below.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            pass
    found = [parent]
    for process in found:
        found += below.get(process, [])
    return found


def bytes_of(process):
    try:
        with open("/proc/%d/smaps_rollup" % process) as file:
            return sum(1024 * int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except (OSError, ValueError):
        return 0


def main():
    job = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    most = 0
    while job.poll() is None:
        most = max(most, sum(map(bytes_of, family(job.pid))))
        time.sleep(0.005)
    print(most)
    return job.returncode


if __name__ == "__main__":
    sys.exit(main())
