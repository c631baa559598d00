"""The oldest version that a requirement lets in, and the first one that is too new for it."""

from __future__ import annotations

import re

# `torch>=2.1`, `torch[opt] (>=2.1)`; conda's `pytorch::pytorch=2.1`, `pytorch 2.1.*`.
_REQUIREMENT = re.compile(
    r"\s*(?:[\w.-]+::)?(?P<name>\w[\w.-]*?)\s*(?:\[[^\]]*\]\s*)?(?:\(\s*)?(?P<versions>(?:[<>=!~^].*|(?<=\s)\d.*)?)",
)
# `name @ git+https://…@v0.8.5`, `git+https://…/name.git@v0.8.5#egg=other`; `https://…/name-2.0.1%2Bcu118-cp310-….whl`.
_BEFORE_AT = re.compile(r"(\w[\w.-]*)\s*(?:\[[^\]]*\]\s*)?@")
_NAME = re.compile(r"\w[\w.-]*")
_TAG = re.compile(r"v?(\d+\.\d[\d.]*)")
_WHEEL = re.compile(r"(\w+)-(\d+\.\d[\d.]*)[^/]*\.whl")
_TORCH = frozenset({"torch", "pytorch"})
_REST = re.compile(r"[;#)@].*", re.DOTALL)
_UP_TO = re.compile(r"\s*(<=|<|===?|=|~=|~|\^|)\s*v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?")
_FROM = re.compile(r"\s*(?:>=|>|===?|=|~=|~|\^|)\s*v?(\d{1,4})(?:\.(\d{1,4}))?")


def lower_bound(requirement: str) -> tuple[int, int] | None:
    """Return the oldest torch that a requirement allows; None for one of something else, or of any torch."""
    name, versions = required(requirement)
    return oldest(versions) if name in _TORCH else None


def required(requirement: str) -> tuple[str, str]:
    """Return what a requirement is about, as an index names it, and which versions it lets in: both may be empty."""
    if (direct := _direct(requirement.strip())) is not None:
        return direct
    found = _REQUIREMENT.fullmatch(_REST.sub("", requirement).strip())
    return (_normalized(found["name"]), found["versions"]) if found else ("", "")


def _direct(requirement: str) -> tuple[str, str] | None:
    """Return the same of a reference to a wheel, or to a tag that says the version; None for any other."""
    address, _, egg = requirement.partition("#egg=")
    if "://" not in address:
        return None
    source, _, tag = address.rpartition("@")
    if (wheel := _WHEEL.match(address.rpartition("/")[2])) is not None:
        return _normalized(wheel[1]), f"=={wheel[2]}"
    version = _TAG.match(tag) if "+" in source else None
    last = source.rpartition("/")[2].removesuffix(".git")
    name = _BEFORE_AT.match(requirement) or _NAME.match(egg) or _NAME.match(last)
    if version is None or name is None:
        return None
    return _normalized(name[name.lastindex or 0]), f"=={version[1]}"


def _normalized(name: str) -> str:
    return name.lower().replace("_", "-")


def oldest(versions: str) -> tuple[int, int] | None:
    """Return the oldest version that `>=2.1,<3`, `^2.1` or `1.13 || ^2` allows, None if there is none."""
    bounds = [_least(alternative) for alternative in versions.split("||")]
    known = [bound for bound in bounds if bound is not None]
    return min(known) if len(known) == len(bounds) else None


def _least(versions: str) -> tuple[int, int] | None:
    bounds = (_FROM.match(clause) for clause in versions.split(","))
    return max(((int(bound[1]), int(bound[2] or 0)) for bound in bounds if bound), default=None)


def too_new(versions: str) -> tuple[int, int] | None:
    """Return the first version that `>=2.1,<3`, `^2.1` or `==1.9.*` is too old for, None where there is none."""
    bounds = [_most(alternative) for alternative in versions.split("||")]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _most(versions: str) -> tuple[int, int] | None:
    clauses = (_UP_TO.match(clause) for clause in versions.split(","))
    return min((_behind(clause) for clause in clauses if clause), default=None)


def _behind(clause: re.Match[str]) -> tuple[int, int]:
    """Return the first version behind those that a clause lets in: 2.0 for `<2` and `^1.8`, 1.9 for `==1.8`."""
    operator, major, minor = clause[1], int(clause[2]), int(clause[3] or 0)
    has_minor, has_patch = clause[3] is not None, clause[4] is not None
    if operator == "<":
        return major, minor + (int(clause[4] or 0) > 0)
    is_of_major = (operator == "^" and major > 0) or (operator == "~=" and not has_patch)
    is_of_major |= operator in {"=", "~"} and not has_minor
    return (major + 1, 0) if is_of_major else (major, minor + 1)
