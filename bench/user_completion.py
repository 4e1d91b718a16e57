#!/usr/bin/env python3
"""From how many users private completion pays, unit user: the table of docs/completion.md.

usage: user_completion.py SOTTO [--movielens RATINGS.CSV] [--draws N] [--users N,N,..]

Ratings of M users are protected, those of other users are public and test the result: nine tenths
of a test user's ratings are given, the rest is predicted. Beside sotto stand three baselines with
the same epsilon and delta, each with the whole budget:
- mean: a private mean of all users' means, for everybody;
- item mean: private sums of the ratings of each item around that mean, shrunk by their noise;
- own mean: the private mean, and the test user's own level.
Prints the mean RMSE over N draws of noise and splits (3), and the wins and losses of sotto by the
paired differences (two standard errors).
"""
import argparse
import collections
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

EPSILONS = 0.2, 0.5, 1, 2, 5
DELTA = 1e-5
LEVEL_OVER_ERROR = 0.75 / 0.2  # as in the model of sotto


def normal_cdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gdp_mu(epsilon, delta):
    """The mu of Gaussian noise that costs (epsilon, delta)."""
    low, high = 1e-6, 100.0
    for _ in range(100):
        mu = (low + high) / 2
        spent = normal_cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * normal_cdf(-epsilon / mu - mu / 2)
        low, high = (mu, high) if spent < delta else (low, mu)
    return low


def by_user(rows):
    users = collections.defaultdict(list)
    for user, item, value in rows:
        users[user].append((item, value))
    return users


def movielens(path):
    return [tuple(line.split(",")[:3]) for line in pathlib.Path(path).read_text().splitlines()[1:]]


def generated(sotto, folder):
    out = folder / "generated"
    subprocess.run([sotto, "generate", "ratings", "--users", "3000", "--items", "300", "--rank", "3",
                    "-n", "150000", "--seed", "7", "--out", out], check=True, capture_output=True)
    rows = []
    for name in ("ratings.csv", "test.csv"):
        head, *lines = (out / name).read_text().splitlines()
        columns = [head.split(",").index(key) for key in ("user", "item", "rating")]
        rows += [tuple(line.split(",")[c] for c in columns) for line in lines]
    return rows


class Split:
    def __init__(self, rows, bounds, users, seed, folder):
        draw = random.Random(seed)
        self.bounds = bounds
        people = by_user((u, i, float(x)) for u, i, x in rows)
        names = sorted(people)
        draw.shuffle(names)
        self.train = {u: people[u] for u in names[:users]}
        self.items = sorted({i for _, i, _ in rows})
        self.given, self.test = {}, {}
        for u in names[users:users + 120]:
            ratings = people[u][:]
            draw.shuffle(ratings)
            tenth = max(1, len(ratings) // 10)
            self.test[u], self.given[u] = ratings[:tenth], ratings[tenth:]
        self.folder = folder
        for name in ("train", "given", "test"):
            text = "".join(f"{u},{i},{x}\n" for u, part in getattr(self, name).items() for i, x in part)
            (folder / f"{name}.csv").write_text("user,item,rating\n" + text)
        (folder / "items.txt").write_text("\n".join(self.items) + "\n")

    def rmse(self, predict):
        errors = [(min(max(predict(u, i), self.bounds[0]), self.bounds[1]) - x) ** 2
                  for u, part in self.test.items() for i, x in part]
        return math.sqrt(statistics.fmean(errors))

    def sotto(self, program, epsilon, seed):
        done = subprocess.run(
            [program, "complete", "train.csv", "--unit", "user", "--rank", "4", "--range",
             f"{self.bounds[0]}:{self.bounds[1]}", "--epsilon", str(epsilon), "--delta", str(DELTA),
             "--items", "items.txt", "--users", str(len(self.train)), "--given", "given.csv", "--test",
             "test.csv", "--insecure-seed", str(seed), "--threads", "1", "--json"],
            cwd=self.folder, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)["rmse"]

    def baselines(self, epsilon, seed):
        draw = random.Random(1000 + seed)
        mu = gdp_mu(epsilon, DELTA)
        low, high = self.bounds
        half, middle = (high - low) / 2, (high + low) / 2

        def mean_of(part):
            return statistics.fmean((x - middle) / half for _, x in part)

        # Mean and number of users: two numbers, divided by sqrt 2.
        def private_mean(budget):
            deviation = math.sqrt(2) / budget
            users = max(1.0, len(self.train) + draw.gauss(0, deviation))
            mean = sum(mean_of(p) for p in self.train.values()) + draw.gauss(0, deviation)
            return middle + half * min(1.0, max(-1.0, mean / users))

        mean = private_mean(mu)
        levels = {u: sum(x - mean for _, x in part) / (len(part) + LEVEL_OVER_ERROR)
                  for u, part in self.given.items()}
        # Of each user 1/sqrt(n) a rating: the sums of an item have sensitivity 1 together.
        centre = private_mean(mu * math.sqrt(0.1))
        deviation = 1 / (mu * math.sqrt(0.9))
        sums = dict.fromkeys(self.items, (0.0, 0.0))
        for part in self.train.values():
            weight = 1 / math.sqrt(2 * len(part))
            for item, x in part:
                total, count = sums[item]
                sums[item] = total + weight * (x - centre) / half, count + weight
        effects = {}
        for item, (total, count) in sums.items():
            total, count = total + draw.gauss(0, deviation), max(0.0, count + draw.gauss(0, deviation))
            effects[item] = half * total * count / (count * count + deviation * deviation / 0.03 + count)
        return {"mean": self.rmse(lambda u, i: mean),
                "item mean": self.rmse(lambda u, i: centre + effects[i]),
                "own mean": self.rmse(lambda u, i: mean + levels[u])}


def verdict(differences):
    """+: sotto is better, -: worse, =: within two standard errors."""
    mean = statistics.fmean(differences)
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return "+" if mean > 2 * error else "-" if mean < -2 * error else "="


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto")
    parser.add_argument("--movielens")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--users", default="50,100,200,488")
    given = parser.parse_args()
    program = str(pathlib.Path(given.sotto).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = {"generated": (generated(program, folder), (-2, 9), (100, 300, 1000, 2500))}
        if given.movielens:
            counts = tuple(map(int, given.users.split(",")))
            sets = {"MovieLens": (movielens(given.movielens), (0.5, 5), counts), **sets}
        print("| data | users | epsilon | sotto | own mean | item mean | mean |")
        print("|---|---|---|---|---|---|---|")
        for data, (rows, bounds, counts) in sets.items():
            for users in counts:
                for epsilon in EPSILONS:
                    found = collections.defaultdict(list)
                    for draw in range(given.draws):
                        split = Split(rows, bounds, users, draw, folder)
                        found["sotto"].append(split.sotto(program, epsilon, draw))
                        for key, value in split.baselines(epsilon, draw).items():
                            found[key].append(value)
                    cells = [f"{statistics.fmean(found['sotto']):.3f}"]
                    for key in ("own mean", "item mean", "mean"):
                        sign = verdict([b - a for a, b in zip(found["sotto"], found[key])])
                        cells.append(f"{statistics.fmean(found[key]):.3f} {sign}")
                    print(f"| {data} | {users} | {epsilon} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
