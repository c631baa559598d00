"""What DistributedDataParallel waits for, and what it does without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchlint.pytorch.reducers import LEFT_OUT, TOLERANT, WITHOUT_REDUCTION

torch: Any = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def group(tmp_path: Path) -> Iterator[None]:
    torch.distributed.init_process_group("gloo", f"file://{tmp_path}/ranks", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


def with_an_unused_part() -> Any:
    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

        def forward(self, batch: Any) -> Any:
            return self.used(batch)

    return Network()


def train(wrapped: Any) -> None:
    for _ in range(2):
        wrapped(torch.ones(3, 2)).sum().backward()


def test_the_second_iteration_raises_for_a_part_without_gradients() -> None:
    wrapped = torch.nn.parallel.DistributedDataParallel(with_an_unused_part())

    with pytest.raises(RuntimeError, match="Expected to have finished reduction in the prior iteration"):
        train(wrapped)


@pytest.mark.parametrize("name", TOLERANT)
def test_with_these_it_does_not(name: str) -> None:
    train(torch.nn.parallel.DistributedDataParallel(with_an_unused_part(), **{name: True}))


@pytest.mark.parametrize(("name", "position"), TOLERANT.items())
def test_their_positions_are_those_of_the_signature(name: str, position: int) -> None:
    import inspect

    parameters = inspect.signature(torch.nn.parallel.DistributedDataParallel).parameters

    assert list(parameters).index(name) == position
    assert parameters[name].default is False


def test_what_is_left_out_is_not_waited_for() -> None:
    module = with_an_unused_part()
    setattr(module, LEFT_OUT, ["unused.weight", "unused.bias"])

    train(torch.nn.parallel.DistributedDataParallel(module))


def test_frozen_parameters_are_not_waited_for() -> None:
    module = with_an_unused_part()
    module.unused.requires_grad_(False)

    train(torch.nn.parallel.DistributedDataParallel(module))


def reductions(wrapped: Any) -> list[Any]:
    buckets: list[Any] = []

    def reduce(_: None, bucket: Any) -> Any:
        buckets.append(bucket)
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    # PyTorch compares annotations with its own types, and these are strings here.
    reduce.__annotations__.clear()
    wrapped.register_comm_hook(None, reduce)
    return buckets


def test_every_backward_reduces_unless_one_of_these_says_otherwise() -> None:
    wrapped = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))
    buckets = reductions(wrapped)
    train(wrapped)
    assert len(buckets) == 2
    context, attribute = WITHOUT_REDUCTION

    with getattr(wrapped, context)():
        train(wrapped)
    setattr(wrapped, attribute, False)
    train(wrapped)

    assert len(buckets) == 2
