"""Findings link to the pages of their rules, on the site that the settings name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tests.config.refused import refusal
from tests.hooks import hook
from tests.output.reports import TRAIN, item_finding, report_of, settings, text_of
from torchlint.engine import NOTICES
from torchlint.finding import Confidence, Finding, Severity, Span
from torchlint.output.rule_links import at_hand, on_site
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

SITE = "https://docs.company.com/torchlint/"
PAGE = f"{SITE}rules/item-in-training-loop.html"
REPORT = report_of(TRAIN, item_finding())


@pytest.mark.parametrize("form", ["full", "concise"])
def test_a_terminal_links_the_name_of_the_rule(form: str) -> None:
    text = text_of(form, REPORT, out=settings(hyperlinks=True, site=SITE))

    assert f"\x1b]8;;{PAGE}\x1b\\item-in-training-loop\x1b]8;;\x1b\\" in text


@pytest.mark.parametrize("form", ["full", "concise"])
def test_without_a_site_a_terminal_opens_the_rule_itself_whose_docstring_is_its_page(form: str) -> None:
    text = text_of(form, REPORT, out=settings(hyperlinks=True))

    (address,) = set(re.findall(r"\x1b]8;;(file://[^\x1b]*)\x1b\\item-in-training-loop", text))
    file = Path(unquote(urlparse(address).path))
    assert file.name == "item_in_training_loop.py"
    assert (builtin_rules()["item-in-training-loop"].__doc__ or "?") in file.read_text("utf-8")


def test_without_links_nothing_is_linked() -> None:
    assert "rules/" not in text_of("full", REPORT, out=settings(site=SITE))


def test_sarif_prefers_the_site_to_the_reference_of_pytorch() -> None:
    def help_uri(site: str) -> str:
        finding = Finding("unsafe-load", "checkpoint", "a.py", Span(1, 1, 1, 2), "m", Severity.ERROR, Confidence.HIGH)
        document = json.loads(text_of("sarif", FileReport("a.py", (finding,)), out=settings(site=site)))
        return str(document["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"])

    assert help_uri(SITE) == f"{SITE}rules/unsafe-load.html"
    assert help_uri("").startswith("https://docs.pytorch.org/")


def test_programs_read_the_address() -> None:
    (with_site,) = json.loads(text_of("json", REPORT, out=settings(site=SITE)))["findings"]
    (without,) = json.loads(text_of("json", REPORT))["findings"]
    (diagnostic,) = json.loads(text_of("rdjson", REPORT, out=settings(site=SITE)))["diagnostics"]

    assert (with_site["url"], without["url"]) == (PAGE, None)
    assert diagnostic["code"] == {"value": "item-in-training-loop", "url": PAGE}


def test_the_report_has_the_page_and_leads_to_the_site() -> None:
    html = text_of("html", REPORT, out=settings(site=SITE))

    assert '<a href="#rule-item-in-training-loop">' in html
    assert f'<a href="{PAGE}" rel="noreferrer">' in html


def test_the_site_has_every_page_that_is_linked_to() -> None:
    pages = hook("manual_site").made_pages()
    names = [*builtin_rules(), *(notice.name for notice in NOTICES)]

    linked = [on_site(name, SITE) for name in names]

    assert {one.removeprefix(SITE).replace(".html", ".md") for one in linked} <= set(pages)
    assert on_site("seed-in-training-loop", SITE) == at_hand("no-such-rule", SITE) == ""


@pytest.mark.parametrize(
    "wrong", ["docs/", "http://a.com", "javascript:alert(1)", "https://a b/", 'https://a/">', "file:///etc"]
)
def test_only_an_address_is_one(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert "`tool.torchlint.site` must be an address" in refusal(f"[tool.torchlint]\nsite = '{wrong}'\n")
