"""What a fit may cost, and budgets that several fits share."""
from __future__ import annotations

import math
import os
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
    ledger : path, optional
        A ledger over all runs on the same data, made by ``sotto ledger init``. A fit that its limit
        does not cover is refused.
    ledger_data : str, optional
        The name of the data set, if the ledger has several.
    protects, contact, purpose : str, optional
        For the certificate: what is protected in your words, whom to ask, what the result is for.
    accept_large_delta : bool
        Whether a delta is accepted that is not below one over the number of protected units, at
        which someone may be expected to be exposed.

    Examples
    --------
    >>> import sotto
    >>> sotto.Privacy(epsilon=1, delta=1e-6, unit="document")
    Privacy(epsilon=1, delta=1e-06, unit='document')
    """

    def __init__(self, epsilon: float, delta: float | None = None, *, unit: str,
                 ledger: str | os.PathLike[str] | None = None, ledger_data: str | None = None,
                 protects: str | None = None, contact: str | None = None,
                 purpose: str | None = None, accept_large_delta: bool = False,
                 budget: Budget | None = None) -> None:
        _require_positive("epsilon", epsilon)
        if delta is not None and not 0 < delta < 1:
            raise Refused(f"delta must lie between 0 and 1, got {delta}")
        self.epsilon = epsilon
        self.delta = delta
        self.unit = unit
        self.ledger = None if ledger is None else os.fspath(ledger)
        self.ledger_data = ledger_data
        self.protects = protects
        self.contact = contact
        self.purpose = purpose
        self.accept_large_delta = accept_large_delta
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

    def _give_back(self) -> None:
        """The ledger had no place for the fit, which has read nothing."""
        with self._lock:
            if self.budget is not None:
                self.budget._forget(self)
            self._spent = False

    def _finish(self, certificate: Certificate,
                cost: tuple[float, float, float, float] | None) -> None:
        if self.budget is not None:
            self.budget._commit(self, certificate, cost)


def _spent_copy(epsilon: float, delta: float | None, unit: str) -> Privacy:
    privacy = Privacy(epsilon, delta, unit=unit)
    privacy._spent = True
    return privacy


class Budget:
    """A limit on several fits on the same data together.

    Fits may be chosen after looking at the results of earlier ones: the limit is guarded by rules
    that allow this (sotto/privacy/run_cost.md has the proof). Two counts are kept: the plain sum of
    what fits were given, and one in which Gaussian releases add up as mu squared. A fit is admitted
    only if one of them holds even when the fit spends all that it was given; what it does not spend
    comes back. A fit that fails after it began counts as spent.

    The budget lives in this process. Keep one for as long as the data is used; a `ledger` keeps it
    for longer, over processes and over months.

    Parameters
    ----------
    epsilon, delta : float
        The limit for all fits together.
    unit : str, optional
        What is protected; the unit of the first fit when not given. Fits that protect different
        units cannot share a budget.
    ledger : path, optional
        A ledger over all runs on the same data, made by ``sotto ledger init``, that every fit of
        this budget is counted in as well. Both limits hold.
    ledger_data : str, optional
        The name of the data set, if the ledger has several.

    Examples
    --------
    >>> import sotto
    >>> with sotto.Budget(epsilon=3, delta=1e-5) as budget:
    ...     first = budget.privacy(epsilon=1, delta=1e-6, unit="record")
    >>> budget.spent
    0.0
    """

    def __init__(self, epsilon: float, delta: float, *, unit: str | None = None,
                 ledger: str | os.PathLike[str] | None = None,
                 ledger_data: str | None = None) -> None:
        _require_positive("epsilon", epsilon)
        if not 0 < delta < 1:
            raise Refused(f"delta must lie between 0 and 1, got {delta}")
        self.epsilon = epsilon
        self.delta = delta
        self.unit = unit
        self.ledger = ledger
        self.ledger_data = ledger_data
        self.certificates: list[Certificate] = []
        self._runs: list[_Run] = []
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

    def privacy(self, epsilon: float, delta: float | None = None, *, unit: str | None = None,
                protects: str | None = None, contact: str | None = None,
                purpose: str | None = None, accept_large_delta: bool = False) -> Privacy:
        """A `Privacy` for one fit, paid from this budget when the fit begins."""
        unit = unit if unit is not None else self.unit
        if unit is None:
            raise Refused("unit: name what is protected, for example unit=\"record\"")
        if self.unit is not None and unit != self.unit:
            raise Refused(f"unit: this budget protects one {self.unit}, not one {unit}")
        self.unit = unit
        return Privacy(epsilon, delta, unit=unit, ledger=self.ledger,
                       ledger_data=self.ledger_data, protects=protects, contact=contact,
                       purpose=purpose, accept_large_delta=accept_large_delta, budget=self)

    @property
    def spent(self) -> float:
        """The epsilon, at the budget's delta, of all fits so far, those that failed included.

        It is the cost of the fits as if they had been a list fixed in advance, and says how much
        was used. What is promised for fits that were chosen one after the other is the limit.
        """
        return float(self._count().composed_epsilon)

    @property
    def remaining(self) -> float:
        """The largest epsilon that a fit could still be given, with a small delta."""
        return float(self._count().left)

    def _count(self) -> core.RunCount:
        return core.RunCount(self.epsilon, self.delta, [run.counted() for run in self._runs])

    def _reserve(self, privacy: Privacy) -> None:
        claim = core.whole_claim(privacy.epsilon, privacy.delta or 0.0, privacy.unit)
        with self._lock:
            if not self._open:
                raise Refused("this budget is closed: its with block has ended")
            count = self._count()
            if not count.admits(*claim):
                raise Refused(
                    f"the budget of epsilon {self.epsilon:g} at delta {self.delta:g} does not "
                    f"cover this fit: {self.spent:.4g} is spent, epsilon {privacy.epsilon:g} and "
                    f"delta {privacy.delta or 0:g} are asked for")
            self._runs.append(_Run(privacy, claim, count.room(*claim)))

    def _forget(self, privacy: Privacy) -> None:
        with self._lock:
            self._runs = [run for run in self._runs if run.privacy is not privacy]

    def _commit(self, privacy: Privacy, certificate: Certificate,
                cost: tuple[float, float, float, float] | None) -> None:
        with self._lock:
            run = next(run for run in self._runs if run.privacy is privacy)
            if cost is not None and self._count().settles(run.counted(cost)):
                run.cost = cost
            self.certificates.append(certificate)


class _Run:
    """A fit as it is counted: with its claim, until it is settled with what it cost."""

    def __init__(self, privacy: Privacy, claim: tuple[float, float], held: float) -> None:
        self.privacy = privacy
        self.claim = claim
        self.held = held
        self.cost: tuple[float, float, float, float] | None = None

    def counted(self, cost: tuple[float, float, float, float] | None = None) -> tuple[
            float, float, float, tuple[float, float, float, float] | None]:
        return (*self.claim, self.held, cost or self.cost)


def _require_positive(name: str, value: float) -> None:
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
        raise Refused(f"{name} must be a number above 0, got {value!r}")
