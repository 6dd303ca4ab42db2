"""Make the picture of the lab: a screenshot of Chromium, in which a brush erases stripes.

    python docs/make_lab.py

It needs nicegui, selenium, chromium and its driver, and writes docs/pictures/lab.png.
"""

from __future__ import annotations

import io
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from pyclfft.bench.lab import chromium, find_webdriver, lab_process
from pyclfft.image.imagefile import ImageFile, read_image, write_image

DOCS = Path(__file__).resolve().parent
STRIPES = (36, 60)  # bins from DC, down and across
SIZE = (1280, 960)

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
    scene = read_image(DOCS.parent / "samples" / "scene.pgm").pixels.astype(float)
    rows, columns = np.indices(scene.shape)
    phase = 2 * np.pi * (STRIPES[0] * rows + STRIPES[1] * columns) / scene.shape[0]
    return ImageFile(
        np.rint(np.clip(scene * 0.8 + 25 + 25 * np.sin(phase), 0, 255)).astype("u1"), 255
    )


def main() -> None:
    """Make the picture."""
    webdriver = find_webdriver()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "striped.png"
        write_image(path, striped())
        with lab_process([str(path)]) as link, chromium(webdriver) as browser:
            browser.set_window_size(*SIZE)
            browser.get(link)
            time.sleep(3)
            browser.find_element("css selector", "[data-name=kind]").click()
            time.sleep(0.5)
            for item in browser.find_elements("css selector", ".q-item"):
                if item.text == "Brush only":
                    item.click()
                    break
            time.sleep(0.5)
            browser.find_element("css selector", "input[value=erase]").click()
            x, y = browser.execute_script(_PLACE, *STRIPES)
            actions = webdriver.ActionChains(browser)
            actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
            actions.w3c_actions.pointer_action.pointer_down()
            actions.w3c_actions.pointer_action.move_to_location(int(x) + 2, int(y))
            actions.w3c_actions.pointer_action.pointer_up()
            actions.perform()
            time.sleep(2)
            browser.find_element("css selector", ".lab-copy").click()
            time.sleep(1)
            picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(
        DOCS / "pictures" / "lab.png", optimize=True
    )


if __name__ == "__main__":
    main()
