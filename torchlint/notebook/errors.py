"""Why a file is no notebook that can be linted."""

from __future__ import annotations

from torchlint.finding import Span


class NotebookError(Exception):
    """The text is no notebook that can be read: `reason` says why in one line, `span` says where in the file."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class OtherLanguageError(Exception):
    """The notebook is no program of Python: nothing is wrong with it, but there is nothing to lint either."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.language = language
