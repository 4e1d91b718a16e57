#!/usr/bin/env python3
"""Compares the wheel's best module with a build for this machine.

usage: python_levels.py NATIVE_PYTHON WHEEL_PYTHON [--rounds N]

The arguments are the interpreters of two environments of one version of the sources: one with
`pip install .`, one with `pip install dist/sotto-*.whl`. What counts is the processor time of one
thread, the shortest of several turns: on a busy machine, times by the clock of one and the same
module differ by half. The native build is measured twice in each round. Its ratio to itself shows
what is noise; when that is over NOISE, nothing is concluded.

Exit status: 0 when the wheel takes at most a tenth longer at every task, 1 when it takes more, 2
when there was too much noise to tell.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LIMIT = 1.1
NOISE = 0.05


def tasks():
    """Pairs of a name and a function to time; each makes its data when it is asked for."""
    import numpy as np
    import sotto
    rng = np.random.default_rng(0)

    directions = np.linalg.qr(rng.normal(size=(200, 5)))[0]
    symmetric = sotto.CPTensor(np.arange(5., 0, -1), [directions] * 3).full()
    yield "symmetric power, d = 200", lambda: sotto.symmetric_power(symmetric, rank=5)

    factors = [rng.random((200, 10)) for _ in range(3)]
    noisy = sotto.CPTensor(np.ones(10), factors).full() + 0.1 * rng.normal(size=(200, 200, 200))
    yield "CP, 200^3, rank 10", lambda: sotto.cp(noisy, 10, n_starts=1, max_iter=20, tol=0)

    points = rng.normal(size=(1_000_000, 50))
    points += 6 * np.eye(5, 50)[rng.integers(5, size=len(points))]
    yield ("mixture, 10^6 x 50",
           lambda: sotto.GaussianMixture(5, random_state=0).fit(points))

    topics = rng.dirichlet(np.full(2000, 0.05), size=8)
    proportions = rng.dirichlet(np.full(8, 0.125), size=10_000)
    counts = rng.multinomial(100, proportions @ topics)
    yield ("topics, 10^4 documents, 2000 words",
           lambda: sotto.TopicModel(8, random_state=0).fit(counts))


def measure(repeats):
    from sotto._load import core
    times = {}
    for name, work in tasks():
        times[name] = float("inf")
        for _ in range(repeats):
            begin = time.process_time()
            work()
            times[name] = min(times[name], time.process_time() - begin)
    json.dump({"module": core.__name__, "times": times}, sys.stdout)


def main():
    if sys.argv[1:2] == ["--measure"]:
        return measure(int(sys.argv[2]))
    parser = argparse.ArgumentParser()
    parser.add_argument("native")
    parser.add_argument("wheel")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PYTHON", "SOTTO"))}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    sides = options.native, options.wheel, options.native
    best, modules = [{}, {}, {}], ["", "", ""]
    with tempfile.TemporaryDirectory() as folder:  # not the checkout, whose package would be found
        for _ in range(options.rounds):
            for side, python in enumerate(sides):
                command = [os.path.abspath(python), str(pathlib.Path(__file__).resolve()),
                           "--measure", "3"]
                found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                                  cwd=folder, env=environment).stdout)
                modules[side] = found["module"].removeprefix("sotto.")
                for name, seconds in found["times"].items():
                    best[side][name] = min(seconds, best[side].get(name, seconds))
    native, wheel, again = best
    print(f"{'processor seconds, one thread':<38}{modules[0]:>10}{modules[1]:>10}  ratio  noise")
    status = 0
    for name in native:
        noise = again[name] / native[name]
        ratio = wheel[name] / min(native[name], again[name])
        print(f"{name:<38}{native[name]:10.3f}{wheel[name]:10.3f}{ratio:7.2f}{noise:7.2f}")
        if abs(noise - 1) > NOISE:
            status = 2
        elif ratio > LIMIT:
            status = status or 1
    if status == 2:
        print("the native build differs from itself: too much noise to tell")
    return status


if __name__ == "__main__":
    sys.exit(main())
