"""The conditions that hold at a place: those that dominate it, and the assumptions of the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import is_called_options
from torchlint.model.place import Place
from torchlint.syntax.facts import Facts, Given

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope

_ATTRIBUTES = re.compile(r"\.([^\W\d]\w*)")
# Each option doubles the queries: `if args.jitter: x = jitter(x)`, and so on for ten others.
_MOST_GIVEN = 2
# As many as are assumed may be the opposite: beyond that there are always too many.
_ENOUGH = 2 * _MOST_GIVEN + 1
# In attributes that are computed from each other, a query comes by the tests of all others, in any order.
_MOST_FOR_OTHERS = 1
_MOST_SETS = 10_000


def facts_at(place: Place) -> Facts:
    """Return the conditions that hold at a place."""
    facts = place.file.facts_at(place.statement, place.expression)
    # A set of texts is gone through in another order in each process.
    return Facts({**dict(sorted(place.given)), **facts.outcomes}) if place.given else facts


def facts_here(place: Place) -> Given:
    """Return the assumptions at a place, with the conditions about options, which hold for the whole run."""
    file, key, asked = place.file, (place.statement, place.expression), place.file.project.library.dependencies
    if (kept := file.of_options.get(key)) is None:
        about = about_options(file.facts_at(*key))
        kept = file.of_options[key] = asked.answered(lambda: tuple(islice(deciding_more(about, file), _ENOUGH)))
    facts = asked.recalled(kept)
    return given_besides(place.given, facts) if facts else place.given


def deciding_more(facts: Iterable[tuple[str, bool]], file: ParsedFile) -> Iterator[tuple[str, bool]]:
    """Yield the conditions about options that another test may read, in this file or in others.

    Each assumption makes another query, and an option that is tested only once decides nothing else.
    """
    library = file.project.library
    for text, holds in facts:
        names = _ATTRIBUTES.findall(text)
        if any(len(file.attribute_reads(name)) > 1 or len(library.holding(name)) > 1 for name in names) or not names:
            yield text, holds


def given_besides(given: Given, facts: Iterable[tuple[str, bool]]) -> Given:
    """Return the assumptions together with more conditions, unless they are too many.

    The same text with opposite outcomes in two functions refers to two things: the first assumption stays, whatever the
    order of the set.
    """
    known = set(given)
    for text, holds in facts:
        if (text, not holds) not in given:
            known.add((text, holds))
        if len(known) > _MOST_GIVEN:
            return given
    return _same(frozenset(known))


@lru_cache(_MOST_SETS)
def _same(given: Given) -> Given:
    """Return the interned set of assumptions: even an empty one takes more memory than a place."""
    return given


def about_options(facts: Facts) -> Iterator[tuple[str, bool]]:
    """Yield the conditions that are about options: `args.distributed`."""
    return ((text, holds) for text, holds in facts.outcomes.items() if is_called_options(text.partition(".")[0]))


def facts_for_others(place: Place, file: ParsedFile, *, of_same_object: bool, entered: Scope | None = None) -> Given:
    """Return the conditions that mean the same in another function: those about attributes, such as `args.distributed`.

    What a file does not mention decides nothing there, and `self` is another object in the methods of another class:
    the fewer assumptions, the more queries are the same. Of many, the first assumptions stay; if the function that is
    entered is known, the first that it mentions.
    """
    found = [
        (text, holds)
        for text, holds in facts_at(place).outcomes.items()
        if "." in text and (of_same_object or "self." not in text) and file.has_attributes_of(text)
    ]
    if entered is not None and len(found) > _MOST_FOR_OTHERS:
        code = file.code_of(entered.node)
        found.sort(key=lambda fact: not all(name in code for name in _ATTRIBUTES.findall(fact[0])))
    return _same(frozenset(found[:_MOST_FOR_OTHERS]))
