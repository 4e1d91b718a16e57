"""The privacy certificate of a fit."""
from __future__ import annotations

import decimal
import html
import math
from typing import Any


class Certificate:
    """What a fit reveals about one unit, computed from the noise that was added.

    Attributes
    ----------
    epsilon, delta : float
        The guarantee; epsilon is infinite where nothing is guaranteed.
    unit, neighbours : str
        What is protected, and how two data sets may differ.
    guarantee : str
        "proved" or "none".
    releases : list of dict
        Every noisy release, from which epsilon can be computed again.
    text : str
        The certificate in a few sentences.
    """

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        self._facts = facts
        self.text = text

    @property
    def epsilon(self) -> float:
        value = self._facts["epsilon"]
        return float("inf") if value is None else float(value)

    @property
    def delta(self) -> float:
        return float(self._facts["delta"])

    @property
    def unit(self) -> str:
        return str(self._facts["unit"])

    @property
    def neighbours(self) -> str:
        return str(self._facts["neighbours"])

    @property
    def guarantee(self) -> str:
        return str(self._facts["guarantee"])

    @property
    def releases(self) -> list[dict[str, Any]]:
        return list(self._facts["releases"])

    def to_dict(self) -> dict[str, Any]:
        """The `privacy` object of result.json."""
        return dict(self._facts)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (f"Certificate(epsilon={_rounded_up(self.epsilon)}, delta={_rounded_up(self.delta)}, "
                f"unit={self.unit!r}, guarantee={self.guarantee!r})")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(release['what'])}</td><td>{html.escape(release['mechanism'])}"
            f"</td><td style='text-align:right'>{release['count']}</td>"
            f"<td style='text-align:right'>{release['noise']:.4g}</td></tr>"
            for release in self.releases)
        colour = "#1a7f37" if self.guarantee == "proved" else "#b35900"
        return (
            f"<div style='border-left:4px solid {colour};padding:.5em 1em;max-width:50em'>"
            f"<strong>epsilon {_rounded_up(self.epsilon)}, delta {_rounded_up(self.delta)}, for "
            f"{html.escape(self.unit)}</strong>"
            f"<p style='margin:.4em 0'>{html.escape(self.text)}</p>"
            f"<details><summary>{len(self.releases)} releases</summary><table><thead><tr>"
            f"<th>what</th><th>mechanism</th><th>count</th><th>noise</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></details></div>")


def _rounded_up(value: float) -> str:
    """With four digits, and never less than the value: a guarantee is not made to look better."""
    if not math.isfinite(value):
        return str(value)
    up = decimal.Context(prec=4, rounding=decimal.ROUND_CEILING)
    return f"{float(up.create_decimal(repr(value))):g}"
