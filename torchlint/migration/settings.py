"""Write settings of ours into a file of TOML, in which everything else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from torchlint.config.places import KeyPath, places
from torchlint.config.toml import parsed, toml, toml_key
from torchlint.migration.flake8 import Wanted

_EXTERNAL = (("tool", "ruff", "lint", "external"), ("tool", "ruff", "external"), ("lint", "external"), ("external",))
_TORCHFIX = re.compile(r"TOR[0-9]*")


class CannotBeMergedError(Exception):
    """The settings cannot be written into a file: the message is the lines to write in there."""


def with_settings(text: str, table: tuple[str, ...], wanted: Wanted) -> str:
    """Return a text of TOML with settings added to those of a table; the empty one is the whole file.

    Raises `CannotBeMergedError` where a table is written in a way that lines cannot be added to.
    """
    lists = dict(_lists(wanted))
    after = text
    for path, names in lists.items():
        after = _added(after, (*table, *path), names)
    if not _has_all(text, after, table, lists):
        raise CannotBeMergedError("; ".join(f"{'.'.join(map(toml_key, path))} = {toml(lists[path])}" for path in lists))
    return after


def without_external(text: str, left: set[str]) -> str:
    """Return a text of TOML in which ruff's `external` has no codes of TorchFix that no comment has any more."""
    for path in _EXTERNAL:
        items = _value(parsed(text), path)
        spans = places(text).values
        for index in reversed(range(len(items))):
            word = str(items[index])
            if _TORCHFIX.fullmatch(word) and not any(name.startswith(word) for name in left):
                text = _without_item(text, spans[(*path, index)])
    return text


def _lists(wanted: Wanted) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """Yield the keys below our table, and the names to add there."""
    if wanted.extend_select:
        yield ("extend-select",), wanted.extend_select
    if wanted.ignore:
        yield ("ignore",), wanted.ignore
    for pattern, names in wanted.per_file_ignores.items():
        yield ("per-file-ignores", pattern), names


def _added(text: str, path: tuple[str, ...], names: Sequence[str]) -> str:
    """Return a text with names added to a list."""
    spots = places(text)
    here = spots.values.get(path)
    present = _value(parsed(text), path)
    new = [name for name in names if name not in present]
    if here is None:
        return _with_line(text, path[:-1], f"{toml_key(path[-1])} = {toml(new)}\n")
    if not new or not present:
        return text[: here.start] + toml(new) + text[here.stop :] if new else text
    at = spots.values[(*path, len(present) - 1)].stop
    return f"{text[:at]}, {', '.join(map(toml, new))}{text[at:]}"


def _value(document: Mapping[str, object], path: KeyPath) -> Sequence[object]:
    """Return the list at a path, empty if there is none."""
    found: object = document
    for key in path:
        found = found.get(str(key)) if isinstance(found, dict) else None
    return found if isinstance(found, list) else ()


def _with_line(text: str, table: tuple[str, ...], line: str) -> str:
    """Return a text with a line at the beginning of a table, which is made at the end if there is none."""
    if not table:
        at = found.start() if (found := re.search(r"(?m)^[ \t]*\[", text)) else len(text)
        return _ended(text[:at]) + line + ("\n" if at < len(text) else "") + text[at:]
    keys = r"[ \t]*\.[ \t]*".join(f"[\"']?{re.escape(key)}[\"']?" for key in table)
    header = re.search(rf"(?m)^[ \t]*\[[ \t]*{keys}[ \t]*\][^\n]*(?:\n|\Z)", text)
    if header is not None:
        return _ended(text[: header.end()]) + line + text[header.end() :]
    between = "\n" if text.strip() else ""
    return f"{_ended(text)}{between}[{'.'.join(map(toml_key, table))}]\n{line}"


def _ended(text: str) -> str:
    """Return a text whose last line has an end."""
    return text if text == "" or text.endswith("\n") else f"{text}\n"


def _has_all(before: str, after: str, table: tuple[str, ...], lists: Mapping[tuple[str, ...], Sequence[str]]) -> bool:
    """Tell whether the text is valid, and has all names that it had or was to get."""
    try:
        now = parsed(after)
    except ValueError:
        return False
    old = parsed(before)
    return all(
        {*map(str, _value(old, (*table, *path))), *names} == {*map(str, _value(now, (*table, *path)))}
        for path, names in lists.items()
    )


def _without_item(text: str, span: range) -> str:
    """Return a text without an item of a list, and without the comma beside it."""
    before, after = text[: span.start], text[span.stop :]
    if (comma := re.match(r"\s*,[ \t]*", after)) is not None:
        return before + after[comma.end() :]
    return re.sub(r",\s*\Z", "", before) + after
