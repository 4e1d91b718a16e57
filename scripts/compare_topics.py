#!/usr/bin/env python3
"""Prints found topics beside the true ones of `sotto generate corpus`.

usage: compare_topics.py FOUND_FOLDER TRUE_FOLDER
"""
import array
import ast
import pathlib
import struct
import sys

SHOWN = 6


def read_topics(path):
    """The columns of a words x topics array of doubles."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    topics = ast.literal_eval(data[10:10 + length].decode())["shape"][1]
    values = array.array("d", data[10 + length:])
    return [values[t::topics] for t in range(topics)]


def top(topic):
    return sorted(range(len(topic)), key=lambda w: -topic[w])[:SHOWN]


def distance(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / 2


def main():
    found, true = (pathlib.Path(name) for name in sys.argv[1:3])
    words = (true / "vocab.txt").read_text().split()
    left = read_topics(true / "topics.npy")
    print(f"  {'found':<{6 * SHOWN}}  {'true':<{6 * SHOWN}}  distance")
    for topic in read_topics(found / "topics.npy"):
        nearest = min(left, key=lambda other: distance(topic, other))
        left.remove(nearest)
        names = ["".join(f"{words[w]:<6}" for w in top(t)) for t in (topic, nearest)]
        print(f"  {names[0]}  {names[1]}  {distance(topic, nearest):.3f}")
    print("  distance: total variation, 0 for equal topics, 1 for topics that share no word")


if __name__ == "__main__":
    main()
