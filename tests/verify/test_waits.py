from __future__ import annotations

import math
import warnings

import pytest

pytest.importorskip("torch", reason="the table is held against a simulated GPU")

from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from torchlint.pytorch.waits import FACTS, Fact, Kind, Source
from torchlint.verify import simulated_cuda
from torchlint.verify.installed import installed_torch


def grads(net: nn.Module) -> list[nn.Parameter]:
    net(torch.rand(8, device="cuda")).sum().backward()
    return list(net.parameters())


def optimizer(net: nn.Module, kind: Callable[..., torch.optim.Optimizer]) -> torch.optim.Optimizer:
    made = kind(net.parameters(), lr=0.01)
    grads(net)
    made.step()
    return made


def scaled(net: nn.Module) -> tuple[torch.amp.GradScaler, torch.optim.Optimizer]:
    scaler = torch.amp.GradScaler("cuda")
    scaler.scale(torch.ones((), device="cuda"))
    made = torch.optim.SGD(net.parameters(), lr=0.01)
    grads(net)
    return scaler, made


def plateau(net: nn.Module) -> torch.optim.lr_scheduler.ReduceLROnPlateau:
    return torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD(net.parameters(), lr=0.1))


def vocabulary() -> dict[str, object]:
    generator = torch.Generator().manual_seed(0)
    return {
        "torch": torch,
        "nn": nn,
        "F": functional,
        "np": np,
        "math": math,
        "device": torch.device("cuda"),
        "x": (torch.rand(8, generator=generator) + 0.1).cuda(),
        "y": torch.rand((), generator=generator).cuda(),
        "i": torch.tensor(1).cuda(),
        "ind": torch.randint(8, (3,), generator=generator).cuda(),
        "ind4": torch.randint(4, (4,), generator=generator).cuda(),
        "ind8": torch.full((8,), 2).cuda(),
        "mask": (torch.arange(8) % 2 == 0).cuda(),
        "m": (torch.rand(4, 4, generator=generator) + 4 * torch.eye(4)).cuda(),
        "p": torch.rand(8, generator=generator).cuda().requires_grad_(),
        "host": torch.rand(8, generator=generator),
        "ind_cpu": torch.tensor([1, 2, 3]),
        "mask_cpu": torch.arange(8) % 2 == 0,
        "pinned": torch.rand(8).pin_memory(),
        "net": nn.Linear(8, 8).cuda(),
        "grads": grads,
        "optimizer": optimizer,
        "scaled": scaled,
        "plateau": plateau,
        "clip_": nn.utils.clip_grad_norm_,
    }


def simulated(fact: Fact) -> tuple[int, set[Kind]]:
    """Run the example of a fact, and return how often it waits, and why."""
    with simulated_cuda() as simulation, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = vocabulary()
        exec(fact.given, names)
        simulation.log.waits.clear()
        exec(fact.example, names)
    return simulation.log.total, {wait.kind for wait in simulation.log.waits}


NEWER = {"torch.optim.Adafactor.step"} if not hasattr(torch.optim, "Adafactor") else set()
KNOWN = [fact for fact in FACTS if fact.source not in {Source.PROFILER, Source.OPEN} and fact.call not in NEWER]


TEXTS = {"print", "str.format"}


@pytest.mark.parametrize("fact", KNOWN, ids=lambda fact: fact.example)
def test_the_simulator_waits_as_the_table_says(fact: Fact) -> None:
    waits, kinds = simulated(fact)

    assert waits == 0 or fact.kind in kinds
    if fact.call in TEXTS and installed_torch().numbers < (2, 11):
        # Older versions ask less often for the text of a tensor, but ask they do.
        assert bool(waits) == bool(fact.waits)
    else:
        assert waits == fact.waits


@pytest.mark.parametrize("fact", [fact for fact in FACTS if fact.source is Source.PROFILER], ids=lambda fact: fact.call)
def test_the_blind_spots_of_the_simulator_are_known(fact: Fact) -> None:
    """Were one of them seen one day, the table could say so."""
    waits, _ = simulated(fact)

    assert waits == 0


@pytest.mark.parametrize("fact", [fact for fact in FACTS if fact.source is Source.OPEN], ids=lambda fact: fact.call)
def test_what_is_not_settled_can_be_run_on_a_gpu(fact: Fact) -> None:
    simulated(fact)


def test_the_table_says_nothing_twice() -> None:
    examples = [(fact.given, fact.example) for fact in FACTS]

    assert len(set(examples)) == len(examples)
