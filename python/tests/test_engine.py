"""Records in partitions: an engine in this process stands for Spark and Dask.

It asks twice, in any order, and passes everything on as bytes, as they do.
"""
import math
import pickle

import numpy as np
import pandas as pd
import pytest
import sotto
from data import points, texts
from sotto import _engine

X, _ = points(20000)
STREAM = np.eye(5)[np.random.default_rng(0).integers(0, 3, 30000)] * [3, 2.5, 2, 0, 0]


class LocalEngine:
    """Partitions of an array, cut at these places."""

    def __init__(self, rows, cuts, names=(), make=_engine.PointPartition.of):
        ends = [0, *cuts, len(rows)]
        self.names = list(names) or [f"c{j}" for j in range(rows.shape[-1])]
        self.partitions = [pickle.loads(pickle.dumps(make(rows[a:b])))
                           for a, b in zip(ends, ends[1:])]
        self.heads = []
        self.questions = self.longest = self.heads_sent = 0
        self.closed = False
        self.order = np.random.default_rng(1)

    def describe(self):
        return [partition.described for partition in self.partitions]

    def send_heads(self, heads, held):
        self.heads = [[self.partitions[head.partition].head(head.records) for head in behind]
                      for behind in heads]
        self.heads_sent += 1

    def ask(self, answer):
        self.questions += 1
        answer = pickle.loads(pickle.dumps(answer))
        answers = [answer(number, partition, heads) for number, (partition, heads)
                   in enumerate(zip(self.partitions, self.heads))]
        again = [answer(number, partition, heads) for number, (partition, heads)
                 in enumerate(zip(self.partitions, self.heads))]
        assert answers == again  # so a task that runs twice changes nothing
        self.longest = max(self.longest, *map(len, answers))
        self.order.shuffle(answers)
        while len(answers) > 1:
            answers.append(_engine.join(answers.pop(), answers.pop(0)))
        return answers[0]

    def close(self):
        self.closed = True


@pytest.fixture
def engines(monkeypatch):
    """Makes estimators take LocalEngines as their data."""
    monkeypatch.setattr("sotto._points.engine_of_points", lambda data: (
        (data, data.names) if isinstance(data, LocalEngine) else None))


CUTS = [[], [10000], [1, 2, 3, 2500, 2500, 2501, 19999], list(range(500, 20000, 500)), [0, 20000]]


@pytest.mark.parametrize("cuts", CUTS)
def test_partitions_change_no_bit_of_a_mixture(engines, cuts):
    alone = sotto.GaussianMixture(3, random_state=0).fit(X)
    engine = LocalEngine(X, cuts, names="abcde")
    found = sotto.GaussianMixture(3, random_state=0).fit(engine)
    assert np.array_equal(found.means_, alone.means_)
    assert np.array_equal(found.weights_, alone.weights_)
    assert np.array_equal(found.covariances_, alone.covariances_)
    assert found.feature_names_in_.tolist() == list("abcde")
    assert engine.closed and engine.questions > 3 and engine.heads_sent <= 4


@pytest.mark.parametrize("cuts", [[], [1, 9999, 29998], list(range(300, 30000, 300))])
def test_partitions_change_no_bit_of_a_stream(engines, cuts):
    alone = sotto.StreamDecomposition(3, random_state=0).fit(STREAM)
    found = sotto.StreamDecomposition(3, random_state=0).fit(LocalEngine(STREAM, cuts))
    assert np.array_equal(found.components_, alone.components_)
    assert np.array_equal(found.weights_, alone.weights_)


def test_private_fits_have_their_certificate(engines):
    def privacy():
        return sotto.Privacy(epsilon=2, delta=1e-6, unit="record")

    mixture = sotto.GaussianMixture(3, privacy=privacy(), norm_range=(1, 10))
    mixture.fit(LocalEngine(X, [7000, 7001]))
    assert mixture.certificate_.epsilon <= 2 and "20000" in str(mixture.certificate_)
    stream = sotto.StreamDecomposition(2, privacy=privacy(), max_norm=3)
    stream.fit(LocalEngine(STREAM, [7000, 7001]))
    assert stream.certificate_.epsilon <= 2
    with pytest.raises(sotto.Refused, match="shuffle"):
        sotto.StreamDecomposition(2, privacy=privacy(), max_norm=3, shuffle=True).fit(
            LocalEngine(STREAM, [7000]))


def test_what_is_sent_does_not_grow_with_the_records(engines):
    sent = []
    for rows in (X, np.vstack([X] * 4)):
        engine = LocalEngine(rows, [len(rows) // 3, len(rows) // 2])
        sotto.GaussianMixture(3, random_state=0, refine=3).fit(engine)
        sent.append(engine.longest)
    assert sent[1] < 1.5 * sent[0]


def test_records_that_change_are_refused(engines):
    class Forgetful(LocalEngine):
        def ask(self, answer):
            if self.questions == 2:  # made anew from a source that gives another order
                self.partitions[1] = _engine.PointPartition.of(self.partitions[1].rows[::-1])
            return super().ask(answer)

    engine = Forgetful(X, [10000])
    with pytest.raises(RuntimeError, match="partition 1 has other records than before"):
        sotto.GaussianMixture(3).fit(engine)
    assert engine.closed


def test_bad_records_are_refused_and_private_ones_not_quoted(engines):
    bad = X.copy()
    bad[12345, 2] = np.nan
    with pytest.raises(sotto.Refused, match="record 12346 has a value that is NaN"):
        sotto.GaussianMixture(3).fit(LocalEngine(bad, [10000]))
    with pytest.raises(sotto.Refused) as error:
        sotto.GaussianMixture(3, privacy=sotto.Privacy(1, 1e-6, unit="record"), max_norm=5).fit(
            LocalEngine(bad, [10000]))
    assert "12346" not in str(error.value) and "NaN" not in str(error.value)
    with pytest.raises(sotto.Refused, match="1 records"):
        sotto.GaussianMixture(3).fit(LocalEngine(X[:1], []))


def test_altered_answers_are_refused(engines):
    class Altering(LocalEngine):
        def ask(self, answer):
            found = bytearray(super().ask(answer))
            found[len(found) // 2] ^= 4
            return bytes(found)

    with pytest.raises(OSError, match="altered"):
        sotto.GaussianMixture(3).fit(Altering(X, [10000]))


def test_errors_of_an_engine_arrive(engines):
    class Lost(LocalEngine):
        def ask(self, answer):
            raise ConnectionError("the cluster went away")

    with pytest.raises(ConnectionError, match="went away"):
        sotto.GaussianMixture(3).fit(Lost(X, [10000]))


def test_heads_hold_what_lies_behind():
    Head = _engine.Head
    assert _engine.heads_behind([5, 0, 2, 7], 4) == [
        [Head(2, 2), Head(3, 2)], [Head(2, 2), Head(3, 2)], [Head(3, 4)], []]
    assert _engine.heads_behind([3, 3], 0) == [[], []]


# ---- documents ----

TEXTS = texts()


@pytest.fixture
def document_engines(monkeypatch):
    """Makes TopicModel take lists of texts with the places where they are cut."""
    made = []

    class Cut:
        def __init__(self, texts, cuts, kind=LocalEngine):
            self.texts, self.cuts, self.kind = texts, cuts, kind

    def engine_of(X, column, vocabulary, text, sensitive):
        reader = _engine.DocumentReader(column, vocabulary, text, sensitive)
        frames = pd.Series(X.texts, name=column).to_frame()
        made.append(X.kind(frames, X.cuts, make=lambda frame: _engine.partition_or_wrong(
            lambda: reader.of_frame(frame))))
        return made[-1]

    monkeypatch.setattr("sotto.topics.is_remote", lambda data: isinstance(data, Cut))
    monkeypatch.setattr("sotto.topics.engine_of_documents", engine_of)
    Cut.made = made
    return Cut


DOCUMENT_CUTS = [[], [4096], [1, 2, 3, 3, 4095, 4097, 8999], list(range(600, 9000, 600))]


def same_topics(found, alone):
    return (found.vocabulary_ == alone.vocabulary_
            and np.array_equal(found.components_, alone.components_)
            and np.array_equal(found.alpha_, alone.alpha_))


@pytest.mark.parametrize("cuts", DOCUMENT_CUTS)
@pytest.mark.parametrize("options", [
    {}, {"model": "single", "tokenizer": str.split},
    {"vocabulary": [f"gamma{w}" for w in range(2, 20, 4)] + ["alpha0", "beta1", "no-such"]}])
def test_partitions_change_no_bit_of_topics(document_engines, cuts, options):
    alone = sotto.TopicModel(2, random_state=0, **options).fit(TEXTS)
    found = sotto.TopicModel(2, random_state=0, **options).fit(
        document_engines(TEXTS, cuts), column="note")
    assert same_topics(found, alone)
    assert document_engines.made[0].closed and document_engines.made[0].heads_sent == 1


def with_seed(monkeypatch):
    """Noise that repeats, which no estimator offers: the certificate proves nothing then."""
    target = sotto.TopicModel._target
    monkeypatch.setattr(sotto.TopicModel, "_target",
                        lambda self: {**target(self), "insecure_seed": 7})


@pytest.mark.parametrize("vocabulary", [None, ["alpha0", "beta1", "gamma2", "delta3", "alpha4"]])
def test_partitions_change_no_bit_of_private_topics(document_engines, monkeypatch, vocabulary):
    with_seed(monkeypatch)

    def model():
        privacy = sotto.Privacy(epsilon=20, delta=1e-6, unit="document")
        return sotto.TopicModel(2, privacy=privacy, vocabulary=vocabulary, random_state=0)

    alone = model().fit(TEXTS)
    for cuts in DOCUMENT_CUTS[1:]:
        found = model().fit(document_engines(TEXTS, cuts), column="note")
        assert same_topics(found, alone) and found.releases_ == alone.releases_


@pytest.mark.parametrize("keeps", [True, False])
def test_what_workers_keep_changes_nothing(document_engines, monkeypatch, keeps):
    made = []
    holder = _engine.DocumentPartition.holder
    monkeypatch.setattr(_engine.DocumentPartition, "holder",
                        lambda *args: made.append(1) or holder(*args))
    monkeypatch.setattr(_engine, "memory_of_a_worker", lambda: math.inf if keeps else 0)
    found = sotto.TopicModel(2, random_state=0).fit(document_engines(TEXTS, [5000]), column="note")
    assert same_topics(found, sotto.TopicModel(2, random_state=0).fit(TEXTS))
    assert (len(made) == 2) == keeps  # once for each partition, or for each question


def test_a_worker_takes_up_no_more_than_half_of_its_memory(monkeypatch):
    kept, memory = _engine.Kept(), [100]
    monkeypatch.setattr(_engine, "resident_bytes", lambda: memory[0])
    monkeypatch.setattr(_engine, "memory_of_a_worker", lambda: 300)
    kept.keep("fit", 0, "zero")
    memory[0] = 151
    kept.keep("fit", 1, "one")
    assert kept.take("fit", 1) is None and kept.take("other fit", 0) is None
    assert kept.take("fit", 0) == "zero" and kept.take("fit", 0) is None  # it is away
    memory[0] = 100
    kept.bound(150)
    kept.keep("fit", 0, "zero")
    assert kept.take("fit", 0) is None
    kept.bound(300)
    kept.keep("fit", 0, "zero")
    kept.keep("next fit", 1, "one")  # ends the one before
    assert kept.take("fit", 0) is None and kept.take("next fit", 1) == "one"


def test_a_worker_has_a_share_of_the_machine():
    assert 2**20 < _engine.resident_bytes() < _engine.memory_of_a_worker() < 2**60


def test_documents_that_cannot_be_read_are_refused(document_engines):
    with pytest.raises(sotto.Refused, match="document missing in column note"):
        sotto.TopicModel(2).fit(document_engines([*TEXTS, None], [5000]), column="note")
    with pytest.raises(sotto.Refused, match="not their number"):
        sotto.TopicModel(2, vocabulary=5).fit(document_engines(TEXTS, []), column="note")
    with pytest.raises(sotto.Refused, match="which fit\\(\\) takes alone"):
        sotto.TopicModel(2).fit_transform(document_engines(TEXTS, []))
    with pytest.raises(sotto.Refused, match="the documents have no words"):
        sotto.TopicModel(2).fit(document_engines(["", ""], [1]), column="note")
    with pytest.raises(sotto.Refused, match="would show the training data"):
        sotto.TopicModel(2, privacy=sotto.Privacy(1, 1e-6, unit="document")).fit_transform(
            document_engines(TEXTS, []))


def test_private_documents_are_not_quoted(document_engines):
    def quoting(text):
        raise ValueError(text)

    model = sotto.TopicModel(2, privacy=sotto.Privacy(1, 1e-6, unit="document"), tokenizer=quoting)
    with pytest.raises(sotto.Refused) as error:
        model.fit(document_engines(TEXTS, [5000]), column="note")
    assert "alpha" not in str(error.value) and error.value.__cause__ is None


def test_a_column_of_a_frame_in_memory(document_engines):
    alone = sotto.TopicModel(2, random_state=0).fit(TEXTS)
    frame = pd.DataFrame({"n": range(len(TEXTS)), "note": TEXTS})
    assert same_topics(sotto.TopicModel(2, random_state=0).fit(frame, column="note"), alone)
    proportions = sotto.TopicModel(2, random_state=0).fit_transform(frame, column="note")
    assert np.array_equal(proportions, alone.transform(TEXTS))
    with pytest.raises(sotto.Refused, match="no column text"):
        sotto.TopicModel(2).fit(frame, column="text")
    with pytest.raises(sotto.Refused, match="only a DataFrame"):
        sotto.TopicModel(2).fit(TEXTS, column="note")


def test_a_model_of_documents_elsewhere_can_be_saved(document_engines, tmp_path):
    model = sotto.TopicModel(2, random_state=0).fit(document_engines(TEXTS, [5000]), column="note")
    model.save(tmp_path / "found")
    names = {path.name for path in (tmp_path / "found").iterdir()}
    assert "topics.npy" in names and "proportions.npy" not in names
    model.report()
