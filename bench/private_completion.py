#!/usr/bin/env python3
"""The error of private completion by mechanism and epsilon: the table of docs/completion.md.

usage: private_completion.py SOTTO [--movielens RATINGS.CSV] [--draws N]

Ratings are generated. --movielens adds those of a file, with two random tenths held out in turn and
the month as third mode. Prints the mean RMSE over N draws of noise (3), with a `delta` of
1e-6 for gradients and none otherwise.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

EPSILONS = 0.5, 1, 2, 5, 10, 20
MECHANISMS = {"sums": (), "als": (), "sgd": ("--delta", "1e-6")}


def error(sotto, split, *options):
    train, test, own = split
    command = [sotto, "complete", train, "--test", test, *own, *options, "--json"]
    done = subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rmse"]


def generated(sotto, folder, users, items, ratings):
    out = folder / f"{users}"
    subprocess.run([sotto, "generate", "ratings", "--users", str(users), "--items", str(items),
                    "--rank", "4", "-n", str(ratings * 5 // 4), "--out", out], check=True,
                   capture_output=True)
    return [(out / "ratings.csv", out / "test.csv", ("--rank", "4", "--range", "-3:10"))]


def movielens(path, folder):
    head, *rows = pathlib.Path(path).read_text().splitlines()
    splits = []
    for seed in 1, 2:
        random.Random(seed).shuffle(rows)
        tenth = len(rows) // 10
        names = [folder / f"train{seed}.csv", folder / f"test{seed}.csv"]
        for name, part in zip(names, (rows[tenth:], rows[:tenth])):
            name.write_text("\n".join([head, *part]) + "\n")
        splits.append((*names, ("--rank", "8", "--range", "0.5:5", "--time-mode", "month")))
    return splits


def mean_alone(split):
    """The error of the mean of all training ratings. The value is the third column before a time
    stamp, and the last one otherwise."""
    def values(path):
        head, *lines = path.read_text().splitlines()
        column = next(i for i, name in enumerate(head.split(",")) if name in ("rating", "value"))
        return [float(line.split(",")[column]) for line in lines]
    mean = statistics.fmean(values(split[0]))
    return statistics.fmean((x - mean) ** 2 for x in values(split[1])) ** 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto")
    parser.add_argument("--movielens")
    parser.add_argument("--draws", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = {}
        if given.movielens:
            sets["MovieLens"] = movielens(given.movielens, folder)
        sets["943 users, 1,682 items, 80,000 ratings"] = generated(given.sotto, folder, 943, 1682,
                                                                  80000)
        sets["2,000 users, 300 items, 240,000 ratings"] = generated(given.sotto, folder, 2000, 300,
                                                                   240000)
        print("| data | epsilon |", " | ".join(MECHANISMS), "| non-private | mean |")
        for data, splits in sets.items():
            plain = statistics.fmean(error(given.sotto, s) for s in splits)
            mean = statistics.fmean(mean_alone(s) for s in splits)
            for epsilon in EPSILONS:
                cells = [statistics.fmean(
                    error(given.sotto, split, "--epsilon", epsilon, "--mechanism", mechanism,
                          *more, "--insecure-seed", draw)
                    for split in splits for draw in range(given.draws))
                    for mechanism, more in MECHANISMS.items()]
                print(f"| {data} | {epsilon} |", " | ".join(f"{c:.3f}" for c in cells),
                      f"| {plain:.3f} | {mean:.3f} |", flush=True)


if __name__ == "__main__":
    main()
