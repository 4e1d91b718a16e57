#!/usr/bin/env python3
"""Runs the notebooks of this folder, each in a kernel of its own and in an empty folder.

It ends with a line "N passed, N failed" and fails if a cell does. --write stores the outputs; noise
differs from run to run, and so do they. It needs the package sotto, and those in requirements.txt.
"""
from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = pathlib.Path(__file__).resolve().parent
SECONDS = 300  # for one cell


def run(path: pathlib.Path, write: bool) -> bool:
    """Whether all cells of a notebook run."""
    notebook = nbformat.read(path, as_version=4)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as empty:
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3",
                                resources={"metadata": {"path": empty}}, record_timing=False)
        try:
            client.execute()
        except CellExecutionError as error:
            print(f"{path.name}: failed\n{error}")
            return False
    print(f"{path.name}: {time.monotonic() - began:.0f} s", flush=True)
    if write:
        notebook.metadata.pop("widgets", None)
        notebook.metadata["language_info"] = {"name": "python"}
        nbformat.write(notebook, path)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    results = [run(path, options.write)
               for path in options.notebooks or sorted(FOLDER.glob("*.ipynb"))]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
