"""Make the pictures of the lab: screenshots of Chromium, in which a brush erases stripes.

    python docs/make_lab.py

It needs nicegui, selenium, chromium and its driver, and writes docs/pictures/lab.png and
lab_sound.png.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pyclfft.bench.lab import chromium, find_webdriver, lab_process
from pyclfft.image.imagefile import ImageFile, read_image, write_image

DOCS = Path(__file__).resolve().parent
SAMPLES = DOCS.parent / "samples"
STRIPES = (36, 60)  # bins from DC, down and across
PAUSE = 1.5  # seconds, in which the page comes to rest

# Where a bin of the spectrum lies in the window.
_PLACE = """
const [row, column] = arguments;
const canvas = document.querySelector("canvas.lab-spectrum");
const box = canvas.getBoundingClientRect();
const side = Math.min(box.width, box.height);
return [box.left + box.width / 2 + (column / 512) * side,
        box.top + box.height / 2 + (row / 512) * side];
"""


def striped() -> ImageFile:
    """Return the sample scene with stripes over it."""
    scene = read_image(SAMPLES / "scene.pgm").pixels.astype(float)
    rows, columns = np.indices(scene.shape)
    phase = 2 * np.pi * (STRIPES[0] * rows + STRIPES[1] * columns) / scene.shape[0]
    pixels = np.clip(scene * 0.8 + 25 + 25 * np.sin(phase), 0, 255)
    return ImageFile(np.rint(pixels).astype("u1"), 255)


def click(browser: Any, selector: str, text: str = "") -> None:
    """Click on the first element that fits."""
    elements = browser.find_elements("css selector", selector)
    next(each for each in elements if text in each.text).click()
    time.sleep(PAUSE)


def erase_stripes(browser: Any, webdriver: Any) -> None:
    """Draw on the spectrum where the stripes' frequency is."""
    click(browser, "[data-name=kind]")
    click(browser, ".q-item", "Brush only")
    click(browser, "input[value=erase]")
    x, y = map(int, browser.execute_script(_PLACE, *STRIPES))
    actions = webdriver.ActionChains(browser)
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(x, y)
    pointer.pointer_down()
    pointer.move_to_location(x + 2, y)
    pointer.pointer_up()
    actions.perform()
    time.sleep(PAUSE)
    click(browser, ".lab-copy")


def mark_sound(browser: Any, webdriver: Any) -> None:
    """Show the notes, and a rectangle around the rising tone."""
    click(browser, ".lab-notes")
    for field, value in (("start", 0.1), ("end", 1.7), ("low", 60), ("high", 4500)):
        box = browser.find_element("css selector", f".lab-field-{field}")
        box.clear()
        box.send_keys(str(value), "\t")
    time.sleep(PAUSE)


def make(
    webdriver: Any, file: Path, name: str, size: tuple[int, int], act: Callable[[Any, Any], None]
) -> None:
    """Make one picture: of a file, in a window of a size, after some acts."""
    with lab_process([str(file)]) as link, chromium(webdriver) as browser:
        browser.set_window_size(*size)
        browser.get(link)
        time.sleep(2 * PAUSE)
        act(browser, webdriver)
        picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    small = picture.quantize(128, dither=Image.Dither.NONE)
    small.save(DOCS / "pictures" / name, optimize=True)


def main() -> None:
    """Make the pictures."""
    webdriver = find_webdriver()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "striped.png"
        write_image(path, striped())
        make(webdriver, path, "lab.png", (1280, 1000), erase_stripes)
    make(webdriver, SAMPLES / "tune.wav", "lab_sound.png", (1280, 960), mark_sound)


if __name__ == "__main__":
    main()
