"""What the runners of GitHub and Azure see in a line of a log, after their own sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_OBEYED_BY_GITHUB = {
    "error", "warning", "notice", "debug", "group", "endgroup", "echo", "add-mask", "add-path", "add-matcher",
    "remove-matcher", "set-env", "set-output", "save-state", "stop-commands",
}  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A line that is obeyed."""

    name: str
    properties: dict[str, str]
    data: str


def github_command(line: str) -> Command | None:
    """Return the command that GitHub's runner sees in a line.

    It follows `TryParseV2` and `TryParse` of ActionCommand.cs in actions/runner, with what .NET's
    `Split` does when it is asked for at most two parts and no empty ones.
    """
    line = line.lstrip()
    if line.startswith("::") and (end := line.find("::", 2)) >= 0:
        name, _, properties = line[2:end].partition(" ")
        if name.lower() in _OBEYED_BY_GITHUB:
            codes = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
            values = _properties(properties.strip(), ",", codes)
            return Command(name, values, _unescaped(line[end + 2 :], {"%0D": "\r", "%0A": "\n", "%25": "%"}))
    old = re.search(r"##\[([^ \]]*)[^\]]*\]", line)
    return Command(old[1], {}, "") if old and old[1].lower() in _OBEYED_BY_GITHUB else None


def azure_command(line: str) -> Command | None:
    """Return the command that Azure's agent sees in a line, whichever it knows.

    It follows `TryParse` of Command.cs in microsoft/azure-pipelines-agent, percent signs decoded.
    """
    start = line.find("##vso[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, properties = line[start + len("##vso[") : end].partition(" ")
    if len([part for part in name.split(".") if part]) != 2:
        return None
    codes = {"%3B": ";", "%0D": "\r", "%0A": "\n", "%5D": "]", "%AZP25": "%"}
    return Command(name, _properties(properties, ";", codes), _unescaped(line[end + 1 :], codes))


def _properties(text: str, separator: str, codes: Mapping[str, str]) -> dict[str, str]:
    pairs = [pair for part in text.split(separator) if (pair := _split_in_two(part))]
    return {key: _unescaped(value, codes) for key, value in pairs}


def _split_in_two(text: str) -> tuple[str, str] | None:
    key, _, value = text.lstrip("=").partition("=")
    value = value.lstrip("=")
    return (key, value) if key and value else None


def _unescaped(text: str, codes: Mapping[str, str]) -> str:
    for code, character in codes.items():
        text = text.replace(code, character)
    return text
