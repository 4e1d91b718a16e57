#!/usr/bin/env python3
"""Builds and runs the tests and ends with a line "N passed, N failed".

Default: the fast tests in a release build. The unit tests of the folders that read foreign
bytes, index memory by hand or draw noise run under the address and undefined-behaviour sanitizers
(cmake/tests.cmake), and the Python package has its own (python/tests). --slow: the statistical and
scaling tests instead, the report page in a browser, the notebooks, fits over Spark and Dask, and the
whole project under the sanitizers, the Python package included, which takes as long to compile as
everything else; the folders that start threads under the thread sanitizer, with Clang; and small runs
of all commands, built for plain x86-64, under valgrind.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def succeeds(command):
    """Runs it; the text of a failure is printed whole."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode != 0:
        print(done.stdout)
    return done.returncode == 0


def build(preset, jobs, targets=(), settings=()):
    """Configures and builds."""
    what = " ".join([preset, *targets])
    print(f"{what}: building", flush=True)
    compile_ = ["cmake", "--build", "--preset", preset, "-j", str(jobs)]
    if targets:
        compile_ += ["--target", *targets]
    if not (succeeds(["cmake", "--preset", preset, *settings]) and succeeds(compile_)):
        return False
    print(f"{what}: built", flush=True)
    return True


PYTHON = ROOT / "build" / "venv" / "bin" / "python"


def build_python(environment, jobs, preset="release", others=()):
    """The extension module, over the libraries of this build, and these targets."""
    return environment.result() and build(
        preset, jobs, ["sotto_python", *others],
        ["-DSOTTO_PYTHON=ON", f"-DPython_EXECUTABLE={PYTHON}"])


def run_python(preset="release"):
    """Runs the tests of the Python package and returns (passed, failed)."""
    report = ROOT / "build" / preset / "junit-python.xml"
    report.unlink(missing_ok=True)
    subprocess.run(["scripts/test_python.sh", preset, f"--junit-xml={report}"], cwd=ROOT)
    if not report.exists():
        return 0, 1
    suite = ElementTree.parse(report).getroot().find("testsuite")
    total, skipped = int(suite.get("tests")), int(suite.get("skipped"))
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    return total - skipped - failed, failed


def run_as_one_test(command):
    done = subprocess.run(command, cwd=ROOT)
    return (1, 0) if done.returncode == 0 else (0, 1)


def run(preset, labels, jobs):
    """Runs the tests with these labels and returns (passed, failed)."""
    report = ROOT / "build" / preset / f"junit-{labels.replace('|', '-')}.xml"
    report.unlink(missing_ok=True)
    subprocess.run(
        ["ctest", "--test-dir", str(ROOT / "build" / preset), "-L", f"^({labels})$",
         "-j", str(jobs), "--output-on-failure", "--no-tests=error", "--output-junit", str(report)])
    if not report.exists():
        return 0, 1
    suite = ElementTree.parse(report).getroot()
    total = int(suite.get("tests"))
    failed = total - sum(1 for case in suite.iter("testcase") if case.get("status") == "run")
    return total - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    runs = [("release", "slow|browser"), ("asan", "unit|e2e"),
            ("tsan-threads", "unit")] if options.slow else [
        ("release", "unit|check|e2e|package"), ("asan-foundation", "unit")]
    # Several tests share the processors: threads that wait must leave them to others.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # Clang's OpenMP tells the thread sanitizer what it orders, but is not compiled with it.
    os.environ.setdefault("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(1) as builder, \
            concurrent.futures.ThreadPoolExecutor(1) as fetcher:
        environment = fetcher.submit(succeeds, ["scripts/python_env.sh"])
        # The next build goes on while the tests of the last one run: neither keeps all processors
        # busy by itself.
        builds = [builder.submit(build, preset, options.jobs,
                                 ["sotto_cli", "slow_tests"] if "slow" in labels else [])
                  for preset, labels in runs[:1]]
        python = builder.submit(build_python, environment, options.jobs)
        if options.slow:
            builds.append(builder.submit(build_python, environment, options.jobs, "asan", ["all"]))
            builds.append(builder.submit(build, "tsan-threads", options.jobs))
            plain = builder.submit(build, "deb", options.jobs, ["sotto_cli"])
        else:
            builds.append(builder.submit(build, "asan-foundation", options.jobs))
        # Before the first test runs: configuring again writes the list of tests anew.
        ready = builds[0].result() and python.result()
        for (preset, labels), built in zip(runs, builds):
            if not (ready and built.result()):
                builder.shutdown(cancel_futures=True)
                sys.exit(f"{preset}: the build failed")
            p, f = run(preset, labels, 1 if "slow" in labels else options.jobs)
            passed, failed = passed + p, failed + f
            if preset == "release":
                # On one processor, beside what follows.
                others = [fetcher.submit(run_python)]
                if options.slow:
                    # Each target fetches an environment of its own.
                    others += [fetcher.submit(run_as_one_test, ["make", name])
                               for name in ("notebooks", "test-engines")]
        if options.slow:
            others.append(fetcher.submit(run_python, "asan"))
            if not plain.result():
                sys.exit("deb: the build failed")
            others.append(fetcher.submit(run_as_one_test,
                                         [sys.executable, "tests/valgrind/test_valgrind.py",
                                          "build/deb/sotto"]))
        for tests in others:
            p, f = tests.result()
            passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
