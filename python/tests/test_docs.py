"""The Python blocks of docs/python.md run, in order, and print what the page says.

Noise reaches some of the numbers that they print. So numbers are compared by their form alone, but
for those that have no noise. The page breaks long lines.
"""
from __future__ import annotations

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"\d+(\.\d+)?(e-?\d+)?")


def blocks():
    """(line, code, what it prints or None), in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    found = [(text.count("\n", 0, match.start()) + 1, *match.groups())
             for match in BLOCK.finditer(text)]
    for n, (line, language, code) in enumerate(found):
        if language == "python":
            following = found[n + 1] if n + 1 < len(found) else (0, "", "")
            yield line, code, following[2] if following[1] == "text" else None


def words(text):
    return " ".join(text.split())


def form(text):
    return NUMBER.sub("0", words(text))


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pyarrow")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for line, code, expected in blocks():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(PAGE), "exec"), session)
        where = f"{PAGE.name}, line {line}"
        assert form(printed.getvalue()) == form(expected or ""), where
        if "account" in code or "budget.spent" in code:  # no noise in these
            assert words(printed.getvalue()) == words(expected), where
        count += 1
    assert count > 15


def test_every_text_block_belongs_to_code():
    languages = [match.group(1) for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert all(before == "python" for before, after in zip(languages, languages[1:])
               if after == "text")
    assert set(languages) <= {"python", "text", "sh"}


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / target).exists(), target
