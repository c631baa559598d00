"""Text styles for a terminal: colour, which never carries a meaning alone, and links."""

from __future__ import annotations

from dataclasses import dataclass

from torchlint.finding import Severity

_BOLD = "1"
_FAINT = "2"
_MARKED = "1;31"
_BRIGHT_BLUE = "1;94"
_CHANGES = {"-": "31", "+": "32", "@": "36"}
_SEVERITY = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}


@dataclass(frozen=True, slots=True)
class Style:
    """The terminal's abilities; without any, every text is unchanged."""

    color: bool = False
    hyperlinks: bool = False

    def grave(self, text: str, severity: Severity) -> str:
        """Return a text in the colour of a severity."""
        return self._painted(text, _SEVERITY[severity])

    def bold(self, text: str) -> str:
        """Return a text in bold."""
        return self._painted(text, _BOLD)

    def faint(self, text: str) -> str:
        """Return a text in a faint colour."""
        return self._painted(text, _FAINT)

    def marked(self, text: str) -> str:
        """Return a comment that marks a mistake."""
        return self._painted(text, _MARKED)

    def ruled(self, text: str) -> str:
        """Return a part of the frame around source: bars, arrows, line numbers."""
        return self._painted(text, _BRIGHT_BLUE)

    def changed(self, text: str, sign: str) -> str:
        """Return a line of a diff, whose sign says whether it is removed or added."""
        return self._painted(text, _CHANGES[sign]) if sign in _CHANGES else text

    def link(self, text: str, uri: str) -> str:
        """Return a text that leads to a URI when it is clicked."""
        return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\" if self.hyperlinks and uri else text

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text
