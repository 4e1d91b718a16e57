"""Prints numbers of public fits, which must not depend on the module that computes them; run by
test_wheel.py in its environment.
"""
import json
import sys

import numpy as np

import sotto

THEMES = ["ship harbour sail wind anchor captain", "flour oven bread yeast butter sugar",
          "goal match referee stadium team score", "theorem proof lemma algebra prime field"]


def texts(number):
    rng = np.random.default_rng(0)
    themes = [theme.split() for theme in THEMES]
    return [" ".join(rng.choice(themes[i % len(themes)], size=20)) for i in range(number)]


def results():
    rng = np.random.default_rng(0)
    directions = np.linalg.qr(rng.normal(size=(30, 3)))[0]
    power = sotto.symmetric_power(
        sotto.CPTensor(np.array([3., 2., 1.]), [directions] * 3).full(), rank=3)
    factors = [rng.random((size, 3)) for size in (20, 25, 30)]
    cp = sotto.CPDecomposition(3, random_state=0).fit(sotto.CPTensor(np.ones(3), factors).full())
    centres = 5 * np.eye(3, 10)
    points = centres[rng.integers(3, size=5000)] + rng.normal(size=(5000, 10))
    mixture = sotto.GaussianMixture(3, random_state=0).fit(points)
    model = sotto.TopicModel(4, model="single", random_state=0).fit(texts(2000))
    return {
        "module": sotto._load.core.__name__,
        "power": power.weights.tolist() + np.abs(power.factors[0]).ravel().tolist(),
        "cp": sotto.CPTensor(cp.weights_, cp.factors_).full().ravel().tolist(),
        "mixture": mixture.means_.ravel().tolist() + mixture.weights_.tolist(),
        "topics": model.components_.ravel().tolist(),
    }


if __name__ == "__main__":
    json.dump(results(), sys.stdout)
