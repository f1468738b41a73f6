"""render.py -- what a picture looks like, for render.sh: reads PNG as rsvg-convert and Chromium write it.

render.py look FILE.png PAPER COLOR...      paper in the corner, hardly any black, and some of each colour
render.py sheets FOLDER HEIGHT NAME...      the same of FOLDER/NAME.png, and of the figures in this order, HEIGHT lines
                                            each, in light.png and dark.png, and whether light ones are as NAME.png:
                                            alike but for the edges of letters; prints `NAME WHAT: found` for each
"""
import collections
import struct
import sys
import zlib


def unfilter(kind, line, above, size):
    """Undoes a filter of the PNG specification, in place."""
    if kind == 0:
        return
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
    """Rows of (red, green, blue); what is transparent lies on black."""
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
        channels = [line[n::size] for n in range(size)]
        if size == 4:
            channels = [bytes(c * o // 255 for c, o in zip(channel, channels[3])) for channel in channels[:3]]
        rows.append(list(zip(*channels)))
        above = line
    return rows


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def color_of(text):
    return tuple(int(text[n:n + 2], 16) for n in (1, 3, 5))


def look(rows, colors):
    pixels = collections.Counter(pixel for row in rows for pixel in row)
    paper = color_of(colors[0])
    if distance(rows[2][2], paper) > 2:
        return "the corner is %s, not %s" % (rows[2][2], paper)

    def count_near(color, most):
        return sum(count for pixel, count in pixels.items() if distance(pixel, color) < most)

    black = count_near((0, 0, 0), 12) / sum(pixels.values())
    if black > 0.002:
        return "%.1f %% is black" % (100 * black)
    for color in colors:
        if count_near(color_of(color), 6) < 20:
            return "no %s" % color
    return "fine"


def same(a, b):
    pairs = collections.Counter(pair for line, other in zip(a, b) for pair in zip(line, other))
    wrong, count = sum(n for pair, n in pairs.items() if distance(*pair) > 60), sum(pairs.values())
    return "%.1f %% differs" % (100 * wrong / count) if wrong > 0.08 * count else "fine"


def sheets(folder, height, *names):
    light, dark = (read("%s/%s.png" % (folder, scheme)) for scheme in ("light", "dark"))
    for n, name in enumerate(names):
        plain = read("%s/%s.png" % (folder, name))
        here = slice(n * int(height), n * int(height) + min(int(height), len(plain)))
        series = ("#d8588e", "#d8588e") if name == "heatmap" else ("#1a7bfc", "#8560e0")
        print("%s plain: %s" % (name, look(plain, ("#ffffff", series[0]))))
        print("%s browser: %s" % (name, same(plain, light[here])))
        print("%s dark: %s" % (name, look(dark[here], ("#14181d", series[1]))))


if __name__ == "__main__":
    if sys.argv[1] == "look":
        print(look(read(sys.argv[2]), sys.argv[3:]))
    else:
        sheets(*sys.argv[2:])
