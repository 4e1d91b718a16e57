"""A Spark DataFrame as an engine (_engine.py).

Each partition becomes one object, which Spark keeps in its cache. Nothing is collected but
descriptions of partitions and sums. A task costs Spark about as much as a question costs a small
partition, so a question has few tasks, each for several partitions.

Spark hands a worker all of a partition for every question, which takes longer than most answers. So
a question goes to tickets first. They are the numbers of partitions, cached in the executors whose
workers keep these partitions, and a worker there answers from what it keeps. Partitions that it has
not are read from the cache. Spark takes any of the idle workers of an executor. So that there is
one for each core, no task here needs two at a time: nothing that a worker computes is read by
another before it is in the cache.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any

from pyspark import StorageLevel
from pyspark.serializers import BatchedSerializer, CPickleSerializer

from ._engine import (Answer, Described, Head, HeldInFit, Partition, Reader, join, kept,
                      partition_or_wrong)
from .errors import Refused

_TASKS_OF_CORE = 2  # more would only wait, fewer leave a core without work at the end

# Types of Spark; there are decimals of several lengths.
_NUMBERS = {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean"}


def is_number(kind: str) -> bool:
    """Whether a column of this type of Spark has numbers."""
    return kind.partition("(")[0] in _NUMBERS


def is_text(kind: str) -> bool:
    """Whether a column of this type of Spark has strings."""
    return kind.partition("(")[0] in {"string", "varchar", "char"}


class SparkEngine:
    """The partitions of a DataFrame."""

    def __init__(self, frame: Any, reader: Reader) -> None:
        def chunks(batches: Iterable[Any]) -> Iterator[Any]:
            import pyarrow as pa
            schema = pa.schema([("chunk", pa.binary()), ("wrong", pa.string())])
            for batch in batches:
                chunk, wrong = None, None
                try:
                    chunk = reader.chunk_of(batch)
                except Refused as refused:
                    wrong = str(refused)
                yield pa.RecordBatch.from_pydict({"chunk": [chunk], "wrong": [wrong]}, schema)

        def chunk_of(row: Any) -> bytes:
            if row[1] is not None:
                raise Refused(row[1])
            return bytes(row[0])

        def gathered(rows: Iterable[Any]) -> Iterator[Partition]:  # of an empty partition, too
            yield partition_or_wrong(lambda: reader.of_chunks(map(chunk_of, rows)))

        self._partitions = cached(frame.mapInArrow(chunks, "chunk binary, wrong string")
                                  .rdd.mapPartitions(gathered))
        self._held: Any = None  # (number, partition, heads) of every partition
        self._tickets: Any = None  # number of every partition, as many parts as a question has tasks

    def describe(self) -> list[Described]:
        return list(self._partitions.map(lambda partition: partition.described).collect())

    def send_heads(self, heads: list[list[Head]], held: HeldInFit) -> None:
        wanted: dict[int, list[tuple[int, int]]] = {}
        for receiver, behind in enumerate(heads):
            for head in behind:
                wanted.setdefault(head.partition, []).append((receiver, head.records))

        def cut(number: int, partitions: Iterable[Partition]) -> Iterator[Any]:
            for partition in partitions:
                for receiver, records in wanted.get(number, []):
                    yield receiver, (number, partition.head(records))

        def in_order(received: Iterable[Any]) -> Iterator[list[Any]]:
            yield [head for _, (_, head) in sorted(received, key=lambda item: item[1][0])]

        def numbered(number: int, both: Iterable[Any]) -> Iterator[Any]:
            for partition, received in both:
                yield number, partition, received

        def ticket(all_of: Iterable[Any]) -> Iterator[int]:
            for number, partition, received in all_of:
                held.keep(number, partition, received)
                yield number

        # One list for each partition, so that both can be zipped.
        parts = cached(self._partitions.mapPartitionsWithIndex(cut)
                       .partitionBy(len(heads), lambda receiver: receiver).mapPartitions(in_order))
        parts.count()
        whole = cached(self._partitions.zip(parts).mapPartitionsWithIndex(numbered))
        whole.count()
        tickets = cached(self._tasks(whole).mapPartitions(ticket))
        tickets.count()
        parts.unpersist()
        # What is held has the records: they are not kept twice.
        self._unpersist()
        self._held, self._tickets = whole, tickets
        self._partitions = whole.map(lambda one: one[1])

    def ask(self, answer: Answer) -> bytes:
        def from_kept(tickets: Iterable[int]) -> Iterator[tuple[list[bytes], list[int]]]:
            parts: list[bytes] = []
            missing: list[int] = []
            for number in tickets:
                part = answer.from_kept(number)
                if part is None:
                    missing.append(number)
                else:
                    parts = joined([*parts, part])
            yield parts, missing

        def both(one: Any, other: Any) -> Any:
            return joined(one[0] + other[0]), one[1] + other[1]

        parts, missing = self._tickets.mapPartitions(from_kept).treeReduce(both)
        if missing:
            wanted = set(missing)

            def from_cache(held: Iterable[Any]) -> Iterator[list[bytes]]:
                yield joined([answer(number, partition, heads) for number, partition, heads in held
                              if number in wanted])

            read = self._tasks(self._held).mapPartitions(from_cache)
            parts += read.treeReduce(lambda one, other: joined(one + other))
        return joined(parts)[0]

    def _tasks(self, partitions: Any) -> Any:
        return partitions.coalesce(_TASKS_OF_CORE * partitions.context.defaultParallelism)

    def close(self) -> None:
        if self._tickets is not None:
            with contextlib.suppress(Exception):  # a lost cluster has nothing to forget
                self._tickets.foreachPartition(forget)
        self._unpersist()

    def _unpersist(self) -> None:
        for cached in (self._held, self._tickets) if self._held is not None else (self._partitions,):
            cached.unpersist()


def cached(partitions: Any) -> Any:
    """One item a batch: where batches differ, zip() makes others, in further workers."""
    items = partitions._reserialize(BatchedSerializer(CPickleSerializer(), 1))
    return items.persist(StorageLevel.MEMORY_AND_DISK)


def joined(parts: list[bytes]) -> list[bytes]:
    """One part or, of none, none."""
    return [reduce(join, parts)] if parts else []


def forget(tickets: Iterable[int]) -> None:
    """What this worker keeps of a fit that has ended."""
    kept.forget()
    for _ in tickets:  # a worker that leaves some unread is ended
        pass
