#!/usr/bin/env python3
"""Checks that no module of a wheel has instructions beyond its level of x86-64.

usage: check_levels.py WHEEL

Instructions are told apart by their encoding. AVX, AVX2, FMA and BMI begin with the byte c4 or c5,
AVX-512 with 62; only LZCNT and MOVBE, which level 3 has too, look like older ones. The encoding
does not tell parts of AVX-512 beyond level 4 from those of it, so level 4 is only checked to use
it. Needs objdump; without it nothing is checked.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# First bytes that a level must not have, and names.
FORBIDDEN = {2: ({"c4", "c5", "62"}, {"lzcnt", "movbe"}), 3: ({"62"}, set()), 4: (set(), set())}
PREFIXES = {"26", "2e", "36", "3e", "64", "65", "67"}  # segments and the size of addresses
LINE = re.compile(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(\S+)")
MODULE = re.compile(r"sotto/_core_v([234])\..*so$")


def instructions(module):
    """Pairs of first byte after prefixes and name."""
    with subprocess.Popen(["objdump", "-d", "--section=.text", "--wide", str(module)],
                          stdout=subprocess.PIPE, text=True) as listing:
        for line in listing.stdout:
            found = LINE.match(line)
            if found:
                codes = found[1].split()
                yield next((code for code in codes if code not in PREFIXES), ""), found[2]
    if listing.returncode != 0:
        raise SystemExit(f"objdump failed on {module}")


def check(module, level):
    first, names = FORBIDDEN[level]
    count = {"c4": 0, "c5": 0, "62": 0}
    beyond = total = 0
    for code, name in instructions(module):
        total += 1
        if code in count:
            count[code] += 1
        beyond += code in first or name in names
    verdict = f"{beyond} beyond level {level}" if first else f"nothing known beyond level {level}"
    print(f"{module.name}: {total} instructions, {count['c4'] + count['c5']} of AVX or BMI, "
          f"{count['62']} of AVX-512, {verdict}")
    # A level that used nothing of its own would be a build with wrong flags.
    unused = {2: False, 3: count["c5"] == 0, 4: count["62"] == 0}[level]
    return total > 0 and beyond == 0 and not unused


def main():
    if not shutil.which("objdump"):
        print("no objdump: levels not checked")
        return 0
    good = True
    with zipfile.ZipFile(sys.argv[1]) as wheel, tempfile.TemporaryDirectory() as folder:
        modules = [(name, MODULE.search(name)) for name in wheel.namelist()]
        modules = [(name, int(found[1])) for name, found in modules if found]
        if not modules:
            raise SystemExit("the wheel has no module of a level")
        for name, level in sorted(modules):
            good &= check(pathlib.Path(wheel.extract(name, folder)), level)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
