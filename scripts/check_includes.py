#!/usr/bin/env python3
"""Checks the arrows between folders: which folder may include which, and the one door out.

ARROWS is the picture of docs/architecture.md. A folder may include itself, what its arrow names,
and all that those may include. The rooms of a folder (ROOMS) are ordered in the same way.
Tests may include anything that is below their folder or beside it in a `testing` folder; decompose
must never see privacy, and privacy never a tensor. ReleaseAccess, which opens sensitive data, is
defined in release/ alone, and its header is included there alone: not in the program, the benchmarks
or the tests of other folders. Noise is drawn for data in one place,
release/private_run: nothing else of the library or the program opens a stream or keeps a ledger. An
observer of releases is handed to a run by the audit alone.
Threads are started in one place, too: base/parallel.

FRONTS are the programs over the library: the commands of cli/ and the Python module. Each names the
folders it may see: fronts hold options, tasks and results, never the parts a task is made of. Single
headers beyond that are listed one by one; one that is not needed any more must be removed.
"""
import pathlib
import re
import sys

ARROWS = {
    "base": [],
    "linalg": ["base"],
    "tensor": ["linalg"],
    "privacy": ["base"],
    "ledger": ["privacy"],
    # Shares nothing with a run but the accountant.
    "verify": ["privacy"],
    # Judges what runs released; sees no data and starts no run.
    "audit": ["privacy"],
    "moments": ["tensor"],
    "release": ["decompose", "moments", "ledger"],
    "decompose": ["tensor"],
    "synthetic": ["decompose", "moments"],
    "models": ["release"],
    "complete": ["release"],
    "io": ["tensor"],
    "tasks": ["models", "complete", "io", "release"],
    "report": ["tasks"],
    "study": ["tasks", "report", "synthetic"],
    # The front of the library.
    "sotto.h": ["tasks"],
}
FRONTS = {
    "cli": (["base", "io", "ledger", "tasks", "report", "study", "synthetic", "verify",
             "audit"], [
        # `sotto account` shows the accountant, which sees no data.
        "sotto/privacy/accountant.h",
        "sotto/privacy/parse_spends.h",
        # What `--plan` prints: made of public numbers.
        "sotto/release/plan.h",
        # The options that all private commands share.
        "sotto/release/privacy_options.h",
        # What an audit claims of a run, and how it looks at one.
        "sotto/privacy/certificate.h",
        "sotto/release/observer.h",
    ]),
    # Carries questions and answers as bytes, and knows nothing of them.
    "cluster": (["base"], []),
    # It makes the data of tasks from arrays, so it sees the containers, too.
    "python/bindings": (["base", "io", "tasks", "report", "tensor", "linalg"], [
        "sotto/sotto.h",
        "sotto/privacy/accountant.h",
        "sotto/privacy/gdp.h",
        "sotto/privacy/run_cost.h",
        # The place of a fit in its ledger.
        "sotto/release/privacy_options.h",
        # Solvers on their own, over any object that answers.
        "sotto/decompose/power.h",
        "sotto/decompose/whitening.h",
        # Documents in the workers of an engine.
        "sotto/moments/documents.h",
        # What a released model says of new data.
        "sotto/models/people_factors.h",
        "sotto/models/topic_evaluation.h",
    ]),
}
# The rooms of a folder, lowest first: each may include itself and those before it.
ROOMS = {"complete": ["kernels", "fit", "private"]}
DOOR = re.compile(r"(struct|class)\s+(sotto::)?ReleaseAccess\s*(final\s*)?[{:]")
DOOR_HEADER = "sotto/release/access.h"
NOISE = re.compile(r"\bopen_stream\b|\bLedger\b")
NOISE_HOMES = ("sotto/privacy/", "sotto/release/private_run.")
# Whoever looks at releases is an audit.
OBSERVER = re.compile(r"\bReleaseObserver\b|\bobserver\s*=[^=]|release/observer\.h")
OBSERVER_HOMES = ("sotto/release/", "cli/audit_runs.cc")
# An exception that leaves a parallel region ends the program: these loops carry it out.
LOOP = re.compile(r"\s*#\s*pragma\s+omp\s+parallel\b")
LOOP_HOME = "sotto/base/parallel."
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def below(folder):
    reached = {folder}
    for target in ARROWS[folder]:
        reached |= below(target)
    return reached


def sources(root, *folders):
    for folder in folders:
        yield from (path for path in sorted((root / folder).rglob("*"))
                    if path.suffix in (".h", ".cc"))


def violations_of_the_door(root):
    for path in sources(root, "sotto", "cli", "python", "bench", "tests", "examples"):
        if path.is_relative_to(root / "sotto" / "release"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            if DOOR.search(line):
                yield f"{place}: ReleaseAccess may be defined in release/ only"
            match = INCLUDE.match(line)
            if match and match.group(1) == DOOR_HEADER:
                yield f"{place}: {DOOR_HEADER} may be included in release/ only"
    # A header that includes it would give the door to all who include that header.
    for path in sources(root, "sotto/release"):
        if path.suffix == ".h" and DOOR_HEADER in included_by(path):
            yield (f"{path.relative_to(root)}: {DOOR_HEADER} may be included in the sources of "
                   "release/, not in its headers")


def included_by(path):
    return [match.group(1) for match in map(INCLUDE.match, path.read_text().splitlines()) if match]


def violations_of_the_fronts(root):
    for front, (folders, also) in FRONTS.items():
        seen = set()
        for path in sources(root, front):
            for target in included_by(path):
                seen.add(target)
                parts = target.split("/")
                if parts[0] != "sotto" or parts[1] in folders or target in also:
                    continue
                yield f"{path.relative_to(root)}: {front} may not include {target}"
        if seen:
            for target in sorted(set(also) - seen):
                yield (f"scripts/check_includes.py: {front} includes {target} no more: "
                       "strike it off")


def violations_of_the_one_run(root):
    for path in sources(root, "sotto", *FRONTS):
        name = path.relative_to(root).as_posix()
        if name.startswith(NOISE_HOMES) or name.endswith("_test.cc"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if NOISE.search(line.split("//")[0]):
                yield f"{name}:{number}: noise is drawn and recorded by release/private_run alone"


def violations_of_the_observer(root):
    for path in sources(root, "sotto", *FRONTS):
        name = path.relative_to(root).as_posix()
        if name.startswith(OBSERVER_HOMES):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if OBSERVER.search(line.split("//")[0]):
                yield f"{name}:{number}: only an audit looks at the releases of a run"


def violations_of_the_arrows(root):
    for path in sources(root, "sotto"):
        folder = path.relative_to(root / "sotto").parts[0]
        if folder not in ARROWS:
            yield f"{path.relative_to(root)}: folder {folder} is not in the picture"
            continue
        allowed = below(folder)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            parts = target.split("/")
            if parts[0] != "sotto" or len(parts) < 3:
                yield f'{place}: "{target}" is not under sotto/'
            elif parts[1] not in allowed:
                yield f"{place}: {folder}/ may not include {parts[1]}/"
            elif parts[1] == folder in ROOMS and is_upward(folder, path.parent.name, parts[2]):
                yield f"{place}: {folder}/{path.parent.name}/ may not include {parts[2]}/"


def is_upward(folder, room, target):
    order = ROOMS[folder]
    return room in order and target in order and order.index(target) > order.index(room)


def violations_of_the_loops(root):
    for path in sources(root, "sotto", *FRONTS):
        name = path.relative_to(root).as_posix()
        if name.startswith(LOOP_HOME):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if LOOP.match(line):
                yield f"{name}:{number}: threads are started by base/parallel.h alone"


def violations(root):
    return [*violations_of_the_arrows(root), *violations_of_the_door(root),
            *violations_of_the_one_run(root), *violations_of_the_observer(root),
            *violations_of_the_fronts(root), *violations_of_the_loops(root)]


def main():
    found = violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
