"""The lab's server: bound to 127.0.0.1, with the guard around everything that it serves."""

from __future__ import annotations

import os
import socket
from typing import Any

from ..errors import PyclfftError

MAX_MESSAGE_BYTES = 4 * 2**20  # of a websocket; the brush's longest strokes have less


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone.

    Parameters
    ----------
    port : int
        The port; 0 stands for any free one.

    Raises
    ------
    PyclfftError
        Another program has the port.
    """
    result = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option lets another program take over the port
            result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        result.bind(("127.0.0.1", port))
    except OSError as error:
        result.close()
        raise PyclfftError(
            f"port {port} of 127.0.0.1 cannot be used ({error.strerror}): leave out --port, or "
            "name another one"
        ) from None
    return result


def settings(app: Any, log_level: str = "warning") -> Any:
    """Return how uvicorn serves the guarded application.

    Its own log of requests, which would hold the link's token, is off. It takes no header of a
    request for the name of a proxy.
    """
    import uvicorn

    return uvicorn.Config(
        app,
        interface="asgi3",
        log_config=None,
        log_level=log_level,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=1,
    )
