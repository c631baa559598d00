"""What returns a new tensor or a view and changes nothing, asked of PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchlint.pytorch.pure import CHANGING_TWINS, INPLACE_POSITION, PURE, PURE_FUNCTIONS

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

# The arguments of functions that need more than one tensor.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "group_norm": (torch.rand(1, 2, 4), 2),
    "interpolate": (torch.rand(1, 2, 4), 2),
    "layer_norm": (torch.rand(2, 4), (4,)),
    "one_hot": (torch.tensor([0, 1]),),
    "pad": (torch.rand(4), (1, 1)),
    **dict.fromkeys(("log_softmax", "softmax", "softmin"), (torch.rand(2, 3), -1)),
}


def schemas_of(name: str) -> list[Any]:
    """Return the signatures of an operation that take a tensor first and no `out`."""
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    return [one for one in schemas if str(one.arguments[0].type).startswith("Tensor") and not outs(one)]


def outs(schema: Any) -> bool:
    return any(argument.is_out for argument in schema.arguments)


def is_pure(schema: Any) -> bool:
    """Tell whether an operation writes to none of its arguments, and has something to return."""
    writes = any(one.alias_info is not None and one.alias_info.is_write for one in schema.arguments)
    return not writes and bool(schema.returns)


@pytest.mark.parametrize("name", sorted(PURE))
def test_a_pure_method_writes_to_nothing(name: str) -> None:
    schemas = schemas_of(name)

    assert hasattr(torch.Tensor, name)
    assert schemas
    assert all(map(is_pure, schemas))


def test_a_changing_twin_writes_to_its_tensor() -> None:
    assert {name for name in PURE if hasattr(torch.Tensor, f"{name}_")} == CHANGING_TWINS
    for name in CHANGING_TWINS:
        schemas = schemas_of(f"{name}_")
        assert schemas
        assert all(one.arguments[0].alias_info.is_write for one in schemas)


@pytest.mark.parametrize("name", sorted(PURE_FUNCTIONS))
def test_a_pure_function_leaves_its_arguments_as_they_were(name: str) -> None:
    last = name.rpartition(".")[2]
    arguments = _ARGUMENTS.get(last, (torch.rand(1, 2, 4, 4),))
    tensors = [one for one in arguments if isinstance(one, torch.Tensor)]

    result = getattr(torch.nn.functional, last)(*arguments)

    assert all(one._version == 0 for one in tensors)
    assert all(result is not one for one in tensors)


def test_inplace_stands_where_the_table_says() -> None:
    functions = {name: getattr(torch.nn.functional, name.rpartition(".")[2]) for name in PURE_FUNCTIONS}
    parameters = {name: signature_of(function) for name, function in functions.items()}

    assert {
        name: found.index("inplace") for name, found in parameters.items() if "inplace" in found
    } == INPLACE_POSITION


def signature_of(function: Any) -> list[str]:
    """Return the names of the parameters of a function, none where it is written in C++."""
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        return []
