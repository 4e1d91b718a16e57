#!/usr/bin/env python3
"""Checks the arrows of the house: which folder may include which, and the one door out.

ARROWS is the picture of docs/architecture.md. A folder may include itself, what its arrow names,
and all that stands below those. Tests may include anything that is below their folder or beside it
in a `testing` folder; decompose must never see privacy, and privacy never a tensor. ReleaseAccess,
which opens sensitive data, is defined in release/ alone, and its header is included there alone: not
in the program, the benchmarks or the tests of other folders. Noise is drawn for data in one place,
release/private_run: nothing else of the library or the program opens a stream or keeps a ledger.
"""
import pathlib
import re
import sys

ARROWS = {
    "base": [],
    "linalg": ["base"],
    "tensor": ["linalg"],
    "privacy": ["base"],
    "moments": ["tensor"],
    "release": ["decompose", "moments", "privacy"],
    "decompose": ["tensor"],
    "synthetic": ["decompose", "moments"],
    "models": ["release"],
    "complete": ["release"],
    "io": ["tensor"],
    "tasks": ["models", "complete", "io", "release"],
    "report": ["tasks"],
    "study": ["tasks", "report", "synthetic"],
}
DOOR = re.compile(r"(struct|class)\s+(sotto::)?ReleaseAccess\s*(final\s*)?[{:]")
DOOR_HEADER = "sotto/release/access.h"
NOISE = re.compile(r"\bopen_stream\b|\bLedger\b")
NOISE_HOMES = ("sotto/privacy/", "sotto/release/private_run.")
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
    for path in sources(root, "sotto", "cli", "bench", "tests", "examples"):
        if path.is_relative_to(root / "sotto" / "release"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            if DOOR.search(line):
                yield f"{place}: ReleaseAccess may be defined in release/ only"
            match = INCLUDE.match(line)
            if match and match.group(1) == DOOR_HEADER:
                yield f"{place}: {DOOR_HEADER} may be included in release/ only"


def violations_of_the_one_run(root):
    for path in sources(root, "sotto", "cli"):
        name = path.relative_to(root).as_posix()
        if name.startswith(NOISE_HOMES) or name.endswith("_test.cc"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if NOISE.search(line.split("//")[0]):
                yield f"{name}:{number}: noise is drawn and recorded by release/private_run alone"


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


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = [*violations_of_the_arrows(root), *violations_of_the_door(root),
             *violations_of_the_one_run(root)]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
