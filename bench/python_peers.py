"""The Python package against the libraries people would otherwise use: same data, one run.

usage: python_peers.py FOLDER_OF_THE_PACKAGE [--quick] [--kos DOCWORD] [--ratings RATINGS.csv]
       [--only PART ..]
       (an environment with numpy, scikit-learn, tensorly, tomotopy, scikit-surprise, pyarrow)

Times include conversion. Both sides take the best of a few runs where a run is short. A peer that is
not installed is left out.
"""
import argparse
import gzip
import importlib
import pathlib
import resource
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("package")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--kos")
parser.add_argument("--ratings")
parser.add_argument("--only", nargs="+", metavar="PART",
                    help="power, cp, topics, mixture, binding, ratings; or memory, a stream of 4 GB")
OPTIONS = parser.parse_args()
sys.path.insert(0, OPTIONS.package)
import sotto  # noqa: E402

warnings.filterwarnings("ignore")


def timed(work, repeats=1):
    best, value = float("inf"), None
    for _ in range(repeats):
        start = time.perf_counter()
        value = work()
        best = min(best, time.perf_counter() - start)
    return best, value


def line(what, ours, peer, name, note=""):
    print(f"  {what:<34}{ours:9.3f} s   {name} {peer:9.3f} s   {peer / ours:7.1f} x   {note}",
          flush=True)


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"  ({name} is not installed)")
        return None


def power():
    if installed("tensorly") is None:
        return
    from tensorly.decomposition import symmetric_parafac_power_iteration
    d = 60 if OPTIONS.quick else 200
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(d, 5)))[0]
    T = np.einsum("r,ir,jr,kr->ijk", np.arange(5, 0, -1.0), basis, basis, basis)
    ours, found = timed(lambda: sotto.symmetric_power(T, 5, n_starts=10, max_iter=10), 3)
    peer, _ = timed(lambda: symmetric_parafac_power_iteration(T, 5, n_repeat=10, n_iteration=10))
    error = np.abs(found.weights - np.arange(5, 0, -1.0)).max()
    line(f"symmetric power, d = {d}", ours, peer, "TensorLy", f"error of a weight {error:.0e}")


def joint():
    if installed("tensorly") is None:
        return
    from tensorly.decomposition import parafac
    rng = np.random.default_rng(0)
    d = 60 if OPTIONS.quick else 200
    X = sotto.CPTensor(np.ones(10), [rng.random((d, 10)) for _ in range(3)]).full()
    X += 0.1 * X.std() * rng.normal(size=X.shape)

    def fit(weights, factors):
        full = sotto.CPTensor(np.asarray(weights), [np.asarray(f) for f in factors]).full()
        return 1 - np.linalg.norm(X - full) / np.linalg.norm(X)

    peer, other = timed(lambda: parafac(X, 10, n_iter_max=20, init="random", random_state=0, tol=0),
                        2)
    for starts, name in ((1, "one start"), (None, "all defaults")):
        ours, found = timed(lambda: sotto.cp(X, 10, n_starts=starts,
                                             max_iter=20 if starts else None), 5)
        line(f"cp, {d}^3, rank 10, {name}", ours, peer, "TensorLy",
             f"fit {fit(*found):.5f}, {fit(*other):.5f}")


def kos():
    if OPTIONS.kos:
        opened = gzip.open if OPTIONS.kos.endswith(".gz") else open
        with opened(OPTIONS.kos, "rt") as file:
            documents, words, _ = (int(next(file)) for _ in range(3))
            d, w, n = np.loadtxt(file, dtype=int).T
        return sp.csr_matrix((n, (d - 1, w - 1)), shape=(documents, words))
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(3000, 0.05), size=10)
    proportions = rng.dirichlet(np.full(10, 0.1), size=3000)
    return sp.csr_matrix(np.array([rng.multinomial(130, p @ topics) for p in proportions]))


def corpora():
    X = kos()
    held, train = X[::10], X[np.arange(X.shape[0]) % 10 != 0]
    k = 20

    def perplexity(components, alpha):
        judge = sotto.TopicModel(k)
        judge.components_ = np.ascontiguousarray(components)
        judge.alpha_ = np.ascontiguousarray(alpha, dtype=float)
        judge.vocabulary_, judge.n_features_in_ = [], components.shape[1]
        return judge.perplexity(held)

    ours, model = timed(lambda: sotto.TopicModel(k, random_state=0).fit(train), 3)
    goal = perplexity(model.components_, model.alpha_)
    from sklearn.decomposition import LatentDirichletAllocation
    for steps in (5, 20):
        peer, other = timed(lambda: LatentDirichletAllocation(
            k, max_iter=steps, n_jobs=-1, random_state=0).fit(train))
        topics = other.components_ / other.components_.sum(axis=1, keepdims=True)
        reached = perplexity(topics, np.full(k, 1 / k))
        if reached <= goal:
            break
    line(f"topics, {train.shape[0]} documents", ours, peer, "scikit-learn",
         f"perplexity {goal:.0f}, {reached:.0f} after {steps} passes")
    tp = installed("tomotopy")
    if tp is None:
        return
    lists = [[str(w) for w, n in zip(row.indices, row.data) for _ in range(int(n))]
             for row in train]

    def gibbs():
        lda = tp.LDAModel(k=k, seed=0)
        for document in lists:
            lda.add_doc(document)
        lda.train(100)
        return lda

    peer, lda = timed(gibbs)
    topics = np.full((k, X.shape[1]), 1e-12)
    words = np.array([int(w) for w in lda.used_vocabs])
    for t in range(k):
        topics[t, words] = lda.get_topic_word_dist(t)
    reached = perplexity(topics / topics.sum(axis=1, keepdims=True), lda.alpha)
    line("", ours, peer, "tomotopy", f"perplexity {goal:.0f}, {reached:.0f} after 100 passes")


def points():
    """Points of eight Gaussians."""
    rng = np.random.default_rng(0)
    records = 100_000 if OPTIONS.quick else 1_000_000
    means = rng.normal(size=(8, 50)) * 0.7
    return means[rng.integers(0, 8, records)] + rng.normal(size=(records, 50))


def mixtures():
    from sklearn.mixture import GaussianMixture
    X = points()
    ours, model = timed(lambda: sotto.GaussianMixture(8, covariance_type="spherical",
                                                      random_state=0).fit(X), 3)
    peer, other = timed(lambda: GaussianMixture(8, covariance_type="spherical",
                                                random_state=0).fit(X))
    line(f"mixture, {len(X)} x 50, k = 8", ours, peer, "scikit-learn",
         f"log-likelihood {model.score(X[:100000]):.4f}, {other.score(X[:100000]):.4f}")


def binding():
    """The share of a fit's time that is spent outside of the library."""
    X = points()
    privacy = dict(epsilon=1, delta=1e-7, unit="record")

    run = sotto._core.run_mixture
    inside = 0.0

    def watched(*arguments):
        nonlocal inside
        inside, found = timed(lambda: run(*arguments))
        return found

    def overhead(**options):
        seconds, _ = timed(lambda: sotto.GaussianMixture(8, random_state=0, **options).fit(X))
        return (seconds - inside) / inside

    sotto._core.run_mixture = watched
    public = min(overhead() for _ in range(5))
    private = min(overhead(privacy=sotto.Privacy(**privacy), max_norm=15) for _ in range(5))
    sotto._core.run_mixture = run
    print(f"  outside of the library at {len(X)} x 50: public {public:.1%}, private {private:.1%}")


def completion():
    if not OPTIONS.ratings:
        return
    surprise = installed("surprise")
    if surprise is None:
        return
    import pandas as pd
    table = pd.read_csv(OPTIONS.ratings)
    train = np.random.default_rng(0).random(len(table)) < 0.9
    names = list(table.columns[:2])

    def ours():
        return sotto.TensorCompletion(8, range=(0.5, 5), random_state=0).fit(
            table[train][names], table[train].iloc[:, 2])

    seconds, model = timed(ours, 3)
    rmse = model.rmse(table[~train][names], table[~train].iloc[:, 2])
    from surprise import SVD, Dataset, Reader
    reader = Reader(rating_scale=(0.5, 5))

    def theirs():
        data = Dataset.load_from_df(table[train].iloc[:, :3], reader)
        return SVD(random_state=0).fit(data.build_full_trainset())

    peer, other = timed(theirs)
    guess = [other.predict(u, i).est for u, i in table[~train][names].itertuples(index=False)]
    error = float(np.sqrt(np.mean((np.array(guess) - table[~train].iloc[:, 2]) ** 2)))
    line(f"ratings, {train.sum()}", seconds, peer, "Surprise SVD", f"rmse {rmse:.4f}, {error:.4f}")


def memory():
    """10^7 x 100 float32 through a Parquet file, which is never in memory as a whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    rows, group = (10 ** 6 if OPTIONS.quick else 10 ** 7), 50_000
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "points.parquet"
        schema = pa.schema([(f"x{j}", pa.float32()) for j in range(100)])
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            for _ in range(rows // group):
                block = rng.random((100, group), dtype=np.float32)
                writer.write_table(pa.table(list(block), schema=schema))
        del block
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds, _ = timed(lambda: sotto.StreamDecomposition(3, random_state=0).fit(
            pq.ParquetFile(path, memory_map=False)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  {rows} x 100 float32 from Parquet ({path.stat().st_size / 1e9:.1f} GB): "
              f"{seconds:.1f} s, at most {peak:.0f} MB ({before:.0f} MB before)")


PARTS = {"power": power, "cp": joint, "topics": corpora, "mixture": mixtures, "binding": binding,
         "ratings": completion}

print("Python, against its peers")
for part in OPTIONS.only or PARTS:
    {**PARTS, "memory": memory}[part]()
