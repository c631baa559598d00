"""What every module is said to have, against modules of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.module_attributes import (
    ALL_OF_MODULES,
    EVERY_MODULE,
    KEEPING_NUMBERS,
    LEAVES_IN_PLACE,
    MODULES_OF,
    OF_MODULES_ALONE,
    OF_OPTIMIZERS_TOO,
    PLAIN_MODULES_OF,
    REGISTERING_MODULES,
    REGISTERING_TENSORS,
    RUN_ON_MODULES,
    TENSORS_OF,
    YIELDING,
)

torch = pytest.importorskip("torch", reason="the attributes are those of PyTorch's classes")


@pytest.mark.parametrize("name", sorted(EVERY_MODULE))
def test_every_module_has_it(name: str) -> None:
    linear = torch.nn.Linear(2, 2)
    modules = (torch.nn.Module(), linear, torch.compile(linear), torch.nn.DataParallel(linear))

    assert all(hasattr(module, name) for module in modules)


def _call(module: Any, name: str) -> None:
    given = {
        "forward": (torch.ones(1, 2, device="meta"),),
        "get_parameter": ("weight",),
        "load_state_dict": (torch.nn.Linear(2, 2).state_dict(),),
        "register_forward_hook": (print,),
        "register_forward_pre_hook": (print,),
    }
    asked = getattr(module, name)
    if callable(asked) and not isinstance(asked, torch.Tensor):
        asked(*given.get(name, ()))


@pytest.mark.parametrize("name", sorted(LEAVES_IN_PLACE))
@pytest.mark.filterwarnings("ignore:.*copying from a non-meta parameter")
def test_it_leaves_the_parameters_where_they_are(name: str) -> None:
    module = torch.nn.Linear(2, 2, device="meta")

    _call(module, name)

    assert {one.device.type for one in module.parameters()} == {"meta"}


def test_a_state_dict_that_is_assigned_brings_its_device() -> None:
    module = torch.nn.Linear(2, 2, device="meta")

    module.load_state_dict(torch.nn.Linear(2, 2).state_dict(), assign=True)

    assert {one.device.type for one in module.parameters()} == {"cpu"}


def test_what_registers_takes_the_name_first() -> None:
    module, part = torch.nn.Module(), torch.nn.Parameter(torch.ones(1))
    for method in REGISTERING_TENSORS:
        getattr(module, method)(f"by_{method}", part)
    for method in REGISTERING_MODULES:
        getattr(module, method)(f"by_{method}", torch.nn.Linear(1, 1))

    assert all(hasattr(module, f"by_{method}") for method in (*REGISTERING_TENSORS, *REGISTERING_MODULES))
    assert [name for name, _ in module.named_children()] == [f"by_{method}" for method in REGISTERING_MODULES]


@pytest.mark.parametrize("name", sorted(YIELDING))
def test_what_yields_is_exhausted_once(name: str) -> None:
    found = getattr(torch.nn.Sequential(torch.nn.BatchNorm1d(2)), name)()
    first = next(iter(found))
    parts = first if isinstance(first, tuple) else (first,)
    list(found)

    assert list(found) == []
    assert isinstance(parts[-1], torch.Tensor) is (name in TENSORS_OF)


def test_all_public_attributes_of_a_module_are_known() -> None:
    assert {name for name in dir(torch.nn.Module()) if not name.startswith("_")} <= ALL_OF_MODULES
    assert EVERY_MODULE <= ALL_OF_MODULES


@pytest.mark.parametrize("name", sorted(OF_MODULES_ALONE))
def test_modules_alone_have_it(name: str) -> None:
    others: tuple[object, ...] = (torch.ones(1), [], {}, (), set())

    assert hasattr(torch.nn.Linear(1, 1), name)
    assert not any(hasattr(one, name) for one in others)


def test_optimizers_have_some_of_them() -> None:
    optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=0.1)

    assert {name for name in OF_MODULES_ALONE if hasattr(optimizer, name)} == OF_OPTIMIZERS_TOO


@pytest.mark.parametrize("name", sorted(MODULES_OF))
def test_modules_come_with_their_names_or_without(name: str) -> None:
    found = next(getattr(torch.nn.Sequential(torch.nn.ReLU()), name)())

    assert isinstance(found, torch.nn.Module) is (name in PLAIN_MODULES_OF)


@pytest.mark.parametrize("name", RUN_ON_MODULES)
def test_a_function_is_run_on_a_module(name: str) -> None:
    module, calls = torch.nn.Linear(1, 1), list[object]()

    getattr(module, name)(lambda *given: calls.append(given))
    module(torch.ones(1, 1)).sum().backward()

    assert calls


@pytest.mark.parametrize("name", sorted(KEEPING_NUMBERS))
def test_the_parameters_keep_their_numbers(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    before = module.weight.tolist()

    assert getattr(module, name)() is not module
    assert module.weight.tolist() == before
