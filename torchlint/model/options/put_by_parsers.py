"""What a method that parses options stores in them from its own object: `self.opt.is_train = self.is_train`.

Programs share such a parser, and each makes an object of a class of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import holds_options, value_of_store
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Frame, Unknown, ValueSet

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Store

# If more files store into an option, no single store decides it.
_MOST_FILES = 6


def put_by_parser(ev: Evaluator, place: Place, made: Place, name: str) -> ValueSet:
    """Return what the methods around the call that `made` options store in one, if nothing else in the project does.

    Bottom if it may be anything, and before it is stored: `opt.gpus = opt.gpus.split(",")`.
    """
    stores = [store for store in _stores(made.file, name) if not _is_up_to(place, made.file, store)]
    put = [(at, store) for at in _ways_out(made) for store in stores if _is_always_run(at, store)]
    if len(put) != 1 or _is_put_elsewhere(ev, made, name):
        return ()
    found = either(*(value_of_store(ev, at, store) for at, store in put))
    return () if any(isinstance(one.value, Unknown) for one in found) else found


def _ways_out(made: Place) -> Iterator[Place]:
    """Yield the call that made options, and the calls by which other methods of its object run it."""
    if made.frame is None or made.frame.receiver is None:
        return
    yield made
    for call, statement in made.file.index.calls(made.scope.name):
        scope = made.file.index.home[statement][0].scope
        if scope.outer is made.scope.outer and scope is not made.scope:
            yield Place(made.file, call, statement, Frame(scope, None, made.frame.receiver))


def _stores(file: ParsedFile, name: str) -> Iterator[Store]:
    return (store for store in file.index.attribute_stores(name) if holds_options(store.target))


def _is_up_to(place: Place, file: ParsedFile, store: Store) -> bool:
    """Tell whether a place is before a store in one function, or in the store itself."""
    if place.file is not file or place.scope is not file.index.home[store.statement][0].scope:
        return False
    return place.statement.lineno <= store.statement.lineno


def _is_always_run(call: Place, store: Store) -> bool:
    """Tell whether every path from a call to the end of its method reaches a store."""
    block, _ = call.file.index.home[store.statement]
    return block.scope is call.scope and block.owner is call.scope.node and store.statement.lineno >= call.line


def _is_put_elsewhere(ev: Evaluator, made: Place, name: str) -> bool:
    if sum(1 for _ in _stores(made.file, name)) > 1:
        return True
    paths = list(islice(ev.project.library.holding(f".{name} ="), _MOST_FILES + 1))
    files = (file for path in paths if (file := ev.project.parsed(path)) is not None and file is not made.file)
    return len(paths) > _MOST_FILES or any(True for file in files for _ in _stores(file, name))
