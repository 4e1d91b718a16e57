"""Loads the extension module that fits this processor.

A wheel has one for each level of x86-64; a build in place has one for its own machine.
"""
from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

# What each level has beyond the one before, as /proc/cpuinfo names it.
_LEVELS = {
    4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    3: {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
}


def processor_level(flags: set[str]) -> int:
    """The highest level of x86-64 (2, 3 or 4) of a processor with these flags."""
    if not _LEVELS[3] <= flags:
        return 2
    return 4 if _LEVELS[4] <= flags else 3


def _flags() -> set[str]:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return set()
    for line in text.splitlines():
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    return set()


@contextlib.contextmanager
def _short_waits() -> Iterator[None]:
    """Threads of modules loaded here leave the processor after some microseconds of waiting.

    By default they wait busily for milliseconds, which slows down whoever shares the processors.
    Their runtime reads this from the environment when it is loaded. Afterwards the environment is
    as before, and other packages keep their way to wait.
    """
    if {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "3000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def load() -> ModuleType:
    """The module of this build, or the best one of a wheel; SOTTO_LEVEL takes a lower one."""
    with _short_waits():
        try:
            return importlib.import_module("sotto._core")
        except ModuleNotFoundError:
            pass
        best = processor_level(_flags())
        level = min(best, int(os.environ.get("SOTTO_LEVEL", best)))
        return importlib.import_module(f"sotto._core_v{level}")


if TYPE_CHECKING:
    from . import _core

    core = _core
else:
    core = load()
