#!/usr/bin/env python3
"""Whether threads pay on processors that others use, too: each command on one and on two threads,
with a process that computes on every processor beside it.

  shared_cores.py PROGRAM [--turns 5] [--corpus FILE] [--only WORD]

Prints the median time of the runs on one and on two threads, in turns, and their ratio: above 1, two
threads are slower. Then the same for processor time: above 1, threads waited busily or did more.
Times contain start and reading. How threads wait is left to the program.
"""
import argparse
import multiprocessing
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time


def compute():
    while True:
        sum(range(100000))


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command):
    """Of the clock, and of processors."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS")}
    before, begin = processor_time(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return time.monotonic() - begin, processor_time() - before


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
        "decompose, private": ["decompose", f"{folder}/tensor/tensor.npy", "-k", "5", "--anyway",
                               *private],
        "decompose, cp": ["decompose", f"{folder}/tensor/tensor.npy", "-k", "5", "--method", "cp"],
        "decompose, people, private": ["decompose", visits, "--unit", "person", "-k", "6", *private],
        "stream": ["stream", points, "-k", "5"],
        "stream, private": ["stream", points, "-k", "3", "--max-norm", "1", *private],
        "mixture": ["mixture", points, "-k", "5"],
        "topics": ["topics", documents, "-k", "20"],
        "topics, private": ["topics", documents, "-k", "8", *private],
        "complete, sums, private": ["complete", ratings, "--range", "-5:5", *private,
                                    "--mechanism", "sums"],
        "complete, als": ["complete", ratings, "--method", "als", "--rank", "8"],
        "complete, sgd": ["complete", ratings, "--method", "sgd", "--rank", "8"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--corpus", help="documents for topics, e.g. docword.kos.txt.gz")
    parser.add_argument("--only", default="", help="commands whose name contains this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chosen = commands(options.program, folder, options.corpus)
        others = [multiprocessing.Process(target=compute, daemon=True)
                  for _ in os.sched_getaffinity(0)]
        for other in others:
            other.start()
        print("| command | one thread, s | two, s | two / one | processor time, two / one |")
        print("|---|---|---|---|---|")
        for name, arguments in chosen.items():
            if options.only not in name:
                continue
            times = {1: [], 2: []}
            for _ in range(options.turns):
                for threads, found in times.items():
                    found.append(seconds([options.program, *arguments, "--threads", str(threads)]))
            (one, one_used), (two, two_used) = (
                [statistics.median(kind) for kind in zip(*times[threads])] for threads in (1, 2))
            print(f"| {name} | {one:.2f} | {two:.2f} | {two / one:.2f} | {two_used / one_used:.2f} |",
                  flush=True)
        for other in others:
            other.terminate()


if __name__ == "__main__":
    main()
