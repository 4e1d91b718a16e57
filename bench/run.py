#!/usr/bin/env python3
"""Runs all benchmarks and prints their ratios, measured in one run.

usage: run.py BUILD_FOLDER [--quick]

Kernel rates are compared with the best dgemm rate on this machine, over OpenBLAS (with each of
several kernels, because it does not recognise every processor) and this library's own product.
Peers run in a virtual environment under the build folder; without a package index that part is
skipped with a message.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent


def rates(program, *arguments, **environment):
    text = subprocess.run([program, *map(str, arguments)], env=dict(os.environ, **environment), check=True,
                          capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def best_dgemm(build):
    best = {}
    for core in None, "SkylakeX", "Haswell", "Zen":
        environment = {} if core is None else {"OPENBLAS_CORETYPE": core}
        for name, value in rates(build / "bench_dgemm", **environment).items():
            best[name] = max(best.get(name, 0), value)
    return best


def kernel_section(build):
    dgemm = best_dgemm(build)
    peak = max(dgemm.values())
    print("dgemm of this machine (GF/s)")
    for name, value in sorted(dgemm.items()):
        print(f"  {name:<28}{value:8.1f}   {value / peak:5.2f} of the best")
    print("block contraction: 2 d^p L / time (GF/s)")
    for name, value in rates(build / "bench_kernel").items():
        print(f"  {name:<28}{value:8.1f}   {value / peak:5.2f} x the best dgemm")


def stream_section(build, quick):
    records, piped = (100_000, 1_000_000) if quick else (1_000_000, 10_000_000)
    sotto = build / "sotto"
    with tempfile.TemporaryDirectory(dir=build) as folder:
        subprocess.run([sotto, "generate", "points", "-d", "500", "-n", str(records), "--dtype",
                        "f4", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        points = pathlib.Path(folder) / "points.npy"
        print(f"streaming {records} points of d = 500 from a file, L = 32 (GF/s)")
        for threads in "1", None:
            environment = {"OPENBLAS_CORETYPE": "SkylakeX"}
            if threads:
                environment |= {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
            found = rates(build / "bench_stream", points, **environment)
            for unit in "", "_per_processor":
                best = max(found[f"gemm_{name}{unit}"] for name in ("seam", "openblas")
                           if f"gemm_{name}{unit}" in found)
                label = ("one thread" if threads else "all threads") + unit.replace("_", " ")
                print(f"  {label:<28}{found['stream' + unit]:8.1f}   "
                      f"{found['stream' + unit] / best:5.2f} x the products alone")
            print(f"  {'resident':<28}{found['resident_mb']:8.1f} MB")
    with subprocess.Popen([sotto, "generate", "points", "-d", "100", "-n", str(piped), "--dtype",
                           "f4", "--raw"], stdout=subprocess.PIPE) as made:
        subprocess.run([sotto, "stream", "-", "--dim", "100", "--dtype", "f4", "-k", "3",
                        "--starts", "32", "--iterations", "10", "--batch", str(piped // 33)],
                       stdin=made.stdout, check=True, stdout=subprocess.DEVNULL)
        made.stdout.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"streaming {piped} points of d = 100 through a pipe: no program so far used more than "
          f"{peak:.0f} MB")


def completion_section(build, quick):
    print("completion, one core (millions of updates a second; least squares: entries and modes)")
    for name, value in rates(build / "bench_complete", "speed").items():
        print(f"  {name:<28}{value:8.1f}")
    ratings = 1_000_000 if quick else 10_000_000
    sotto = build / "sotto"
    with tempfile.TemporaryDirectory(dir=build) as folder:
        subprocess.run([sotto, "generate", "ratings", "-n", str(ratings), "--test-share", "0.02",
                        "--out", folder], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([sotto, "complete", f"{folder}/ratings.csv", "--test",
                               f"{folder}/test.csv", "-r", "8", "--method", "sgd", "--epochs", "20",
                               "--json"], check=True, capture_output=True, text=True).stdout
    found = json.loads(text)
    print(f"  {ratings} ratings, 20 epochs on all cores: {found['seconds']:.1f} s and "
          f"{found['diagnostics']['seconds_reading']:.1f} s to read; rmse {found['rmse']:.4f} where "
          "the noise alone is 0.7")


def peer_python(build):
    folder = build / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    packages = (HERE / "peers.txt").read_text().split()
    done = subprocess.run([python, "-m", "pip", "install", "-q", *packages], capture_output=True,
                          text=True)
    if done.returncode != 0:
        print("peers skipped: " + (done.stderr.strip().splitlines() or ["pip failed"])[-1])
        return None
    return python


NUMPY_RATE = """
import time, numpy
generator, best = numpy.random.default_rng(), 0
for _ in range(7):
    start = time.perf_counter()
    generator.standard_normal(1 << 21)
    best = max(best, (1 << 21) / (time.perf_counter() - start) / 1e6)
print(best)
"""


def noise_section(build, python):
    numpy = None
    if python is not None:
        numpy = float(subprocess.run([python, "-c", NUMPY_RATE], check=True, capture_output=True,
                                     text=True).stdout)
    print("secure noise, one core (millions a second; the stream in megabytes)")
    for name, value in rates(build / "bench_noise").items():
        peer = numpy and not name.startswith("stream")
        print(f"  {name:<28}{value:8.1f}"
              + (f"   {value / numpy:5.2f} x numpy's standard_normal" if peer else ""))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    quick = "--quick" in sys.argv[2:]
    kernel_section(build)
    stream_section(build, quick)
    completion_section(build, quick)
    python = peer_python(build)
    noise_section(build, python)
    if python is not None:
        flags = ["--quick"] if quick else []
        subprocess.run([python, HERE / "tensorly_peer.py", build / "sotto", *flags], check=True)
        subprocess.run([python, HERE / "fit_peer.py", build / "bench_fit", *flags], check=True)
        subprocess.run([python, HERE / "completion_peer.py", build / "bench_complete", *flags],
                       check=True)


if __name__ == "__main__":
    main()
