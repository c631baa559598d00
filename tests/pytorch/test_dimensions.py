"""How many dimensions results have, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.dimensions import (
    ALWAYS_SHAPED,
    KEEPING_DIMENSIONS,
    OF_ALL,
    REDUCING,
    SHAPING,
    SIZED,
    SIZED_METHODS,
    WITH_INDICES,
)

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

_SCALAR, _VECTOR, _MATRIX = torch.tensor(2.0), torch.ones(3), torch.rand(4, 4)
_GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys("linspace logspace".split(), (0, 1, 3)),
    **dict.fromkeys("tril_indices triu_indices".split(), (3, 3)),
    **dict.fromkeys("stack hstack vstack dstack block_diag".split(), ([_SCALAR, _SCALAR],)),
    **dict.fromkeys("cat concat".split(), ([_VECTOR, _VECTOR],)),
    **dict.fromkeys("cartesian_prod meshgrid".split(), (_VECTOR, _VECTOR)),
    **dict.fromkeys("combinations diag".split(), (_VECTOR,)),
    "block_diag": (_SCALAR, _SCALAR),
    "atleast_1d": (_SCALAR,),
    "bincount": (torch.tensor([0, 1]),),
    "range": (0, 3),
}


@pytest.mark.filterwarnings("ignore:torch.range", "ignore:torch.meshgrid")
@pytest.mark.parametrize("name", sorted(ALWAYS_SHAPED))
def test_a_result_has_a_dimension(name: str) -> None:
    last = name.rpartition(".")[2]
    if last == "from_numpy":
        np: Any = pytest.importorskip("numpy")
        found = torch.from_numpy(np.ones(2))
    else:
        found = getattr(torch, last)(*_GIVEN.get(last, (3,)))

    parts = found if isinstance(found, tuple) else (found,)
    assert all(part.dim() for part in parts)


_LOSSES = {name for name in REDUCING if hasattr(torch.nn.functional, name) and not hasattr(torch.Tensor, name)}
_REDUCED: dict[str, Any] = {
    "dist": lambda x: x.dist(x),
    "dot": lambda x: x[0].dot(x[0]),
    "item": lambda x: x[0, 0].item(),
    "logsumexp": lambda x: x.logsumexp((0, 1)),
    "quantile": lambda x: x.quantile(0.5),
    "squeeze": lambda x: x[:1, :1].squeeze(),
    **dict.fromkeys(("amax", "amin"), None),
}


@pytest.mark.parametrize("name", sorted(OF_ALL))
def test_a_method_that_is_passed_nothing_leaves_no_dimension(name: str) -> None:
    assert getattr(_MATRIX, name)().dim() == 0


@pytest.mark.parametrize("name", sorted(REDUCING - _LOSSES))
def test_a_reduction_leaves_no_dimension(name: str) -> None:
    reduce = _REDUCED.get(name) or (lambda x: getattr(x, name)())
    found = reduce(_MATRIX)

    assert not isinstance(found, torch.Tensor) or found.dim() == 0


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", sorted(_LOSSES))
def test_a_loss_is_reduced(name: str) -> None:
    target = torch.tensor([0, 1, 2, 3]) if name == "nll_loss" else _MATRIX

    assert getattr(torch.nn.functional, name)(_MATRIX, target).dim() == 0


@pytest.mark.parametrize("name", sorted(SHAPING))
def test_a_scalar_is_given_a_dimension(name: str) -> None:
    given = () if name in {"flatten", "tolist"} else ((0,) if name == "unsqueeze" else (1,))
    found = getattr(torch.ones(1) if name == "tolist" else _SCALAR, name)(*given)

    assert isinstance(found, list) or found.dim() == 1


@pytest.mark.parametrize("name", sorted(WITH_INDICES))
def test_values_come_with_their_indices(name: str) -> None:
    given = (1, 0) if name in {"kthvalue", "topk"} else (0,)
    values, indices = getattr(_MATRIX, name)(*given)

    assert torch.equal(_MATRIX.gather(0, indices.reshape(-1, 4)), values.reshape(-1, 4))


@pytest.mark.parametrize("name", sorted(SIZED_METHODS))
def test_a_method_is_passed_sizes(name: str) -> None:
    given = {"expand": (2, 4, 4), "repeat": (2, 1), "unflatten": (0, (2, 2))}.get(name, (2, 8))

    assert 2 in {*getattr(_MATRIX, name)(*given).shape} | ({2} if name == "repeat" else set())


@pytest.mark.parametrize("name", sorted(SIZED))
def test_a_function_is_passed_sizes(name: str) -> None:
    function = getattr(torch, name)

    assert function(2, 3).shape == function((2, 3)).shape == (2, 3)


@pytest.mark.parametrize("name", sorted(KEEPING_DIMENSIONS))
def test_what_keeps_dimensions_is_indexed_as_the_tensor_is(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda():
        row, scalar = getattr(torch.ones(1), name)(), getattr(torch.ones(()), name)()

        assert row[0] == 1
        with pytest.raises((IndexError, TypeError)):
            scalar[0]


@pytest.mark.parametrize("data", [[], [1], [[1, 2]]])
def test_a_legacy_class_makes_a_tensor_with_dimensions_of_a_list(data: list[object]) -> None:
    assert torch.LongTensor(data).dim()
    assert torch.FloatTensor(data).dim()
