"""Small data with known truth, made anew for every test."""
import numpy as np


def corpus(documents=4000, words=20, length=12, seed=0):
    """Documents of one of two topics, the even words or the odd ones; and which."""
    rng = np.random.default_rng(seed)
    topics = np.zeros((2, words))
    topics[0, ::2] = 2 / words
    topics[1, 1::2] = 2 / words
    which = (rng.random(documents) < 0.3).astype(int)
    return np.array([rng.multinomial(length, topics[t]) for t in which]), topics, which


def texts(documents=9000):
    """The documents of a corpus. Some words are rare, so that neighbours have different ones."""
    counts = corpus(documents)[0]
    names = ["alpha", "beta", "gamma", "delta"]
    return [" ".join(f"{names[w % 4]}{w}" for w in np.repeat(np.arange(20), row)) +
            (f" rare{n // 3000}" if n % 1000 == 0 else "") for n, row in enumerate(counts)]


def points(records=20000, dim=5, seed=0, spread=0.3):
    """Points around 3 e_1, 3 e_2, 3 e_3; and their means."""
    rng = np.random.default_rng(seed)
    means = 3 * np.eye(3, dim)
    which = rng.integers(0, 3, records)
    return means[which] + spread * rng.normal(size=(records, dim)), means


def ratings(users=300, items=40, share=0.6, seed=0):
    """Places, values from 1 to 5 (liked items and tastes of rank two), and which are seen."""
    rng = np.random.default_rng(seed)
    places = np.array([(u, i) for u in range(users) for i in range(items)])
    taste, kind = rng.normal(size=(users, 2)), rng.normal(size=(items, 2))
    liked = 0.7 * rng.normal(size=items)
    values = 3 + liked[places[:, 1]] + 0.6 * (taste[places[:, 0]] * kind[places[:, 1]]).sum(axis=1)
    return places, np.clip(values, 1, 5), rng.random(len(places)) < share


def matched(found, truth):
    """The largest distance of a true row to the nearest found one."""
    return max(min(np.linalg.norm(row - other) for other in found) for row in truth)
