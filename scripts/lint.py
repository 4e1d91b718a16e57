#!/usr/bin/env python3
"""clang-tidy over the library, the program and the Python module; any finding fails.

The sources of a folder are joined into one text and checked together, since the headers they share
take most of the time. A file that includes them would not do: the analyzer looks only at the main
file. Findings are reported at the file and line they belong to. A batch that was clean is not
checked again until one of its sources, a header it reaches, or a rule changes (build/lint).

  lint.py [--jobs N]               every source
  lint.py --since COMMIT [..]      sources that changed since COMMIT, or whose headers did
"""
import argparse
import concurrent.futures
import functools
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH_LINES = 4000
CLEAN = ROOT / "build" / "lint"
# Defines what another file of its folder defines, too: a program has one of the two.
STAND_INS = {ROOT / "cluster" / "one_rank.cc"}
FLAGS = ["-std=c++20", "-DFMT_SHARED", "-DEIGEN_MAX_ALIGN_BYTES=64", "-fopenmp", f"-I{ROOT}",
         f"-I{ROOT}/build/debug/generated", "-isystem", "/usr/include/eigen3",
         "-Wno-unknown-warning-option"]


def all_sources():
    return [path for folder in ("sotto", "cli", "cluster", "python")
            for path in sorted((ROOT / folder).rglob("*.cc"))
            if not path.name.endswith("_test.cc") and "testing" not in path.parts]


PYTHON_INCLUDES = """
import nanobind, sysconfig
print("-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_paths()["include"])
"""


def add_python_flags():
    """The headers of Python and nanobind, which are in an environment of their own."""
    subprocess.run([ROOT / "scripts" / "python_env.sh"], check=True)
    found = subprocess.run([ROOT / "build" / "venv" / "bin" / "python", "-c", PYTHON_INCLUDES],
                           check=True, capture_output=True, text=True).stdout
    FLAGS.extend([*found.split(), "-DSOTTO_MODULE=_core"])


def add_mpi_flags():
    """The headers of MPI, where it is installed; without them nothing can be said of its ranks."""
    try:
        shown = subprocess.run(["mpicxx", "--showme:incdirs"], check=True, capture_output=True,
                               text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        sys.exit("lint: mpicxx is missing: install libopenmpi-dev")
    for folder in shown.split():
        FLAGS.extend(["-isystem", folder])


@functools.cache
def includes(path):
    return {ROOT / name for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(),
                                               re.MULTILINE)}


def reached(paths):
    """The project's headers that these sources include, directly or not."""
    found, left = set(), list(paths)
    while left:
        new = {path for path in includes(left.pop()) if path.is_file()} - found
        found |= new
        left += new
    return found


def key_of(batch):
    """What the findings of a batch depend on."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True).stdout
    digest = hashlib.sha256(version + repr(FLAGS).encode() + (ROOT / ".clang-tidy").read_bytes())
    for path in [*batch, *sorted(reached(batch))]:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def changed_sources(commit):
    """The sources that changed since a commit, or that directly include a changed header."""
    listed = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", commit, "--"],
                            cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(f"lint: {listed.stderr.strip()}")
    changed = {ROOT / name for name in listed.stdout.split()}
    headers = {path for path in changed if path.suffix == ".h"}
    return [path for path in all_sources() if path in changed or includes(path) & headers]


def batches(paths):
    """Sources of one folder, up to BATCH_LINES lines together."""
    batch, lines, folder = [], 0, None
    for path in paths:
        length = path.read_text().count("\n")
        if batch and (path.parent != folder or lines + length > BATCH_LINES or path in STAND_INS):
            yield batch
            batch, lines = [], 0
        batch.append(path)
        lines, folder = lines + length, path.parent
    if batch:
        yield batch


def check(batch):
    """The findings in a batch, each at its own file and line."""
    clean = CLEAN / key_of(batch)
    if clean.exists():
        return 0, ""
    text, starts = "", []
    for path in batch:
        starts.append((text.count("\n"), path))
        text += path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        joined = pathlib.Path(folder) / f"{batch[0].parent.name}.cc"
        joined.write_text(text)
        found = subprocess.run(
            ["clang-tidy", "--quiet", f"--config-file={ROOT}/.clang-tidy", "--warnings-as-errors=*",
             str(joined), "--", *FLAGS], capture_output=True, text=True)

        def place(match):
            line = int(match.group(1))
            before, path = max((s for s in starts if s[0] < line), key=lambda s: s[0])
            return f"{path.relative_to(ROOT)}:{line - before}:"
        output = re.sub(re.escape(str(joined)) + r":(\d+):", place, found.stdout)
    if found.returncode == 0:
        clean.touch()
    return found.returncode, output


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--since", metavar="COMMIT")
    options = parser.parse_args()
    subprocess.run(["cmake", "--preset", "debug"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    sources = changed_sources(options.since) if options.since else all_sources()
    if any(path.is_relative_to(ROOT / "python") for path in sources):
        add_python_flags()
    if any(path.is_relative_to(ROOT / "cluster") for path in sources):
        add_mpi_flags()
    CLEAN.mkdir(parents=True, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for code, output in pool.map(check, batches(sources)):
            failed += code != 0
            if output:
                print(output, end="", flush=True)
    print(f"lint: {len(sources)} sources, " + ("findings above" if failed else "clean"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
