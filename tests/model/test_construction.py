"""What a module does while it is made, and what it does once it was moved."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from tests.model.checkout import Checkout

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
