"""What inherits from `nn.Module`, and is used as one or not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

SERVER = """\
import torch
from torch import nn

class Server(nn.Module):
    def __init__(self):
        super().__init__()
        self.clients = []
        for _ in range(3):
            self.clients.append(nn.Linear(2, 2))
{method}

server = Server()
{use}
"""
RULE = "unregistered-module"
USED = {
    "it is called": ("    def forward(self, x):\n        return self.clients[0](x)\n", "server(torch.ones(2))"),
    "it is moved": ("", "server.to('cuda')"),
    "its parameters are optimized": ("", "torch.optim.SGD(server.parameters(), lr=1)"),
    "it is saved": ("", "torch.save(server.state_dict(), 'a.pt')"),
    "it asks itself": ("    def count(self):\n        return len(list(self.parameters()))\n", "server.count()"),
    "a class below is called": ("", "class Other(Server):\n    def forward(self, x):\n        return x\n"),
}


@pytest.mark.parametrize(("method", "use"), USED.values(), ids=USED)
def test_what_is_used_as_a_module_misses_its_parts(program: Callable[[str], Checkout], method: str, use: str) -> None:
    (found,) = program(SERVER.format(method=method, use=use)).findings(RULE)

    assert found.severity.value == "error"


def test_what_only_inherits_from_module_may_miss_nothing(program: Callable[[str], Checkout]) -> None:
    run = "    def run(self):\n        return [one.weight for one in self.clients]\n"
    (found,) = program(SERVER.format(method=run, use="server.run()")).findings(RULE)

    assert (found.severity.value, found.confidence.value) == ("warning", "medium")
