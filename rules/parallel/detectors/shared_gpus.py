"""Distributed modules that every rank puts on the same GPU, the first one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.devices.placement import Placement, moved_afterwards, placement
from torchlint.model.facts import fact_of_each_file
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.gpu_groups import groups_beside, sees_own_gpus
from torchlint.model.parallel.ranks import rank_test
from torchlint.model.place import Place
from torchlint.model.worlds import WITH_GPUS
from torchlint.pytorch.current_device import FIRST_GPU
from torchlint.pytorch.distributed import INIT_PROCESS_GROUP
from torchlint.pytorch.wrappers import WRAPPERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class SharedGpu:
    """A call that wraps a module on every rank, and where that is then: on the first GPU."""

    place: Call
    word: str
    actual: Placement
    group: Place
    """Where the process group is made."""


@fact_of_each_file
def shared_gpus(ev: Evaluator) -> dict[str, list[SharedGpu]]:
    """Return the wrapping calls of a project whose modules are on the first GPU on every rank, by file."""
    ev = ev.project.evaluator(WITH_GPUS)
    by_path: dict[str, list[SharedGpu]] = {}
    wrapped = list(_wrapping_calls(ev)) if ev.project.library.holding(_last(INIT_PROCESS_GROUP)) else []
    for call, word in wrapped:
        beside = groups_beside(ev, call.file)
        if not beside:
            continue
        # `if args.gpu is not None: … DDP(net, [args.gpu])`, and else one process for all GPUs, which has no rank.
        if any(other.scope is call.scope and exclude_each_other(other, call) for other, _ in wrapped):
            continue
        actual = _placement(ev, call)
        if actual is not None and actual.indices == {FIRST_GPU} and _is_every_ranks(ev, call):
            by_path.setdefault(call.path, []).append(SharedGpu(call, word, actual, beside[0]))
    return by_path


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _wrapping_calls(ev: Evaluator) -> Iterator[tuple[Call, str]]:
    """Yield the calls that wrap a module for one of several processes."""
    for name in [row.name for row in WRAPPERS.values() if row.divides_data]:
        for call in calls_anywhere(ev.project, _last(name)):
            if name in call.callee.names_in(ev.world) and (call.arguments or "module" in call.keywords):
                yield call, _last(name)


def _placement(ev: Evaluator, call: Call) -> Placement | None:
    """Return where the wrapped module is, None if it is moved afterwards, or by the wrapper."""
    module = call.argument("module", 0)
    is_sent = "device_id" in call.keywords or call.is_open or moved_afterwards(ev, call)[1]
    return None if module is None or is_sent else placement(ev, module)


def _is_every_ranks(ev: Evaluator, call: Call) -> bool:
    """Tell whether all ranks reach a call, and see the same GPUs there."""
    return is_reachable(ev, call) and rank_test(ev, call) is None and not ev.project.once(sees_own_gpus)
