"""Pictures of models and certificates, made from released numbers only.

Every function draws what a fitted model or a certificate already shows. None of them takes data, so
a picture of a private model costs no privacy. They need matplotlib: ``pip install sotto[plot]``.

Examples
--------
>>> import matplotlib, numpy as np, sotto
>>> matplotlib.use("Agg")
>>> rng = np.random.default_rng(0)
>>> full = sotto.CPTensor(np.ones(2), [rng.random((d, 2)) for d in (5, 6, 7)]).full()
>>> model = sotto.CPDecomposition(2, random_state=0).fit(full)
>>> figure = sotto.plot.factors(model)
>>> len(figure.axes)  # two components, three modes
6
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ._load import core
from .certificate import Certificate
from .errors import Refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
Labels = Union[Sequence[Any], npt.NDArray[Any]]

_POSITIVE, _NEGATIVE, _QUIET = "#2f6f9f", "#c0622d", "#888888"


def factors(model: Any, mode: int | None = None, labels: Any = None, *,
            max_rows: int = 25) -> Figure:
    """The factors of a decomposition: one row of panels a component, one column a mode.

    A mode whose rows have an order, that is labels which are numbers or dates that rise or fall, is
    drawn as lines. Other modes are drawn as bars, in one colour above zero and in another below.

    Parameters
    ----------
    model : fitted estimator, CPTensor or TuckerTensor
        With ``factors_``, or with ``components_`` or ``means_``, which are taken as one mode.
    mode : int, optional
        The place in ``factors_``; all modes when not given. A model with ``unit="person"`` has no
        factor of the people, so its first factor is that of the tensor's second mode.
    labels : sequence, or sequence of sequences, optional
        What the rows stand for: of the one mode, or one sequence for each mode (None for a mode
        without names). Those of the model when not given.
    max_rows : int
        Bars of a panel at most: the rows with the largest absolute values in any component.

    Returns
    -------
    matplotlib.figure.Figure
    """
    found = _factors_of(model)
    modes = range(len(found)) if mode is None else [_checked_mode(mode, found)]
    names = _labels_of(model, found, labels, mode)
    n_components = max(found[place].shape[1] for place in modes)
    widths = [_width(found[place], names[place], max_rows) for place in modes]
    figure: Figure
    figure, panels = _pyplot().subplots(
        n_components, len(modes), squeeze=False, layout="constrained", width_ratios=widths,
        figsize=(max(sum(widths), 4.5), 1.7 * n_components + 0.8))
    for column, place in enumerate(modes):
        for component in range(n_components):
            axes = panels[component, column]
            if component >= found[place].shape[1]:
                axes.set_axis_off()
                continue
            _draw_factor(axes, found[place], component, names[place], max_rows)
            if component == 0:
                axes.set_title(_title(model, place), fontsize="medium")
            if column == 0:
                axes.set_ylabel(f"component {component + 1}")
            if component + 1 < found[place].shape[1]:
                axes.tick_params(labelbottom=False)
    return figure


def spectra(model: Any, mode: int, x: Labels | None = None, *, ax: Axes | None = None) -> Axes:
    """The factors of one mode as lines over an ordered axis: wavelengths, hours, months.

    Parameters
    ----------
    model : fitted estimator, CPTensor or TuckerTensor
    mode : int
        The place in ``factors_``.
    x : sequence of numbers or dates, optional
        The axis, one value a row. The model's labels where they are such, else 1, 2, ..
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib.axes.Axes
    """
    found = _factors_of(model)
    factor = found[_checked_mode(mode, found)]
    if x is None:
        axis = _order(_labels_of(model, found, None, None)[mode])
        axis = np.arange(1, len(factor) + 1) if axis is None else axis
    else:
        axis = np.asarray(x)
        if axis.shape != (len(factor),):
            raise Refused(f"x: {len(factor)} values are needed, one a row of the factor, not an "
                          f"array of shape {axis.shape}")
    ax = _pyplot().subplots(layout="constrained", figsize=(6.4, 3.6))[1] if ax is None else ax
    for component in range(factor.shape[1]):
        ax.plot(axis, factor[:, component], label=f"component {component + 1}")
    ax.axhline(0, color=_QUIET, linewidth=0.6, zorder=0)
    ax.set_ylabel("value in the factor")
    ax.legend(frameon=False, fontsize="small")
    _plain(ax)
    return ax


def topics(model: Any, n_words: int = 8) -> Figure:
    """The most probable words of each topic, as horizontal bars.

    Parameters
    ----------
    model : fitted TopicModel
    n_words : int
        Words of each topic.

    Returns
    -------
    matplotlib.figure.Figure
        A panel's title has the topic's share of the words that the model expects; of the
        documents, where each has one topic.
    """
    check_is_fitted(model, "components_")
    if n_words < 1:
        raise Refused(f"n_words must be at least 1, got {n_words}")
    probabilities = np.asarray(model.components_)
    words = model.top_words(n_words)
    shares = np.asarray(model.alpha_) / np.sum(model.alpha_)
    rows = math.ceil(len(words) / 4)
    columns = math.ceil(len(words) / rows)
    of_what = "documents" if model.model == "single" else "words"
    figure: Figure
    figure, panels = _pyplot().subplots(rows, columns, squeeze=False, layout="constrained",
                                        sharex=True,
                                        figsize=(2.8 * columns, rows * (0.24 * n_words + 0.8)))
    for topic, axes in enumerate(panels.flat):
        if topic >= len(words):
            axes.set_axis_off()
            continue
        values = -np.sort(-probabilities[topic], kind="stable")[:len(words[topic])]
        places = np.arange(len(values))
        axes.barh(places, values, color=_POSITIVE)
        axes.set_yticks(places, words[topic], fontsize="small")
        axes.invert_yaxis()
        axes.set_title(f"topic {topic + 1}: {100 * shares[topic]:.0f}% of the {of_what}",
                       fontsize="medium")
        _plain(axes)
        axes.tick_params(axis="y", length=0)
        if topic + columns >= len(words):
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("probability")
    return figure


def trade_off(certificate: Certificate | Any, *, ax: Axes | None = None) -> Axes:
    """How well an attacker can do against a certificate.

    An attacker who knows everything but one unit looks at the result and decides which of two
    neighbouring data sets it came from. There are two ways to err: a wrong alarm (type I), or a
    case that is missed (type II). Whoever guesses blindly has errors that add up to one: the line
    of perfect privacy. A certificate proves that no attack has errors below its curve.

    Two curves are drawn. One is what (epsilon, delta) alone says. The other is there when every
    release has Gaussian noise: it is the exact curve of Gaussian differential privacy for the
    summed mu, and nowhere below the first.

    Parameters
    ----------
    certificate : Certificate, or a fitted private model
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    Releases that read disjoint records count as the largest of them. Where the releases were chosen
    during the run, the guarantee rests on the limit that was fixed before it, so mu is the one of
    that limit, not of what happened to be spent.
    """
    certificate = getattr(certificate, "certificate_", certificate)
    if not isinstance(certificate, Certificate):
        raise Refused("trade_off: a Certificate is needed; a public fit has none")
    if certificate.guarantee != "proved" or not math.isfinite(certificate.epsilon):
        raise Refused("trade_off: this certificate proves nothing, so there is no curve")
    if ax is None:
        ax = _pyplot().subplots(layout="constrained", figsize=(5.2, 4.8))[1]
    ax.plot([0, 1], [1, 0], linestyle="--", color=_QUIET, label="perfect privacy")
    epsilon, delta = certificate.epsilon, certificate.delta
    bend = (1 - delta) / (1 + math.exp(min(epsilon, 700.0)))
    corners = np.array([0.0, bend, 1 - delta, 1.0])
    floor = _epsilon_delta_curve(corners, epsilon, delta)
    shown = f", delta {delta:.3g}" if delta > 1e-30 else ""
    ax.plot(corners, floor, color=_NEGATIVE, label=f"epsilon {epsilon:.3g}{shown}")
    noise = _gaussian_noise(certificate)
    if noise is not None:
        corners = _grid()
        floor = _gdp_curve(corners, *noise)
        ax.plot(corners, floor, color=_POSITIVE,
                label=f"its Gaussian noise, mu {noise[0]:.3g}")
    ax.fill_between(corners, floor, color=_QUIET, alpha=0.12, linewidth=0,
                    label="no attack gets here")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal",
           xlabel="type I error: share of wrong alarms",
           ylabel="type II error: share of cases missed",
           title=f"What an attacker must get wrong:\n{certificate.unit}")
    ax.title.set_fontsize("medium")
    ax.legend(frameon=False, fontsize="small", loc="upper right")
    _plain(ax)
    return ax


# ---- factors ----

def _factors_of(model: Any) -> list[Floats]:
    """One array of (rows, components) a mode."""
    if hasattr(model, "factors_"):
        return [np.asarray(factor) for factor in model.factors_]
    for name in ("components_", "means_"):
        if hasattr(model, name):
            return [np.asarray(getattr(model, name)).T]
    if hasattr(model, "factors"):
        return [np.asarray(factor) for factor in model.factors]
    check_is_fitted(model)
    raise Refused(f"a {type(model).__name__} has no factors to draw")


def _title(model: Any, place: int) -> str:
    """What the panels show, as the model calls it: its modes have numbers from 0 on."""
    for name in ("factors_", "components_", "means_"):
        if hasattr(model, name):
            return f"{name}[{place}]" if name == "factors_" else name
    return f"factors[{place}]"


def _checked_mode(mode: int, found: list[Floats]) -> int:
    if not 0 <= mode < len(found):
        raise Refused(f"mode must be 0 to {len(found) - 1}, got {mode}")
    return mode


def _labels_of(model: Any, found: list[Floats], labels: Any, mode: int | None) -> list[Any]:
    """Names of the rows of each mode: None, or a sequence."""
    if labels is None:
        names = _own_labels(model, len(found))
    elif mode is not None:
        names = [None] * len(found)
        names[mode] = labels
    else:
        names = [labels] if len(found) == 1 and _is_flat(labels) else list(labels)
    if len(names) != len(found):
        raise Refused(f"labels: {len(found)} sequences are needed, one a mode, not {len(names)}")
    for place, (factor, of_mode) in enumerate(zip(found, names)):
        if of_mode is not None and len(of_mode) != len(factor):
            raise Refused(f"labels: mode {place} has {len(factor)} rows, {len(of_mode)} names are "
                          f"given")
    return names


def _own_labels(model: Any, n_modes: int) -> list[Any]:
    if getattr(model, "labels", None) is not None:
        return [names if names is not None and len(names) else None
                for names in list(model.labels)[-n_modes:]]
    if hasattr(model, "labels_"):  # ids of users and items: numbers in them are no order
        spare: list[Any] = [None] * (n_modes - len(model.labels_))
        return [*(np.asarray([f"{name}" for name in names], dtype=object)
                  for names in model.labels_), *spare]
    if n_modes == 1 and getattr(model, "vocabulary_", None):
        return [model.vocabulary_]
    if n_modes == 1 and hasattr(model, "feature_names_in_"):
        return [model.feature_names_in_]
    return [None] * n_modes


def _is_flat(labels: Any) -> bool:
    return len(labels) == 0 or isinstance(labels[0], str) or np.ndim(labels[0]) == 0


def _order(labels: Any) -> npt.NDArray[Any] | None:
    """The labels as an axis, where they are numbers or dates that rise or fall; else None."""
    if labels is None:
        return None
    values = np.asarray(labels)
    if values.dtype.kind == "U":
        try:
            values = values.astype(np.float64)
        except ValueError:
            return None
    if values.dtype.kind not in "iufM" or values.ndim != 1 or len(values) < 2:
        return None
    steps = np.diff(values)
    zero = np.zeros(1, dtype=steps.dtype)
    return values if bool(np.all(steps > zero) or np.all(steps < zero)) else None


def _draw_factor(axes: Axes, factor: Floats, component: int, labels: Any, max_rows: int) -> None:
    values = factor[:, component]
    axis = _order(labels)
    if axis is not None:
        axes.plot(axis, values, color=_POSITIVE)
    else:
        rows = _rows_to_show(factor, max_rows)
        places = np.arange(len(rows))
        axes.bar(places, values[rows],
                 color=[_POSITIVE if value >= 0 else _NEGATIVE for value in values[rows]])
        names = [str(row + 1) for row in rows] if labels is None else [str(labels[n]) for n in rows]
        long = max(map(len, names)) * len(rows) > 30
        axes.set_xticks(places, names, fontsize="small", rotation=90 if long else 0)
    axes.axhline(0, color=_QUIET, linewidth=0.6)
    largest = float(np.abs(factor).max()) or 1.0
    axes.set_ylim(-1.08 * largest if factor.min() < 0 else 0, 1.08 * largest)
    _plain(axes)


def _width(factor: Floats, labels: Any, max_rows: int) -> float:
    bars = 0 if _order(labels) is not None else min(len(factor), max_rows)
    return max(3.2, 0.8 + 0.17 * bars)


def _rows_to_show(factor: Floats, max_rows: int) -> npt.NDArray[np.intp]:
    """The rows with the largest absolute values, in their own order."""
    if max_rows < 1:
        raise Refused(f"max_rows must be at least 1, got {max_rows}")
    largest = np.argsort(-np.abs(factor).max(axis=1), kind="stable")[:max_rows]
    return np.sort(largest)


# ---- trade-off curves ----

def _epsilon_delta_curve(alpha: Floats, epsilon: float, delta: float) -> Floats:
    """The least type II error that (epsilon, delta) allows at each type I error."""
    growth = math.exp(min(epsilon, 700.0))
    return np.maximum(0.0, np.maximum(1 - delta - growth * alpha, (1 - delta - alpha) / growth))


def _gdp_curve(alpha: Floats, mu: float, epsilon: float, delta: float) -> Floats:
    """Phi(Phi^-1(1 - alpha) - mu), lowered by what imprecise noise is charged.

    If the ideal releases are (e, d) with e >= 0, the real ones are (e + epsilon, exp(epsilon) d +
    delta). So each line 1 - d - exp(e) alpha under the left half of the curve moves, and with it
    its mirror image under the right half.
    """
    from scipy.special import ndtr, ndtri

    middle = float(ndtr(-mu / 2))  # where the slope is -1
    growth = math.exp(min(epsilon, 700.0))

    def ideal(a: Floats) -> Floats:
        return np.asarray(ndtr(-ndtri(np.clip(a, 0.0, 1.0)) - mu), dtype=np.float64)

    left = np.where(alpha <= middle, ideal(alpha), 2 * middle - alpha)
    back = 1 - (1 - delta - alpha) / growth
    right = np.where(back >= middle, ideal(back), 2 * middle - back)
    return np.clip(np.maximum(1 - delta - growth * (1 - left), right), 0.0, 1.0)


def _grid() -> Floats:
    """Type I errors, closer together where curves are steep."""
    near = np.geomspace(1e-9, 0.05, 200)
    return np.concatenate([[0.0], near, np.linspace(0.05, 0.95, 181)[1:-1], 1 - near[::-1], [1.0]])


def _gaussian_noise(certificate: Certificate) -> tuple[float, float, float] | None:
    """mu and the charges for imprecise noise; None where a release is not plain Gaussian."""
    squares, epsilon, delta = 0.0, 0.0, 0.0
    largest: dict[int, tuple[float, float, float]] = {}
    for release in certificate.releases:
        if set(release["cost"]) != {"mu"} or release["cost"]["mu"] is None:
            return None
        count, precision = release["count"], release.get("precision", {})
        cost = (count * release["cost"]["mu"] ** 2, count * precision.get("epsilon", 0.0),
                count * precision.get("delta", 0.0))
        if "parallel" in release:
            group = release["parallel"]
            before = largest.get(group, (0.0, 0.0, 0.0))
            largest[group] = (max(before[0], cost[0]), max(before[1], cost[1]),
                              max(before[2], cost[2]))
        else:
            squares, epsilon, delta = squares + cost[0], epsilon + cost[1], delta + cost[2]
    for cost in largest.values():
        squares, epsilon, delta = squares + cost[0], epsilon + cost[1], delta + cost[2]
    if squares == 0.0:
        return None
    mu = math.sqrt(squares)
    if str(certificate.to_dict().get("accountant", "")).startswith("a budget"):
        mu = max(mu, float(core.gdp_mu(certificate.epsilon, certificate.delta)))
    return mu, epsilon, delta


# ---- matplotlib ----

def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("sotto.plot needs matplotlib, which is not installed: "
                          "pip install sotto[plot]") from error
    return plt


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
