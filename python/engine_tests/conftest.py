"""Points and documents in several files, which both engines read."""
import pathlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sotto

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
from data import points, texts  # noqa: E402

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


class Notes:
    """Documents, and the topics that the command line finds in all of them."""

    ENDS = [0, 1, 2500, 2500, 2503, 9000, 13000]  # of the files; one has no documents
    PRIVATE = ["--epsilon", "20", "--delta", "1e-6", "--insecure-seed", "7"]

    def __init__(self, folder):
        self.folder = folder
        self.texts = texts(self.ENDS[-1])
        for number, (first, last) in enumerate(zip(self.ENDS, self.ENDS[1:])):
            pq.write_table(pa.table({"n": pa.array(range(first, last), pa.int64()),
                                     "note": pa.array(self.texts[first:last], pa.string())}),
                           folder / f"part-{number}.parquet")
        (folder / "all.txt").write_text("\n".join(self.texts) + "\n")
        self.public = self._command_line("public")
        self.private = self._command_line("private", *self.PRIVATE)

    def _command_line(self, name, *options):
        out = self.folder / name
        subprocess.run([sys.executable, "-m", "sotto._cli", "topics", self.folder / "all.txt", "-k",
                        "2", "--format", "text", "--out", out, *options],
                       check=True, stdout=subprocess.DEVNULL)
        return np.load(out / "topics.npy").T


@pytest.fixture(scope="session")
def notes(tmp_path_factory):
    return Notes(tmp_path_factory.mktemp("notes"))


@pytest.fixture
def private_topics(monkeypatch):
    """A model whose noise repeats, which no estimator offers: its certificate proves nothing."""
    target = sotto.TopicModel._target
    monkeypatch.setattr(sotto.TopicModel, "_target",
                        lambda self: {**target(self), "insecure_seed": 7})
    return sotto.TopicModel(2, random_state=0,
                            privacy=sotto.Privacy(epsilon=20, delta=1e-6, unit="document"))


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
