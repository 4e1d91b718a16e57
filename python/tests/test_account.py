"""The accountant from Python: known values, arrays, refusals."""
import math

import numpy as np
import pytest
import sotto
from sotto import account


def test_known_values():
    # Balle & Wang 2018: the exact trade-off of the Gaussian mechanism.
    assert account.gaussian(1.0, delta=1e-5) == pytest.approx(4.377178, abs=1e-5)
    assert account.laplace(2.0, 3) == pytest.approx(1.5)
    assert account.compose([account.Pure(0.3, count=4)], delta=0) == pytest.approx(1.2)
    assert account.calibrate(1.0, delta=1e-5) == pytest.approx(3.730632, abs=1e-5)


def test_arrays_are_broadcast():
    noise = np.array([1.0, 2.0, 4.0])
    table = account.gaussian(noise[:, None], [1, 10], delta=1e-6)
    assert table.shape == (3, 2)
    assert table[1, 1] == account.gaussian(2.0, 10, delta=1e-6)
    assert np.all(np.diff(table, axis=0) < 0) and np.all(np.diff(table, axis=1) > 0)


def test_lists_of_releases_are_broadcast():
    noise, rates, deltas = np.array([1.0, 2.0]), np.array([0.01, 0.02]), [[1e-6], [1e-5], [1e-4]]
    releases = [account.Gaussian(noise, count=3), account.Subsampled(1.5, rates), account.Pure(0.1)]
    found = account.compose(releases, delta=deltas)
    lines = account.compare(releases, delta=deltas)
    assert found.shape == (3, 2) and all(table.shape == (3, 2) for table in lines.values())
    one = [account.Gaussian(2.0, count=3), account.Subsampled(1.5, 0.02), account.Pure(0.1)]
    assert found[1, 1] == account.compose(one, delta=1e-5)
    assert lines["pld"][1, 1] == account.compare(one, delta=1e-5)["pld"]
    assert isinstance(account.compose(one, delta=1e-5), float)
    least = account.calibrate(1.0, delta=1e-6, sampling_rate=rates)
    assert least[1] == account.calibrate(1.0, delta=1e-6, sampling_rate=0.02) > least[0]
    assert account.gaussian(np.empty(0), delta=1e-6).shape == (0,)


def test_calibration_is_the_inverse():
    for epsilon in (0.1, 1.0, 8.0):
        noise = account.calibrate(epsilon, delta=1e-6, count=7)
        assert account.gaussian(noise, 7, delta=1e-6) == pytest.approx(epsilon, rel=1e-9)
        assert account.gaussian(noise, 7, delta=1e-6) <= epsilon
        rate = account.calibrate(epsilon, delta=1e-6, count=100, sampling_rate=0.01)
        assert account.subsampled(rate, 0.01, 100, delta=1e-6) <= epsilon


def test_accountants_are_compared():
    found = account.compare([account.Gaussian(2, count=10), account.Laplace(20, count=5)],
                            delta=1e-6)
    assert list(found) == ["basic", "advanced", "zcdp", "rdp", "gdp", "pld"]
    assert found["pld"] < found["rdp"] < found["basic"]
    best = account.compose([account.Gaussian(2, count=10), account.Laplace(20, count=5)],
                           delta=1e-6)
    assert best <= min(value for value in found.values() if not math.isnan(value))


@pytest.mark.parametrize("call", [
    lambda: account.gaussian(-1.0, delta=1e-6),
    lambda: account.gaussian(1.0, 1.5, delta=1e-6),
    lambda: account.gaussian(1.0, delta=2.0),
    lambda: account.subsampled(1.0, 1.5, delta=1e-6),
    lambda: account.calibrate(0.0, delta=1e-6),
    lambda: account.calibrate(1.0, delta=1e-6, noise="uniform"),
    lambda: account.compose([account.Gaussian(math.nan)], delta=1e-6),
    lambda: account.compose([account.Gaussian(1.0, count=1.5)], delta=1e-6),
    lambda: account.compose([account.Gaussian([1.0, -2.0])], delta=1e-6),
])
def test_impossible_numbers_are_refused(call):
    with pytest.raises(sotto.Refused):
        call()
