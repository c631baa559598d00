"""What mkdocs makes of the repository besides the pages in docs/: the rules, and the documents at its root."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from reference_pages import cli_page, settings_page
from rule_pages import index_page, rule_page, rules_list, told_of

from torchlint.engine import NOTICES
from torchlint.explain import page
from torchlint.manual import Subject, entry
from torchlint.registry import BUILTIN, builtin_rules
from torchlint.testing import cases
from torchlint.verify.evidence import evidence_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_ROOT = Path(__file__).parents[2]
_DOCUMENTS = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/portable/README.md": "portable.md",
}
_RULES = re.compile(r"^\{\{ rules: (.+?) \}\}$", re.MULTILINE)
_EVERY: tuple[Subject, ...] = (*builtin_rules().values(), *NOTICES)
_SUBJECTS = {subject.name: subject for subject in _EVERY}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of all rules into the navigation, by group."""
    groups: dict[str, list[dict[str, str]]] = {}
    for found in sorted(map(entry, _SUBJECTS.values()), key=lambda found: (found.group, found.name)):
        groups.setdefault(found.group, []).append({found.name: f"rules/{found.name}.md"})
    rules = ["rules/index.md", *({group: pages} for group, pages in groups.items())]
    config.nav = [{"Rules": rules} if "Rules" in part else part for part in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    from mkdocs.structure.files import File

    for name, text in made_pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put lists of rules where a page asks for them."""
    up = "../" * page.file.src_uri.count("/")
    return _RULES.sub(lambda found: rules_list(found[1].split(), _SUBJECTS, up), markdown)


def made_pages() -> dict[str, str]:
    """Return the pages that stand in no file: of rules, of options and settings, and of the documents at the root."""
    bad = {case.rule.name: case for case in reversed(cases(BUILTIN, "bad"))}
    pages = {
        "rules/index.md": index_page([*_SUBJECTS.values()]),
        "reference/cli.md": cli_page(),
        "reference/settings.md": settings_page(),
    }
    for name in _SUBJECTS:
        evidence = evidence_of(name)
        found = page(name, _SUBJECTS.values(), evidence.words if evidence else "")
        pages[f"rules/{name}.md"] = rule_page(found, told_of(bad[name]) if name in bad else "")
    return pages | {made: _document((_ROOT / name).read_text("utf-8")) for name, made in _DOCUMENTS.items()}


def _document(text: str) -> str:
    """Return a document of the repository with links that lead where they should on the site."""
    for name, made in _DOCUMENTS.items():
        text = text.replace(f"]({name}", f"]({made}")
    return text.replace("](README.md)", "](index.md)").replace("](../docs/", "](docs/").replace("](docs/", "](")
