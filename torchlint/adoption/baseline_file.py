"""A baseline on disk: JSON with a line for each entry, in order, so that a diff of it reads well."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from pathlib import Path

from torchlint.adoption.baseline import Entries, Key
from torchlint.errors import UsageError, in_words
from torchlint.files.atomic_write import write_whole
from torchlint.files.display_path import shown
from torchlint.files.regular import read_regular

_VERSION = 1
_CONFLICT = "<<<<<<<"


def read_baseline(file: Path) -> Entries:
    """Return the entries of a file; raises `UsageError` if it cannot be read, or is no baseline."""
    try:
        text = read_regular(file).decode("utf-8-sig")
        return _entries(json.loads(text))
    except FileNotFoundError:
        raise UsageError(f"there is no baseline {shown(file)}: --update-baseline writes it") from None
    except OSError as error:
        raise UsageError(f"cannot read the baseline {shown(file)}: {in_words(error)}") from error
    except json.JSONDecodeError as error:
        what = "a conflict of a merge is in it" if _CONFLICT in text else error.msg.lower()
        place = f"{shown(file)}:{error.lineno}:{error.colno}"
        raise UsageError(f"{place}: {what}: fix the baseline, or rewrite it with --update-baseline") from None
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _NoBaselineError) else "it is not text of JSON"
        raise UsageError(
            f"{shown(file)} is no baseline: {reason}: fix it, or rewrite it with --update-baseline"
        ) from None


def write_baseline(file: Path, entries: Entries) -> None:
    """Write entries to a file, completely or not at all; raises `UsageError` if that fails."""
    try:
        write_whole(file, text(entries).encode())
    except OSError as error:
        raise UsageError(f"cannot write the baseline {shown(file)}: {in_words(error)}") from error


def text(entries: Entries) -> str:
    """Return entries as JSON, sorted by path, rule and fingerprint."""
    by_path = groupby(sorted(key for key, times in entries.items() if times > 0), key=lambda key: key[0])
    paths = [f"  {json.dumps(path)}: {{\n{_rules(list(keys), entries)}\n  }}" for path, keys in by_path]
    findings = "{\n" + ",\n".join(paths) + "\n }" if paths else "{}"
    return f'{{\n "version": {_VERSION},\n "findings": {findings}\n}}\n'


def _rules(keys: list[Key], entries: Entries) -> str:
    rules = (
        f"   {json.dumps(rule)}: [\n"
        + ",\n".join(f'    {{"fp": {json.dumps(key[2])}, "n": {entries[key]}}}' for key in group)
        + "\n   ]"
        for rule, group in groupby(keys, key=lambda key: key[1])
    )
    return ",\n".join(rules)


class _NoBaselineError(ValueError):
    """The JSON is no baseline."""


def _entries(document: object) -> Entries:
    if not isinstance(document, dict) or not isinstance(findings := document.get("findings"), dict):
        raise _NoBaselineError("it has no table of findings")
    if (version := document.get("version")) != _VERSION:
        raise _NoBaselineError(f"its version is {version}, and this torchlint knows {_VERSION}")
    entries: Entries = Counter()
    for path, rules in findings.items():
        for rule, listed in _members(rules, path).items():
            for mark, times in map(_entry, _list(listed, f"{rule} in {path}")):
                entries[path, rule, mark] += times
    return entries


def _members(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _NoBaselineError(f"what it has for {name} is no table")
    return value


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise _NoBaselineError(f"what it has for {name} is no list")
    return value


def _entry(value: object) -> tuple[str, int]:
    match value:
        case {"fp": str(mark), "n": int(times)} if times > 0:
            return mark, times
        case _:
            raise _NoBaselineError('an entry is not of the form {"fp": "…", "n": 1}')
