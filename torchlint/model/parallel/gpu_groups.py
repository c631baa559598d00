"""Process groups of several ranks that need a GPU each: what makes them, and which code all of their ranks run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import imports, may_share_program
from torchlint.model.call_graph.leading import all_leading_to
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.devices.visible import VARIABLE
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.rank_doubts import may_depend_on_rank
from torchlint.model.values.value_sets import Imported, Literal
from torchlint.model.worlds import BY_DEFAULT, WITH_GPUS
from torchlint.pytorch.distributed import GPU_BACKENDS, INIT_PROCESS_GROUP

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

# A process that is launched by these may see a GPU of its own, whatever the program does.
_LAUNCHERS = re.compile(
    r"\b(SLURM_\w+|OMPI_\w+|ray|horovod|deepspeed|accelerate|lightning|pytorch_lightning|composer)\b"
)
_ALONE = (Literal(0), Literal(1))
_NAME = INIT_PROCESS_GROUP.rpartition(".")[2]


def groups_beside(ev: Evaluator, file: ParsedFile) -> tuple[Call, ...]:
    """Return the groups that may be in a program with a file, none if one may have no GPU for each of its ranks."""
    beside = _beside(ev, file)
    return beside if all(_may_have_several_ranks(group) for group in beside) else ()


def groups_of(ev: Evaluator, file: ParsedFile, backends: frozenset[str]) -> tuple[Call, ...]:
    """Return the groups that may be in a program with a file, none if one may have another backend than these."""
    beside = _beside(ev, file)
    return beside if all(_is_of(group, backends) for group in beside) else ()


def _beside(ev: Evaluator, file: ParsedFile) -> tuple[Call, ...]:
    return tuple(group for group in ev.project.once(_groups) if may_share_program(ev, group.file, file))


def is_every_ranks(ev: Evaluator, place: Place) -> bool:
    """Tell whether all ranks of a program reach a place, each with a GPU of its own, and all of them see these."""
    groups = groups_beside(ev, place.file)
    if not groups or may_depend_on_rank(ev, place) or ev.project.once(sees_own_gpus):
        return False
    files = dict.fromkeys(group.file for group in groups)
    # What makes a group, or imports that, leads to the place.
    leading = all_leading_to(ev, place)
    return any(imports(ev, one.file.location, made_in) for one in leading for made_in in files)


def sees_own_gpus(ev: Evaluator) -> bool:
    """Tell whether a project may give each rank GPUs of its own: by the variable, or a launcher that does."""
    if ev.project.library.holding(VARIABLE):
        return True
    files = (ev.project.parsed(path) for path in ev.project.library.holding(_NAME))
    return any(file is not None and _LAUNCHERS.search(file.code) for file in files)


def _groups(ev: Evaluator) -> tuple[Call, ...]:
    world = WITH_GPUS
    return tuple(
        call for call in calls_anywhere(ev.project, _NAME) if INIT_PROCESS_GROUP in call.callee.names_in(world)
    )


def _may_have_several_ranks(group: Call) -> bool:
    """Tell whether a group may have several ranks, by a backend that needs a GPU for each."""
    ev = group.file.project.evaluator(WITH_GPUS)
    size, backend = group.argument("world_size", 3), group.argument("backend", 0)
    if size is not None and any(one.value in _ALONE for one in ev.evaluate(size)):
        return False
    if group.is_open or "device_id" in group.keywords or not is_reachable(ev, group):
        return False
    possible = ev.evaluate(backend) if backend is not None else ()
    return backend is None or any(_wants_gpu(one.value) for one in possible)


def _is_of(group: Call, backends: frozenset[str]) -> bool:
    """Tell whether a group certainly has one of some backends, with the defaults of all options."""
    backend = group.argument("backend", 0)
    values = [one.value for one in group.file.project.evaluator(BY_DEFAULT).evaluate(backend)] if backend else []
    names = [one.value.lower() for one in values if isinstance(one, Literal) and isinstance(one.value, str)]
    return bool(names) and len(names) == len(values) and set(names) <= backends


def _wants_gpu(value: object) -> bool:
    match value:
        case Literal(value=str(name)):
            # Several by device: "cpu:gloo,cuda:nccl".
            return any(part.rpartition(":")[2].lower() in GPU_BACKENDS for part in name.split(","))
        case Literal(value=None):
            return True
        case Imported(name=name):
            return name.rpartition(".")[2].lower() in GPU_BACKENDS
        case _:
            return False
