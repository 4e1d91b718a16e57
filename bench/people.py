#!/usr/bin/env python3
"""Factors of tensors of people, one person protected: the surface over people and epsilon.

usage: people.py SOTTO [--quick]           the surface: worst cosine of any factor with the truth
       people.py SOTTO --entries [--quick] beside it, what noise on the entries leaves
       people.py SOTTO --large             time and memory of a million people

Needs numpy. The noise on entries is what other tools can do: every entry of every slice gets noise,
with the size that one person (a slice of bounded norm) or one entry (a change of 1) needs; the
factors are then sought in the noisy slices, without anybody paying for that.
"""
import argparse
import itertools
import json
import math
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np

DELTA = 1e-6


def sotto(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def worst_cosine(found, truth):
    unit = lambda m: m / np.maximum(np.linalg.norm(m, axis=0), 1e-300)
    cosines = [np.abs(unit(f).T @ unit(t)) for f, t in zip(found, truth)]
    k = truth[0].shape[1]
    product = np.prod(cosines, axis=0)
    best, left = [], set(range(k))
    for i, j in sorted(itertools.product(range(k), repeat=2), key=lambda ij: -product[ij]):
        if i in {b[0] for b in best} or j not in left:
            continue
        best.append((i, j))
        left.remove(j)
    return min(c[i, j] for c in cosines for i, j in best)


def arrays(folder, modes=2):
    return [np.load(folder / f"factors_{m + 1}.npy") for m in range(modes)]


def person(program, visits, epsilon, k, folder, delta=DELTA):
    sotto(program, "decompose", visits / "visits.tns", "--unit", "person", "-k", k, "--epsilon",
          epsilon, "--delta", delta, "--out", folder, "--force")
    return worst_cosine(arrays(folder), arrays(visits))


def surface(program, quick):
    seeds = 2 if quick else 10
    people = (10_000, 30_000) if quick else (3_000, 10_000, 30_000, 100_000)
    epsilons = (4, 2, 1, 0.5, 0.25, 0.1)
    print("500 codes x 200 drugs, k = 6, 20 events a person; worst cosine, mean of", seeds, "seeds")
    print(f"{'people':>10}" + "".join(f"{f'eps {e}':>9}" for e in epsilons))
    for n in people:
        scores = {e: [] for e in epsilons}
        for seed in range(seeds):
            with tempfile.TemporaryDirectory() as place:
                visits = pathlib.Path(place, "visits")
                sotto(program, "generate", "visits", "--people", n, "--seed", seed, "--out", visits)
                for e in epsilons:
                    scores[e].append(person(program, visits, e, 6, pathlib.Path(place, "found")))
        print(f"{n:>10}" + "".join(f"{np.mean(scores[e]):>9.3f}" for e in epsilons), flush=True)


def mu_of(epsilon, delta):
    normal = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    low, high = 1e-6, 100
    for _ in range(100):
        mu = (low + high) / 2
        cost = normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu)
        low, high = (low, mu) if cost > delta else (mu, high)
    return low


def slices_of(path, dims):
    dense = np.zeros(dims)
    for line in path.read_text().splitlines()[4:]:
        p, c, d, v = line.split()
        dense[int(p) - 1, int(c) - 1, int(d) - 1] = float(v)
    return dense


def factors_of_slices(slices, k, rng):
    """Leading subspaces of both modes, the second moment in them, and its rank-one elements."""
    r = k + 2
    top = lambda m: np.linalg.eigh(m)[1][:, -r:]
    u = top(np.einsum("pcd,ped->ce", slices, slices, optimize=True))
    v = top(np.einsum("pcd,pce->de", slices, slices, optimize=True))
    z = np.einsum("pcd,ci,dj->pij", slices, u, v, optimize=True).reshape(len(slices), -1)
    w, e = np.linalg.eigh(z.T @ z)
    space = (e[:, -k:] * np.sqrt(np.maximum(w[-k:], 0))).reshape(r, r, k)
    best = None
    for _ in range(10):
        b, c, a = (rng.standard_normal(s) for s in ((r, k), (r, k), (k, k)))
        solve = lambda rhs, x, y: np.linalg.lstsq((x.T @ x) * (y.T @ y) + 1e-9 * np.eye(k), rhs.T,
                                                  rcond=None)[0].T
        for _ in range(200):
            b = solve(np.einsum("ijl,jt,lt->it", space, c, a), c, a)
            b /= np.linalg.norm(b, axis=0)
            c = solve(np.einsum("ijl,it,lt->jt", space, b, a), b, a)
            c /= np.linalg.norm(c, axis=0)
            a = solve(np.einsum("ijl,it,jt->lt", space, b, c), b, c)
        error = np.linalg.norm(space - np.einsum("it,jt,lt->ijl", b, c, a))
        if best is None or error < best[0]:
            best = error, u @ b, v @ c
    return best[1:]


def entries(program, quick):
    n, codes, drugs, k = (3000 if quick else 10_000), 60, 40, 4
    print(f"{n} people, {codes} codes x {drugs} drugs, k = {k}: worst cosine")
    print(f"{'epsilon':>10}{'person':>12}{'noise for a person':>22}{'noise for an entry':>22}")
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        visits = pathlib.Path(place, "visits")
        sotto(program, "generate", "visits", "--people", n, "--codes", codes, "--drugs", drugs,
              "-k", k, "--out", visits)
        slices, truth = slices_of(visits / "visits.tns", (n, codes, drugs)), arrays(visits)
        norms = np.linalg.norm(slices.reshape(n, -1), axis=1)
        bound = np.median(norms)  # a gift: read off the data
        clipped = slices * np.minimum(1, bound / np.maximum(norms, 1e-9))[:, None, None]
        for epsilon in (None, 100, 20, 4, 1):
            if epsilon is None:
                row = ["", worst_cosine(factors_of_slices(slices, k, rng), truth)] * 2
                print(f"{'no noise':>10}{'':>12}{row[1]:>22.3f}{row[1]:>22.3f}", flush=True)
                continue
            mu = mu_of(epsilon, DELTA)
            noisy = lambda x, s: x + s * rng.standard_normal(x.shape)
            ours = person(program, visits, epsilon, k, pathlib.Path(place, "found"))
            for_person = worst_cosine(factors_of_slices(noisy(clipped, bound / mu), k, rng), truth)
            for_entry = worst_cosine(factors_of_slices(noisy(slices, 1 / mu), k, rng), truth)
            print(f"{epsilon:>10}{ours:>12.3f}{for_person:>22.3f}{for_entry:>22.3f}", flush=True)


def large(program):
    with tempfile.TemporaryDirectory() as place:
        visits, found = pathlib.Path(place, "visits"), pathlib.Path(place, "found")
        sotto(program, "generate", "visits", "--people", 1_000_000, "--events", 22, "--out", visits)
        made = json.loads((visits / "result.json").read_text())
        start = time.perf_counter()
        score = person(program, visits, 1, 6, found, delta=1e-7)  # below one over the people
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(f"1,000,000 people, {made['entries']} entries: {seconds:.0f} s with reading, "
              f"{memory:.2f} GB at most (making the data included), worst cosine {score:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    for flag in "--quick", "--entries", "--large":
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_args()
    if asked.large:
        large(asked.sotto)
    elif asked.entries:
        entries(asked.sotto, asked.quick)
    else:
        surface(asked.sotto, asked.quick)
