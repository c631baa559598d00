"""Whether autograd records is the same in the model as in PyTorch when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from textwrap import indent
from typing import Any

import pytest

from tests.checkout import Checkout
from torchlint.model.training.grad_mode import is_recorded

_MODES = (
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.set_grad_enabled(True)",
    "torch.set_grad_enabled(mode=False)",
    "torch.inference_mode()",
    "torch.autograd.inference_mode(mode=False)",
)
_NAMED = {
    "a variable": "off = torch.no_grad()\n\ndef run(weight):\n    with off:\n        return weight * 2\n",
    "a variable of the function": "def run(weight):\n    off = torch.no_grad()\n    with off:\n        return weight * 2\n",
    "the class": "off = torch.no_grad\n\ndef run(weight):\n    with off():\n        return weight * 2\n",
    "an import": "from torch import no_grad as off\n\ndef run(weight):\n    with off():\n        return weight * 2\n",
    "the first of two": "def run(weight):\n    with torch.no_grad(), torch.enable_grad():\n        return weight * 2\n",
    "a decorator": "@torch.no_grad()\ndef run(weight):\n    return weight * 2\n",
    "a bare decorator": "@torch.inference_mode\ndef run(weight):\n    return weight * 2\n",
    "a decorator around a block": "@torch.no_grad()\ndef run(weight):\n    with torch.enable_grad():\n        return weight * 2\n",
    "two decorators": "@torch.enable_grad()\n@torch.no_grad()\ndef run(weight):\n    return weight * 2\n",
    "a decorator of the program": (
        "def off(fn):\n    def inner(*args):\n        with torch.no_grad():\n            return fn(*args)\n    return inner\n\n"
        "@off\ndef run(weight):\n    return weight * 2\n"
    ),
    "a decorator that stops before": (
        "def off(fn):\n    def inner(*args):\n        with torch.no_grad():\n            print()\n        return fn(*args)\n"
        "    return inner\n\n@off\ndef run(weight):\n    return weight * 2\n"
    ),
    "a decorator that stops if it is told to": (
        "def off(on):\n    def decorate(fn):\n        def inner(*args):\n            if on:\n                return fn(*args)\n"
        "            with torch.no_grad():\n                return fn(*args)\n        return inner\n    return decorate\n\n"
        "@off(True)\ndef run(weight):\n    return weight * 2\n"
    ),
    "a decorator that takes either mode": (
        "def off(new=True):\n    def decorate(fn):\n        return (torch.inference_mode if new else torch.no_grad)()(fn)\n"
        "    return decorate\n\n@off()\ndef run(weight):\n    return weight * 2\n"
    ),
    "a context manager of the program": (
        "import contextlib\n\n@contextlib.contextmanager\ndef off():\n    with torch.no_grad():\n        yield\n\n"
        "def run(weight):\n    with off():\n        return weight * 2\n"
    ),
    "a context manager that stops before": (
        "import contextlib\n\n@contextlib.contextmanager\ndef off():\n    with torch.no_grad():\n        print()\n    yield\n\n"
        "def run(weight):\n    with off():\n        return weight * 2\n"
    ),
    "nothing": "def run(weight):\n    return weight * 2\n",
}
_NESTED = {
    f"{outer} around {inner}": f"def run(weight):\n    with {outer}:\n        with {inner}:\n            return weight * 2\n"
    for outer, inner in product(_MODES, _MODES)
}


@pytest.mark.parametrize("code", [*_NAMED.values(), *_NESTED.values()], ids=[*_NAMED, *_NESTED])
def test_what_is_recorded(program: Callable[[str], Checkout], code: str) -> None:
    torch = pytest.importorskip("torch", reason="it is PyTorch that tells what is recorded")
    names: dict[str, Any] = {}
    text = f"import torch\n{code}"
    exec(text, names)

    recorded = torch.tensor([1.0], requires_grad=True)

    assert is_recorded(program(text).place("weight * 2")) is names["run"](recorded).requires_grad


@pytest.mark.parametrize("mode", ["torch.set_grad_enabled(training)", "torch.inference_mode(not training)", "off"])
def test_a_mode_that_nobody_knows_counts_for_none(program: Callable[[str], Checkout], mode: str) -> None:
    code = (
        f"import torch\n\ndef run(weight, training, off):\n    with {mode}:\n{indent('return weight * 2', ' ' * 8)}\n"
    )

    assert is_recorded(program(code).place("weight * 2"))
