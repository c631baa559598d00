"""The conventions that the manual, the command line and the verifier rely on, for the rules of any package."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from itertools import chain
from pathlib import Path

from torchlint.programs import Program
from torchlint.registry import rules_of
from torchlint.rule import Rule
from torchlint.testing.case import Case, cases, folders_of
from torchlint.verify.claims import UnknownClaimError
from torchlint.verify.fixtures import head_of

_LONGEST_SUMMARY = 79
_LONGEST_MESSAGE = 160


def unkept(package: str) -> list[str]:
    """Return a sentence for each convention that a package of rules breaks."""
    rules = list(rules_of(package))
    own: dict[type[Rule], list[Case]] = {rule: [] for rule in rules}
    for case in cases(package):
        own[case.rule].append(case)
    return [*_strays(package, rules), *chain.from_iterable(_unkept_by(rule, own[rule]) for rule in rules)]


def _strays(package: str, rules: Sequence[type[Rule]]) -> Iterator[str]:
    if not rules:
        yield f"`{package}` has no rules"
    names = {rule.name for rule in rules}
    for folder in folders_of(package):
        for path in sorted(folder.iterdir()):
            if any(path.glob("bad*")) and path.name not in names:
                yield f"fixtures/{path.name} belongs to no rule"


def _unkept_by(rule: type[Rule], own: Sequence[Case]) -> Iterator[str]:
    told = chain(_naming(rule), _page(rule), _programs(own), _messages(own), _travel(rule))
    yield from (f"`{rule.name}`: {words}" for words in told)


def _naming(rule: type[Rule]) -> Iterator[str]:
    stem = Path(sys.modules[rule.__module__].__file__ or "").stem
    if stem.replace("_", "-") != rule.name:
        yield f"its module is `{stem}`, not `{rule.name.replace('-', '_')}`"


def _page(rule: type[Rule]) -> Iterator[str]:
    summary, _, reasons = cleandoc(rule.__doc__ or "").partition("\n")
    if len(summary) > _LONGEST_SUMMARY or not summary.endswith("."):
        yield f"its page opens with no sentence of {_LONGEST_SUMMARY} characters or less"
    if not reasons.strip():
        yield "its page says what to do, and not why"


def _programs(own: Sequence[Case]) -> Iterator[str]:
    for kind in ("bad", "good"):
        if kind not in [case.kind for case in own]:
            yield f"it has no {kind} program"
    for case in own:
        path = case.program / "main.py" if case.program.is_dir() else case.program
        try:
            head = head_of(Program(path, path.read_text("utf-8")).claims)
        except UnknownClaimError as error:
            yield f"{case.program.name} {error}"
            continue
        if case.kind == "bad" and not (head.claim or head.unproved):
            yield f"{case.program.name} claims nothing, and does not say why"
        if case.kind == "bad" and not case.marked():
            yield f"{case.program.name} marks no line"


def _messages(own: Sequence[Case]) -> Iterator[str]:
    """Yield what is wrong with messages: each stands alone, says what happens and, after a semicolon, what to do."""
    wrong = (case for case in own if case.kind == "bad")
    for message in dict.fromkeys(finding.message for case in wrong for finding in case.findings()):
        if len(message) > _LONGEST_MESSAGE:
            yield f"a message is longer than {_LONGEST_MESSAGE} characters: {message}"
        if "; " not in message and ": " not in message:
            yield f"a message does not say after a semicolon what to do: {message}"
        if "`" not in message:
            yield f"a message quotes no code, and so does not say by itself what it is about: {message}"
        if message.endswith(".") or not (message[:1].islower() or message.startswith("`")):
            yield f"a message starts with a capital or ends with a full stop: {message}"


def _travel(rule: type[Rule]) -> Iterator[str]:
    """Yield why a rule cannot be pickled for a worker."""
    try:
        copy = pickle.loads(pickle.dumps(rule()))  # noqa: S301 -- our own bytes
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        yield f"it cannot be sent to a worker: {error}"
        return
    if type(copy) is not rule or copy.options != rule().options:
        yield "another rule arrives where it is sent to a worker"
