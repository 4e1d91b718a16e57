"""Released models in the forms that other libraries take."""
from __future__ import annotations

from typing import Any

import numpy as np

from .topics import TopicModel


def pyldavis(model: TopicModel, *, n_documents: int = 1000,
             document_length: int = 100) -> dict[str, Any]:
    """The arguments of ``pyLDAvis.prepare``, made from released numbers only.

    pyLDAvis wants the topics of every document and how often every word occurs, which a private
    model does not have and must not read off its data. Both are drawn here from the model itself:
    `n_documents` documents of `document_length` words, with the expected proportions of its
    Dirichlet distribution.

    >>> import pyLDAvis  # doctest: +SKIP
    >>> pyLDAvis.prepare(**sotto.export.pyldavis(model))  # doctest: +SKIP
    """
    weights = model.alpha_ / model.alpha_.sum()
    rng = np.random.default_rng(0)
    if model.model == "single":
        proportions = np.eye(len(weights))[rng.choice(len(weights), size=n_documents, p=weights)]
    else:
        proportions = rng.dirichlet(np.maximum(model.alpha_, 1e-6), size=n_documents)
    topics = model.components_ / model.components_.sum(axis=1, keepdims=True)
    frequency = n_documents * document_length * (weights @ topics)
    names = model.vocabulary_ or [f"#{word}" for word in range(topics.shape[1])]
    return {
        "topic_term_dists": topics,
        "doc_topic_dists": proportions,
        "doc_lengths": np.full(n_documents, document_length),
        "vocab": names,
        "term_frequency": np.maximum(frequency, 1e-9),
    }
