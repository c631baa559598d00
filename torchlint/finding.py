"""What a rule reports: a mistake, its place, its trace and its fix."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torchlint.levels import Confidence as Confidence, Severity as Severity


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A span of source: lines and columns start at 1, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class CellSpan:
    """A span of a notebook for its reader: the cell, counted over cells of all kinds, and its lines."""

    cell: int
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """One place in the trace of a finding: `wrapped in DataParallel here`."""

    path: str
    span: Span
    words: str
    cell: CellSpan | None = None
    is_assumed: bool = False
    """Whether nothing in view proves it: a finding that it leads to has medium confidence, and is no error."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of the finding's file and the text that replaces it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class CellEdit:
    """An edit of one cell of a notebook, in the lines of the cell."""

    cell: int
    edit: Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding; a safe fix never changes what a correct program does.

    For an unsafe one, `doubt` says what to check. `cells` are the edits for the reader of a notebook, once `edits` are
    those of its JSON.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool
    cells: tuple[CellEdit, ...] = ()
    doubt: str = ""

    def __post_init__(self) -> None:
        """Make each edit only once: two names of one package take one import."""
        object.__setattr__(self, "edits", tuple(dict.fromkeys(self.edits)))


@dataclass(frozen=True, slots=True)
class Cause:
    """The common cause of several findings, one decision: they are shown as one, with one message for all.

    `happens` and `advice` are the halves of that message, and `within` says what the others are places of: in the loop.
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

    `path` is POSIX and relative to the working directory; `trace` is in execution order. Until it is shown, a finding
    in a notebook is one in the program of all its code cells; then `span` is in the file, as programs read it, and
    `cell` is what its reader sees. `cause` is common to several findings; only when it is shown, `related` are the
    others.
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
        """Return the sort key of findings: path, line, column, rule."""
        return (self.path, self.span, self.rule, self.message)

    @property
    def members(self) -> tuple[Finding, ...]:
        """Return the finding, and those that are shown with it."""
        return (self, *self.related)
