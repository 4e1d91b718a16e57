"""Mixtures of every kind of covariance, private and not, on points with a known truth.

    python bench/mixture_kinds.py build/release/sotto

Prints, for each shape, the log likelihood of a point under the truth less that under what was found
(median and worst of four runs), without privacy and with epsilon 1. Needs numpy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SHAPES = [(2, 3, "full"), (2, 6, "spherical"), (5, 4, "diagonal"), (10, 4, "full")]
RECORDS = [10_000, 100_000]
SEEDS = range(4)


def log_density(X, weights, means, covariances):
    logs = []
    for w, m, c in zip(weights, means, covariances):
        root = np.linalg.cholesky(c)
        z = np.linalg.solve(root, (X - m).T)
        logs.append(np.log(w) - np.log(np.diag(root)).sum() - 0.5 * (z ** 2).sum(axis=0))
    return np.logaddexp.reduce(logs, axis=0).mean() - 0.5 * X.shape[1] * np.log(2 * np.pi)


def made(n, d, k, kind, rng):
    """k Gaussians in the unit ball, the nearest means six deviations apart."""
    means = rng.normal(size=(k, d))
    means /= np.linalg.norm(means, axis=1).max()
    gaps = np.linalg.norm(means[:, None] - means[None], axis=2) + 9 * np.eye(k)
    s = gaps.min() / 6
    if s < 0.02:
        return made(n, d, k, kind, rng)
    weights = rng.dirichlet(np.full(k, 5.0))
    covariances = []
    for _ in range(k):
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0] if kind == "full" else np.eye(d)
        spread = np.exp(rng.uniform(-1, 1, 1 if kind == "spherical" else d)) * np.ones(d)
        covariances.append(s * s * (turn * spread) @ turn.T)
    labels = rng.choice(k, n, p=weights)
    X = np.array([means[h] for h in labels])
    for h in range(k):
        of = labels == h
        X[of] += rng.normal(size=(of.sum(), d)) @ np.linalg.cholesky(covariances[h]).T
    return X, weights, means, covariances


def found(program, path, k, kind, *privacy):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "mixture", path, "-k", str(k), "--covariance", kind, "--out", out,
                        "--force", *privacy], stdout=subprocess.DEVNULL, check=False)
        folder = pathlib.Path(out)
        weights = json.loads((folder / "result.json").read_text())["weights"]
        means = np.load(folder / "means.npy").T
        covariances = np.load(folder / "covariances.npy")
    d = means.shape[1]
    full = [c if kind == "full" else np.diag(c) if kind == "diagonal" else c * np.eye(d)
            for c in covariances]
    return weights, means, full


def main():
    program = sys.argv[1]
    private = ["--epsilon", "1", "--delta", "1e-6", "--max-norm", "1.3"]
    for d, k, kind in SHAPES:
        for n in RECORDS:
            losses = {"public": [], "epsilon 1": []}
            for seed in SEEDS:
                X, *truth = made(n, d, k, kind, np.random.default_rng(seed))
                best = log_density(X, *truth)
                with tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / "points.npy"
                    np.save(path, X)
                    for name, privacy in ("public", []), ("epsilon 1", private):
                        model = found(program, str(path), k, kind, *privacy)
                        losses[name].append(best - log_density(X, *model))
            print(d, k, kind, n, {name: (round(float(np.median(v)), 4), round(float(max(v)), 4))
                                  for name, v in losses.items()}, flush=True)


if __name__ == "__main__":
    main()
