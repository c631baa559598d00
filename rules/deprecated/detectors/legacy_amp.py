"""Mixed precision by the names that belong to one kind of device: `torch.cuda.amp.autocast()`.

Since 2.4 they warn, and call those in `torch.amp`, which have the kind of device as an argument:
https://docs.pytorch.org/docs/stable/amp.html. Signatures are those of torch 2.13.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torchlint.edits.call_changes import argument, named, with_first
from torchlint.model.call_graph.mentions import mentions_in
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.place import Place
from torchlint.pytorch.autocast import DEVICE_FIRST, POSITIONS, SINCE, SPACE
from torchlint.syntax.last_names import root_of

from .full_names import full_name
from .moved_imports import moved_import
from .prepared import is_prepared

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile

_LEGACY = re.compile(
    r"torch\.(cuda|cpu)\.amp\.((autocast_mode\.)?(autocast|custom_fwd|custom_bwd)|(grad_scaler\.)?GradScaler)"
)
_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class LegacyAmp:
    """A call, or a decorator without one, of a name that belongs to one kind of device."""

    place: Place
    """The full name of the callee: `torch.cuda.amp.autocast`."""
    call: Call | None
    """None for a decorator that is not called: `@custom_fwd`."""
    device: str
    word: str
    """Its name in `torch.amp`, which is its last name too."""

    def said_instead(self, *, is_any_device: bool) -> str:
        """Return the replacement, without the other arguments, as code in backquotes."""
        if self.word in DEVICE_FIRST:
            if is_any_device and self.device == "cuda":
                return f"`{SPACE}.{self.word}`, with the type of the device"
            return f'`{SPACE}.{self.word}("{self.device}")`'
        return f'`{SPACE}.{self.word}(device_type="{self.device}")`'

    def edits(self, name: str = "") -> tuple[Edit, ...]:
        """Return the edits that pass the kind of device, to another callee if one is named; none if it is uncertain."""
        quote = self.place.file.quote
        device = f"{quote}{self.device}{quote}"
        keyword = "" if self.word in DEVICE_FIRST else "device_type"
        if self.call is None:
            called = f"({keyword}={device})" if keyword else f"({device})"
            return (self.place.edits.replace(f"{name or self.place.text}{called}"),)
        if self.call.is_open or (keyword and self.call.arguments):
            return ()
        if self.word == "autocast" and len(self.call.arguments) > len(POSITIONS):
            return ()
        return self.call.edits.change(partial(_with_device, one=self, device=device, keyword=keyword, name=name))


def _with_device(call: cst.CSTNode, one: LegacyAmp, device: str, keyword: str, name: str) -> cst.CSTNode:
    """Pass the kind of device first; what `torch.cuda.amp.autocast` is passed by position is passed by name then."""
    import libcst as cst

    assert isinstance(call, cst.Call)
    is_moved = one.word == "autocast"
    others = [
        named(given, POSITIONS[i]) if is_moved and given.keyword is None else given for i, given in enumerate(call.args)
    ]
    found = with_first(call, argument(device, keyword), others)
    return found.with_changes(func=cst.parse_expression(name)) if name else found


def legacy_amp(ev: Evaluator, file: ParsedFile) -> Iterator[LegacyAmp]:
    """Yield such names in a file that does not handle a release without them; `ev` answers for any machine.

    Nothing is reported if the project's oldest torch has no other names.
    """
    target = file.oldest_torch
    for one in legacy_uses(ev, file):
        if (target is None or target >= SINCE[one.word]) and not is_prepared(ev, one.place):
            yield one


def legacy_uses(ev: Evaluator, file: ParsedFile) -> Iterator[LegacyAmp]:
    """Yield all calls of such names, and the decorators, in any context."""
    for call in method_calls_of(file, file.words_for(SINCE)):
        if (found := _found(ev, call.callee)) is not None:
            yield LegacyAmp(call.callee, call, found[1], found[0].rpartition(".")[2])
    for function in file.index.scopes:
        for decorator in function.decorators:
            if isinstance(decorator, (ast.Name, ast.Attribute)) and isinstance(function.node, ast.stmt):
                place = Place(file, decorator, function.node)
                if (found := _found(ev, place)) is not None:
                    yield LegacyAmp(place, None, found[1], found[0].rpartition(".")[2])


def _found(ev: Evaluator, place: Place) -> re.Match[str] | None:
    """Return the full name of the callee, if it surely is one of these."""
    return _LEGACY.fullmatch(full_name(ev, place))


def edits_of(ev: Evaluator, one: LegacyAmp) -> tuple[Edit, ...]:
    """Return the edits that replace a use by `torch.amp`, with the import that this takes; none if they are uncertain.

    A name that is imported directly is then imported from elsewhere, and all its uses stay valid.
    """
    file = one.place.file
    root = root_of(one.place.expression)
    if not isinstance(root, ast.Name) or not one.edits():
        return ()
    bindings = file.index.scope.bindings.get(root.id, [])
    if len(bindings) != 1 or bindings[0].imported is None or not isinstance(bindings[0].statement, _IMPORTS):
        return ()
    if bindings[0].imported.name is None and bindings[0].imported.module == "torch":
        found = one.place.named(f"{SPACE}.{one.word}")
        return (*one.edits(found[0]), *found[1]) if found is not None else ()
    statement = bindings[0].statement
    moved = moved_import(file, statement, f"torch.{one.device}.amp", SPACE, SINCE)
    names = frozenset(alias.asname or alias.name.rpartition(".")[2] for alias in statement.names)
    uses = [use for use in legacy_uses(ev, file) if _root_name(use.place) in names]
    mentioned = [m.node for m in mentions_in(file, names) if isinstance(m.node, ast.Name)]
    if moved is None or {id(root_of(use.place.expression)) for use in uses} != {id(node) for node in mentioned}:
        return ()
    edits = [use.edits() for use in uses]
    return (moved, *(edit for group in edits for edit in group)) if all(edits) else ()


def _root_name(place: Place) -> str:
    root = root_of(place.expression)
    return root.id if isinstance(root, ast.Name) else ""
