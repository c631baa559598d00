"""What is sure at a place: what the tests behind it make sure, and what was given by whoever asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import is_called_options
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Given
from torchlint.syntax.facts import Facts

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_ATTRIBUTES = re.compile(r"\.([^\W\d]\w*)")
# Each option doubles the questions about what lies behind: `if args.jitter: x = jitter(x)`, and so on for ten others.
_MOST_GIVEN = 2
# As many as are given may say the opposite: with so many there are too many, whatever is given.
_ENOUGH = 2 * _MOST_GIVEN + 1
# In attributes that are made of each other, whoever asks for one comes by the tests of all others, in any order.
_MOST_FOR_OTHERS = 1
_MOST_SETS = 10_000


def facts_at(place: Place) -> Facts:
    """Return what is sure at a place."""
    facts = place.file.facts_at(place.statement, place.expression)
    return Facts({**dict(place.given), **facts.outcomes}) if place.given else facts


def facts_here(place: Place) -> Given:
    """Return what is given at a place, and the facts about options that hold there, as they do all through a run."""
    file, key, asked = place.file, (place.statement, place.expression), place.file.project.library.dependencies
    if (kept := file.of_options.get(key)) is None:
        about = about_options(file.facts_at(*key))
        kept = file.of_options[key] = asked.answered(lambda: tuple(islice(deciding_more(about, file), _ENOUGH)))
    facts = asked.recalled(kept)
    return given_besides(place.given, facts) if facts else place.given


def deciding_more(facts: Iterable[tuple[str, bool]], file: ParsedFile) -> Iterator[tuple[str, bool]]:
    """Yield those of some facts about options of which there may be another test, in this file or in others.

    Whatever comes along makes another question, and an option that is tested but once decides nothing else.
    """
    library = file.project.library
    for text, holds in facts:
        names = _ATTRIBUTES.findall(text)
        if any(len(file.attribute_reads(name)) > 1 or len(library.holding(name)) > 1 for name in names) or not names:
            yield text, holds


def given_besides(given: Given, facts: Iterable[tuple[str, bool]]) -> Given:
    """Return what is given together with more facts, unless they are too many.

    Where one function has a test come out so, and another the same words otherwise, they speak of two things: what was
    given first stays, whichever of the two a set would yield first.
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
    """Return facts as the one set that all places have of the same: an empty one alone takes more than a place."""
    return given


def about_options(facts: Facts) -> Iterator[tuple[str, bool]]:
    """Yield those of some facts that are about options: `args.distributed`."""
    return ((text, holds) for text, holds in facts.outcomes.items() if is_called_options(text.partition(".")[0]))


def facts_for_others(place: Place, file: ParsedFile, *, of_same_object: bool) -> Given:
    """Return the facts that mean the same in another function: those about attributes, such as `args.distributed`.

    What a file has no word of cannot settle anything there, and `self` is somebody else in the methods of another
    object: the fewer facts come along, the more who ask have the same question. Where there are many, those that were
    given first stay.
    """
    found = (
        (text, holds)
        for text, holds in facts_at(place).outcomes.items()
        if "." in text and (of_same_object or "self." not in text) and file.has_attributes_of(text)
    )
    return _same(frozenset(islice(found, _MOST_FOR_OTHERS)))
