"""A sweep of CP least squares against TensorLy's masked parafac on the same kind of tensor.

usage: completion_peer.py BENCH_COMPLETE [--quick]   (run by bench/run.py in its virtual environment)
"""
import os
import subprocess
import sys
import time

# Both on one thread and by processor time, so that other work on the machine does not count.
os.environ |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}

import numpy as np
from tensorly.decomposition import parafac

RANK, SWEEPS = 8, 20


def theirs(dim, share):
    """Seconds per sweep: the difference of two runs, so that the start does not count."""
    generator = np.random.default_rng(0)
    factors = [generator.standard_normal((dim, RANK)) for _ in range(3)]
    tensor = np.einsum("ir,jr,kr->ijk", *factors)
    mask = generator.random(tensor.shape) < share
    took = []
    for sweeps in 1, 1, 1 + SWEEPS:  # the first one warms up
        start = time.process_time()
        parafac(tensor * mask, RANK, n_iter_max=sweeps, mask=mask, init="random", tol=0,
                random_state=0)
        took.append(time.process_time() - start)
    return (took[2] - took[1]) / SWEEPS


def main():
    print(f"completion: processor seconds a sweep of least squares, CP rank {RANK}, one thread")
    for dim, share in ((50, 0.5), (100, 0.1)) if "--quick" in sys.argv else (
            (50, 0.5), (100, 0.1), (200, 0.1)):
        text = subprocess.run([sys.argv[1], "sweep", str(dim), str(share)], check=True,
                              capture_output=True, text=True).stdout
        ours, peer = float(text.split()[1]), theirs(dim, share)
        print(f"  {dim}^3, {share:4.0%} observed   TensorLy {peer:8.4f} s   sotto {ours:8.5f} s   "
              f"{peer / ours:6.0f} x faster")


if __name__ == "__main__":
    main()
