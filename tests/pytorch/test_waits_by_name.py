"""What waits for the GPU by its name alone, and what gives it nothing to do, asked of the simulated GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from torchlint.pytorch.waits import SIZED_BY_DATA, WAITING_METHODS, WITHOUT_WORK

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


@pytest.mark.parametrize("name", sorted(SIZED_BY_DATA))
def test_the_size_is_that_of_the_data(name: str) -> None:
    def size(data: list[float]) -> object:
        x = torch.tensor(data)
        found = getattr(torch, name)(*((x, x > 0) if name == "masked_select" else (x,)))
        return (found[0] if isinstance(found, tuple) else found).shape

    assert size([0.0, 1.0, 2.0]) != size([0.0, 0.0, 0.0])


@pytest.mark.parametrize("name", sorted(WAITING_METHODS - {"all_reduce", "barrier", "wait", "elapsed_time", "numpy"}))
def test_the_host_waits(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda() as simulation:
        x = torch.ones(1, device="cuda")
        before = simulation.log.total
        other = {"argwhere": torch.argwhere, "synchronize": lambda _: torch.cuda.synchronize()}.get(name)
        if other is not None:
            other(x)
        else:
            getattr(x, name)(*((x > 0,) if name == "masked_select" else ()))

        assert simulation.log.total > before


def test_an_array_of_a_tensor_on_the_gpu_is_refused_so_that_who_asks_for_one_has_copied_it() -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda(), pytest.raises(TypeError, match="can't convert cuda"):
        torch.ones(1, device="cuda").numpy()


@pytest.mark.parametrize("name", ["all_reduce", "barrier"])
def test_a_collective_returns_after_the_others_have_come(name: str) -> None:
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        given = (torch.ones(1),) if name == "all_reduce" else ()
        assert getattr(torch.distributed, name)(*given) is None
        work = getattr(torch.distributed, name)(*given, async_op=True)
        assert callable(work.wait)
        work.wait()
    finally:
        torch.distributed.destroy_process_group()
    assert callable(torch.cuda.Event.elapsed_time)


@pytest.mark.parametrize("name", sorted(WITHOUT_WORK))
def test_the_gpu_has_nothing_to_do(name: str) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    run: list[str] = []

    class Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            run.append(str(function))
            return function(*args, **(kwargs or {}))

    module, tensor = torch.nn.Linear(2, 2), torch.ones(2)
    module(tensor).sum().backward()
    calls: dict[str, Callable[[], object]] = {
        "detach": tensor.detach,
        "manual_seed": lambda: torch.manual_seed(0),
        "seed": torch.seed,
    }
    with Counting():  # type: ignore[no-untyped-call]
        (calls.get(name) or getattr(module, name))()

    assert not [operation for operation in run if not operation.startswith("aten.detach")]
