"""``pyclfft lab``: a page in the browser to play with the spectra of images and sounds."""

from __future__ import annotations

import argparse
import html
import importlib.util
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from .. import commandline, streams
from ..advice import pip_install
from ..errors import FormatError, PyclfftError
from ..runtime.choice import select_device, use_device
from .guard import MAX_BODY_BYTES
from .pictures import Picture, open_picture
from .sounds import SUFFIXES, Sound, open_sound

PROG = "pyclfft lab"

EPILOG = """\
The page is served on 127.0.0.1, so that only this machine reaches it, and the link works once, in
one browser. With --no-browser, or if no browser opens, open the printed link yourself. Images and
sounds that you open in the page stay on this machine, and are forgotten when its tab closes. Ctrl-C
ends the lab."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0 after Ctrl-C, or 2 after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Open a page in the browser to play with the spectrum of an image or of a "
        "sound. For an image the page has filters with sliders, and a brush that erases "
        "frequencies. For a sound it shows the spectrogram and the notes, changes parts of the "
        "sound, and puts the sound into a room.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("file", nargs="?", type=streams.file_name, metavar="FILE",
        help="what to begin with: an image (PGM, PNG, TIFF, JPEG, PPM, BMP, WebP or GIF) or a "
        "sound (WAV, FLAC, OGG, AIFF, MP3 ...)")  # fmt: skip
    add("--port", type=_port, default=0, metavar="N",
        help="the port to serve the page on (default: 0, any free one)")  # fmt: skip
    add("--no-browser", action="store_true", help="open no browser: print the link alone")
    commandline.add_device(result)
    return result


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: take 0 to 65535")
    return int(text)


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    if importlib.util.find_spec("nicegui") is None:
        raise PyclfftError(f"the lab needs NiceGUI: {pip_install('lab')}")
    from .server import serve

    use_device(select_device(options.device))
    first = _read(options.file) if options.file else None
    with tempfile.TemporaryDirectory(prefix="pyclfft-lab-") as folder:

        def tell(link: str) -> None:
            print(f"The lab is open at {link}", "Ctrl-C ends it.", sep="\n", flush=True)
            if not options.no_browser:
                _open_browser(link, Path(folder))

        try:
            serve(first, options.port, options.device or "", tell)
        except KeyboardInterrupt:
            print("The lab is closed.")
    return 0


def _read(path: str) -> Picture | Sound:
    """Return what the page shows first; the ending of a sound's name says that it is one."""
    file = Path(path)
    if file.stat().st_size > MAX_BODY_BYTES:
        raise FormatError(f"{path}: the file has more than {MAX_BODY_BYTES // 2**20} MiB")
    try:
        read = open_sound if file.suffix.lower() in SUFFIXES else open_picture
        return read(file.read_bytes(), file.name)
    except FormatError as error:
        raise FormatError(f"{file.parent / str(error)}") from None


def _open_browser(link: str, folder: Path) -> None:
    """Open the link by way of a file that only this user can read.

    Every user of a machine can read the arguments of a program, and so a link that a browser is
    called with.
    """
    file = folder / "open-the-lab.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0;url={html.escape(link)}">'
        "<title>pyclfft lab</title>",
        encoding="utf-8",
    )
    webbrowser.open(file.as_uri())


if __name__ == "__main__":
    sys.exit(main())
