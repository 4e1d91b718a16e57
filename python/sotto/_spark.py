"""A Spark DataFrame as an engine (_engine.py).

Each partition becomes one object, which Spark keeps in its cache. Nothing is collected but
descriptions of partitions and sums. A task costs Spark about as much as a question costs a small
partition, so a question has few tasks, each for several partitions.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyspark import StorageLevel

from ._engine import Described, Head, Partition, Reader, join, partition_or_wrong
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

        self._partitions = (frame.mapInArrow(chunks, "chunk binary, wrong string")
                            .rdd.mapPartitions(gathered))
        self._partitions.persist(StorageLevel.MEMORY_AND_DISK)
        self._held: Any = None  # (number, partition, heads) of every partition

    def describe(self) -> list[Described]:
        return list(self._partitions.map(lambda partition: partition.described).collect())

    def send_heads(self, heads: list[list[Head]]) -> None:
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

        # One list for each partition, so that both can be zipped.
        parts = (self._partitions.mapPartitionsWithIndex(cut)
                 .partitionBy(len(heads), lambda receiver: receiver).mapPartitions(in_order))
        held = self._partitions.zip(parts).mapPartitionsWithIndex(numbered)
        held.persist(StorageLevel.MEMORY_AND_DISK)
        held.count()
        # What is held has the records: they are not kept twice.
        self.close()
        self._held = held
        self._partitions = held.map(lambda one: one[1])

    def ask(self, answer: Callable[[int, Partition, list[Any]], bytes]) -> bytes:
        def joined(held: Iterable[Any]) -> Iterator[bytes]:
            whole = None
            for number, partition, heads in held:
                part = answer(number, partition, heads)
                whole = part if whole is None else join(whole, part)
            if whole is not None:
                yield whole

        tasks = _TASKS_OF_CORE * self._held.context.defaultParallelism
        return bytes(self._held.coalesce(tasks).mapPartitions(joined).treeReduce(join))

    def close(self) -> None:
        (self._held if self._held is not None else self._partitions).unpersist()
