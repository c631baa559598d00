"""Tell which files were not looked at although they were found."""

from __future__ import annotations

from collections.abc import Iterable

from torchlint.cli.streams import tell
from torchlint.report import FileReport


def tell_left_out(reports: Iterable[FileReport]) -> None:
    """Tell of notebooks in other languages, in a line: nothing is wrong with them, but they are not clean either."""
    left_out = [report for report in reports if report.left_out]
    if len(left_out) == 1:
        tell(f"note: {left_out[0].path} was not checked: it is {left_out[0].left_out}")
    elif left_out:
        kinds = sorted({report.left_out for report in left_out})
        tell(f"note: {len(left_out)} files were not checked, each of them {' or '.join(kinds)}")
