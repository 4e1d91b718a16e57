#!/usr/bin/env python3
"""What `--plan` predicts against what a run then shows: the table and picture of docs/planning.md.

usage: forecasts.py SOTTO [--trials N] [--only COMMAND,..] [--movielens RATINGS.CSV] [--dblp FOLDER]
                    [--kos FOLDER] [--svg FILE]
       forecasts.py --table docs/planning.md --svg docs/planning.svg   draws the table that is there

decompose: the weight from which on components are recovered. Tensors with two components of equal
weight are generated at multiples of the forecast; observed is the weight at which half of N runs
(6) find both (cosine at least 0.8), interpolated between logarithms. stream: the same for points
(cosine at least 0.9). decompose, people: the epsilon at which half of N runs find the factors of
all modes (cosine at least 0.9). mixture: the error of a mean in deviations of its component, median
of N runs. complete, unit rating: the error over the standard deviation of the ratings, mean of two
draws of noise. topics: the epsilon from which on a run tells topics apart half as well as one
without privacy, by the agreement (normalised mutual information) of the main topics of other
documents with those that a run without privacy on further documents finds, or with labels; mean of
two draws. Generated topics share few, some or many words; --dblp and --kos name folders with
corpus.txt, vocabulary.txt and labels.txt, and with docword.kos.txt.gz and vocab.kos.txt. Prints one
line a cell, and in how many of them the truth lies within a factor of 1.5, for each command and for
all.
"""
import argparse
import array
import ast
import collections
import gzip
import json
import math
import pathlib
import random
import statistics
import struct
import subprocess
import tempfile

FACTORS = 0.35, 0.5, 0.71, 1.0, 1.41, 2.0, 2.8
WITHIN = 1.5


def sotto_json(program, *arguments):
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: ended without converging
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def read_npy(path):
    """The columns of a matrix of doubles."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    rows, columns = head["shape"]
    values = struct.unpack(f"<{rows * columns}d", data[10 + length:])
    if head["fortran_order"]:
        return [values[c * rows:(c + 1) * rows] for c in range(columns)]
    return [values[c::columns] for c in range(columns)]


def write_npy(path, rows, columns, values):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += " " * (-(11 + len(head)) % 64) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                                   head.encode() + values.tobytes())


def generate(program, *arguments):
    subprocess.run([program, "generate", *map(str, arguments)], check=True, capture_output=True)


def run_found(program, folder, *arguments):
    """The folder of the result of a run on one thread."""
    out = folder / "found"
    done = subprocess.run([program, *map(str, arguments), "--threads", "1", "--out", out, "--force"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return out


def found_all(out, truth, least, file="vectors.npy"):
    """Whether every true vector has one that was found with at least this cosine."""
    seen = read_npy(out / file)
    cosine = lambda v, w: abs(sum(a * b for a, b in zip(v, w))) / (
        math.hypot(*v) * math.hypot(*w) or 1)
    return all(max(cosine(v, w) for w in seen) >= least for v in truth)


# ---- decompose ----

def recovers(program, folder, dim, order, epsilon, weight, seed):
    made, found = folder / "made", folder / "found"
    subprocess.run([program, "generate", "tensor", "-d", str(dim), "-k", "2", "-p", str(order),
                    "--weights", f"{weight},{weight}", "--seed", str(seed), "--out", made, "--force"],
                   check=True, capture_output=True)
    done = subprocess.run(
        [program, "decompose", made / "tensor.npy", "-k", "2", "--epsilon", str(epsilon), "--delta",
         "1e-6", "--anyway", "--insecure-seed", str(seed), "--threads", "1", "--out", found,
         "--force"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    truth, seen = read_npy(made / "vectors.npy"), read_npy(found / "vectors.npy")
    return all(max(abs(sum(a * b for a, b in zip(v, w))) for w in seen) >= 0.8 for v in truth)


def crossing(predicted, share_at):
    """Where the share of good runs, share_at(value), passes one half: predicted times a factor of
    FACTORS, interpolated between logarithms."""
    before, share_before = None, 0.0
    for factor in FACTORS:
        share = share_at(factor * predicted)
        if share >= 0.5:
            if before is None or share == share_before:
                return factor * predicted
            part = (0.5 - share_before) / (share - share_before)
            return predicted * math.exp(
                math.log(before) + part * (math.log(factor) - math.log(before)))
        before, share_before = factor, share
    return FACTORS[-1] * predicted


def decompose_cell(program, folder, dim, order, epsilon, trials):
    made = folder / "made"
    subprocess.run([program, "generate", "tensor", "-d", str(dim), "-k", "2", "-p", str(order),
                    "--out", made, "--force"], check=True, capture_output=True)
    plan = sotto_json(program, "decompose", made / "tensor.npy", "-k", 2, "--epsilon", epsilon,
                      "--delta", "1e-6", "--plan")
    predicted = plan["forecasts"]["weight"]
    return predicted, crossing(predicted, lambda weight: statistics.fmean(
        recovers(program, folder, dim, order, epsilon, weight, seed) for seed in range(trials)))


def add_decompose(program, folder, trials, add):
    for dim, order in ((10, 3), (20, 3), (40, 3), (12, 4)):
        for epsilon in (0.5, 4):
            add(f"decompose, d {dim}, order {order}, epsilon {epsilon}",
                decompose_cell(program, folder, dim, order, epsilon, trials))


# ---- stream ----

LONGEST = 1.7  # norms of the generated points are below this


def stream_cell(program, folder, shape, epsilon, trials):
    """Points on the axes of `components` components of third or fourth moment `weight`. The forecast
    is in units of max-norm^p, so the bound on the norm sets how strong they are."""
    dim, components, order, records = shape
    made = folder / ("points" + "-".join(map(str, (dim, components, records))))
    if not made.exists():
        generate(program, "points", "-d", dim, "-k", components, "-n", records, "--weights",
                 ",".join(["1"] * components), "--centred", "--noise", 0.1, "--out", made)
    # E c^p of the generated points, c = cbrt(4) with probability 1/3 and -cbrt(4)/2 otherwise
    weight = 4 ** (order / 3) * (1 / 3 + 2 / 3 * (-0.5) ** order) / components
    options = ("-k", components, "-p", order, "--epsilon", epsilon, "--delta", "1e-6")
    plan = sotto_json(program, "stream", made / "points.npy", *options, "--max-norm", LONGEST,
                      "--plan")
    predicted = plan["forecasts"]["weight"]
    truth = read_npy(made / "vectors.npy")

    def share(relative):
        bound = (weight / relative) ** (1 / order)
        if bound < LONGEST:
            raise RuntimeError(f"stream, {shape}, epsilon {epsilon}: too few records for this weight")
        return statistics.fmean(
            found_all(run_found(program, folder, "stream", made / "points.npy", *options,
                                "--max-norm", bound, "--insecure-seed", seed + round(100 * epsilon)),
                      truth, 0.9)
            for seed in range(trials))

    return predicted, crossing(predicted, share)


def add_streams(program, folder, trials, add):
    for shape in ((10, 2, 3, 50000), (30, 2, 3, 100000), (40, 4, 3, 200000), (80, 6, 3, 400000),
                  (60, 3, 3, 200000), (20, 5, 4, 200000)):
        for epsilon in (1, 4):
            add("stream, d {}, k {}, order {}, {} records, epsilon {}".format(*shape, epsilon),
                stream_cell(program, folder, shape, epsilon, trials))


# ---- decompose, people ----

def people_cell(program, folder, shape, trials):
    """The epsilon from which on the factors of all modes are found: worst cosine at least 0.9."""
    people, codes, drugs, components = shape
    made = folder / ("visits" + "-".join(map(str, shape)))
    generate(program, "visits", "--people", people, "--codes", codes, "--drugs", drugs, "-k",
             components, "--out", made)
    options = (made / "visits.tns", "--unit", "person", "-k", components, "--delta", "1e-6")
    plan = sotto_json(program, "decompose", *options, "--epsilon", 1, "--plan")
    predicted = plan["forecasts"]["epsilon"]
    truth = [read_npy(made / f"factors_{mode}.npy") for mode in (1, 2)]

    def good(epsilon, seed):
        found = run_found(program, folder, "decompose", *options, "--epsilon", epsilon,
                          "--insecure-seed", seed)
        return all(found_all(found, true, 0.9, f"factors_{mode}.npy")
                   for mode, true in enumerate(truth, 1))

    return predicted, crossing(predicted, lambda epsilon: statistics.fmean(
        good(epsilon, seed) for seed in range(trials)))


def add_people(program, folder, trials, add):
    for shape in ((3000, 100, 50, 3), (3000, 500, 200, 3), (10000, 100, 50, 6),
                  (10000, 500, 200, 3), (10000, 500, 200, 6), (10000, 2000, 500, 4),
                  (6000, 300, 100, 4), (20000, 1000, 60, 8), (15000, 800, 40, 5),
                  (5000, 150, 150, 5)):
        add("people, {} with {} codes, {} drugs, k {}: from epsilon".format(*shape),
            people_cell(program, folder, shape, trials))


# ---- mixture ----

def mixture_points(shape, seed):
    """Spherical Gaussians of deviation 1 whose means are at least `apart` from each other, and the
    means."""
    dim, components, records, apart = shape
    draw = random.Random(seed)
    radius = apart * components ** (1 / dim)
    means = []
    while len(means) < components:
        mean = [draw.gauss(0, radius / math.sqrt(dim)) for _ in range(dim)]
        if all(math.dist(mean, other) >= apart for other in means):
            means.append(mean)
    points = array.array("d")
    for record in range(records):
        points.extend(draw.gauss(x, 1) for x in means[record % components])
    return means, points


def mixture_cell(program, folder, shape, kind, epsilon, trials):
    """The error of a mean in deviations of its component: the median of the runs, of its root mean
    square over components."""
    dim, components, records, _ = shape
    errors = []
    for seed in range(trials):
        means, points = mixture_points(shape, seed)
        write_npy(folder / "mixture.npy", records, dim, points)
        bound = 1.01 * max(math.hypot(*points[r * dim:(r + 1) * dim]) for r in range(records))
        options = (folder / "mixture.npy", "-k", components, "--covariance", kind, "--epsilon",
                   epsilon, "--delta", "1e-6", "--max-norm", bound)
        predicted = sotto_json(program, "mixture", *options, "--plan")["forecasts"]["mean_error"]
        found = read_npy(run_found(program, folder, "mixture", *options, "--insecure-seed", seed)
                         / "means.npy")
        errors.append(math.sqrt(statistics.fmean(
            min(math.dist(mean, other) for other in found) ** 2 for mean in means)))
    return predicted, statistics.median(errors)


def add_mixtures(program, folder, trials, add):
    for shape, kind in (((20, 3, 10000, 10), "common"), ((8, 5, 20000, 10), "common"),
                        ((2, 3, 5000, 10), "spherical"), ((2, 5, 10000, 10), "full"),
                        ((6, 3, 20000, 10), "diagonal"), ((4, 4, 20000, 10), "full")):
        for epsilon in (0.2, 2):
            add("mixture, d {}, k {}, {} records, {}, epsilon {}".format(*shape[:3], kind, epsilon),
                mixture_cell(program, folder, shape, kind, epsilon, trials))


# ---- complete ----

def completion_cell(program, folder, shape, epsilon):
    users, items, ratings = shape
    out = folder / f"ratings{users}"
    if not out.exists():
        subprocess.run([program, "generate", "ratings", "--users", str(users), "--items", str(items),
                        "--rank", "3", "-n", str(ratings), "--out", out], check=True,
                       capture_output=True)
    return complete(program, out / "ratings.csv", out / "test.csv", "-2:9", epsilon)


def complete(program, train, test, bounds, epsilon):
    head, *lines = pathlib.Path(test).read_text().splitlines()
    names = head.split(",")
    column = next(i for i, name in enumerate(names) if name in ("rating", "value"))
    deviation = statistics.pstdev(float(line.split(",")[column]) for line in lines)
    options = ("--rank", 4, "--range", bounds, "--epsilon", epsilon, "--mechanism", "sums")
    plan = sotto_json(program, "complete", train, *options, "--plan")
    observed = statistics.fmean(
        sotto_json(program, "complete", train, "--test", test, *options, "--insecure-seed", seed)["rmse"]
        for seed in (1, 2))
    return plan["forecasts"]["error_over_deviation"], observed / deviation


def movielens_split(path, folder):
    head, *rows = pathlib.Path(path).read_text().splitlines()
    random.Random(1).shuffle(rows)
    tenth = len(rows) // 10
    for name, part in (("ml.csv", rows[tenth:]), ("ml-test.csv", rows[:tenth])):
        (folder / name).write_text("\n".join([head, *part]) + "\n")
    return folder / "ml.csv", folder / "ml-test.csv"


def add_completion(program, folder, movielens, add):
    for shape in ((200, 100, 8000), (600, 400, 40000), (1000, 200, 60000)):
        for epsilon in (0.2, 1, 5):
            add("complete, {} users, {} items, {} ratings, epsilon {}".format(*shape, epsilon),
                completion_cell(program, folder, shape, epsilon))
    if not movielens:
        return
    train, test = movielens_split(movielens, folder)
    for epsilon in (0.2, 1, 5):
        add(f"complete, MovieLens, epsilon {epsilon}",
            complete(program, train, test, "0.5:5", epsilon))


# ---- topics ----

SHARED = {0.1: "few", 0.4: "some", 0.8: "many"}
TOPIC_EPSILONS = [2.0 ** n for n in range(-4, 7)]
# Documents, words, topics, words of a document, and the shape of the gamma law by which the
# frequency of a word differs between topics: the smaller, the fewer words are shared. The plan is
# told how many (--shared).
TOPIC_SHAPES = ((3000, 1500, 6, 50, 0.4), (8000, 4000, 8, 100, 0.4), (1500, 800, 4, 60, 0.4),
                (15000, 1200, 5, 7, 0.4), (40000, 2000, 6, 6, 0.4), (5000, 3000, 12, 40, 0.4),
                (2500, 6000, 5, 120, 0.4), (10000, 1000, 8, 20, 0.4),
                (3000, 1500, 6, 50, 0.1), (15000, 1200, 5, 7, 0.1),
                (3000, 1500, 6, 50, 0.8), (15000, 1200, 5, 7, 0.8))


def write_topics(path, words, topics, shape, seed):
    """Words as frequent as 1/(r + V/100), each with a factor of its own in every topic."""
    draw = random.Random(seed)
    columns = []
    for _ in range(topics):
        column = [draw.gammavariate(shape, 1) / (rank + 1 + words / 100) for rank in range(words)]
        columns.append([x / sum(column) for x in column])
    head = f"{{'descr': '<f8', 'fortran_order': True, 'shape': ({words}, {topics}), }}"
    head = head.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                     b"".join(struct.pack(f"<{words}d", *column) for column in columns))


def write_docword(path, documents, words):
    entries = [(n + 1, w + 1, c) for n, document in enumerate(documents)
               for w, c in sorted(collections.Counter(document).items())]
    path.write_text(f"{len(documents)}\n{words}\n{len(entries)}\n" +
                    "".join("%d %d %d\n" % entry for entry in entries))


def shape_of(docword):
    """Documents, words, and different words of a document."""
    with open(docword) as file:
        documents, words, entries = (int(file.readline()) for _ in range(3))
    return documents, words, entries / documents


def agreement(a, b):
    """Normalised mutual information of two labellings."""
    count, of_a, of_b = len(a), collections.Counter(a), collections.Counter(b)
    shared = sum(c / count * math.log(c * count / (of_a[x] * of_b[y]))
                 for (x, y), c in collections.Counter(zip(a, b)).items())
    entropies = [-sum(c / count * math.log(c / count) for c in of.values()) for of in (of_a, of_b)]
    return 2 * shared / sum(entropies) if sum(entropies) > 0 else 0.0


def main_topics(program, corpus, vocabulary, topics, test, out, *options):
    """Of the documents of `test`; None where the run ends in noise."""
    done = subprocess.run([program, "topics", corpus, "--vocab", vocabulary, "-k", str(topics), "--infer",
                           test, "--threads", "1", "--out", out, "--force", *map(str, options)],
                          capture_output=True)
    if done.returncode != 0:
        return None
    columns = read_npy(out / "inferred.npy")
    return [max(range(topics), key=lambda t: row[t]) for row in zip(*columns)]


def topics_cell(program, folder, corpus, test, vocabulary, topics, labels, shared="some"):
    """`labels` of the test documents, or the corpus whose topics without privacy give them."""
    documents, words, length = shape_of(corpus)
    plan = sotto_json(program, "topics", corpus, "-k", topics, "--words", words, "--documents", documents,
                      "--length", length, "--shared", shared, "--epsilon", 1, "--delta", "1e-6",
                      "--plan")
    predicted = plan["forecasts"]["epsilon"]
    seen = lambda source, *options: main_topics(program, source, vocabulary, topics, test,
                                                folder / "found", *options)
    if not isinstance(labels, list):
        labels = seen(labels)
    goal, before = 0.5 * agreement(seen(corpus), labels), None
    for epsilon in TOPIC_EPSILONS:
        found = [seen(corpus, "--epsilon", epsilon, "--delta", "1e-6", "--insecure-seed", draw)
                 for draw in (1, 2)]
        share = statistics.fmean(agreement(f, labels) if f else 0.0 for f in found)
        if share >= goal:
            if before is None:
                return predicted, epsilon
            part = (goal - before[1]) / (share - before[1])
            return predicted, before[0] * math.exp(part * math.log(epsilon / before[0]))
        before = epsilon, share
    return predicted, TOPIC_EPSILONS[-1]


def generated_topics_cell(program, folder, shape, seed):
    documents, words, topics, length, spread = shape
    write_topics(folder / "true.npy", words, topics, spread, seed)
    for part, count, of_part in (("train", documents, 1), ("other", max(documents, 3000), 2),
                                 ("test", 1500, 3)):
        subprocess.run([program, "generate", "corpus", "-n", str(count), "-V", str(words), "-k", str(topics),
                        "-l", str(length), "--length-law", "poisson", "--topics-file", folder / "true.npy",
                        "--seed", str(10 * seed + of_part), "--out", folder / part, "--force"],
                       check=True, capture_output=True)
    return topics_cell(program, folder, folder / "train/docword.txt", folder / "test/docword.txt",
                       folder / "train/vocab.txt", topics, folder / "other/docword.txt",
                       SHARED[spread])


def dblp_cell(program, folder, source, count, topics=4):
    """Of the first `count` titles, a tenth is for testing."""
    source = pathlib.Path(source)
    number = {w: n for n, w in enumerate((source / "vocabulary.txt").read_text().split())}
    titles = [[number[w] for w in line.split()] for line in (source / "corpus.txt").open()]
    places = random.Random(1).sample(range(len(titles)), min(count, len(titles)))
    labels = (source / "labels.txt").read_text().split()
    tenth = len(places) // 10
    for name, part in (("train", places[tenth:]), ("test", places[:tenth])):
        write_docword(folder / f"docword.{name}.txt", [titles[n] for n in part], len(number))
    return topics_cell(program, folder, folder / "docword.train.txt", folder / "docword.test.txt",
                       source / "vocabulary.txt", topics, [labels[n] for n in places[:tenth]])


def kos_cell(program, folder, source, topics):
    """Two of five parts each to learn and to compare with, one for testing."""
    source = pathlib.Path(source)
    with gzip.open(source / "docword.kos.txt.gz", "rt") as file:
        documents, words, _ = (int(file.readline()) for _ in range(3))
        texts = [[] for _ in range(documents)]
        for line in file:
            n, w, c = map(int, line.split())
            texts[n - 1] += [w - 1] * c
    for name, wanted in (("train", (0, 1)), ("other", (2, 3)), ("test", (4,))):
        write_docword(folder / f"docword.{name}.txt",
                      [text for n, text in enumerate(texts) if n % 5 in wanted], words)
    return topics_cell(program, folder, folder / "docword.train.txt", folder / "docword.test.txt",
                       source / "vocab.kos.txt", topics, folder / "docword.other.txt")


def add_topics(program, folder, dblp, kos, add):
    for seed, shape in enumerate(TOPIC_SHAPES, 70):
        documents, words, topics, length, spread = shape
        add(f"topics, {documents} documents of {length}, {words} words, k {topics}, "
            f"{SHARED[spread]} shared",
            generated_topics_cell(program, folder, shape, seed))
    for count in (5000, 15000, 54595) if dblp else ():
        add(f"topics, {count} titles of DBLP", dblp_cell(program, folder, dblp, count))
    for topics in (5, 10) if kos else ():
        add(f"topics, KOS, k {topics}", kos_cell(program, folder, kos, topics))


# ---- the picture ----

def picture(cells):
    """Observed over predicted, one point a cell, by command; the band is a factor of 1.5."""
    width, height, left, top = 720, 60 + 16 * len(cells), 380, 20
    scale = lambda ratio: left + (width - left - 20) * (math.log2(ratio) + 2) / 4
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<rect x="{scale(1 / WITHIN):.1f}" y="{top}" '
             f'width="{scale(WITHIN) - scale(1 / WITHIN):.1f}" height="{16 * len(cells)}" '
             'fill="#dfeaf5"/>',
             f'<line x1="{scale(1):.1f}" x2="{scale(1):.1f}" y1="{top}" '
             f'y2="{top + 16 * len(cells)}" stroke="#567"/>']
    for n, (name, predicted, observed) in enumerate(cells):
        y = top + 16 * n + 8
        x = scale(min(max(observed / predicted, 0.25), 4))
        parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="3.5" fill="#1f4e79"/>')
    for ratio in (0.25, 0.5, 1, 2, 4):
        parts.append(f'<text x="{scale(ratio):.1f}" y="{height - 22}" text-anchor="middle">{ratio:g}'
                     '</text>')
    parts.append(f'<text x="{scale(1):.1f}" y="{height - 6}" text-anchor="middle">observed over '
                 'predicted</text></svg>')
    return "\n".join(parts) + "\n"


def cells_of(path):
    """Name, predicted and observed of the rows of a table that was printed here."""
    rows = [line.strip("| \n").split(" | ") for line in pathlib.Path(path).read_text().splitlines()
            if line.startswith("|")]
    return [(row[0], float(row[1]), float(row[2])) for row in rows
            if len(row) == 4 and row[1].replace(".", "").isdigit()]


def measured_cells(given):
    cells = []
    print("| cell | predicted | observed | observed / predicted |\n|---|---|---|---|")

    def add(name, found):
        predicted, observed = found
        cells.append((name, predicted, observed))
        print(f"| {name} | {predicted:.3g} | {observed:.3g} | {observed / predicted:.2f} |", flush=True)

    only = given.only.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "decompose" in only:
            add_decompose(given.sotto, folder, given.trials, add)
        if "stream" in only:
            add_streams(given.sotto, folder, given.trials, add)
        if "people" in only:
            add_people(given.sotto, folder, given.trials, add)
        if "mixture" in only:
            add_mixtures(given.sotto, folder, given.trials, add)
        if "complete" in only:
            add_completion(given.sotto, folder, given.movielens, add)
        if "topics" in only:
            add_topics(given.sotto, folder, given.dblp, given.kos, add)
    return cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto", nargs="?")
    parser.add_argument("--table", help="a file with the table of former runs: nothing is run")
    parser.add_argument("--only", default="decompose,stream,people,mixture,complete,topics",
                        help="the cells of these commands alone")
    parser.add_argument("--trials", type=int, default=6)
    parser.add_argument("--movielens")
    parser.add_argument("--dblp")
    parser.add_argument("--kos")
    parser.add_argument("--svg")
    given = parser.parse_args()
    if given.table:
        cells = cells_of(given.table)
    elif given.sotto:
        cells = measured_cells(given)
    else:
        parser.error("give the program, or --table")
    good = [name for name, p, o in cells if 1 / WITHIN <= o / p <= WITHIN]
    print(f"\nThe truth lies within a factor of {WITHIN:g} in {len(good)} of {len(cells)} cells:")
    kind_of = lambda name: name.split(",")[0]
    for kind in dict.fromkeys(kind_of(name) for name, _, _ in cells):
        counts = [sum(kind_of(name) == kind for name in names)
                  for names in (good, [name for name, _, _ in cells])]
        print(f"  {kind}: {counts[0]} of {counts[1]}")
    if given.svg:
        pathlib.Path(given.svg).write_text(picture(cells))


if __name__ == "__main__":
    main()
