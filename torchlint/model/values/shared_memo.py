"""The answers that are the same in every world, kept once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from torchlint.inference.engine.query import Memo
    from torchlint.model.call_graph.call_sites import Found
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Caller, Place
    from torchlint.model.values.value_sets import Class, Device, Frame, Function, Possibility, ValueSet


@dataclass(slots=True)
class SharedMemo:
    """Answers that depend neither on the machine's devices nor on the options: most do not."""

    values: Memo[Place, ValueSet] = field(default_factory=dict)
    truths: Memo[Place, bool | None] = field(default_factory=dict)
    callers: Memo[Function, tuple[Caller, ...]] = field(default_factory=dict)
    returned: Memo[tuple[Function, Frame | None], ValueSet] = field(default_factory=dict)
    elements: Memo[Possibility, ValueSet] = field(default_factory=dict)
    items: Memo[tuple[Possibility, object], ValueSet] = field(default_factory=dict)
    residences: Memo[Place, Device | None] = field(default_factory=dict)
    subclasses: Memo[Class, tuple[Class, ...]] = field(default_factory=dict)
    globals: Memo[tuple[ParsedFile, str], ValueSet] = field(default_factory=dict)
    targets: Found = field(default_factory=dict)
    tables: dict[object, Memo[tuple[object, ...], object]] = field(default_factory=dict)
    """The answers of tabled walks, by the walk."""

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return sum(map(len, self._all()))

    def forget(self) -> None:
        """Drop every answer."""
        for answers in self._all():
            answers.clear()

    def _all(self) -> Iterator[dict[object, object]]:
        yield from (getattr(self, one.name) for one in fields(self) if one.name != "tables")
        yield from cast("Iterable[dict[object, object]]", self.tables.values())
