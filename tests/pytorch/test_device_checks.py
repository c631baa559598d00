"""Methods that require two tensors on one device, asked of PyTorch on the simulated GPU."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.device_checks import MIXING_METHODS

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


def _called(name: str, tensor: Any, other: Any) -> Any:
    index = other.long()
    given: dict[str, tuple[object, ...]] = {
        "addmm": (other, other),
        "baddbmm": (other, other),
        "bitwise_and": (index,),
        "bitwise_or": (index,),
        "gather": (0, index),
        "index_add": (0, index, tensor),
        "index_select": (0, index),
        "lerp": (other, 0.5),
        "masked_fill": (other.bool(), 0.0),
        "masked_select": (other.bool(),),
        "scatter": (0, index, 1.0),
        "scatter_add": (0, index, other),
        "take_along_dim": (index, 0),
        "where": (other.bool(), tensor),
    }
    return getattr(tensor.long() if name.startswith("bitwise") else tensor, name)(*given.get(name, (other,)))


@pytest.mark.parametrize("name", sorted(MIXING_METHODS))
def test_two_tensors_have_to_be_on_one_device(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    shape = {"bmm": (1, 1, 1), "baddbmm": (1, 1, 1), "dot": (1,), "index_add": (1,), "index_select": (1,)}
    with simulated_cuda():
        size = shape.get(name, (1, 1))
        tensor, there, here = torch.ones(size, device="cuda"), torch.zeros(size, device="cuda"), torch.zeros(size)
        if name == "mv":
            there, here = there[0], here[0]

        assert _called(name, tensor, there).device.type == "cuda"
        with pytest.raises(RuntimeError, match=r"same device|on CPU|is on"):
            _called(name, tensor, here)
