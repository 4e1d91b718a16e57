#!/usr/bin/env python3
"""Strict against every proved published mechanism, every trivial baseline and no privacy at all:
docs/dominance.md.

usage: dominance.py SOTTO REPRODUCED [--movielens RATINGS.CSV] [--draws N] > docs/dominance.md

REPRODUCED is the folder of `sotto reproduce --all --out REPRODUCED`; experiments that are not in it
are left out, and the table says so. Completion is measured here, on generated ratings and, with
--movielens, on those of a file: N draws of noise (4) on each of two splits. A cell is won or lost
when the mean of the paired differences lies beyond its 95% interval (Student's t), and a tie
otherwise.
"""
import argparse
import collections
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

# Two-sided 95% points of Student's t by degrees of freedom.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 9: 2.26, 11: 2.20,
           15: 2.13, 19: 2.09, 29: 2.05, 49: 2.01}

WEI = {"input": "proved", "private_mean": "trivial", "mean": "not private",
       "baseline": "not private"}
# Measures of the experiments: the strict default, and the rivals by kind. Smaller is better.
STUDIES = {
    # `decompose` chooses strict input perturbation here; "strict" is that of Algorithm 3.
    "wang-input-vs-iterate": ("input", {"strict": "proved"}),
    "imtiaz-fig1": ("strict", {"agn": "proved", "avn": "proved", "random": "trivial",
                               "frequencies": "trivial", "non_private": "not private"}),
    "wei-fig2": ("strict", WEI),
    "wei-fig3": ("strict", WEI),
    "wei-fig4": ("strict", WEI),
    "esmaeili-configurations": ("strict", {"configuration_1": "proved",
                                           "frequencies": "trivial", "random": "trivial",
                                           "non_private": "not private"}),
}
EPSILONS = 0.05, 0.2, 1, 5, 20


def student(freedom):
    return STUDENT[max(key for key in STUDENT if key <= freedom)]


def verdict(strict, rival):
    """win, tie or loss of `strict`, trial by trial."""
    differences = [b - a for a, b in zip(strict, rival) if not math.isnan(a) and not math.isnan(b)]
    if len(differences) < 2:
        return None
    mean, error = statistics.fmean(differences), statistics.stdev(differences)
    reach = student(len(differences) - 1) * error / math.sqrt(len(differences))
    return "win" if mean > reach else "loss" if mean < -reach else "tie"


class Table:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.losses = []

    def add(self, data, cell, rival, kind, strict, other):
        found = verdict(strict, other)
        if found is None:
            return
        self.counts[data, rival, kind][found] += 1
        if found == "loss" and kind != "not private":
            self.losses.append((data, cell, rival, statistics.fmean(strict), statistics.fmean(other)))

    def print(self):
        print("| data | against | kind | wins | ties | losses |\n|---|---|---|---|---|---|")
        for (data, rival, kind), counts in self.counts.items():
            print(f"| {data} | {rival} | {kind} | {counts['win']} | {counts['tie']} "
                  f"| {counts['loss']} |")
        rivals = [c for (_, _, kind), c in self.counts.items() if kind != "not private"]
        total = sum(rivals, collections.Counter())
        print(f"\nAgainst proved mechanisms and trivial baselines: {total['win']} wins, "
              f"{total['tie']} ties, {total['loss']} losses.\n")
        if self.losses:
            print("| lost | cell | against | strict | rival |\n|---|---|---|---|---|")
            for data, cell, rival, a, b in self.losses:
                print(f"| {data} | {cell} | {rival} | {a:.4g} | {b:.4g} |")


def add_study(table, name, path):
    strict, rivals = STUDIES[name]
    settings = json.loads(path.with_name("summary.json").read_text())["settings"]
    label = name if settings == "full" else f"{name}, {settings}"
    cells = collections.defaultdict(list)
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        parameters = reader.fieldnames[:reader.fieldnames.index("trial")]
        for row in reader:
            cells[", ".join(f"{p} {row[p]}" for p in parameters)].append(row)
    number = lambda row, key: float(row[key] or "nan")
    for cell, rows in cells.items():
        for rival, kind in rivals.items():
            table.add(label, cell, rival, kind, [number(r, strict) for r in rows],
                      [number(r, rival) for r in rows])


# ---- completion, unit rating ----

def write_split(folder, name, rows, held):
    train, test = folder / f"{name}.csv", folder / f"{name}-test.csv"
    for path, wanted in ((train, False), (test, True)):
        path.write_text("user,item,rating\n" + "".join(
            f"{u},{i},{x}\n" for n, (u, i, x) in enumerate(rows) if (n in held) == wanted))
    return train, test, rows, held


def ten_of_every_user(rows, seed):
    draw, places = random.Random(seed), collections.defaultdict(list)
    for n, (user, _, _) in enumerate(rows):
        places[user].append(n)
    return {n for own in places.values() for n in draw.sample(own, min(10, len(own) // 2))}


def a_tenth(rows, seed):
    return set(random.Random(seed).sample(range(len(rows)), len(rows) // 10))


def low_rank(users, items, count, bias, taste, seed):
    """Everybody rates at random; rank 2 around a mean, with effects of deviation `bias`."""
    draw = random.Random(seed)
    effects = [[draw.gauss(0, bias) for _ in range(n)] for n in (users, items)]
    factors = [[(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(n)] for n in (users, items)]
    rows = []
    for place in draw.sample(range(users * items), count):
        u, i = divmod(place, items)
        inner = sum(a * b for a, b in zip(factors[0][u], factors[1][i]))
        x = 3 + effects[0][u] + effects[1][i] + taste * inner + draw.gauss(0, 0.5)
        rows.append((f"u{u}", f"i{i}", round(min(max(x, 0), 6), 3)))
    return rows


def data_sets(folder, movielens):
    def splits(name, rows, held_of):
        return [write_split(folder, f"{name}{seed}", rows, held_of(rows, seed)) for seed in (1, 2)]
    if movielens:
        lines = pathlib.Path(movielens).read_text().splitlines()[1:]
        rows = [tuple(line.split(",")[:3]) for line in lines]
        odd = [row for row in rows if int(row[0]) % 2]
        yield "MovieLens, ten of every user", (0.5, 5), splits("ten", rows, ten_of_every_user)
        yield "MovieLens, a tenth", (0.5, 5), splits("tenth", rows, a_tenth)
        yield "MovieLens, users of odd number (kept apart)", (0.5, 5), splits(
            "odd", odd, ten_of_every_user)
    for name, bias in (("rank 2 with effects", 0.4), ("rank 2 without effects", 0)):
        yield name, (0, 6), splits(f"rank{bias}", low_rank(400, 300, 30000, bias, 0.4, 5), a_tenth)
    yield "rank 2, other size (kept apart)", (0, 6), splits(
        "other", low_rank(600, 200, 36000, 0.25, 0.3, 7), a_tenth)
    yield "rank 2 without effects, few", (0, 6), splits(
        "few", low_rank(100, 60, 2500, 0, 0.4, 6), a_tenth)


def rmse(sotto, split, bounds, *options):
    done = subprocess.run(
        [sotto, "complete", split[0], "--test", split[1], "--rank", "4", "--range",
         f"{bounds[0]}:{bounds[1]}", "--threads", "1", "--json", *map(str, options)],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rmse"]


def mean_rmse(split):
    _, _, rows, held = split
    mean = statistics.fmean(float(x) for n, (_, _, x) in enumerate(rows) if n not in held)
    return math.sqrt(statistics.fmean((float(rows[n][2]) - mean) ** 2 for n in held))


def private_mean_rmse(split, bounds, epsilon, seed):
    """The mean with Laplace noise that costs all of epsilon, within the range."""
    _, _, rows, held = split
    known = [float(x) for n, (_, _, x) in enumerate(rows) if n not in held]
    draw = random.Random(1000 + seed)
    noise = draw.expovariate(1) - draw.expovariate(1)
    mean = statistics.fmean(known) + noise * (bounds[1] - bounds[0]) / (epsilon * len(known))
    mean = min(max(mean, bounds[0]), bounds[1])
    return math.sqrt(statistics.fmean((float(rows[n][2]) - mean) ** 2 for n in held))


def add_completion(table, sotto, folder, movielens, draws):
    for name, bounds, splits in data_sets(folder, movielens):
        mean = [mean_rmse(split) for split in splits for _ in range(draws)]
        plain = [error for split in splits for error in [rmse(sotto, split, bounds)] * draws]
        for epsilon in EPSILONS:
            def errors(*options):
                return [rmse(sotto, split, bounds, "--epsilon", epsilon, "--insecure-seed", draw,
                             *options) for split in splits for draw in range(draws)]
            strict = errors()
            cell = f"epsilon {epsilon}"
            table.add(name, cell, "input perturbation", "proved", strict,
                      errors("--perturb", "input"))
            table.add(name, cell, "private mean", "trivial", strict,
                      [private_mean_rmse(split, bounds, epsilon, draw) for split in splits
                       for draw in range(draws)])
            table.add(name, cell, "exact mean", "not private", strict, mean)
            table.add(name, cell, "non-private", "not private", strict, plain)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto")
    parser.add_argument("reproduced")
    parser.add_argument("--movielens")
    parser.add_argument("--draws", type=int, default=4)
    given = parser.parse_args()
    table, missing = Table(), []
    for name in STUDIES:
        path = pathlib.Path(given.reproduced, name, "data.csv")
        if path.exists():
            add_study(table, name, path)
        else:
            missing.append(name)
    with tempfile.TemporaryDirectory() as folder:
        add_completion(table, given.sotto, pathlib.Path(folder), given.movielens, given.draws)
    print("# Is the strict default ever the worse choice?\n")
    print("Made by `bench/dominance.py` (which has the rules). A cell is one data set and one "
          "epsilon of an experiment; errors are compared draw by draw. *Proved*: a published "
          "mechanism whose certificate says `proved`. The private mean "
          "spends all of epsilon on one number. At the 95% level about one tie in forty shows as a loss, and as many as "
          "a win.\n")
    table.print()
    if missing:
        print("\nNot measured: " + ", ".join(missing) + ".")


if __name__ == "__main__":
    main()
