"""How many files are left out of a run although they are Python, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from torchlint.files.display_path import shown

GITIGNORE = ".gitignore"
EXCLUDE = "`exclude`"
INCLUDE = "`include`"
ENVIRONMENT = "virtual environment"
IRREGULAR = "not a regular file"
DANGLING = "a link without a target"
LINKED = "in a linked folder"
_KINDS = frozenset({IRREGULAR, DANGLING, LINKED})
_MOST_NAMED = 3


@dataclass(slots=True)
class LeftOut:
    """Files that are left out, by what leaves them out, and folders that were not searched, by kind.

    With `is_cut` there are more files than were counted.
    """

    files: Counter[str] = field(default_factory=Counter[str])
    folders: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    is_cut: bool = False

    def pass_over(self, folder: str, kind: str) -> None:
        """Note a folder that is not searched."""
        self.folders.setdefault(kind, []).append(folder)

    def add(self, other: LeftOut) -> None:
        """Add the counts of another one."""
        self.files += other.files
        self.is_cut = self.is_cut or other.is_cut
        for kind, folders in other.folders.items():
            self.folders.setdefault(kind, []).extend(folders)

    @property
    def words(self) -> str:
        """Return how many files are left out, and why; empty if none are."""
        total = self.files.total()
        if not total:
            return ""
        number = f"{'at least ' if self.is_cut else ''}{total} file{'s' * (total != 1)}"
        if len(self.files) == 1:
            return f"{number} left out {_because(next(iter(self.files)))}"
        return (
            f"{number} left out: {', '.join(f'{files} {_because(why)}' for why, files in sorted(self.files.items()))}"
        )

    @property
    def details(self) -> list[str]:
        """Return the same, and which folders were not searched, a line for each kind."""
        lines = [self.words] if self.files else []
        for kind, folders in sorted(self.folders.items()):
            named = ", ".join(shown(folder) for folder in sorted(folders)[:_MOST_NAMED])
            more = f" and {len(folders) - _MOST_NAMED} more" if len(folders) > _MOST_NAMED else ""
            lines.append(f"not looked into ({kind}): {named}{more}")
        return lines


def _because(why: str) -> str:
    return f"({why})" if why in _KINDS else f"by {why}"
