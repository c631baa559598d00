"""What calls itself goes down the parts of one expression, or is a query, or says why it ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

_ROOT = Path(__file__).parents[2]
_MEMOS = frozenset({"tabled", "lru_cache", "cache", "cached_property"})
# A walk that is passed what it has been at is no endless one.
_VISITED = frozenset({"seen", "reached", "within"})
# By these a walk leaves the expression that it is at: to what a name is bound to, where a value comes from, to another
# function, or to the call of its own.
_LEAVING = frozenset(
    "Place origin evaluate reaching definitions callers callees callees_of method_of family returned_by bindings"
    " calls_in_scope frame parsed resolve follow elements item".split()
)
_Function: TypeAlias = "tuple[str, str]"
"""The class around it, if there is one, and its name."""

# Whatever only goes down the parts of an expression ends with them, and there is room for deep ones (`engine/depth.py`).
_DOWN = "it evaluates what it comes by, and goes on to parts of the expression alone"
_TO_NO_NAME = "it goes from a name to what that is bound to, which is no name, and ends there"
_ONE = "it goes to the only definition that reaches a read, which dominates it"
_BLOCKS = "it goes down the statements of a block"
_NOTED = "it notes where it has been"
_COUNTED = "`test_counters.py` has the reason why it counts"
_FRAMES = "it enters calls, no more than a frame may be deep"
_UNWRAPPED = "it goes on to what is in all wrappers, by a query, and that is none"
_KEY = "it goes down the parts of a key"
# By the first name of those that call each other.
_LEAVES = {
    "rules/checkpoint/detectors/later_reads.py: _reads": _DOWN,
    "rules/checkpoint/detectors/reading.py: read_by": _ONE,
    "rules/compile/detectors/graph_outputs.py: graph_of": _DOWN,
    "rules/data/detectors/repeated_samples.py: _is_of_samples": _DOWN,
    "rules/device/detectors/making.py: _joined": _ONE,
    "rules/device/detectors/mixing.py: _in_meeting": _FRAMES,
    "rules/device/detectors/modules_made.py: _holds_its_own": _DOWN,
    "rules/device/detectors/probed_devices.py: _end": _BLOCKS,
    "rules/device/detectors/provenance.py: _among": _DOWN,
    "rules/parallel/detectors/gathered_losses.py: _sources": _DOWN,
    "rules/parallel/detectors/reloading.py: _is_given": _TO_NO_NAME,
    "rules/parallel/detectors/repeated_orders.py: _loader_in": _DOWN,
    "rules/parallel/detectors/unsharded.py: _loaders_in": _DOWN,
    "rules/sync/detectors/clock_readings.py: _held_by_attribute": _TO_NO_NAME,
    "rules/training/detectors/autograd_graph.py: Graph._follow_call": _NOTED,
    "rules/training/detectors/grad_leaves.py: _defined": _TO_NO_NAME,
    "rules/training/detectors/trained_module.py: _asked": _TO_NO_NAME,
    "rules/training/detectors/two_modes.py: _Modes._calls_modes": _NOTED,
    "torchlint/model/attributes/kept_arguments.py: _is_locals": _TO_NO_NAME,
    "torchlint/model/attributes/kept_arguments.py: _is_object": _TO_NO_NAME,
    "torchlint/model/call_graph/callees.py: _run_inside": _UNWRAPPED,
    "torchlint/model/checkpoints/copied_state.py: _is_of_module": _DOWN,
    "torchlint/model/guards/attempts.py: _asks": _BLOCKS,
    "torchlint/model/guards/failing.py: _end": _BLOCKS,
    "torchlint/model/guards/truth.py: _of_all": _DOWN,
    "torchlint/model/parallel/device_transfer.py: _one_transferred": _COUNTED,
    "torchlint/model/tensors/batch_items.py: float_in": _DOWN,
    "torchlint/model/tensors/dtypes.py: _of_element": _DOWN,
    "torchlint/model/tensors/scalars.py: is_scalar": _DOWN,
    "torchlint/model/training/call_paths.py: Ways._frames_around": _COUNTED,
    "torchlint/model/training/call_paths.py: Ways._ways": _NOTED,
    "torchlint/model/training/remainders.py: _is_bound": _TO_NO_NAME,
    "torchlint/model/training/remainders.py: is_size": _TO_NO_NAME,
    "torchlint/model/values/def_use.py: _bound": _DOWN,
    "torchlint/model/values/plain.py: _bound": _NOTED,
    "torchlint/model/values/shared_memo.py: is_outdated": _KEY,
    "torchlint/project/searchpath.py: _given": _DOWN,
    "torchlint/syntax/giving_back.py: _holds_argument": _NOTED,
}


def test_what_leaves_an_expression_and_is_no_query_says_why_it_ends() -> None:
    paths = sorted([*(_ROOT / "torchlint").rglob("*.py"), *(_ROOT / "rules").rglob("*.py")])

    found = {f"{path.relative_to(_ROOT).as_posix()}: {name}" for path in paths for name in _leaving(path)}

    assert found == _LEAVES.keys(), "make it a query, `tabled`, or a `closure`; or say in `_LEAVES` why it ends"


def test_a_walk_is_found_through_others_and_a_query_ends_it() -> None:
    walks = ast.parse(
        "def a(ev, place):\n    return b(ev, place.at(place.expression.value))\n"
        "def b(ev, place):\n    return any(map(a, ev.evaluate(place)))\n"
        "def c(node):\n    return c(node.left)\n"
        "@tabled(None)\ndef d(ev, place):\n    return d(ev, place.origin)\n"
        "class E:\n    def f(self, one):\n        return self.f(one.origin)\n"
        "def g(place, seen):\n    return g(place.origin, seen)\n"
    )

    assert dict(_groups(walks)) == {"a": True, "c": False, "E.f": True}


def _leaving(path: Path) -> Iterator[str]:
    return (name for name, leaves in _groups(ast.parse(path.read_text("utf-8"))) if leaves)


def _groups(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield the functions that call themselves, or each other, and whether one of them leaves an expression."""
    functions = {name: node for name, node in _functions(tree).items() if not _is_cut(node)}
    calls = {name: _called_in(name, node, functions) for name, node in functions.items()}
    reached = {name: _reached(name, calls) for name in calls}
    done: set[_Function] = set()
    for name in calls:
        if name in reached[name] and name not in done:
            group = sorted(other for other in reached[name] if name in reached[other])
            done |= {*group}
            leaves = any(_words_in(functions[one]) & _LEAVING for one in group)
            yield ".".join(filter(None, group[0])), leaves


def _functions(tree: ast.Module) -> dict[_Function, ast.FunctionDef]:
    owners = {"": tree.body} | {node.name: node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return {(name, one.name): one for name, body in owners.items() for one in body if isinstance(one, ast.FunctionDef)}


def _is_cut(function: ast.FunctionDef) -> bool:
    """Tell whether a function is a query or has a memo, or is passed where it has been."""
    names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    decorators = {node.id for one in function.decorator_list for node in ast.walk(one) if isinstance(node, ast.Name)}
    return bool(decorators & _MEMOS or names & _VISITED)


def _called_in(
    name: _Function, function: ast.FunctionDef, functions: Mapping[_Function, ast.FunctionDef]
) -> set[_Function]:
    """Return the functions of a module that one of them may call: by their names, those of its class by `self`."""
    found: set[_Function] = set()
    for node in ast.walk(function):
        match node:
            case ast.Name(id=word, ctx=ast.Load()):
                found.add(("", word))
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=word):
                found.add((name[0], word))
    return found & functions.keys()


def _reached(first: _Function, calls: Mapping[_Function, set[_Function]]) -> set[_Function]:
    reached: set[_Function] = set()
    waiting = [*calls[first]]
    while waiting:
        if (one := waiting.pop()) not in reached:
            reached.add(one)
            waiting += calls[one]
    return reached


def _words_in(node: ast.AST) -> set[str]:
    """Return the attributes in some code, and the names that it calls."""
    parts = list(ast.walk(node))
    called = {one.func.id for one in parts if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    return called | {one.attr for one in parts if isinstance(one, ast.Attribute)}
