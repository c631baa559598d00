"""What a module does while it is made, and what it does once it was moved."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from tests.checkout import Checkout

MODULE = """\
    import torch
    from torch import nn
    class Codes(nn.Module):
        def __init__(self, bits):
            super().__init__()
            self.register_buffer("mask", 2 ** torch.arange(bits))
            self.scale = nn.Parameter(torch.ones(bits))
            {made}
        def prepare(self):
            codes = torch.arange(8)
            return codes * self.mask
        def _shape(self):
            return self.prepare().shape
        def forward(self, x):
            {called}
            return x * self.scale
    def main(device, x):
        return Codes(8).to(device)(x.to(device))
    """


@pytest.mark.parametrize("made", ["self.codes, self.wide = self.prepare(), self._shape()", "self.wide = self._shape()"])
def test_a_module_is_on_the_host_while_it_is_made(program: Callable[[str], Checkout], made: str) -> None:
    checkout = program(dedent(MODULE).format(made=made, called="pass"))

    assert checkout.reported("default-device-tensor") == []


@pytest.mark.parametrize("called", ["x = x + self.prepare()", "x = x + self._shape()[0]"])
def test_what_is_called_later_as_well_runs_where_the_module_is(program: Callable[[str], Checkout], called: str) -> None:
    checkout = program(dedent(MODULE).format(made="self.codes = self.prepare()", called=called))

    assert checkout.reported("default-device-tensor") == ["codes = torch.arange(8)"]


WHOLE = """\
    import torch
    from torch import nn
    class Body(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.stem = nn.Conv2d(channels, 8, 3)
        def width(self):
            x = torch.randn(1, 3, 32, 32)
            return self.stem(x).shape[1]
    class Network(nn.Module):
        def __init__(self, body):
            super().__init__()
            self.body = body
            self.head = nn.Linear(self.body.width(), 2)
        def forward(self, x):
            return self.head({called})
    def main(device, x):
        return Network(Body(3)).to(device)(x.to(device))
    """


@pytest.mark.parametrize(
    ("called", "reported"),
    [("self.body.stem(x).mean((2, 3))", []), ("x[:, :self.body.width()]", ["x = torch.randn(1, 3, 32, 32)"])],
)
def test_the_parts_of_what_is_made_are_on_the_host_too(
    program: Callable[[str], Checkout], called: str, reported: list[str]
) -> None:
    assert program(dedent(WHOLE).format(called=called)).reported("default-device-tensor") == reported


TIMED = """\
    import time, torch
    from torch import nn
    def height(voxels):
        start = time.time()
        top = torch.flip(voxels, [0]).max(dim=0)
        print(time.time() - start)
        return top
    class World(nn.Module):
        def __init__(self):
            super().__init__()
            {kept}
            {made}
        def forward(self, x):
            {called}
            return x
    World().to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    """
MADE = "self.heights = height(self.voxels)"
KEPT = [
    "self.register_buffer('voxels', torch.zeros(4, 4))",
    "self.register_buffer('voxels', tensor=torch.zeros(4, 4))",
    "self.voxels = nn.Parameter(torch.zeros(4, 4))",
]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(
    ("made", "called", "reported"),
    [(MADE, "pass", []), ("pass", "height(self.voxels)", ["print(time.time() - start)"])],
)
def test_what_moves_along_with_a_module_is_where_it_was_made_before_that(
    program: Callable[[str], Checkout], kept: str, made: str, called: str, reported: list[str]
) -> None:
    checkout = program(dedent(TIMED).format(kept=kept, made=made, called=called))

    assert checkout.reported("unsynchronized-timing") == reported


def test_a_buffer_that_is_made_on_the_device_is_there_at_once(program: Callable[[str], Checkout]) -> None:
    kept = "self.register_buffer('voxels', torch.zeros(4, 4, device='cuda'))"

    checkout = program(dedent(TIMED).format(kept=kept, made=MADE, called="pass"))

    assert checkout.reported("unsynchronized-timing") == ["print(time.time() - start)"]
