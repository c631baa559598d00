"""What is read from bytes is what the project writes into bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Tensor, Unknown, Value

Program: TypeAlias = Callable[[str], Checkout]

_SENT = """\
import io
import torch
from elsewhere import rows, queue, anything
def pack(row):
    buffer = io.BytesIO()
    torch.save({sent}, buffer)
    return buffer.getvalue()
def receive():
    source = io.BytesIO(queue.get())
    return {load}
for row in rows:
    queue.put(pack(row))
print(receive())
"""
_PLAIN = "torch.load(source)"
ON_HOST, OPEN = Tensor(HOST, False), Unknown()
LOADED: dict[str, tuple[str, str, Value]] = {
    "moved to the host": ("row.to('cpu')", _PLAIN, ON_HOST),
    "brought to the host": ("row.detach().cpu()", "torch.load(io.BytesIO(queue.get()), weights_only=True)", ON_HOST),
    "made on the host": ("torch.zeros(3)", _PLAIN, ON_HOST),
    "loaded to the host": ("torch.zeros(3, device='cuda')", "torch.load(source, map_location='cpu')", ON_HOST),
    "on the GPU": ("torch.zeros(3, device='cuda')", _PLAIN, OPEN),
    "anything": ("anything(row)", _PLAIN, OPEN),
    "anything, to the host": ("anything(row)", "torch.load(source, map_location='cpu')", OPEN),
    "loaded to the GPU": ("row.cpu()", "torch.load(source, map_location='cuda')", OPEN),
    "from a file": ("row.cpu()", "torch.load('rows.pt')", OPEN),
}


@pytest.mark.parametrize(("sent", "load", "expected"), LOADED.values(), ids=LOADED)
def test_bytes_hold_what_is_written_into_bytes(program: Program, sent: str, load: str, expected: Value) -> None:
    assert program(_SENT.format(sent=sent, load=load)).values("receive()") == [expected]


def test_what_is_sent_in_another_way_as_well_is_unknown(program: Program) -> None:
    code = _SENT.format(sent="row.cpu()", load=_PLAIN)
    more = "def more(net):\n    buffer = io.BytesIO()\n    torch.save(net, buffer)\n"

    assert program(code + more).values("receive()") == [OPEN]


def test_what_shares_the_memory_of_bytes_is_on_the_host(program: Program) -> None:
    code = "import torch\ntorch.set_default_device('cuda')\nx = torch.frombuffer(bytearray(8), dtype=torch.uint8)\nprint(x)\n"

    assert program(code).values("x") == [ON_HOST]


_TESTED = """\
def broken(actions):
    return bool(torch.isnan(actions).any())
net = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for row in rows:
    actions = receive()
    if torch.isnan(actions).any():
        continue
    net(actions.cuda()).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("sent", "count"), [("row.cpu()", 0), ("torch.zeros(3, device='cuda')", 1)])
def test_a_test_of_what_is_read_from_bytes_waits_for_what_is_on_a_gpu(program: Program, sent: str, count: int) -> None:
    code = _SENT.format(sent=sent, load=_PLAIN) + _TESTED

    assert len(program(code).reported("tensor-branch-in-training-loop")) == count
