#!/usr/bin/env python3
"""Topics of documents in Spark: sotto against pyspark.ml.clustering.LDA (online), same executors.

  engines.py FOLDER [--documents 2000000] [--partitions 40] [-k 20] [--run sotto,lda,kill,check]

FOLDER keeps the documents and what was found, so that the runs may be made one by one:
  sotto  TopicModel.fit() of the column of texts, counting of words included
  lda    LDA.fit() of counts of words that are in Spark's cache, counting not included;
         --iterations 20,40: as many steps, each on --share of the documents; --times 5: and
         then as many as take 5 times the wall time of sotto, judged by the run before
  kill   as sotto, while an executor is killed after a few questions
  check  the command line on the same files, one process with as many threads as there are executors
Times have no start of Spark: of the wall, and of the processor in the driver, the executors and their
workers, which others on the same machine change less. Both are judged by the same rule on documents that none of them
saw: half of the words of each are given and the other half is predicted (topics_peer.py).

Needs the environment of `make test-engines`, with the package in PYTHONPATH.
"""
import argparse
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp
from topics_peer import halves, perplexity

WORDS, LENGTH, HELD_OUT = 5000, 30, 10000


def topics_of_data(k):
    """Few words have most of a topic."""
    return np.random.default_rng(0).dirichlet(np.full(WORDS, 0.05), k)


def draw(topics, documents, seed):
    """Rows of numbers of words: every token has a topic of its document's own mixture."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(topics), 1 / len(topics)), documents).cumsum(axis=1)
    token = rng.random((documents, LENGTH))
    which = (token[:, :, None] > shares[:, None, :]).sum(axis=2).clip(max=len(topics) - 1)
    words = np.empty((documents, LENGTH), dtype=np.int64)
    for t, law in enumerate(topics.cumsum(axis=1)):
        here = which == t
        words[here] = np.searchsorted(law, rng.random(here.sum())).clip(max=WORDS - 1)
    return words


def write_data(folder, options):
    """One file of texts a partition. All have the same number of documents."""
    folder.mkdir(parents=True, exist_ok=True)
    topics = topics_of_data(options.k)
    names = np.array([f"w{w}" for w in range(WORDS)])
    for number in range(options.partitions):
        path = folder / f"part-{number:03}.txt"
        if path.exists():
            continue
        rows = draw(topics, options.documents // options.partitions, number + 1)
        path.with_suffix(".new").write_text("".join(" ".join(row) + "\n" for row in names[rows]))
        path.with_suffix(".new").rename(path)


def judge(topics, alpha, vocabulary, k):
    """The perplexity of documents that no run has seen; `topics` has a row a topic."""
    place = {name: n for n, name in enumerate(vocabulary)}
    known = np.zeros((WORDS, k))
    for w in range(WORDS):
        if f"w{w}" in place:
            known[w] = topics[:, place[f"w{w}"]]
    rows = draw(topics_of_data(k), HELD_OUT, 10**6)
    counts = sp.csr_matrix((np.ones(rows.size), (np.repeat(np.arange(HELD_OUT), LENGTH), rows.ravel())),
                           shape=(HELD_OUT, WORDS))
    counts.sum_duplicates()
    return perplexity(*halves(counts), known, np.asarray(alpha))


def session(options):
    import pyspark
    from pyspark.sql import SparkSession
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["SPARK_WORKER_DIR"] = str(options.folder / "executors")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    found = (SparkSession.builder.master(f"local-cluster[{options.executors},1,{options.memory}]")
             .config("spark.executor.memory", f"{options.memory}m")
             .config("spark.driver.memory", "2g")
             .config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false")
             .config("spark.sql.files.openCostInBytes", str(2**30))  # a partition for each file
             .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
             .getOrCreate())
    found.sparkContext.setLogLevel("ERROR")
    return found


def processor_seconds():
    """Of this process and all that descend from it; nothing of an executor that was killed."""
    parents, used = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        used[int(folder.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    def is_ours(process):
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()
    return sum(seconds for process, seconds in used.items() if is_ours(process))


class Clock:
    def __init__(self):
        self.wall, self.processor = time.perf_counter(), processor_seconds()

    def seconds(self):
        """Of the wall, and of processors."""
        return time.perf_counter() - self.wall, processor_seconds() - self.processor


def texts(spark, data):
    return spark.read.text([str(path) for path in sorted(data.glob("part-*.txt"))])


def files_in_order(spark, data):
    from pyspark.sql import functions as F
    rows = (texts(spark, data).select(F.spark_partition_id().alias("part"),
                                      F.input_file_name().alias("file")).distinct().collect())
    return [row.file.removeprefix("file://") for row in sorted(rows, key=lambda row: row.part)]


def fit_sotto(spark, data, options, killing=False):
    import sotto
    from sotto._spark import SparkEngine
    ask, asked = SparkEngine.ask, []

    def watched(engine, answer):
        asked.append(time.perf_counter())
        if killing and len(asked) == 4:
            sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "engine_tests"))
            from test_spark import executors
            os.kill(executors()[0], signal.SIGKILL)
        return ask(engine, answer)

    SparkEngine.ask = watched
    clock = Clock()
    model = sotto.TopicModel(options.k, random_state=0).fit(texts(spark, data), column="value")
    seconds = clock.seconds()
    print(f"  {len(asked)} questions, the first after {asked[0] - clock.wall:.1f} s", flush=True)
    return model.components_, model.alpha_, model.vocabulary_, seconds


def counted(spark, data):
    from pyspark.ml.feature import CountVectorizer
    from pyspark.sql import functions as F
    words = texts(spark, data).select(F.split("value", " ").alias("words"))
    model = CountVectorizer(inputCol="words", outputCol="features", vocabSize=WORDS).fit(words)
    rows = model.transform(words).select("features").persist()
    rows.count()
    return rows, model.vocabulary


def fit_lda(rows, vocabulary, iterations, options):
    from pyspark.ml.clustering import LDA
    clock = Clock()
    model = LDA(k=options.k, optimizer="online", maxIter=iterations, subsamplingRate=options.share,
                seed=0).fit(rows)
    seconds = clock.seconds()
    return (model.topicsMatrix().toArray().T, np.asarray(model.estimatedDocConcentration().toArray()),
            vocabulary, seconds)


def command_line(spark, data, options):
    out = options.folder / "command-line"
    files = files_in_order(spark, data)
    spark.stop()
    clock = Clock()
    subprocess.run([sys.executable, "-m", "sotto._cli", "topics", *files, "-k", str(options.k),
                    "--format", "text", "--threads", str(options.executors), "--force", "--out", out],
                   check=True, stdout=subprocess.DEVNULL)
    seconds = clock.seconds()
    names = (out / "vocab.txt").read_text().split()
    return np.load(out / "topics.npy").T, np.load(out / "weights.npy"), names, seconds


def keep(name, found, options):
    topics, alpha, vocabulary, seconds = found
    score = judge(topics / topics.sum(axis=1, keepdims=True), alpha, vocabulary, options.k)
    np.savez(options.folder / f"found-{name}.npz", topics=topics, alpha=alpha, vocabulary=vocabulary,
             seconds=seconds, score=score)
    print(f"  {name}: perplexity {score:.2f}, {seconds[0]:.1f} s, of processors {seconds[1]:.1f} s",
          flush=True)


def summary(options):
    found = {path.stem.removeprefix("found-"): np.load(path)
             for path in sorted(options.folder.glob("found-*.npz"))}
    truth = topics_of_data(options.k)
    score = judge(truth, np.full(options.k, 1 / options.k), [f"w{w}" for w in range(WORDS)], options.k)
    print(f"{'':<14}{'perplexity':>12}{'wall s':>10}{'x sotto':>10}{'cpu s':>10}{'x sotto':>10}")
    print(f"{'the truth':<14}{score:>12.2f}")
    for name, one in found.items():
        line = f"{name:<14}{one['score']:>12.2f}"
        for n, seconds in enumerate(one["seconds"]):
            ratio = f"{seconds / found['sotto']['seconds'][n]:.1f}" if "sotto" in found else ""
            line += f"{seconds:>10.1f}{ratio:>10}"
        print(line)
    for name in {"kill", "check"} & set(found) if "sotto" in found else []:
        same = (np.array_equal(found[name]["topics"], found["sotto"]["topics"])
                and np.array_equal(found[name]["vocabulary"], found["sotto"]["vocabulary"]))
        print(f"{name} has the topics of sotto to the last bit: {'yes' if same else 'NO'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--documents", type=int, default=2000000)
    parser.add_argument("--partitions", type=int, default=40)
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--executors", type=int, default=2)
    parser.add_argument("--memory", type=int, default=2048, help="of an executor, MB")
    parser.add_argument("--run", default="sotto,lda,kill,check")
    parser.add_argument("--iterations", default="20", help="of LDA, a list")
    parser.add_argument("--times", type=float, default=0)
    parser.add_argument("--share", type=float, default=0.05, help="of the documents in a step of LDA")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    data = options.folder / "data"
    write_data(data, options)
    for run in filter(None, options.run.split(",")):
        spark = session(options)
        print(f"{run}: {options.documents} documents, {options.partitions} partitions", flush=True)
        if run in ("sotto", "kill"):
            keep(run, fit_sotto(spark, data, options, run == "kill"), options)
        elif run == "check":
            keep(run, command_line(spark, data, options), options)
        else:
            rows, vocabulary = counted(spark, data)
            for iterations in map(int, options.iterations.split(",")):
                found = fit_lda(rows, vocabulary, iterations, options)
                keep(f"lda-{iterations}", found, options)
            if options.times > 0:
                enough = options.times * np.load(options.folder / "found-sotto.npz")["seconds"][0]
                iterations = math.ceil(iterations * enough / found[-1][0])
                keep(f"lda-{iterations}", fit_lda(rows, vocabulary, iterations, options), options)
        spark.stop()
    summary(options)


if __name__ == "__main__":
    main()
