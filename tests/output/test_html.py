"""The page to read: whole without JavaScript and without a network, in a browser at the width of a desk and a phone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given

from tests.browser import Page, browsing
from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, item_finding, nan_finding, plain_finding, report_of, settings, text_of
from torchlint import __version__
from torchlint.errors import RunError
from torchlint.finding import Severity, Span, Step
from torchlint.output.provenance import commit_of
from torchlint.report import FileReport

NAN = 'mask = x != float("nan")  # 日本 🎉\n'
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\x1b[2J\u202e"
WIDE = "x = " + "a + " * 200 + "loss.item()"


class Reader(HTMLParser):
    """Collects what a browser would: tags, anchors, links, and what the attributes are called."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name == "href" and value]


def run() -> list[FileReport]:
    other = Step("src/train.py", Span(5, 5, 5, 10), f"called here: {HOSTILE}")
    bad = plain_finding(
        Span(1, 1, 1, 20), Severity.INFO, path=f"src/{HOSTILE[:20]}.py", message=HOSTILE, trace=(other,)
    )
    return [
        report_of(NAN, nan_finding("src/loss.py", NAN), path="src/loss.py"),
        report_of(TRAIN, item_finding(), replace(item_finding(), rule="unsafe-load")),
        report_of(HOSTILE, bad, path=bad.path),
        report_of(WIDE, plain_finding(Span(1, 805, 1, 816), path="src/wide.py"), path="src/wide.py"),
        FileReport("src/clean.py", errors=(RunError("src/clean.py", "rule-failed", HOSTILE),)),
    ]


@given(RUNS)
def test_nothing_of_what_was_found_becomes_markup(found: list[FileReport]) -> None:
    page = Reader(text_of("html", *found))

    findings = sum(len(report.findings) for report in found)
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "iframe", "link", "object", "base"} & set(page.tags)
    assert not any(name.startswith("on") or name in {"style", "src", "srcset"} for name in page.attributes)
    assert page.tags.count("article") == findings + len({one.rule for report in found for one in report.findings})


def test_every_link_leads_to_something_on_the_page_or_to_the_manual_of_pytorch() -> None:
    page = Reader(text_of("html", *run()))

    inside = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert len(page.ids) == len(set(page.ids))
    assert inside <= set(page.ids)
    assert {link for link in page.links if not link.startswith("#")} == {
        link for link in page.links if link.startswith("https://docs.pytorch.org/")
    }


def test_the_anchor_of_a_finding_is_the_same_after_its_code_has_moved() -> None:
    before = text_of("html", report_of("loss.item()", plain_finding(Span(1, 1, 1, 12))))
    after = text_of("html", report_of("import torch\n\n  loss.item()", plain_finding(Span(3, 3, 3, 14))))

    (anchor,) = (name for name in Reader(before).ids if name.startswith("f-"))
    assert anchor in Reader(after).ids


def test_what_matters_is_marked_and_the_words_stand_below_it() -> None:
    text = text_of("html", report_of(TRAIN, item_finding()))

    assert '<span class="number">8</span>         running += <mark class="warning">loss.item()</mark>\n' in text
    assert '<span class="words">      ╰ runs once per batch</span>\n' in text
    assert "<del>-         running += loss.item()</del>\n<ins>+         running += loss.detach()</ins>" in text


def test_a_place_of_several_lines_is_marked_on_each() -> None:
    text = text_of("html", report_of("f(\n  x,\n)", plain_finding(Span(1, 1, 3, 2))))

    marked = re.findall('<mark class="warning">(.*?)</mark>', text)
    assert marked == ["f(", "  x,", ")"]


def test_a_place_far_to_the_right_is_seen_without_scrolling_there() -> None:
    line = "a" * 5000 + "loss.item()" + "b" * 5000

    text = text_of("html", report_of(line, plain_finding(Span(1, 5001, 1, 5012))))

    assert "..." + "a" * 40 + '<mark class="warning">loss.item()</mark>' in text
    assert len(text) < 30_000


def test_the_worst_file_is_first_and_in_it_the_worst_finding() -> None:
    text = text_of(
        "html", *run(), report_of(TRAIN, item_finding("a.py"), replace(nan_finding("a.py", NAN)), path="a.py")
    )

    files = re.findall(r'<details class="file" id="(file-\d)" open>\n<summary><h2><code>([^<]*)</code>', text)
    assert [name for _, name in files][:2] == ["a.py", "src/loss.py"]
    assert re.findall(r'data-severity="(\w+)"', text)[:2] == ["error", "warning"]


def test_folders_have_bars_by_severity_with_links_to_their_files() -> None:
    text = text_of("html", *run(), report_of(TRAIN, item_finding("a.py"), path="a.py"))

    (table,) = re.findall('<table id="folders">.*?</table>', text, re.DOTALL)
    rows = re.findall(r'<a href="#(file-\d)"><code>([^<]*)</code></a>.*?<title>([^<]*)</title>', table)
    assert rows == [("file-1", "src/", "1 error, 3 warning, 1 info"), ("file-3", "./", "1 warning")]
    assert "folders" not in Reader(text_of("html", report_of(TRAIN, item_finding()))).ids


def test_code_has_its_colours_and_marks_keep_theirs() -> None:
    source = "for x in (1,):  # one\n    y = 2\n"
    text = text_of("html", report_of(source, plain_finding(Span(1, 5, 1, 13))))

    assert '<span class="word">for</span> <mark class="warning">x <span class="word">in</span> (' in text
    assert '<span class="digits">1</span>,</mark>' in text
    assert '<span class="comment"># one</span>' in text


@pytest.mark.parametrize(
    "source", ["def f(:\n  x = '", "%matplotlib inline\n!ls 'a", "\tx\n  y = $", "f'{x!r:>{w}} {'"]
)
def test_what_is_no_python_is_shown_all_the_same(source: str) -> None:
    lines = len(source.split("\n"))

    text = text_of("html", report_of(source, plain_finding(Span(lines, 1, lines, 2))))

    shown = "".join(re.findall(r'<pre class="code" tabindex="0">(.*?)</pre>', text, re.DOTALL))
    last = re.sub("<[^>]*>", "", shown).rstrip().split("\n")[-1]
    assert unescape(last) == f"{lines} {source.split(chr(10))[-1]}"


def test_what_was_run_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git" / "refs" / "heads").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(f"{'0a1b' * 10}\n")
    out = replace(settings(cwd=tmp_path), command=("torchlint", "a b", "<x>"), date="2026-11-27")

    text = text_of("html", report_of(TRAIN, item_finding()), out=out)

    command = "<code>torchlint &#x27;a b&#x27; &#x27;&lt;x&gt;&#x27;</code>"
    assert (
        f'<p class="faint">{command} at commit <code>0a1b0a1b0a1b</code> on 2026-11-27, torchlint {__version__}</p>'
        in text
    )


@pytest.mark.parametrize("head", ["ref: ../../secret", "ref: refs/../../x", "ref: refs/heads/none", "nonsense", ""])
def test_a_repository_names_no_file_of_ours(head: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("0a1b" * 10)
    (tmp_path / "x").write_text("0a1b" * 10)
    git = tmp_path / "top" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text(head)

    assert commit_of(git.parent) == ""


def test_the_commit_is_found_in_packed_files_and_from_a_worktree(tmp_path: Path) -> None:
    git, other = tmp_path / "top" / ".git", tmp_path / "other"
    (git / "worktrees" / "other").mkdir(parents=True)
    other.mkdir()
    (git / "HEAD").write_text("c" * 40)
    (git / "packed-refs").write_text(f"# pack-refs with: peeled\n{'d' * 40} refs/heads/a/b\n^{'e' * 40}\n")
    (other / ".git").write_text(f"gitdir: {git}/worktrees/other\n")
    (git / "worktrees" / "other" / "HEAD").write_text("ref: refs/heads/a/b\n")
    (git / "worktrees" / "other" / "commondir").write_text("../..\n")

    assert (commit_of(git.parent), commit_of(other)) == ("c" * 40, "d" * 40)


def test_a_clean_run_is_a_page_that_says_so() -> None:
    text = text_of("html", FileReport("a.py"))

    assert "All checks passed (1 file, 0.41 s)." in text
    assert not {"table", "form", "article"} & set(Reader(text).tags)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium on the PATH")
    with browsing(program, tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def report(tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    file.write_text(text_of("html", *run(), out=settings(cwd=tmp_path)), encoding="utf-8")
    return file


def shown(tab: Page) -> object:
    return tab.value("document.querySelectorAll('article.finding:not([hidden])').length")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_shows_it_whole_at_the_width_of_a_desk_and_of_a_phone(
    width: int, chromium: Page, report: Path, tmp_path: Path
) -> None:
    chromium.complaints.clear()
    chromium.requests.clear()

    chromium.open(report, width)

    chromium.screenshot(tmp_path / "page.png")
    assert chromium.requests == [report.as_uri()]
    assert chromium.complaints == []
    assert chromium.value("document.documentElement.scrollWidth") == width
    assert chromium.value("getComputedStyle(document.querySelector('mark.error')).color") == "rgb(180, 35, 24)"
    assert shown(chromium) == 5
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_without_javascript_all_is_there_but_the_filters(chromium: Page, report: Path) -> None:
    chromium.order("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(report, 1280)

        assert chromium.value("getComputedStyle(document.querySelector('form')).display") == "none"
        assert shown(chromium) == 5
    finally:
        chromium.order("Emulation.setScriptExecutionDisabled", value=False)


def test_it_is_dark_where_that_is_wanted_and_light_on_paper(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280, dark=True)

    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    chromium.order("Emulation.setEmulatedMedia", media="print")
    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert chromium.value("getComputedStyle(document.querySelector('form')).display") == "none"
    assert chromium.printed().startswith(b"%PDF")


def choose(tab: Page, name: str, value: str) -> None:
    tab.value(f"document.querySelector('[name={name}]').value = '{value}'")
    tab.value(f"document.querySelector('[name={name}]').dispatchEvent(new Event('input', {{bubbles: true}}))")


def test_filters_hide_findings_and_are_kept_in_the_address(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280)

    choose(chromium, "severity", "warning")
    choose(chromium, "text", "LOSS.detach")

    assert shown(chromium) == 2
    assert chromium.value("document.querySelectorAll('details.file:not([hidden])').length") == 1
    assert chromium.value("location.hash") == "#?text=LOSS.detach&severity=warning"
    assert chromium.value("document.querySelector('output').value") == "2 of 5"


def test_an_address_with_filters_shows_what_it_showed_before(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280)

    chromium.value("location.hash = '#?rule=nan-comparison'; dispatchEvent(new HashChangeEvent('hashchange'))")

    assert shown(chromium) == 1
    assert chromium.value("document.querySelector('[name=rule]').value") == "nan-comparison"


def test_a_link_to_a_finding_that_is_hidden_shows_it(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280)
    anchor = chromium.value("document.querySelector('article[data-severity=error]').id")
    choose(chromium, "severity", "info")
    before = shown(chromium)

    chromium.value(f"location.hash = '#{anchor}'; dispatchEvent(new HashChangeEvent('hashchange'))")

    assert (before, shown(chromium)) == (1, 5)
    assert chromium.value("document.querySelector(':target').id") == anchor


def test_the_number_of_a_rule_shows_its_findings_only(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280)

    chromium.value("document.querySelector('td[data-rule=unsafe-load] a').click()")
    chromium.value("dispatchEvent(new HashChangeEvent('hashchange'))")

    assert shown(chromium) == 1
