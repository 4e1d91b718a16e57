#!/usr/bin/env python3
"""Builds libFuzzer over the targets of tests/fuzz and runs it, some minutes a target.

  scripts/fuzz.py --minutes 10 --targets ratings,points

Inputs that lead to new code are kept in build/fuzz/corpus/TARGET and are where the next run begins.
An input that fails is written to build/fuzz/failed-TARGET-*; once the bug is mended it belongs in
tests/fuzz/regressions/TARGET, which `make test` replays.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
TARGETS = ["tensor", "corpus", "points", "ratings", "options", "checkpoint", "ledger", "model",
           "certificate", "parts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "fuzz", "-j", str(options.jobs), "--target",
                    "fuzz", "fuzz_replay"], cwd=ROOT, check=True)
    subprocess.run([BUILD / "fuzz_replay", "--write", BUILD / "seeds"], check=True)
    failed = []
    for target in options.targets.split(","):
        corpus = BUILD / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        regressions = ROOT / "tests" / "fuzz" / "regressions" / target
        print(f"{target}: {options.minutes:g} minutes", flush=True)
        done = subprocess.run(
            [BUILD / "fuzz", corpus, BUILD / "seeds" / target,
             *([regressions] if regressions.is_dir() else []),
             f"-max_total_time={round(60 * options.minutes)}", "-max_len=65536", "-timeout=2",
             "-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-print_final_stats=1",
             f"-dict={ROOT / 'tests' / 'fuzz' / 'words.dict'}",
             f"-artifact_prefix={BUILD / 'failed'}-{target}-"],
            env={**os.environ, "SOTTO_FUZZ": target, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            failed.append(target)
    print("failed: " + ", ".join(failed) if failed else "nothing failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
