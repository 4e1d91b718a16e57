"""sotto: differentially private tensor decomposition.

Estimators with the manners of scikit-learn, functions in the style of TensorLy, and privacy in the
signature::

    import sotto
    model = sotto.TopicModel(8, privacy=sotto.Privacy(epsilon=1, delta=1e-6, unit="document"))
    model.fit(texts)
    print(model.top_words(5), model.certificate_)

Without `privacy` an estimator treats its data as public, and its repr says so.
"""
from __future__ import annotations

from . import account, export, plot
from ._load import core as _core
from .certificate import Certificate
from .completion import TensorCompletion
from .mixture import GaussianMixture
from .errors import NotReserved, Refused, Stopped
from .privacy import Budget, Privacy
from .stream import StreamDecomposition
from .tensor import (CPDecomposition, CPTensor, Tucker, TuckerTensor, cp, symmetric_power, tucker,
                     whiten)
from .topics import TopicModel

__version__: str = _core.version

__all__ = [
    "Budget", "CPDecomposition", "CPTensor", "Certificate", "GaussianMixture", "NotReserved", "Privacy",
    "Refused", "Stopped", "StreamDecomposition", "TensorCompletion", "TopicModel", "Tucker",
    "TuckerTensor",
    "account", "cp", "export", "plot", "symmetric_power", "tucker", "whiten",
]
