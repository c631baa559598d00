"""The manual: the page of a rule, and the list of all rules, for a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.explain.pages import Page
    from torchlint.manual import Subject

__all__ = ["FORMS", "explained", "listing", "page"]

FORMS = ("text", "markdown", "json")


def explained(pages: Sequence[Page], form: str = "text", *, color: bool = False, width: int | None = None) -> str:
    """Return pages of the manual in one of `FORMS`; a width is for the terminal alone."""
    match form:
        case "markdown":
            from torchlint.explain.markdown import page_as_markdown

            return "\n".join(map(page_as_markdown, pages))
        case "json":
            from torchlint.explain.records import pages_as_json

            return pages_as_json(pages)
        case _:
            from torchlint.explain.terminal import page_as_text

            return "\n\n".join(page_as_text(page, color=color, width=width) for page in pages)


def listing(subjects: Iterable[Subject], form: str = "text", *, color: bool = False, width: int | None = None) -> str:
    """Return the list of all rules in one of `FORMS`, by group and name."""
    from torchlint.manual import entry

    entries = sorted(map(entry, subjects), key=lambda found: (found.group, found.name))
    match form:
        case "markdown":
            from torchlint.explain.markdown import list_as_markdown

            return list_as_markdown(entries)
        case "json":
            from torchlint.explain.records import list_as_json

            return list_as_json(entries)
        case _:
            from torchlint.explain.terminal import list_as_text

            return list_as_text(entries, color=color, width=width)


def page(name: str, subjects: Iterable[Subject], evidence: str = "") -> Page:
    """Return the page of a name; `evidence` is the result of the last verification of its claim.

    Raises `UsageError` if there is no rule of that name.
    """
    from torchlint.explain.pages import page_of
    from torchlint.manual import entry

    known = {subject.name: subject for subject in subjects}
    if name not in known:
        from torchlint.errors import UsageError

        raise UsageError(_unknown(name, known))
    return page_of(entry(known[name]), evidence)


def _unknown(name: str, known: Mapping[str, Subject]) -> str:
    from torchlint.manual import entry
    from torchlint.selection import unknown_name

    if of_group := [one for one, subject in known.items() if entry(subject).group == name]:
        return f"`{name}` is a group of rules, such as `{of_group[0]}`; `torchlint rules` lists them"
    return unknown_name(name, known)
