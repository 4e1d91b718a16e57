"""Records that Spark or Dask holds in partitions: questions go to them, parts of sums come back.

The records stay in the workers. A fit asks for sums over all of them; each worker answers for its
partitions with the native code, the answers are joined in a tree, and the coordinator, the process
that called `fit`, goes on. It alone has the plan, the noise, the ledger and the certificate.

A sum is cut into pieces of neighbouring records, at places that do not depend on the partitions, so
that its bits do not either. A worker sums the pieces that begin in its partition. For the last of
them it needs some records of the partitions behind: their *heads*, which are sent once.

An answer is a function of the partition and of the question alone. An engine may therefore ask
twice, elsewhere, or late, and take any of the answers. What a worker keeps of its partitions between
two questions of a fit only saves time.
"""
from __future__ import annotations

import contextlib
import functools
import math
import os
import pathlib
import pickle
import resource
import secrets
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._input import columns_of_batch, documents
from ._load import core
from .errors import Refused


@dataclass(frozen=True)
class Described:
    """What the coordinator knows of a partition."""

    records: int
    checksum: int
    wrong: str = ""  # why a fit of it is refused


@dataclass(frozen=True)
class Place:
    """Of a partition among all records."""

    first: int  # the number of its first record
    sensitive: bool


@dataclass(frozen=True)
class Head:
    """The first `records` of a partition."""

    partition: int
    records: int


class Holder(Protocol):
    """The records of a partition with their heads, ready for questions."""

    def answer(self, question: bytes) -> bytes:
        """The part of the partition."""
        ...


class Partition(Protocol):
    """The records of one partition, as a worker holds them."""

    @property
    def described(self) -> Described:
        ...

    def head(self, records: int) -> Any:
        """The first records, to be sent to the holders of partitions before."""
        ...

    def holder(self, heads: list[Any], place: Place) -> Holder:
        """Of these records and of heads, which are those of the partitions behind."""
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

    def send_heads(self, heads: list[list[Head]], held: HeldInFit) -> None:
        """Gives partition number q the heads[q] of partitions behind it."""
        ...

    def ask(self, answer: Answer) -> bytes:
        """answer(number, partition, its heads) of all, joined by join() in any order."""
        ...

    def close(self) -> None:
        """No more questions: the engine may forget the partitions."""
        ...


@dataclass(frozen=True)
class WrongPartition:
    """One that was refused where it was read. A fit ends when it is described."""

    described: Described

    def head(self, records: int) -> Any:
        raise Refused(self.described.wrong)

    def holder(self, heads: list[Any], place: Place) -> Holder:
        raise Refused(self.described.wrong)


def partition_or_wrong(make: Callable[[], Partition]) -> Partition:
    """What is refused travels to the coordinator, without the engine's own account of it."""
    try:
        return make()
    except Refused as refused:
        return WrongPartition(Described(0, 0, str(refused)))


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


@dataclass(frozen=True)
class HeldInFit:
    """How workers hold the partitions of one fit. It is sent to them, so it holds no data."""

    described: list[Described]
    fit: str
    sensitive: bool

    def require_same(self, number: int, partition: Partition) -> None:
        if partition.described != self.described[number]:
            # A partition that was lost is made anew; sums over other records would be wrong.
            raise RuntimeError(
                f"partition {number} has other records than before: the engine made it anew from "
                f"a source that does not give the same rows in the same order each time; write "
                f"the data to files first")

    def holder(self, number: int, partition: Partition, heads: list[Any]) -> Holder:
        self.require_same(number, partition)
        first = sum(other.records for other in self.described[:number])
        return partition.holder(heads, Place(first, self.sensitive))

    def keep(self, number: int, partition: Partition, heads: list[Any]) -> None:
        """For the questions that come."""
        kept.keep(self.fit, number, self.holder(number, partition, heads))


@dataclass(frozen=True)
class Answer:
    """Answers one question in a worker."""

    question: bytes
    held: HeldInFit

    def __call__(self, number: int, partition: Partition, heads: list[Any]) -> bytes:
        self.held.require_same(number, partition)
        holder = kept.take(self.held.fit, number) or self.held.holder(number, partition, heads)
        return self._of(number, holder)

    def from_kept(self, number: int) -> bytes | None:
        """None where this worker does not keep the partition."""
        holder = kept.take(self.held.fit, number)
        return None if holder is None else self._of(number, holder)

    def _of(self, number: int, holder: Holder) -> bytes:
        answer = bytes(holder.answer(self.question))
        kept.keep(self.held.fit, number, holder)
        return answer


# ---- what workers keep ----

class Kept:
    """What a worker keeps of the partitions of one fit between two questions.

    A partition is away while it answers, so that no two threads have it. A worker takes up no more
    partitions while its process has half of the memory that is its share.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._limit = math.inf
        self._fit = ""
        self._held: dict[int, Holder] = {}

    def bound(self, memory: float) -> None:
        """An engine ends this process when it has as much memory as this."""
        self._limit = memory

    def take(self, fit: str, number: int) -> Holder | None:
        with self._lock:
            return self._held.pop(number, None) if fit == self._fit else None

    def keep(self, fit: str, number: int, holder: Holder) -> None:
        with self._lock:
            if fit != self._fit:
                self._fit, self._held = fit, {}
            if resident_bytes() <= min(self._limit, memory_of_a_worker()) / 2:
                self._held[number] = holder

    def forget(self) -> None:
        with self._lock:
            self._fit, self._held = "", {}


kept = Kept()


def resident_bytes() -> int:
    """Memory of this process."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@functools.cache
def memory_of_a_worker() -> float:
    """The limit of this process, or what each processor of the machine or container has."""
    memory = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    processors = float(len(os.sched_getaffinity(0)))
    control = pathlib.Path("/sys/fs/cgroup")  # of a container: "max", or the limit
    with contextlib.suppress(OSError, ValueError):
        memory = min(memory, float((control / "memory.max").read_text()))
    with contextlib.suppress(OSError, ValueError):
        quota, period = map(float, (control / "cpu.max").read_text().split())
        processors = max(1.0, min(processors, quota / period))
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)  # Spark sets it where it has one
    share = memory / processors
    return share if limit == resource.RLIM_INFINITY else min(share, float(limit))


class Coordinator:
    """Asks an engine on behalf of a run."""

    def __init__(self, engine: Engine, sensitive: bool) -> None:
        self._engine = engine
        described = engine.describe()
        for part in described:
            if part.wrong:
                raise Refused(part.wrong)
        self._held = HeldInFit(described, "", sensitive)
        self._counts = [part.records for part in described]
        self._reach = -1
        self.records = sum(self._counts)
        if self.records < 2:
            raise Refused(f"X has {self.records} records in its partitions; at least 2 are needed")

    def ask(self, question: bytes, reach: int) -> bytes:
        """The joined answers. Holders need the first `reach` records behind their own."""
        if reach > self._reach:
            # What is kept has the shorter heads.
            self._held = replace(self._held, fit=secrets.token_hex(16))
            self._engine.send_heads(heads_behind(self._counts, reach), self._held)
            self._reach = reach
        return self._engine.ask(Answer(question, self._held))


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

    def holder(self, heads: list[np.ndarray], place: Place) -> PointHolder:
        return PointHolder([self.rows, *heads], place)


@dataclass(frozen=True)
class PointHolder:
    """Arrays of rows, the first of which are the partition's own."""

    arrays: list[np.ndarray]
    place: Place

    def answer(self, question: bytes) -> bytes:
        return bytes(core.answer_points(question, self.arrays, self.place.first,
                                        self.place.sensitive))


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


# ---- documents ----

class Counts(NamedTuple):
    """Documents as the words that each has, and how many times."""

    begin: np.ndarray
    word: np.ndarray
    times: np.ndarray
    size: int  # of the vocabulary
    names: list[str]  # of the words; empty where the vocabulary was declared

    @staticmethod
    def of(corpus: Any, declared: int) -> Counts:
        """`declared`: how many words the vocabulary has, where it was declared, else 0."""
        begin, word, times, names = core.rows_of_documents(corpus)
        return Counts(np.frombuffer(begin, np.int64), np.frombuffer(word, np.int32),
                      np.frombuffer(times, np.int32), declared or len(names),
                      [] if declared else names)

    @staticmethod
    def none(declared: int) -> Counts:
        empty = np.zeros(0, np.int32)
        return Counts(np.zeros(1, np.int64), empty, empty, declared, [])

    def corpus(self) -> core.Documents:
        return core.documents(self.begin, self.word, self.times, self.size, self.names,
                              not self.names)

    def first(self, documents: int) -> Counts:
        """The first documents, with the names of their own words alone."""
        begin = self.begin[:documents + 1]
        word, times = self.word[:begin[-1]], self.times[:begin[-1]]
        if not self.names:
            return Counts(begin, word, times, self.size, [])
        used, place = np.unique(word, return_inverse=True)
        return Counts(begin, place.astype(np.int32), times, len(used),
                      [self.names[n] for n in used])

    def checksum(self) -> int:
        found = zlib.crc32("\n".join(self.names).encode("utf-8", "surrogatepass"))
        for array in (self.begin, self.word, self.times):
            found = zlib.crc32(array.tobytes(), found)
        return found


@dataclass(frozen=True)
class DocumentPartition:
    """Documents as counts of words."""

    counts: Counts
    described: Described

    @staticmethod
    def of(parts: list[Counts], declared: int) -> DocumentPartition:
        """The same for documents that come in other batches."""
        joined = core.joined_documents([part.corpus() for part in parts or [Counts.none(declared)]])
        counts = Counts.of(joined, declared)
        return DocumentPartition(counts, Described(len(counts.begin) - 1, counts.checksum()))

    def head(self, records: int) -> Counts:
        return self.counts.first(records)

    def holder(self, heads: list[Counts], place: Place) -> Holder:
        return core.HeldPartition([part.corpus() for part in [self.counts, *heads]], place.first,
                                  place.sensitive)


class DocumentReader:
    """One column has the documents."""

    def __init__(self, column: str, vocabulary: list[str] | None, text: dict[str, Any],
                 sensitive: bool) -> None:
        self.column = column
        self.vocabulary = vocabulary
        self.text = text
        self.sensitive = sensitive

    def chunk_of(self, batch: Any) -> bytes:
        texts = batch.column(0)
        return pickle.dumps(self._counts(texts.to_pylist(), texts.null_count > 0))

    def of_chunks(self, chunks: Iterable[bytes]) -> DocumentPartition:
        return DocumentPartition.of([pickle.loads(chunk) for chunk in chunks], self._declared())

    def of_frame(self, frame: Any) -> DocumentPartition:
        texts = frame[self.column]
        counts = self._counts(texts.tolist(), bool(texts.isna().any()))
        return DocumentPartition.of([counts], self._declared())

    def _declared(self) -> int:
        return len(self.vocabulary or [])

    def _counts(self, texts: list[Any], missing: bool) -> Counts:
        if missing:
            raise Refused(f"X has a document missing in column {self.column}")
        try:
            corpus = documents(texts, vocabulary=self.vocabulary, words=None, declared=False,
                               text=self.text)
        except Refused:
            raise
        except Exception:
            if not self.sensitive:
                raise
            # A tokenizer's own words may quote the document, and engines write them to logs.
            raise Refused("tokenizer: it fails on a document") from None
        return Counts.of(corpus, self._declared())


@contextlib.contextmanager
def remote_documents(engine: Engine, vocabulary: list[str] | None, sensitive: bool,
                     words_by_text: bool) -> Iterator[core.RemoteDocuments]:
    """Documents for a run, which stay in the engine."""
    try:
        coordinator = Coordinator(engine, sensitive)
        yield core.remote_documents(coordinator.ask, coordinator.records, vocabulary or [],
                                    sensitive, words_by_text)
    finally:
        engine.close()


def engine_of_documents(X: Any, column: str | None, vocabulary: list[str] | None,
                        text: dict[str, Any], sensitive: bool) -> Engine:
    """The engine that holds the documents in a column of X."""
    if is_spark(X):
        from ._spark import is_text
        texts = {name: is_text(kind) for name, kind in X.dtypes}
    else:
        from pandas.api.types import is_object_dtype, is_string_dtype
        texts = {name: is_string_dtype(kind) or is_object_dtype(kind)
                 for name, kind in X.dtypes.items()}
    if column is None:
        if len(texts) != 1:
            raise Refused(f"column: X has {len(texts)} columns; say which one has the documents")
        (column,) = texts
    if column not in texts:
        raise Refused(f"column: X has no column {column}")
    if text["tokenizer"] is None and not texts[column]:
        raise Refused(f"column: {column} has no text; documents are strings, or give a tokenizer")
    return engine_of(X[[column]], DocumentReader(column, vocabulary, text, sensitive))
