"""What every module is said to have, against modules of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.module_attributes import (
    EVERY_MODULE,
    LEAVES_IN_PLACE,
    REGISTERING_MODULES,
    REGISTERING_TENSORS,
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
