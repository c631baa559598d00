"""What Dynamo traces: the functions that a program compiles or exports, and what these call."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR, NESTED
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import calls_anywhere
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Frame, Function
from torchlint.pytorch.graph_breaks import OPAQUE

from .graph_entries import GraphEntry, graph_entries, is_decorated_by
from .run_by_operations import Runs

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.training.call_paths import Story
    from torchlint.syntax.scope import Scope

# A function that is called in more ways is a helper, whose arguments hardly differ by the way.
_MOST_WAYS = 4


@dataclass(frozen=True, slots=True)
class Traced:
    """A function that is traced, the entry from which, and the calls from there."""

    function: Function
    entry: GraphEntry
    story: Story
    frame: Frame | None


def traced_functions(ev: Evaluator) -> dict[Scope, list[Traced]]:
    """Return the functions of a project that are traced, each with the ways to it; those of one graph come first."""
    found: dict[Scope, list[Traced]] = defaultdict(list)
    entries = sorted(graph_entries(ev), key=lambda entry: entry.tracing is None)
    pending = deque(Traced(one.function, one, (), frame) for one in entries for frame in _frames(ev, one))
    runs = Runs(ev)
    while pending:
        one = pending.popleft()
        ways = found[one.function.scope]
        if len(ways) < _MOST_WAYS and len(one.story) < FAR and all(way.frame != one.frame for way in ways):
            ways.append(one)
            pending.extend(_called_by(runs, one))
    return found


def _frames(ev: Evaluator, entry: GraphEntry) -> Iterator[Frame | None]:
    """Yield the frames of the calls of what is compiled, by the names that it is assigned to, or else any call's."""
    function = entry.function
    names = [name.rpartition(".")[2] for name in entry.place.bound_to]
    calls = (call for name in names for call in calls_anywhere(ev.project, name))
    running = (call for call in calls if any(one.scope is function.scope for one in callees_of(ev, call)))
    frames = [frame_for(call, function, NESTED) for call in islice(running, _MOST_WAYS)]
    yield from frames or [Frame(function.scope, None, function.receiver) if function.receiver is not None else None]


def _called_by(runs: Runs, way: Traced) -> Iterator[Traced]:
    for run in runs.of(way.function, way.frame):
        function = run.function
        if function.scope is not way.function.scope and not is_decorated_by(function, OPAQUE):
            step = run.place.step(f"`{function.scope.qualified_name}` is called here")
            yield Traced(function, way.entry, (*way.story, step), run.frame)
