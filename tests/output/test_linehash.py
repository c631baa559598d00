"""The hash of a line, held to what CodeQL publishes of it."""

from __future__ import annotations

import pytest

from torchlint.output.sarif_results import LineHashes

END = "c129715d7a2bc9a3:1"
# `fingerprints.test.ts` of github/codeql-action: a file, and the hash of each of its lines.
VECTORS = [
    ("", [END]),
    (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
    (
        " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
        [
            "8b7cf3e952e7aeb2:1",
            "b1ae1287ec4718d9:1",
            "bff680108adb0fcc:1",
            "c6805c5e1288b612:1",
            "b86d3392aea1be30:1",
            "e6ceba753e1a442:1",
        ],
    ),
    (
        " hello; \t\r\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
        [
            "e9496ae3ebfced30:1",
            "fb7c023a8b9ccb3f:1",
            "ce8ba1a563dcdaca:1",
            "e20e36e16fcb0cc8:1",
            "b3edc88f2938467e:1",
            "c8e28b0b4002a3a0:1",
            END,
        ],
    ),
    (
        "Lorem ipsum dolor sit amet.\n" * 10,
        [
            *(f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)),
            "a7f2ff1481e87703:1",
            "a9cf91f7bbf1862b:1",
            "55ec222b86bcae53:1",
            "cc97dc7b1d7d8f7b:1",
            END,
        ],
    ),
    (
        "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n",
        [
            "e54938cc54b302f1:1",
            "bb609acbe9138d60:1",
            "1131fd5871777f34:1",
            "5c482a0f8b35ea28:1",
            "54517377da7028d2:1",
            "2c644846cb18d53e:1",
            "f1b89f20de0d133:1",
            END,
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), VECTORS)
def test_each_line_has_the_hash_that_codeql_publishes(text: str, expected: list[str]) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    hashes = LineHashes(lines)

    assert [hashes.of(number) for number in range(1, len(lines) + 1)] == expected


def test_characters_beyond_the_first_plane_count_as_two() -> None:
    long = LineHashes(["🎉" * 50 + "a"])
    longer = LineHashes(["🎉" * 50 + "b"])

    assert long.of(1) == longer.of(1)
