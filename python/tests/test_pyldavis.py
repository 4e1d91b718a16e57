"""What sotto.export.pyldavis gives is what pyLDAvis takes."""
from __future__ import annotations

import numpy as np
import pytest

import sotto

WORDS = [f"word{n}" for n in range(12)]


def fitted(model, vocabulary):
    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.full(12, 0.2), size=4)
    counts = np.stack([rng.multinomial(40, truth[n % 4]) for n in range(2000)])
    return sotto.TopicModel(4, model=model, vocabulary=vocabulary, random_state=0,
                            privacy=sotto.Privacy(2, 1e-6, unit="document")).fit(counts)


@pytest.mark.parametrize("model", ["lda", "single"])
def test_the_arguments_are_distributions(model):
    found = sotto.export.pyldavis(fitted(model, WORDS), n_documents=50, document_length=7)
    np.testing.assert_allclose(found["topic_term_dists"].sum(axis=1), 1)
    np.testing.assert_allclose(found["doc_topic_dists"].sum(axis=1), 1)
    assert found["doc_topic_dists"].shape == (50, 4)
    assert found["term_frequency"].sum() == pytest.approx(350)
    assert found["vocab"] == WORDS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", ["lda", "single"])
@pytest.mark.parametrize("vocabulary", [WORDS, 12])
def test_pyldavis_takes_them(model, vocabulary):
    pyldavis = pytest.importorskip("pyLDAvis")
    estimator = fitted(model, vocabulary)
    prepared = pyldavis.prepare(**sotto.export.pyldavis(estimator), R=5, n_jobs=1)
    assert len(prepared.topic_coordinates) == 4
    # Its shares of the topics are those of the model, largest first.
    shares = 100 * np.sort(estimator.alpha_ / estimator.alpha_.sum())[::-1]
    np.testing.assert_allclose(prepared.topic_coordinates["Freq"], shares, atol=5)
    names = {f"word{n}" for n in range(12)} if vocabulary == WORDS else {f"#{n}" for n in range(12)}
    assert set(prepared.topic_info["Term"]) <= names
    assert pyldavis.prepared_data_to_html(prepared)
