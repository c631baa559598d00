"""The documents say what is so, and the site that is made of them shows every rule."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType

import click
import pytest

from tests.browser import Page, browsing
from tests.hooks import hook
from torchlint.cli.command import torchlint
from torchlint.config import load_config
from torchlint.config.fields import FIELDS
from torchlint.engine import Job, lint
from torchlint.files.discovery import Target
from torchlint.manual import entry
from torchlint.programs import marks, programs
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

_CHECKOUT = Path(__file__).parents[1]
_DOCS = _CHECKOUT / "docs"
_SITE = _CHECKOUT / "site"
_WRITTEN = sorted(path.relative_to(_DOCS).as_posix() for path in _DOCS.rglob("*.md"))
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_CODE = re.compile(r"torchlint [^`\n]*|`--[^`]+`")
_BLOCK = r"^```{}[^\n]*\n(.*?)^```$"
# Of programs that are linted.
_FOREIGN = {"--device", "--epochs"}
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language, besides what is taken from other files."""
    found = re.findall(
        rf"^```{language}[^\n]*\n(.*?)^```$", (_DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [block for block in found if "--8<--" not in block]


@pytest.fixture(scope="module")
def site() -> ModuleType:
    """Return the module that makes the pages of rules."""
    return hook("manual_site")


EXAMPLES = [(page, block) for page in _WRITTEN for block in blocks(page, "python") if "import torch\n" in block]


@pytest.mark.parametrize(("page", "block"), EXAMPLES, ids=[page for page, _ in EXAMPLES])
def test_torchlint_says_of_examples_what_the_page_says(page: str, block: str, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(block)
    reports: list[FileReport] = []

    rules = tuple(rule() for rule in builtin_rules().values() if rule.default)

    lint([Job(tmp_path, (Target(file, "example.py"),), rules)], 1, reports.append)

    found = {(finding.span.line, finding.rule) for report in reports for finding in report.findings}
    assert found == {(line, name) for line, names in marks(block) for name in names}


@pytest.mark.parametrize("page", _WRITTEN)
def test_options_that_a_page_names_are_there(page: str) -> None:
    commands = [torchlint, *torchlint.commands.values()]
    parameters = [one for command in commands for one in command.params if isinstance(one, click.Option)]
    known = {name for one in parameters for name in (*one.opts, *one.secondary_opts)} | {"--help"}

    codes = _CODE.findall((_DOCS / page).read_text("utf-8"))

    named = {word for code in codes for word in _OPTION.findall(code)}

    assert named - known - _FOREIGN == set()


SETTINGS = [(page, block) for page in _WRITTEN for block in blocks(page, "toml") if "[tool.torchlint" in block]


@pytest.mark.parametrize(("page", "block"), SETTINGS, ids=[page for page, _ in SETTINGS])
def test_settings_that_a_page_shows_are_valid(page: str, block: str, tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text('{"version": 1, "findings": []}')
    file = tmp_path / "pyproject.toml"
    file.write_text(block)

    assert load_config(file).file == file


def test_every_rule_has_a_page_with_its_programs_and_its_proof(site: ModuleType) -> None:
    pages: dict[str, str] = site.made_pages()

    for name in builtin_rules():
        page = pages[f"rules/{name}.md"]
        assert page.startswith(f"# `{name}`\n")
        for kind, title in (("bad", "Bad"), ("good", "Good"), ("fixed", "Fixed")):
            assert (f'=== "{title}"' in page) == bool(programs(name, kind))
        assert f"[{name}] " in page.partition("## What torchlint says of the bad one")[2]
        assert "## Proof" in page
        assert f"[`{name}`]({name}.md)" in pages["rules/index.md"]


def test_lines_that_are_reported_stand_out(site: ModuleType) -> None:
    page = site.made_pages()["rules/kept-graph.md"]
    (line,) = (number for number, _ in marks(programs("kept-graph", "bad")[0].text))

    assert f'```python hl_lines="{line}"' in page


def test_every_option_and_every_setting_has_its_place_in_the_reference(site: ModuleType) -> None:
    pages = site.made_pages()
    options = [
        one for command in torchlint.commands.values() for one in command.params if isinstance(one, click.Option)
    ]

    assert [name for one in options for name in one.opts if name not in pages["reference/cli.md"]] == []
    assert pages["reference/cli.md"].count("| `-h, --help` |") == len(torchlint.commands)
    assert re.findall(r"^## `(.+)`$", pages["reference/settings.md"], re.MULTILINE) == [*FIELDS]


def test_names_in_the_reference_are_shown_without_backslashes(site: ModuleType) -> None:
    codes = re.findall(r"`[^`\n]+`", site.made_pages()["reference/cli.md"])

    assert "`--preset [default|strict|all]`" in codes
    assert [code for code in codes if "\\" in code] == []


def test_every_rule_is_on_record_with_what_was_seen_or_why_nothing_could_be() -> None:
    records = [json.loads(file.read_text("utf-8")) for file in sorted((_DOCS / "evidence").glob("*.json"))]
    recorded = {rule["rule"]: rule for record in records for rule in record["rules"]}
    skipped = [rule["seen"] for rule in recorded.values() if rule["verdict"] == "skipped"]

    assert builtin_rules().keys() - recorded.keys() == set(), "torchlint verify --record docs/evidence/DATE.json RULE"
    assert [why for why in skipped if not why.startswith(("unproved: ", "needs a real GPU: "))] == []


def test_links_between_documents_of_the_repository_become_links_between_pages(site: ModuleType) -> None:
    pages = site.made_pages()

    assert "](benchmarks.md)" in pages["contributing.md"]
    assert "](architecture.md)" in pages["contributing.md"]
    assert "](docs/" not in "".join(pages.values())


def test_links_into_the_repository_become_links_to_the_pages_that_are_made_of_it(site: ModuleType) -> None:
    pages = site.made_pages()
    for name in _WRITTEN:
        shown: str = site.for_the_site((_DOCS / name).read_text("utf-8"), "../" * name.count("/"))
        folder = (_DOCS / name).parent
        links = re.findall(r"\]\((?!https?:|#)([^)#]+)", shown)
        inside = {link: os.path.relpath(folder / link, _DOCS).replace(os.sep, "/") for link in links}

        assert [link for link, place in inside.items() if place not in pages and not (_DOCS / place).is_file()] == []
        assert not [place for place in inside.values() if place.startswith("..")]


def test_a_list_of_rules_says_on_the_site_what_they_are(site: ModuleType) -> None:
    shown = site.for_the_site((_DOCS / "concepts" / "guard.md").read_text("utf-8"), "../")

    assert (
        f"- [`hardcoded-cuda`](../rules/hardcoded-cuda.md): {entry(builtin_rules()['hardcoded-cuda']).summary}" in shown
    )


def test_what_a_page_shows_of_the_repository_is_there() -> None:
    blocks = re.findall(r"^```.*\n(.*8 ?<.*)\n```$", (_DOCS / "rule-packs.md").read_text("utf-8"), re.MULTILINE)
    shown = [match[1] for block in blocks if (match := re.fullmatch(r'--8<-- "(.+)"', block))]

    assert len(shown) == len(blocks) == 4
    assert all((_CHECKOUT / path).is_file() for path in shown)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return where the site is served that `mkdocs build` made."""
    if not (_SITE / "index.html").is_file():
        pytest.skip("build it first: mkdocs build --strict")
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(_SITE))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory, address: str) -> Iterator[Page]:
    if _CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with browsing(_CHROMIUM, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "page", ["index.html", "rules/index.html", "rules/hardcoded-cuda.html", "concepts/wait.html", "rule-packs.html"]
)
def test_a_page_loads_from_its_own_place_and_fits(tab: Page, address: str, page: str, width: int) -> None:
    tab.complaints.clear()
    tab.requests.clear()

    tab.open(f"{address}/{page}", width)

    assert [request for request in tab.requests if not request.startswith((address, "data:"))] == []
    assert tab.complaints == []
    assert tab.value("document.documentElement.scrollWidth") == tab.value("document.documentElement.clientWidth")


def test_the_site_is_searched(tab: Page, address: str) -> None:
    tab.open(f"{address}/index.html", 1280)
    found = tab.value(
        f"(async () => (await (await fetch('{address}/search/search_index.json')).json()).docs.map(d => d.title))()"
        ".then(titles => window.titles = titles.join(' '))"
    )

    for _ in range(100):
        found = tab.value("window.titles")
        if found:
            break
    assert isinstance(found, str)
    assert "kept-graph" in found
