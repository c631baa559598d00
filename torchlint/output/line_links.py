"""Where a code host shows a line of the commit that a job runs for."""

from __future__ import annotations

import os
from urllib.parse import quote

from torchlint.finding import Span
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings

# What the runners set, and how their hosts name the lines of a file: a notebook shows lines as plain text only.
_HOSTS = (
    ("{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{GITHUB_SHA}/", "#L{}-L{}"),
    ("{CI_PROJECT_URL}/-/blob/{CI_COMMIT_SHA}/", "#L{}-{}"),
)


def line_address(path: str, span: Span, out: OutputSettings) -> str:
    """Return the address of some lines on the code host; empty outside of its jobs, and of its repository."""
    name = in_repository(path, out)
    if name.startswith(("/", "../")):
        return ""
    for files, lines in _HOSTS:
        try:
            start = files.format_map(os.environ)
        except KeyError:
            continue
        plain = "?plain=1" if name.endswith(".ipynb") else ""
        return start + quote(os.fsencode(name)) + plain + lines.format(span.line, max(span.line, span.end_line))
    return ""
