"""What PyTorch says where a process is alone, and where a backend finds no GPU."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.distributed import (
    ALONE,
    ASYNC_OP,
    ASYNCHRONOUS,
    COLLECTIVES,
    COMMUNICATIONS,
    GPU_BACKENDS,
    RANKS,
    SENDING_WHILE_KEPT,
    SUMMING,
)

torch = pytest.importorskip("torch")


@pytest.mark.skipif(torch.cuda.is_available(), reason="it is about machines without a GPU")
@pytest.mark.parametrize("backend", sorted(GPU_BACKENDS))
def test_a_backend_for_gpus_refuses_a_machine_that_has_none(backend: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match="NCCL"):
        torch.distributed.init_process_group(backend, store=torch.distributed.HashStore(), rank=0, world_size=1)


def test_a_process_that_was_not_launched_is_alone() -> None:
    with_group = {"torch.distributed.get_world_size", "torch.distributed.get_rank"}

    assert {name: named(name)() for name in ALONE if name not in with_group} == {
        name: answer for name, answer in ALONE.items() if name not in with_group
    }
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        assert {name: named(name)() for name in with_group} == {name: ALONE[name] for name in with_group}
    finally:
        torch.distributed.destroy_process_group()


def test_ranks_and_collectives_are_functions() -> None:
    assert [name for name in RANKS if name.startswith("torch.") and not callable(named(name))] == []
    assert [name for name in COLLECTIVES if not callable(named(f"torch.distributed.{name}"))] == []


@pytest.mark.parametrize("name", COMMUNICATIONS)
def test_a_group_for_gpus_takes_no_tensor_on_the_cpu(name: str) -> None:
    function, row, tensor = named(f"torch.distributed.{name}"), COMMUNICATIONS[name], torch.ones(2)
    parameters = list(inspect.signature(function).parameters)
    assert (tuple(parameters[: len(row.tensors)]), parameters[row.group_at]) == (row.tensors, "group")
    given = {one: [tensor] if one.endswith("list") else tensor for one in row.tensors}
    others = {one: int(name.endswith(("send", "recv"))) for one in ("src", "dst") if one in parameters}

    torch.distributed.init_process_group("cuda:gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="No backend type associated with device type cpu"):
            function(**given, **others)
    finally:
        torch.distributed.destroy_process_group()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUMMING)
def test_the_sum_of_all_processes_is_in_the_tensor_itself(name: str) -> None:
    tensor = torch.ones(2)
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        given = {"reduce": (tensor, 0), "all_reduce_coalesced": ([tensor],)}.get(name, (tensor,))
        getattr(torch.distributed, name)(*given)
    finally:
        torch.distributed.destroy_process_group()

    assert tensor.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", [name for name, row in COMMUNICATIONS.items() if row.written_at is not None])
def test_what_is_written_is_where_the_row_says(name: str) -> None:
    if name == "recv" or name in ASYNCHRONOUS:
        pytest.skip("a process does not send to itself; the fixtures of `unawaited-communication` show it")
    function, row, tensor = named(f"torch.distributed.{name}"), COMMUNICATIONS[name], torch.ones(2)
    empty = torch.zeros(2)
    given: dict[str, Any] = {one: [tensor] if one.endswith("list") else tensor for one in row.tensors}
    written = row.tensors[row.written_at or 0]
    given[written] = [empty] if written.endswith("list") else empty
    parameters = inspect.signature(function).parameters
    others = {one: 0 for one in ("src", "dst") if one in parameters}

    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        work = function(**given, **others, **{ASYNC_OP: True})
        work.wait()
    finally:
        torch.distributed.destroy_process_group()

    # The tensor of a process alone is the result; where there is but one tensor, that is both.
    assert empty.tolist() == ([0.0, 0.0] if len(row.tensors) == 1 else [1.0, 1.0])


@pytest.mark.parametrize("keeps", [True, False])
def test_gloo_sends_nothing_once_the_work_is_freed(keeps: bool) -> None:
    assert {"gloo"} == SENDING_WHILE_KEPT
    store, brief = torch.distributed.HashStore(), timedelta(seconds=1)
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda rank: torch.distributed.ProcessGroupGloo(store, rank, 2, brief), range(2))
        first, second = made
    received = torch.zeros(2)

    work = first.send([torch.ones(2)], 1, 0)
    if keeps:
        second.recv([received], 0, 0).wait()
        work.wait()
    else:
        del work
        with pytest.raises(RuntimeError, match="Timed out"):
            second.recv([received], 0, 0).wait()
    assert received.tolist() == [float(keeps)] * 2
