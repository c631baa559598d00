"""Where a program names something of another package: without a mention, no value of the program is made by it.

A question about every place of a project is answered at once if nothing names its subject, or only to test for it:
`isinstance(model, DataParallel)` makes no wrapper.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import Imported
from torchlint.pytorch.aliases import canonical

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_LISTED = (ast.Tuple, ast.List, ast.Set, ast.Starred)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, an attribute, a string or an import that may refer to something by its last name."""

    file: ParsedFile
    node: ast.AST
    statement: ast.stmt

    @property
    def is_only_asked_about(self) -> bool:
        """Tell whether it is only an operand of a comparison, or the class in an `isinstance`."""
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
        """Tell whether it is stored in a display, or under a key or attribute."""
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
        """Tell whether it is an import by the same name, which must be mentioned again to be used."""
        return isinstance(self.node, ast.alias) and self.node.asname in {None, self.node.name}

    def is_of_others(self, names: Collection[str]) -> bool:
        """Tell whether it surely refers to something else with the same last name: `re.compile`."""
        if not isinstance(self.node, (ast.Name, ast.Attribute)):
            return False
        found = plain(Place(self.file, self.node, self.statement))
        value = found[0].value if found is not None else None
        return isinstance(value, Imported) and canonical(value.name) not in names


def is_made(ev: Evaluator, *names: str) -> bool:
    """Tell whether a program may have an object of one of these classes, by their full names, as mentions show."""
    return any(
        not (one.is_only_asked_about or one.is_imported or one.is_of_others(names)) for one in mentions(ev, *names)
    )


def mentions(ev: Evaluator, *names: str) -> Iterator[Mention]:
    """Yield where the files of a project mention the last name of something of another package."""
    words = frozenset(name.rpartition(".")[2] for name in names)
    library = ev.project.library
    for path in dict.fromkeys(path for word in sorted(words) for path in library.holding(word)):
        if (file := ev.project.parsed(path)) is not None:
            yield from mentions_in(file, words)


def mentions_in(file: ParsedFile, words: frozenset[str]) -> Iterator[Mention]:
    """Yield where a file mentions one of some last names."""
    for node, statement in file.said_names.saying(words):
        yield Mention(file, node, statement)
