"""Errors of a session, shown in the editor: each once, until another one comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from traceback import format_exception
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torchlint.report import FileReport

if TYPE_CHECKING:
    from torchlint.errors import TorchlintError


@dataclass(slots=True)
class ErrorReporter:
    """Shows the user's mistakes, and logs ours."""

    server: LanguageServer
    _said: dict[str, str] = field(default_factory=dict[str, str])
    _refusal: str = ""

    def refused(self, error: TorchlintError) -> None:
        """Show why a file cannot be linted: its configuration, most likely, and then all files of the project."""
        if str(error) != self._refusal:
            self._refusal = str(error)
            self.server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, f"torchlint: {error}"))

    def broken(self, path: Path, error: Exception) -> None:
        """Log an internal error on a file, with its traceback."""
        way = "".join(format_exception(error)).rstrip()
        text = f"torchlint failed on {path}: this is a bug in torchlint, please report it\n{way}"
        self.server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, text))

    def linted(self, report: FileReport) -> None:
        """Log what failed or was stopped in a file, and forget earlier errors."""
        self._refusal = ""
        notes = (report.incompleteness,) if report.incompleteness else ()
        text = "\n".join(one.message for one in (*report.errors, *notes))
        if text and text != self._said.get(report.path):
            self.server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, text))
        self._said[report.path] = text
