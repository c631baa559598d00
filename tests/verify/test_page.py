"""The page that shows what a run of a script made of its lines."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.browser import Page, browsing
from torchlint.finding import Span
from torchlint.verify import page
from torchlint.verify.heat import Entry, Listing, degree, shown_code
from torchlint.verify.merge import Line, Status
from torchlint.verify.outcome import Observation, Raised
from torchlint.verify.script import Script, ScriptRun

SOURCE = (
    '''"""</script><script>alert(1)</script> and <b>bold</b> & \x1b[31mred\x1b[0m \u202etxet\u202c."""
import torch

def main():
    for step in range(10):
        total = loss.item(); again = (
            loss.item())
        x = "日本", loss.cpu()
        y = z.item()
'''
    + "".join(f"    a{number} = {number}\n" for number in range(60))
    + "main()\n"
)
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202e"


def line(status: Status, place: str, waits: int, rule: str = "", kinds: tuple[str, ...] = ("scalar read",)) -> Line:
    first, column, last, end_column = map(int, re.split("[:-]", place))
    return Line(
        status,
        "",
        Span(first, column, last, end_column),
        waits,
        min(waits, 10),
        waits / 10,
        kinds,
        f"main{HOSTILE}",
        HOSTILE,
        rule,
    )


LINES = (
    line(Status.ONCE_ONLY, "2:1-2:13", 1),
    line(Status.CONFIRMED, "6:17-6:28", 10, "item-in-training-loop"),
    line(Status.MISSED, "6:38-7:25", 20),
    line(Status.MISSED, "8:19-8:29", 90),
    line(Status.NOT_REACHED, "9:13-9:21", 0, "item-in-training-loop", ()),
    line(Status.NO_WAIT, "9:13-9:17", 0, HOSTILE, ()),
)


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptRun:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "train <&> .py"
    script.write_text(SOURCE, encoding="utf-8")
    path = str(script.resolve())
    lines = [replace(one, path=path) for one in LINES]
    run = Observation(steps=10, seconds=2.0, overhead=0.5, raised=Raised("ValueError", HOSTILE, 3))
    return ScriptRun(Script(script, (HOSTILE,)), "2.13.0", "1 simulated GPU", True, run, lines)


class Reader(HTMLParser):
    """Collects what a browser would: tags, anchors, links, and the text of the code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.attributes |= found.keys()
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name == "href" and value]


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def test_nothing_in_a_program_becomes_markup_or_moves_the_text(seen: ScriptRun) -> None:
    text = page.html(seen, "2026-11-21")

    found = read(text)
    assert not {"script", "img", "iframe", "link"} & set(found.tags)
    assert found.tags.count("b") == 4
    assert not any(name.startswith("on") or name in {"style", "src"} for name in found.attributes)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text


def test_every_link_leads_to_something_on_the_page(seen: ScriptRun) -> None:
    found = read(page.html(seen, "2026-11-21"))

    assert len(found.ids) == len(set(found.ids))
    assert found.links
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert {f"p{number}" for number in range(1, 7)} <= set(found.ids)
    assert "#L6" in found.links


def test_what_is_told_stands_in_the_order_of_its_weight(seen: ScriptRun) -> None:
    text = page.html(seen, "2026-11-21")

    verdicts = re.findall(r'<td class="status"><span class="status [\w-]+">([A-Z -]+)<', text)
    assert verdicts == ["CONFIRMED", "MISSED", "MISSED", "NO WAIT", "NOT REACHED", "ONCE-ONLY"]


def test_a_line_is_as_hot_as_all_its_waits_together(seen: ScriptRun) -> None:
    text = page.html(seen, "2026-11-21")

    assert re.search(r'<li id="L6" class="heat-3">.*>3\.00</a>', text)
    assert re.search(r'<li id="L8" class="heat-4">.*>9\.00</a>', text)
    assert re.search(r'<li id="L2" class="heat-1">.*>0\.10</a>', text)
    assert '<li id="L9" class="heat-0">' in text
    assert [degree(rate) for rate in (0.0, 0.01, 0.5, 1.0, 2.0, 4.0, 5.0, 2006.0)] == [0, 1, 2, 2, 3, 3, 4, 4]


def test_marks_cover_exactly_what_is_told_of(seen: ScriptRun) -> None:
    text = page.html(seen, "2026-11-21")

    assert '        total = <mark class="confirmed">loss.item()</mark>; again = <mark class="missed">(</mark>' in text
    assert '<code>            <mark class="missed">loss.item())</mark></code>' in text
    assert '&quot;日本&quot;, <mark class="missed">loss.cpu()</mark>' in text
    assert 'y = <mark class="no-wait">z.it</mark><mark class="not-reached">em()</mark>' in text


def test_a_long_stretch_of_which_nothing_is_said_is_folded_and_no_line_is_lost(seen: ScriptRun) -> None:
    text = page.html(seen, "2026-11-21")

    numbers = [int(number) for number in re.findall(r'<li id="L(\d+)"', text)]
    assert numbers == [*range(1, SOURCE.count("\n") + 1)]
    assert re.findall(r"<summary>(.+?)</summary>", text) == ["lines 18-70: no waits"]


@pytest.mark.parametrize("length", [0, 1, 23, 24, 40, 41, 100])
@pytest.mark.parametrize("told", [(), (1,), (20,), (1, 60), (41,)])
def test_folding_shows_every_line_once(length: int, told: tuple[int, ...]) -> None:
    entries = [Entry(line(Status.MISSED, f"{at}:1-{at}:2", 1), f"p{at}") for at in told if at <= length]
    listing = Listing([f"line {number}" for number in range(1, length + 1)], entries, "f1")

    text = "".join(listing.html())

    assert [int(number) for number in re.findall(r'id="f1L(\d+)"', text)] == [*range(1, length + 1)]
    assert text.count("<ol>") == text.count("</ol>")


def test_tabs_stay_and_other_controls_become_pictures() -> None:
    assert shown_code("\tif a < 1:\f\x1b") == "\tif a &lt; 1:\u240c\u241b"


def test_without_waits_the_page_says_so(seen: ScriptRun) -> None:
    quiet = ScriptRun(Script(seen.script.path), "2.13.0", "NVIDIA H200", False, Observation(steps=3, seconds=1.0), [])

    text = page.html(quiet, "2026-11-21")

    assert "Nothing waits for the GPU" in text
    assert "simulated" not in text
    assert "<table" not in text


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium on the PATH")
    with browsing(program, tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def report(seen: ScriptRun, tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    file.write_text(page.html(seen, "2026-11-21"), encoding="utf-8")
    return file


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
    assert chromium.value("getComputedStyle(document.querySelector('#L8')).backgroundColor") == "rgb(251, 198, 191)"
    assert chromium.value("document.querySelectorAll('tbody tr').length") == len(LINES)
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_it_is_dark_where_that_is_wanted_and_light_on_paper(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280, dark=True)

    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    chromium.order("Emulation.setEmulatedMedia", media="print")
    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert chromium.printed().startswith(b"%PDF")


def test_a_link_leads_to_its_line(chromium: Page, report: Path) -> None:
    chromium.open(report, 1280)

    chromium.value("document.querySelector('tbody a').click()")

    assert chromium.value("location.hash") == "#L6"
    assert chromium.value("document.querySelector(':target').textContent.trim().startsWith('6')") is True
