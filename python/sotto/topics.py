"""Topic models by moments."""
from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _input
from ._base import SottoEstimator, option_texts, seed_of
from ._engine import engine_of_documents, is_remote, remote_documents
from ._load import core
from .errors import Refused
from .privacy import Privacy


class TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SottoEstimator):
    """The topics of documents, public or protected document by document.

    Parameters
    ----------
    n_components : int
        The number of topics.
    privacy : Privacy, optional
        ``Privacy(epsilon, delta, unit="document")``. Without it the documents are public.
    vocabulary : list of str or int, optional
        The words, fixed without looking at the documents, or their number. A private fit of counts
        needs it: the columns of a matrix of counts were chosen from the documents as a rule. A
        private fit of texts without it chooses the words privately.
    background : str or path, optional
        A file with word counts of a public corpus, a line ``word<TAB>count`` for each word. A
        private fit takes them as the prior of words that do not stand out of the noise. Its words
        are the vocabulary if none is given.
    model : {"lda", "single"}
        Whether a document mixes topics or has one.
    alpha0 : float
        The sum of the Dirichlet parameters of a document's topics.
    refine : int, optional
        Expectation-maximisation steps; chosen when not given.
    mechanism : {"auto", "pairs", "triples"}
        The moments that a private model is made from.
    core : int, optional
        Words of the second moment of a private fit; chosen when not given.
    tokenizer : callable, optional
        Turns a document into words; the library's own when not given. ``list`` for documents that
        are lists of words.
    stop_words : {"english"}, optional
        Words that are left out, by the library's own tokenizer.
    min_length : int
        Letters of the shortest word, by the library's own tokenizer.
    keep_case : bool
        Whether capital letters make another word, by the library's own tokenizer.
    random_state : int, RandomState or None
        Seed of the starts. The noise never depends on it.
    progress : bool or callable, optional
        True for a bar; or a function of (stage, done, total) that returns False to stop.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_words)
        The probability of each word in each topic; rows sum to one.
    alpha_ : ndarray of shape (n_components,)
        The Dirichlet parameters (LDA) or probabilities (single topic) of the topics.
    vocabulary_ : list of str
        The words, where they have names.
    certificate_ : Certificate or None
        What a private fit guarantees.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> first = rng.multinomial(30, [.4, .4, .1, .1], size=300)
    >>> second = rng.multinomial(30, [.1, .1, .4, .4], size=300)
    >>> model = sotto.TopicModel(2, model="single", random_state=0).fit(np.vstack([first, second]))
    >>> model.components_.shape
    (2, 4)
    >>> int((model.transform(first).argmax(axis=1) == model.transform(first)[0].argmax()).sum())
    300
    """

    _units = ("document",)

    def __init__(self, n_components: int = 10, *, privacy: Privacy | None = None,
                 vocabulary: Any = None, background: Any = None, model: str = "lda",
                 alpha0: float = 1.0,
                 refine: int | None = None, mechanism: str = "auto", core: int | None = None,
                 tokenizer: Any = None, stop_words: str | None = None, min_length: int = 2,
                 keep_case: bool = False, random_state: Any = None, progress: Any = None) -> None:
        self.n_components = n_components
        self.privacy = privacy
        self.vocabulary = vocabulary
        self.background = background
        self.model = model
        self.alpha0 = alpha0
        self.refine = refine
        self.mechanism = mechanism
        self.core = core
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.min_length = min_length
        self.keep_case = keep_case
        self.random_state = random_state
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: Any = None, *, column: str | None = None) -> TopicModel:
        """Finds the topics.

        Parameters
        ----------
        X : matrix of counts (sparse or dense, one document a row), iterable of str, or DataFrame
            The documents. Those of a DataFrame of Spark or Dask stay in the workers.
        column : str, optional
            The column of a DataFrame that has the documents as texts. A DataFrame of Spark or Dask
            needs it where it has more than one.
        """
        self._check_privacy()
        if is_remote(X):
            return self._fit_remote(X, column)
        if column is not None:
            X = _input.column_of(X, column)
        names, words = self._declared_words(X)
        counts = _input.is_counts(X)
        if self._private and counts and words is None:
            raise Refused(
                "vocabulary: a private fit of counts needs the list of its words (or their "
                "number), fixed without looking at the documents; columns chosen from the "
                "documents tell which words they have")
        X = self._checked(X, reset=True)
        data = _input.documents(X, vocabulary=names, words=words, declared=words is not None,
                                text=self._text())
        self._remember(*_input.document_parts(X))
        return self._keep(self._run(
            "topics", self._options(),
            lambda texts, report: core.run_topics(data, texts, self._private, report)))

    def _fit_remote(self, X: Any, column: str | None) -> TopicModel:
        """Documents in the workers of an engine."""
        names, words = self._declared_words(None)
        if words is not None and names is None:
            raise Refused("vocabulary: documents in a column need the words, not their number")
        options = self._options()
        core.check_topics(option_texts({**options, **self._target()}))  # before anything is read
        engine = engine_of_documents(X, column, names, self._text(), self._private)
        self._training = None
        with remote_documents(engine, names, self._private,
                              words_by_text=self.tokenizer is not None) as data:
            return self._keep(self._run(
                "topics", options,
                lambda texts, report: core.run_remote_topics(data, texts, self._private, report)))

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"topics": self.n_components, "model": self.model,
                                   "refine": self.refine, "seed": seed_of(self.random_state)}
        if self.model == "lda":
            options["alpha0"] = self.alpha0
        if self._private:
            options |= {"mechanism": self.mechanism, "core": self.core}
        if self.background is not None:
            options["background"] = os.fspath(self.background)
        return options

    def _keep(self, found: dict[str, Any]) -> TopicModel:
        self.components_ = found["topics"]
        self.alpha_ = found["alpha"]
        self.vocabulary_ = list(found["vocabulary"])
        self.n_iter_ = found["steps"]
        self.n_features_in_ = self.components_.shape[1]
        self._n_features_out = self.components_.shape[0]
        return self

    def transform(self, X: Any, *, on_training_data: bool = False) -> np.ndarray:
        """The proportions of the topics in each document: one row a document.

        They show the documents in X. The data of a private fit is refused unless
        ``on_training_data`` says that its documents may be shown to whoever sees the result.
        """
        data = self._new_documents(X, on_training_data, "the proportions")
        return np.asarray(core.infer_topics(self.components_, self.alpha_, self.model == "single",
                                            data))

    def fit_transform(self, X: Any, y: Any = None, *, column: str | None = None,
                      **fit_params: Any) -> np.ndarray:
        """`fit` and `transform`; a private fit refuses, since it would show its own data."""
        self._refuse_fit_and_show("fit_transform")
        _refuse_remote(X)
        documents = X if column is None else _input.column_of(X, column)
        return self.fit(documents).transform(documents)

    def perplexity(self, X: Any, *, on_training_data: bool = False) -> float:
        """That of the hidden half of each document, given the other half; lower is better."""
        data = self._new_documents(X, on_training_data, "the perplexity")
        return float(core.perplexity_of_topics(self.components_, self.alpha_,
                                               self.model == "single", data))

    def score(self, X: Any, y: Any = None, *, on_training_data: bool = False) -> float:
        """The mean log-likelihood of a hidden word: minus the logarithm of the perplexity."""
        return -math.log(self.perplexity(X, on_training_data=on_training_data))

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The most probable words of each topic; "#7" where a word has no name."""
        check_is_fitted(self)
        best = np.argsort(-self.components_, axis=1, kind="stable")[:, :n]
        names = self.vocabulary_ or [f"#{word}" for word in range(self.n_features_in_)]
        return [[names[word] for word in row] for row in best]

    def plan(self, n_documents: int, n_words: int | None = None) -> str:
        """What a private fit would release, from public numbers; nothing is spent."""
        self._check_privacy()
        if not self._private:
            raise Refused("plan: a public fit releases everything; give privacy")
        words = n_words if n_words is not None else self._declared_words(None)[1]
        options = option_texts({"topics": self.n_components, "model": self.model,
                                "refine": self.refine, "mechanism": self.mechanism,
                                "core": self.core, **self._target()})
        return str(core.plan_topics(options, n_documents, words or 0, False))

    def _new_documents(self, X: Any, on_training_data: bool, what: str) -> Any:
        check_is_fitted(self)
        _refuse_remote(X)
        X = self._checked(X, reset=False)
        self._refuse_training_data(on_training_data, what, *_input.document_parts(X))
        return _input.documents(X, vocabulary=self.vocabulary_ or None, words=self.n_features_in_,
                                declared=True, text=self._text())

    def _checked(self, X: Any, reset: bool) -> Any:
        """A matrix of counts, checked as scikit-learn does it; texts as a list."""
        if not _input.is_counts(X):
            return list(X)
        return validate_data(self, X, accept_sparse="csr", dtype=None, reset=reset,
                             ensure_min_samples=2 if reset else 1)

    def _text(self) -> dict[str, Any]:
        return {"tokenizer": self.tokenizer, "stop_words": self.stop_words,
                "min_length": self.min_length, "keep_case": self.keep_case}

    def _declared_words(self, X: Any) -> tuple[list[str] | None, int | None]:
        if self.vocabulary is None and self.background is not None:
            words = core.words_of_file(os.fspath(self.background))
            return words, len(words)
        if self.vocabulary is None:
            if self._private or not hasattr(X, "columns"):
                return None, None
            return [str(name) for name in X.columns], len(X.columns)
        if isinstance(self.vocabulary, (int, np.integer)):
            return None, int(self.vocabulary)
        names = [str(word) for word in self.vocabulary]
        if len(set(names)) != len(names):
            raise Refused("vocabulary: a word stands in it twice")
        return names, len(names)


def _refuse_remote(X: Any) -> None:
    if is_remote(X):
        raise Refused("X is a DataFrame of Spark or Dask, which fit() takes alone: use the model in "
                      "the engine's own workers, for example in mapInPandas or map_partitions")
