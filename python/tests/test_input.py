"""Input as Python users have it: the same numbers give the same bits."""
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import sotto
from data import points

X, _ = points(4000)
SINGLE = X.astype(np.float32)


def means(data):
    return sotto.GaussianMixture(3, random_state=0).fit(data).means_


def test_arrays_in_any_order_give_the_same_bits():
    wide = np.zeros((8000, 10))
    wide[::2, ::2] = X
    for same in (np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], pd.DataFrame(X), X.tolist()):
        assert np.array_equal(means(same), means(X))
    assert np.array_equal(means(SINGLE), means(SINGLE.astype(float)))


def test_read_only_arrays_are_read():
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.array_equal(means(frozen), means(X))


def test_sparse_rows_agree_with_dense_ones():
    counts = np.where(np.abs(X) > 1, X, 0)
    assert np.allclose(means(sp.csr_array(counts)), means(counts))
    wide = sp.csr_array(counts)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert np.array_equal(means(wide), means(sp.csr_array(counts)))


def test_arrow_tables_batches_and_files(tmp_path):
    table = pa.table({name: X[:, j] for j, name in enumerate("abcde")})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=700)
    whole = means(X)
    assert np.allclose(means(table), whole)
    assert np.allclose(means(table.to_batches()[0]), whole)
    assert np.allclose(means(pq.ParquetFile(tmp_path / "x.parquet")), whole)
    model = sotto.GaussianMixture(3, random_state=0).fit(table)
    assert model.feature_names_in_.tolist() == list("abcde")
    holes = pa.table({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(sotto.Refused, match="missing in column a"):
        sotto.GaussianMixture(1).fit(holes)


class OnlyDLPack:
    """An array of a library that numpy knows nothing of."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_by_dlpack():
    assert np.array_equal(means(OnlyDLPack(X)), means(X))
    rng = np.random.default_rng(0)
    T = sotto.CPTensor(np.ones(2), [rng.random((d, 2)) for d in (6, 7, 8)]).full()
    assert np.array_equal(sotto.cp(OnlyDLPack(T), 2).full(), sotto.cp(T, 2).full())


def test_a_stream_of_record_batches():
    Y = np.eye(5)[np.random.default_rng(0).integers(0, 3, 30000)] * [3, 2.5, 2, 0, 0]
    table = pa.table({name: Y[:, j] for j, name in enumerate("abcde")})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=777))
    found = sotto.StreamDecomposition(2, batch_size=1000, random_state=0).fit(reader)
    one = sotto.StreamDecomposition(2, batch_size=1000, random_state=0).fit(Y)
    assert np.array_equal(one.components_, found.components_)
    assert found.feature_names_in_.tolist() == list("abcde")


def test_generators_are_streams():
    rng = np.random.default_rng(0)
    Y = np.eye(5)[rng.integers(0, 3, 30000)] * [3, 2.5, 2, 0, 0]
    one = sotto.StreamDecomposition(2, batch_size=1000, random_state=0).fit(Y)
    parts = sotto.StreamDecomposition(2, batch_size=1000, random_state=0).fit(
        Y[n:n + 777] for n in range(0, len(Y), 777))
    assert np.array_equal(one.components_, parts.components_)
    with pytest.raises(sotto.Refused, match="columns"):
        sotto.StreamDecomposition(2, batch_size=10).fit(np.zeros((5, d)) + 1 for d in (3, 4))
    with pytest.raises(sotto.Refused, match="no batches"):
        sotto.StreamDecomposition(2, batch_size=10).fit(iter([]))


def test_errors_of_a_generator_arrive():
    def broken():
        yield X[:100]
        raise KeyError("the source went away")

    with pytest.raises(KeyError, match="went away"):
        sotto.StreamDecomposition(2, batch_size=100).fit(broken())


@pytest.mark.parametrize("bad, message", [
    (np.full((10, 3), np.nan), "NaN"), (np.empty((0, 3)), "sample"),
    (np.zeros((5, 2, 2)), "dim"), (np.array([["a", "b"]] * 5), "could not convert|dtype"),
    (np.full((5, 2), np.inf), "inf")])
def test_bad_points_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        sotto.GaussianMixture(1).fit(bad)


@pytest.mark.parametrize("bad", [
    np.full((10, 3), 0.5), -np.ones((10, 3)), np.full((10, 3), np.nan), np.zeros((10, 3)),
    ["", "  "], [], [1, 2, 3]])
def test_bad_documents_are_refused(bad):
    with pytest.raises(ValueError):
        sotto.TopicModel(2).fit(bad)


def test_messages_name_the_parameters_of_python():
    with pytest.raises(sotto.Refused, match="n_components"):
        sotto.TopicModel(0).fit(np.ones((5, 3)))
    with pytest.raises(sotto.Refused, match="batch_size"):
        sotto.StreamDecomposition(2).fit(X[n:n + 100] for n in range(0, 4000, 100))
    with pytest.raises(sotto.Refused, match="stop_words"):
        sotto.TopicModel(2, stop_words="german").fit(["ein Text", "noch ein Text"])


def test_tensors_in_any_order_and_kind():
    rng = np.random.default_rng(0)
    T = sotto.CPTensor(np.ones(2), [rng.random((d, 2)) for d in (6, 7, 8)]).full()
    whole = sotto.cp(T, 2)
    for same in (np.asfortranarray(T), T.astype(np.float32).astype(float), T[::-1][::-1]):
        assert np.allclose(sotto.cp(same, 2).full(), whole.full(), atol=1e-6)

    class Sparse:
        coords, data, shape = np.nonzero(T), T[np.nonzero(T)], T.shape

    assert np.allclose(sotto.cp(Sparse(), 2).full(), whole.full(), atol=1e-6)
    for bad in (np.zeros((3, 3, 3)), np.zeros((3, 3)), np.full((3, 3, 3), np.nan)):
        with pytest.raises(sotto.Refused):
            sotto.cp(bad, 2)
