"""Completion of ratings: low-rank models of users, items and further modes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _input
from ._base import SottoEstimator, seed_of
from ._load import core
from .errors import Refused
from .privacy import Privacy


class TensorCompletion(RegressorMixin, SottoEstimator):
    """Missing values of ratings, public, or protected rating by rating or user by user.

    X has one row a rating and one column a mode: users, items and up to three more. Rows of a mode
    are labels of any kind. y has the values.

    Parameters
    ----------
    rank : int
        Rank of the low-rank part.
    privacy : Privacy, optional
        ``unit="rating"`` protects the value of one rating, while who rated what is public;
        ``unit="user"`` protects all ratings of one user, and which items were rated.
    range : tuple of float, optional
        (low, high) of the values. A private fit needs it: it is never read off the data.
    items : sequence, optional
        For ``unit="user"``: the public list of items.
    per_user : int, optional
        For ``unit="user"``: cap on the ratings of a user that count; chosen when not given.
    n_users : int, optional
        For ``unit="user"``: a public guess at the number of users.
    model : {"cp", "tucker"}
    method : {"auto", "als", "bayes", "sgd"}
        How a public model is learnt.
    mechanism : {"auto", "sums", "als", "entries", "sgd"}
        What a private fit with ``unit="rating"`` releases.
    max_iter : int, optional
        Epochs; chosen when not given.
    random_state : int, RandomState or None
        Seed of the starts. The noise never depends on it.
    progress : bool or callable, optional
        True for a bar; or a function of (stage, done, total) that returns False to stop.

    Attributes
    ----------
    factors_ : list of ndarray
        One of shape (rows, rank) for each mode; for ``unit="user"`` only that of the items.
    biases_ : list of ndarray
    labels_ : list of list of str
        What the rows stand for.
    mean_ : float
    certificate_ : Certificate or None

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> places = np.array([(u, i) for u in range(60) for i in range(40)])
    >>> taste, kind = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    >>> values = (taste[places[:, 0]] * kind[places[:, 1]]).sum(axis=1)
    >>> seen = rng.random(len(places)) < 0.8
    >>> model = sotto.TensorCompletion(rank=2, random_state=0).fit(places[seen], values[seen])
    >>> bool(model.score(places[~seen], values[~seen]) > 0.8)
    True
    """

    _units = ("rating", "user")

    def __init__(self, rank: int = 8, *, privacy: Privacy | None = None,
                 range: tuple[float, float] | None = None, items: Sequence[Any] | None = None,
                 per_user: int | None = None, n_users: int | None = None, model: str = "cp",
                 method: str = "auto", mechanism: str = "auto", max_iter: int | None = None,
                 random_state: Any = None, progress: Any = None) -> None:
        self.rank = rank
        self.privacy = privacy
        self.range = range
        self.items = items
        self.per_user = per_user
        self.n_users = n_users
        self.model = model
        self.method = method
        self.mechanism = mechanism
        self.max_iter = max_iter
        self.random_state = random_state
        self.progress = progress

    @property
    def _of_users(self) -> bool:
        return self.privacy is not None and self.privacy.unit == "user"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> TensorCompletion:
        """Learns from ratings: positions X and values y."""
        self._check_privacy()
        if self._private and self.range is None:
            raise Refused("range: a private fit needs (low, high) of the values, which is never "
                          "read off the data")
        if self._of_users and self.items is None:
            raise Refused("items: unit=\"user\" needs the public list of items: which items occur "
                          "in the ratings is not public")
        data = _input.ratings(X, y)
        self._remember(*_ratings_parts(X, y))
        self.modes_ = _input.rating_columns(X)[0]
        self.n_features_in_ = len(self.modes_)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        if self._of_users:
            return self._fit_users(data)
        found = self._run("complete", self._options(), lambda texts, report: core.run_complete(
            data, texts, self._private, report))
        self.factors_ = list(found["factors"])
        self.biases_ = list(found["biases"])
        self.labels_ = [list(labels) for labels in found["labels"]]
        self.mean_ = float(found["mean"])
        self.core_ = found.get("core")
        self.method_ = found["method"]
        self.status_ = found["status"]
        self._unknown_biases = list(found["unknown_biases"])
        self._unknown_value = found["unknown_value"]
        self._unknown_factors = list(found["unknown_factors"])
        self._clip = found["range"]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Values at positions X. Rows that were not learnt are predicted from what is known."""
        check_is_fitted(self)
        if self._of_users:
            raise Refused("predict: a model with unit=\"user\" knows no user; recommend() and "
                          "predict_for() take a user's own ratings")
        rows = self._rows(X)
        values = np.full(len(rows[0]), self.mean_)
        some_unknown = np.zeros(len(values), dtype=bool)
        gathered = []
        for mode, row in enumerate(rows):
            unknown = row < 0
            some_unknown |= unknown
            bias = self.biases_[mode][row]
            spare = self._unknown_biases[mode] if self._unknown_biases else 0.0
            values += np.where(unknown, spare, bias)
            factor = self.factors_[mode][row].copy()
            factor[unknown] = self._unknown_factors[mode] if self._unknown_factors else 0.0
            gathered.append(factor)
        values += self._low_rank(gathered)
        if self._unknown_value is not None:
            values = np.where(some_unknown, self._unknown_value, values)
        return np.clip(values, *self._clip) if self._clip is not None else values

    def rmse(self, X: Any, y: Any, *, on_training_data: bool = False) -> float:
        """The root of the mean squared error. It is computed from the values in y."""
        self._refuse_training_data(on_training_data, "the error", *_ratings_parts(X, y))
        error = self.predict(X) - np.asarray(_input.as_numpy(y), dtype=float)
        return float(np.sqrt(np.mean(error ** 2)))

    def score(self, X: Any, y: Any, sample_weight: Any = None, *,
              on_training_data: bool = False) -> float:
        """The coefficient of determination, R^2. It is computed from the values in y."""
        self._refuse_training_data(on_training_data, "the score", *_ratings_parts(X, y))
        return float(super().score(X, y, sample_weight))

    def predict_for(self, items: Sequence[Any], ratings: Any, wanted: Sequence[Any]) -> np.ndarray:
        """Values of the items `wanted` for a user who gave these ratings.

        For ``unit="user"``. The user's taste is computed here and not stored.
        """
        check_is_fitted(self)
        if not self._of_users:
            raise Refused("predict_for: for models with unit=\"user\"; others predict places")
        number = {label: n for n, label in enumerate(self.labels_[0])}
        rows = np.array([number.get(str(item), -1) for item in items], dtype=np.int32)
        values = np.ascontiguousarray(_input.as_numpy(ratings), dtype=np.float64)
        known = rows >= 0
        places = np.array([number.get(str(item), -1) for item in wanted], dtype=np.int32)
        return np.asarray(core.predict_for_user(self._user_model, rows[known],
                                                np.ascontiguousarray(values[known]), places))

    def recommend(self, items: Sequence[Any], ratings: Any,
                  top: int = 10) -> list[tuple[str, float]]:
        """The best items for a user who gave these ratings, best first, without those rated."""
        rated = {str(item) for item in items}
        others = [label for label in self.labels_[0] if label not in rated]
        values = self.predict_for(items, ratings, others)
        best = np.argsort(-values, kind="stable")[:top]
        return [(others[n], float(values[n])) for n in best]

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"rank": self.rank, "model": self.model,
                                   "seed": seed_of(self.random_state)}
        if self.range is not None:
            low, high = self.range
            options["range"] = f"{float(low)!r}:{float(high)!r}"
        if not self._private:
            options |= {"method": self.method, "epochs": self.max_iter}
        else:
            assert self.privacy is not None
            options |= {"unit": self.privacy.unit, "mechanism": self.mechanism}
        return options

    def _fit_users(self, data: Any) -> TensorCompletion:
        assert self.items is not None and self.range is not None
        items = [str(item) for item in self.items]
        options = self._options()
        options.pop("mechanism")
        options |= {"items": "given by the caller", "per_user": self.per_user, "users": self.n_users}
        found = self._run("complete", options, lambda texts, report: core.run_complete_users(
            data, items, texts, report))
        self.factors_ = [found["factors"]]
        self.biases_ = [found["effects"]]
        self.labels_ = [items]
        self.mean_ = float(found["mean"])
        self.method_ = found["method"]
        self._user_model = {
            "low": float(self.range[0]), "high": float(self.range[1]), "mean": self.mean_,
            "level_variance": found["level_variance"], "error_variance": found["error_variance"],
            "effects": found["effects"], "factors": np.ascontiguousarray(found["factors"])}
        return self

    def _rows(self, X: Any) -> list[np.ndarray]:
        names, columns = _input.rating_columns(X)
        if len(names) != self.n_features_in_:
            raise Refused(f"X has {len(names)} columns of places, the model has "
                          f"{self.n_features_in_}")
        rows = []
        for mode, column in enumerate(columns):
            number = {label: n for n, label in enumerate(self.labels_[mode])}
            unique, inverse = np.unique(column, return_inverse=True)
            known = np.array([number.get(str(label), -1) for label in unique], dtype=np.int64)
            rows.append(known[inverse.ravel()])
        for mode in range(len(rows), len(self.factors_)):
            rows.append(np.zeros(len(columns[0]), dtype=np.int64))
        return rows

    def _low_rank(self, factors: list[np.ndarray]) -> np.ndarray:
        if self.core_ is None:
            return np.asarray(np.prod(factors, axis=0).sum(axis=1))
        letters = "abcde"[:len(factors)]
        places = ",".join(f"n{letter}" for letter in letters)
        return np.asarray(np.einsum(f"{letters},{places}->n", self.core_, *factors, optimize=True))


def _ratings_parts(X: Any, y: Any) -> tuple[np.ndarray, ...]:
    return (*_input.rating_columns(X)[1], np.asarray(_input.as_numpy(y), dtype=np.float64))
