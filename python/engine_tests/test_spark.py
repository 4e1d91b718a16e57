"""Fits of a Spark DataFrame, whose executors are processes of their own."""
import os
import pathlib
import signal
import sys

import numpy as np
import pyspark
import pytest
import sotto
from conftest import Interrupted, same
from pyspark.sql import SparkSession
from sotto._spark import SparkEngine


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Two executors with one core and 1 GB each, and tasks that are started twice when slow."""
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["SPARK_WORKER_DIR"] = str(tmp_path_factory.mktemp("executors"))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local-cluster[2,1,1024]")
               .config("spark.ui.enabled", "false")
               .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
               .config("spark.sql.shuffle.partitions", "4")
               .config("spark.speculation", "true")
               .getOrCreate())
    yield session
    session.stop()


def in_order(spark, folder):
    """Partitions in the order of the files."""
    frames = [spark.read.parquet(str(path)).coalesce(1)
              for path in sorted(folder.glob("*.parquet"))]
    whole = frames[0]
    for other in frames[1:]:
        whole = whole.union(other)
    return whole


@pytest.fixture
def frame(spark, data):
    return in_order(spark, data.folder)


@pytest.fixture
def note_frame(spark, notes):
    return in_order(spark, notes.folder)


def executors():
    """The processes of Spark's executors that descend from this one."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue

    def is_ours(process):
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [process for process in found if is_ours(process)]


def kill_one():
    os.kill(executors()[0], signal.SIGKILL)


def test_a_mixture_has_the_bits_of_one_process(frame, data):
    alone = sotto.GaussianMixture(3, random_state=0).fit(data.rows)
    found = sotto.GaussianMixture(3, random_state=0).fit(frame)
    assert same(found, alone)
    assert found.feature_names_in_.tolist() == frame.columns


def test_a_stream_has_the_bits_of_one_process(frame, data):
    alone = sotto.StreamDecomposition(2, random_state=0).fit(data.rows)
    found = sotto.StreamDecomposition(2, random_state=0).fit(frame)
    assert (found.components_ == alone.components_).all()


def test_executors_that_are_killed_change_nothing(frame, data, monkeypatch):
    alone = sotto.GaussianMixture(3, random_state=0).fit(data.rows)
    watched = Interrupted(monkeypatch, SparkEngine, 4, kill_one)
    found = sotto.GaussianMixture(3, random_state=0).fit(frame)
    assert watched.asked > 4 and same(found, alone)


def test_a_private_fit(frame):
    privacy = sotto.Privacy(epsilon=2, delta=1e-6, unit="record")
    model = sotto.GaussianMixture(3, privacy=privacy, max_norm=6).fit(frame)
    assert model.certificate_.epsilon <= 2


def test_bad_records_are_refused(spark):
    holes = spark.createDataFrame([(1.0, 2.0), (None, 1.0), (3.0, 4.0)], "a double, b double")
    with pytest.raises(Exception, match="missing in column a"):
        sotto.GaussianMixture(1).fit(holes)
    words = spark.createDataFrame([("x", 1.0)], "a string, b double")
    with pytest.raises(sotto.Refused, match="column a"):
        sotto.GaussianMixture(1).fit(words)


def test_topics_are_those_of_the_command_line(note_frame, notes):
    found = sotto.TopicModel(2, random_state=0).fit(note_frame, column="note")
    assert np.array_equal(found.components_, notes.public)


def test_executors_that_are_killed_change_no_topics(note_frame, notes, monkeypatch):
    watched = Interrupted(monkeypatch, SparkEngine, 4, kill_one)
    found = sotto.TopicModel(2, random_state=0).fit(note_frame, column="note")
    assert watched.asked > 4 and np.array_equal(found.components_, notes.public)


def test_private_topics_are_those_of_the_command_line(note_frame, notes, private_topics):
    private_topics.fit(note_frame, column="note")
    assert np.array_equal(private_topics.components_, notes.private)


def test_columns_without_documents_are_refused(note_frame):
    with pytest.raises(sotto.Refused, match="2 columns"):
        sotto.TopicModel(2).fit(note_frame)
    with pytest.raises(sotto.Refused, match="n has no text"):
        sotto.TopicModel(2).fit(note_frame, column="n")
