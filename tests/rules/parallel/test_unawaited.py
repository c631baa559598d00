"""Tensors that are read before a communication has written them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.sending import unsent_tensors
from rules.parallel.detectors.unawaited import unawaited_communications
from torchlint.model import Project

HEAD = "import torch\nimport torch.distributed as dist\ndef step(x, parts, rank, works):\n"


def found_in(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    file = Project(tmp_path).open(path, "main.py")
    return [f"{one.read.code} {one.read.line - 3}" for one in unawaited_communications(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("dist.irecv(x, 0)\nprint(x)", "x 2"),
        ("dist.irecv(tensor=x, src=0)\nreturn x", "x 2"),
        ("work = dist.irecv(x, 0)\ny = x + 1\nwork.wait()", "x 2"),
        ("work = dist.irecv(x, 0)\nreturn x", "x 2"),
        ("_ = dist.broadcast(x, 0, async_op=True)\ny = x + 1", "x 2"),
        ("dist.all_gather(parts, x, async_op=True)\ny = torch.cat(parts)", "parts 2"),
        ("dist.gather(x, parts, async_op=True)\ny = torch.cat(parts)", "parts 2"),
        ("dist.all_reduce(x, async_op=True)\nif rank == 0:\n    print(x.mean())", "x 3"),
        ("if rank == 0:\n    dist.irecv(x, 1)\n    print(x)", "x 3"),
        ("for src in range(2):\n    dist.irecv(x, src)\ny = x + 1", "x 3"),
    ],
)
def test_a_read_before_the_wait_is_found(tmp_path: Path, body: str, read: str) -> None:
    assert found_in(tmp_path, body) == [read]


@pytest.mark.parametrize(
    "body",
    [
        "dist.irecv(x, 0).wait()\nprint(x)",
        "work = dist.irecv(x, 0)\nwork.wait()\nprint(x)",
        "work = dist.irecv(x, 0)\nworks.append(work)\nprint(x)",
        "works.append(dist.irecv(x, 0))\nprint(x)",
        "return dist.irecv(x, 0), x",
        "dist.irecv(x, 0)\nprint(x.shape, x.numel())",
        "dist.irecv(x, 0)\nx = torch.ones(2)\nprint(x)",
        "dist.irecv(x, 0)\ndist.barrier()\nprint(x)",
        "dist.all_reduce(x, async_op=True)\ntorch.cuda.synchronize()\nprint(x)",
        "dist.isend(x, 0)\nprint(x)",
        "dist.all_gather(parts, x, async_op=True)\nprint(x)",
        "dist.all_reduce(x, async_op=rank == 0)\nprint(x)",
        "dist.all_reduce(x, async_op=False)\nprint(x)",
        "if rank == 0:\n    dist.irecv(x, 1)\nelse:\n    print(x)",
        "if rank == 0:\n    work = dist.irecv(x, 1)\nelse:\n    work = dist.isend(x, 0)\nwork.wait()\nprint(x)",
        "work = None\nfor _ in range(3):\n    if work is not None:\n        work.wait()\n    work = dist.irecv(x, 0)\nprint(1)",
        "work = dist.irecv(x, 0)\nif work is not None:\n    work.wait()\nprint(x)",
        "print(x)\ndist.irecv(x, 0)",
        "work = dist.irecv(x, 0)\ny = x\nwork.wait()\nprint(y)",
        "dist.irecv(x, 0)\nworks.append(x)",
        "dist.irecv(x, 0)\nreturn [x, rank]",
    ],
)
def test_what_is_waited_for_or_not_written_is_not(tmp_path: Path, body: str) -> None:
    assert found_in(tmp_path, body) == []


def sends_in(tmp_path: Path, body: str, backend: str = "gloo") -> list[str]:
    path = tmp_path / "main.py"
    start = f'dist.init_process_group("{backend}")\nstep(torch.ones(2), [], dist.get_rank(), [])\n'
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")) + start)
    file = Project(tmp_path).open(path, "main.py")
    return [
        "dropped" if one.changed is None else f"{one.changed.code} {one.changed.line - 3}"
        for one in unsent_tensors(file.evaluator(), file)
    ]


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("work = dist.isend(x, 1)\nx.zero_()\nwork.wait()", "x.zero_() 2"),
        ("work = dist.isend(x, 1)\nx += 1\nwork.wait()", "x 2"),
        ("work = dist.isend(tensor=x, dst=1)\nx[0] = 1\nwork.wait()", "x[0] 2"),
        ("dist.isend(x, 1)\nx.add_(1)", "x.add_(1) 2"),
        ("dist.isend(x, 1)", "dropped"),
        ("if rank == 0:\n    dist.isend(x, 1)\nelse:\n    x.zero_()", "dropped"),
        ("_ = dist.isend(x, 1)\nprint(x)", "dropped"),
    ],
)
def test_a_change_before_a_send_is_done_and_a_dropped_work_are_found(tmp_path: Path, body: str, changed: str) -> None:
    assert sends_in(tmp_path, body) == [changed]


@pytest.mark.parametrize(
    "body",
    [
        "work = dist.isend(x, 1)\nwork.wait()\nx.zero_()",
        "work = dist.isend(x, 1)\nx = torch.ones(2)\nx.zero_()\nwork.wait()",
        "work = dist.isend(x, 1)\ny = x.add(1)\nwork.wait()",
        "work = dist.isend(x.clone(), 1)\nx.zero_()\nwork.wait()",
        "dist.isend(x, 1).wait()\nx.zero_()",
        "work = dist.isend(x, 1)\nprint(work)\nx.add_(1)",
        "works.append(dist.isend(x, 1))\nx.zero_()",
        "dist.isend(x, 1)\ndist.barrier()",
        "x.zero_()\nwork = dist.isend(x, 1)\nwork.wait()",
        "dist.isend(x, 1, group=dist.new_group(backend='mpi'))",
        "work = None\nfor _ in range(3):\n    if work is not None:\n        work.wait()\n    x.zero_()\n    work = dist.isend(x, 1)",
    ],
)
def test_a_send_that_is_waited_for_or_of_another_tensor_is_not(tmp_path: Path, body: str) -> None:
    assert sends_in(tmp_path, body) == []


@pytest.mark.parametrize("backend", ["nccl", "mpi", "cpu:gloo,cuda:nccl"])
def test_a_dropped_work_is_not_reported_of_another_backend(tmp_path: Path, backend: str) -> None:
    assert sends_in(tmp_path, "dist.isend(x, 1)", backend) == []
