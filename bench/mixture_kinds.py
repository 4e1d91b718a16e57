"""Mixtures of every kind of covariance on points with a known truth, private and not.

    python bench/mixture_kinds.py PROGRAM [OTHER] [--records N] [--runs R] [--epsilons 0.5,1,4]

The error is the log likelihood of a point under the truth less that under what was found. Prints
for each shape its median and worst, the runs off by 0.1 or more (a cluster was missed), and the
runs that said so (exit code 3). With OTHER, another build, both see the same points and seeds, and
the mean difference is printed with its standard error. Needs numpy.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import tempfile

import numpy as np

SHAPES = [(3, 2), (4, 2), (8, 2), (3, 3), (8, 3), (3, 10), (6, 10)]  # components, dimensions
KINDS = ["common", "spherical", "diagonal", "full"]
MISSED = 0.1


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
        if kind == "common":
            spread[:] = 1
        covariances.append(s * s * (turn * spread) @ turn.T)
    labels = rng.choice(k, n, p=weights)
    X = np.array([means[h] for h in labels])
    for h in range(k):
        of = labels == h
        X[of] += rng.normal(size=(of.sum(), d)) @ np.linalg.cholesky(covariances[h]).T
    return X, weights, means, covariances


def found(program, path, k, kind, privacy):
    """The mixture, and whether the run said that it drowned."""
    with tempfile.TemporaryDirectory() as out:
        code = subprocess.run(
            [program, "mixture", path, "-k", str(k), "--covariance", kind, "--out", out, "--force",
             "--threads", "1", *privacy], stdout=subprocess.DEVNULL, check=False).returncode
        folder = pathlib.Path(out)
        result = json.loads((folder / "result.json").read_text())
        means = np.load(folder / "means.npy").T
        own = folder / "covariances.npy"
        spreads = np.load(own) if own.exists() else [result["variance"]] * k
    d = means.shape[1]
    full = [c if kind == "full" else np.diag(c) if kind == "diagonal" else c * np.eye(d)
            for c in spreads]
    return (result["weights"], means, full), code == 3


def measure(programs, n, k, d, kind, epsilons, runs):
    """errors[epsilon][program] and said[epsilon][program]: one a run."""
    errors = {e: [[] for _ in programs] for e in epsilons}
    said = {e: [0 for _ in programs] for e in epsilons}
    for seed in range(runs):
        X, *truth = made(n, d, k, kind, np.random.default_rng(1000 + seed))
        best = log_density(X, *truth)
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "points.npy")
            np.save(path, X)
            for epsilon, (i, program) in itertools.product(epsilons, enumerate(programs)):
                privacy = [] if epsilon == 0 else [
                    "--epsilon", str(epsilon), "--delta", "1e-6", "--max-norm", "1.3",
                    "--insecure-seed", str(seed)]
                mixture, drowned = found(program, path, k, kind, privacy)
                errors[epsilon][i].append(best - log_density(X, *mixture))
                said[epsilon][i] += drowned
    return errors, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--records", type=int, default=8000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilons", default="0.5,1,4", help="0: without privacy")
    given = parser.parse_args()
    epsilons = [float(e) for e in given.epsilons.split(",")]
    for (k, d), kind in itertools.product(SHAPES, KINDS):
        if kind == "common" and k <= d:
            continue  # moments give these
        errors, said = measure(given.programs, given.records, k, d, kind, epsilons, given.runs)
        for epsilon in epsilons:
            cells = [f"{np.median(e):.4f} {max(e):.3f} missed {sum(x >= MISSED for x in e)} said {s}"
                     for e, s in zip(errors[epsilon], said[epsilon])]
            if len(cells) > 1:
                gain = np.subtract(*errors[epsilon][:2])
                error = gain.std(ddof=1) / np.sqrt(len(gain))
                cells.append(f"second better by {gain.mean():.4f} +- {error:.4f}")
            print(f"k {k} d {d} {kind} epsilon {epsilon:g}:", " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
