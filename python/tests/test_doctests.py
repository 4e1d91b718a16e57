"""The examples in the documentation of the package run."""
import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["account", "certificate", "completion", "export", "mixture",
                                  "plot", "privacy", "stream", "tensor", "topics"])
def test_examples(name):
    module = importlib.import_module(f"sotto.{name}")
    assert doctest.testmod(module).failed == 0
