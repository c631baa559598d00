"""JSON that any terminal, pipe and log can carry."""

from __future__ import annotations

import json
import re

# Text can hold this, syntax cannot: see `screen`. An escaped `#` is the same `#` to whoever reads the JSON.
_OBEYED = re.compile(r"(?<=#)#(?=(?:vso)?\[)", re.IGNORECASE)


def as_json(value: object) -> str:
    """Return a value as JSON on one line, in ASCII, with nothing in it that a log of a CI obeys."""
    return _OBEYED.sub(r"\\u0023", json.dumps(value))
