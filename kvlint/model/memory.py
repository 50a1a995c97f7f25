# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is told of an object is kept with it, and goes with it.

A cache of its own would hold the object, and with it the whole of its file: in a
process that sees a text change again and again, every text that there ever was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

_Thing = TypeVar("_Thing")
_More = ParamSpec("_More")
_Told = TypeVar("_Told")


def kept_with_it(
    function: Callable[Concatenate[_Thing, _More], _Told],
) -> Callable[Concatenate[_Thing, _More], _Told]:
    """Return a function that is asked only once for each object.

    Args:
        function: Tells something of its first argument, the others of which are
            hashable and given by position.
    """
    name = f"_told by {function.__module__}.{function.__name__}"

    @wraps(function)
    def ask(thing: _Thing, /, *more: _More.args, **none: _More.kwargs) -> _Told:
        told = thing.__dict__.setdefault(name, {})
        if more not in told:
            told[more] = function(thing, *more, **none)
        known: _Told = told[more]
        return known

    return ask
