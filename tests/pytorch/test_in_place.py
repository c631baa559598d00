"""What works in place, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pytorch.test_pure import schemas_of
from torchlint.pytorch.in_place import ADDING, CHANGING, CLAMPING, SAME_NUMBERS, SCALING

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


@pytest.mark.parametrize("name", sorted(CHANGING))
def test_a_method_writes_to_its_tensor(name: str) -> None:
    schemas = schemas_of(name)

    assert schemas
    assert all(one.arguments[0].alias_info.is_write for one in schemas)


@pytest.mark.parametrize("name", sorted(name for name in CHANGING if "normal" not in name))
def test_a_leaf_that_requires_gradients_is_refused(name: str) -> None:
    leaf = torch.rand(4, 4, requires_grad=True)
    required = [one for one in schemas_of(name)[0].arguments[1:] if not one.has_default_value()]
    if required:
        pytest.skip("it has other arguments")

    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(leaf, name)()


@pytest.mark.parametrize("name", sorted(SAME_NUMBERS))
def test_the_numbers_stay_as_they_are(name: str) -> None:
    tensor = torch.arange(4.0).reshape(2, 2).clone()
    before = set(tensor.flatten().tolist())
    getattr(tensor, name)(*{"transpose_": (0, 1), "unsqueeze_": (0,)}.get(name, ()))

    assert set(tensor.flatten().tolist()) == before


@pytest.mark.parametrize("name", ADDING)
@pytest.mark.parametrize("end", ["", "_"])
def test_a_multiple_is_added(name: str, end: str) -> None:
    given = (0.5,) if name == "lerp" else ()

    def result(added: float) -> float:
        return float(getattr(torch.tensor(3.0), f"{name}{end}")(torch.tensor(added), *given))

    assert result(2.0) - result(1.0) == result(1.0) - result(0.0) != 0


@pytest.mark.parametrize("name", SCALING)
def test_a_multiple_is_returned(name: str) -> None:
    assert float(getattr(torch.tensor(6.0), name)(2.0)) == 2 * float(getattr(torch.tensor(3.0), name)(2.0))


@pytest.mark.parametrize("name", sorted(CLAMPING))
@pytest.mark.parametrize("end", ["", "_"])
def test_a_bound_on_the_host_is_refused_even_if_it_is_a_scalar(name: str, end: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda():
        tensor, bound = torch.ones(2, device="cuda"), torch.tensor(0.5)

        assert (tensor + bound).device.type == "cuda"
        with pytest.raises(RuntimeError, match="same device"):
            getattr(tensor, f"{name}{end}")(bound)
