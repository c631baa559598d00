"""What a program reads from its files of settings: `config = yaml.safe_load(file)` is a dict of what these agree on."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchlint.model.place import Place
from torchlint.model.values.value_sets import UNKNOWN, Display, ValueSet, known
from torchlint.project.settings_files import JSON, YAML, Setting, Settings, agreed_settings
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

LOADERS = {
    "json.load": JSON,
    "json.loads": JSON,
    **dict.fromkeys(("yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load"), YAML),
}
"""The functions that read settings, by the ends of the names of the files that they read."""
_OPENING = frozenset({"open", "read_text", "read"})
_Node = TypeVar("_Node", bound=ast.expr)
_UNREAD = "settings that are not read"


@dataclass(frozen=True, slots=True)
class _Agreed:
    """The question what the files of a kind, or of a name, agree on: many calls read the same."""

    suffixes: tuple[str, ...]
    name: str

    def __call__(self, ev: Evaluator) -> Settings:
        return agreed_settings(ev.project.library, self.suffixes, self.name)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The question what a call reads."""

    location: Path
    position: tuple[int, int, int, int]
    files: _Agreed

    def __call__(self, ev: Evaluator) -> ast.Dict | None:
        settings = ev.project.once(self.files)
        return _displayed(settings, self.position) if settings else None


def loaded_settings(ev: Evaluator, place: Place, suffixes: tuple[str, ...]) -> ValueSet:
    """Return the settings that a call reads: those of the file that it names, else what all of the project agree on."""
    call = place.expression
    if not isinstance(call, ast.Call) or not call.args:
        return UNKNOWN
    position = (call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0)
    files = _Agreed(suffixes, _named(place, call.args[0], suffixes))
    display = ev.project.once(_Loaded(place.file.location, position, files))
    return known(Display(place.at(display)), place) if display is not None else UNKNOWN


def _named(place: Place, source: ast.expr, suffixes: tuple[str, ...]) -> str:
    """Return the name of the file that is read, as the function writes it; empty if it is passed one."""
    names = [node.id for node in walk(source) if isinstance(node, ast.Name)]
    bound = [one.value for name in names for one in place.scope.bindings.get(name, ()) if one.value is not None]
    opened = [one for one in (source, *bound) if isinstance(one, ast.Call) and callee_name(one) in _OPENING]
    said = [node.value for one in opened for node in walk(one) if isinstance(node, ast.Constant)]
    files = [one for one in said if isinstance(one, str) and one.endswith(suffixes)]
    return files[0].rpartition("/")[2] if len(files) == 1 else ""


def _displayed(settings: Settings, position: tuple[int, int, int, int]) -> ast.Dict:
    """Return settings as a dict display that stands where they are read, and may have more entries."""
    keys: list[ast.expr | None] = [None, *(_at(ast.Constant(key), position) for key in settings)]
    values = [_at(ast.Name(_UNREAD, ast.Load()), position), *(_value(one, position) for one in settings.values())]
    return _at(ast.Dict(keys, values), position)


def _value(one: Setting, position: tuple[int, int, int, int]) -> ast.expr:
    return _displayed(one, position) if isinstance(one, dict) else _at(ast.Constant(one), position)


def _at(node: _Node, position: tuple[int, int, int, int]) -> _Node:
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = position
    return node
