"""Have a checkout's torchlint lint subjects, several at a time, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ecosystem.said import Said, from_probe
from benchmarks.ecosystem.subjects import Subject, digest_of
from torchlint.errors import UsageError

_PROBE = Path(__file__).with_name("probe.py")
# Sets are gone through by hashes, and who asks first what others ask again takes the steps.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONPATH": "", "PYTHONSAFEPATH": ""}


@dataclass(frozen=True, slots=True)
class Checkout:
    """A torchlint with its rules, and the folder in which what it says is kept by what it was made of."""

    place: Path
    kept: Path
    digest: str

    def said(self, subject: Subject, *, is_repeated: bool) -> Said:
        """Return what is said about a subject: what is known already, unless it is to be said anew."""
        kept = self.kept / f"{subject.name}-{subject.of}-{self.digest}.json".replace(" ", "-")
        if is_repeated or not kept.exists():
            printed = self._printed(subject)
            kept.parent.mkdir(parents=True, exist_ok=True)
            # Another run may read it at any time.
            written = kept.with_suffix(f".{os.getpid()}")
            written.write_text(printed, "utf-8")
            written.replace(kept)
        return from_probe(subject.name, subject.of, kept.read_text("utf-8"))

    def _printed(self, subject: Subject) -> str:
        with subject.folder() as folder:
            command = [sys.executable, str(_PROBE), str(self.place), str(folder), str(subject.depth)]
            ran = subprocess.run(
                command, env=os.environ | _ENVIRONMENT, capture_output=True, encoding="utf-8", check=False
            )
        if ran.returncode:
            raise UsageError(f"{subject.name} cannot be linted by {self.place}:\n{ran.stderr.rstrip()}")
        return ran.stdout


def checkout_at(place: Path, kept: Path) -> Checkout:
    """Return the torchlint at a place, known by its code, that of the probe, and the Python that runs it."""
    files = [path for folder in ("torchlint", "rules") for path in (place / folder).rglob("*.py")]
    probe = digest_of(_PROBE.parent, [_PROBE])
    return Checkout(place, kept, f"{digest_of(place, files)}-{probe}-{sys.implementation.cache_tag}")


def all_said(checkout: Checkout, subjects: Sequence[Subject], jobs: int, *, is_repeated: bool) -> Iterator[Said]:
    """Yield what is said about each subject as it is done, `jobs` of them at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        asked = [pool.submit(checkout.said, subject, is_repeated=is_repeated) for subject in subjects]
        try:
            yield from (done.result() for done in as_completed(asked))
        finally:
            # Where one failed, nobody waits for those that have not begun.
            pool.shutdown(wait=False, cancel_futures=True)
