"""Compare the findings of a file with its comments, and the comments with the findings."""

from __future__ import annotations

import sys
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torchlint.finding import Confidence, Edit, Finding, Fix, Severity
from torchlint.nearest import nearest
from torchlint.notices import GROUP, NOTICES, RENAMED_IGNORE, UNUSED_IGNORE
from torchlint.suppression.amending import Amending
from torchlint.suppression.comments import comments_of
from torchlint.suppression.coverage import Coverage, FoundLines
from torchlint.suppression.directives import Directive, Mistake, Order, directives, whole_of
from torchlint.suppression.nearmisses import BLANKET, Meant

_TO_THE_END = sys.maxsize
_ALONE = frozenset({"ignore", "file-ignore"})
_LONGEST_NAME = 28
_GUESSED = "the name is a guess, as that rule has no finding there"


@dataclass(frozen=True, slots=True)
class _Silence:
    """The lines on which a directive holds."""

    order: Order
    lines: range
    name: str


def held_against(
    path: str,
    text: str,
    findings: Sequence[Finding],
    known: Collection[str],
    ran: Container[str],
    renamed: Mapping[str, str],
) -> tuple[tuple[Finding, ...], int]:
    """Return what `suppress` does, for a file that may have such comments."""
    comments, are_all = comments_of(text)
    orders = [directive for comment in comments for directive in directives(comment, known)]
    silences, mistakes = _silences(orders, renamed)
    coverage, found = Coverage((silence.name, silence.lines) for silence in silences), FoundLines(findings)
    remaining = [finding for finding in findings if not coverage.covers(finding)]
    suppressed = len(findings) - len(remaining)
    if are_all:
        used = [silence for silence in silences if found.has(silence.name, silence.lines)]
        idle = [silence for silence in silences if not found.has(silence.name, silence.lines)]
        heard = FoundLines(one for one in remaining if one.rule not in NOTICES)
        amending = Amending(text.split("\n"), heard, known, ran, renamed)
        mistakes += _judged(idle, amending)
        remaining += [_finding(path, mistake, amending) for mistake in mistakes]
        remaining += [_renaming(path, silence) for silence in used if _is_old(silence)]
    return tuple(remaining), suppressed


def _finding(path: str, mistake: Mistake, amending: Amending) -> Finding:
    grade = Severity.WARNING, Confidence.HIGH
    advice = f": {amending.advice(mistake.meant)}" if mistake.meant is not None else ""
    message = f"{mistake.message}{advice}"
    return Finding(UNUSED_IGNORE, GROUP, path, mistake.span, message, *grade, fix=amending.fix(mistake))


def _is_old(silence: _Silence) -> bool:
    """Tell whether a comment of ours has a former name of its rule; a `noqa` is never reported."""
    return silence.name != silence.order.name and silence.order.verb in _ALONE


def _renaming(path: str, silence: _Silence) -> Finding:
    order = silence.order
    message = f"`{_clipped(order.name)}` is the former name of `{silence.name}`: write that"
    grade = Severity.INFO, Confidence.HIGH
    fix = Fix(f"Write `{silence.name}`", (Edit(order.span, silence.name),), safe=True)
    return Finding(RENAMED_IGNORE, GROUP, path, order.span, message, *grade, fix=fix)


def _silences(orders: Iterable[Directive], renamed: Mapping[str, str]) -> tuple[list[_Silence], list[Mistake]]:
    """Return what is suppressed where, and the mistakes."""

    def silence(order: Order, lines: range) -> _Silence:
        return _Silence(order, lines, renamed.get(order.name, order.name))

    silences: list[_Silence] = []
    mistakes: list[Mistake] = []
    disabled: dict[str, Order] = {}
    for order in orders:
        match order:
            case Mistake():
                mistakes.append(order)
            case Order(verb="file-ignore"):
                silences.append(silence(order, range(_TO_THE_END)))
            case Order(verb="disable") if order.name in disabled:
                mistakes.append(Mistake(order.span, f"`{_clipped(order.name)}` is disabled already: remove it", order))
            case Order(verb="disable"):
                disabled[order.name] = order
            case Order(verb="enable"):
                if (start := disabled.pop(order.name, None)) is None:
                    mistakes.append(
                        Mistake(order.span, f"`{_clipped(order.name)}` is not disabled here: remove it", order)
                    )
                else:
                    silences.append(silence(start, range(start.span.line, order.span.line)))
            case Order():
                silences.append(silence(order, order.comment.lines))
    silences += [silence(start, range(start.span.line, _TO_THE_END)) for start in disabled.values()]
    return silences, mistakes


def _judged(idle: Iterable[_Silence], amending: Amending) -> Iterator[Mistake]:
    """Yield the mistakes in directives that suppress nothing."""
    for silence in idle:
        order, name = silence.order, _clipped(silence.order.name)
        if order.verb == "noqa":
            continue
        if silence.name not in amending.known:
            yield _unknown(silence, amending)
        elif silence.name in amending.ran:
            # A `disable` has an `enable` somewhere, which would be left behind.
            yield Mistake(
                order.span, f"`{name}` ignores nothing here: remove it", order if order.verb in _ALONE else None
            )


def _unknown(silence: _Silence, amending: Amending) -> Mistake:
    """Return the mistake of an unknown name."""
    order, name = silence.order, _clipped(silence.order.name)
    if order.name in BLANKET and order.verb in _ALONE and (whole := whole_of(order)) is not None:
        message = f"`{name}` ignores nothing, as rules are ignored by their names"
        return Mistake(order.span, message, meant=Meant(order.verb, (), order.comment, whole))
    message = f"unknown rule `{name}` ignores nothing: {_advice(order.name, amending.known)}"
    instead = amending.replacement(order.name, silence.lines)
    if instead is None:
        near = nearest(order.name, sorted(amending.known)) or ""
        return Mistake(order.span, message, order if near else None, near, doubt=_GUESSED)
    removable = order.verb in _ALONE
    return Mistake(order.span, message, order if removable or instead else None, instead)


def _advice(name: str, known: Collection[str]) -> str:
    near = nearest(name, sorted(known))
    return f"write `{near}`" if near else "`torchlint rules` lists them all"


def _clipped(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
