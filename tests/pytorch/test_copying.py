"""What copies a module with all that it holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from torchlint.pytorch.copying import DEEP_COPIES, OWN_COPIES

torch = pytest.importorskip("torch", reason="the rows are about PyTorch")


def module_that_holds(tensor: Any) -> Any:
    module = torch.nn.Linear(2, 2)
    module.held = tensor(module)
    return module


def copying(name: str) -> Callable[..., Any]:
    holder, _, last = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(holder), last)
    return found


@pytest.mark.parametrize(("name", "parameter"), DEEP_COPIES.items())
def test_what_has_a_graph_is_not_copied(name: str, parameter: str) -> None:
    copy = copying(name)
    assert next(iter(inspect.signature(copy).parameters)) == parameter
    copy(module_that_holds(lambda module: module.weight.detach() * 2))
    copy(module_that_holds(lambda module: module.weight))

    for holds in (lambda module: module.weight * 2, lambda module: [module.weight * 2]):
        with pytest.raises(RuntimeError, match="support the deepcopy protocol"):
            copy(module_that_holds(holds))


@pytest.mark.parametrize("method", OWN_COPIES[:2])
def test_a_class_determines_what_is_copied(method: str) -> None:
    def own(self: Any, *_: object) -> Any:
        return {**self.__dict__, "held": None} if method == "__getstate__" else torch.nn.Linear(2, 2)

    kind = type("Own", (torch.nn.Linear,), {method: own})
    module = kind(2, 2)
    module.held = module.weight * 2

    assert getattr(copying("copy.deepcopy")(module), "held", None) is None
