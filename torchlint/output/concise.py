"""The format `concise`: one line for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Finding
from torchlint.output.first import first
from torchlint.output.place import place_of, sign
from torchlint.output.rule_links import at_hand
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.terminal.style import Style
from torchlint.terminal.text import printable


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file, one in a line, and the summary."""
    tally = Tally()
    for report in first(tally.counting(reports), out.most):
        if report.findings and not out.statistics:
            yield "".join(f"{place_of(finding)}: {_what(finding, out)}\n" for finding in report.findings)
    yield from closing(tally, out)


def _what(finding: Finding, out: OutputSettings) -> str:
    """Return the rule, in the colour of the severity and with a link to its page, and the message."""
    style = Style(out.color, out.hyperlinks)
    rule = style.grave(finding.rule, finding.severity)
    rule = style.link(rule, at_hand(finding.rule, out.site)) if out.hyperlinks else rule
    return f"{rule} {sign(finding)}{printable(finding.message)}"
