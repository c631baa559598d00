"""What is said of the methods that move and convert, against torch and the simulated GPU."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.gradient_ends import WITHOUT_GRAPH
from torchlint.pytorch.moves import (
    COPYING,
    CUDA_ARGUMENTS,
    MODES,
    MODULE_CASTS,
    MOVES,
    MOVES_OF_TENSORS,
    MOVING,
    RETURNING_MODULE,
    SAME_MODULE,
    TO_GPU,
    TO_HOST,
)

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

_OF_MODULES: dict[str, tuple[object, ...]] = {
    "apply": (lambda module: None,),
    "to": ("meta",),
    "type": (torch.float64,),
}


@pytest.mark.parametrize("name", sorted(SAME_MODULE))
def test_a_module_is_returned_where_it_is(name: str) -> None:
    module = torch.nn.Linear(2, 2)

    assert getattr(module, name)(*_OF_MODULES.get(name, ())) is module
    assert module.weight.device.type == "cpu"


@pytest.mark.parametrize("name", sorted(MODULE_CASTS))
def test_a_cast_changes_the_type_of_the_parameters_of_a_module(name: str) -> None:
    before = torch.float16 if name == "float" else torch.float32
    module = torch.nn.Linear(2, 2, dtype=before)

    assert getattr(module, name)(*_OF_MODULES.get(name, ())).weight.dtype != before


@pytest.mark.parametrize("name", sorted(MOVES))
def test_a_move_returns_the_module_and_a_copy_of_a_tensor(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    where, other = ("cpu", "cuda") if name in TO_GPU else ("cuda", "cpu")
    with simulated_cuda():
        module, tensor = torch.nn.Linear(2, 2, device=where), torch.ones(2, device=where)
        given = (other,) if name == "to" else ()

        assert getattr(module, name)(*given) is module
        assert module.weight.device.type == other
        assert getattr(tensor, name)(*given).device.type == other
        assert tensor.device.type == where


@pytest.mark.parametrize("form", ["name", "class", "other tensor"])
def test_a_type_moves_a_tensor_and_converts_it(form: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda():
        other = torch.ones(1, dtype=torch.float64, device="cuda")
        given = {"name": "torch.cuda.DoubleTensor", "class": torch.cuda.DoubleTensor, "other tensor": other}[form]
        name = "type_as" if form == "other tensor" else "type"
        there = getattr(torch.ones(2), name)(given)
        back = there.type("torch.FloatTensor")

        assert (there.device.type, there.dtype) == ("cuda", torch.float64)
        assert (back.device.type, back.dtype) == ("cpu", torch.float32)


def test_no_other_method_of_the_table_moves_a_tensor() -> None:
    assert MOVES | {"type", "type_as"} == MOVES_OF_TENSORS


@pytest.mark.parametrize("name", sorted(WITHOUT_GRAPH))
def test_what_has_no_graph_requires_no_gradient(name: str) -> None:
    tensor = torch.ones(2, requires_grad=True)
    tensor.sum().backward()

    assert not getattr(tensor, name).requires_grad


def test_a_tensor_has_the_first_backward_and_lightning_the_second() -> None:
    assert hasattr(torch.Tensor, BACKWARD[0])
    lightning = pytest.importorskip("lightning.pytorch", reason="it is Lightning that has it")

    assert hasattr(lightning.LightningModule, BACKWARD[1])


@pytest.mark.parametrize("name", sorted(RETURNING_MODULE - MOVES - {"xpu"}))
def test_a_module_is_returned(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    given = {"to_empty": {"device": "cpu"}}.get(name, {})

    assert getattr(module, name)(*_OF_MODULES.get(name, ()), **given) is module


@pytest.mark.parametrize("name", sorted(MODES))
def test_a_mode_is_set(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    module.training = name == "eval"

    assert getattr(module, name)().training is (name == "train")


@pytest.mark.parametrize("name", sorted(CUDA_ARGUMENTS))
def test_cuda_and_to_have_the_same_arguments(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    given = {"device": "cuda", "non_blocking": True, "memory_format": torch.preserve_format}[name]
    with simulated_cuda():
        moved = torch.ones(1).to(**{"device": "cuda", name: given})

        assert torch.ones(1).cuda(**{name: given}).device == moved.device


@pytest.mark.parametrize("name", TO_HOST)
def test_a_tensor_on_the_gpu_is_copied_to_the_host(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    given: dict[str, tuple[object, ...]] = {"to": ("cpu",), "type": (torch.FloatTensor,), "type_as": (torch.ones(1),)}
    with simulated_cuda():
        tensor = torch.ones(1, device="cuda")

        assert getattr(tensor, name)(*given.get(name, ())).device.type == "cpu"


@pytest.mark.parametrize("name", sorted(COPYING))
def test_a_copy_leaves_the_tensor_as_it_is(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda():
        tensor = torch.ones(1, device="cuda" if name == "cpu" else "cpu", requires_grad=name == "detach")
        before = (tensor.device, tensor.dtype, tensor.requires_grad)
        found = getattr(tensor, name)(*(("cuda",) if name == "to" else ()))

        assert (tensor.device, tensor.dtype, tensor.requires_grad) == before
        assert found is not tensor or name == "float"
        assert name not in MOVING or found.data_ptr() != tensor.data_ptr() or found.device != tensor.device
