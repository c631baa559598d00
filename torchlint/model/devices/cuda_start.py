"""Where a program initializes CUDA: after that the driver reads no environment variable any more.

`torch.cuda.is_available()` calls the driver, and so initializes it; `device_count()` does not since torch 2.0.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.call_graph.importing import imported_by
from torchlint.model.calls import calls_of
from torchlint.model.devices.requests import cuda_requests
from torchlint.model.guards.reachability import never_runs
from torchlint.model.options.environment import EnvironmentStore, environment_stores
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function
from torchlint.pytorch.device_arguments import ONLY_NAMES
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.streams import INITIALIZING

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

Story: TypeAlias = "tuple[Step, ...]"
_NOT_STARTED: Story | None = None
_NO_STARTS: Mapping[ast.stmt, Place] = {}

_STARTS_PROCESS = re.compile(
    r"\b(subprocess\.\w+|Popen|os\.(system|exec\w*|spawn\w*)|Process|Pool|spawn|start_processes)$"
)
_NOT_NOW = (ast.Lambda, ast.GeneratorExp)


def cuda_start_before(ev: Evaluator, place: Place) -> Story | None:
    """Return how CUDA was initialized before a place runs, None if it may not be."""
    if (story := _earlier(ev, place)) is not None or place.scope.kind != "function":
        return story
    return _before_calls(ev, Function(place.file, place.scope))


@tabled(_NOT_STARTED)
def _before_calls(ev: Evaluator, function: Function) -> Story | None:
    callers = ev.callers(function)
    if not callers:
        return _running(ev, function.file, function.scope.file_scope)
    stories = [cuda_start_before(ev, caller.place) for caller in callers]
    first = stories[0]
    if first is None or None in stories:
        return None
    return (*first, callers[0].place.step(f"`{function.scope.qualified_name}` is called here, after that"))


def _earlier(ev: Evaluator, place: Place) -> Story | None:
    """Return how a statement before a place, of the same function or file, initializes CUDA."""
    for block, position in place.file.index.blocks_around(place.statement):
        if (story := _through(ev, block.body[:position], place.file)) is not None:
            return story
        # The test of an `if` runs before its arms do.
        head = block.outer if block.owner is block.outer and block.owner is not block.scope.node else None
        if head is not None and (story := _own(ev, head, place.file)) is not None:
            return story
    return None


@tabled(_NOT_STARTED)
def _running(ev: Evaluator, file: ParsedFile, scope: Scope) -> Story | None:
    """Return how running a whole file or function initializes CUDA; many imports and calls lead to the same one."""
    return _through(ev, scope.node.body, file)


def _through(ev: Evaluator, body: list[ast.stmt], file: ParsedFile) -> Story | None:
    """Return how the first of these statements that does initializes CUDA."""
    for statement in body:
        if (story := _of(ev, statement, file)) is not None:
            return story
    return None


def _of(ev: Evaluator, statement: ast.stmt, file: ParsedFile) -> Story | None:
    if (story := _own(ev, statement, file)) is not None:
        return story
    match statement:
        case ast.Import() | ast.ImportFrom():
            return _imported(ev, statement, file)
        case ast.With(body=body) | ast.Try(body=body) | ast.ClassDef(body=body):
            return _through(ev, body, file)
        case _:
            return None


def _own(ev: Evaluator, statement: ast.stmt, file: ParsedFile) -> Story | None:
    """Return how the expressions of a statement itself initialize CUDA, in callees included."""
    if (started := _starts(ev, file).get(statement)) is not None:
        return (started.step("CUDA is initialized here"),)
    for place in _calls_of(file, statement):
        for function in _callees(ev, place):
            if (story := _running(ev, function.file, function.scope)) is not None:
                return (*story, place.step(f"`{function.scope.qualified_name}` is called here"))
    return None


def _imported(ev: Evaluator, statement: ast.Import | ast.ImportFrom, file: ParsedFile) -> Story | None:
    for found in imported_by(ev, file, statement):
        story = _running(ev, found, found.index.scope) if found is not file else None
        if story is not None:
            here = Place(file, ast.copy_location(ast.Constant(None), statement), statement)
            return (*story, here.step(f"`{found.location.stem}` is imported here"))
    return None


@tabled(_NO_STARTS)
def _starts(ev: Evaluator, file: ParsedFile) -> Mapping[ast.stmt, Place]:
    """Return the first call in each statement of a file that initializes CUDA."""
    found: dict[ast.stmt, Place] = {}
    for place in _starting(ev, file):
        found.setdefault(place.statement, place)
    return found


def late_stores(ev: Evaluator, file: ParsedFile, name: str) -> Iterator[tuple[EnvironmentStore, Story]]:
    """Yield where a file sets an environment variable for CUDA after CUDA was initialized, and how it was."""
    in_time: list[EnvironmentStore] = []
    for store in environment_stores(file, name):
        # Without CUDA, as in the `else` of `if torch.cuda.is_available():`, the variable hides no GPU from anything.
        if _is_for_children(store.place) or never_runs(ev, store.place):
            continue
        if (story := cuda_start_before(ev, store.place)) is None:
            in_time.append(store)
        elif not any(_repeats(store, one) for one in in_time):
            yield store, story


def _repeats(late: EnvironmentStore, store: EnvironmentStore) -> bool:
    """Tell whether a value is set again that was set in time, in a block around the place, or by the file itself."""
    index = late.place.file.index
    block, _ = index.home[store.place.statement]
    is_before = block.owner is None or any(block is one for one, _ in index.blocks_around(late.place.statement))
    return is_before and late.value.code == store.value.code


def _is_for_children(place: Place) -> bool:
    """Tell whether the function starts other processes, which get the variable in time, and may undo it."""
    calls = (call.func for call, _ in place.file.calls_in_scope(place.scope))
    return any(_STARTS_PROCESS.search(place.file.code_of(function)) for function in calls)


def _callees(ev: Evaluator, place: Place) -> Iterator[Function]:
    """Yield the functions of the project that a call runs itself; those that it passes may run in another process."""
    assert isinstance(place.expression, ast.Call)
    for one in ev.evaluate(place.at(place.expression.func)):
        match one.value:
            case Function(scope=scope) as function if not scope.yields:
                yield function
            case Class() as kind if (method := method_of(ev, kind, "__init__")) is not None:
                yield method


def _starting(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the calls of a file that initialize CUDA, without those in functions."""
    for name in sorted(INITIALIZING):
        for call in calls_of(file, frozenset((name,))):
            if _runs_at_once(call):
                yield call
    for request in cuda_requests(ev, file):
        place = request.call
        assert isinstance(place.expression, ast.Call)
        if not _runs_at_once(place) or place.at(place.expression.func).names & ONLY_NAMES:
            continue
        if _is_moving(place):
            yield place


def _is_moving(place: Place) -> bool:
    """Tell whether a call with a device as argument is of PyTorch, or of a method that moves."""
    assert isinstance(place.expression, ast.Call)
    function = place.expression.func
    if any(name.startswith("torch.") for name in place.at(function).names):
        return True
    return isinstance(function, ast.Attribute) and function.attr in TO_GPU


def _runs_at_once(place: Place) -> bool:
    parents = place.file.parents_in(place.statement)
    current: ast.AST | None = place.expression
    while current is not None:
        if isinstance(current, _NOT_NOW):
            return False
        current = parents.get(current)
    return True


def _calls_of(file: ParsedFile, statement: ast.stmt) -> Iterator[Place]:
    scope = file.index.home[statement][0].scope
    for call, where in file.calls_in_scope(scope):
        if where is statement and _runs_at_once(place := Place(file, call, where)):
            yield place
