"""What follows from the outcomes of tests.

If `args.distributed = args.world_size > 1 or args.spawned` is false, so are both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.path_conditions import facts_at, facts_for_others
from torchlint.syntax.facts import atoms, in_words
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.facts import Given


def given_with(place: Place, other: Place) -> Given:
    """Return the conditions that hold at a place if the program reaches another one as well."""
    if place.scope is other.scope:
        facts = frozenset(facts_at(other).outcomes.items())
    else:
        facts = facts_for_others(other, place.file, of_same_object=False)
    return facts | {further for fact in facts for further in _following(other.file, *fact)}


def _following(file: ParsedFile, text: str, holds: bool) -> Iterator[tuple[str, bool]]:
    """Yield the conditions on what an option was computed from, as far as its outcome determines these."""
    owner, _, name = text.rpartition(".")
    for store in file.index.attribute_stores(name):
        value = store.value if written(store.target) == owner and not store.selector else None
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And) is holds:
            yield from (in_words(*atom) for atom in atoms(value, holds))
