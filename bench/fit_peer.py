"""Joint fits against TensorLy on the same tensors, in one run.

usage: fit_peer.py BENCH_FIT [--quick]    (run by bench/run.py in its virtual environment)

All against TensorLy's iterations from a random start, the best time of several runs:
`sweeps`: the same number of iterations over the tensor itself, from a random start;
`one start`: one start on the compressed tensor, and one step on the tensor itself;
`whole`: our fit with all defaults (eight starts, to convergence).
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import tensorly as tl
from tensorly.decomposition import non_negative_parafac_hals, parafac, tucker

PROGRAM = sys.argv[1]
QUICK = "--quick" in sys.argv[2:]
RANK = 10
PEER_RUNS = 2


def made(shape, seed=0):
    """A non-negative CP tensor of this rank with a tenth of noise."""
    rng = np.random.default_rng(seed)
    factors = [rng.random((d, RANK)) for d in shape]
    tensor = tl.cp_to_tensor((np.ones(RANK), factors))
    tensor += 0.1 * tensor.std() * rng.standard_normal(shape)
    return np.maximum(tensor, 0)


def fit_of(tensor, model):
    return 1 - np.linalg.norm(tensor - model) / np.linalg.norm(tensor)


def peer(method, tensor, iterations):
    """The best time of some runs, which all find the same, and the fit."""
    arguments = dict(n_iter_max=iterations, init="random", random_state=0, tol=0)
    best = float("inf")
    for _ in range(PEER_RUNS):
        start = time.perf_counter()
        if method == "cp":
            model = parafac(tensor, RANK, **arguments)
        elif method == "non-negative":
            model = non_negative_parafac_hals(tensor, RANK, **arguments)
        else:
            model = tucker(tensor, [RANK] * tensor.ndim, **arguments)
        best = min(best, time.perf_counter() - start)
    full = tl.tucker_to_tensor(model) if method == "tucker" else tl.cp_to_tensor(model)
    return best, fit_of(tensor, full)


def ours(path, method, iterations):
    text = subprocess.run([PROGRAM, path, method, str(RANK), str(iterations)], check=True,
                          capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def main():
    shapes = [((60,) * 3, 20)] if QUICK else [((200,) * 3, 20), ((100,) * 4, 5)]
    print(f"joint fits of rank {RANK}; seconds and fit")
    with tempfile.TemporaryDirectory() as name:
        for shape, iterations in shapes:
            tensor = made(shape)
            path = pathlib.Path(name) / "tensor.npy"
            np.save(path, tensor)
            for method in "cp", "non-negative", "tucker":
                found = ours(path, method, iterations)
                seconds, fit = peer(method, tensor, iterations)
                line = (f"  {method:<13}{'x'.join(map(str, shape)):<17}{iterations} iterations: "
                        f"TensorLy {seconds:7.2f} s {fit:.5f}")
                for way in "sweeps", "one_start", "whole":
                    if f"{way}_seconds" not in found:
                        continue
                    taken = found[f"{way}_seconds"]
                    line += (f"   {way.replace('_', ' ')} {taken:7.3f} s "
                             f"{found[f'{way}_fit']:.5f} ({seconds / taken:.1f} x faster)")
                print(line, flush=True)
    entries = 1_000_000 if QUICK else 10_000_000
    print(f"sparse MTTKRP, {entries} entries of 10^5 x 10^5 x 10^3, rank {RANK}")
    print(subprocess.run([PROGRAM, "sparse", str(entries), str(RANK)], check=True,
                         capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()
