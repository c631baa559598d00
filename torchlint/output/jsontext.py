"""JSON that is safe for any terminal, pipe and log."""

from __future__ import annotations

import json
import re

# Strings can contain this, syntax cannot: see `screen`. An escaped `#` is the same `#` to a parser of JSON.
_OBEYED = re.compile(r"(?<=#)#(?=(?:vso)?\[)", re.IGNORECASE)


def as_json(value: object) -> str:
    """Return a value as JSON on one line, in ASCII, without text that a log of a CI interprets as a command."""
    return _OBEYED.sub(r"\\u0023", json.dumps(value))
