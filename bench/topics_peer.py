#!/usr/bin/env python3
"""Topic models side by side: sotto, scikit-learn, tomotopy and gensim on one corpus, in one run.

usage: topics_peer.py SOTTO CORPUS [--vocab FILE] [-k K] [--out FOLDER]

Every tenth document is held out. All models see the rest, and the same rule judges all of them:
proportions are inferred from one half of the tokens of a held-out document (dealt alternately), and
the other half is predicted. Times are processor time of one thread each: of fitting alone, and for
sotto of the whole command, reading included.
CORPUS: UCI docword (plain or gzip) or text, one document a line, words between blanks.
"""
import argparse
import gzip
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse as sp


def load(path, vocab):
    opener = gzip.open if str(path).endswith(".gz") else open
    words = pathlib.Path(vocab).read_text().split() if vocab else None
    with opener(path, "rt") as file:
        head = file.readline().strip()
        if head.isdigit():
            documents, size, _ = int(head), int(file.readline()), int(file.readline())
            entries = np.loadtxt(file, dtype=np.int64)
            counts = sp.csr_matrix((entries[:, 2].astype(float), (entries[:, 0] - 1, entries[:, 1] - 1)),
                                   shape=(documents, size))
            return counts, words
        lines = [head.split()] + [line.split() for line in file]
    if words is None:
        words = sorted({word for line in lines for word in line})
    number = {word: i for i, word in enumerate(words)}
    rows = [n for n, line in enumerate(lines) for word in line if word in number]
    columns = [number[word] for line in lines for word in line if word in number]
    counts = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(lines), len(words)))
    counts.sum_duplicates()
    return counts, words


def write_docword(counts, path):
    entries = counts.tocoo()
    order = np.lexsort((entries.col, entries.row))
    with open(path, "w") as file:
        file.write(f"{counts.shape[0]}\n{counts.shape[1]}\n{counts.nnz}\n")
        np.savetxt(file, np.column_stack([entries.row[order] + 1, entries.col[order] + 1,
                                          entries.data[order].astype(int)]), fmt="%d")


def halves(counts):
    seen = counts.copy()
    for n in range(counts.shape[0]):
        dealt = 0
        for e in range(counts.indptr[n], counts.indptr[n + 1]):
            c = counts.data[e]
            seen.data[e] = (c + (dealt % 2 == 0)) // 2
            dealt += c
    hidden = counts - seen
    for half in seen, hidden:
        half.eliminate_zeros()
    return seen.tocsr(), hidden.tocsr()


def perplexity(seen, hidden, topics, alpha, rounds=50):
    """Predicts the words of `hidden` with variational proportions from `seen`; topics V x k."""
    from scipy.special import psi
    v = topics.shape[0]
    topics = (1 - 1e-6) * topics / topics.sum(0) + 1e-6 / v
    k = topics.shape[1]
    rows = np.repeat(np.arange(seen.shape[0]), np.diff(seen.indptr))
    gather = sp.csr_matrix((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(seen.shape[0], len(rows)))
    parameters = alpha + np.asarray(seen.sum(1)) / k
    at_words = topics[seen.indices]
    for _ in range(rounds):
        phi = np.exp(psi(parameters))[rows] * at_words
        phi *= (seen.data / phi.sum(1))[:, None]
        parameters = alpha + gather @ phi
    proportions = parameters / parameters.sum(1, keepdims=True)
    rows = np.repeat(np.arange(hidden.shape[0]), np.diff(hidden.indptr))
    p = (proportions[rows] * topics[hidden.indices]).sum(1)
    return float(np.exp(-(hidden.data * np.log(p)).sum() / hidden.data.sum()))


def npmi(counts, topics, top=10):
    present = (counts > 0).astype(float).tocsc()
    n = present.shape[0]
    values = []
    for t in range(topics.shape[1]):
        words = np.argsort(-topics[:, t], kind="stable")[:top]
        some = present[:, words]
        together = (some.T @ some).toarray() / n
        single = np.diag(together)
        for i in range(top):
            for j in range(i):
                both = together[i, j]
                values.append(-1 if both == 0 else np.log(both / (single[i] * single[j])) / -np.log(both))
    return float(np.mean(values))


def fit_sotto(program, counts, k, folder):
    write_docword(counts, folder / "train.txt")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "topics", folder / "train.txt", "-k", str(k), "--threads", "1", "--out",
                    folder / "fit"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return np.load(folder / "fit" / "topics.npy"), np.load(folder / "fit" / "weights.npy"), seconds


def fit_sklearn(counts, k):
    from sklearn.decomposition import LatentDirichletAllocation
    start = time.process_time()
    model = LatentDirichletAllocation(k, max_iter=20, learning_method="batch", random_state=0).fit(counts)
    seconds = time.process_time() - start
    return (model.components_ / model.components_.sum(1, keepdims=True)).T, np.full(k, 1 / k), seconds


def fit_tomotopy(counts, k, iterations=200):
    import tomotopy
    model = tomotopy.LDAModel(k=k, seed=0)
    for n in range(counts.shape[0]):
        row = slice(counts.indptr[n], counts.indptr[n + 1])
        model.add_doc([str(w) for w, c in zip(counts.indices[row], counts.data[row]) for _ in range(int(c))])
    start = time.process_time()
    model.train(iterations, workers=1)
    seconds = time.process_time() - start
    order = [int(w) for w in model.used_vocabs]
    topics = np.zeros((counts.shape[1], k))
    for t in range(k):
        topics[order, t] = model.get_topic_word_dist(t)
    return topics, np.asarray(model.alpha), seconds


def fit_gensim(counts, k):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel
    corpus = [[(int(w), float(c)) for w, c in document] for document in
              Sparse2Corpus(counts, documents_columns=False)]
    names = {i: str(i) for i in range(counts.shape[1])}
    start = time.process_time()
    model = LdaModel(corpus, k, id2word=names, passes=20, random_state=0)
    seconds = time.process_time() - start
    return model.get_topics().T, np.asarray(model.alpha), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--vocab")
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--peers", default="sklearn,tomotopy,gensim")
    arguments = parser.parse_args()
    counts, _ = load(arguments.corpus, arguments.vocab)
    held_out = np.arange(counts.shape[0]) % 10 == 9
    train = counts[~held_out]
    seen, hidden = halves(counts[held_out])
    unigram = np.asarray(train.sum(0)).ravel() + 1e-3
    unigram /= unigram.sum()
    floor = float(np.exp(-(hidden @ np.log(unigram)).sum() / hidden.sum()))
    print(f"{arguments.corpus.name}: {train.shape[0]} documents, {train.shape[1]} words, k = {arguments.k}; "
          f"words by their frequency alone: {floor:.1f}")
    fits = {}
    with tempfile.TemporaryDirectory() as folder:
        fits["sotto"] = fit_sotto(arguments.sotto, train, arguments.k, pathlib.Path(folder))
    for name in arguments.peers.split(","):
        fits[name] = globals()["fit_" + name](train, arguments.k)
    ours = fits["sotto"][2]
    print(f"  {'':<10}{'perplexity':>12}{'NPMI':>9}{'seconds':>10}{'x sotto':>10}")
    for name, (topics, alpha, seconds) in fits.items():
        score = perplexity(seen, hidden, topics, alpha)
        print(f"  {name:<10}{score:>12.1f}{npmi(counts, topics):>9.3f}{seconds:>10.2f}{seconds / ours:>10.1f}",
              flush=True)


if __name__ == "__main__":
    main()
