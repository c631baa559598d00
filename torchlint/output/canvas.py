"""The margin beside source on the screen, and which lines to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from torchlint.terminal.style import Style
from torchlint.terminal.text import Row, row

_WHOLE = 6
_HEAD = 3
_TAIL = 2


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where to draw: `gutter` is the width of line numbers, `width` the terminal's, None to cut nothing."""

    style: Style
    gutter: int
    width: int | None = None

    def lined(self, text: str = "", number: int | None = None, sign: str = "") -> str:
        """Return a line of a frame: its number, if it has one, a bar or a sign, and a text."""
        head = " " * self.gutter if number is None else self.style.ruled(f"{number:>{self.gutter}}")
        return f"{head} {sign or self.style.ruled('|')} {text}".rstrip()

    def row(self, line: str, focus: range, indent: int = 0) -> Row:
        """Return a line of source that fits beside the margin, cut around the focus if it must be."""
        room = self.width and max(1, self.width - self.gutter - len(" | ") - indent)
        return row(line, focus.start, focus.stop, room)


def folded(numbers: Sequence[int]) -> Sequence[int]:
    """Return a few lines as they are, of many the first and the last."""
    return numbers if len(numbers) <= _WHOLE else (*numbers[:_HEAD], *numbers[-_TAIL:])


def spaced(numbers: Iterable[int]) -> Iterator[int | None]:
    """Yield numbers of lines, and None where some are left out between them."""
    previous = None
    for number in numbers:
        if previous is not None and number > previous + 1:
            yield None
        yield number
        previous = number
