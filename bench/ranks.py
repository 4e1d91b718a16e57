#!/usr/bin/env python3
"""Processor time of ranks against one process, the bytes that they send, and a slow network.

  ranks.py PROGRAM [--records N] [--documents N] [--ranks 4] [--only stream,topics,network]

Every run has one thread a rank. Times are processor seconds (user and system) of all processes
together, the ratio is that of several ranks to one process. `network` holds every message back
(slow_network.c, needs mpicc) and compares the time that this takes with the model of docs/scale.md.
"""
import argparse
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import tempfile
import time

MPI = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader",
           OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_plm="isolated",
           OMPI_MCA_hwloc_base_binding_policy="none")


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, command)), env=MPI, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, re.search(r"\d+ ranks: .*", done.stdout)


def compare(name, command, ranks):
    alone, _ = processor_seconds(command)
    together, said = processor_seconds(["mpirun", "-n", ranks, *command])
    print(f"{name}: one process {alone:.2f} s, {ranks} ranks {together:.2f} s, "
          f"ratio {together / alone:.3f}")
    if said:
        print(f"  {said.group(0)}", flush=True)


def with_slow_network(program, points, ranks, folder):
    """log2(R) (2 latency + (question + part) / speed) a question, says the model."""
    library = folder / "slow_network.so"
    source = pathlib.Path(__file__).with_name("slow_network.c")
    subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    command = [program, "stream", points, "-k", 2, "-R", 60, "--batch", 500, "--threads", 1]
    base = None
    for latency, speed in (0, 0), (1e-3, 0), (5e-3, 0), (1e-3, 1e8), (1e-3, 1e7):
        environment = dict(MPI, LD_PRELOAD=str(library), SLOW_LATENCY=str(latency),
                           SLOW_BYTES=str(speed))
        walls = []
        for _ in range(3):  # the shortest: others may use this machine
            begin = time.monotonic()
            done = subprocess.run(["mpirun", "-n", str(ranks), *map(str, command)],
                                  env=environment, capture_output=True, text=True, check=True)
            walls.append(time.monotonic() - begin)
        wall = min(walls)
        if base is None:
            base = wall
            continue
        said = re.search(r"(\d+) questions of at most (\d+) bytes, answered by parts of at most "
                         r"(\d+) bytes", done.stdout)
        questions, question, part = map(int, said.groups())
        hops = math.log2(ranks)
        model = questions * hops * (2 * latency + ((question + part) / speed if speed else 0))
        at = f"{speed / 1e6:.0f} MB/s" if speed else "any speed"
        print(f"latency {latency * 1e3:g} ms, {at}: {questions} questions took {wall - base:.2f} s "
              f"longer, the model says {model:.2f} s", flush=True)


def write_documents(path, count, words=10000, topics=20):
    """Documents of 60 words or so, each of two topics."""
    random.seed(1)
    of_topic = [random.sample(range(words), 500) for _ in range(topics)]
    with open(path, "w") as file:
        for _ in range(count):
            two = random.sample(of_topic, 2)
            drawn = [two[i % 2][int(500 * random.random() ** 2)] for i in range(60)]
            file.write(" ".join(f"w{w}" for w in drawn) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--records", type=int, default=300000)
    parser.add_argument("--documents", type=int, default=300000)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--folder", type=pathlib.Path, help="for the data, kept for the next time")
    parser.add_argument("--only", default="stream,topics,network")
    options = parser.parse_args()
    asked = options.only.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        program = options.program.resolve()
        points = folder / f"points{options.records}"
        if not points.exists():
            subprocess.run([program, "generate", "points", "-d", "500", "-k", "5", "-n",
                            str(options.records), "--out", points], check=True, capture_output=True)
        if "stream" in asked:
            compare("stream d=500", [program, "stream", points / "points.npy", "-k", 2, "-R", 100,
                                     "--batch", options.records // 4, "--passes", 100,
                                     "--threads", 1], options.ranks)
        if "network" in asked:
            with_slow_network(program, points / "points.npy", options.ranks,
                              pathlib.Path(temporary))
        if "topics" in asked:
            texts = folder / f"documents{options.documents}.txt"
            if not texts.exists():
                write_documents(texts, options.documents)
            compare(f"topics, {options.documents} documents",
                    [program, "topics", texts, "-k", 20, "--threads", 1], options.ranks)


if __name__ == "__main__":
    main()
