"""Loaders of a training that do not shuffle, by their default."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases
from torchlint.model.calls import Call
from torchlint.model.facts import fact_of_each_file
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import loader_argument, loaders_of
from torchlint.model.test_files import is_of_tests
from torchlint.model.training.epochs import training_loop_around
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Built, Instance
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_ORDERING = ("shuffle", "sampler", "batch_sampler")
_EPOCHS = re.compile(r"epoch", re.IGNORECASE)
_EVALUATES = re.compile(r"val|test|eval", re.IGNORECASE)
# Words of code whose data have an order that matters, or that changes it itself.
_ORDERED = re.compile(
    r"seq|time|tempor|series|window|stream|frame|video|clip|traj|episode|sort|shuffl|perm|rand(?!om_split)|sampl|curricul|buffer"
    r"|replay|hidden|bptt|forecast|stock|price|chunk|Iterable",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class UnshuffledLoader:
    """A call that makes a loader, the loop over it that trains, and the one over epochs around that."""

    loader: Call
    loop: Place
    epochs: Place


@fact_of_each_file
def unshuffled_loaders(ev: Evaluator) -> dict[str, list[UnshuffledLoader]]:
    """Return the loaders of a project that load the same batches in each epoch of a training, by file."""
    found: dict[object, UnshuffledLoader] = {}
    for statement, file in step_loops_of(ev.project).loops.items():
        if isinstance(statement, ast.While) or is_of_tests(file) or _EVALUATES.search(written(statement.iter)):
            continue
        loaders = _loaders_of(ev, file, statement)
        epochs = _epochs_around(ev, file, statement) if loaders else None
        for loader in loaders if epochs is not None else ():
            if epochs is not None and not _has_order(ev, loader, file, statement):
                found.setdefault(loader.key, UnshuffledLoader(loader, header(file, statement), epochs))
    by_path: dict[str, list[UnshuffledLoader]] = {}
    for one in sorted(found.values(), key=lambda one: one.loader.key):
        by_path.setdefault(one.loader.path, []).append(one)
    return by_path


def _loaders_of(ev: Evaluator, file: ParsedFile, statement: ast.For | ast.AsyncFor) -> list[Call]:
    """Return the calls that make the loaders of a loop, and leave the order to its default."""
    made = loaders_of(ev, file, statement)
    return [one for one in made if one is not None and LOADER in one.callee.names and _is_left_open(one)]


def _is_left_open(made: Call) -> bool:
    """Tell whether a loader has more than one batch, and nothing says in which order."""
    size = loader_argument(made, "batch_size")
    if made.is_open or size is None or "len(" in size.code or size.code == "None":
        return False
    return all(loader_argument(made, name) is None for name in _ORDERING)


def _epochs_around(ev: Evaluator, file: ParsedFile, statement: ast.For | ast.AsyncFor) -> Place | None:
    """Return the loop over epochs that a loop over batches is in, or whose iterations call its function."""
    found = training_loop_around(ev, header(file, statement))
    if found is None:
        return None
    place, loop = found
    if not isinstance(loop, ast.For):
        return None
    said = f"{written(loop.target)} {written(loop.iter)}"
    return header(place.file, loop) if _EPOCHS.search(said) else None


def _has_order(ev: Evaluator, loader: Call, file: ParsedFile, statement: ast.For | ast.AsyncFor) -> bool:
    """Tell whether the data of a loader may be meant to come in their order, or have been mixed before."""
    data = loader_argument(loader, "dataset")
    possible = ev.evaluate(data) if data is not None else ()
    if data is None or not possible:
        return True
    if any(_ORDERED.search(text) for text in (file.path, file.code_of(statement), *_sources(data))):
        return True
    return any(_is_ordered(ev, one.value, one.origin) for one in possible)


def _sources(data: Place) -> list[str]:
    """Return how a dataset is written, and what the names in it are bound to."""
    names = {one.id for one in walk(data.expression) if isinstance(one, ast.Name)}
    bound = (one.value for name in sorted(names) for one in data.scope.bindings.get(name, ()) if one.value is not None)
    return [data.code, *(data.file.code_of(value) for value in bound)]


def _is_ordered(ev: Evaluator, value: object, made: Place | None) -> bool:
    if isinstance(value, Built):
        return made is None or _ORDERED.search(f"{value.name} {made.code}") is not None
    if not isinstance(value, Instance):
        return True
    node = value.kind.scope.node
    if any("Iterable" in base for base in imported_bases(ev, value.kind)):
        return True
    return not isinstance(node, ast.ClassDef) or _ORDERED.search(value.kind.file.code_of(node)) is not None
