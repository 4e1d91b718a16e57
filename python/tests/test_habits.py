"""Twelve things that a user of scikit-learn does by habit and that would leak: each is refused."""
import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import sotto
from data import corpus, points, ratings
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

X, _ = points(3000)


def private(unit="record", epsilon=1.0):
    return sotto.Privacy(epsilon=epsilon, delta=1e-6, unit=unit)


def mixture(**changes):
    return sotto.GaussianMixture(3, **{"privacy": private(), "max_norm": 5.0, **changes})


def test_1_scoring_on_the_training_data():
    model = mixture().fit(X)
    for use in (model.score, model.score_samples, model.predict, model.predict_proba):
        with pytest.raises(sotto.Refused, match="on_training_data"):
            use(X)
        use(X, on_training_data=True)
    model.score(X[::2])  # other data may be scored
    many = np.tile(X, (10, 1))
    model = mixture().fit(many)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.score(many)
    many[-5000:] += 0.1
    model.score(many)
    places, values, seen = ratings(50)
    model = sotto.TensorCompletion(2, privacy=private("rating"), range=(1, 5))
    model.fit(places[seen], values[seen])
    for use in (model.score, model.rmse):
        with pytest.raises(sotto.Refused, match="on_training_data"):
            use(places[seen], values[seen])
        use(places[~seen], values[~seen])
    model.predict(places[seen])  # who rated what is public, and values are not asked for


def test_1_in_whatever_form_the_data_comes():
    import pyarrow as pa
    table = pa.table({name: X[:, j] for j, name in enumerate("abcde")})
    model = mixture().fit(table)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.score(pd.DataFrame(X, columns=list("abcde")))
    many = np.tile(X, (10, 1))
    table = pa.table({name: many[:, j] for j, name in enumerate("abcde")})
    table = pa.Table.from_batches(table.to_batches(max_chunksize=777))
    model = mixture().fit(table)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.score(pd.DataFrame(many, columns=list("abcde")))
    single = X.astype(np.float32)
    model = mixture().fit(np.asfortranarray(single))
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.score(single.astype(float))


def test_1_of_data_that_a_stream_did_not_read_to_its_end():
    import pyarrow as pa
    many = np.tile(X, (11, 1))[:-1] / 5
    table = pa.table({name: many[:, j] for j, name in enumerate("abcde")})
    table = pa.Table.from_batches(table.to_batches(max_chunksize=777))
    model = sotto.StreamDecomposition(2, privacy=private(epsilon=8), max_norm=1)
    model.fit(table)
    assert model.n_records_seen_ < len(many)
    frame = pd.DataFrame(many, columns=list("abcde"))
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.transform(frame)
    model.transform(frame, on_training_data=True)
    model.transform(frame[100:])


def test_1_of_batches_that_were_handed_over():
    many = np.tile(X, (20, 1)) / 5
    model = sotto.StreamDecomposition(2, privacy=private(epsilon=8), max_norm=1)
    batches = iter(range(0, len(many), len(X)))
    while not getattr(model, "finished_", False):
        read = next(batches) + len(X)
        model.partial_fit(many[read - len(X):read])
    for shown in (many[:len(X)], many[:read], many):
        with pytest.raises(sotto.Refused, match="on_training_data"):
            model.transform(shown)
    model.transform(many[50:read])


def test_2_transforming_the_training_data():
    counts, _, _ = corpus(3000)
    model = sotto.TopicModel(2, privacy=private("document"), vocabulary=20).fit(counts)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.transform(counts)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.perplexity(pd.DataFrame(counts))
    model.transform(counts[:10])
    texts = ["apple pear", "pear plum", "plum apple"] * 2000
    model = sotto.TopicModel(1, privacy=private("document", 4)).fit(texts)
    with pytest.raises(sotto.Refused, match="on_training_data"):
        model.transform(texts)
    model.transform(texts[:10])


def test_3_fit_transform():
    with pytest.raises(sotto.Refused, match="training data"):
        mixture().fit_predict(X)
    with pytest.raises(sotto.Refused, match="training data"):
        sotto.TopicModel(2, privacy=private("document"), vocabulary=20).fit_transform(corpus()[0])


def test_4_a_vocabulary_that_comes_with_the_counts():
    counts, _, _ = corpus(3000)
    for data in (counts, pd.DataFrame(counts, columns=[f"w{n}" for n in range(20)])):
        with pytest.raises(sotto.Refused, match="vocabulary"):
            sotto.TopicModel(2, privacy=private("document")).fit(data)


def test_5_a_bound_read_off_the_data():
    for estimator in (sotto.GaussianMixture, sotto.StreamDecomposition):
        with pytest.raises(sotto.Refused, match="max_norm"):
            estimator(2, privacy=private()).fit(X)


def test_6_a_range_read_off_the_ratings():
    places, values, _ = ratings(50)
    with pytest.raises(sotto.Refused, match="range"):
        sotto.TensorCompletion(privacy=private("rating")).fit(places, values)


def test_7_items_read_off_the_ratings():
    places, values, _ = ratings(50)
    with pytest.raises(sotto.Refused, match="items"):
        sotto.TensorCompletion(privacy=private("user"), range=(1, 5)).fit(places, values)


def test_8_fitting_again():
    model = mixture().fit(X)
    with pytest.raises(sotto.Refused, match="paid for a fit already"):
        model.fit(X)


def test_9_grid_search_and_cross_validation():
    search = GridSearchCV(mixture(), {"refine": [1, 2]}, cv=2, error_score="raise")
    with pytest.raises(sotto.Refused, match="Budget|paid"):
        search.fit(X)
    with pytest.raises(sotto.Refused, match="paid"):
        cross_val_score(mixture(), X, cv=3, error_score="raise")


def test_10_copies_that_could_be_spent_again():
    privacy = private()
    copies = [clone(mixture(privacy=privacy)), copy.deepcopy(mixture(privacy=privacy)),
              mixture(privacy=copy.copy(privacy))]
    copies[0].fit(X)
    for other in copies[1:]:
        with pytest.raises(sotto.Refused, match="paid"):
            other.fit(X)
    with pytest.raises(sotto.Refused, match="another process"):
        pickle.loads(pickle.dumps(mixture())).fit(X)


def test_11_a_seed_for_the_noise():
    noise = [mixture(random_state=7).fit(X).means_ for _ in range(2)]
    assert not np.array_equal(*noise)
    public = [sotto.GaussianMixture(3, random_state=7).fit(X).means_ for _ in range(2)]
    assert np.array_equal(*public)


def test_12_a_unit_that_is_not_protected():
    with pytest.raises(sotto.Refused, match="unit"):
        sotto.GaussianMixture(3, privacy=private("person"), max_norm=5).fit(X)
    with pytest.raises(TypeError, match="unit"):
        sotto.Privacy(epsilon=1, delta=1e-6)
    with pytest.raises(sotto.Refused, match="sotto.Privacy"):
        sotto.GaussianMixture(3, privacy=1.0, max_norm=5).fit(X)


def test_people_counted_off_the_data():
    """Neighbours differ by a person, so nothing may tell how many there are."""
    people = np.random.default_rng(0).poisson(0.1, size=(3001, 8, 7)).astype(float)
    with pytest.raises(sotto.Refused, match="n_people"):
        sotto.CPDecomposition(2, privacy=private("person", 4)).fit(people)
    model = sotto.CPDecomposition(2, privacy=private("person", 4), n_people=3000).fit(people)
    shown = [model.report(), str(model.certificate_), str(model.result_),
             *(str(value) for value in vars(pickle.loads(pickle.dumps(model))).values())]
    # As a number of its own: among the digits of so many noisy ones it stands by chance.
    number = re.compile(r"(?<!\w)(?<!\d\.)3001(?!\w|\.\d)")
    assert number.search("of 3001 people.") and not number.search("21.9623001894")
    assert not any(number.search(text) for text in shown)


def test_errors_quote_no_record():
    bad = X.copy()
    bad[17, 2] = 12345.678
    bad[18, 1] = np.nan
    with pytest.raises(ValueError) as error:
        mixture().fit(bad)
    assert "12345" not in str(error.value) and "17" not in str(error.value)


def test_a_delta_that_expects_to_expose_someone():
    large = {"epsilon": 1.0, "delta": 1e-3, "unit": "record"}
    with pytest.raises(sotto.Refused, match="accept_large_delta"):
        mixture(privacy=sotto.Privacy(**large)).fit(X)
    mixture(privacy=sotto.Privacy(**large, accept_large_delta=True)).fit(X)


def test_a_refusal_of_parameters_costs_nothing():
    privacy = private()
    with pytest.raises(sotto.Refused):
        sotto.GaussianMixture(3, privacy=privacy, max_norm=-1).fit(X)
    assert not privacy.spent
    mixture(privacy=privacy).fit(X)
    assert privacy.spent
