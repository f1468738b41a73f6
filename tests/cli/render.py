"""render.py -- what a picture looks like, for render.sh: reads PNG as rsvg-convert and Chromium write it.

render.py look FILE.png COLOR...   paper in the corner, hardly any black, and some of each colour
render.py same A.png B.png         alike but for the edges of letters
"""
import struct
import sys
import zlib


def unfilter(kind, line, above, size):
    """Undoes a filter of the PNG specification, in place."""
    for n in range(len(line)):
        left = line[n - size] if n >= size else 0
        up = above[n]
        if kind == 1:
            line[n] = (line[n] + left) & 255
        elif kind == 2:
            line[n] = (line[n] + up) & 255
        elif kind == 3:
            line[n] = (line[n] + (left + up) // 2) & 255
        elif kind == 4:
            corner = above[n - size] if n >= size else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[n] = (line[n] + nearest[2]) & 255


def read(path):
    """Width, height and rows of (red, green, blue); what is transparent lies on black."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and color in (2, 6), "expected 8 bits of red, green, blue"
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    size = 3 if color == 2 else 4
    raw, above, rows = zlib.decompress(packed), bytearray(width * size), []
    for y in range(height):
        start = y * (width * size + 1)
        line = bytearray(raw[start + 1:start + 1 + width * size])
        unfilter(raw[start], line, above, size)
        row = [tuple(line[n:n + 3]) for n in range(0, len(line), size)]
        if size == 4:
            row = [tuple(c * line[4 * n + 3] // 255 for c in pixel) for n, pixel in enumerate(row)]
        rows.append(row)
        above = line
    return width, height, rows


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def look(path, colors):
    width, height, rows = read(path)
    pixels = [pixel for row in rows for pixel in row]
    paper = tuple(int(colors[0][n:n + 2], 16) for n in (1, 3, 5))
    if distance(rows[2][2], paper) > 2:
        return "the corner is %s, not %s" % (rows[2][2], paper)
    black = sum(distance(pixel, (0, 0, 0)) < 12 for pixel in pixels) / len(pixels)
    if black > 0.002:
        return "%.1f %% is black" % (100 * black)
    for color in colors:
        wanted = tuple(int(color[n:n + 2], 16) for n in (1, 3, 5))
        if sum(distance(pixel, wanted) < 6 for pixel in pixels) < 20:
            return "no %s" % color
    return ""


def same(first, second):
    a, b = read(first), read(second)
    height, width = min(a[1], b[1]), min(a[0], b[0])  # a window is as high as it is
    wrong = sum(distance(a[2][y][x], b[2][y][x]) > 60 for y in range(height) for x in range(width))
    return "%.1f %% differs" % (100 * wrong / height / width) if wrong > 0.06 * height * width else ""


if __name__ == "__main__":
    found = look(sys.argv[2], sys.argv[3:]) if sys.argv[1] == "look" else same(sys.argv[2], sys.argv[3])
    print(found or "fine")
    sys.exit(1 if found else 0)
