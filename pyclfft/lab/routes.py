"""What the pages ask for by http: what the views show, files to download, and uploads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import pyopencl as cl
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ..commandline import describe
from ..errors import PyclfftError
from . import notches, pictures, sounds
from .sound_tabs import Piece, SoundTab
from .tabs import DeviceChoice, Tab, Tabs

ERRORS = (PyclfftError, OSError, MemoryError, cl.Error)
MAX_UPLOADS = 2  # at once

_NO_TAB = "the lab does not know this tab any more: load the page again"

Query = Mapping[str, str]
Answer = Callable[[Any, Query], Response]
Receive = Callable[[Any, bytes, Query], Callable[[], None]]


class Routes:
    """The answers for the tabs of a lab.

    Parameters
    ----------
    tabs : Tabs
        The tabs.
    workers : concurrent.futures.Executor
        The threads that decode, compute and encode.

    Attributes
    ----------
    table : dict of str to (callable, str)
        The endpoints and their methods, by path.
    """

    def __init__(self, tabs: Tabs, workers: Executor) -> None:
        self._tabs, self._workers = tabs, workers
        self._uploads = asyncio.Semaphore(MAX_UPLOADS)
        self.table: dict[str, tuple[Callable[[Request], Awaitable[Response]], str]] = {}
        for kind, answers in ANSWERS.items():
            for name, answer in answers.items():
                self.table[f"/{PLACES[kind]}/{{tab}}/{name}"] = self._answering(kind, answer), "GET"
        for kind, uploads in UPLOADS.items():
            for name, receive in uploads.items():
                self.table[f"/{PLACES[kind]}/{{tab}}/{name}"] = self._taking(kind, receive), "POST"

    def _answering(
        self, kind: type[DeviceChoice], answer: Answer
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that lets a thread answer; an error becomes its words."""

        async def endpoint(request: Request) -> Response:
            tab = self._tabs.get(request.path_params["tab"])
            if not isinstance(tab, kind):
                return _error(_NO_TAB, HTTPStatus.NOT_FOUND)
            try:
                return await self._in_thread(answer, tab, request.query_params)
            except ERRORS as error:
                return _error(describe(error))

        return endpoint

    def _taking(
        self, kind: type[DeviceChoice], receive: Receive
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint for changes: a thread takes what was sent, then the tab shows it."""

        async def endpoint(request: Request) -> Response:
            tab = self._tabs.get(request.path_params["tab"])
            if not isinstance(tab, kind):
                return _error(_NO_TAB, HTTPStatus.NOT_FOUND)
            async with tab.changing, self._uploads:
                try:
                    data = await request.body()
                    show = await self._in_thread(receive, tab, data, request.query_params)
                except ClientDisconnect:  # or the guard has ended an upload that is too large
                    return _error("the upload has ended early")
                except ERRORS as error:
                    return _error(describe(error))
                show()
            return JSONResponse({"version": tab.version})

        return endpoint

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, function, *arguments)


# --- images ---------------------------------------------------------------------------------------


def _open_picture(tab: Tab, data: bytes, query: Query) -> Callable[[], None]:
    picture = pictures.open_picture(data, query.get("name", ""))
    return lambda: tab.open(picture)


def _before(tab: Tab, query: Query) -> Response:
    return _image(pictures.preview(tab.job().picture.file), tab.version)


def _spectrum(tab: Tab, query: Query) -> Response:
    return _image(pictures.spectrum_preview(tab.job()), tab.version)


def _result(tab: Tab, query: Query) -> Response:
    """Return the result of the newest settings, whatever they were when it was asked for."""
    version = tab.version
    return _image(pictures.preview(tab.job().result()), version)


def _save(tab: Tab, query: Query) -> Response:
    job = tab.job()
    return _file(pictures.saved(job.result(), job.picture.suffix), job.result_name)


def _mask(tab: Tab, query: Query) -> Response:
    job = tab.job()
    return _file(pictures.saved(job.mask(), job.mask_suffix), job.mask_name)


def _notches(tab: Tab, query: Query) -> Response:
    job = tab.job()
    return JSONResponse(notches.listed(job.notches, job.off))


def _command(tab: Tab, query: Query) -> Response:
    return _text(tab.job().command())


def _python(tab: Tab, query: Query) -> Response:
    return _text(tab.job().python())


# --- sounds ---------------------------------------------------------------------------------------


def _shown(tab: SoundTab) -> sounds.Sound:
    tab.require_piece()
    assert tab.sound is not None
    return tab.sound


def _shown_later(tab: SoundTab, piece: Piece) -> Callable[[], None]:
    """Compute what a piece sounds like; return what shows it."""
    sound = piece.sound(tab.queue)
    return lambda: tab.show(piece, sound)


def _open_sound(tab: SoundTab, data: bytes, query: Query) -> Callable[[], None]:
    return _shown_later(tab, Piece(sounds.open_sound(data, query.get("name", ""))))


def _put_in_room(tab: SoundTab, data: bytes, query: Query) -> Callable[[], None]:
    room = sounds.open_sound(data, query.get("name", ""))
    return _shown_later(tab, tab.require_piece().in_room(room))


def _leave_room(tab: SoundTab, data: bytes, query: Query) -> Callable[[], None]:
    return _shown_later(tab, tab.require_piece().in_room(None))


def _edit(tab: SoundTab, data: bytes, query: Query) -> Callable[[], None]:
    return _shown_later(tab, tab.require_piece().with_edit(sounds.parse_region(query)))


def _undo(tab: SoundTab, data: bytes, query: Query) -> Callable[[], None]:
    return _shown_later(tab, tab.require_piece().undone())


def _levels(tab: SoundTab, query: Query) -> Response:
    """Return the spectrogram of the newest view, and what its rows and columns are."""
    version, view, sound = tab.version, tab.view, _shown(tab)
    return _image(sounds.picture(sounds.levels(sound, view, tab.queue), view), version, "png")


def _axes(tab: SoundTab, query: Query) -> Response:
    view, sound = tab.view, _shown(tab)
    edges = [round(float(each), 3) for each in view.frequencies(sound.sr)]
    return JSONResponse({"seconds": sound.seconds, "edges": edges, "db": view.db})


def _notes(tab: SoundTab, query: Query) -> Response:
    return JSONResponse(sounds.found_notes(_shown(tab), tab.queue))


def _whole(tab: SoundTab, query: Query) -> Response:
    sound = _shown(tab)
    return _file(sounds.wav(sound), sound.file_name("changed" if sound.changes else "copy"))


def _part(tab: SoundTab, query: Query) -> Response:
    sound = _shown(tab)
    part = sounds.cut(sound, sounds.parse_rectangle(query), tab.queue)
    return _file(sounds.wav(part), sound.file_name("part"))


# --- tables and answers ---------------------------------------------------------------------------

PLACES: dict[type[DeviceChoice], str] = {Tab: "tab", SoundTab: "sound-tab"}
ANSWERS: dict[type[DeviceChoice], dict[str, Answer]] = {
    Tab: {
        "before": _before, "spectrum": _spectrum, "result": _result, "save": _save, "mask": _mask,
        "notches": _notches, "command": _command, "python": _python,
    },
    SoundTab: {
        "levels": _levels, "axes": _axes, "notes": _notes, "whole": _whole, "part": _part,
    },
}  # fmt: skip
UPLOADS: dict[type[DeviceChoice], dict[str, Receive]] = {
    Tab: {"open": _open_picture},
    SoundTab: {
        "open": _open_sound,
        "room": _put_in_room,
        "dry": _leave_room,
        "edit": _edit,
        "undo": _undo,
    },
}


def _image(data: bytes, version: int, kind: str = "jpeg") -> Response:
    headers = {"X-Version": str(version), "Cache-Control": "no-store"}
    return Response(data, media_type=f"image/{kind}", headers=headers)


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
