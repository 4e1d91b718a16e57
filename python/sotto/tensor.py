"""CP and Tucker decompositions of tensors, with and without privacy."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _input
from ._base import SottoEstimator, option_texts, seed_of
from ._load import core
from .errors import Refused
from ._progress import reporter
from .privacy import Privacy


class CPTensor(NamedTuple):
    """sum_r weights[r] factors[0][:, r] (x) factors[1][:, r] (x) .., columns of length one."""

    weights: np.ndarray
    factors: list[np.ndarray]

    def full(self) -> np.ndarray:
        """The tensor itself."""
        return _cp_full(self.weights, self.factors)


class TuckerTensor(NamedTuple):
    """A core, and a factor for each mode."""

    core: np.ndarray
    factors: list[np.ndarray]

    def full(self) -> np.ndarray:
        """The tensor itself."""
        return _multi_mode(self.core, self.factors)


class _TensorEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SottoEstimator):
    """What CP and Tucker have in common."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """`fit` and `transform`; a private fit refuses, since it would show its own data."""
        self._refuse_fit_and_show("fit_transform")
        return np.asarray(self.fit(X).transform(X))

    def _fit_tensor(self, X: Any, options: dict[str, Any], labels: Any) -> dict[str, Any]:
        data, shape = _input.tensor(X, bool(options.pop("sum_repeated", False)))
        self._remember(*_numbers(X))
        self.slice_shape_ = tuple(shape[1:])
        names = _labels(labels, shape)
        found = self._run("decompose", options, lambda texts, report: core.run_decompose(
            data, texts, self._private, names, report))
        self.fit_ = found.get("fit")
        self.method_ = found["method"]
        self.status_ = found["status"]
        return found

    def _new_slices(self, X: Any, on_training_data: bool) -> np.ndarray:
        """Slices of the first mode, unfolded: one row each."""
        check_is_fitted(self)
        array = np.asarray(_input.as_numpy(X), dtype=np.float64)
        if array.shape[1:] != self.slice_shape_:
            raise Refused(f"X has slices of shape {array.shape[1:]}, the model has "
                          f"{self.slice_shape_}")
        if not np.all(np.isfinite(array)):
            raise Refused("X has a value that is NaN or infinite")
        self._refuse_training_data(on_training_data, "the loadings", *_numbers(X))
        return array.reshape(len(array), -1)


class CPDecomposition(_TensorEstimator):
    """A tensor as a sum of components: all factors fitted jointly by least squares (CP, PARAFAC).

    Parameters
    ----------
    n_components : int or "auto"
        The number of components; "auto" chooses by core consistency and held-out entries.
    privacy : Privacy, optional
        ``unit="entry"`` protects one entry of the tensor; ``unit="person"`` one slice of the first
        mode, and then only the factors of the other modes are learnt.
    non_negative : bool
        Whether factors have no negative entries.
    missing : bool
        Whether NaN are unknown entries; they are refused otherwise.
    n_starts : int, optional
        Starts of the fit; chosen when not given.
    max_iter : int, optional
        Iterations of the best start; chosen when not given.
    tol : float, optional
        Relative decrease of the squared error at which a fit ends.
    entry_change : float
        For ``unit="entry"``: the most by which one entry can differ between neighbours.
    max_entry : float, optional
        For ``unit="entry"``: a public bound on the entries.
    weight : float, optional
        For ``unit="entry"``: the weight that components are expected to have, a public guess. A fit
        that would return noise is refused unless `anyway`.
    anyway : bool
        Fits even if the signal is not expected to stand out.
    values : {"counts", "real"}
        For ``unit="person"``: what the entries are.
    n_people : int, optional
        For ``unit="person"``, which needs it: a public guess at the number of people. It is never
        read off the data.
    alpha0 : float
        For ``unit="person"`` and counts: how few components a person has.
    labels : list of lists of str, optional
        Names of the rows of each mode, for the report; None for a mode without names.
    random_state : int, RandomState or None
        Seed of the starts. The noise never depends on it.
    progress : bool or callable, optional
        True for a bar; or a function of (stage, done, total) that returns False to stop.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    factors_ : list of ndarray, one of shape (rows, n_components) a mode
        With ``unit="person"`` those of all modes but the first.
    slice_shape_ : tuple of int
        The shape of a slice of the first mode.
    fit_ : float
        1 - |X - model| / |X| of a public tensor, or of one that was released with noise.
    core_consistency_ : float or None
        In percent; None where it cannot be computed.
    error_history_ : list of float
        |X - model| / |X| after each iteration of the start that was kept.
    certificate_ : Certificate or None

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> X = sotto.CPTensor(np.ones(2), [rng.random((d, 2)) for d in (5, 6, 7)]).full()
    >>> round(sotto.CPDecomposition(2, random_state=0).fit(X).fit_, 6)
    1.0
    """

    _units = ("entry", "person")

    def __init__(self, n_components: int | str = 1, *, privacy: Privacy | None = None,
                 non_negative: bool = False, missing: bool = False, n_starts: int | None = None,
                 max_iter: int | None = None, tol: float | None = None, entry_change: float = 1.0,
                 max_entry: float | None = None, weight: float | None = None, anyway: bool = False,
                 values: str = "counts", n_people: int | None = None, alpha0: float = 1.0,
                 labels: Any = None, random_state: Any = None, progress: Any = None) -> None:
        self.n_components = n_components
        self.privacy = privacy
        self.non_negative = non_negative
        self.missing = missing
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.entry_change = entry_change
        self.max_entry = max_entry
        self.weight = weight
        self.anyway = anyway
        self.values = values
        self.n_people = n_people
        self.alpha0 = alpha0
        self.labels = labels
        self.random_state = random_state
        self.progress = progress

    @property
    def _of_people(self) -> bool:
        return self.privacy is not None and self.privacy.unit == "person"

    def fit(self, X: Any, y: Any = None) -> CPDecomposition:
        """Finds the components of a dense array, or of a sparse one with `coords` and `data`."""
        self._check_privacy()
        if self._of_people:
            return self._fit_people(X)
        found = self._fit_tensor(X, self._options(), self.labels)
        self.weights_ = found["weights"]
        self.factors_ = list(found["factors"])
        self.core_consistency_ = found.get("core_consistency")
        self.start_errors_ = found.get("start_errors", [])
        self.error_history_ = found.get("error_history", [])
        self.n_components_ = self._n_features_out = len(self.weights_)
        return self

    def transform(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The loadings of slices of the first mode, by least squares: one row a slice.

        With ``unit="person"`` and counts: the proportions of the components in each person's
        events. It shows the slices in X.
        """
        if self._of_people:
            return self._people_loadings(X, on_training_data)
        rows = self._new_slices(X, on_training_data)
        others = _khatri_rao(self.factors_[1:]) * self.weights_
        return np.asarray(np.linalg.lstsq(others, rows.T, rcond=None)[0].T)

    def plan(self, shape: Sequence[int]) -> str:
        """What a private fit (unit entry) would release, from public numbers."""
        self._check_privacy()
        if not self._private or self._of_people:
            raise Refused("plan: for privacy with unit=\"entry\"")
        return str(core.plan_decompose(option_texts({**self._options(), **self._target()}),
                                       list(shape), False))

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "components": self.n_components, "method": "cp", "non_negative": self.non_negative,
            "missing": self.missing, "starts": self.n_starts, "iterations": self.max_iter,
            "tolerance": self.tol, "seed": seed_of(self.random_state)}
        if self._private:
            options |= {"entry_change": self.entry_change, "max_entry": self.max_entry,
                        "weight": self.weight, "anyway": self.anyway}
        return options

    def _fit_people(self, X: Any) -> CPDecomposition:
        for name in ("missing", "n_starts", "max_iter", "tol", "weight", "anyway"):
            if getattr(self, name) not in (None, False):
                raise Refused(f"{name}: is not for unit=\"person\"")
        if self.n_people is None:
            raise Refused("n_people: unit=\"person\" needs a public guess at the number of people; "
                          "how many there are is protected")
        data, shape = _input.tensor(X)
        names = _labels(self.labels, shape)
        if names and names[0]:
            raise Refused("labels: people have none; give None for the first mode")
        self._remember(*_numbers(X))
        self.slice_shape_ = tuple(shape[1:])
        options: dict[str, Any] = {"components": self.n_components, "values": self.values,
                                   "people": self.n_people, "seed": seed_of(self.random_state)}
        if self.values == "counts":
            options["alpha0"] = self.alpha0
        if self.non_negative:
            options["non_negative"] = True
        found = self._run("people", options, lambda texts, report: core.run_people(
            data, texts, self._private, names[1:], report))
        self.weights_ = found["weights"]
        self.factors_ = list(found["factors"])
        self.loadings_ = found["loadings"]
        self.core_consistency_ = None
        self.n_components_ = self._n_features_out = len(self.weights_)
        return self

    def _people_loadings(self, X: Any, on_training_data: bool) -> np.ndarray:
        check_is_fitted(self)
        self._refuse_training_data(on_training_data, "the loadings", *_numbers(X))
        data, shape = _input.tensor(X)
        if tuple(shape[1:]) != self.slice_shape_:
            raise Refused(f"X has slices of shape {tuple(shape[1:])}, the model has "
                          f"{self.slice_shape_}")
        return np.asarray(core.loadings_of_people(
            [np.ascontiguousarray(factor) for factor in self.factors_], self.weights_, data,
            self.values == "counts", float(self.alpha0)))


class Tucker(_TensorEstimator):
    """A tensor as a core and a factor for each mode, by truncated HOSVD and orthogonal iteration.

    Parameters
    ----------
    ranks : int or sequence of int
        The ranks of the core, one a mode or one for all.
    privacy : Privacy, optional
        ``unit="entry"`` protects one entry of the tensor.
    non_negative, missing, max_iter, tol, entry_change, max_entry, weight, anyway, labels
        As for `CPDecomposition`.
    random_state, progress
        As for `CPDecomposition`.

    Attributes
    ----------
    core_ : ndarray
    factors_ : list of ndarray
    fit_ : float
    certificate_ : Certificate or None
    """

    _units = ("entry",)

    def __init__(self, ranks: int | Sequence[int] = 1, *, privacy: Privacy | None = None,
                 non_negative: bool = False, missing: bool = False, max_iter: int | None = None,
                 tol: float | None = None, entry_change: float = 1.0,
                 max_entry: float | None = None, weight: float | None = None, anyway: bool = False,
                 labels: Any = None, random_state: Any = None, progress: Any = None) -> None:
        self.ranks = ranks
        self.privacy = privacy
        self.non_negative = non_negative
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.entry_change = entry_change
        self.max_entry = max_entry
        self.weight = weight
        self.anyway = anyway
        self.labels = labels
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Tucker:
        """Finds the core and the factors."""
        self._check_privacy()
        ranks = [self.ranks] if isinstance(self.ranks, (int, np.integer)) else list(self.ranks)
        options: dict[str, Any] = {
            "ranks": ranks, "method": "tucker", "non_negative": self.non_negative,
            "missing": self.missing, "iterations": self.max_iter, "tolerance": self.tol,
            "seed": seed_of(self.random_state)}
        if self._private:
            options |= {"entry_change": self.entry_change, "max_entry": self.max_entry,
                        "weight": self.weight, "anyway": self.anyway}
        found = self._fit_tensor(X, options, self.labels)
        self.core_ = found["core"]
        self._n_features_out = self.core_.shape[0]
        self.factors_ = list(found["factors"])
        return self

    def transform(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The loadings of slices of the first mode, by least squares: one row a slice."""
        rows = self._new_slices(X, on_training_data)
        basis = _multi_mode(self.core_, [np.eye(self.core_.shape[0]), *self.factors_[1:]])
        return np.asarray(np.linalg.lstsq(basis.reshape(len(basis), -1).T, rows.T, rcond=None)[0].T)


# ---- functions in the style of TensorLy ----

def cp(tensor: Any, rank: int, *, non_negative: bool = False, missing: bool = False,
       n_starts: int | None = None, max_iter: int | None = None, tol: float | None = None,
       random_state: Any = 0, progress: Any = None) -> CPTensor:
    """The CP decomposition of a public tensor.

    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> full = sotto.CPTensor(np.ones(2), [rng.random((d, 2)) for d in (5, 6, 7)]).full()
    >>> found = sotto.cp(full, rank=2)
    >>> bool(np.allclose(found.full(), full))
    True
    """
    model = CPDecomposition(rank, non_negative=non_negative, missing=missing, n_starts=n_starts,
                            max_iter=max_iter, tol=tol, random_state=random_state,
                            progress=progress).fit(tensor)
    return CPTensor(model.weights_, model.factors_)


def tucker(tensor: Any, rank: int | Sequence[int], *, non_negative: bool = False,
           missing: bool = False, max_iter: int | None = None, tol: float | None = None,
           random_state: Any = 0, progress: Any = None) -> TuckerTensor:
    """The Tucker decomposition of a public tensor."""
    model = Tucker(rank, non_negative=non_negative, missing=missing, max_iter=max_iter, tol=tol,
                   random_state=random_state, progress=progress).fit(tensor)
    return TuckerTensor(model.core_, model.factors_)


def symmetric_power(tensor: Any, rank: int, *, n_starts: int | None = None,
                    max_iter: int | None = None, tol: float | None = None,
                    simultaneous: bool = False, order: int | None = None,
                    random_state: Any = 0, progress: Any = None) -> CPTensor:
    """The components of a symmetric tensor by the robust power method.

    Parameters
    ----------
    tensor : array, or any object with ``contract(block)``
        A symmetric array of order 3 or 4; or an object that answers products of the tensor with a
        block of vectors, ``contract(block)[:, l] = T(I, u_l, .., u_l)`` for the columns ``u_l`` of
        the block, and has a ``shape`` (or ``dim`` and ``order``). Such an object is never asked for
        the tensor itself, which need not exist.
    rank : int
        The number of components.
    order : int, optional
        Of an object without ``shape``; 3 when not given.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> class Moment:                        # T = 1/n sum x (x) x (x) x, never formed
    ...     shape = (4, 4, 4)
    ...     def __init__(self, points):
    ...         self.points = points
    ...     def contract(self, block):
    ...         return self.points.T @ (self.points @ block) ** 2 / len(self.points)
    >>> found = sotto.symmetric_power(Moment(np.eye(4) * 2), rank=4)
    >>> [float(weight) for weight in found.weights.round(6)]
    [2.0, 2.0, 2.0, 2.0]
    """
    options = option_texts({"starts": n_starts, "iterations": max_iter, "tolerance": tol,
                            "seed": seed_of(random_state)})
    with reporter(progress, "symmetric_power") as report:
        if hasattr(tensor, "contract"):
            dim, found_order = _oracle_shape(tensor, order)
            found = core.decompose_oracle(tensor, dim, found_order, options, rank, simultaneous,
                                          report)
            return CPTensor(found["weights"], [found["vectors"]] * found_order)
        data, shape = _input.tensor(tensor)
        options |= {"components": str(rank), "method": "simultaneous" if simultaneous else "power"}
        found, _ = core.run_decompose(data, options, False, [], report)
    return CPTensor(found["weights"], [found["factors"][0]] * len(shape))


def whiten(moment: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """W with W^T M W = I on the top `rank` eigenvectors of a second moment, and its way back.

    >>> import numpy as np, sotto
    >>> W, back = sotto.whiten(np.diag([4., 1., 0.]), 2)
    >>> bool(np.allclose(W.T @ np.diag([4., 1., 0.]) @ W, np.eye(2)))
    True
    """
    matrix = np.ascontiguousarray(_input.as_numpy(moment), dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise Refused("moment must be a square matrix")
    W, back = core.whiten(matrix, rank)
    return np.asarray(W), np.asarray(back)


def _oracle_shape(oracle: Any, order: int | None) -> tuple[int, int]:
    if hasattr(oracle, "shape"):
        shape = tuple(oracle.shape)
        if len(set(shape)) != 1:
            raise Refused(f"a symmetric tensor has equal dimensions, its shape is {shape}")
        return int(shape[0]), len(shape)
    if not hasattr(oracle, "dim"):
        raise Refused("an object with contract() needs a shape, or dim and order")
    return int(oracle.dim), int(getattr(oracle, "order", order or 3))


def _khatri_rao(factors: Sequence[np.ndarray]) -> np.ndarray:
    """Rows in C order of the modes' indices."""
    product = factors[0]
    for factor in factors[1:]:
        product = (product[:, None, :] * factor[None, :, :]).reshape(-1, factor.shape[1])
    return product


def _cp_full(weights: np.ndarray, factors: Sequence[np.ndarray]) -> np.ndarray:
    full = (factors[0] * weights) @ _khatri_rao(factors[1:]).T
    return np.asarray(full.reshape([len(factor) for factor in factors]))


def _multi_mode(core_tensor: np.ndarray, factors: Sequence[np.ndarray]) -> np.ndarray:
    full = core_tensor
    for mode, factor in enumerate(factors):
        full = np.moveaxis(np.tensordot(factor, full, axes=(1, mode)), 0, mode)
    return full


def _labels(labels: Any, shape: tuple[int, ...]) -> list[list[str]]:
    if labels is None:
        return []
    names = [[str(name) for name in mode] if mode is not None else [] for mode in labels]
    if len(names) != len(shape) or any(mode and len(mode) != rows
                                       for mode, rows in zip(names, shape)):
        raise Refused(f"labels: a list of names is needed for each mode of a tensor of {shape}")
    return names


def _numbers(X: Any) -> tuple[np.ndarray, ...]:
    if hasattr(X, "coords"):
        return (*(np.asarray(c) for c in X.coords), np.asarray(X.data))
    return (np.asarray(_input.as_numpy(X)),)
