"""What a fit may cost, and budgets that several fits share."""
from __future__ import annotations

import math
import threading
from typing import Any

from ._load import core
from .certificate import Certificate
from .errors import Refused



class Privacy:
    """The most that one fit may reveal about one unit of the data.

    A `Privacy` pays for one fit. A second fit is a second release, so it needs a `Privacy` of its
    own, or one from a `Budget` that several fits share. Clones of an estimator share it, and a copy
    in another process cannot be spent: a grid search cannot spend the same epsilon many times.

    Parameters
    ----------
    epsilon : float
        The bound of the guarantee, above 0.
    delta : float, optional
        The probability with which the bound may fail. Pure mechanisms need none.
    unit : str
        What is protected: "document", "record", "rating", "user", "entry" or "person". An
        estimator refuses a unit that it does not protect.

    Examples
    --------
    >>> import sotto
    >>> sotto.Privacy(epsilon=1, delta=1e-6, unit="document")
    Privacy(epsilon=1, delta=1e-06, unit='document')
    """

    def __init__(self, epsilon: float, delta: float | None = None, *, unit: str,
                 budget: Budget | None = None) -> None:
        _require_positive("epsilon", epsilon)
        if delta is not None and not 0 < delta < 1:
            raise Refused(f"delta must lie between 0 and 1, got {delta}")
        self.epsilon = epsilon
        self.delta = delta
        self.unit = unit
        self.budget = budget
        self._spent = False
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Privacy(epsilon={self.epsilon:g}, delta={self.delta!r}, unit={self.unit!r})"

    # A copy would be a second permission to spend.
    def __copy__(self) -> Privacy:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Privacy:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _spent_copy, (self.epsilon, self.delta, self.unit)

    @property
    def spent(self) -> bool:
        """Whether a fit has used it."""
        return self._spent

    def _begin(self) -> None:
        """Pays, before the fit reads its data; a fit that fails afterwards has paid."""
        with self._lock:
            if self._spent:
                raise Refused(
                    "privacy: this Privacy has paid for a fit already, or is a copy from another "
                    "process. A further fit is a further release: give it a Privacy of its own, or "
                    "one from a sotto.Budget")
            if self.budget is not None:
                self.budget._reserve(self)
            self._spent = True

    def _finish(self, certificate: Certificate) -> None:
        if self.budget is not None:
            self.budget._commit(self, certificate)


def _spent_copy(epsilon: float, delta: float | None, unit: str) -> Privacy:
    privacy = Privacy(epsilon, delta, unit=unit)
    privacy._spent = True
    return privacy


class Budget:
    """A limit that several fits on the same data keep together.

    Fits may be chosen after looking at the results of earlier ones: the limit is guarded by rules
    that allow this. Gaussian releases add up as mu squared (Gaussian differential privacy), pure
    ones by their epsilon; any other fit counts with its whole epsilon and delta. A fit is admitted
    only if the limit holds even when it spends all that it was given; what it does not spend comes
    back. A fit that fails after it began counts as spent.

    The budget lives in this process. Keep one for as long as the data is used.

    Parameters
    ----------
    epsilon, delta : float
        The limit for all fits together.
    unit : str, optional
        What is protected; the unit of the first fit when not given. Fits that protect different
        units cannot share a budget.

    Examples
    --------
    >>> import sotto
    >>> with sotto.Budget(epsilon=3, delta=1e-5) as budget:
    ...     first = budget.privacy(epsilon=1, delta=1e-6, unit="record")
    >>> budget.spent
    0.0
    """

    def __init__(self, epsilon: float, delta: float, *, unit: str | None = None) -> None:
        _require_positive("epsilon", epsilon)
        if not 0 < delta < 1:
            raise Refused(f"delta must lie between 0 and 1, got {delta}")
        self.epsilon = epsilon
        self.delta = delta
        self.unit = unit
        self.certificates: list[Certificate] = []
        self._claims: dict[int, _Cost] = {}  # by the Privacy that made them
        self._costs: list[_Cost] = []
        self._lock = threading.Lock()
        self._open = True

    def __enter__(self) -> Budget:
        return self

    def __exit__(self, *error: object) -> None:
        self._open = False

    def __repr__(self) -> str:
        return (f"Budget(epsilon={self.epsilon:g}, delta={self.delta:g}, unit={self.unit!r}, "
                f"spent={self.spent:.4g})")

    def __reduce__(self) -> tuple[Any, ...]:
        raise Refused("a Budget cannot be copied to another process: it could be spent twice")

    def privacy(self, epsilon: float, delta: float | None = None, *,
                unit: str | None = None) -> Privacy:
        """A `Privacy` for one fit, paid from this budget when the fit begins."""
        unit = unit if unit is not None else self.unit
        if unit is None:
            raise Refused("unit: name what is protected, for example unit=\"record\"")
        if self.unit is not None and unit != self.unit:
            raise Refused(f"unit: this budget protects one {self.unit}, not one {unit}")
        self.unit = unit
        return Privacy(epsilon, delta, unit=unit, budget=self)

    @property
    def spent(self) -> float:
        """The epsilon, at the budget's delta, of all fits so far, those that failed included."""
        return self._epsilon([*self._costs, *self._claims.values()])

    @property
    def remaining(self) -> float:
        """The largest epsilon, with delta 0, that a fit could still be given."""
        return max(0.0, self.epsilon - self.spent)

    def _epsilon(self, costs: list[_Cost]) -> float:
        pure = math.fsum(cost.pure for cost in costs)
        mu = math.sqrt(math.fsum(cost.mu_squared for cost in costs))
        delta = self.delta - math.fsum(cost.delta for cost in costs)
        if mu == 0:
            return pure if delta >= 0 else math.inf
        return pure + core.gdp_epsilon(mu, delta) if delta > 0 else math.inf

    def _reserve(self, privacy: Privacy) -> None:
        claim = _claim_of(privacy)
        with self._lock:
            if not self._open:
                raise Refused("this budget is closed: its with block has ended")
            after = self._epsilon([*self._costs, *self._claims.values(), claim])
            if not after <= self.epsilon * (1 + 1e-12):
                raise Refused(
                    f"the budget of epsilon {self.epsilon:g} at delta {self.delta:g} does not "
                    f"cover this fit: {self.spent:.4g} is spent, epsilon {privacy.epsilon:g} and "
                    f"delta {privacy.delta or 0:g} are asked for")
            self._claims[id(privacy)] = claim

    def _commit(self, privacy: Privacy, certificate: Certificate) -> None:
        with self._lock:
            claim = self._claims.pop(id(privacy))
            self._costs.append(_cost_of(certificate) or claim)
            self.certificates.append(certificate)


class _Cost:
    """A cost that adds up whatever is chosen later: mu squared, pure epsilon, delta."""

    def __init__(self, pure: float = 0.0, mu_squared: float = 0.0, delta: float = 0.0) -> None:
        self.pure = pure
        self.mu_squared = mu_squared
        self.delta = delta


def _claim_of(privacy: Privacy) -> _Cost:
    """All that a fit may cost. Ratings are counted twice: some of their mechanisms take a value
    away rather than replace it, and a replacement is two such changes."""
    epsilon, delta = privacy.epsilon, privacy.delta or 0.0
    if privacy.unit == "rating":
        return _Cost(pure=2 * epsilon, delta=(1 + math.exp(min(epsilon, 700))) * delta)
    return _Cost(pure=epsilon, delta=delta)


def _cost_of(certificate: Certificate) -> _Cost | None:
    """From the releases; None where they do not simply add up (samples, disjoint records)."""
    if certificate.guarantee != "proved" or "withdrawn" in certificate.neighbours:
        return None
    total = _Cost()
    for release in certificate.releases:
        cost = release["cost"]
        count = release["count"]
        if "parallel" in release or not set(cost) <= {"mu", "epsilon"}:
            return None
        total.mu_squared += count * cost.get("mu", 0.0) ** 2 * (1 + 1e-12)
        precision = release.get("precision", {})
        total.pure += count * (cost.get("epsilon", 0.0) + precision.get("epsilon", 0.0))
        total.delta += count * precision.get("delta", 0.0) * math.exp(min(certificate.epsilon, 50))
    return total


def _require_positive(name: str, value: float) -> None:
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
        raise Refused(f"{name} must be a number above 0, got {value!r}")
