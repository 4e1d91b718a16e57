"""Privacy accounting on its own: what releases cost, and how much noise a target needs.

Every epsilon is an upper bound, and every noise suffices for its epsilon. Arguments may be arrays,
and so may those of the releases in a list; they are broadcast against each other.

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

    noise_multiplier: Numbers
    count: Numbers = 1


@dataclass(frozen=True)
class Laplace:
    """Laplace noise on one number: its scale over the sensitivity."""

    scale: Numbers
    count: Numbers = 1


@dataclass(frozen=True)
class Pure:
    """Any mechanism that is epsilon-differentially private."""

    epsilon: Numbers
    count: Numbers = 1


@dataclass(frozen=True)
class Subsampled:
    """Gaussian noise on a Poisson sample; neighbours add or remove a record."""

    noise_multiplier: Numbers
    sampling_rate: Numbers
    count: Numbers = 1


Release = Union[Gaussian, Laplace, Pure, Subsampled]


def gaussian(noise_multiplier: Numbers, count: Numbers = 1, *, delta: Numbers) -> Any:
    """The exact epsilon of Gaussian releases."""
    return _each(core.account_gaussian, noise_multiplier, _counts(count), delta)


def laplace(scale: Numbers, count: Numbers = 1, *, delta: Numbers = 0.0) -> Any:
    """The epsilon of releases with Laplace noise."""
    return compose([Laplace(scale, count)], delta=delta)


def subsampled(noise_multiplier: Numbers, sampling_rate: Numbers, count: Numbers = 1, *,
               delta: Numbers) -> Any:
    """The epsilon of Gaussian releases on Poisson samples, as in DP-SGD."""
    return compose([Subsampled(noise_multiplier, sampling_rate, count)], delta=delta)


def compose(releases: Iterable[Release], *, delta: Numbers) -> Any:
    """The epsilon of a list of releases that was fixed in advance: the least bound that holds.

    >>> from sotto import account
    >>> account.compose([account.Gaussian([1, 2, 4]), account.Pure(0.1)], delta=1e-6).shape
    (3,)
    """
    lists, shape = _lists(releases, delta)
    return _shaped([core.compose(list_, d)[0] for list_, d in lists], shape)


def compare(releases: Iterable[Release], *, delta: Numbers) -> dict[str, Any]:
    """The epsilon of each accountant for the same releases; NaN where one does not apply."""
    lists, shape = _lists(releases, delta)
    found = [core.compare(list_, d) for list_, d in lists]
    names = [name for name, _, _ in found[0]] if found else []
    return {name: _shaped([lines[n][1] for lines in found], shape)
            for n, name in enumerate(names)}


def calibrate(epsilon: Numbers, *, delta: Numbers, count: Numbers = 1, noise: str = "gaussian",
              sampling_rate: Numbers | None = None) -> Any:
    """The least noise multiplier (or Laplace scale) that keeps to epsilon."""
    if noise == "laplace":
        if sampling_rate is not None:
            raise Refused("sampling_rate only works with Gaussian noise")
        return _each(core.calibrate_laplace, epsilon, delta, _counts(count))
    if noise != "gaussian":
        raise Refused(f"noise must be gaussian or laplace, got {noise!r}")
    if sampling_rate is not None:
        return _each(core.calibrate_subsampled, epsilon, delta, sampling_rate, _counts(count))
    return _each(core.calibrate_gaussian, epsilon, delta, _counts(count))


def _lists(releases: Iterable[Release], delta: Numbers) -> tuple[
        list[tuple[list[tuple[str, float, float, int]], float]], tuple[int, ...]]:
    """A list of releases and a delta for each element of the broadcast arguments, and their shape."""
    releases = list(releases)
    columns: list[Any] = [delta]
    for release in releases:
        rate = release.sampling_rate if isinstance(release, Subsampled) else 0.0
        columns += [astuple(release)[0], rate, _counts(release.count)]
    arrays = np.broadcast_arrays(*columns)
    kinds = [type(release).__name__.lower() for release in releases]
    places = []
    for d, *numbers in zip(*(array.ravel().tolist() for array in arrays)):
        list_ = [(kind, float(amount), float(rate), count) for kind, amount, rate, count
                 in zip(kinds, numbers[0::3], numbers[1::3], numbers[2::3])]
        places.append((list_, float(d)))
    return places, arrays[0].shape


def _counts(count: Numbers) -> npt.NDArray[np.int64]:
    numbers = np.asarray(count)
    if not np.issubdtype(numbers.dtype, np.integer):
        if not np.all(numbers == np.floor(numbers)):
            raise Refused("count must be a whole number")
    return numbers.astype(np.int64)


def _each(function: Any, *arguments: Numbers) -> Any:
    """One call for each element of the broadcast arguments; a number if all are numbers."""
    arrays = np.broadcast_arrays(*arguments)
    columns = (array.ravel().tolist() for array in arrays)
    return _shaped([function(*numbers) for numbers in zip(*columns)], arrays[0].shape)


def _shaped(numbers: list[float], shape: tuple[int, ...]) -> Any:
    return np.reshape(np.asarray(numbers, dtype=np.float64), shape) if shape else float(numbers[0])
