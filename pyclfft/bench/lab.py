"""``python -m pyclfft bench lab``: how soon the lab shows what a slider does.

`pyclfft lab` runs as a process of its own, beside a headless Chromium on the same machine. What is
measured begins with a slider's event in the browser and ends when the browser has decoded the
result, an image of 1024 x 1024 pixels. Beside it stands the device's time of the same filter.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .. import commandline
from ..advice import pip_install
from ..errors import PyclfftError
from ..image.filtering import image_filter
from ..image.imagefile import ImageFile, write_image
from ..image.jobs import filter_job
from ..runtime import choice
from ..runtime.profile import Recorder, profiling_queue
from ..runtime.queues import default_queue
from . import render, session
from .environment import environment
from .statistics import Spread, spread

PROG = "pyclfft bench lab"
SAMPLES = 50
WARM_UP = 5
SIDE = 1024
LIMIT_S = 60.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# The images: their channels, and what the median should stay below, in ms.
IMAGES = {"grey": (1, 100), "colour": (3, 250)}
# The filter that the page begins with, at its slider's first position.
FILTER = {"kind": "lowpass", "cutoff": 0.125, "unit": "cycles/px", "shape": "gaussian"}

# Presses a key on the slider; answers with the milliseconds until the result is decoded.
_MOVE = """
const [key, done] = arguments;
const views = document.querySelector(".lab-views");
const thumb = document.querySelector(".lab-slider-cutoff [tabindex]");
const options = { keyCode: key, bubbles: true };
const begin = performance.now();
views.addEventListener("lab-result", () => done(performance.now() - begin), { once: true });
thumb.dispatchEvent(new KeyboardEvent("keydown", options));
thumb.dispatchEvent(new KeyboardEvent("keyup", options));
"""
_LEFT, _RIGHT = 37, 39  # codes of the arrow keys


@dataclass(frozen=True)
class Row:
    """What was measured with one image.

    Attributes
    ----------
    image : str
        One of `IMAGES`.
    page_ms : Spread
        From the slider's event to the decoded result.
    device_ms : Spread
        The device's time of the filter alone.
    limit_ms : float
        What the median of `page_ms` should stay below.
    """

    image: str
    page_ms: Spread
    device_ms: Spread
    limit_ms: float


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench lab``.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description=f"Measure how soon the page of pyclfft lab shows what a slider does, with an "
        f"image of {SIDE} x {SIDE} pixels in Chromium on this machine. Let nothing else run "
        "meanwhile.",
    )
    commandline.add_device(result)
    result.add_argument("--samples", metavar="N", type=commandline.count, default=SAMPLES,
                        help=f"how many times a slider is moved (default: {SAMPLES})")  # fmt: skip
    result.add_argument("--json", metavar="FILE", help="write all results")
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require_folders(options.json)
    webdriver = find_webdriver()
    choice.use_device(choice.select_device(options.device))
    where = environment([default_queue().device], [])
    print(commandline.table(list(where.items())))
    print(
        f"\nThe table shows medians of {options.samples} and quartiles, in milliseconds. page: the"
    )
    print("time from a slider's event until the browser has decoded the result; device: the time")
    print("that the device takes for the filter alone\n", flush=True)
    rows = [measure(webdriver, name, options.device, options.samples) for name in IMAGES]
    header = ("image", "page", "quartiles", "wanted", "device", "quartiles")
    print(commandline.table([_cells(row) for row in rows], header, "<>>>>>"))
    if options.json:
        document = {"environment": where, "rows": [asdict(row) for row in rows]}
        render.write(options.json, render.json_of(document))
    return 0


def measure(webdriver: Any, name: str, device: str | None, samples: int) -> Row:
    """Measure with one image.

    Parameters
    ----------
    webdriver : module
        selenium.webdriver.
    name : str
        One of `IMAGES`.
    device : str or None
        The device, in the words of `use_device`.
    samples : int
        How often a slider is moved.
    """
    channels, limit = IMAGES[name]
    image = picture(channels)
    with tempfile.TemporaryDirectory(prefix="pyclfft-bench-") as folder:
        path = Path(folder) / f"{name}.png"
        write_image(path, ImageFile(image, 255))
        arguments = [str(path), *(["--device", device] if device else [])]
        with lab_process(arguments) as link, chromium(webdriver) as browser:
            page = page_times(browser, link, samples)
    return Row(name, spread(page), spread(device_times(image, samples)), limit)


def picture(channels: int) -> np.ndarray:
    """Return a picture with detail at all frequencies, as photos have it: uint8, SIDE x SIDE."""
    random = np.random.default_rng(26)
    down, across = (np.fft.fftfreq(SIDE) for _ in range(2))
    slope = 1 / np.maximum(np.hypot.outer(down, across), 1 / SIDE)
    planes = []
    for _ in range(channels):
        plane = np.fft.ifft2(np.fft.fft2(random.normal(size=(SIDE, SIDE))) * slope).real
        planes.append(128 + 45 * plane / plane.std())
    pixels = np.rint(np.clip(planes, 0, 255)).astype(np.uint8)
    return pixels[0] if channels == 1 else np.ascontiguousarray(np.moveaxis(pixels, 0, 2))


def device_times(image: np.ndarray, samples: int) -> list[float]:
    """Return how long the device took for the filter, transfers included, in ms."""
    queue = profiling_queue(default_queue().context)
    ready = image_filter(filter_job(image, **FILTER), queue.context)  # type: ignore[arg-type]
    times = []
    for _ in range(samples):
        recorder = Recorder()
        ready(image, queue, recorder)
        times.append(sum(each.ms for each in recorder.times()))
    return times


def page_times(browser: Any, link: str, samples: int) -> list[float]:
    """Return the times from a slider's event to the decoded result, in ms."""
    browser.set_script_timeout(LIMIT_S)
    browser.get(link)
    shown = "return document.querySelector('.lab-views')?.dataset.shown > 0"
    wait = import_module("selenium.webdriver.support.wait")
    wait.WebDriverWait(browser, LIMIT_S).until(lambda _: browser.execute_script(shown))
    keys = [(_LEFT, _RIGHT)[n // 8 % 2] for n in range(WARM_UP + samples)]
    return [float(browser.execute_async_script(_MOVE, key)) for key in keys][WARM_UP:]


# --- processes ------------------------------------------------------------------------------------


@contextlib.contextmanager
def lab_process(arguments: Sequence[str]) -> Iterator[str]:
    """Run `pyclfft lab`, and yield its link."""
    command = [sys.executable, "-u", "-m", "pyclfft", "lab", "--no-browser", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            link = re.search(r"http://\S+", line)
            if link is None:
                raise PyclfftError("pyclfft lab has not begun: it says why above")
            yield link[0]
        finally:
            process.terminate()


@contextlib.contextmanager
def chromium(webdriver: Any) -> Iterator[Any]:
    """Run Chromium without a screen, and yield selenium's object that controls it."""
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    for each in ("--headless=new", "--window-size=1400,1000"):
        options.add_argument(each)
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium has no sandbox for root
        options.add_argument("--no-sandbox")
    service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        yield browser
    finally:
        browser.quit()


def find_webdriver() -> Any:
    """Return selenium's module, or say what is missing."""
    try:
        webdriver = import_module("selenium.webdriver")
    except ImportError:
        raise PyclfftError(f"{PROG} needs selenium: {pip_install('browser')}") from None
    if not any(map(shutil.which, BROWSERS)) or not shutil.which("chromedriver"):
        raise PyclfftError(
            f"{PROG} needs Chromium and its driver: apt-get install chromium chromium-driver"
        )
    return webdriver


def _cells(row: Row) -> tuple[str, ...]:
    def quartiles(times: Spread) -> str:
        return f"{times.low:.1f} .. {times.high:.1f}"

    return (
        row.image,
        f"{row.page_ms.median:.1f}",
        quartiles(row.page_ms),
        f"< {row.limit_ms}",
        f"{row.device_ms.median:.2f}",
        quartiles(row.device_ms),
    )
