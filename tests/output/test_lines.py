"""The formats of a line for each finding that editors and review tools read, and the grouped one, to the letter."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given

from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, flush, item_finding, nan_finding, plain_finding, report_of, text_of
from torchlint.finding import Severity, Span
from torchlint.report import FileReport

NAN = 'mask = x != float("nan")\n'


def run() -> list[FileReport]:
    far = plain_finding(Span(1000, 1, 1000, 2), Severity.INFO, path="src/loss.py")
    return [
        FileReport("src/clean.py"),
        report_of(NAN, nan_finding("src/loss.py", NAN), far, path="src/loss.py"),
        report_of(TRAIN, item_finding()),
    ]


def test_gcc_is_as_compilers_write() -> None:
    assert text_of("gcc", *run()) == flush(
        """
        src/loss.py:1:8: error: is true of every number: use `torch.isnan` [nan-comparison]
        src/loss.py:1000:1: note: goes wrong: do it right [some-rule]
        src/train.py:8:20: warning: waits on every step: add up `loss.detach()` [item-in-training-loop]
        """
    )


def test_pylint_is_as_pylint_writes() -> None:
    assert text_of("pylint", *run()) == flush(
        """
        src/loss.py:1: [nan-comparison] is true of every number: use `torch.isnan`
        src/loss.py:1000: [some-rule] goes wrong: do it right
        src/train.py:8: [item-in-training-loop] waits on every step: add up `loss.detach()`
        """
    )


def test_grouped_puts_the_findings_of_a_file_below_its_name() -> None:
    assert text_of("grouped", *run()) == flush(
        """
        src/loss.py:
             1:8 nan-comparison [*] is true of every number: use `torch.isnan`
          1000:1 some-rule goes wrong: do it right

        src/train.py:
          8:20 item-in-training-loop waits on every step: add up `loss.detach()`

        Found 3 findings (1 error, 1 warning, 1 info) in 2 of 3 files, 0.41 s.
        [*] 1 fixable with `torchlint --fix` (1 more with `--fix --unsafe-fixes`).
        """
    )


def test_checkstyle_is_an_element_for_each_file_and_finding() -> None:
    assert text_of("checkstyle", *run()) == flush(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <checkstyle version="4.3">
          <file name="src/loss.py">
            <error line="1" column="8" severity="error" message="is true of every number: use `torch.isnan`" \
source="torchlint.nan-comparison"/>
            <error line="1000" column="1" severity="info" message="goes wrong: do it right" \
source="torchlint.some-rule"/>
          </file>
          <file name="src/train.py">
            <error line="8" column="20" severity="warning" message="waits on every step: add up `loss.detach()`" \
source="torchlint.item-in-training-loop"/>
          </file>
        </checkstyle>
        """
    )


@given(RUNS)
def test_checkstyle_is_xml_whatever_was_found(found: list[FileReport]) -> None:
    root = ElementTree.fromstring(text_of("checkstyle", *found).encode())

    assert len(root.findall("./file/error")) == sum(len(report.findings) for report in found)


@given(RUNS)
def test_a_line_is_a_finding(found: list[FileReport]) -> None:
    findings = sum(len(report.findings) for report in found)

    assert text_of("gcc", *found).count("\n") == text_of("pylint", *found).count("\n") == findings


def test_a_file_whose_name_is_a_command_begins_no_line() -> None:
    finding = replace(item_finding(), path=" ::error::x.py")

    for name in ("gcc", "pylint", "concise", "grouped"):
        assert text_of(name, FileReport(" ::error::x.py", (finding,))).startswith("./ ::error::x.py:")
