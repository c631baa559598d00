"""What a rule reports: a mistake, its place, the story behind it and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Severity(Enum):
    """How much it hurts."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Confidence(Enum):
    """How sure the rule is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source: lines and columns start at 1, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class CellSpan:
    """A stretch of a notebook as its reader sees it: the cell, counted over cells of all kinds, and its lines."""

    cell: int
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """One place in the story behind a finding: `wrapped in DataParallel here`."""

    path: str
    span: Span
    words: str
    cell: CellSpan | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the finding's file and the text that takes its place."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class CellEdit:
    """An edit of one cell of a notebook, in the lines of the cell."""

    cell: int
    edit: Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend a finding; a safe fix never changes what a right program does.

    Of one that is not safe, `doubt` says what to look at. `cells` are the edits as the reader of a notebook sees them,
    once `edits` are those of its JSON.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool
    cells: tuple[CellEdit, ...] = ()
    doubt: str = ""

    def __post_init__(self) -> None:
        """Make each edit but once: two names of one package take one import."""
        object.__setattr__(self, "edits", tuple(dict.fromkeys(self.edits)))


@dataclass(frozen=True, slots=True)
class Cause:
    """What findings come of where one decision makes several: they are shown as one, with one message for all.

    `happens` and `advice` are the halves of that message, and `within` says what the others are places of: of the loop.
    `path` and `span` are where it is decided. Findings with equal causes are one, whichever rules they are of.
    """

    happens: str
    within: str
    advice: str
    path: str = ""
    span: Span | None = None

    def at(self, path: str, span: Span | None = None) -> Cause:
        """Return the same, decided at a place, or in a file as a whole."""
        return replace(self, path=path, span=span)


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake at one place.

    `path` is POSIX and relative to where torchlint ran; `trace` reads in the order in which things happen. Until it is
    shown, a finding in a notebook is one in the program of all its code cells; then `span` is in the file, as programs
    read it, and `cell` is what its reader sees. `cause` is what it has in common with others; only as it is shown,
    `related` are those others.
    """

    rule: str
    group: str
    path: str
    span: Span
    message: str
    severity: Severity
    confidence: Confidence
    trace: tuple[Step, ...] = ()
    fix: Fix | None = None
    cell: CellSpan | None = None
    cause: Cause | None = None
    related: tuple[Finding, ...] = ()

    @property
    def order(self) -> tuple[str, Span, str, str]:
        """Return what findings are sorted by: path, line, column, rule."""
        return (self.path, self.span, self.rule, self.message)

    @property
    def members(self) -> tuple[Finding, ...]:
        """Return the finding, and those that are shown with it."""
        return (self, *self.related)
