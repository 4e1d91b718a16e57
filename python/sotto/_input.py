"""Data as Python users have it, handed to the library without copies where it can read in place."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._load import core
from .errors import Refused


def as_numpy(data: Any) -> Any:
    """An array: of pandas, of anything with DLPack or __array__; numpy arrays as they are."""
    if isinstance(data, np.ndarray):
        return data
    if hasattr(data, "to_numpy"):
        return data.to_numpy()
    return np.asarray(readable(data))


def readable(data: Any) -> Any:
    """As it is, unless only DLPack can read it."""
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
        return np.from_dlpack(data)
    return data


# ---- points ----

def points(X: Any) -> core.Points:
    """Points for the library: float32 and float64 in any order, and sparse rows, in place."""
    if sp.issparse(X):
        rows = X.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return core.sparse_points(rows.indptr, rows.indices, rows.data.astype(np.float64, copy=False),
                                  rows.shape[1])
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return core.points(X)


def is_batches(X: Any) -> bool:
    """Whether X comes in parts: a pyarrow table, record batches, a Parquet file, or a generator."""
    return _arrow_batches(X) is not None or isinstance(X, Iterator)


def batches(X: Any) -> tuple[Callable[[], Iterator[np.ndarray]], int, int | None, bool, list[str]]:
    """How to begin, the dimension, the number of records, whether there is a second pass, names."""
    arrow = _arrow_batches(X)
    if arrow is not None:
        begin, names, records = arrow
        return begin, len(names), records, records is not None, names
    first = next(X, None)
    if first is None:
        raise Refused("X has no batches")
    first = np.ascontiguousarray(as_numpy(first), dtype=np.float64)
    if first.ndim != 2:
        raise Refused("X must have batches of rows and columns")

    def begin_once() -> Iterator[np.ndarray]:
        yield first
        for batch in X:
            yield np.ascontiguousarray(as_numpy(batch), dtype=np.float64)

    return begin_once, first.shape[1], None, False, []


def _arrow_batches(X: Any) -> tuple[Callable[[], Iterator[np.ndarray]], list[str], int | None] | None:
    if not type(X).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    if isinstance(X, pa.Table):
        return lambda: map(columns_of_batch, X.to_batches()), list(X.schema.names), X.num_rows
    if isinstance(X, pq.ParquetFile):
        return (lambda: map(columns_of_batch, _row_groups(X)), list(X.schema_arrow.names),
                X.metadata.num_rows)
    if isinstance(X, pa.RecordBatchReader):  # once
        return lambda: map(columns_of_batch, X), list(X.schema.names), None
    if isinstance(X, ds.Dataset):
        return (lambda: map(columns_of_batch, X.to_batches(batch_size=16384)), list(X.schema.names),
                X.count_rows())
    return None


def _row_groups(file: Any) -> Iterator[Any]:
    """Group by group: asked for all of them at once, pyarrow reads the whole file ahead."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(batch_size=16384, row_groups=[group])


def columns_of_batch(batch: Any) -> np.ndarray:
    """The columns of an Arrow record batch as rows of float64."""
    rows = np.empty((batch.num_rows, batch.num_columns))
    for j, column in enumerate(batch.columns):
        if column.null_count:
            raise Refused(f"X has a value missing in column {batch.schema.names[j]}")
        rows[:, j] = column.to_numpy(zero_copy_only=False)
    return rows


# ---- documents ----

def documents(X: Any, *, vocabulary: list[str] | None, words: int | None, declared: bool,
              text: dict[str, Any]) -> Any:
    """Counts (sparse or dense), strings, or lists of tokens."""
    if is_counts(X):
        return _counts(X, vocabulary, words, declared)
    return _texts(X, vocabulary, text)


def column_of(X: Any, column: str) -> Any:
    """The documents in a column of a DataFrame in memory."""
    if not hasattr(X, "columns"):
        raise Refused("column: only a DataFrame has columns")
    if column not in X.columns:
        raise Refused(f"column: X has no column {column}")
    return X[column]


def document_parts(X: Any) -> tuple[np.ndarray, ...]:
    """What tells two collections of documents apart: counts, or texts."""
    if is_counts(X):
        rows = sp.csr_array(X)
        return (rows.indptr.astype(np.int64), rows.indices.astype(np.int64),
                rows.data.astype(np.float64))
    return (np.frombuffer("\0".join(map(str, X)).encode("utf-8", "surrogatepass"), np.uint8),)


def is_counts(X: Any) -> bool:
    return bool(sp.issparse(X) or (hasattr(X, "shape") and len(X.shape) == 2))


def _counts(X: Any, vocabulary: list[str] | None, words: int | None, declared: bool) -> Any:
    rows = sp.csr_array(X if sp.issparse(X) else as_numpy(X))
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    counts = rows.data
    if not (np.all(np.isfinite(counts)) and np.all(counts >= 0) and np.all(counts == np.floor(counts))
            and np.all(counts <= np.iinfo(np.int32).max)):
        raise Refused("X must hold counts: whole numbers that are not negative")
    if np.any(counts == 0):
        rows = rows.copy()
        rows.eliminate_zeros()
    if words is not None and rows.shape[1] != words:
        raise Refused(f"X has {rows.shape[1]} columns, the vocabulary has {words} words")
    return core.documents(rows.indptr.astype(np.int64), rows.indices.astype(np.int32),
                          rows.data.astype(np.int32), rows.shape[1], vocabulary or [], declared)


def _texts(X: Iterable[Any], vocabulary: list[str] | None, text: dict[str, Any]) -> Any:
    tokenizer = text["tokenizer"]
    english = text["stop_words"] == "english"
    if text["stop_words"] is not None and not english:
        raise Refused("stop_words: must be \"english\" or None; a tokenizer of your own can leave "
                      "out others")
    if tokenizer is None:
        return core.documents_of_texts(_strings(X), vocabulary or [], english, text["min_length"],
                                       text["keep_case"])
    return _tokens((tokenizer(document) for document in X), vocabulary)


def _strings(X: Iterable[Any]) -> Iterator[str]:
    for document in X:
        if not isinstance(document, str):
            raise Refused("X must hold strings; for lists of tokens give a tokenizer, for example "
                          "tokenizer=list")
        yield document


def _tokens(documents: Iterable[Iterable[str]], vocabulary: list[str] | None) -> Any:
    """Tokens of the caller's own making. Without a vocabulary, words are numbered by their text,
    never by where they first appear."""
    number: dict[str, int] = {word: n for n, word in enumerate(vocabulary or [])}
    indptr, indices = [0], []
    for document in documents:
        for word in document:
            n = number.get(word) if vocabulary is not None else number.setdefault(word, len(number))
            if n is not None:
                indices.append(n)
        indptr.append(len(indices))
    words = sorted(number) if vocabulary is None else list(vocabulary)
    column = np.asarray(indices, dtype=np.int64)
    if vocabulary is None:
        place = np.empty(len(words), dtype=np.int64)
        for n, word in enumerate(words):
            place[number[word]] = n
        column = place[column] if column.size else column
    rows = sp.csr_array((np.ones(len(column), dtype=np.int32), column, np.asarray(indptr)),
                        shape=(len(indptr) - 1, len(words)))
    rows.sum_duplicates()
    return core.documents(rows.indptr.astype(np.int64), rows.indices.astype(np.int32),
                          rows.data.astype(np.int32), len(words), words, vocabulary is not None)


# ---- tensors ----

def tensor(X: Any, sum_repeated: bool = False) -> tuple[Any, tuple[int, ...]]:
    """A dense array of any order, or a sparse one (scipy.sparse COO, pydata/sparse)."""
    if hasattr(X, "coords") and hasattr(X, "data") and hasattr(X, "shape"):
        coords = np.ascontiguousarray(np.stack([np.asarray(c) for c in X.coords], axis=1),
                                      dtype=np.int32)
        values = np.ascontiguousarray(X.data, dtype=np.float64)
        return core.sparse_tensor(coords, values, list(X.shape), sum_repeated), tuple(X.shape)
    array = np.ascontiguousarray(as_numpy(X), dtype=np.float64)
    return core.tensor(array), array.shape


# ---- ratings ----

def rating_columns(X: Any) -> tuple[list[str], list[np.ndarray]]:
    """Places as columns: users, items and, where there are more, further modes."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        names = [str(name) for name in X.columns]
        columns = [X.iloc[:, j].to_numpy().astype(str) for j in range(len(names))]
    else:
        array = np.asarray(as_numpy(X))
        if array.ndim != 2:
            raise Refused("X must have rows of places: one column for users, one for items, ..")
        names = ["user", "item", "mode 3", "mode 4", "mode 5"][:array.shape[1]]
        columns = [array[:, j].astype(str) for j in range(array.shape[1])]
    if not 2 <= len(columns) <= 5:
        raise Refused(f"X must have 2 to 5 columns of places, it has {len(columns)}")
    return names, columns


def ratings(X: Any, y: Any) -> Any:
    names, columns = rating_columns(X)
    values = np.ascontiguousarray(as_numpy(y), dtype=np.float64).ravel()
    if len(values) != len(columns[0]):
        raise Refused(f"X has {len(columns[0])} places, y has {len(values)} values")
    if not np.all(np.isfinite(values)):
        raise Refused("y has a value that is NaN or infinite")
    labels, rows = [], []
    for column in columns:
        unique, inverse = np.unique(column, return_inverse=True)
        labels.append([str(label) for label in unique])
        rows.append(inverse.astype(np.int32).ravel())
    return core.ratings(names, labels, rows, values)
