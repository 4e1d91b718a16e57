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

import importlib
from typing import TYPE_CHECKING, Any

from ._load import core as _core

if TYPE_CHECKING:
    from . import account, export, plot
    from .certificate import Certificate
    from .completion import TensorCompletion
    from .errors import NotReserved, Refused, Stopped
    from .mixture import GaussianMixture
    from .privacy import Budget, Privacy
    from .stream import StreamDecomposition
    from .tensor import (CPDecomposition, CPTensor, Tucker, TuckerTensor, cp, symmetric_power,
                         tucker, whiten)
    from .topics import TopicModel

__version__: str = _core.version

__all__ = [
    "Budget", "CPDecomposition", "CPTensor", "Certificate", "GaussianMixture", "NotReserved",
    "Privacy", "Refused", "Stopped", "StreamDecomposition", "TensorCompletion", "TopicModel",
    "Tucker", "TuckerTensor", "account", "cp", "export", "plot", "symmetric_power", "tucker",
    "whiten",
]

# Each module is imported when a name of it is first used: the console script `sotto` needs none of
# them, and scikit-learn, which estimators need, takes a second to import.
_NAMES = {
    "certificate": ["Certificate"],
    "completion": ["TensorCompletion"],
    "errors": ["NotReserved", "Refused", "Stopped"],
    "mixture": ["GaussianMixture"],
    "privacy": ["Budget", "Privacy"],
    "stream": ["StreamDecomposition"],
    "tensor": ["CPDecomposition", "CPTensor", "Tucker", "TuckerTensor", "cp", "symmetric_power",
               "tucker", "whiten"],
    "topics": ["TopicModel"],
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    elif name in __all__:
        value = importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
