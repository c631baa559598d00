"""The page for a comment on a pull request."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given

from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, item_finding, plain_finding, report_of, text_of
from torchlint.finding import Span
from torchlint.output.markdown import LARGEST
from torchlint.report import FileReport

TAGS = {"h3", "p", "table", "tr", "th", "td", "code", "details", "summary", "ul", "ol", "li", "b", "br", "pre"}


class Reader(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == ([("lang", "diff")] if tag == "pre" else [])
        self.tags.append(tag)


@given(RUNS)
def test_nothing_of_what_was_found_is_markup_or_ends_the_html(run: list[FileReport]) -> None:
    text = text_of("markdown", *run)

    assert set(Reader(text).tags) <= TAGS
    assert "\n\n" not in text
    assert Reader(text).tags.count("details") == sum(len(report.findings) for report in run)


def test_it_begins_with_the_sum_of_it_and_folds_the_findings() -> None:
    text = text_of("markdown", report_of(TRAIN, item_finding()))

    assert text.startswith("<h3>torchlint</h3>\n<p>Found 1 finding (1 warning) in 1 of 1 file, 0.41 s.</p>\n<table>")
    assert "<details><summary><b>warning</b> src/train.py:8:20: <code>item-in-training-loop</code>\n<br>waits" in text


def test_it_never_grows_past_what_github_takes() -> None:
    run = [
        FileReport(f"{n}.py", (plain_finding(Span(1, 1, 1, 2), path=f"{n}.py", message="日" * 900),))
        for n in range(900)
    ]

    text = text_of("markdown", *run)

    assert LARGEST - 4000 < len(text.encode()) <= LARGEST
    assert text.endswith(" more findings in the log.</p>\n")
