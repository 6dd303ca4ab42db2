"""What the page asks for by http: images for the views, files to download, and the upload."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from http import HTTPStatus
from urllib.parse import quote

import pyopencl as cl
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ..commandline import describe
from ..errors import PyclfftError
from ..image.imagefile import ImageFile
from . import pictures
from .brush import WHITE
from .tabs import Tab, Tabs

ERRORS = (PyclfftError, OSError, MemoryError, cl.Error)
MAX_UPLOADS = 2  # at once

_NO_TAB = "the lab does not know this tab any more: load the page again"


class Routes:
    """The answers for the tabs of a lab.

    Parameters
    ----------
    tabs : Tabs
        The tabs.
    workers : concurrent.futures.Executor
        The threads that decode, filter and encode.

    Attributes
    ----------
    table : dict of str to (callable, str)
        The answers and their methods, by path.
    """

    def __init__(self, tabs: Tabs, workers: Executor) -> None:
        self._tabs, self._workers = tabs, workers
        self._uploads = asyncio.Semaphore(MAX_UPLOADS)
        answers: dict[str, Callable[[Tab], Response]] = {
            "before": _before,
            "spectrum": _spectrum,
            "result": _result,
            "save": _save,
            "mask": _mask,
            "command": lambda tab: _text(tab.job().command(tab.device)),
            "python": lambda tab: _text(tab.job().python(tab.device)),
        }
        self.table = {
            f"/tab/{{tab}}/{name}": (self._in_thread(f), "GET") for name, f in answers.items()
        }
        self.table["/tab/{tab}/open"] = (self._open, "POST")

    def _in_thread(
        self, answer: Callable[[Tab], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that lets a thread answer; an error becomes its words."""

        async def endpoint(request: Request) -> Response:
            tab = self._tabs.get(request.path_params["tab"])
            if tab is None:
                return _error(_NO_TAB, HTTPStatus.NOT_FOUND)
            loop = asyncio.get_running_loop()
            try:
                return await loop.run_in_executor(self._workers, answer, tab)
            except ERRORS as error:
                return _error(describe(error))

        return endpoint

    async def _open(self, request: Request) -> Response:
        """Open the image that the browser sends."""
        tab = self._tabs.get(request.path_params["tab"])
        if tab is None:
            return _error(_NO_TAB, HTTPStatus.NOT_FOUND)
        name = request.query_params.get("name", "")
        async with self._uploads:
            try:
                data = await request.body()
            except ClientDisconnect:  # or the guard has ended an upload that is too large
                return _error("the upload has ended early")
            loop = asyncio.get_running_loop()
            try:
                tab.open(
                    await loop.run_in_executor(self._workers, pictures.open_picture, data, name)
                )
            except ERRORS as error:
                return _error(describe(error))
        return JSONResponse({"version": tab.version})


def _before(tab: Tab) -> Response:
    return _jpeg(pictures.preview(tab.job().picture.file), tab.version)


def _spectrum(tab: Tab) -> Response:
    return _jpeg(pictures.spectrum_preview(tab.job().picture), tab.version)


def _result(tab: Tab) -> Response:
    """Return the result of the newest settings, whatever they were when it was asked for."""
    version, queue = tab.version, tab.queue
    return _jpeg(pictures.preview(tab.job().result(queue)), version)


def _save(tab: Tab) -> Response:
    job = tab.job()
    return _file(pictures.saved(job.result(tab.queue), job.picture.suffix), job.result_name)


def _mask(tab: Tab) -> Response:
    mask = ImageFile(tab.job().mask(tab.queue), WHITE)
    return _file(pictures.saved(mask, ".png"), pictures.MASK_NAME)


def _jpeg(data: bytes, version: int) -> Response:
    headers = {"X-Version": str(version), "Cache-Control": "no-store"}
    return Response(data, media_type="image/jpeg", headers=headers)


def _file(data: bytes, name: str) -> Response:
    headers = {
        "X-Name": quote(name),
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "Cache-Control": "no-store",
    }
    return Response(data, media_type="application/octet-stream", headers=headers)


def _text(words: str) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(words, media_type="text/plain; charset=utf-8", headers=headers)


def _error(words: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
    return JSONResponse({"error": words}, status)
