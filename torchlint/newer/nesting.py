"""How long it takes to parse a program: LibCST parses nested code repeatedly, most of all patterns."""

from __future__ import annotations

import re

from torchlint.comments import TEXT

# Measured: a step is some 4 µs. Ordinary programs take 4 to 8 for a token.
_MOST_STEPS, _MOST_FOR_A_TOKEN = 500_000, 20
_PATTERN_AGAIN, _DEEPEST_PATTERN = 4, 20
# Twenty tokens without a comma nest as much as a bracket: `not not …`, `a + b + …`, `a.b.c …`.
_LIKE_A_BRACKET = 20
_TOKEN = re.compile(
    rf"(?s)(?:{TEXT}|#[^\n]*|\\\n)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<newline>\n)"
    r"|(?P<parting>[,;])|(?P<case>^[ \t]*case\b)|(?P<other>\w+|[^\s\w])",
    re.MULTILINE,
)


class _Line:
    """A logical line: its tokens, how many brackets are around each, and how many tokens without a comma."""

    def __init__(self) -> None:
        self.tokens = self.brackets = self.chain = self._chained = 0
        self.is_case = False
        self.around: list[int] = []

    def take(self, kind: str | None) -> None:
        """Count a token."""
        self.tokens += 1
        match kind:
            case "open":
                self.around.append(self._chained)
            case "close" if self.around:
                self._chained = self.around.pop() + 1
            case "parting":
                self._chained = self.around[-1] if self.around else 0
            case _:
                self.is_case = self.is_case or kind == "case"
                self._chained += 1
        self.brackets = max(self.brackets, len(self.around))
        self.chain = max(self.chain, self._chained)

    @property
    def steps(self) -> int:
        """Return about how many steps LibCST's parser takes."""
        again = _PATTERN_AGAIN ** min(self.brackets, _DEEPEST_PATTERN) if self.is_case else 0
        return self.tokens * (1 + again + self.brackets + self.chain // _LIKE_A_BRACKET)


def is_soon_parsed(text: str) -> bool:
    """Tell whether LibCST parses a program in a time that grows with its length alone."""
    line, tokens, steps = _Line(), 0, 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "newline" and not line.around:
            tokens, steps = tokens + line.tokens, steps + line.steps
            line = _Line()
        elif token.lastgroup != "newline":
            line.take(token.lastgroup)
    return steps + line.steps <= _MOST_STEPS + _MOST_FOR_A_TOKEN * (tokens + line.tokens)
