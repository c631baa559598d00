"""Reads that make the host wait repeatedly: at every training step, or with every batch of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.devices.host_programs import runs_on_host
from torchlint.model.devices.host_tests import is_of_host_test
from torchlint.model.devices.own_training import trains_on_host
from torchlint.model.devices.passed_from_host import is_passed_from_host
from torchlint.model.devices.visible import is_without_gpus
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.training.call_paths import Story
from torchlint.model.training.evaluation import every_evaluated_batch
from torchlint.model.training.what_trains import Training, step_loops_of
from torchlint.model.values.iterations import header_of, in_iteration
from torchlint.model.values.value_sets import HOST, Tensor
from torchlint.model.worlds import WITH_CUDA

from .reads import Read, WaitKind, reads
from .waited_before import is_waited_before
from .waiting import Wait, is_on_the_host, may_be_anything, may_be_flag, wait_of, waits_for_nothing

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_When: TypeAlias = "Callable[[Place], Story | None]"
# Of more call paths the first are reported.
_MOST_WAYS = 20


def waits_every_step(ev: Evaluator, file: ParsedFile, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
    """Yield the reads of a kind that make the host wait at every training step, with the path to each."""
    training = step_loops_of(ev.project)
    if training.is_in(file):
        for wait, story in _waits(ev, file, kind, training.every_step):
            if len(story) > 1 and _is_called_at_home(ev, training, wait):
                continue
            if _is_later_on_host(ev, training, wait):
                continue
            yield wait, _way_that_waits(ev, wait, kind) or story if len(story) > 1 else story


def waits_every_batch(ev: Evaluator, file: ParsedFile, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
    """Yield the reads of a kind that make the host wait with every batch of an evaluation."""
    training = step_loops_of(ev.project)
    return _waits(ev, file, kind, lambda place: every_evaluated_batch(ev, training, place))


def _waits(ev: Evaluator, file: ParsedFile, kind: WaitKind, when: _When) -> Iterator[tuple[Wait, Story]]:
    """Yield the waits among the reads that run so often; that is cheaper to check than the operand."""
    found: set[tuple[str, int, int, int, int]] = set()
    for read in reads(file, kind):
        if read.place.key in found or (story := when(read.place)) is None or is_of_host_test(read.place):
            continue
        if is_at_home(ev, file):
            return
        wait = _wait_of(ev, read, kind)
        if wait is None or is_waited_before(ev, wait) or _is_on_host(ev, wait) or not is_reachable(ev, wait.place):
            continue
        found.add(read.place.key)
        yield wait, story


def _is_on_host(ev: Evaluator, wait: Wait) -> bool:
    """Tell whether a tensor is on the host where there is a GPU, too: only there can anything wait."""
    with_cuda = ev.project.evaluator(WITH_CUDA)
    is_open = any(isinstance(one.value, Tensor) and one.value.device is None for one in ev.evaluate(wait.tensor))
    if is_open and is_on_the_host(with_cuda.evaluate(wait.tensor)):
        return True
    return is_passed_from_host(with_cuda, wait.tensor)


def _is_later_on_host(ev: Evaluator, training: Training, wait: Wait) -> bool:
    """Tell whether a tensor is on the host from the second step on: the first one has left it there."""
    # What no step leaves on the host need not be followed into the second.
    if not any(isinstance(one.value, Tensor) and one.value.device == HOST for one in ev.evaluate(wait.tensor)):
        return False
    loop = training.loop_of_update(wait.place)
    return loop is not None and is_on_the_host(ev.evaluate(in_iteration(wait.tensor, header_of(loop), 1)))


def is_at_home(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether what a file runs stays on the host."""
    return runs_on_host(ev, file) or is_without_gpus(ev, file) or trains_on_host(ev, file)


def _is_called_at_home(ev: Evaluator, training: Training, wait: Wait) -> bool:
    """Tell whether all step loops that reach a function are of files that stay on the host."""
    starts = {way.story[0].path for way in islice(training.ways_to(wait.place), _MOST_WAYS)}
    files = [one for one in training.files if one.path in starts] if starts else []
    return bool(starts) and len(files) == len(starts) and all(is_at_home(ev, one) for one in files)


def _wait_of(ev: Evaluator, read: Read, kind: WaitKind) -> Wait | None:
    """Return how a read waits, in any call context of its function, or else in one of the calls of a step.

    An operand that is unknown without a call context may be no tensor, or one on the host, in any of the known calls;
    for a test, which is of a flag or a number more often, one of the calls has to show that it is a tensor.
    """
    wait = wait_of(ev, read, kind)
    if wait is not None and not may_be_anything(ev.evaluate(wait.tensor)):
        return wait
    # The arguments of all calls are known there: each one alone may be too deep to follow.
    if wait is None and is_on_the_host(ev.evaluate(read.tensor)):
        return None
    reads = [read.within(frame) for frame in islice(step_loops_of(ev.project).frames_at(read.place), _MOST_WAYS)]
    waits = (wait_of(ev, one, kind) for one in reads)
    if (found := next((one for one in waits if one is not None), None)) is not None:
        # In a table of losses, each seems to have the arguments of all: the flag of one is the target of another.
        is_flag = kind == "branch" and any(may_be_flag(ev.evaluate(one.tensor)) for one in reads)
        return None if is_flag else found
    is_open = kind != "branch" and not all(waits_for_nothing(ev.evaluate(one.tensor)) for one in reads)
    return wait if is_open or not reads else None


def _way_that_waits(ev: Evaluator, wait: Wait, kind: WaitKind) -> Story | None:
    """Return a path whose arguments make the host wait: other calls of the function may pass a number."""
    read = Read(wait.place, wait.tensor)
    for way in islice(step_loops_of(ev.project).ways_to(wait.place), _MOST_WAYS):
        found = wait_of(ev, read.within(way.frame), kind) if way.frame is not None else None
        if found is not None and found.is_sure is wait.is_sure:
            return way.story
    return None
