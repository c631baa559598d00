"""The manual as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from torchlint.explain.pages import Page
from torchlint.manual import Entry
from torchlint.programs import Program

_VERSION = 1


def list_as_json(entries: Sequence[Entry]) -> str:
    """Return an object with each rule's own text."""
    return _document([_entry(found) for found in entries])


def pages_as_json(pages: Sequence[Page]) -> str:
    """Return the same object, with the programs and the proof of each rule as well."""
    return _document([{**_entry(page.entry), **_shown(page)} for page in pages])


def _document(rules: Sequence[Mapping[str, object]]) -> str:
    return json.dumps({"version": _VERSION, "rules": rules}, indent=2) + "\n"


def _entry(found: Entry) -> Mapping[str, object]:
    return {
        "name": found.name,
        "group": found.group,
        "severity": found.severity.value,
        "confidence": found.confidence.value,
        "default": found.default,
        "preview": found.preview,
        "formerly": [*found.formerly],
        "summary": found.summary,
        "page": found.text,
        "reference": found.reference or None,
        "options": dict(found.options),
    }


def _shown(page: Page) -> Mapping[str, object]:
    return {
        "fixable": bool(page.fixed),
        "evidence": page.evidence,
        "suppress": {"comments": page.comments.splitlines(), "settings": page.settings},
        "bad": [_program(program) for program in page.bad],
        "good": [_program(program) for program in page.good],
        "fixed": [_program(program) for program in page.fixed],
    }


def _program(program: Program) -> Mapping[str, object]:
    return {"name": program.name, "claims": dict(program.claims), "text": program.text}
