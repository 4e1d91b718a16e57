"""What all estimators have in common: options, one run, and what is learnt and reported."""
from __future__ import annotations

import hashlib
import html
import json
import os
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ._load import core
from ._progress import reporter
from .certificate import Certificate
from .errors import NotReserved, Refused
from .privacy import Privacy


# Of this process: a fingerprint never leaves it, so that nobody can test a guess at the data.
_FINGERPRINT_KEY = secrets.token_bytes(32)


def option_text(value: Any) -> str:
    """A value as a command line would have it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(option_text(item) for item in value)
    return str(value)


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Options of a task: names with dashes, those that are None or False left out."""
    return {name.replace("_", "-"): option_text(value) for name, value in options.items()
            if value is not None and value is not False}


def seed_of(random_state: Any) -> int:
    """The seed of starts and shuffles; noise has a source of its own that no seed reaches."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise Refused(f"random_state must not be negative, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class SottoEstimator(BaseEstimator):
    """The base of the estimators: fits with or without privacy, and says which.

    Attributes
    ----------
    certificate_ : Certificate or None
        What a private fit guarantees; None for a public one.
    releases_ : list of dict
        The noisy releases of a private fit.
    result_ : dict
        The whole result, as in the result.json of the command line.
    """

    _units: tuple[str, ...] = ()
    privacy: Privacy | None
    random_state: Any
    progress: Any

    @property
    def _private(self) -> bool:
        return self.privacy is not None

    def _check_privacy(self) -> None:
        """Refuses what is not a Privacy, and units that this estimator does not protect."""
        if self.privacy is None:
            return
        name = type(self).__name__
        if not isinstance(self.privacy, Privacy):
            raise Refused(f"privacy must be a sotto.Privacy, got {type(self.privacy).__name__}")
        if self.privacy.unit not in self._units:
            allowed = " or ".join(f"unit={unit!r}" for unit in self._units)
            raise Refused(f"unit: {name} protects {allowed}, not {self.privacy.unit!r}")

    def _target(self) -> dict[str, Any]:
        if self.privacy is None:
            return {}
        return {"epsilon": self.privacy.epsilon, "delta": self.privacy.delta,
                "ledger": self.privacy.ledger, "ledger_data": self.privacy.ledger_data,
                "protects": self.privacy.protects, "contact": self.privacy.contact,
                "purpose": self.privacy.purpose,
                "accept_large_delta": self.privacy.accept_large_delta}

    def _run(self, task: str, options: dict[str, Any],
             call: Callable[[dict[str, str], Any], tuple[Any, Any]]) -> dict[str, Any]:
        """Checks, pays, runs call(options, progress), and keeps what every result has.

        Returns the arrays by name.
        """
        texts = option_texts({**options, **self._target()})
        getattr(core, f"check_{task}")(texts)
        if self.privacy is not None:
            self.privacy._begin()
        try:
            with reporter(self.progress, type(self).__name__) as report:
                found, outcome = call(texts, report)
        except NotReserved:
            if self.privacy is not None:
                self.privacy._give_back()
            raise
        self._outcome = outcome
        self.result_: dict[str, Any] = json.loads(outcome.json)
        self.certificate_: Certificate | None = None
        self.releases_: list[dict[str, Any]] = []
        if self.privacy is not None:
            self.certificate_ = Certificate(self.result_["privacy"], found["certificate"])
            self.releases_ = self.certificate_.releases
            self.privacy._finish(self.certificate_, found.get("run_cost"))
        return dict(found)

    def report(self) -> str:
        """The page of the result, as HTML."""
        return str(self._live_outcome().page())

    def save(self, folder: str | os.PathLike[str], *,
             sign: str | os.PathLike[str] | None = None) -> None:
        """Writes the folder that the command line would write: a model for `sotto apply`.

        `sign` is a key made by ``sotto keys new``; ``sotto verify`` checks folder and signature.
        """
        self._live_outcome().save(os.fspath(folder), "" if sign is None else os.fspath(sign))

    def _live_outcome(self) -> Any:
        outcome = getattr(self, "_outcome", None)
        if outcome is None:
            raise Refused("only the process that fitted the model can do this: save it before it "
                          "is pickled")
        return outcome

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_outcome", None)
        state.pop("_training", None)
        return state

    # ---- the data of a private fit ----

    # Fingerprints, each with the number of rows that it is of; None: of all.
    _training: set[tuple[int | None, bytes]] | None = None

    def _remember(self, *arrays: Any) -> None:
        self._training = {(None, _fingerprint(arrays))} if self._private else None

    def _remember_also(self, array: np.ndarray) -> None:
        if self._training is not None:
            self._training.add((None, _fingerprint((array,))))

    def _remember_batches(self, begin: Callable[[], Iterator[np.ndarray]],
                          dim: int) -> Callable[[], Iterator[np.ndarray]]:
        """The same batches; those of a private fit are remembered as they pass, since a fit may end
        before they do."""
        self._training = None
        if not self._private:
            return begin
        training: set[tuple[int | None, bytes]] = set()
        self._training = training

        def watched() -> Iterator[np.ndarray]:
            fingerprint = Fingerprint()
            last: tuple[int | None, bytes] = (0, b"")
            for batch in begin():
                fingerprint.add(batch)
                training.discard(last)
                last = (fingerprint.rows, fingerprint.value((fingerprint.rows, dim)))
                training.add(last)
                yield batch

        return watched

    def _refuse_training_data(self, allowed: bool, what: str, *arrays: Any) -> None:
        """A private model's training data must not be shown by habit."""
        if allowed or not any(_fingerprint(arrays, rows) == known
                              for rows, known in self._training or ()):
            return
        raise Refused(
            f"{what} of the data that a private fit was made from would show the people in it "
            f"without protection; say on_training_data=True if that is what you want and the "
            f"result stays where the data is")

    def _refuse_fit_and_show(self, what: str) -> None:
        if self._private:
            raise Refused(
                f"{what} would show the training data of a private fit without protection: fit() "
                f"alone, then transform data that you may show")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803 (scikit-learn's name)
        text = str(super().__repr__(N_CHAR_MAX))
        return text if self._private else f"{text}  # public: no privacy"

    # Notebooks show scikit-learn's picture of an estimator instead of its repr.

    def _repr_html_inner(self) -> str:
        return self._privacy_line() + str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        if "text/html" in bundle:
            bundle["text/html"] = self._privacy_line() + bundle["text/html"]
        return bundle

    def _privacy_line(self) -> str:
        said = repr(self.privacy) if self._private else "public: no privacy"
        return f"<div>{html.escape(said)}</div>"


class Fingerprint:
    """A keyed digest of data that comes whole or in parts: the same numbers have the same one.

    It reads the first rows and some of the others, so that a fit takes hardly longer.
    """

    _FIRST_ROWS = 1 << 12
    _APART = 256  # the others; divides _FIRST_ROWS

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(key=_FINGERPRINT_KEY, digest_size=16)
        self.rows = 0

    def add(self, array: np.ndarray) -> None:
        first = max(0, self._FIRST_ROWS - self.rows)
        self._read(array[:first])
        others = max(self.rows, self._FIRST_ROWS)
        self._read(array[others - self.rows + -others % self._APART::self._APART])
        self.rows += len(array)

    def _read(self, rows: np.ndarray) -> None:
        kind = np.float64 if np.issubdtype(rows.dtype, np.number) else None
        self._digest.update(np.ascontiguousarray(rows, dtype=kind).reshape(-1).view(np.uint8).data)

    def value(self, shape: tuple[int, ...]) -> bytes:
        """Of what was added so far, which has this shape."""
        digest = self._digest.copy()
        digest.update(str(tuple(int(d) for d in shape)).encode())
        return digest.digest()


def _fingerprint(arrays: tuple[Any, ...], rows: int | None = None) -> bytes:
    """Of the first rows, or of all."""
    values = b""
    for array in arrays:
        whole = np.atleast_1d(np.asarray(array))[:rows]
        part = Fingerprint()
        part.add(whole)
        values += part.value(whole.shape)
    return values
