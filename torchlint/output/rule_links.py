"""Where the page of a rule is: on the site that the settings name, or else the rule itself on this machine."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from torchlint.notices import NOTICES


def on_site(rule: str, site: str) -> str:
    """Return the address of a rule's page on a site; empty without a site, and for rules of other packs."""
    return f"{site}rules/{rule}.html" if site and rule in _manual() else ""


def at_hand(rule: str, site: str) -> str:
    """Return what a reader at this machine can open: the page on the site, or else the file whose docstring it is."""
    return on_site(rule, site) or _file_of(rule)


@cache
def _manual() -> frozenset[str]:
    """Return the names of all pages of the manual."""
    # Neither without a site nor without links are the rules imported, as where nothing has changed.
    from torchlint.registry import builtin_rules

    return frozenset((*builtin_rules(), *NOTICES))


@cache
def _file_of(rule: str) -> str:
    from torchlint.registry import installed_rules

    found = installed_rules().get(rule)
    file = found and getattr(sys.modules.get(found.__module__), "__file__", None)
    return Path(str(file)).absolute().as_uri() if file else ""
