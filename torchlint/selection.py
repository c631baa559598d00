"""Which rules run: what names, groups and `all` stand for, and which of them wins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from torchlint.errors import UsageError
from torchlint.nearest import suggestion
from torchlint.notices import NOTICES
from torchlint.rule import OptionValue, Rule

ALL = "all"


class Choice(Sequence[Rule]):
    """The rules that are chosen by name: to compare choices, they need not be imported."""

    def __init__(
        self,
        select: Sequence[str] | None,
        ignore: Sequence[str],
        options: Mapping[str, Mapping[str, OptionValue]],
        extend: Sequence[str] = (),
        *,
        preview: bool = False,
    ) -> None:
        self._asked = (select, ignore, options)
        self._extend = extend
        self._preview = preview

    @property
    def key(self) -> str:
        """Return a key that is the same for choices of the same rules; their names are not checked."""
        select, ignore, options = self._asked
        by_rule = sorted((name, sorted(values.items())) for name, values in options.items())
        return repr((select and sorted(select), sorted(ignore), by_rule, sorted(self._extend), self._preview))

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        return chosen_rules(*self._asked, extend=self._extend, preview=self._preview)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | Sequence[Rule]:
        return self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)


def chosen_rules(
    select: Sequence[str] | None,
    ignore: Sequence[str],
    options: Mapping[str, Mapping[str, OptionValue]],
    where: str = "--select",
    ignore_where: str = "--ignore",
    extend: Sequence[str] = (),
    *,
    preview: bool = False,
) -> tuple[Rule, ...]:
    """Return the rules that run, by name; with nothing selected, those that are on by default.

    Those of `extend` run as well. What is ignored does not run, except for a rule that is selected by its name and
    ignored by its group. A preview runs with `preview`, and if it is selected by its name.
    """
    from torchlint.registry import installed_rules

    mistakes = [*_unknown(select or (), where), *_unknown(ignore, ignore_where)]
    if mistakes:
        raise UsageError(*mistakes)
    rules = installed_rules().values()
    chosen = (rule for rule in rules if _is_chosen(rule, select, ignore, extend))
    named = {*(select or ()), *extend}
    return tuple(rule(options.get(rule.name)) for rule in chosen if preview or not rule.preview or rule.name in named)


def known_names() -> tuple[str, ...]:
    """Return every name that can be selected or ignored: of rules, of notices, of their groups, and `all`."""
    from torchlint.registry import installed_rules

    groups = {**{name: rule.group for name, rule in installed_rules().items()}, **NOTICES}
    return tuple(dict.fromkeys([*sorted(groups), *sorted(groups.values()), ALL]))


def covers(names: Collection[str], name: str, group: str) -> bool:
    """Tell whether any of the names means a rule or a notice: its own, its group's, or `all`."""
    return name in names or group in names or ALL in names


def unknown_name(name: str, known: Collection[str], where: str = "") -> str:
    """Return the message about an unknown name."""
    advice = suggestion(name, known) or "`torchlint rules` lists them all"
    return f"unknown rule `{name}`{f' in {where}' if where else ''}; {advice}"


def check_names(names: Sequence[str], where: str) -> None:
    """Raise `UsageError` for every unknown name."""
    if names and (mistakes := [*_unknown(names, where)]):
        raise UsageError(*mistakes)


def present_names(names: Sequence[str], where: str, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Return current names, and report each former one."""
    if not names:
        return ()
    from torchlint.registry import renamed_rules

    renamed = renamed_rules()
    for old in dict.fromkeys(names):
        if old in renamed:
            tell(f"{renaming(old, renamed[old])}, in {where}")
    return tuple(renamed.get(name, name) for name in names)


def renaming(old: str, new: str) -> str:
    """Return the message about a former name of a rule."""
    return f"the rule `{old}` is called `{new}` now"


def _unknown(names: Sequence[str], where: str) -> Iterator[str]:
    known = known_names()
    yield from (unknown_name(name, known, where) for name in dict.fromkeys(names) if name not in known)


def _is_chosen(rule: type[Rule], select: Sequence[str] | None, ignore: Sequence[str], extend: Sequence[str]) -> bool:
    selected = rule.default if select is None else covers(select, rule.name, rule.group)
    if not covers(ignore, rule.name, rule.group):
        return selected or covers(extend, rule.name, rule.group)
    return rule.name in (*(select or ()), *extend) and rule.name not in ignore
