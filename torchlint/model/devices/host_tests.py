"""Tests that ask for no GPU: whatever a project does elsewhere, they run on the host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlint.model.test_files import is_of_tests
from torchlint.syntax.around import class_around, function_around

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

# `device="cpu"` asks for none.
_ASKING = re.compile(r"cuda|gpu|mps|xpu|accelera|(?<!_)device(?! ?= ?[\"']cpu)", re.IGNORECASE)
_PREPARING = re.compile(r"set_?up", re.IGNORECASE)


def is_of_host_test(place: Place) -> bool:
    """Tell whether a place is in a test, and neither that nor what its class prepares speaks of a device."""
    function = function_around(place)
    if function is None or not function.name.startswith("test") or not is_of_tests(place.file):
        return False
    parts = (function, *_preparing(place))
    return not any(_ASKING.search(place.file.code_of(one.node)) for one in parts)


def _preparing(place: Place) -> Iterator[Scope]:
    kind = class_around(place)
    bindings = kind.bindings.values() if kind is not None else ()
    scopes = (one.scope for found in bindings for one in found if one.kind == "function")
    return (one for one in scopes if one is not None and _PREPARING.match(one.name))
