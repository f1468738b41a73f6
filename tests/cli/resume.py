"""resume.py -- a run that is killed keeps its rows and goes on with --resume.

resume.py BP FOLDER   one line per mistake
"""
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also below nohup

bp, folder = sys.argv[1:3]
RUN = ["run", "--problem", "bp1.0", "--variant", "naive,simd", "--degree", "1..6", "--box", "2x2x2", "--backend", "cpu",
       "--threads", "1", "--set", "measure.warmup=0", "--set", "measure.min_time=0.02", "--set", "measure.max_time=0.02"]
ROWS = 12
random.seed(7)


def complain(what, *found):
    print("resume.py: %s" % what, *found)


def rows_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return json.load(file)["rows"]


def key(row):
    return row["variant"], row["degree"]


def start(path, limit=None):
    """With a limit no file may have more bytes, as on a full disk."""
    def before():
        if limit:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.Popen([bp] + RUN + ["--format", "json", "--output", path], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=before)


def resume(path, kept, name):
    if not os.path.exists(path):
        return
    done = subprocess.run([bp, "run", "--resume", path], capture_output=True, text=True)
    rows = rows_of(path)
    if done.returncode or len(rows) != ROWS or len({key(row) for row in rows}) != ROWS:
        complain("%s: expected %d rows and exit 0 after --resume, found" % name, ROWS, len(rows), done.returncode,
                 done.stderr)
    if json.load(open(path))["interrupted"]:
        complain("%s: expected a record that is complete" % name)
    after = {key(row): row["samples"] for row in rows}
    for row in kept:
        if row["stopped"] != "interrupted" and after.get(key(row)) != row["samples"]:
            complain("%s: expected the samples of a finished row, found others" % name, key(row))


CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGUSR1: 138, signal.SIGKILL: -signal.SIGKILL}


def kill_once(number, name, path, moment):
    """Whether the signal came before the run was over; a run may be faster than who watches it."""
    os.path.exists(path) and os.remove(path)
    process = start(path)
    seen = []
    while process.poll() is None and len(seen) < moment:
        time.sleep(0.01)
        seen = rows_of(path)
    process.send_signal(number)
    process.communicate()
    kept = rows_of(path)
    if len(kept) < len(seen):
        complain("%s: expected the %d rows that were written, found %d" % (name, len(seen), len(kept)))
    if process.returncode == 0 and len(kept) == ROWS:
        return False
    is_early = not kept and process.returncode == -number  # it had not begun
    if process.returncode != CODES[number] and not is_early:
        complain("%s: expected exit code %d, found" % (name, CODES[number]), process.returncode)
    if number != signal.SIGKILL and kept and not json.load(open(path))["interrupted"]:
        complain("%s: expected a record that says it was interrupted" % name)
    resume(path, kept, name)
    return True


def kill(number, n, path, moment):
    name = "%s %d" % (signal.Signals(number).name, n)
    if not any(kill_once(number, name, path, max(0, moment - 2 * again)) for again in range(8)):
        complain("%s: expected a run that the signal ends, found 8 that went on to their end" % name)


def fill(limit, name, path):
    process = start(path, limit)
    out, err = process.communicate()
    if process.returncode != 3 or b"it went to standard output" not in err:
        complain("%s: expected exit code 3 and a word, found" % name, process.returncode, err)
        return
    if len(json.loads(out)["rows"]) != ROWS:
        complain("%s: expected all rows on standard output" % name)
    resume(path, rows_of(path), name)


for n in range(10):
    path = os.path.join(folder, "record-%d.json" % n)
    for number in (signal.SIGTERM, signal.SIGKILL) + ((signal.SIGHUP, signal.SIGUSR1) if n < 3 else ()):
        kill(number, n, path, random.randint(0, ROWS - 3))
    os.path.exists(path) and os.remove(path)
    fill(random.randint(3000, 20000), "full disk %d" % n, path)

# what nohup says goes for bp, too
path = os.path.join(folder, "nohup.json")
process = subprocess.Popen(["nohup", bp] + RUN + ["--format", "json", "--output", path], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
while process.poll() is None and not rows_of(path):
    time.sleep(0.01)
process.send_signal(signal.SIGHUP)
process.wait()
if process.returncode != 0 or len(rows_of(path)) != ROWS:
    complain("nohup: expected %d rows and exit code 0, found" % ROWS, len(rows_of(path)), process.returncode)
