"""scikit-learn's own checks of estimators."""
import pytest
import sotto
from sklearn.utils.estimator_checks import parametrize_with_checks

A_CLASSIFIERS_TAG = "asks for the tag of a classifier, since there is predict_proba"


def not_for(estimator):
    """Checks that do not apply, each with its reason."""
    if isinstance(estimator, sotto.GaussianMixture):
        return {"check_estimator_sparse_array": A_CLASSIFIERS_TAG,
                "check_estimator_sparse_matrix": A_CLASSIFIERS_TAG}
    return {}


# TopicModel takes counts, TensorCompletion places, CPDecomposition and Tucker tensors: scikit-learn's
# data, real numbers in two dimensions, are none of these.
@parametrize_with_checks([sotto.GaussianMixture(), sotto.StreamDecomposition()],
                         expected_failed_checks=not_for)
def test_check_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [sotto.TopicModel(), sotto.TensorCompletion(),
                                       sotto.CPDecomposition(), sotto.Tucker()],
                         ids=lambda e: type(e).__name__)
def test_parameters_are_kept_as_given(estimator):
    from sklearn.utils import estimator_checks as checks
    name = type(estimator).__name__
    checks.check_no_attributes_set_in_init(name, estimator)
    checks.check_parameters_default_constructible(name, estimator)
    checks.check_get_params_invariance(name, estimator)
    checks.check_set_params(name, estimator)
    checks.check_estimator_repr(name, estimator)
    checks.check_estimator_cloneable(name, estimator)
