"""grows.py -- whether bp's table grows while bp runs: grows.py pipe|terminal COMMAND...; prints "yes" or "no"."""
import os
import pty
import re
import subprocess
import sys

where, command = sys.argv[1], sys.argv[2:]
end, other = pty.openpty() if where == "terminal" else os.pipe()
process = subprocess.Popen(command, stdout=other, stderr=other if where == "terminal" else subprocess.DEVNULL)
os.close(other)


def more():
    try:
        return os.read(end, 65536)
    except OSError:  # a terminal that nobody has open
        return b""


text = piece = more()
while piece and not re.search(rb" 1 +naive", text):
    piece = more()
    text += piece
process.kill()
process.wait()
while piece:  # what was printed until then
    piece = more()
    text += piece
print("yes" if re.search(rb" 1 +naive", text) and not re.search(rb" 2 +naive", text) else "no")
