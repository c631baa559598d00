"""Which programs take a second GPU for there, against PyTorch on a machine that pretends to have one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.verify import simulated_cuda

Program: TypeAlias = Callable[[str], Checkout]

HEAD = "import argparse\nimport torch\nfrom torch import nn\n"
ASSUMED = {
    "a choice": "device = 'cuda:1' if torch.cuda.is_available() else 'cpu'\ntorch.ones(2).to(device)",
    "a device": "torch.ones(2, device=torch.device('cuda:2' if torch.cuda.is_available() else 'cpu'))",
    "a branch": "if torch.cuda.is_available():\n    torch.ones(2, device='cuda:1')",
    "a count": "if torch.cuda.device_count() > 0:\n    torch.ones(2, device='cuda:3')",
    "an exit": "if not torch.cuda.is_available():\n    raise SystemExit\nnn.Linear(2, 2).to('cuda:1')",
    "a helper": """
        def device():
            return torch.device("cuda:1") if torch.cuda.is_available() else torch.device("cpu")
        torch.ones(2).to(device())
        """,
}
ASKED = {
    "counted": "if torch.cuda.device_count() > 1:\n    torch.ones(2, device='cuda:1')",
    "counted before": "if torch.cuda.device_count() < 2:\n    raise SystemExit\ntorch.ones(2, device='cuda:1')",
    "a choice": "device = 'cuda:1' if torch.cuda.device_count() >= 2 else 'cpu'\ntorch.ones(2).to(device)",
    "the first": "device = 'cuda:0' if torch.cuda.is_available() else 'cpu'\ntorch.ones(2).to(device)",
    "the current": "device = 'cuda' if torch.cuda.is_available() else 'cpu'\ntorch.ones(2).to(device)",
    "tried": """
        if torch.cuda.is_available():
            try:
                torch.ones(2, device="cuda:1")
            except RuntimeError:
                torch.ones(2, device="cuda:0")
        """,
    "chosen": """
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda:1" if torch.cuda.device_count() > 1 else "cpu")
        torch.ones(2).to(parser.parse_args([]).device)
        """,
    "known by its number": "number = torch.cuda.device_count() - 1\ntorch.ones(2, device=f'cuda:{number}')",
}


@pytest.mark.parametrize("name", ASSUMED)
def test_a_second_gpu_is_asked_for(program: Program, name: str) -> None:
    assert len(program(HEAD + dedent(ASSUMED[name])).findings("assumed-gpu")) == 1


@pytest.mark.parametrize("name", ASKED)
def test_what_asked_for_it_may_use_it(program: Program, name: str) -> None:
    assert program(HEAD + dedent(ASKED[name])).findings("assumed-gpu") == []


def test_what_is_prepared_for_no_other_machine_is_not_reported_twice(program: Program) -> None:
    checkout = program(HEAD + "torch.ones(2, device='cuda:1')\n")

    assert checkout.findings("assumed-gpu") == []
    assert len(checkout.findings("hardcoded-cuda")) == 1


@pytest.mark.parametrize("name", ASSUMED)
def test_a_machine_with_one_gpu_refuses_it(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=1), pytest.raises(RuntimeError, match="invalid device ordinal"):
        exec(HEAD + dedent(ASSUMED[name]), {"__name__": "program"})


@pytest.mark.parametrize("name", ASKED)
def test_a_machine_with_one_gpu_takes_it(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=1), suppress(SystemExit):
        exec(HEAD + dedent(ASKED[name]), {"__name__": "program"})
