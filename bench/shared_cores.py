#!/usr/bin/env python3
"""Whether threads pay on processors that others use, too: each command on one and on two threads,
with a process that computes on every processor beside it.

  shared_cores.py PROGRAM [--turns 5] [--corpus FILE]

Prints the median time of the runs on one and on two threads, in turns, and their ratio: above 1, two
threads are slower. Times contain start and reading.
"""
import argparse
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def compute():
    while True:
        sum(range(100000))


def seconds(command):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return time.monotonic() - begin


def commands(program, folder, corpus):
    """Name and arguments of each, over data that are made first."""
    def generate(*words):
        subprocess.run([program, "generate", *words], check=True, capture_output=True)
    generate("tensor", "--dim", "150", "--out", f"{folder}/tensor")
    generate("points", "--dim", "50", "--components", "5", "--records", "300000", "--max-norm", "1",
             "--out", f"{folder}/points")
    generate("corpus", "--documents", "20000", "--vocabulary", "3000", "--out", f"{folder}/corpus")
    generate("ratings", "-n", "300000", "--out", f"{folder}/ratings")
    generate("visits", "--people", "20000", "--out", f"{folder}/visits")
    documents = corpus or next(str(p) for p in pathlib.Path(folder, "corpus").iterdir()
                               if "docword" in p.name)
    private = ["--epsilon", "1", "--delta", "1e-7"]
    points = f"{folder}/points/points.npy"
    ratings = next(str(p) for p in sorted(pathlib.Path(folder, "ratings").iterdir())
                   if p.name.startswith("rat"))
    visits = f"{folder}/visits/visits.tns"
    return {
        "decompose": ["decompose", f"{folder}/tensor/tensor.npy", "-k", "5"],
        "decompose, cp": ["decompose", f"{folder}/tensor/tensor.npy", "-k", "5", "--method", "cp"],
        "decompose, people, private": ["decompose", visits, "--unit", "person", "-k", "6", *private],
        "stream": ["stream", points, "-k", "5"],
        "stream, private": ["stream", points, "-k", "3", "--max-norm", "1", *private],
        "mixture": ["mixture", points, "-k", "5"],
        "topics": ["topics", documents, "-k", "20"],
        "topics, private": ["topics", documents, "-k", "8", *private],
        "complete, als": ["complete", ratings, "--method", "als", "--rank", "8"],
        "complete, sgd": ["complete", ratings, "--method", "sgd", "--rank", "8"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--corpus", help="documents for topics, e.g. docword.kos.txt.gz")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chosen = commands(options.program, folder, options.corpus)
        others = [multiprocessing.Process(target=compute, daemon=True)
                  for _ in os.sched_getaffinity(0)]
        for other in others:
            other.start()
        for name, arguments in chosen.items():
            times = {1: [], 2: []}
            for _ in range(options.turns):
                for threads, found in times.items():
                    found.append(seconds([options.program, *arguments, "--threads", str(threads)]))
            one, two = (statistics.median(times[t]) for t in (1, 2))
            print(f"{name:28} one thread {one:6.3f} s, two {two:6.3f} s, ratio {two / one:.2f}",
                  flush=True)
        for other in others:
            other.terminate()


if __name__ == "__main__":
    main()
