#!/usr/bin/env python3
"""What `--plan` predicts against what a run then shows: the table and picture of docs/planning.md.

usage: forecasts.py SOTTO [--trials N] [--movielens RATINGS.CSV] [--svg FILE]

decompose: the weight from which on components are recovered. Tensors with two components of equal
weight are generated at multiples of the forecast; observed is the weight at which half of N runs
(6) find both (cosine at least 0.8), interpolated between logarithms. complete, unit rating: the
error over the standard deviation of the ratings, mean of two draws of noise. Prints one line a cell,
and in how many of them the truth lies within a factor of 1.5.
"""
import argparse
import ast
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


def decompose_cell(program, folder, dim, order, epsilon, trials):
    made = folder / "made"
    subprocess.run([program, "generate", "tensor", "-d", str(dim), "-k", "2", "-p", str(order),
                    "--out", made, "--force"], check=True, capture_output=True)
    plan = sotto_json(program, "decompose", made / "tensor.npy", "-k", 2, "--epsilon", epsilon,
                      "--delta", "1e-6", "--plan")
    predicted = plan["forecasts"]["weight"]
    before, share_before = None, 0.0
    for factor in FACTORS:
        share = statistics.fmean(recovers(program, folder, dim, order, epsilon, factor * predicted, s)
                                 for s in range(trials))
        if share >= 0.5:
            if before is None or share == share_before:
                return predicted, factor * predicted
            part = (0.5 - share_before) / (share - share_before)
            return predicted, predicted * math.exp(
                math.log(before) + part * (math.log(factor) - math.log(before)))
        before, share_before = factor, share
    return predicted, FACTORS[-1] * predicted


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


# ---- the picture ----

def picture(cells):
    """Observed over predicted, one point a cell, by command; the band is a factor of 1.5."""
    width, height, left, top = 640, 60 + 16 * len(cells), 300, 20
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sotto")
    parser.add_argument("--trials", type=int, default=6)
    parser.add_argument("--movielens")
    parser.add_argument("--svg")
    given = parser.parse_args()
    cells = []
    print("| cell | predicted | observed | observed / predicted |\n|---|---|---|---|")

    def add(name, found):
        predicted, observed = found
        cells.append((name, predicted, observed))
        print(f"| {name} | {predicted:.3g} | {observed:.3g} | {observed / predicted:.2f} |", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for dim, order in ((10, 3), (20, 3), (40, 3), (12, 4)):
            for epsilon in (0.5, 4):
                add(f"decompose, d {dim}, order {order}, epsilon {epsilon}",
                    decompose_cell(given.sotto, folder, dim, order, epsilon, given.trials))
        for shape in ((200, 100, 8000), (600, 400, 40000), (1000, 200, 60000)):
            for epsilon in (0.2, 1, 5):
                add("complete, {} users, {} items, {} ratings, epsilon {}".format(*shape, epsilon),
                    completion_cell(given.sotto, folder, shape, epsilon))
        if given.movielens:
            train, test = movielens_split(given.movielens, folder)
            for epsilon in (0.2, 1, 5):
                add(f"complete, MovieLens, epsilon {epsilon}",
                    complete(given.sotto, train, test, "0.5:5", epsilon))
    good = sum(1 / WITHIN <= o / p <= WITHIN for _, p, o in cells)
    print(f"\nThe truth lies within a factor of {WITHIN:g} in {good} of {len(cells)} cells.")
    if given.svg:
        pathlib.Path(given.svg).write_text(picture(cells))


if __name__ == "__main__":
    main()
