"""Records that Spark or Dask holds in partitions: questions go to them, parts of sums come back.

The records stay in the workers. A fit asks for sums over all of them; each worker answers for its
partitions with the native code, the answers are joined in a tree, and the coordinator, the process
that called `fit`, goes on. It alone has the plan, the noise, the ledger and the certificate.

A sum is cut into pieces of neighbouring records, at places that do not depend on the partitions, so
that its bits do not either. A worker sums the pieces that begin in its partition. For the last of
them it needs some records of the partitions behind: their *heads*, which are sent once.

An answer is a function of the partition and of the question alone. An engine may therefore ask
twice, elsewhere, or late, and take any of the answers.
"""
from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ._input import columns_of_batch
from ._load import core
from .errors import Refused


@dataclass(frozen=True)
class Described:
    """What the coordinator knows of a partition."""

    records: int
    checksum: int


@dataclass(frozen=True)
class Head:
    """The first `records` of a partition."""

    partition: int
    records: int


class Partition(Protocol):
    """The records of one partition, as a worker holds them."""

    @property
    def described(self) -> Described:
        ...

    def head(self, records: int) -> Any:
        """The first records, to be sent to the holders of partitions before."""
        ...

    def answer(self, question: bytes, heads: list[Any], first: int, sensitive: bool) -> bytes:
        """The part of this partition, whose first record has the number `first` of all."""
        ...


class Reader(Protocol):
    """Makes partitions of what an engine has. It is sent to the workers."""

    def of_chunks(self, chunks: Iterable[bytes]) -> Partition:
        """From chunks that chunk_of() has made."""
        ...

    def chunk_of(self, batch: Any) -> bytes:
        """From an Arrow record batch."""
        ...

    def of_frame(self, frame: Any) -> Partition:
        """From a DataFrame of pandas."""
        ...


class Engine(Protocol):
    """Partitions somewhere, in their order."""

    def describe(self) -> list[Described]:
        """Of every partition. Called once, first."""
        ...

    def send_heads(self, heads: list[list[Head]]) -> None:
        """Gives partition number q the heads[q] of partitions behind it."""
        ...

    def ask(self, answer: Callable[[int, Partition, list[Any]], bytes]) -> bytes:
        """answer(number, partition, its heads) of all, joined by join() in any order."""
        ...

    def close(self) -> None:
        """No more questions: the engine may forget the partitions."""
        ...


def join(first: bytes, second: bytes) -> bytes:
    """Adds two answers to one question."""
    return bytes(core.join_answers(first, second))


def heads_behind(counts: Sequence[int], reach: int) -> list[list[Head]]:
    """For each partition, the heads that hold the `reach` records behind it."""
    result = []
    for number in range(len(counts)):
        heads, missing = [], reach
        for behind in range(number + 1, len(counts)):
            if missing == 0:
                break
            records = min(missing, counts[behind])
            if records > 0:
                heads.append(Head(behind, records))
            missing -= records
        result.append(heads)
    return result


class Answer:
    """Answers one question in a worker. It is sent there, so it holds no data."""

    def __init__(self, question: bytes, described: list[Described], sensitive: bool) -> None:
        self.question = question
        self.described = described
        self.sensitive = sensitive

    def __call__(self, number: int, partition: Partition, heads: list[Any]) -> bytes:
        if partition.described != self.described[number]:
            # A partition that was lost is made anew; sums over other records would be wrong.
            raise RuntimeError(
                f"partition {number} has other records than before: the engine made it anew from "
                f"a source that does not give the same rows in the same order each time; write "
                f"the data to files first")
        first = sum(other.records for other in self.described[:number])
        return partition.answer(self.question, heads, first, self.sensitive)


class Coordinator:
    """Asks an engine on behalf of a run."""

    def __init__(self, engine: Engine, sensitive: bool) -> None:
        self._engine = engine
        self._sensitive = sensitive
        self._described = engine.describe()
        self._counts = [part.records for part in self._described]
        self._reach = -1
        self.records = sum(self._counts)
        if self.records < 2:
            raise Refused(f"X has {self.records} records in its partitions; at least 2 are needed")

    def ask(self, question: bytes, reach: int) -> bytes:
        """The joined answers. Holders need the first `reach` records behind their own."""
        if reach > self._reach:
            self._engine.send_heads(heads_behind(self._counts, reach))
            self._reach = reach
        return self._engine.ask(Answer(question, self._described, self._sensitive))


def engine_of(X: Any, reader: Reader) -> Engine:
    """The engine that holds the DataFrame X."""
    if is_spark(X):
        from ._spark import SparkEngine
        return SparkEngine(X, reader)
    from ._dask import DaskEngine
    return DaskEngine(X, reader)


def is_remote(X: Any) -> bool:
    """Whether X is a DataFrame of Spark or Dask."""
    return is_spark(X) or is_dask(X)


def is_spark(X: Any) -> bool:
    return type(X).__module__.startswith("pyspark.") and hasattr(X, "mapInArrow")


def is_dask(X: Any) -> bool:
    return (type(X).__module__.startswith("dask") and hasattr(X, "to_delayed")
            and hasattr(X, "columns"))


# ---- points ----

@dataclass(frozen=True)
class PointPartition:
    """Rows of float64."""

    rows: np.ndarray
    described: Described

    @staticmethod
    def of(rows: np.ndarray) -> PointPartition:
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        checksum = zlib.crc32(rows.data if rows.size else b"")
        return PointPartition(rows, Described(len(rows), checksum))

    def head(self, records: int) -> np.ndarray:
        return self.rows[:records]

    def answer(self, question: bytes, heads: list[np.ndarray], first: int,
               sensitive: bool) -> bytes:
        return bytes(core.answer_points(question, [self.rows, *heads], first, sensitive))


class PointReader:
    """The columns are the coordinates of points."""

    def __init__(self, columns: Iterable[tuple[Any, bool]]) -> None:
        """Pairs of a column and whether it has numbers."""
        self.names = []
        for name, is_number in columns:
            self.names.append(str(name))
            if not is_number:
                raise Refused(
                    f"X has no numbers in column {name}: select those that are coordinates")

    def chunk_of(self, batch: Any) -> bytes:
        return columns_of_batch(batch).tobytes()

    def of_chunks(self, chunks: Iterable[bytes]) -> PointPartition:
        rows = np.frombuffer(b"".join(chunks), dtype=np.float64)
        return PointPartition.of(rows.reshape(-1, len(self.names)))

    def of_frame(self, frame: Any) -> PointPartition:
        return PointPartition.of(frame.to_numpy(dtype=np.float64, na_value=np.nan))


@contextlib.contextmanager
def remote_points(engine: Engine, dim: int, sensitive: bool, again: bool) -> Iterator[core.Points]:
    """Points for a run, whose records stay in the engine. `again`: more than one pass is needed."""
    try:
        coordinator = Coordinator(engine, sensitive)
        yield core.remote_points(coordinator.ask, dim, coordinator.records, again)
    finally:
        engine.close()


def engine_of_points(X: Any) -> tuple[Engine, list[str]] | None:
    """The engine that holds X, and the names of the columns; None where X is no DataFrame of one."""
    if is_spark(X):
        from ._spark import is_number
        reader = PointReader((name, is_number(kind)) for name, kind in X.dtypes)
    elif is_dask(X):
        from pandas.api.types import is_numeric_dtype
        reader = PointReader((name, is_numeric_dtype(kind)) for name, kind in X.dtypes.items())
    else:
        return None
    return engine_of(X, reader), reader.names
