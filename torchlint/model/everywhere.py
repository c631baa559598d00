"""The answers that are the same in every world, kept once for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.asked import Kept
    from torchlint.model.callers import Caller
    from torchlint.model.frame import Frame
    from torchlint.model.place import Place
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.targets import Targets
    from torchlint.model.values import Class, Device, Function, Possibility, Possible


@dataclass(slots=True)
class Everywhere:
    """Answers of which none looks at what the machine has, or at the options: most do not."""

    values: dict[Place, Kept[Possible]] = field(default_factory=dict)
    truths: dict[Place, Kept[bool | None]] = field(default_factory=dict)
    callers: dict[Function, Kept[tuple[Caller, ...]]] = field(default_factory=dict)
    returned: dict[tuple[Function, Frame | None], Kept[Possible]] = field(default_factory=dict)
    elements: dict[Possibility, Kept[Possible]] = field(default_factory=dict)
    items: dict[tuple[Possibility, object], Kept[Possible]] = field(default_factory=dict)
    residences: dict[Place, Kept[Device | None]] = field(default_factory=dict)
    subclasses: dict[Class, Kept[tuple[Class, ...]]] = field(default_factory=dict)
    globals: dict[tuple[SourceFile, str], Kept[Possible]] = field(default_factory=dict)
    targets: dict[tuple[SourceFile, str], Kept[Targets | None]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return sum(len(getattr(self, one.name)) for one in fields(self))

    def forget(self) -> None:
        """Drop every answer."""
        for one in fields(self):
            getattr(self, one.name).clear()
