"""Points in several files, which both engines read."""
import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
from data import points  # noqa: E402

NAMES = list("abcdefgh")
ENDS = [0, 1, 2500, 2500, 2503, 19000, 40000]  # of the files; one has no records


class Data:
    def __init__(self, folder):
        self.folder = folder
        self.rows = points(ENDS[-1], dim=len(NAMES))[0]
        for number, (first, last) in enumerate(zip(ENDS, ENDS[1:])):
            columns = {name: self.rows[first:last, j] for j, name in enumerate(NAMES)}
            pq.write_table(pa.table(columns), folder / f"part-{number}.parquet")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    return Data(tmp_path_factory.mktemp("points"))


class Interrupted:
    """Does something once, before the given question of an engine."""

    def __init__(self, monkeypatch, engine, question, action):
        self.asked = 0
        ask = engine.ask

        def watched(this, answer):
            self.asked += 1
            if self.asked == question:
                action()
            return ask(this, answer)

        monkeypatch.setattr(engine, "ask", watched)


def same(found, expected):
    """To the last bit."""
    return all(np.array_equal(getattr(found, name), getattr(expected, name))
               for name in ("means_", "weights_", "covariances_"))
