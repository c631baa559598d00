"""Programs that set the default device of new tensors, and what draws random order from a generator on the CPU there.

A script that is started runs what it imports: what it sets holds for these files, and not for those of others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import imports, may_import_any, may_share_program, programs_with
from torchlint.model.call_graph.one_run import may_be_in_one_run
from torchlint.model.calls import Call, calls_anywhere, calls_of
from torchlint.model.devices.host_programs import runs_on_host
from torchlint.model.devices.literals import devices_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.values.def_use import every_use_of
from torchlint.model.values.value_sets import Function, Imported, Literal
from torchlint.pytorch.device_arguments import DEFAULT_SETTERS
from torchlint.pytorch.factories import legacy_device
from torchlint.pytorch.samplers import GENERATOR_AT
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.around import dominating_conditions, loops_around
from torchlint.syntax.last_names import root_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_ELSEWHERE = ("set_default_device(", "set_default_tensor_type(", "with torch.device(", "_C._set_default")


def makes_elsewhere(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether the default device of programs with a file is unknown, or only the host is known at all."""
    if runs_on_host(ev, file):
        return True
    choosing = dict.fromkeys(path for text in _ELSEWHERE for path in ev.project.library.holding(text))
    files = (ev.project.parsed(path) for path in choosing)
    return any(one is None or may_share_program(ev, one, file) for one in files)


def may_be_default(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether what a file makes may be on another device than the host: a program with it sets the default."""
    return any(imports(ev, program, file) for program in ev.project.once(_programs_elsewhere))


def _programs_elsewhere(ev: Evaluator) -> frozenset[Path]:
    """Return the files that set a default device, possibly the host, when they are started.

    What they call is read from their text: the evaluator needs the answer to say where a tensor is made.
    """
    calls = (call for name in DEFAULT_SETTERS for call in calls_anywhere(ev.project, name.rpartition(".")[2]))
    found = (_programs_with(ev, call) for call in calls if _is_of_torch(call) and not _means_host(call))
    return frozenset(program for programs in found for program in programs)


def _is_of_torch(call: Call) -> bool:
    root = root_of(call.callee.expression)
    bindings = call.file.index.scope.bindings.get(root.id, ()) if isinstance(root, ast.Name) else ()
    return any(one.imported is not None and one.imported.module.startswith("torch") for one in bindings)


def _means_host(call: Call) -> bool:
    """Tell whether `"cpu"`, None or a type of the CPU is chosen: `torch.DoubleTensor`."""
    chosen = [*call.arguments, *call.keywords.values()][:1]
    text = chosen[0].code.strip("'\"") if chosen else "None"
    return text in {"None", "cpu"} or legacy_device(text) == "cpu"


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A call that shuffles with a generator on the CPU, and the call that made the GPU the default device."""

    call: Call
    chosen: Call


def shuffles_on_host(ev: Evaluator, file: ParsedFile) -> Iterator[Shuffle]:
    """Yield where a file shuffles on the CPU what a default device puts on the GPU, in source order."""
    choices = ev.project.once(_choices)
    for call in calls_of(file, frozenset(GENERATOR_AT)) if any(choice.is_cuda for choice in choices) else ():
        name = min(call.callee.names & GENERATOR_AT.keys())
        if call.is_open or call.argument("generator", GENERATOR_AT[name]) is not None:
            continue
        if (name != LOADER or _is_shuffled(call)) and (chosen := _chosen(ev, call, choices)) is not None:
            yield Shuffle(call, chosen)


def _is_shuffled(call: Call) -> bool:
    shuffle = call.argument("shuffle", 2)
    return shuffle is not None and shuffle.literals == (True,)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A call that chooses where new tensors are made."""

    call: Call
    is_cuda: bool


def _choices(ev: Evaluator) -> tuple[_Choice, ...]:
    library = ev.project.library
    paths = dict.fromkeys(path for name in DEFAULT_SETTERS for path in library.holding(name.rpartition(".")[2]))
    files = [other for path in paths if (other := ev.project.parsed(path)) is not None]
    setters = frozenset(DEFAULT_SETTERS)
    return tuple(
        _Choice(call, _means_cuda(ev, call) and _may_run(ev, call))
        for other in files
        for call in calls_of(other, setters)
    )


def _may_run(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call is outside of functions, or in one that is known to be called."""
    return call.scope.kind != "function" or bool(ev.callers(Function(call.file, call.scope)))


def _chosen(ev: Evaluator, shuffle: Call, choices: tuple[_Choice, ...]) -> Call | None:
    """Return the call that makes the GPU the default in the program of another one, if none there undoes it."""
    for choice in choices:
        programs = _programs_with_both(ev, choice.call, shuffle) if choice.is_cuda else frozenset()
        others = [one.call for one in choices if not one.is_cuda and not exclude_each_other(one.call, choice.call)]
        if not programs or not may_be_in_one_run(ev, choice.call, shuffle):
            continue
        if any(_may_run_in(ev, one, programs) for one in others):
            continue
        if not _is_used_up_before(ev, shuffle, choice.call):
            return choice.call
    return None


def _is_used_up_before(ev: Evaluator, shuffle: Call, choice: Call) -> bool:
    """Tell whether the choice is made below the last read of what shuffles."""
    if shuffle.scope is not choice.scope or shuffle.line > choice.line or any(True for _ in loops_around(choice)):
        return False
    if (uses := every_use_of(ev, shuffle)) is None:
        return True
    reads = (use.place for use in uses if use.is_whole)
    return all((one.scope is choice.scope and one.line < choice.line) or _is_parameter(one) for one in reads)


def _is_parameter(read: Place) -> bool:
    """Tell whether a read is of an argument, whose use ends with the call."""
    names = {one.name for one in read.scope.parameters}
    return isinstance(read.expression, ast.Name) and read.expression.id in names


def _programs_with_both(ev: Evaluator, choice: Call, shuffle: Call) -> frozenset[Path]:
    """Return the files that reach both calls when they are started."""
    programs = _programs_with(ev, choice)
    if _is_for_script(shuffle):
        return programs & {shuffle.file.location}
    return frozenset(one for one in programs if imports(ev, one, shuffle.file))


def _may_run_in(ev: Evaluator, call: Call, programs: frozenset[Path]) -> bool:
    if not programs.isdisjoint(_programs_with(ev, call)):
        return True
    return not _is_for_script(call) and any(may_import_any(ev, one) for one in programs)


def _programs_with(ev: Evaluator, call: Call) -> frozenset[Path]:
    return frozenset((call.file.location,) if _is_for_script(call) else programs_with(ev, call.file))


def _is_for_script(call: Call) -> bool:
    """Tell whether a call runs only if its file is started, and not if it is imported."""
    return any("__name__" in call.file.code_of(one.test) for one in dominating_conditions(call))


def _means_cuda(ev: Evaluator, call: Call) -> bool:
    if not call.arguments:
        return False
    possible = ev.evaluate(call.arguments[0])
    names = [one.value.name for one in possible if isinstance(one.value, Imported)]
    names += [
        one.value.value for one in possible if isinstance(one.value, Literal) and isinstance(one.value.value, str)
    ]
    if any(legacy_device(name) == "cuda" for name in names):
        return True
    return any(device.kind == "cuda" for device, _ in devices_of(possible))
