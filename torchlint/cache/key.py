"""What all reports of a job depend on, whatever its files contain: torchlint itself, Python's version, the settings."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path

import torchlint
from torchlint import packs
from torchlint.engine import Job
from torchlint.files.display_path import shown
from torchlint.rule import Rule
from torchlint.selection import Choice

_BUILTIN = "torchlint.rules."


def key_of(job: Job, names: Mapping[str, str]) -> str | None:
    """Return a name for the settings of a job, None if it has rules with unknown source.

    `names` are those of the job's files; only unusual names make a difference.
    """
    rules = _rules(job)
    if rules is None:
        return None
    here = os.path.join(Path.cwd(), "")  # noqa: PTH118
    told = [(path, name) for path, name in names.items() if path != here + name and name != shown(path)]
    settings = (
        str(job.root.absolute()),
        str(Path.cwd()),
        rules,
        job.per_file_ignores,
        job.target_torch,
        job.companions,
        job.nested,
        str(job.config_root and job.config_root.absolute()),
        sorted(job.silent),
        job.respects_comments,
        told,
    )
    return blake2b(f"{_ourselves()}{settings!r}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _rules(job: Job) -> str | None:
    if isinstance(job.rules, Choice):
        return job.rules.key
    if all(type(rule).__module__.startswith(_BUILTIN) for rule in job.rules):
        return repr([_identity_of(rule) for rule in job.rules])
    return None


def _identity_of(rule: Rule) -> tuple[str, list[tuple[str, object]]]:
    return rule.name, sorted(rule.options.items())


@cache
def _ourselves() -> str:
    """Return a digest of the source of torchlint and of all rules: nothing of another checkout is reused."""
    found = blake2b(f"{sys.version} {sys.byteorder} {sys.platform}".encode(), digest_size=16)
    for path in _sources():
        with open(path, "rb") as file:  # noqa: PTH123 -- hundreds of files
            found.update(f"{path}\0".encode("utf-8", "surrogatepass"))
            found.update(file.read())
    return found.hexdigest()


def _sources() -> Iterator[str]:
    rules = (os.path.join(folder, "rules") for folder in torchlint.__path__)  # noqa: PTH118
    for root in (str(Path(torchlint.__file__).parent), *rules):
        for folder, inner, names in os.walk(root):
            inner.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))  # noqa: PTH118
    yield from map(str, packs.sources())
    libcst = importlib.util.find_spec("libcst")
    for folder in libcst.submodule_search_locations or () if libcst is not None else ():
        if (version := Path(folder, "_version.py")).is_file():
            yield str(version)
