"""The estimators find known truths, and keep scikit-learn's manners."""
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sotto
from data import corpus, matched, points, ratings
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer


def private(unit, epsilon=1.0):
    return sotto.Privacy(epsilon=epsilon, delta=1e-6, unit=unit)


# ---- topics ----

def test_topics_are_found_from_counts_of_any_kind():
    X, truth, which = corpus()
    dense = sotto.TopicModel(2, model="single", random_state=0).fit(X)
    assert matched(dense.components_, truth) < 0.05
    for kind in (sp.csr_matrix, sp.csc_array, sp.coo_array):
        assert np.array_equal(sotto.TopicModel(2, model="single", random_state=0)
                              .fit(kind(X)).components_, dense.components_)
    found = dense.transform(X)
    assert found.shape == (len(X), 2)
    assert np.allclose(found.sum(axis=1), 1)
    agree = np.mean(found.argmax(axis=1) == which)
    assert max(agree, 1 - agree) > 0.999


def test_topics_of_private_documents_come_with_their_certificate():
    X, truth, _ = corpus(20000)
    model = sotto.TopicModel(2, model="single", privacy=private("document"), vocabulary=20,
                             random_state=0).fit(X)
    assert matched(model.components_, truth) < 0.1
    assert model.certificate_.guarantee == "proved"
    assert model.certificate_.epsilon <= 1
    assert model.certificate_.delta == 1e-6
    assert model.releases_ == model.certificate_.releases
    assert "one document" in model.certificate_.text
    assert "epsilon 1" in model.certificate_._repr_html_()
    assert "one document" in model.report()
    assert "unit=&#x27;document&#x27;" in model._repr_html_()


def test_topics_of_texts_have_words():
    rng = np.random.default_rng(0)
    kinds = ["apple pear plum fig grape".split(), "iron copper zinc lead tin".split()]
    texts = [" ".join(rng.choice(kinds[n % 2], 12)) for n in range(400)]
    model = sotto.TopicModel(2, model="single", random_state=0).fit(texts)
    assert sorted(sorted(words) for words in model.top_words(5)) == [sorted(k) for k in kinds]
    tokens = sotto.TopicModel(2, model="single", tokenizer=str.split, random_state=0).fit(texts)
    assert sorted(map(sorted, tokens.top_words(5))) == sorted(map(sorted, model.top_words(5)))
    assert model.transform(["apple pear plum", "iron zinc tin"]).argmax(axis=1).tolist() in (
        [0, 1], [1, 0])
    assert model.perplexity(texts) < 7 < np.exp(-model.score(["apple iron pear tin"] * 20)) * 2


def test_a_background_gives_a_private_fit_its_words(tmp_path):
    file = tmp_path / "english.tsv"
    file.write_text("cold\t9\nwind\t7\nsand\t2\nsun\t1\nseldom\t0\n")
    texts = ["cold wind"] * 3000 + ["sand sun other"] * 3000
    model = sotto.TopicModel(2, privacy=private("document", 4), background=file).fit(texts)
    assert model.vocabulary_ == ["cold", "wind", "sand", "sun", "seldom"]
    assert "english.tsv" in str(model.certificate_)
    with pytest.raises(sotto.Refused, match="background: is for private runs"):
        sotto.TopicModel(2, background=file).fit(texts)


def test_private_texts_choose_their_words_privately():
    rng = np.random.default_rng(0)
    words = [f"word{n}" for n in range(8)]
    texts = [" ".join(rng.choice(words, 10)) for _ in range(20000)] + ["only here once"]
    model = sotto.TopicModel(1, privacy=private("document", 4), random_state=0).fit(texts)
    assert set(model.vocabulary_) == set(words)
    assert any("vocabulary" in release["what"] or "word" in release["what"]
               for release in model.releases_)


# ---- mixture ----

def test_gaussians_are_found_with_and_without_privacy():
    X, means = points()
    model = sotto.GaussianMixture(3, random_state=0).fit(X)
    assert matched(model.means_, means) < 0.02
    assert np.allclose(model.covariances_, 0.09, rtol=0.02)
    assert np.allclose(model.weights_, 1 / 3, atol=0.02)
    hidden = sotto.GaussianMixture(3, privacy=private("record"), max_norm=5, random_state=0).fit(X)
    assert matched(hidden.means_, means) < 0.1
    assert hidden.certificate_.epsilon <= 1
    chosen = sotto.GaussianMixture(3, privacy=private("record"), norm_range=(1, 100)).fit(X)
    assert matched(chosen.means_, means) < 0.2


@pytest.mark.parametrize("kind, shape", [("spherical", (4,)), ("diag", (4, 2)),
                                         ("full", (4, 2, 2))])
def test_more_gaussians_than_columns_have_covariances_of_scikit_learns_shapes(kind, shape):
    from scipy.stats import multivariate_normal
    rng = np.random.default_rng(1)
    means = np.array([[0, 0], [3, 0], [0, 3], [3, 3.0]])
    X = np.repeat(means, 10000, axis=0) + rng.normal(size=(40000, 2)) * 0.3
    model = sotto.GaussianMixture(4, covariance_type=kind, random_state=0).fit(X)
    assert matched(model.means_, means) < 0.05
    assert model.covariances_.shape == shape
    density = sum(w * multivariate_normal(m, np.diag(v) if kind == "diag" else v).pdf(X)
                  for w, m, v in zip(model.weights_, model.means_, model.covariances_))
    assert np.allclose(model.score_samples(X), np.log(density), rtol=1e-9)
    assert model.bic_ > 0
    hidden = sotto.GaussianMixture(4, covariance_type=kind, privacy=private("record"), max_norm=5,
                                   random_state=0).fit(X)
    assert matched(hidden.means_, means) < 0.3
    assert hidden.covariances_.shape == shape
    assert hidden.weights_.sum() == pytest.approx(1)
    assert hidden.bic_ is None


def test_densities_are_those_of_scipy():
    from scipy.stats import multivariate_normal
    X, _ = points(500)
    model = sotto.GaussianMixture(3, random_state=0).fit(X)
    density = sum(w * multivariate_normal(m, v).pdf(X) for w, m, v in
                  zip(model.weights_, model.means_, model.covariances_))
    assert np.allclose(model.score_samples(X), np.log(density), rtol=1e-9)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert model.score(X) == pytest.approx(np.log(density).mean())


# ---- tensors ----

def cp_tensor(shape, rank=3, seed=0):
    rng = np.random.default_rng(seed)
    return sotto.CPTensor(np.ones(rank), [rng.random((d, rank)) for d in shape]).full()


def test_cp_fits_exactly_and_gives_loadings_of_new_slices():
    X = cp_tensor((12, 9, 8))
    model = sotto.CPDecomposition(3, random_state=0).fit(X)
    assert model.fit_ > 1 - 1e-7
    assert model.core_consistency_ > 99
    assert np.allclose(sotto.CPTensor(model.weights_, model.factors_).full(), X)
    assert np.allclose(model.transform(X), model.factors_[0])
    found = sotto.cp(X, 3)
    assert np.allclose(found.full(), X)


def test_tucker_fits_exactly():
    rng = np.random.default_rng(1)
    core = rng.normal(size=(2, 3, 2))
    X = sotto.TuckerTensor(core, [rng.normal(size=(d, r)) for d, r in zip((7, 8, 9), core.shape)])
    full = X.full()
    model = sotto.Tucker((2, 3, 2), random_state=0).fit(full)
    assert model.fit_ > 1 - 1e-9
    assert np.allclose(sotto.TuckerTensor(model.core_, model.factors_).full(), full)
    assert np.allclose(model.transform(full), model.factors_[0])
    assert np.allclose(sotto.tucker(full, (2, 3, 2)).full(), full)


def test_missing_entries_are_left_out_when_asked_and_refused_otherwise():
    X = cp_tensor((10, 9, 8))
    holes = X.copy()
    holes[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    with pytest.raises(sotto.Refused, match="missing"):
        sotto.CPDecomposition(3).fit(holes)
    model = sotto.CPDecomposition(3, missing=True, random_state=0).fit(holes)
    assert np.allclose(sotto.CPTensor(model.weights_, model.factors_).full(), X, atol=1e-4)


def test_components_can_be_chosen_and_labelled():
    X = cp_tensor((12, 9, 8), rank=2)
    X += 0.001 * np.random.default_rng(0).normal(size=X.shape)
    names = [[f"{letter}{n}" for n in range(d)] for letter, d in zip("abc", X.shape)]
    model = sotto.CPDecomposition("auto", labels=names, random_state=0).fit(X)
    assert model.n_components_ == 2
    assert "b3" in model.report()
    with pytest.raises(sotto.Refused, match="labels"):
        sotto.CPDecomposition(2, labels=names[:2]).fit(X)


class Sparse:
    """What scipy's and others' sparse arrays of any order have."""

    def __init__(self, coords, data, shape):
        self.coords, self.data, self.shape = coords, data, shape


def test_people_are_protected_slice_by_slice():
    rng = np.random.default_rng(0)
    people, codes, drugs = 20000, 12, 10
    a, b = np.zeros((codes, 2)), np.zeros((drugs, 2))
    a[:6, 0] = a[6:, 1] = 1 / 6
    b[:5, 0] = b[5:, 1] = 1 / 5
    which = rng.integers(0, 2, people)
    person = np.repeat(np.arange(people), 8)
    kind = which[person]
    code = rng.integers(0, 6, len(person)) + 6 * kind
    drug = rng.integers(0, 5, len(person)) + 5 * kind
    counts = np.zeros((people, codes, drugs))
    np.add.at(counts, (person, code, drug), 1)
    places = np.nonzero(counts)
    X = Sparse(places, counts[places], counts.shape)
    model = sotto.CPDecomposition(2, privacy=private("person"), n_people=people, alpha0=0.1,
                                  random_state=0).fit(X)
    assert model.certificate_.unit.startswith("one person")
    assert [factor.shape for factor in model.factors_] == [(12, 2), (10, 2)]
    assert matched(model.factors_[0].T, a.T) < 0.1
    assert "drug 3" in sotto.CPDecomposition(
        2, privacy=private("person"), n_people=people, alpha0=0.1,
        labels=[None, [f"code {n}" for n in range(codes)], [f"drug {n}" for n in range(drugs)]],
        random_state=0).fit(X).report()
    with pytest.raises(sotto.Refused, match="missing"):
        sotto.CPDecomposition(2, privacy=private("person"), n_people=people, missing=True).fit(X)
    real = sotto.CPDecomposition(2, privacy=private("person"), n_people=people, values="real",
                                 non_negative=True, random_state=0).fit(X)
    assert min(factor.min() for factor in real.factors_) >= 0
    few = Sparse([c[places[0] < 50] for c in places], counts[places][places[0] < 50],
                 (50, codes, drugs))
    found = model.transform(few).argmax(axis=1)
    assert max(np.mean(found == which[:50]), np.mean(found != which[:50])) > 0.95


def test_private_entries_are_refused_when_noise_would_drown_them():
    X = cp_tensor((10, 9, 8))
    with pytest.raises(sotto.Refused, match="anyway|weight"):
        sotto.CPDecomposition(3, privacy=private("entry")).fit(X)
    model = sotto.CPDecomposition(3, privacy=private("entry", 5), entry_change=1e-4,
                                  weight=float(np.linalg.norm(X)) / 3, random_state=0).fit(X)
    assert model.certificate_.epsilon <= 5
    assert model.fit_ > 0.99


# ---- completion ----

def test_completion_predicts_places_it_has_not_seen():
    places, values, seen = ratings()
    model = sotto.TensorCompletion(2, range=(1, 5), random_state=0).fit(places[seen], values[seen])
    assert model.rmse(places[~seen], values[~seen]) < 0.3 * values.std()
    assert model.score(places[~seen], values[~seen]) > 0.9
    frame = pd.DataFrame({"who": [f"u{u}" for u in places[:, 0]],
                          "what": [f"i{i}" for i in places[:, 1]]})
    named = sotto.TensorCompletion(2, range=(1, 5), random_state=0).fit(frame[seen], values[seen])
    assert named.rmse(frame[~seen], values[~seen]) < 0.3 * values.std()
    assert named.feature_names_in_.tolist() == ["who", "what"]
    unknown = named.predict(pd.DataFrame({"who": ["nobody"], "what": ["nothing"]}))
    assert abs(unknown[0] - values.mean()) < 0.3


def test_private_ratings_and_users():
    places, values, seen = ratings(users=2000)
    model = sotto.TensorCompletion(2, privacy=private("rating", 5), range=(1, 5),
                                   random_state=0).fit(places[seen], values[seen])
    assert model.certificate_.epsilon <= 5
    assert model.rmse(places[~seen], values[~seen]) < 0.95 * values.std()
    users = sotto.TensorCompletion(2, privacy=private("user", 5), range=(1, 5), items=range(40),
                                   n_users=2000, random_state=0).fit(places[seen], values[seen])
    assert "one user" in users.certificate_.unit
    frame = pd.DataFrame({"who": [f"u{u}" for u in places[:, 0]], "what": places[:, 1]})
    named = sotto.TensorCompletion(2, privacy=private("user", 5), range=(1, 5), items=range(40),
                                   n_users=2000).fit(frame[seen], values[seen])
    assert named.labels_ == users.labels_
    best = users.recommend([0, 1, 2], [5, 1, 5], top=3)
    assert len(best) == 3 and all(label not in "012" for label, _ in best)
    assert best[0][1] >= best[1][1] >= best[2][1]
    with pytest.raises(sotto.Refused, match="own ratings"):
        users.predict(places[:3])


# ---- streams ----

def test_streams_are_read_once_and_in_parts():
    X = np.eye(5)[np.random.default_rng(0).integers(0, 3, 30000)] * [3, 2.5, 2, 0, 0]
    model = sotto.StreamDecomposition(3, random_state=0).fit(X)
    assert sorted(np.abs(model.components_).argmax(axis=1)) == [0, 1, 2]
    parts = sotto.StreamDecomposition(2, max_iter=3, random_state=0)
    given = 0
    while not getattr(parts, "finished_", False):
        parts.partial_fit(X[given:given + 1000])
        given += 1000
    assert given == 2 * 4 * 1000
    whole = sotto.StreamDecomposition(2, max_iter=3, batch_size=1000, random_state=0).fit(X[:given])
    assert np.array_equal(parts.components_, whole.components_)
    with pytest.raises(sotto.Refused, match="rows"):
        sotto.StreamDecomposition(2).partial_fit(X[:100]).partial_fit(X[:99])


def test_private_streams():
    X = np.eye(5)[np.random.default_rng(0).integers(0, 3, 60000)] * [3, 2.5, 2, 0, 0]
    model = sotto.StreamDecomposition(2, privacy=private("record", 5), max_norm=3,
                                      random_state=0).fit(X)
    assert model.certificate_.epsilon <= 5
    assert sorted(np.abs(model.components_).argmax(axis=1)) == [0, 1]


# ---- manners ----

def fitted():
    X, _ = points(2000)
    counts, _, _ = corpus(500)
    places, values, seen = ratings(60)
    yield sotto.GaussianMixture(3, random_state=0).fit(X), lambda m: m.predict_proba(X)
    yield sotto.StreamDecomposition(2, random_state=0).fit(X), lambda m: m.transform(X)
    yield sotto.TopicModel(2, random_state=0).fit(counts), lambda m: m.transform(counts)
    yield (sotto.CPDecomposition(2, random_state=0).fit(cp_tensor((5, 6, 7))),
           lambda m: m.transform(cp_tensor((5, 6, 7))))
    yield (sotto.Tucker(2, random_state=0).fit(cp_tensor((5, 6, 7))),
           lambda m: m.transform(cp_tensor((5, 6, 7))))
    yield (sotto.TensorCompletion(2, random_state=0).fit(places[seen], values[seen]),
           lambda m: m.predict(places))


@pytest.mark.parametrize("model, use", list(fitted()), ids=lambda x: type(x).__name__)
def test_models_are_cloned_pickled_and_saved(model, use, tmp_path):
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(use(copy), use(model))
    assert clone(model).get_params() == model.get_params()
    assert "public" in repr(model)
    assert "public: no privacy" in model._repr_mimebundle_()["text/html"]
    model.save(tmp_path / "model")
    assert (tmp_path / "model" / "result.json").exists()
    with pytest.raises(sotto.Refused, match="pickled"):
        copy.save(tmp_path / "again")


def test_pipelines_and_named_columns():
    X, _ = points(2000)
    frame = pd.DataFrame(X, columns=list("abcde"))
    pipe = make_pipeline(FunctionTransformer(), sotto.StreamDecomposition(2, random_state=0))
    pipe.set_output(transform="pandas")
    out = pipe.fit_transform(frame)
    assert list(out.columns) == ["streamdecomposition0", "streamdecomposition1"]
    assert pipe[-1].feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="feature names"):
        pipe[-1].transform(frame.rename(columns={"a": "z"}))
    slices = cp_tensor((5, 6, 7))
    for model, names in ((sotto.CPDecomposition(2), ["cpdecomposition0", "cpdecomposition1"]),
                         (sotto.Tucker((3, 2, 2)), ["tucker0", "tucker1", "tucker2"])):
        out = model.set_output(transform="pandas").fit_transform(slices)
        assert list(out.columns) == names and len(out) == 5


def test_completions_of_python_are_models_of_the_command_line(tmp_path):
    places, values, seen = ratings(60)
    model = sotto.TensorCompletion(2, random_state=0).fit(
        pd.DataFrame(places[seen], columns=["user", "item"]), values[seen])
    model.save(tmp_path / "model")
    pd.DataFrame(places[~seen][:50], columns=["user", "item"]).to_csv(tmp_path / "new.csv",
                                                                      index=False)
    code = sotto._core.command_line(["apply", str(tmp_path / "model"), str(tmp_path / "new.csv"),
                                     "--out", str(tmp_path / "out")])
    assert code == 0
    found = pd.read_csv(tmp_path / "out" / "predictions.csv")
    expected = model.predict(pd.DataFrame(places[~seen][:50], columns=["user", "item"]))
    assert np.allclose(found.iloc[:, -1], expected, atol=1e-6)


def test_folders_of_python_are_models_of_the_command_line(tmp_path):
    X, _ = points(500)
    model = sotto.GaussianMixture(3, random_state=0).fit(X)
    model.save(tmp_path / "model")
    np.save(tmp_path / "new.npy", X[:50])
    code = sotto._core.command_line(["apply", str(tmp_path / "model"), str(tmp_path / "new.npy"),
                                     "--out", str(tmp_path / "out")])
    assert code == 0
    assert np.allclose(np.load(tmp_path / "out" / "proportions.npy"), model.predict_proba(X[:50]),
                       atol=1e-9)


@pytest.mark.parametrize("epsilon, shown", [(1.0, "1"), (1.00004, "1.001"), (0.1, "0.1"),
                                            (0.99991, "1"), (float("inf"), "inf")])
def test_a_certificate_rounds_its_epsilon_up(epsilon, shown):
    certificate = sotto.Certificate(
        {"epsilon": None if epsilon == float("inf") else epsilon, "delta": 1e-6, "unit": "record",
         "neighbours": "", "guarantee": "proved", "releases": []}, "")
    assert f"epsilon {shown}," in certificate._repr_html_()
    assert f"epsilon={shown}, delta=1e-06," in repr(certificate)
