"""The contents of a file in the editor after fixes, or with a comment that ignores a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from torchlint.adoption import CannotIgnoreError, with_ignores
from torchlint.finding import Finding
from torchlint.fixing import fix_all
from torchlint.server.projects import Checked


def with_safe_fixes(checked: Checked, unsaved: Mapping[Path, bytes]) -> bytes:
    """Return the bytes of a file with every safe fix made; `unsaved` are all open files of its project."""
    job, report = checked.planned.job, checked.report
    safe = tuple(finding for finding in report.findings if finding.fix and finding.fix.safe)
    reports = {report.path: replace(report, findings=safe)}
    mended = fix_all(job, unsaved, reports, lambda fix: fix.safe)
    return mended[0].after if mended else checked.document.data


def with_comment(checked: Checked, finding: Finding) -> bytes | None:
    """Return the bytes of a file with a comment that ignores a finding, or None if none can be written."""
    try:
        return with_ignores(checked.report.path, checked.document.data, [finding]).after
    except CannotIgnoreError:
        return None
