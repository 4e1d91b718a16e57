"""Components of the moment of points that are read once, in constant memory."""
from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._base import option_texts, seed_of
from ._load import core
from ._points import PointEstimator
from .errors import Refused
from .privacy import Privacy


class StreamDecomposition(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PointEstimator):
    """The components of 1/n sum x (x) x (x) x over points that are read once.

    `fit` reads an array, a pyarrow table or Parquet file, a generator of batches, or a DataFrame of
    Spark or Dask, whose records stay in their workers. `partial_fit` takes batches as they come:
    each answers one question of the power method, and the model is ready when all questions have
    been answered (`finished_`).

    Parameters
    ----------
    n_components : int
    privacy : Privacy, optional
        ``Privacy(epsilon, delta, unit="record")``. Without it the points are public.
    max_norm : float, optional
        A public bound: longer records of a private fit are clipped to this norm. It is never read
        off the data.
    norm_range : tuple of float, optional
        (low, high): instead of `max_norm`, a public range from which the bound is chosen privately.
    order : {3, 4}
        Order of the moment tensor.
    method : {"power", "simultaneous"}, optional
        One component after the other, or all at once; chosen when not given.
    n_starts, max_iter : int, optional
        Starts and iterations of the power method; chosen when not given.
    batch_size : int, optional
        Records for each answer; when not given, all records are divided among the answers.
    shuffle : bool
        Whether records are read in a random order, which a private fit keeps secret.
    random_state : int, RandomState or None
        Seed of the starts. The noise never depends on it.
    progress : bool or callable, optional
        True for a bar; or a function of (stage, done, total) that returns False to stop.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Unit vectors.
    weights_ : ndarray of shape (n_components,)
    finished_ : bool
        Whether `partial_fit` has had all the batches it needs.
    n_iter_ : int
        Questions of the power method, each answered from a batch of records.
    certificate_ : Certificate or None

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> X = np.eye(5)[rng.integers(0, 3, size=30000)] * [3, 2.5, 2, 0, 0]
    >>> model = sotto.StreamDecomposition(3, random_state=0).fit(X)
    >>> sorted(int(row.argmax()) for row in abs(model.components_))
    [0, 1, 2]
    """

    def __init__(self, n_components: int = 1, *, privacy: Privacy | None = None,
                 max_norm: float | None = None, norm_range: tuple[float, float] | None = None,
                 order: int = 3, method: str | None = None, n_starts: int | None = None,
                 max_iter: int | None = None, batch_size: int | None = None, shuffle: bool = False,
                 random_state: Any = None, progress: Any = None) -> None:
        self.n_components = n_components
        self.privacy = privacy
        self.max_norm = max_norm
        self.norm_range = norm_range
        self.order = order
        self.method = method
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> StreamDecomposition:
        """Reads the points once."""
        options = self._checked_options()
        with self._training_points(X, again=False) as data:
            self._learn(data, options)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> StreamDecomposition:
        """Hands over one batch: as many rows as the first one had.

        The batches of a private fit must not repeat records: a record that comes twice is protected
        less than the certificate says.
        """
        feed = getattr(self, "_feed", None)
        X = validate_data(self, X, dtype=np.float64, order="C", reset=feed is None)
        if feed is None:
            feed = self._feed = _Feed(self, len(X))
        self.finished_ = feed.give(X)
        self._remember_also(X)
        if self.finished_:
            del self._feed
        return self

    def transform(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The loadings of the components in each point, by least squares. It shows the points."""
        check_is_fitted(self, "components_")
        X = self._new_points(X, on_training_data, "the loadings")
        return np.asarray(X @ np.linalg.pinv(self.components_))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """`fit` and `transform`; a private fit refuses, since it would show its own data."""
        self._refuse_fit_and_show("fit_transform")
        return self.fit(X).transform(X)

    def plan(self, n_records: int | None, n_features: int) -> str:
        """What a private fit would release, from public numbers; nothing is spent."""
        options = self._checked_options()
        if not self._private:
            raise Refused("plan: a public fit releases everything; give privacy")
        return str(core.plan_stream(option_texts({**options, **self._target()}), n_features,
                                    n_records, False))

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "_feed"):
            raise Refused("a stream that is being read cannot be copied: its batches come once")
        return super().__getstate__()

    def _checked_options(self) -> dict[str, Any]:
        self._check_privacy()
        return {
            "components": self.n_components, "order": self.order, "method": self.method,
            "starts": self.n_starts, "iterations": self.max_iter, "batch": self.batch_size,
            "shuffle": self.shuffle, "seed": seed_of(self.random_state), **self._norm_options()}

    def _learn(self, data: Any, options: dict[str, Any]) -> None:
        found = self._run("stream", options, lambda texts, report: core.run_stream(
            data, texts, self._private, report))
        self.components_ = found["vectors"]
        self.weights_ = found["weights"]
        self.status_ = found["status"]
        self.n_records_seen_ = found["points_read"]
        self.n_iter_ = found["answers"]
        self._n_features_out = len(self.weights_)


class _Feed:
    """A fit in a thread of its own, which waits for batches.

    The fit asks for a batch, and `give` returns when it asks for the next one or has ended.
    """

    def __init__(self, model: StreamDecomposition, rows: int) -> None:
        self.rows = rows
        self.batches: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()
        self.asks: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.error: BaseException | None = None
        options = {**model._checked_options(), "batch": rows}
        dim = model.n_features_in_
        data = core.point_batches(model._remember_batches(self._arrive, dim), dim, None, False)
        self.thread = threading.Thread(target=self._work, args=(model, data, options), daemon=True)
        self.thread.start()
        self._wait()

    def give(self, X: np.ndarray) -> bool:
        """Whether the fit has ended."""
        if len(X) != self.rows:
            raise Refused(f"partial_fit: a batch has {len(X)} rows, the first had {self.rows}")
        self.batches.put(X)
        return self._wait()

    def _wait(self) -> bool:
        asks = self.asks.get()
        if self.error is not None:
            raise self.error
        return not asks

    def _arrive(self) -> Iterator[np.ndarray]:
        while True:
            self.asks.put(True)
            batch = self.batches.get()
            if batch is None:
                return
            yield batch

    def _work(self, model: StreamDecomposition, data: Any, options: dict[str, Any]) -> None:
        try:
            model._learn(data, options)
        except BaseException as error:  # noqa: BLE001 (handed to the caller's thread)
            self.error = error
        self.asks.put(False)
