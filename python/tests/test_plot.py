"""Pictures show the released numbers, and trade-off curves are what theory says."""
from __future__ import annotations

import builtins
import math

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.stats import norm

import sotto
from sotto import plot
from sotto.certificate import Certificate


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tensor_model():
    rng = np.random.default_rng(0)
    full = sotto.CPTensor(np.ones(2), [rng.normal(size=(d, 2)) for d in (5, 6, 40)]).full()
    labels = [list("abcde"), [10, 20, 30, 40, 50, 60], None]
    return sotto.CPDecomposition(2, labels=labels, random_state=0).fit(full)


@pytest.fixture(scope="module")
def topic_model():
    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.full(12, 0.2), size=5)
    counts = np.stack([rng.multinomial(40, truth[n % 5]) for n in range(400)])
    return sotto.TopicModel(5, model="single", vocabulary=[f"word{n}" for n in range(12)],
                            random_state=0).fit(counts)


@pytest.fixture(scope="module")
def mixture():
    rng = np.random.default_rng(0)
    points = np.repeat([[4., 0, 0], [0, 4, 0]], 1000, axis=0) + rng.normal(size=(2000, 3))
    privacy = sotto.Privacy(1, 1e-6, unit="record")
    return sotto.GaussianMixture(2, privacy=privacy, max_norm=8, random_state=0).fit(points)


def certificate(releases, epsilon=1.0, delta=1e-6, **facts):
    return Certificate({"epsilon": epsilon, "delta": delta, "unit": "one record",
                        "neighbours": "one record replaced", "guarantee": "proved",
                        "accountant": "GDP (exact)", "releases": releases, **facts}, "")


def gaussian(mu, count=1, **more):
    return {"what": "a mean", "mechanism": "gaussian", "count": count, "cost": {"mu": mu}, **more}


def heights(axes):
    return [bar.get_height() for bar in axes.patches]


# ---- factors ----

def test_factors_have_a_panel_for_each_component_and_mode(tensor_model):
    panels = np.array(plot.factors(tensor_model).axes).reshape(2, 3)
    for component in range(2):
        np.testing.assert_array_equal(heights(panels[component, 0]),
                                      tensor_model.factors_[0][:, component])


def test_factors_bars_below_zero_have_another_colour(tensor_model):
    panel = plot.factors(tensor_model, mode=0).axes[0]
    colours = {(bar.get_height() >= 0, to_hex(bar.get_facecolor())) for bar in panel.patches}
    assert len(colours) == 2 and len({colour for _, colour in colours}) == 2


def test_factors_of_numbered_rows_are_lines(tensor_model):
    panel = plot.factors(tensor_model, mode=1).axes[1]
    assert not panel.patches
    line = panel.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [10, 20, 30, 40, 50, 60])
    np.testing.assert_array_equal(line.get_ydata(), tensor_model.factors_[1][:, 1])


def test_factors_take_labels_of_one_mode(tensor_model):
    names = [f"drug {n}" for n in range(6)]
    figure = plot.factors(tensor_model, mode=1, labels=names)
    assert [text.get_text() for text in figure.axes[-1].get_xticklabels()] == names
    np.testing.assert_array_equal(heights(figure.axes[0]), tensor_model.factors_[1][:, 0])


def test_factors_with_many_rows_show_the_largest(tensor_model):
    panel = plot.factors(tensor_model, mode=2, max_rows=7).axes[-1]
    factor = tensor_model.factors_[2]
    rows = sorted(np.argsort(-np.abs(factor).max(axis=1))[:7])
    np.testing.assert_array_equal(heights(panel), factor[rows, 1])
    assert [text.get_text() for text in panel.get_xticklabels()] == [str(n + 1) for n in rows]


def test_factors_of_labels_that_jump_are_bars(tensor_model):
    panel = plot.factors(tensor_model, mode=1, labels=[3, 1, 2, 6, 5, 4]).axes[0]
    assert len(panel.patches) == 6


def test_factors_of_a_mixture_are_its_means(mixture):
    figure = plot.factors(mixture)
    for component in range(2):
        np.testing.assert_array_equal(heights(figure.axes[component]), mixture.means_[component])


def test_factors_of_a_plain_decomposition(tensor_model):
    found = sotto.CPTensor(tensor_model.weights_, tensor_model.factors_)
    np.testing.assert_array_equal(heights(plot.factors(found, mode=1).axes[0]),
                                  tensor_model.factors_[1][:, 0])


def test_ids_of_items_are_no_order():
    rng = np.random.default_rng(0)
    places = np.array([(u, i) for u in range(9) for i in range(9)])
    model = sotto.TensorCompletion(rank=1, random_state=0).fit(places, rng.normal(size=81))
    assert len(plot.factors(model, mode=1).axes[0].patches) == 9


@pytest.mark.parametrize("arguments", [{"mode": 3}, {"mode": -1}, {"mode": 0, "labels": ["one"]},
                                       {"labels": [list("abcde")]}, {"mode": 2, "max_rows": 0}])
def test_factors_refuse_what_does_not_fit(tensor_model, arguments):
    with pytest.raises(sotto.Refused):
        plot.factors(tensor_model, **arguments)


def test_an_estimator_that_was_not_fitted_is_refused():
    with pytest.raises(Exception, match="not fitted"):
        plot.factors(sotto.CPDecomposition(2))


# ---- spectra ----

def test_spectra_are_one_line_a_component_over_the_axis(tensor_model):
    x = np.linspace(200, 400, 40)
    axes = plot.spectra(tensor_model, 2, x)
    lines = axes.get_legend_handles_labels()[0]
    assert len(lines) == 2
    for component, line in enumerate(lines):
        np.testing.assert_array_equal(line.get_xdata(), x)
        np.testing.assert_array_equal(line.get_ydata(), tensor_model.factors_[2][:, component])


def test_spectra_take_the_axis_from_numeric_labels(tensor_model):
    assert list(plot.spectra(tensor_model, 1).lines[0].get_xdata()) == [10, 20, 30, 40, 50, 60]
    assert list(plot.spectra(tensor_model, 0).lines[0].get_xdata()) == [1, 2, 3, 4, 5]


def test_spectra_draw_where_they_are_told(tensor_model):
    axes = plt.subplots()[1]
    assert plot.spectra(tensor_model, 2, ax=axes) is axes


def test_spectra_refuse_an_axis_of_another_length(tensor_model):
    with pytest.raises(sotto.Refused, match="40 values"):
        plot.spectra(tensor_model, 2, [1, 2, 3])


# ---- topics ----

def test_topics_show_the_most_probable_words(topic_model):
    figure = plot.topics(topic_model, n_words=4)
    panels = [axes for axes in figure.axes if axes.axison]
    assert len(panels) == 5
    for topic, axes in enumerate(panels):
        widths = [bar.get_width() for bar in axes.patches]
        best = np.argsort(-topic_model.components_[topic], kind="stable")[:4]
        np.testing.assert_array_equal(widths, topic_model.components_[topic][best])
        words = [text.get_text() for text in axes.get_yticklabels()]
        assert words == [f"word{word}" for word in best] == topic_model.top_words(4)[topic]
        share = topic_model.alpha_[topic] / topic_model.alpha_.sum()
        assert f"{100 * share:.0f}% of the documents" in axes.get_title()


def test_topics_with_fewer_words_than_asked_for(topic_model):
    assert len(plot.topics(topic_model, n_words=50).axes[0].patches) == 12


# ---- trade-off ----

def lines_of(axes):
    return {line.get_label().split()[0]: line for line in axes.lines}


def at(line, alpha):
    return np.interp(alpha, line.get_xdata(), line.get_ydata())


def test_the_epsilon_delta_curve_at_known_points():
    line = lines_of(plot.trade_off(certificate([], epsilon=math.log(3), delta=0.1)))["epsilon"]
    assert at(line, 0) == pytest.approx(0.9)
    assert at(line, 0.225) == pytest.approx(0.225)  # the bend: (1 - delta) / (1 + e^epsilon)
    assert at(line, 0.1) == pytest.approx(0.9 - 3 * 0.1)
    assert at(line, 0.6) == pytest.approx((0.9 - 0.6) / 3)
    assert at(line, 0.95) == 0


def test_the_gaussian_curve_is_that_of_the_summed_mu():
    releases = [gaussian(0.3, count=4), gaussian(0.8)]  # 4 * 0.09 + 0.64 = 1
    line = lines_of(plot.trade_off(certificate(releases)))["its"]
    alpha = line.get_xdata()
    np.testing.assert_allclose(line.get_ydata(), norm.cdf(norm.ppf(1 - alpha) - 1), atol=1e-12)
    assert line.get_ydata()[0] == 1 and line.get_ydata()[-1] == 0


def test_disjoint_releases_count_as_the_largest():
    releases = [gaussian(0.5, parallel=1), gaussian(1.0, parallel=1), gaussian(0.2, parallel=1)]
    line = lines_of(plot.trade_off(certificate(releases)))["its"]
    assert at(line, 0.5) == pytest.approx(norm.cdf(-1), abs=1e-6)


def test_imprecise_noise_lowers_the_curve():
    precision = {"epsilon": 0.1, "delta": 0.05}
    line = lines_of(plot.trade_off(certificate([gaussian(1.0, precision=precision)])))["its"]
    alpha, beta = line.get_xdata(), line.get_ydata()
    assert beta[0] == pytest.approx(0.95)
    ideal = norm.cdf(norm.ppf(1 - alpha) - 1)
    assert np.all(beta <= ideal)
    # The curve is the highest of the lines that the charge allows, and of their mirror images.
    e = np.linspace(0, 8, 801)[:, None]
    growth = np.exp(e + 0.1)
    delta = np.exp(0.1) * (norm.cdf(0.5 - e) - np.exp(e) * norm.cdf(-0.5 - e)) + 0.05
    lines = np.maximum(1 - delta - growth * alpha, (1 - delta - alpha) / growth)
    np.testing.assert_allclose(beta, np.maximum(lines.max(axis=0), 0), atol=1e-4)


def test_a_limit_fixed_in_advance_counts_whole():
    spent = certificate([gaussian(0.01)], accountant="a budget fixed in advance, composed by GDP")
    line = lines_of(plot.trade_off(spent))["its"]
    mu = -(norm.ppf(at(line, 0.5)))
    assert mu == pytest.approx(0.2367, abs=1e-3)  # epsilon 1, delta 1e-6
    assert sotto.account.gaussian(1 / 0.2367, delta=1e-6) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("cost", [{"epsilon": 1.0},
                                  {"noise_multiplier": 1.0, "sampling_rate": 0.1}])
def test_other_noise_has_no_gaussian_curve(cost):
    release = {"what": "a sum", "mechanism": "other", "count": 1, "cost": cost}
    axes = plot.trade_off(certificate([gaussian(0.1), release]))
    assert set(lines_of(axes)) == {"perfect", "epsilon"}


def test_a_fitted_model_has_three_lines_in_order(mixture):
    axes = plot.trade_off(mixture)
    lines = lines_of(axes)
    assert set(lines) == {"perfect", "epsilon", "its"}
    alpha = np.linspace(0, 1, 101)
    perfect, promised, exact = (at(lines[name], alpha) for name in ("perfect", "epsilon", "its"))
    np.testing.assert_allclose(perfect, 1 - alpha)
    assert np.all(promised <= exact + 1e-5) and np.all(exact <= perfect + 1e-9)
    assert np.max(exact - promised) > 0.05
    squares = sum(r["count"] * r["cost"]["mu"] ** 2 for r in mixture.releases_)
    np.testing.assert_allclose(exact[1:-1], norm.cdf(norm.ppf(1 - alpha[1:-1]) - squares ** 0.5),
                               atol=1e-5)
    assert "error" in axes.get_xlabel() and "error" in axes.get_ylabel()
    assert "one record" in axes.get_title()


@pytest.mark.parametrize("nothing", [
    None, "text", certificate([], guarantee="none"), certificate([], epsilon=None)])
def test_what_proves_nothing_has_no_curve(nothing):
    with pytest.raises(sotto.Refused, match="trade_off"):
        plot.trade_off(nothing)


def test_a_public_fit_has_no_curve(tensor_model):
    with pytest.raises(sotto.Refused, match="public fit"):
        plot.trade_off(tensor_model)


# ---- without matplotlib ----

def test_one_clear_sentence_when_matplotlib_is_missing(monkeypatch, tensor_model):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install sotto\[plot\]"):
        plot.factors(tensor_model)
