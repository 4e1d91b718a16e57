#!/usr/bin/env python3
"""Writes the headers that are installed: one for each folder of sotto/, made of its public headers,
and sotto.h, which includes what it needs.

usage: public_headers.py VERSION_HEADER FOLDER

cmake/public_headers.txt names the public headers, each after those of its folder that it includes.
What an installed header includes is then another folder's, and folders have no cycles.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRONT = "sotto/sotto.h"
VERSION = "sotto/base/version.h"
OWN_INCLUDE = re.compile(r'^#include "(sotto/[^"]+)"\n', re.M)
OTHER_INCLUDE = re.compile(r"^#include <[^>]+>\n", re.M)
# What is for this project's own targets alone (linalg/matrix.h).
OWN_TARGETS = re.compile(r"^#ifdef SOTTO_MENDS_EIGEN.*?^#endif\n", re.M | re.S)


def public_headers():
    return (ROOT / "cmake" / "public_headers.txt").read_text().split()


def installed_name(header):
    """sotto/complete/fit/model.h is installed in sotto/complete.h."""
    return header if header == FRONT else "/".join(header.split("/")[:2]) + ".h"


def by_installed_name():
    """The public headers in each installed one."""
    parts = {}
    for header in public_headers():
        parts.setdefault(installed_name(header), []).append(header)
    return parts


def body(text):
    """A header without its includes."""
    for pattern in OWN_TARGETS, OWN_INCLUDE, OTHER_INCLUDE, re.compile(r"^#pragma once\n", re.M):
        text = pattern.sub("", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def joined(name, texts):
    own = {installed_name(header) for text in texts for header in OWN_INCLUDE.findall(text)} - {name}
    other = {line for text in texts for line in OTHER_INCLUDE.findall(text)}
    includes = ["".join(sorted(other)), "".join(f'#include "{header}"\n' for header in sorted(own))]
    return "\n".join(["#pragma once\n", *filter(None, includes), *map(body, texts)])


def main():
    version, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(folder / "sotto", ignore_errors=True)  # headers that are no longer public
    (folder / "sotto").mkdir(parents=True)
    for name, headers in by_installed_name().items():
        texts = [(version if header == VERSION else ROOT / header).read_text()
                 for header in headers]
        (folder / name).write_text(joined(name, texts))


if __name__ == "__main__":
    main()
