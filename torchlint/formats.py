"""The output formats, by name."""

from __future__ import annotations

from collections.abc import Mapping

# The function of each format; nothing is imported before it is used. `json` is the newest of its versions.
FORMATS: Mapping[str, str] = {
    "full": "torchlint.output.full:render",
    "concise": "torchlint.output.concise:render",
    "grouped": "torchlint.output.grouped:render",
    "json": "torchlint.output.json_document:render",
    "json-v1": "torchlint.output.json_document:render",
    "json-lines": "torchlint.output.json_document:render_lines",
    "github": "torchlint.output.github:render",
    "gitlab": "torchlint.output.gitlab:render",
    "azure": "torchlint.output.azure:render",
    "sarif": "torchlint.output.sarif:render",
    "junit": "torchlint.output.junit:render",
    "checkstyle": "torchlint.output.checkstyle:render",
    "rdjson": "torchlint.output.rdjson:render",
    "rdjsonl": "torchlint.output.rdjson:render_lines",
    "pylint": "torchlint.output.lines:render_pylint",
    "gcc": "torchlint.output.lines:render_gcc",
    "html": "torchlint.output.html_report:render",
    "markdown": "torchlint.output.markdown:render",
}
EACH_PLACE = frozenset({"json", "json-v1", "json-lines"})
"""Those that list each place of a cause as a finding, unless they are asked to group: who reads them can do that."""
