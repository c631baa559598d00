"""Records of verifications and measurements, kept with the project and cited by the manual."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.errors import UsageError
from torchlint.packs import homes

if TYPE_CHECKING:
    from torchlint.verify.report import ReportJson

_BEST = ("measured", "proved", "simulated")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record's entry for a rule: `seen` is what its deciding program did."""

    rule: str
    verdict: str
    seen: str
    date: str
    torch: str
    machine: str

    @property
    def words(self) -> str:
        """Return one line for the rule's page."""
        return f"{self.verdict} on {self.date} with torch {self.torch}, {self.machine}: {self.seen}"


def evidence_of(rule: str) -> Evidence | None:
    """Return the best record for a rule: measured before proved before simulated, the newest of its kind."""
    found = [evidence for evidence in _on_record(tuple(homes())) if evidence.rule == rule and evidence.verdict in _BEST]
    newest_first = sorted(found, key=lambda evidence: evidence.date, reverse=True)
    return min(newest_first, key=lambda evidence: _BEST.index(evidence.verdict), default=None)


def write_record(report: ReportJson, file: Path, date: str) -> None:
    """Write a report to a dated record."""
    import json

    write(file, json.dumps({"date": date, **report}, indent=1) + "\n")


def write(file: Path, text: str) -> None:
    """Write a file, and its folders; raises `UsageError` if that fails."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error


def read_record(text: str) -> list[Evidence]:
    """Return a record's entries for the rules."""
    import json

    record = json.loads(text)
    machine = ", ".join(gpu["name"] for gpu in record["gpus"]) or "no GPU"
    return [
        Evidence(rule["rule"], rule["verdict"], rule["seen"], record["date"], record["torch"], machine)
        for rule in record["rules"]
    ]


@cache
def _on_record(roots: tuple[Path, ...]) -> tuple[Evidence, ...]:
    # A checkout of ours keeps the records with its documents; wheels have them inside the package.
    folders = [folder for home in roots for folder in (home / "evidence", home / "docs" / "evidence")]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.json"))]
    return tuple(evidence for file in files for evidence in read_record(file.read_text(encoding="utf-8")))
