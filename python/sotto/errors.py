"""The exceptions of the library."""
from __future__ import annotations


class Refused(ValueError):
    """What was asked for cannot be done: bad input, impossible parameters, a spent budget."""


class NotReserved(Refused):
    """The ledger has no place for a fit: nothing was read, and its `Privacy` is not spent."""


class Stopped(RuntimeError):
    """The caller's progress function ended the fit."""


for _error in (Refused, NotReserved, Stopped):
    _error.__module__ = "sotto"
