"""A Dask DataFrame as an engine (_engine.py).

Each partition becomes one object in the memory of its worker. Without a distributed client the
workers are threads of this process.
"""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import dask

from ._engine import (Answer, Described, Head, HeldInFit, Partition, Reader, join, kept,
                      partition_or_wrong)


class DaskEngine:
    """The partitions of a DataFrame."""

    def __init__(self, frame: Any, reader: Reader) -> None:
        self._partitions = list(dask.persist(*[_later(_partition)(reader, part)
                                               for part in frame.to_delayed()]))
        self._heads: list[list[Any]] = []

    def describe(self) -> list[Described]:
        return list(dask.compute(*[_later(_describe)(part) for part in self._partitions]))

    def send_heads(self, heads: list[list[Head]], held: HeldInFit) -> None:
        self._heads = [[_later(_head)(self._partitions[head.partition], head.records)
                        for head in behind] for behind in heads]

    def ask(self, answer: Answer) -> bytes:
        level = [_later(_answer)(answer, number, part, heads) for number, (part, heads)
                 in enumerate(zip(self._partitions, self._heads))]
        while len(level) > 1:
            pairs = [_later(join)(*level[n:n + 2]) for n in range(0, len(level) - 1, 2)]
            level = pairs + level[2 * len(pairs):]
        (found,) = dask.compute(level[0])
        return bytes(found)

    def close(self) -> None:
        """The workers forget what is no longer referenced."""
        self._partitions, self._heads = [], []
        kept.forget()
        with contextlib.suppress(Exception):  # no cluster, or a lost one, has nothing to forget
            from distributed import get_client
            get_client().run(_forget)


def _later(function: Callable[..., Any]) -> Any:
    return dask.delayed(function, pure=False)


def _partition(reader: Reader, frame: Any) -> Partition:
    return partition_or_wrong(lambda: reader.of_frame(frame))


def _forget() -> None:
    kept.forget()


def _describe(partition: Partition) -> Described:
    return partition.described


def _answer(answer: Answer, number: int, partition: Partition, heads: list[Any]) -> bytes:
    with contextlib.suppress(Exception):  # a thread of this process has no limit
        from distributed import get_worker
        kept.bound(get_worker().memory_manager.memory_limit or math.inf)
    return answer(number, partition, heads)


def _head(partition: Partition, records: int) -> Any:
    return partition.head(records)
