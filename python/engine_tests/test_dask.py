"""Fits of a Dask DataFrame, by workers in processes of their own and by threads."""
import os
import signal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sotto
from conftest import Interrupted, same
from distributed import Client, LocalCluster
from sotto._dask import DaskEngine


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as found:
        yield found


@pytest.fixture
def frame(data):
    return dd.concat([dd.read_parquet(path) for path in sorted(data.folder.glob("*.parquet"))])


@pytest.fixture
def note_frame(notes):
    return dd.concat([dd.read_parquet(path) for path in sorted(notes.folder.glob("*.parquet"))])


def kill_one(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def test_a_mixture_has_the_bits_of_one_process(client, frame, data):
    alone = sotto.GaussianMixture(3, random_state=0).fit(data.rows)
    found = sotto.GaussianMixture(3, random_state=0).fit(frame)
    assert same(found, alone)
    assert found.feature_names_in_.tolist() == list(frame.columns)


def test_workers_that_are_killed_change_nothing(client, frame, data, monkeypatch):
    alone = sotto.GaussianMixture(3, random_state=0).fit(data.rows)
    watched = Interrupted(monkeypatch, DaskEngine, 4, lambda: kill_one(client))
    found = sotto.GaussianMixture(3, random_state=0).fit(frame)
    assert watched.asked > 4 and same(found, alone)


def test_threads_of_this_process(frame, data):
    alone = sotto.StreamDecomposition(2, random_state=0).fit(data.rows)
    found = sotto.StreamDecomposition(2, random_state=0).fit(frame)
    assert (found.components_ == alone.components_).all()


def test_a_private_fit(client, frame):
    privacy = sotto.Privacy(epsilon=2, delta=1e-6, unit="record")
    model = sotto.GaussianMixture(3, privacy=privacy, max_norm=6).fit(frame)
    assert model.certificate_.epsilon <= 2


def test_bad_records_are_refused(client):
    holes = dd.from_pandas(pd.DataFrame({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]}), 2)
    with pytest.raises(sotto.Refused, match="NaN"):
        sotto.GaussianMixture(1).fit(holes)
    words = dd.from_pandas(pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), 2)
    with pytest.raises(sotto.Refused, match="column a"):
        sotto.GaussianMixture(1).fit(words)


def test_topics_are_those_of_the_command_line(client, note_frame, notes):
    found = sotto.TopicModel(2, random_state=0).fit(note_frame, column="note")
    assert np.array_equal(found.components_, notes.public)


def test_workers_that_are_killed_change_no_topics(client, note_frame, notes, monkeypatch):
    watched = Interrupted(monkeypatch, DaskEngine, 4, lambda: kill_one(client))
    found = sotto.TopicModel(2, random_state=0).fit(note_frame, column="note")
    assert watched.asked > 4 and np.array_equal(found.components_, notes.public)


def test_private_topics_are_those_of_the_command_line(client, note_frame, notes, private_topics):
    private_topics.fit(note_frame, column="note")
    assert np.array_equal(private_topics.components_, notes.private)


def test_columns_without_documents_are_refused(client, note_frame):
    with pytest.raises(sotto.Refused, match="2 columns"):
        sotto.TopicModel(2).fit(note_frame)
    with pytest.raises(sotto.Refused, match="n has no text"):
        sotto.TopicModel(2).fit(note_frame, column="n")
