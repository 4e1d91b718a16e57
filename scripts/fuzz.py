#!/usr/bin/env python3
"""Builds libFuzzer over the targets of tests/fuzz and runs it, some minutes or inputs a target.

  scripts/fuzz.py --minutes 10 --targets ratings,points
  scripts/fuzz.py --inputs 1000000

Inputs that lead to new code are kept in build/fuzz/corpus/TARGET and are where the next run begins.
An input that fails is written to build/fuzz/failed-TARGET-*; once the bug is mended it belongs in
tests/fuzz/regressions/TARGET, which `make test` replays. What libFuzzer says is in
build/fuzz/TARGET.log.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
TARGETS = ["tensor", "corpus", "points", "ratings", "options", "checkpoint", "ledger", "model",
           "certificate", "parts"]


def fuzz(target, length):
    """Whether nothing failed; says how many inputs were tried."""
    corpus = BUILD / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    regressions = ROOT / "tests" / "fuzz" / "regressions" / target
    began = time.monotonic()
    with open(BUILD / f"{target}.log", "w+b") as log:
        done = subprocess.run(
            [BUILD / "fuzz", corpus, BUILD / "seeds" / target,
             *([regressions] if regressions.is_dir() else []), length, "-max_len=65536",
             "-timeout=2", "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-print_final_stats=1",
             f"-dict={ROOT / 'tests' / 'fuzz' / 'words.dict'}",
             f"-artifact_prefix={BUILD / 'failed'}-{target}-"], stderr=log,
            env={**os.environ, "SOTTO_FUZZ": target, "OMP_NUM_THREADS": "1"})
        log.seek(0)
        said = log.read().decode(errors="replace")
    tried = re.search(r"number_of_executed_units: *(\d+)", said)
    print(f"{target}: {tried[1] if tried else 'unknown'} inputs in {time.monotonic() - began:.0f} s"
          + (f", FAILED:\n{said[-4000:]}" if done.returncode != 0 else ""), flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--inputs", type=int, help="this many a target, whatever time they take")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "fuzz", "-j", str(options.jobs), "--target",
                    "fuzz", "fuzz_replay"], cwd=ROOT, check=True)
    subprocess.run([BUILD / "fuzz_replay", "--write", BUILD / "seeds"], check=True)
    length = (f"-runs={options.inputs}" if options.inputs
              else f"-max_total_time={round(60 * options.minutes)}")
    failed = []
    for target in options.targets.split(","):
        if not fuzz(target, length):
            failed.append(target)
    print("failed: " + ", ".join(failed) if failed else "nothing failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
