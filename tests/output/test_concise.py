"""The one-line format and the statistics, to the letter."""

from __future__ import annotations

from dataclasses import replace

from tests.output.reports import TRAIN, flush, item_finding, nan_finding, plain_finding, report_of, settings, text_of
from torchlint.finding import Confidence, Finding, Severity, Span
from torchlint.report import FileReport

NAN = 'mask = x != float("nan")\n'


def run() -> list[FileReport]:
    return [
        FileReport("src/clean.py", suppressed=1),
        report_of(NAN, nan_finding("src/loss.py", NAN), path="src/loss.py"),
        report_of(TRAIN, item_finding()),
    ]


def vague(finding: Finding) -> Finding:
    return replace(finding, confidence=Confidence.LOW, fix=None)


def test_each_finding_is_a_line() -> None:
    assert text_of("concise", *run()) == flush(
        """
        src/loss.py:1:8: nan-comparison [*] is true of every number: use `torch.isnan`
        src/train.py:8:20: item-in-training-loop waits on every step: add up `loss.detach()`
        Found 2 findings (1 error, 1 warning) in 2 of 3 files, 0.41 s.
        [*] 1 fixable with `torchlint --fix` (1 more with `--fix --unsafe-fixes`).
        """
    )


def test_a_message_of_several_lines_stays_on_one() -> None:
    finding = plain_finding(Span(1, 1, 1, 2), path="a\nb.py", message="goes wrong:\n::error::")

    assert text_of("concise", report_of("x", finding), out=settings(quiet=True)) == (
        "a␊b.py:1:1: some-rule goes wrong:␊::error::\n"
    )


def test_only_safe_fixes_are_offered_plainly() -> None:
    text = text_of("concise", report_of(NAN, nan_finding("a.py", NAN)))

    assert text.endswith("\n[*] 1 fixable with `torchlint --fix`.\n")


def test_only_unsafe_fixes_are_offered_as_such() -> None:
    text = text_of("concise", report_of(TRAIN, item_finding()))

    assert text.endswith("\n[-] 1 fixable with `torchlint --fix --unsafe-fixes`.\n")


def test_where_nothing_can_be_fixed_nothing_is_offered() -> None:
    findings = [plain_finding(Span(1, 1, 1, 2), severity) for severity in Severity] * 2

    text = text_of("concise", report_of("x", *findings))

    assert text.endswith("\nFound 6 findings (2 errors, 2 warnings, 2 info) in 1 of 1 file, 0.41 s.\n")


def test_statistics_count_by_rule_in_place_of_the_findings() -> None:
    reports = [*run(), report_of(TRAIN, vague(item_finding("src/train.py")), item_finding(), path="src/more.py")]
    reports.append(report_of("x", plain_finding(Span(1, 1, 1, 2), Severity.INFO, path="z.py"), path="z.py"))

    text = text_of("concise", *reports, out=settings(statistics=True))

    assert text == text_of("full", *reports, out=settings(statistics=True))
    assert text == flush(
        """
          3  [-] item-in-training-loop  warning  high
          1  [*] nan-comparison         error    high
          1  [ ] some-rule              info     high
        Found 5 findings in 3 of 5 files. [*] 1 safe, [-] 2 unsafe fixes.
        Most affected: src/train.py (3), src/loss.py (1), z.py (1).
        """
    )


def test_quiet_statistics_are_the_table() -> None:
    text = text_of("concise", *run(), out=settings(statistics=True, quiet=True))

    assert text == "  1  [-] item-in-training-loop  warning  high\n  1  [*] nan-comparison         error    high\n"


def test_statistics_of_a_clean_run_say_that_it_is_clean() -> None:
    assert (
        text_of("concise", FileReport("a.py"), out=settings(statistics=True)) == "All checks passed (1 file, 0.41 s).\n"
    )
