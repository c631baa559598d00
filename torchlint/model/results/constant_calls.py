"""What `len`, `str`, `int` and `float` return for constants.

Names are followed to a constant only if they are about devices: the number of GPUs decides a test, the number of layers
does not, and most arguments of `len` take long to find.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.containers.lists import added_to
from torchlint.model.place import Place
from torchlint.model.values.folding import constant, in_text
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Display, Literal, Number, Text, ValueSet, known
from torchlint.syntax.arguments import has_star
from torchlint.syntax.device_words import asks_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

Answer: TypeAlias = "Callable[[Evaluator, Place], ValueSet]"

# Expressions whose value takes following: names, calls, attributes and items.
_FOLLOWED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def text_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `str(x)` returns: the text of a constant, else some text."""
    only = only_literal(_worth_following(ev, place))
    text = in_text(only) if only is not None else None
    return known(Text() if text is None else Literal(text), place)


def converted_by(convert: Callable[[str], int | float]) -> Answer:
    """Return what `int(x)` or `float(x)` returns: the numbers of literals, else some number."""
    return lambda ev, place: converted(convert, _worth_following(ev, place), place)


def converted(convert: Callable[[str], int | float], possible: ValueSet, place: Place) -> ValueSet:
    """Return the numbers that the call at a place makes of literals; some number if one of them is anything else."""
    literals = [one.value for one in possible if isinstance(one.value, Literal) and one.value.value is not None]
    if not possible or len(literals) < len(possible):
        return known(Number(), place)
    texts = [in_text(one) for one in literals]
    try:
        return either(*(known(constant(convert(text or "")), place) for text in texts))
    except ValueError:
        return known(Number(), place)


def length_of(ev: Evaluator, place: Place) -> ValueSet:
    """`len(gpus)`: known of displays, which are looked for where they may decide something about devices."""
    possible = _worth_following(ev, place)
    if len(possible) == 1:
        match possible[0].value:
            case Display(place=written):
                items = getattr(written.expression, "elts", None)
                if items is not None and not _grows(written) and not has_star(items):
                    return known(Literal(len(items)), place)
            case Literal(value=str(text)):
                return known(Literal(len(text)), place)
    return known(Number(), place)


def _grows(written: Place) -> bool:
    """Tell whether a list is appended to after its display."""
    return isinstance(written.expression, ast.List) and any(True for _ in added_to(written))


def only_literal(possible: ValueSet) -> Literal | None:
    """Return the one constant that something is, None if it may be anything else."""
    value = possible[0].value if len(possible) == 1 else None
    return value if isinstance(value, Literal) else None


def _worth_following(ev: Evaluator, place: Place) -> ValueSet:
    """Return what the first argument may be if a constant decides something: a literal, or one about devices."""
    call = place.expression
    assert isinstance(call, ast.Call)
    first = call.args[0] if call.args else None
    # In one iteration of a loop, its counter is a number.
    is_counted = place.frame is not None and bool(place.frame.iterations)
    if first is None or (isinstance(first, _FOLLOWED) and not is_counted and not _is_of_devices(place, first)):
        return ()
    return ev.evaluate(place.at(first))


def _is_of_devices(place: Place, node: ast.expr) -> bool:
    """Tell whether an expression is about devices, or the name of an item of such a one: `for s in ids.split(",")`."""
    followed: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if asks_about_device(one):
            return True
        if isinstance(one, ast.Name) and one.id not in followed:
            waiting += _sources(place, one.id, ("assign", "iterate") if followed else ("iterate",))
            followed.add(one.id)
    return False


def _sources(place: Place, name: str, kinds: tuple[str, ...]) -> Iterator[ast.expr]:
    """Yield what a name is bound to in one of these ways, or iterates over in a comprehension around a place."""
    for binding in place.scope.bindings.get(name, ()):
        if binding.value is not None and binding.kind in kinds:
            yield binding.value
    parents = place.file.parents_in(place.statement)
    for around in parents if parents.bind else ():
        match around:
            case ast.comprehension(target=ast.Name(id=item)) if item == name:
                yield around.iter
