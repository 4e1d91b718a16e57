"""Privacy accounting on its own: what releases cost, and how much noise a target needs.

Every epsilon is an upper bound, and every noise is enough. Arguments may be arrays; they are
broadcast against each other.

Examples
--------
>>> from sotto import account
>>> float(round(account.gaussian(noise_multiplier=2, count=10, delta=1e-6), 4))
8.3062
>>> account.compose([account.Gaussian(2, count=10), account.Laplace(20)], delta=1e-6) > 8.3
True
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._load import core
from .errors import Refused

Numbers = Union[float, npt.ArrayLike]


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise: its standard deviation over the L2 sensitivity."""

    noise_multiplier: float
    count: int = 1


@dataclass(frozen=True)
class Laplace:
    """Laplace noise on one number: its scale over the sensitivity."""

    scale: float
    count: int = 1


@dataclass(frozen=True)
class Pure:
    """Any mechanism that is epsilon-differentially private."""

    epsilon: float
    count: int = 1


@dataclass(frozen=True)
class Subsampled:
    """Gaussian noise on a Poisson sample; neighbours add or remove a record."""

    noise_multiplier: float
    sampling_rate: float
    count: int = 1


Release = Union[Gaussian, Laplace, Pure, Subsampled]


def gaussian(noise_multiplier: Numbers, count: Numbers = 1, *, delta: Numbers) -> Any:
    """The exact epsilon of Gaussian releases."""
    return _each(core.account_gaussian, noise_multiplier, _counts(count), delta)


def laplace(scale: Numbers, count: Numbers = 1, *, delta: Numbers = 0.0) -> Any:
    """The epsilon of releases with Laplace noise."""
    return _each(lambda b, n, d: core.compose([("laplace", b, 0.0, n)], d)[0], scale,
                 _counts(count), delta)


def subsampled(noise_multiplier: Numbers, sampling_rate: Numbers, count: Numbers = 1, *,
               delta: Numbers) -> Any:
    """The epsilon of Gaussian releases on Poisson samples, as in DP-SGD."""
    return _each(
        lambda s, q, n, d: core.compose([("subsampled", s, q, n)], d)[0], noise_multiplier,
        sampling_rate, _counts(count), delta)


def compose(releases: Iterable[Release], *, delta: float) -> float:
    """The epsilon of a list of releases that was fixed in advance: the least bound that holds."""
    return float(core.compose([_release(release) for release in releases], float(delta))[0])


def compare(releases: Iterable[Release], *, delta: float) -> dict[str, float]:
    """What each accountant says of the same releases; NaN where one does not apply."""
    lines = core.compare([_release(release) for release in releases], float(delta))
    return {name: epsilon for name, epsilon, _ in lines}


def calibrate(epsilon: Numbers, *, delta: Numbers, count: Numbers = 1, noise: str = "gaussian",
              sampling_rate: float | None = None) -> Any:
    """The least noise multiplier (or Laplace scale) that keeps to epsilon."""
    if noise == "laplace":
        if sampling_rate is not None:
            raise Refused("sampling_rate only works with Gaussian noise")
        return _each(core.calibrate_laplace, epsilon, delta, _counts(count))
    if noise != "gaussian":
        raise Refused(f"noise must be gaussian or laplace, got {noise!r}")
    if sampling_rate is not None:
        return _each(lambda e, d, n: core.calibrate_subsampled(e, d, sampling_rate, n), epsilon,
                     delta, _counts(count))
    return _each(core.calibrate_gaussian, epsilon, delta, _counts(count))


def _release(release: Release) -> tuple[str, float, float, int]:
    amount = astuple(release)[0]
    rate = release.sampling_rate if isinstance(release, Subsampled) else 0.0
    return type(release).__name__.lower(), float(amount), float(rate), int(release.count)


def _counts(count: Numbers) -> npt.NDArray[np.int64]:
    numbers = np.asarray(count)
    if not np.issubdtype(numbers.dtype, np.integer):
        if not np.all(numbers == np.floor(numbers)):
            raise Refused("count must be a whole number")
    return numbers.astype(np.int64)


def _each(function: Any, *arguments: Numbers) -> Any:
    """One call for each place of the broadcast arguments; a number where all are numbers."""
    arrays = np.broadcast_arrays(*arguments)
    found = np.empty(arrays[0].shape)
    for place in np.ndindex(found.shape):
        found[place] = function(*(array[place].item() for array in arrays))
    return found if found.shape else float(found)
