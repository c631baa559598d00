"""What mkdocs makes of the repository besides the pages in docs/: the rules, and the documents at its root."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from reference_pages import cli_page, settings_page
from rule_pages import index_page, rule_page, told_of

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
# Of the repository, what a made page stands for on the site: so the links of the documents lead somewhere in both.
_MADE = {
    **_DOCUMENTS,
    "rules/": "rules/index.md",
    "torchlint/cli/command.py": "reference/cli.md",
    "torchlint/config/schema.json": "reference/settings.md",
}
_OUTSIDE = re.compile(r"\]\((?:\.\./)+([^)]+)\)")
_SUBJECT = re.compile(r"(?:fixtures/|torchlint/engine/notices\.py#)([a-z0-9-]+)/?")
_ITEM = re.compile(r"^- \[`([a-z0-9-]+)`\]\([^)]*/fixtures/\1/\)$", re.MULTILINE)
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
    """Let links into the repository lead to the pages that are made of it."""
    return for_the_site(markdown, "../" * page.file.src_uri.count("/"))


def for_the_site(markdown: str, up: str) -> str:
    """Return a document with links to made pages, and with the summary of each rule that a list names."""
    markdown = _ITEM.sub(lambda item: f"{item[0]}: {entry(_SUBJECTS[item[1]]).summary}", markdown)
    return _OUTSIDE.sub(lambda link: f"]({up}{made})" if (made := _made(link[1])) else link[0], markdown)


def _made(place: str) -> str:
    """Return the page that is made of a place in the repository, or nothing."""
    subject = _SUBJECT.fullmatch(place)
    return f"rules/{subject[1]}.md" if subject else _MADE.get(place, "")


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
