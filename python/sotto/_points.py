"""What the estimators of points have in common: how points come, and the bound on a record."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from . import _input
from ._base import SottoEstimator
from ._engine import engine_of_points, remote_points
from ._load import core
from .errors import Refused

KINDS = [np.float64, np.float32]  # read in place


class PointEstimator(SottoEstimator):
    """The base of estimators that protect one record, a row of X."""

    _units = ("record",)
    max_norm: float | None
    norm_range: tuple[float, float] | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _norm_options(self) -> dict[str, Any]:
        """The bound on the norm of a record, which a private fit needs."""
        if self._private and self.max_norm is None and self.norm_range is None:
            raise Refused(
                "max_norm: a private fit needs a bound on the norm of a record that is not read "
                "off the data, or norm_range=(low, high) to choose one privately")
        options: dict[str, Any] = {"max_norm": self.max_norm}
        if self.norm_range is not None:
            low, high = self.norm_range
            options["norm_range"] = f"{float(low)!r}:{float(high)!r}"
        return options

    @contextlib.contextmanager
    def _training_points(self, X: Any, again: bool) -> Iterator[core.Points]:
        """An array or sparse rows in place, batches as they come, or records that stay in the
        workers of an engine. `again`: whether the fit needs more than one pass. Private data is
        remembered, unless it stays in the workers."""
        remote = engine_of_points(X)
        if remote is not None:
            engine, names = remote
            self._training = None
            self._keep_names(len(names), names)
            with remote_points(engine, len(names), self._private, again) as data:
                yield data
        elif _input.is_batches(X):
            begin, dim, records, has_again, names = _input.batches(X)
            self._keep_names(dim, names)
            yield core.point_batches(self._remember_batches(begin, dim), dim, records, has_again)
        else:
            X = validate_data(self, _input.readable(X), accept_sparse="csr", dtype=KINDS,
                              ensure_min_samples=2)
            self._remember(*_parts(X))
            yield _input.points(X)

    def _keep_names(self, dim: int, names: list[str]) -> None:
        self.n_features_in_ = dim
        if names:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _new_points(self, X: Any, on_training_data: bool, what: str) -> Any:
        """Points to use the model on: an array or sparse rows, checked."""
        X = validate_data(self, _input.readable(X), accept_sparse="csr", dtype=KINDS, reset=False)
        self._refuse_training_data(on_training_data, what, *_parts(X))
        return X


def _parts(X: Any) -> tuple[Any, ...]:
    return (X.indptr, X.indices, X.data) if hasattr(X, "indptr") else (X,)
