"""What every module is said to have, against modules of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.module_attributes import EVERY_MODULE, LEAVES_IN_PLACE

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
