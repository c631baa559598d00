"""Which rules and groups are enabled in a file, and which of them were run completely there."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING

from torchlint.engine.job import is_named
from torchlint.notices import NOTICES
from torchlint.registry import installed_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchlint.rule import Rule


class EnabledRules:
    """The rules of a job; nearly all files have the same ones disabled, so that each such set is asked about once."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._but_for: dict[frozenset[str], frozenset[str]] = {}
        self._completed: dict[frozenset[str], frozenset[str]] = {}

    @cached_property
    def _groups(self) -> dict[str, str]:
        """Return the group of everything that a comment may name."""
        rules: tuple[type[Rule] | Rule, ...] = (*installed_rules().values(), *self._rules)
        return {rule.name: rule.group for rule in rules} | dict(NOTICES)

    @cached_property
    def known(self) -> frozenset[str]:
        """Return the names of all rules and groups that a comment may name."""
        return frozenset(self._groups) | frozenset(self._groups.values())

    def but_for(self, ignored: frozenset[str]) -> frozenset[str]:
        """Return the rules that are enabled where some names are disabled."""
        if (known := self._but_for.get(ignored)) is None:
            names = (rule.name for rule in self._rules if not is_named(ignored, rule.name, rule.group))
            known = self._but_for[ignored] = frozenset(names)
        return known

    def completed(self, ignored: frozenset[str], unfinished: AbstractSet[str]) -> frozenset[str]:
        """Return the rules that were run completely in a file, and the groups all of whose rules were."""
        rules = self.but_for(ignored) - unfinished
        if (known := self._completed.get(rules)) is None:
            left_out = {group for name, group in self._groups.items() if name not in rules and name not in NOTICES}
            known = self._completed[rules] = rules | (set(self._groups.values()) - left_out) | set(NOTICES)
        return known
