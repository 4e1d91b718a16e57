"""Budgets hold over fits that are chosen one after the other."""
import math
import pickle

import numpy as np
import pytest
import sotto
from data import corpus, points, ratings
from sotto import account

X, _ = points(3000)


def fit(privacy, **changes):
    return sotto.GaussianMixture(3, privacy=privacy, **{"max_norm": 5.0, **changes}).fit(X)


def test_fits_compose_as_they_are_and_not_as_a_sum():
    with sotto.Budget(epsilon=3, delta=1e-5) as budget:
        for _ in range(6):
            fit(budget.privacy(epsilon=0.5, delta=1e-6, unit="record"))
    assert len(budget.certificates) == 6
    assert 0.5 < budget.spent < 0.7 * 6 * 0.5
    releases = [account.Gaussian(1 / release["cost"]["mu"], release["count"])
                for certificate in budget.certificates for release in certificate.releases]
    assert budget.spent == pytest.approx(account.compose(releases, delta=1e-5), rel=1e-6)


def test_what_the_limit_does_not_cover_is_refused_before_the_data_is_read():
    budget = sotto.Budget(epsilon=1, delta=1e-5)
    fit(budget.privacy(epsilon=0.9, delta=1e-6, unit="record"))
    late = budget.privacy(epsilon=0.9, delta=1e-6)
    with pytest.raises(sotto.Refused, match="does not cover"):
        fit(late)
    assert not late.spent and len(budget.certificates) == 1
    assert budget.spent <= 1


def test_the_limit_holds_whatever_is_asked_for():
    rng = np.random.default_rng(0)
    budget = sotto.Budget(epsilon=2, delta=1e-5, unit="record")
    for _ in range(40):
        try:
            fit(budget.privacy(epsilon=float(rng.uniform(0.05, 0.8)), delta=1e-6))
        except sotto.Refused:
            pass
        assert budget.spent <= 2
    assert budget.remaining < 0.8


def test_a_fit_that_fails_after_it_began_has_paid():
    budget = sotto.Budget(epsilon=1, delta=1e-5)

    def stop(stage, done, total):
        return False

    with pytest.raises((sotto.Stopped, sotto.Refused)):
        sotto.GaussianMixture(3, privacy=budget.privacy(0.8, 1e-6, unit="record"), max_norm=5,
                              progress=stop).fit(np.vstack([X] * 40))
    assert budget.spent == pytest.approx(0.8)
    with pytest.raises(sotto.Refused, match="does not cover"):
        fit(budget.privacy(0.3, 1e-6))


def test_units_do_not_mix_and_budgets_close():
    with sotto.Budget(epsilon=1, delta=1e-5) as budget:
        budget.privacy(0.1, 1e-6, unit="record")
        with pytest.raises(sotto.Refused, match="unit"):
            budget.privacy(0.1, 1e-6, unit="document")
        late = budget.privacy(0.1, 1e-6)
    with pytest.raises(sotto.Refused, match="closed"):
        fit(late)
    with pytest.raises(sotto.Refused, match="copied"):
        pickle.dumps(budget)


def test_releases_over_samples_count_with_their_whole_claim():
    places, values, _ = ratings(100)
    budget = sotto.Budget(epsilon=10, delta=1e-3)
    model = sotto.TensorCompletion(2, privacy=budget.privacy(2.0, 1e-6, unit="rating"),
                                   range=(1, 5), mechanism="sgd").fit(places, values)
    assert "withdrawn" in model.certificate_.neighbours
    assert budget.spent == pytest.approx(4.0)  # a replacement is two withdrawals


def test_documents_share_a_budget_with_pure_and_gaussian_releases():
    counts, _, _ = corpus(4000)
    budget = sotto.Budget(epsilon=4, delta=1e-5)
    for _ in range(2):
        sotto.TopicModel(2, privacy=budget.privacy(1.0, 1e-6, unit="document"),
                         vocabulary=20).fit(counts)
    assert 1 < budget.spent < 2


@pytest.mark.parametrize("epsilon, delta", [(0, 1e-6), (-1, 1e-6), (math.nan, 1e-6),
                                            (math.inf, 1e-6), (1, 0), (1, 1), (1, math.nan)])
def test_impossible_budgets_are_refused(epsilon, delta):
    with pytest.raises(sotto.Refused):
        sotto.Budget(epsilon, delta)


def test_a_ledger_keeps_the_limit_over_processes(tmp_path):
    path = tmp_path / "runs.ledger"
    assert sotto._core.command_line(
        ["ledger", "init", str(path), "--epsilon", "1", "--delta", "1e-5", "--unit", "one patient",
         "--data", "visits"]) == 0
    fit(sotto.Privacy(0.6, 1e-6, unit="record", ledger=path))
    with pytest.raises(sotto.Refused, match="ledger|limit"):
        fit(sotto.Privacy(0.6, 1e-6, unit="record", ledger=path))
    with pytest.raises(sotto.Refused, match="unit|protect"):
        counts, _, _ = corpus(3000)
        sotto.TopicModel(2, privacy=sotto.Privacy(0.1, 1e-6, unit="document", ledger=path),
                         vocabulary=20).fit(counts)
    budget = sotto.Budget(epsilon=9, delta=1e-5, unit="record", ledger=path)
    fit(budget.privacy(epsilon=0.3, delta=1e-6))
    with pytest.raises(sotto.Refused, match="ledger|limit"):
        fit(budget.privacy(epsilon=0.6, delta=1e-6))
    with pytest.raises(sotto.Refused):
        fit(sotto.Privacy(0.1, 1e-6, unit="record", ledger=tmp_path / "missing"))


def test_a_fit_that_the_ledger_refuses_has_spent_nothing(tmp_path):
    path = tmp_path / "runs.ledger"
    assert sotto._core.command_line(
        ["ledger", "init", str(path), "--epsilon", "1", "--delta", "1e-5", "--unit", "one patient",
         "--data", "visits"]) == 0
    privacy = sotto.Privacy(2, 1e-6, unit="record", ledger=path)
    with pytest.raises(sotto.NotReserved, match="does not cover"):
        fit(privacy)
    assert not privacy.spent
    budget = sotto.Budget(epsilon=9, delta=1e-5, unit="record", ledger=path)
    privacy = budget.privacy(epsilon=2, delta=1e-6)
    with pytest.raises(sotto.NotReserved):
        fit(privacy)
    assert budget.spent == 0 and not privacy.spent
    fit(budget.privacy(epsilon=0.5, delta=1e-6))
    assert 0 < budget.spent <= 0.5


def test_a_saved_folder_is_signed_and_verified(tmp_path):
    key, folder = str(tmp_path / "office.key"), str(tmp_path / "found")
    assert sotto._core.command_line(["keys", "new", key]) == 0
    model = fit(sotto.Privacy(1, 1e-6, unit="record", protects="one patient", contact="the office"))
    model.save(folder, sign=key)
    assert sotto._core.command_line(["verify", folder, "--key", key + ".pub", "--unit",
                                     "one patient"]) == 0
    assert "the office" in (tmp_path / "found" / "certificate.md").read_text()
    (tmp_path / "found" / "more.txt").write_text("")
    assert sotto._core.command_line(["verify", folder]) == 1
