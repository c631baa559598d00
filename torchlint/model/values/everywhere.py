"""The answers that are the same in every world, kept once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.linking.targets import Found
    from torchlint.model.place import Caller, Place
    from torchlint.model.values.possible import Class, Device, Frame, Function, Possibility, Possible
    from torchlint.model.values.questions import Answered


@dataclass(slots=True)
class Everywhere:
    """Answers of which none looks at what the machine has, or at the options: most do not."""

    values: Answered[Place, Possible] = field(default_factory=dict)
    truths: Answered[Place, bool | None] = field(default_factory=dict)
    callers: Answered[Function, tuple[Caller, ...]] = field(default_factory=dict)
    returned: Answered[tuple[Function, Frame | None], Possible] = field(default_factory=dict)
    elements: Answered[Possibility, Possible] = field(default_factory=dict)
    items: Answered[tuple[Possibility, object], Possible] = field(default_factory=dict)
    residences: Answered[Place, Device | None] = field(default_factory=dict)
    subclasses: Answered[Class, tuple[Class, ...]] = field(default_factory=dict)
    globals: Answered[tuple[ParsedFile, str], Possible] = field(default_factory=dict)
    targets: Found = field(default_factory=dict)
    tables: dict[object, Answered[tuple[object, ...], object]] = field(default_factory=dict)
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
