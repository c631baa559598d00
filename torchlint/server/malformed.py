"""Messages of an editor that the protocol does not allow: what is wrong with one, in a line."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import Any

from cattrs import transform_error
from pygls.exceptions import JsonRpcException

_LOGGER = logging.getLogger("pygls.protocol.json_rpc")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message whose members are not those of its method; a notification has no `id`."""

    id: str | int | None
    error: JsonRpcException
    # What pygls asks of every message.
    jsonrpc: str = "2.0"


def malformed(data: dict[str, Any], refusal: JsonRpcException) -> Malformed:
    """Return the message that pygls refused to read, with each member that is wrong."""
    number = data.get("id")
    reasons = transform_error(refusal.__cause__, path="message") if refusal.__cause__ else [str(refusal)]
    # The protocol's own names: lsprotocol has them in snake case.
    reasons = [re.sub(r"_(\w)", lambda found: found[1].upper(), reason) for reason in reasons]
    text = f"`{data.get('method', 'response')}`: {'; '.join(reasons)}"
    return Malformed(number if isinstance(number, (str, int)) else None, type(refusal)(text))


def answer_in_one_line() -> None:
    """Keep pygls from logging a traceback for each such message: it is answered, or logged, in one line."""
    _LOGGER.addFilter(lambda record: not str(record.msg).startswith("Unable to deserialize message"))
