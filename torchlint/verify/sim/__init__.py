"""Simulated GPUs: real numbers and real autograd on the CPU, only the devices of tensors are made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# The compiler keeps tables of PyTorch's functions: they must be made before there are replacements.
import torch._dynamo  # noqa: F401

from torchlint.verify.sim import collectives, cuda, factories, libraries, parallel, reducing, saving, tensors
from torchlint.verify.sim.dispatch import Operations
from torchlint.verify.sim.machine import Machine
from torchlint.verify.sim.state import Simulation, started
from torchlint.verify.waitlog import WaitLog

__all__ = ["Simulation", "simulated_cuda"]


@contextmanager
def simulated_cuda(
    gpus: int = 1, *, races: bool = False, log: WaitLog | None = None, nccl: bool = True
) -> Iterator[Simulation]:
    """Simulate GPUs on this machine, and log what would make the host wait for them.

    With `races`, streams that access a tensor without waiting for each other raise. Without `nccl` there is no such
    backend, as on any machine without a GPU. On exit PyTorch is restored.
    """
    simulation = Simulation(Machine(gpus), log or WaitLog())
    with ExitStack() as stack:
        stack.enter_context(started(simulation))
        if races:
            from torchlint.verify.sim.races import RaceDetector

            simulation.detector = RaceDetector()
        for part in (tensors, factories, cuda, parallel, reducing, saving, libraries):
            part.install(stack)
        if nccl:
            collectives.install(stack)
        stack.enter_context(Operations(simulation))
        stack.enter_context(factories.Calls(simulation))
        yield simulation
