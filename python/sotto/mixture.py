"""Gaussian mixtures, by moments and by expectation-maximisation."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from ._base import option_texts, seed_of
from ._load import core
from ._points import PointEstimator
from .errors import Refused
from .privacy import Privacy

_ROWS_AT_A_TIME = 1 << 16


class GaussianMixture(DensityMixin, PointEstimator):
    """A Gaussian mixture of points, public or protected record by record.

    Parameters
    ----------
    n_components : int
        The number of Gaussians.
    covariance_type : {"common", "spherical", "diag", "full"}
        "common": one variance for all Gaussians. For each Gaussian, "spherical": its own variance,
        "diag": variances of the columns, "full": a covariance matrix.
    privacy : Privacy, optional
        ``Privacy(epsilon, delta, unit="record")``. Without it the points are public.
    max_norm : float, optional
        A public bound: longer records of a private fit are clipped to this norm. It is never read
        off the data.
    norm_range : tuple of float, optional
        (low, high): instead of `max_norm`, a public range from which the bound is chosen privately.
    refine : int, optional
        Expectation-maximisation steps; chosen when not given.
    random_state : int, RandomState or None
        Seed of the starts. The noise never depends on it.
    progress : bool or callable, optional
        True for a bar; or a function of (stage, done, total) that returns False to stop.

    Attributes
    ----------
    means_ : ndarray of shape (n_components, n_features)
    weights_ : ndarray of shape (n_components,)
    covariances_ : ndarray
        As in scikit-learn: of shape (n_components,) for "common", where all are the same, and
        "spherical"; (n_components, n_features) for "diag"; (n_components, n_features, n_features)
        for "full".
    bic_ : float or None
        Schwarz's criterion of the training points; None in a private fit.
    converged_ : bool
    certificate_ : Certificate or None

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[4., 0, 0], [0, 4, 0]], 500, axis=0) + rng.normal(size=(1000, 3))
    >>> model = sotto.GaussianMixture(2, random_state=0).fit(X)
    >>> model.means_.round().astype(int).tolist() in ([[4, 0, 0], [0, 4, 0]], [[0, 4, 0], [4, 0, 0]])
    True
    """

    def __init__(self, n_components: int = 1, *, covariance_type: str = "common",
                 privacy: Privacy | None = None, max_norm: float | None = None,
                 norm_range: tuple[float, float] | None = None, refine: int | None = None,
                 random_state: Any = None, progress: Any = None) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.privacy = privacy
        self.max_norm = max_norm
        self.norm_range = norm_range
        self.refine = refine
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> GaussianMixture:
        """Finds the Gaussians.

        Parameters
        ----------
        X : array, DataFrame, scipy.sparse matrix, pyarrow table, or DataFrame of Spark or Dask
            One point a row. Records of Spark and Dask stay in their workers.
        """
        self._check_privacy()
        options = self._options()
        options["seed"] = seed_of(self.random_state)
        with self._training_points(X, again=True) as data:
            found = self._run("mixture", options, lambda texts, report: core.run_mixture(
                data, texts, self._private, report))
        self.means_ = found["means"]
        self.weights_ = found["weights"]
        self.covariances_ = self._shaped(found)
        self.bic_ = found.get("bic")
        self.converged_ = bool(found["converged"])
        self.n_iter_ = found["steps"]
        return self

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> np.ndarray:
        """`fit` and `predict`; a private fit refuses, since it would show its own data."""
        self._refuse_fit_and_show("fit_predict")
        return self.fit(X).predict(X)

    def predict_proba(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The probability of each Gaussian for each point. It shows the points in X."""
        logs = self._log_densities(X, on_training_data)
        return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)))

    def predict(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The most probable Gaussian of each point."""
        return np.asarray(self._log_densities(X, on_training_data).argmax(axis=1))

    def score_samples(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The logarithm of the density at each point."""
        return np.asarray(logsumexp(self._log_densities(X, on_training_data), axis=1))

    def score(self, X: Any, y: Any = None, *, on_training_data: bool = False) -> float:
        """The mean logarithm of the density."""
        return float(self.score_samples(X, on_training_data=on_training_data).mean())

    def plan(self, n_records: int, n_features: int) -> str:
        """What a private fit would release, from public numbers; nothing is spent."""
        self._check_privacy()
        if not self._private:
            raise Refused("plan: a public fit releases everything; give privacy")
        options = option_texts({**self._options(), **self._target()})
        return str(core.plan_mixture(options, n_features, n_records, False))

    def _options(self) -> dict[str, Any]:
        kind = "diagonal" if self.covariance_type == "diag" else self.covariance_type
        return {"components": self.n_components, "covariance": kind, "refine": self.refine,
                **self._norm_options()}

    def _shaped(self, found: dict[str, Any]) -> np.ndarray:
        """Covariances in the shapes of scikit-learn."""
        k, d = self.means_.shape
        if "variance" in found:
            return np.full(k, found["variance"])
        full = self.covariance_type == "full"
        spherical = self.covariance_type == "spherical"
        return np.asarray(found["covariances"]).reshape((k, d, d) if full else
                                                        (k,) if spherical else (k, d))

    def _log_densities(self, X: Any, on_training_data: bool) -> np.ndarray:
        """log w_i - d/2 log 2 pi - log |L_i| - |L_i^-1 (x - mu_i)|^2 / 2, rows in blocks."""
        check_is_fitted(self)
        X = self._new_points(X, on_training_data, "a prediction")
        if self.covariances_.ndim > 1:
            return self._log_densities_by_roots(X)
        variances = np.maximum(self.covariances_, np.finfo(float).tiny)
        with np.errstate(divide="ignore"):
            constant = (np.log(self.weights_)
                        - 0.5 * X.shape[1] * np.log(2 * np.pi * variances)
                        - 0.5 * (self.means_ ** 2).sum(axis=1) / variances)
        logs = np.empty((X.shape[0], len(self.weights_)))
        for begin in range(0, X.shape[0], _ROWS_AT_A_TIME):
            rows = X[begin:begin + _ROWS_AT_A_TIME]
            squares = (rows.multiply(rows).sum(axis=1) if hasattr(rows, "multiply")
                       else np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
            logs[begin:begin + _ROWS_AT_A_TIME] = (
                rows @ self.means_.T / variances + constant
                - 0.5 * np.asarray(squares).reshape(-1, 1) / variances)
        return logs

    def _log_densities_by_roots(self, X: Any) -> np.ndarray:
        logs = np.empty((X.shape[0], len(self.weights_)))
        heights = np.log(self.weights_) - 0.5 * X.shape[1] * np.log(2 * np.pi)
        for begin in range(0, X.shape[0], _ROWS_AT_A_TIME):
            rows = X[begin:begin + _ROWS_AT_A_TIME]
            dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows, dtype=float)
            for i, (mean, covariance) in enumerate(zip(self.means_, self.covariances_)):
                if covariance.ndim == 1:
                    root = np.sqrt(covariance)
                    z, log_root = (dense - mean) / root, np.log(root).sum()
                else:
                    root = np.linalg.cholesky(covariance)
                    z = solve_triangular(root, (dense - mean).T, lower=True).T
                    log_root = np.log(np.diag(root)).sum()
                logs[begin:begin + len(dense), i] = (heights[i] - log_root
                                                     - 0.5 * np.einsum("ij,ij->i", z, z))
        return logs
