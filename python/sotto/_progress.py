"""How far a fit is: a bar, or a function of the caller's."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def reporter(progress: Any, name: str) -> Iterator[Callable[[str, int, int], bool | None] | None]:
    """`progress`: None or False for silence, True for a bar, or a function(stage, done, total).

    A function that returns False stops the fit.
    """
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        with _bar(name) as report:
            yield report


@contextlib.contextmanager
def _bar(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """tqdm where it is installed, which knows notebooks; else one line on a terminal."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _line
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
        return
    with tqdm(desc=name, leave=False) as bar:
        def report(stage: str, done: int, total: int) -> None:
            bar.total = total or None
            bar.n = done
            bar.set_postfix_str(stage)

        yield report


def _line(stage: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        share = f"{100 * done / total:3.0f}% " if total else ""
        sys.stderr.write(f"\r\033[K{share}{stage}")
        sys.stderr.flush()
