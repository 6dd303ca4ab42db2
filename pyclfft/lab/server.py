"""The lab's server: bound to 127.0.0.1, with the guard around everything that it serves."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..errors import PyclfftError
from .guard import TOKEN, App, Guard
from .pictures import Picture
from .sounds import Sound
from .tabs import Tabs

WORKERS = 2  # threads that decode, filter and encode
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


def make_app(first: Picture | Sound | None, device: str) -> App:
    """Return the application inside the guard: the pages, and what they ask for.

    Parameters
    ----------
    first : Picture or Sound, optional
        What every new tab shows.
    device : str
        The device that every new tab uses, in the words of `use_device`; empty for the default one.

    Notes
    -----
    NiceGUI has one application for each process, so this is called once.
    """
    from fastapi import FastAPI
    from nicegui import ui

    from .pages import make_pages
    from .routes import Routes

    tabs = Tabs()
    web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    routes = Routes(tabs, ThreadPoolExecutor(WORKERS, "lab"))
    for path, (endpoint, method) in routes.table.items():
        web.add_route(path, endpoint, methods=[method])
    make_pages(tabs, first, device)
    ui.run_with(web, title="pyclfft lab", dark=None, tailwind=False, show_welcome_message=False)
    return web


def serve(
    first: Picture | Sound | None, port: int, device: str, tell: Callable[[str], None]
) -> None:
    """Serve the lab until Ctrl-C.

    Parameters
    ----------
    first : Picture or Sound, optional
        What every new tab shows.
    port : int
        The port; 0 stands for any free one.
    device : str
        The device that every new tab uses, in the words of `use_device`; empty for the default one.
    tell : callable
        Called with the link once the server listens.

    Raises
    ------
    PyclfftError
        Another program has the port.
    """
    import uvicorn

    with listen(port) as listening, tempfile.TemporaryDirectory(prefix="pyclfft-lab-") as folder:
        # NiceGUI would look for its storage in the working directory. Nothing is stored here.
        os.environ["NICEGUI_STORAGE_PATH"] = folder
        number = listening.getsockname()[1]
        start = "/sound" if isinstance(first, Sound) else "/"
        guard = Guard(make_app(first, device), number, start=start)
        server = uvicorn.Server(settings(guard))
        listening.listen()
        tell(f"http://127.0.0.1:{number}/?{TOKEN}={guard.token}")
        server.run(sockets=[listening])
