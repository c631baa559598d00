"""Which GPU a bare `cuda` means, in the order in which a program sets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.devices.current import current_devices
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Device
from torchlint.model.worlds import WITH_CUDA, WITH_GPUS, WITHOUT_CUDA, World

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]


def current(checkout: Checkout, name: str = "main.py") -> list[set[int] | None]:
    """Return the GPUs that may be current at each call of `here()`."""
    file = checkout.file(name)
    ev = file.project.evaluator(WITH_CUDA)
    found = [current_devices(ev, Place(file, *pair)) for pair in file.index.calls("here")]
    return [None if one is None else set(one) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("here()", [{0}]),
        ("here()\ntorch.cuda.set_device(1)\nhere()", [{0}, {1}]),
        ("torch.cuda.set_device('cuda:1')\nhere()\ntorch.cuda.set_device(0)\nhere()", [{1}, {0}]),
        ("torch.accelerator.set_device_index(2)\nhere()", [{2}]),
        ("if torch.rand(1) > 0:\n    torch.cuda.set_device(1)\nhere()", [{0, 1}]),
        ("for i in range(3):\n    here()\n    torch.cuda.set_device(1)", [{0, 1}]),
        ("torch.cuda.set_device(int(rank))\nhere()", [None]),
        ("torch.cuda.set_device(f'cuda:{rank}')\nhere()", [None]),
    ],
)
def test_what_is_set_counts_from_there_on(program: Program, text: str, expected: list[set[int]]) -> None:
    assert current(program(f"import torch\n{text}\n")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with torch.cuda.device(1):\n    here()\nhere()", [{1}, {0}]),
        ("with torch.cuda.device('cuda:1'), torch.no_grad():\n    here()", [{1}]),
        ("with torch.cuda.device(1):\n    with torch.cuda.device(2):\n        here()\n    here()", [{2}, {1}]),
        ("with torch.cuda.device(1):\n    torch.cuda.set_device(2)\n    here()\nhere()", [{2}, {0}]),
        ("torch.cuda.set_device(3)\nwith torch.cuda.device(1):\n    here()\nhere()", [{1}, {3}]),
        ("with torch.cuda.device(i):\n    here()\nhere()", [None, {0}]),
        ("with torch.cuda.stream(s):\n    here()\nhere()", [None, {0}]),
        ("with torch.cuda.device_of(x):\n    here()\nhere()", [None, {0}]),
        ("with open('log') as log:\n    here()", [{0}]),
    ],
)
def test_a_block_sets_it_up_to_its_end(program: Program, text: str, expected: list[set[int]]) -> None:
    assert current(program(f"import torch\n{text}\n")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    here()\nf()\ntorch.cuda.set_device(1)", [{0}]),
        ("def f():\n    here()\ntorch.cuda.set_device(1)\nf()", [{1}]),
        ("def f():\n    here()\nf()\ntorch.cuda.set_device(1)\nf()", [{0, 1}]),
        ("def f():\n    here()\nwith torch.cuda.device(2):\n    f()", [{2}]),
        ("def f():\n    here()\n    f()\ntorch.cuda.set_device(1)\nf()", [{1}]),
        ("def f():\n    torch.cuda.set_device(1)\nf()\nhere()", [{0, 1}]),
        ("class Setup:\n    def __init__(self):\n        torch.cuda.set_device(1)\nSetup()\nhere()", [{0, 1}]),
        ("def f(i):\n    torch.cuda.set_device(i)\nf(int(input()))\nhere()", [None]),
        ("def f():\n    torch.cuda.set_device(1)\nfor g in (f, print):\n    g()\nhere()", [{0, 1}]),
    ],
)
def test_a_function_runs_where_it_is_called(program: Program, text: str, expected: list[set[int]]) -> None:
    assert current(program(f"import torch\n{text}\n")) == expected


def test_a_function_that_nobody_calls_may_run_before_and_after(program: Program) -> None:
    text = "import torch\ndef f():\n    here()\ndef g():\n    torch.cuda.set_device(1)\n"

    assert current(program(text)) == [{0, 1}]


def test_what_another_program_sets_is_not_current(project_of: ProjectOf) -> None:
    other = "import torch\ntorch.cuda.set_device(1)\n"

    assert current(project_of({"main.py": "def f():\n    here()\n", "other.py": other})) == [{0}]
    assert current(project_of({"main.py": "import other\ndef f():\n    here()\n", "other.py": other})) == [{0, 1}]


def test_an_answer_is_found_once_for_all_worlds_that_tell_no_gpus_apart(program: Program) -> None:
    file = program("x = torch.zeros(1).to('cuda')\nhere(x)").file("main.py")
    call, statement = file.index.calls("here")[0]
    x = Place(file, call.args[0], statement)
    steps = file.project.library.steps

    def asked_in(world: World) -> tuple[object, int]:
        before = steps.taken
        return x.devices(world), steps.taken - before

    assert asked_in(WITH_CUDA)[0] == (Device("cuda"),)
    assert asked_in(WITHOUT_CUDA) == ((Device("cuda"),), 1)
    assert asked_in(WITH_GPUS)[0] == (Device("cuda", 0),)
