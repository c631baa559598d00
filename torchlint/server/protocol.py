"""What the protocol answers by itself: requests before `initialize`, and messages that are none of its own."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage, RPCNotification, RPCRequest

from torchlint.server.malformed import Malformed, malformed

_LOGGER = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """Answers malformed requests and those before `initialize` with the protocol's error.

    Of what is no request, it logs a malformed message, and drops all but `exit` before `initialize`.
    """

    _has_begun = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message that `data` is."""
        try:
            return super().structure_message(data)
        except JsonRpcException as refusal:
            return malformed(data, refusal)

    def handle_message(self, message: RPCMessage | Malformed) -> None:
        """Handle a message of the editor."""
        if isinstance(message, Malformed):
            self._refuse(message)
            return
        if isinstance(message, RPCRequest) and message.method == lsp.INITIALIZE:
            self._has_begun = True
        if self._has_begun or not isinstance(message, (RPCRequest, RPCNotification)) or message.method == lsp.EXIT:
            super().handle_message(message)
        elif isinstance(message, RPCRequest):
            error = JsonRpcServerNotInitialized(f"`{message.method}` before `{lsp.INITIALIZE}`")
            self._send_response(message.id, error=error.to_response_error())

    def _refuse(self, message: Malformed) -> None:
        if message.id is None:
            _LOGGER.error("%s", message.error)
        else:
            self._send_response(message.id, error=message.error.to_response_error())
