"""The default format, to the letter."""

from __future__ import annotations

from pathlib import Path

from tests.output.reports import (
    TRAIN,
    flush,
    item_finding,
    nan_finding,
    plain_finding,
    report_of,
    settings,
    span_of,
    text_of,
)
from torchlint.errors import RunError
from torchlint.finding import Edit, Fix, Severity, Span, Step
from torchlint.report import FileReport

LOSS = """\
def masked(x):
    mask = x != float("nan"); y = x.cuda()  # 日本 🎉
"""


def test_a_finding_is_told_with_its_code_its_trace_and_its_fix() -> None:
    reports = [
        FileReport("src/clean.py"),
        report_of(LOSS, nan_finding("src/loss.py", LOSS), path="src/loss.py"),
        report_of(TRAIN, item_finding()),
    ]

    text = text_of("full", *reports)

    assert text == flush(
        """
        error[nan-comparison] [*] is true of every number: use `torch.isnan`
          --> src/loss.py:2:12
           |
         2 |     mask = x != float("nan"); y = x.cuda()  # 日本 🎉
           |            ^^^^^^^^^^^^^^^^^
           |
        help: Use `~torch.isnan(x)` (safe fix)
           |
           -     mask = x != float("nan"); y = x.cuda()  # 日本 🎉
         2 +     mask = ~torch.isnan(x); y = x.cuda()  # 日本 🎉
           |
        note: see `torchlint explain nan-comparison`

        warning[item-in-training-loop] waits on every step: add up `loss.detach()`
          --> src/train.py:8:20
           |
         5 |     for step, (x, y) in enumerate(loader):
           |     -------------------------------------- runs once per batch
        ...
         8 |         running += loss.item()
           |                    ^^^^^^^^^^^
           |
        help: Add up `loss.detach()` (unsafe fix)
           |
           -         running += loss.item()
         8 +         running += loss.detach()
           |
        note: see `torchlint explain item-in-training-loop`

        Found 2 findings (1 error, 1 warning) in 2 of 3 files, 0.41 s.
        [*] 1 fixable with `torchlint --fix` (1 more with `--fix --unsafe-fixes`).
        """
    )


def test_a_rule_is_introduced_once() -> None:
    text = text_of("full", report_of(TRAIN, item_finding()), report_of(TRAIN, item_finding("b.py"), path="b.py"))

    assert text.count("note: see `torchlint explain item-in-training-loop`") == 1


def test_a_step_in_another_file_is_quoted_from_there(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text(
        "def main(model):\n    model = DataParallel(\n        model)\n    save(model)\n"
    )
    source = "def save(model):\n    torch.save(model.state_dict(), PATH)\n"
    trace = (
        Step("src/main.py", Span(2, 13, 3, 15), "wrapped in `DataParallel` here"),
        Step("src/main.py", Span(4, 5, 4, 16), "passed to `save` here"),
        Step("src/a.py", Span(1, 10, 1, 15), "as `model`"),
    )
    finding = plain_finding(span_of(source, "model.state_dict()"), Severity.ERROR, path="src/a.py", trace=trace)

    text = text_of("full", report_of(source, finding, path="src/a.py"), out=settings(cwd=tmp_path, quiet=True))

    assert text == flush(
        """
        error[some-rule] goes wrong: do it right
          --> src/a.py:2:16
           |
         2 |     torch.save(model.state_dict(), PATH)
           |                ^^^^^^^^^^^^^^^^^^
           |
          ::: src/main.py:2:13
           |
         2 |     model = DataParallel(
           |             ------------- wrapped in `DataParallel` here
        ...
         4 |     save(model)
           |     ----------- passed to `save` here
           |
          ::: src/a.py:1:10
           |
         1 | def save(model):
           |          ----- as `model`
           |

        """
    )


def test_a_step_whose_file_cannot_be_read_is_told_without_its_code(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text("x = 1\n")
    trace = (
        Step("gone.py", Span(12, 5, 12, 9), "wrapped here"),
        Step("short.py", Span(40, 1, 40, 2), "passed on here"),
    )
    finding = plain_finding(Span(1, 1, 1, 6), path="a.py", trace=trace)

    text = text_of("full", report_of("save()\n", finding, path="a.py"), out=settings(cwd=tmp_path, quiet=True))

    assert text == flush(
        """
        warning[some-rule] goes wrong: do it right
          --> a.py:1:1
           |
         1 | save()
           | ^^^^^
           |
          ::: gone.py:12:5: wrapped here
          ::: short.py:40:1: passed on here

        """
    )


def test_a_trace_that_jumps_back_is_read_in_its_own_order() -> None:
    source = "def save(model):\n    dump(model)\n\nnet = wrap(net)\nsave(net)\n"
    trace = (
        Step("a.py", span_of(source, "wrap(net)"), "wrapped here"),
        Step("a.py", span_of(source, "save(net)"), "passed on here"),
        Step("a.py", span_of(source, "save(model)"), "to this function"),
    )
    finding = plain_finding(span_of(source, "dump(model)"), trace=trace)

    text = text_of("full", report_of(source, finding, path="a.py"), out=settings(quiet=True))

    assert [line for line in text.split("\n") if "a.py" in line] == [
        "  --> a.py:2:5",
        "  ::: a.py:4:7",
        "  ::: a.py:1:5",
    ]
    assert text.index("wrapped here") < text.index("passed on here") < text.index("to this function")


def test_a_file_without_lines_is_reported_without_code() -> None:
    finding = plain_finding(
        Span(3, 7, 3, 8),
        Severity.ERROR,
        path="latin.py",
        message="not valid UTF-8: byte 0xe9 at line 3, column 7",
        rule="unreadable-source",
    )

    text = text_of("full", FileReport("latin.py", (finding,)))

    assert text == flush(
        """
        error[unreadable-source] not valid UTF-8: byte 0xe9 at line 3, column 7
          --> latin.py:3:7
        note: see `torchlint explain unreadable-source`

        Found 1 finding (1 error) in 1 of 1 file, 0.41 s.
        note: 1 file could not be read in full: rules may have missed mistakes there
        """
    )


def test_line_numbers_line_up_over_frames_and_diffs() -> None:
    source = "\n".join(["x = 1"] * 120)
    fix = Fix("Import it", (Edit(Span(1, 1, 1, 1), "import y\n"),), safe=True)
    finding = plain_finding(Span(101, 1, 101, 2), fix=fix, trace=(Step("a.py", Span(7, 1, 7, 2), "here"),))

    text = text_of("full", report_of(source, finding, path="a.py"), out=settings(quiet=True))

    assert text == flush(
        """
        warning[some-rule] [*] goes wrong: do it right
           --> a.py:101:1
            |
          7 | x = 1
            | - here
        ...
        101 | x = 1
            | ^
            |
        help: Import it (safe fix)
            |
          1 + import y
            |

        """
    )


def test_there_is_room_for_the_numbers_that_a_fix_makes() -> None:
    source = "\n".join(["x = 1"] * 99)
    fix = Fix("Say it", (Edit(Span(99, 1, 99, 1), "y = 2\nz = 3\n"),), safe=True)

    text = text_of("full", report_of(source, plain_finding(Span(98, 1, 98, 2), fix=fix)), out=settings(quiet=True))

    assert "\n 98 | x = 1\n    | ^\n" in text
    assert "\n 99 + y = 2\n100 + z = 3\n" in text


def test_a_clean_run_says_so_in_one_line() -> None:
    text = text_of("full", *(FileReport(f"{number}.py") for number in range(128)))

    assert text == "All checks passed (128 files, 0.41 s).\n"


def test_no_run_says_nothing() -> None:
    assert text_of("full") == ""


def test_a_run_in_which_a_rule_failed_does_not_claim_that_all_passed() -> None:
    error = RunError("a.py", "rule-failed", "hardcoded-cuda: IndexError")

    text = text_of("full", FileReport("a.py", errors=(error,)))

    assert text == "No findings in 1 file, 0.41 s, but not everything was checked: 1 error.\n"


def test_a_run_in_which_rules_were_stopped_does_not_claim_that_all_passed() -> None:
    reports = [FileReport(name, incomplete=("kept-graph", rule)) for name, rule in (("a.py", "one"), ("b.py", "two"))]

    text = text_of("full", *reports)

    assert text == "No findings in 2 files, 0.41 s, but not everything was checked: 3 stopped rules.\n"


def test_a_run_that_could_look_at_no_file_says_nothing_of_findings() -> None:
    error = RunError("", "missing-path", "path does not exist: a.py")

    assert text_of("full", FileReport("", errors=(error,))) == ""


def test_quiet_leaves_the_findings_alone() -> None:
    text = text_of("full", report_of(TRAIN, item_finding()), out=settings(quiet=True))

    assert "Found" not in text
    assert "torchlint --fix" not in text
    assert "torchlint explain" not in text
    assert text_of("full", FileReport("a.py"), out=settings(quiet=True)) == ""


def test_the_severity_is_coloured_and_still_written() -> None:
    text = text_of("full", report_of(TRAIN, item_finding()), out=settings(color=True))

    assert text.startswith("\x1b[1;33mwarning\x1b[0m[item-in-training-loop]")
    assert "\x1b[1;33m^^^^^^^^^^^\x1b[0m" in text
    assert "\x1b[1mhelp\x1b[0m" in text
    assert "\x1b[1;94m 8\x1b[0m \x1b[1;94m|\x1b[0m" in text


def test_a_place_leads_to_its_file_where_the_terminal_has_links() -> None:
    text = text_of("full", report_of(TRAIN, item_finding()), out=settings(hyperlinks=True))

    assert "  --> \x1b]8;;file:///nowhere/src/train.py\x1b\\src/train.py:8:20\x1b]8;;\x1b\\\n" in text
