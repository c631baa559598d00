"""Where a program names something of another package: what nobody names there, no value of the program is made by.

A question about every place of a project is answered for all of them at once where nobody names what it is about, or
only to ask about others: `isinstance(model, DataParallel)` makes no wrapper.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import Imported
from torchlint.pytorch.symbols import canonical

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_LISTED = (ast.Tuple, ast.List, ast.Set, ast.Starred)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, an attribute, a text or an import that may stand for something by its last name."""

    file: ParsedFile
    node: ast.AST
    statement: ast.stmt

    @property
    def is_only_asked_about(self) -> bool:
        """Tell whether it is only compared with, or the class that `isinstance` asks about."""
        parents = self.file.parents_in(self.statement)
        child, parent = self.node, parents.get(self.node)
        while isinstance(parent, _LISTED):
            child, parent = parent, parents.get(parent)
        match parent:
            case ast.Compare():
                return True
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass")):
                return child is not parent.func
            case _:
                return False

    @property
    def is_kept(self) -> bool:
        """Tell whether it is put into a container that is written here, or under a key or attribute of another."""
        parent = self.file.parents_in(self.statement).get(self.node)
        match parent or self.statement:
            case ast.Dict(values=values):
                return self.node in values
            case ast.List() | ast.Tuple() | ast.Set():
                return True
            case ast.Assign(targets=targets, value=value):
                return value is self.node and not all(isinstance(target, ast.Name) for target in targets)
            case _:
                return False

    @property
    def is_imported(self) -> bool:
        """Tell whether it is imported here by the same name, by which whoever uses it has to name it again."""
        return isinstance(self.node, ast.alias) and self.node.asname in {None, self.node.name}

    def is_of_others(self, names: Collection[str]) -> bool:
        """Tell whether it surely is something else that only has the same last name: `re.compile`."""
        if not isinstance(self.node, (ast.Name, ast.Attribute)):
            return False
        found = plain(Place(self.file, self.node, self.statement))
        value = found[0].value if found is not None else None
        return isinstance(value, Imported) and canonical(value.name) not in names


def is_made(ev: Evaluator, *names: str) -> bool:
    """Tell whether a program may have an object of one of these classes, by their full names, as far as it says."""
    return any(
        not (one.is_only_asked_about or one.is_imported or one.is_of_others(names)) for one in mentions(ev, *names)
    )


def mentions(ev: Evaluator, *names: str) -> Iterator[Mention]:
    """Yield where the files of a project say the last name of something of another package."""
    words = frozenset(name.rpartition(".")[2] for name in names)
    library = ev.project.library
    for path in dict.fromkeys(path for word in sorted(words) for path in library.holding(word)):
        if (file := ev.project.parsed(path)) is not None:
            yield from mentions_in(file, words)


def mentions_in(file: ParsedFile, words: frozenset[str]) -> Iterator[Mention]:
    """Yield where a file says one of some last names."""
    for node, statement in file.said_names.saying(words):
        yield Mention(file, node, statement)
