"""The start of the protocol: no request is handled before `initialize`."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage, RPCNotification, RPCRequest


class Protocol(LanguageServerProtocol):
    """Answers requests before `initialize` with the protocol's error, and drops all else but `exit`."""

    _has_begun = False

    def handle_message(self, message: RPCMessage) -> None:
        """Handle a message of the editor."""
        if isinstance(message, RPCRequest) and message.method == lsp.INITIALIZE:
            self._has_begun = True
        if self._has_begun or not isinstance(message, (RPCRequest, RPCNotification)) or message.method == lsp.EXIT:
            super().handle_message(message)
        elif isinstance(message, RPCRequest):
            error = JsonRpcServerNotInitialized(f"`{message.method}` before `{lsp.INITIALIZE}`")
            self._send_response(message.id, error=error.to_response_error())
