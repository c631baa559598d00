"""Where a file uses a name that PyTorch or torchvision no longer has, and does not handle that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_of
from torchlint.model.options.versions import may_be_from
from torchlint.model.place import Place
from torchlint.pytorch.removed import CALLED, REMOVED, removal_of

from .equivalent_calls import equivalent_call
from .full_names import full_name
from .imported_instead import imported_instead
from .named_instead import named_instead
from .prepared import import_place, is_prepared
from .removed_methods import removed_methods
from .removed_name import RemovedName

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.pytorch.kinds import Removal

_RAISING = frozenset(name for name, removal in REMOVED.items() if removal.is_called) | CALLED.keys()
_WORDS = tuple(sorted({name.rpartition(".")[2] for name in REMOVED}))


def removed_names(ev: Evaluator, file: ParsedFile) -> Iterator[RemovedName]:
    """Yield where a file imports or reads a removed name; `ev` answers for any machine.

    A name that is imported and read in one file is reported once, at the import, which raises first.
    """
    imported: set[str] = set()
    read: dict[tuple[str, int, int, int, int], RemovedName] = {}
    for one in _imported(ev, file):
        imported.add(one.name)
        if not is_prepared(ev, one.place) and not _is_put_there(ev, one.name):
            yield one
    for one in _read(ev, file):
        read.setdefault(one.place.key, one)
    for one in read.values():
        is_told = any(one.name == name or one.name.startswith(f"{name}.") for name in imported)
        if not is_told and not is_prepared(ev, one.place) and not _is_put_there(ev, one.name):
            yield one
    yield from (one for one in removed_methods(ev, file) if not is_prepared(ev, one.place))


def is_kept_out(removed: RemovedName) -> bool:
    """Tell whether the requirements of the project allow no release in which the name raises."""
    package = removed.name.partition(".")[0]
    return not any(may_be_from(removed.place.file, package, one.release) for one in removed.removals)


def _imported(ev: Evaluator, file: ParsedFile) -> Iterator[RemovedName]:
    for statement in file.index.imports:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            continue
        module = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
        named = [(alias, f"{module}{alias.name}".removesuffix(".*")) for alias in statement.names]
        gone = [
            (alias, name, found)
            for alias, name in named
            # What exists and raises where it is called can be imported.
            if (found := removal_of(name)) is not None and not found.is_called
        ]
        if gone and ev.project.locate(file.location, (module or gone[0][1]).rstrip("."), 0) is None:
            alias, name, _ = gone[0]
            removals = {one.name: found for one, _, found in gone}
            edits = imported_instead(file, statement, removals)
            yield RemovedName(import_place(file, statement, alias), name, _distinct(removals.values()), edits)


def _distinct(removals: Iterable[Removal]) -> tuple[Removal, ...]:
    """Return removals, each once: those of modules hold the names of their parts in a dict, and have no hash."""
    found: list[Removal] = []
    for one in removals:
        if one not in found:
            found.append(one)
    return tuple(found)


def _read(ev: Evaluator, file: ParsedFile) -> Iterator[RemovedName]:
    for call in calls_of(file, frozenset(_RAISING)):
        if (name := full_name(ev, call.callee)) in _RAISING:
            removal = CALLED.get(name) or REMOVED[name]
            yield RemovedName(call.callee, name, (removal,), equivalent_call(call, name))
    for word in _WORDS:
        for node, statement in file.attribute_reads(word):
            place = Place(file, node, statement)
            if (name := full_name(ev, place)) and (found := removal_of(name)) is not None:
                yield _with_part(place, name, found)


def _with_part(place: Place, name: str, removal: Removal) -> RemovedName:
    """Return the removed name, and for a removed module, its part that is read: `torch._six.inf`."""
    parent = place.parent
    if parent is not None and isinstance(parent.expression, ast.Attribute) and removal.parts:
        place, name = parent, f"{name}.{parent.word}"
        removal = removal_of(name) or removal
    return RemovedName(place, name, (removal,), named_instead(place, removal.same))


def _is_put_there(ev: Evaluator, name: str) -> bool:
    """Tell whether a file of the project adds the name to PyTorch: `torch.rfft = …`, `sys.modules["torch._six"] =`."""
    word = name.rpartition(".")[2]
    files = (ev.project.parsed(path) for path in list(ev.project.library.holding(word)))
    for file in (one for one in files if one is not None):
        for store in file.index.attribute_stores(word):
            owner = store.target.value if isinstance(store.target, ast.Attribute) else store.target
            if full_name(ev, Place(file, owner, store.statement)).startswith("torch"):
                return True
    modules = (name[: found.start()] for found in re.finditer(r"\.|$", name) if "." in name[: found.start()])
    stores = (f"sys.modules[{quote}{module}{quote}]" for module in modules for quote in "\"'")
    return any(ev.project.library.holding(one) for one in stores)
