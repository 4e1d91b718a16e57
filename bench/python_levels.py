#!/usr/bin/env python3
"""Compares the wheel's best module with a build for this machine.

usage: python_levels.py NATIVE_PYTHON WHEEL_PYTHON [--rounds N]

The arguments are the interpreters of two environments: one with `pip install .`, one with
`pip install dist/sotto-*.whl`. They take turns, and the shortest time of each counts, since other
work on the machine only adds to it. Fails when the wheel takes over a tenth longer at any task.
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
            begin = time.perf_counter()
            work()
            times[name] = min(times[name], time.perf_counter() - begin)
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
    best, modules = [{}, {}], ["", ""]
    with tempfile.TemporaryDirectory() as folder:  # not the checkout, whose package would be found
        for _ in range(options.rounds):
            for side, python in enumerate((options.native, options.wheel)):
                command = [os.path.abspath(python), str(pathlib.Path(__file__).resolve()),
                           "--measure", "2"]
                found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                                  cwd=folder, env=environment).stdout)
                modules[side] = found["module"].removeprefix("sotto.")
                for name, seconds in found["times"].items():
                    best[side][name] = min(seconds, best[side].get(name, seconds))
    print(f"{'seconds':<38}{modules[0]:>10}{modules[1]:>10}  ratio")
    ratios = {name: best[1][name] / best[0][name] for name in best[0]}
    for name, ratio in ratios.items():
        print(f"{name:<38}{best[0][name]:10.3f}{best[1][name]:10.3f}{ratio:7.2f}")
    return 0 if max(ratios.values()) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
