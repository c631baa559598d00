"""Collectives of a process group of NCCL that get a tensor on the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.literals import is_none
from torchlint.model.devices.operands import on_the_host, spread
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.gpu_groups import groups_of
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.distributed import COMMUNICATIONS, GPU_BACKENDS, SPACES

from ...device.detectors.premises import runs_by_default

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Possibility

_NAMES = frozenset(f"{space}{name}" for space in SPACES for name in COMMUNICATIONS)


@dataclass(frozen=True, slots=True)
class HostCollective:
    """A collective, the tensor on the host that it gets, and where the group was made."""

    call: Call
    tensor: Place
    made: Possibility
    group: Call

    @property
    def story(self) -> Iterator[Step]:
        """Yield the steps that lead to the error, after the one that assumes that the collective runs by default."""
        yield from runs_by_default(self.call.file.project.evaluator(WITH_CUDA), self.call)
        yield self.group.step("the process group of NCCL is created here")
        if self.made.origin is not None and self.made.origin.key != self.tensor.key:
            yield self.made.origin.step("created on the CPU here")


def host_collectives(ev: Evaluator, file: ParsedFile) -> Iterator[HostCollective]:
    """Yield the collectives of a file that raise because of a tensor on the host; `ev` has a GPU."""
    groups = groups_of(ev, file, GPU_BACKENDS) if not makes_elsewhere(ev, file) else ()
    for call in calls_of(file, _NAMES) if groups else ():
        if call.is_open or has_its_own_group(ev, call):
            continue
        for tensor in _tensors(ev, call):
            made = on_the_host(ev, tensor, of_any_shape=True)
            if made is not None and is_reachable(ev, call):
                yield HostCollective(call, tensor, made, groups[0])
                break


def has_its_own_group(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call may be for a group of its own, which may have another backend."""
    group = call.argument("group", COMMUNICATIONS[call.method].group_at)
    return group is not None and not is_none(ev.evaluate(group))


def _tensors(ev: Evaluator, call: Call) -> Iterator[Place]:
    """Yield the tensors that a collective sends and fills, also those in a list."""
    for position, name in enumerate(COMMUNICATIONS[call.method].tensors):
        argument = call.argument(name, position)
        if argument is not None:
            yield from _items(argument) or spread(ev, argument)


def _items(argument: Place) -> tuple[Place, ...]:
    """Return what a list comprehension puts into its list."""
    return (argument.at(argument.expression.elt),) if isinstance(argument.expression, ast.ListComp) else ()
