"""The lab in Debian's Chromium, to which no foreign name is known: what people do, and see."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import time

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("selenium")
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from pyclfft import filter as filter_command
from pyclfft.audio.audiofile import read_audio
from pyclfft.image.mask_pictures import read_gains
from tests.lab_process import SAMPLES, Lab

pytestmark = pytest.mark.full

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("chromium")


@pytest.fixture(scope="module")
def lab(folder):
    pytest.importorskip("nicegui")
    result = Lab(folder / "log")
    yield result
    result.end()


@pytest.fixture(scope="module")
def browser(lab, folder):
    """A browser that has followed the link."""
    if not shutil.which(BROWSER):
        pytest.skip("there is no Chromium: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for each in (
        "--headless=new", "--no-sandbox", "--window-size=1400,1000",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ):  # fmt: skip
        options.add_argument(each)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(DRIVER)
    result = webdriver.Chrome(options=options, service=service)
    result.set_script_timeout(30)
    result.get(lab.link)
    find(result, ".lab-views")
    yield result
    result.quit()


@pytest.fixture(scope="module")
def photo(folder):
    """A photo with stripes of 16 pixels a period, 256 x 192 pixels."""
    rows, columns = np.mgrid[:192, :256]
    pixels = 120 + 60 * np.sin(2 * np.pi * columns / 16) + 40 * np.exp(-((rows - 90) ** 2) / 900)
    path = folder / "photo of stripes.png"
    Image.fromarray(np.rint(pixels).astype(np.uint8)).save(path)
    return path


@pytest.fixture(scope="module")
def crossed(folder):
    """An image of two waves, of 8 pixels and of 3.2 pixels a period, 64 x 64 pixels."""
    rows, columns = np.mgrid[:64, :64]
    pixels = 128 + 60 * np.sin(np.pi / 4 * columns)
    pixels += 40 * np.sin(np.pi / 32 * (12 * rows + 16 * columns))
    pixels += np.random.default_rng(4).normal(0, 3, pixels.shape)
    path = folder / "crossed.png"
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path


def until(condition, seconds=20):
    """Wait until a condition holds, and return its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return value


def find(browser, selector):
    return until(lambda: browser.find_elements("css selector", selector))[0]


def after(browser, action):
    """Do something; return once the result that it asks for is drawn."""
    browser.execute_script(
        "window.drawn = 0; document.querySelector('.lab-views')"
        ".addEventListener('lab-result', () => window.drawn++)"
    )
    action()
    until(lambda: browser.execute_script("return window.drawn"))
    time.sleep(0.3)  # a later one may be under way


def press(browser, selector, keys):
    find(browser, selector).send_keys(keys)


def pixel_of(browser, view, x, y):
    """The colour in a view, at a place from 0 to 1."""
    return browser.execute_script(
        "const c = document.querySelector(arguments[0]);"
        "return [...c.getContext('2d').getImageData(Math.floor(arguments[1] * c.width),"
        " Math.floor(arguments[2] * c.height), 1, 1).data]",
        f"canvas.lab-{view}", x, y,
    )  # fmt: skip


def choose_kind(browser, label):
    find(browser, "[data-name=kind]").click()
    (item,) = until(
        lambda: [e for e in browser.find_elements("css selector", ".q-item") if e.text == label]
    )
    item.click()


def download(browser, folder, button, name):
    path = folder / name
    path.unlink(missing_ok=True)
    find(browser, button).click()
    until(path.exists)
    return path


def by_copied_command(browser, folder, monkeypatch, word):
    """What the copied command writes, once it has a word; it runs in the folder of downloads."""
    find(browser, ".lab-copy").click()
    until(lambda: word in find(browser, ".lab-text").text)
    words = shlex.split(find(browser, ".lab-text").text)
    monkeypatch.chdir(folder)
    assert filter_command.main([*words[2:-1], "again.png", "--quiet"]) == 0
    return (folder / "again.png").read_bytes()


def shown_text(browser, button):
    find(browser, button).click()
    return until(lambda: find(browser, ".lab-text").text)


def test_the_link_leads_to_the_page_and_leaves_the_address(browser, lab):
    until(lambda: browser.current_url == f"http://127.0.0.1:{lab.port}/")
    assert browser.title == "pyclfft lab"
    assert browser.execute_script("return document.cookie") == ""  # HttpOnly
    assert browser.execute_script("return document.referrer") == ""


def test_upload_slider_mask_and_save_are_the_commands(browser, lab, folder, photo, monkeypatch):
    after(browser, lambda: press(browser, ".lab-file", str(photo)))
    assert find(browser, ".lab-name").text == photo.name
    # A slider: the low pass is set by a key, and saved as the command saves it.
    after(browser, lambda: press(browser, ".lab-slider-cutoff [tabindex]", Keys.ARROW_LEFT))
    command = shown_text(browser, ".lab-copy")
    assert "--lowpass 0.124" in command
    saved = download(browser, folder, ".lab-save", "photo of stripes_lowpass.png").read_bytes()
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    assert filter_command.main([*words[2:-1], "again.png", "--quiet"]) == 0
    assert (folder / "again.png").read_bytes() == saved

    # The brush: a dab erases the stripes' frequency, (0, 16) bins from DC, and its mirror image.
    after(browser, lambda: choose_kind(browser, "Brush only"))
    find(browser, "input[value=erase]").click()
    for _ in range(16):
        press(browser, "canvas.lab-spectrum", Keys.ARROW_RIGHT)
    assert "period 16.00 pixels, angle 0.0°" in find(browser, ".lab-readout").text
    after(browser, lambda: press(browser, "canvas.lab-spectrum", Keys.SPACE))
    mask = np.asarray(Image.open(download(browser, folder, ".lab-mask", "mask.png")))
    assert (mask[96, 128], mask[96, 128 + 16], mask[96, 128 - 16]) == (65535, 0, 0)
    result = download(browser, folder, ".lab-save", "photo of stripes_mask.png")
    pixels = np.asarray(Image.open(result)).astype(float)
    assert np.ptp(pixels, axis=1).max() < 4  # no stripes
    crest, trough = (pixel_of(browser, "result", 0.5 + n / 256, 0.5)[0] for n in (4.5, 12.5))
    assert abs(crest - trough) < 10
    find(browser, ".lab-copy").click()
    until(lambda: "--use-mask mask.png" in find(browser, ".lab-text").text)
    words = shlex.split(find(browser, ".lab-text").text)
    assert filter_command.main([*words[2:-1], "by command.png", "--quiet"]) == 0
    assert (folder / "by command.png").read_bytes() == result.read_bytes()
    find(browser, ".lab-python").click()
    until(lambda: "mask=read_gains" in find(browser, ".lab-text").text)
    program = find(browser, ".lab-text").text.replace(result.name, "by python.png")
    exec(compile(program, "copied", "exec"), {})
    assert (folder / "by python.png").read_bytes() == result.read_bytes()

    # Undo brings the stripes back.
    after(browser, lambda: find(browser, ".lab-undo").click())
    crest, trough = (pixel_of(browser, "result", 0.5 + n / 256, 0.5)[0] for n in (4.5, 12.5))
    assert crest - trough > 80


def test_a_bad_upload_is_a_message_and_the_lab_stays(browser, lab, folder, photo):
    bad = folder / "<b>bad.png"
    bad.write_text("hello")
    press(browser, ".lab-file", str(bad))
    alert = find(browser, ".lab-alert")
    until(lambda: "<b>bad.png: no image" in alert.text)
    assert find(browser, ".lab-name").text == photo.name
    huge = folder / "huge.png"
    with huge.open("wb") as file:
        file.truncate(257 * 2**20)
    press(browser, ".lab-file", str(huge))
    until(lambda: "huge.png has more than 256 MiB" in alert.text)
    after(browser, lambda: press(browser, ".lab-file", str(photo)))
    until(lambda: not alert.is_displayed())


def test_a_result_that_breaks_is_a_message_and_the_next_one_is_shown(browser, photo):
    after(browser, lambda: press(browser, ".lab-file", str(photo)))
    browser.execute_script(
        """
        const whole = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await whole(path, options);
          if (String(path).includes("/result")) {
            window.fetch = whole;
            answer.blob = () => Promise.reject(new TypeError("broken"));
          }
          return answer;
        };
        """
    )
    choose_kind(browser, "Sharpen")
    alert = find(browser, ".lab-alert")
    until(lambda: "The result has not arrived" in alert.text)
    after(browser, lambda: choose_kind(browser, "Low pass"))
    assert not alert.is_displayed()


def row_of(browser, view):
    """Pixels along the middle of a view."""
    return [pixel_of(browser, view, x / 20, 0.45) for x in range(1, 20)]


def test_zoom_and_pan_are_joined(browser):
    views = ("before", "spectrum", "result")
    canvas = find(browser, "canvas.lab-before")
    canvas.send_keys("0")
    time.sleep(0.3)
    seen = [{view: row_of(browser, view) for view in views}]
    for keys in ("++++++", Keys.ARROW_LEFT * 3, "0"):
        canvas.send_keys(keys)
        time.sleep(0.3)
        seen.append({view: row_of(browser, view) for view in views})
    for view in views:
        whole, zoomed, moved, again = (each[view] for each in seen)
        assert whole == again
        assert whole != zoomed != moved != whole


def test_before_and_after(browser):
    after(browser, lambda: choose_kind(browser, "High pass"))
    assert pixel_of(browser, "result", 0.3, 0.5) != pixel_of(browser, "before", 0.3, 0.5)
    press(browser, ".lab-before[type=range]", Keys.END)
    time.sleep(0.3)
    assert pixel_of(browser, "result", 0.3, 0.5) == pixel_of(browser, "before", 0.3, 0.5)
    press(browser, ".lab-before[type=range]", Keys.HOME)


def test_the_brush_goes_with_other_filters(browser, folder, crossed, monkeypatch):
    after(browser, lambda: press(browser, ".lab-file", str(crossed)))
    find(browser, "input[value=erase]").click()
    canvas = "canvas.lab-spectrum"
    for count, (label, mask, size) in enumerate(
        (("Sharpen", "mask.tif", 64), ("ImageJ's band pass", "mask.png", 128))
    ):
        after(browser, lambda label=label: choose_kind(browser, label))
        if not count:  # 8 bins to the right of DC: the strong wave goes, and stays away
            press(browser, canvas, Keys.ARROW_RIGHT * 8)
            after(browser, lambda: press(browser, canvas, Keys.SPACE))
        gains = read_gains(download(browser, folder, ".lab-mask", mask))
        assert gains.shape == (size, size)
        assert gains[0, 8 * size // 64] == gains[0, -8 * size // 64] == 0
        saved = download(browser, folder, ".lab-save", "crossed_mask.png").read_bytes()
        assert by_copied_command(browser, folder, monkeypatch, mask) == saved
    assert read_gains(folder / "mask.tif").max() > 1.5

    # The logarithm's spectrum is another one: the page says so, and the brush cannot be taken.
    choose_kind(browser, "Even light")
    until(lambda: "Press Clear" in find(browser, ".lab-alert").text)
    for control in ("input[value=erase]", "input[value=restore]", ".lab-size", ".lab-mask"):
        assert not find(browser, control).is_enabled()
    assert find(browser, "input[value=move]").is_selected()
    after(browser, lambda: find(browser, ".lab-clear").click())
    assert not find(browser, ".lab-alert").is_displayed()
    assert 'does not go with "Even light"' in find(browser, ".lab-no-brush").text
    saved = download(browser, folder, ".lab-save", "crossed_homomorphic.png").read_bytes()
    assert by_copied_command(browser, folder, monkeypatch, "--homomorphic") == saved


def test_notches_are_listed_and_switched(browser, folder, crossed, monkeypatch):
    after(browser, lambda: press(browser, ".lab-file", str(crossed)))
    after(browser, lambda: choose_kind(browser, "Stripes and moire, found"))
    assert not find(browser, ".lab-no-brush").is_displayed()
    rows = until(lambda: browser.find_elements("css selector", ".lab-notches tbody tr"))
    shown = [[cell.text for cell in row.find_elements("css selector", "td")] for row in rows]
    expected = ((1 / 8, 8, 0), (np.hypot(12, 16) / 64, 3.2, 143.13))
    for (_, frequency, period, angle), numbers in zip(shown, expected, strict=True):
        assert float(frequency) == pytest.approx(numbers[0], abs=0.002)
        assert float(period) == pytest.approx(numbers[1], abs=0.1)
        assert float(angle.rstrip("°")) == pytest.approx(numbers[2], abs=1)
    saved = download(browser, folder, ".lab-save", "crossed_notch.png").read_bytes()
    assert by_copied_command(browser, folder, monkeypatch, "--notch auto") == saved

    # By the keyboard: Tab leads from one notch to the next, the space bar switches it.
    browser.execute_script("document.querySelector('#lab-notch-0').focus()")
    keys = webdriver.ActionChains(browser)
    after(browser, lambda: keys.send_keys(Keys.TAB, Keys.SPACE).perform())
    assert [each.is_selected() for each in browser.find_elements(
        "css selector", ".lab-notches input")] == [True, False]  # fmt: skip
    saved = download(browser, folder, ".lab-save", "crossed_notch.png").read_bytes()
    assert by_copied_command(browser, folder, monkeypatch, "--notch 0.0,0.125 ") == saved
    pixels = np.asarray(Image.open(folder / "again.png")).astype(float)
    left = abs(np.fft.fft2(pixels))
    assert left[0, 8] < 0.05 * left[12, 16]  # the first wave is stopped, the second one is back
    find(browser, ".lab-python").click()
    until(lambda: "points=((0.0, 0.125),)" in find(browser, ".lab-text").text)
    press(browser, "#lab-notch-1", Keys.SPACE)
    find(browser, ".lab-notches label[for=lab-notch-0]").click()  # the other way
    after(browser, lambda: press(browser, "#lab-notch-0", Keys.SPACE))
    assert by_copied_command(browser, folder, monkeypatch, "--notch auto")


def test_everything_is_reached_by_the_tab_key(browser):
    reached = set()
    browser.execute_script("document.activeElement.blur()")
    for _ in range(40):
        webdriver.ActionChains(browser).send_keys(Keys.TAB).perform()
        reached.add(browser.execute_script("return document.activeElement.className"))
    everything = " ".join(reached)
    for name in (
        "lab-file", "lab-before", "lab-spectrum", "lab-result", "lab-size", "lab-save", "lab-mask",
        "lab-copy", "lab-python", "lab-notch", "q-slider",
    ):  # fmt: skip
        assert name in everything, name


@pytest.mark.parametrize("width", [420, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_window_in_light_and_in_dark(browser, folder, width, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    time.sleep(0.5)
    script = "return [document.documentElement.scrollWidth, window.innerWidth]"
    scroll, inner = browser.execute_script(script)
    picture = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    picture.save(folder / f"{width}_{scheme}.png")
    picture = picture.convert("L")
    assert scroll <= inner == width
    corner = picture.getpixel((3, 3))
    assert (corner < 60) if scheme == "dark" else (corner > 200)


def test_the_latest_slider_position_wins(browser, lab):
    """Of many positions in a row few are drawn, and the last one is what is drawn at last."""
    after(browser, lambda: choose_kind(browser, "Low pass"))
    count = browser.execute_async_script(
        """
        const done = arguments[0];
        const thumb = document.querySelector(".lab-slider-cutoff [tabindex]");
        const views = document.querySelector(".lab-views");
        let drawn = 0;
        views.addEventListener("lab-result", () => drawn++);
        for (let n = 0; n < 60; n++)
          thumb.dispatchEvent(new KeyboardEvent("keydown", { keyCode: 39, bubbles: true }));
        setTimeout(() => done(drawn), 4000);
        """
    )
    assert 1 <= count < 30
    find(browser, ".lab-copy").click()
    until(lambda: "--lowpass 0.18" in find(browser, ".lab-text").text)  # 60 steps above 0.124
    script = "return document.querySelector('.lab-views').dataset.shown"
    last = browser.execute_script(script)
    time.sleep(0.5)
    assert browser.execute_script(script) == last


def test_a_tab_that_is_closed_is_forgotten(browser, lab):
    """Its state is freed some seconds later, and the other tab's stays."""
    (cookie,) = browser.get_cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    lab.cookie = f"{cookie['name']}={cookie['value']}"
    first = browser.current_window_handle
    script = "return performance.getEntriesByType('resource').map((e) => e.name)"
    known = set(browser.execute_script(script))
    browser.switch_to.new_window("tab")
    browser.get(f"http://127.0.0.1:{lab.port}/")
    after(browser, lambda: press(browser, ".lab-file", str(SAMPLES / "letters.pgm")))
    (asked,) = {e.rpartition("/")[0] for e in browser.execute_script(script) if "/tab/" in e}
    path = asked.partition(str(lab.port))[2]
    assert lab.ask(f"{path}/before")[0].status == 200
    browser.close()
    browser.switch_to.window(first)
    until(lambda: lab.ask(f"{path}/before")[0].status == 404)
    (other,) = {each.rpartition("/")[0] for each in known if "/tab/" in each}
    assert lab.ask(f"{other.partition(str(lab.port))[2]}/before")[0].status == 200


def test_a_sound_is_seen_played_cut_and_put_into_a_room(browser, lab, folder):
    find(browser, "a[href='/sound']").click()
    until(lambda: browser.title == "pyclfft lab: sound")
    tune = SAMPLES / "tune.wav"
    after(browser, lambda: press(browser, ".lab-sound-file", str(tune)))
    canvas = find(browser, "canvas.lab-levels")
    webdriver.ActionChains(browser).move_to_element_with_offset(canvas, 60, 1).perform()
    until(lambda: "Hz" in find(browser, ".lab-readout").text)
    seconds, hertz, note, decibels = find(browser, ".lab-readout").text.split(", ")
    middle = canvas.size["width"] / 2 + 60
    assert float(seconds.split()[0]) == pytest.approx(5 * middle / canvas.size["width"], abs=0.02)
    assert float(hertz.split()[0]) == pytest.approx((27.5 * 11025 / 2) ** 0.5, rel=0.05)
    assert note in ("G♯4", "A4", "G4")
    assert decibels.endswith("dB")

    # A rectangle by the pointer, then by numbers: it is exported as the server cuts it.
    webdriver.ActionChains(browser).drag_and_drop_by_offset(canvas, 100, 50).perform()
    until(lambda: find(browser, ".lab-export").is_enabled())
    for field, value in (("start", 1), ("end", 2), ("low", 100), ("high", 900)):
        box = find(browser, f".lab-field-{field}")
        box.clear()
        box.send_keys(str(value), Keys.TAB)
    part = read_audio(download(browser, folder, ".lab-export", "tune_part.wav"))
    assert part.samples.shape[1] == 11025
    after(browser, lambda: find(browser, ".lab-erase").click())
    assert find(browser, ".lab-words").text.endswith("edited 1 time")
    after(browser, lambda: find(browser, ".lab-boost").click())
    after(browser, lambda: find(browser, ".lab-undo").click())
    assert find(browser, ".lab-words").text.endswith("edited 1 time")
    after(browser, lambda: find(browser, ".lab-undo").click())
    find(browser, ".lab-notes").click()
    until(lambda: "notes" in find(browser, ".lab-views [role=status]").text)

    find(browser, ".lab-play").click()
    until(lambda: find(browser, ".lab-play").text == "Pause")
    find(browser, ".lab-play").click()
    until(lambda: find(browser, ".lab-play").text == "Play")

    after(browser, lambda: press(browser, ".lab-room-file", str(tune)))
    assert find(browser, ".lab-words").text.endswith("in tune.wav")
    wet = read_audio(download(browser, folder, ".lab-save", "tune_changed.wav"))
    assert wet.info.seconds > 9
    after(browser, lambda: find(browser, ".lab-dry").click())
    assert not find(browser, ".lab-words").text.endswith("in tune.wav")
    browser.save_screenshot(str(folder / "sound.png"))
    script = "return [document.documentElement.scrollWidth, window.innerWidth]"
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    time.sleep(0.5)
    scroll, inner = browser.execute_script(script)
    browser.save_screenshot(str(folder / "sound_420.png"))
    assert scroll <= inner


def test_only_what_was_wrong_was_refused_and_no_request_went_abroad(browser, lab):
    own = (f"http://127.0.0.1:{lab.port}/", f"ws://127.0.0.1:{lab.port}/", "data:", "blob:")
    count, refused = 0, []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        parameters = message["params"]
        assert message["method"] != "Network.loadingFailed", parameters
        if message["method"] == "Network.responseReceived":
            response, count = parameters["response"], count + 1
            if response["status"] >= 400:
                refused.append((response["status"], response["url"].rpartition("/")[2]))
        url = parameters.get("request", parameters).get("url", "")
        assert not url or url.startswith(own) or url.startswith(("chrome", "about")), url
    assert count > 15
    (bad_upload, brush_beside_even_light) = refused
    assert bad_upload == (400, "open?name=%3Cb%3Ebad.png")
    assert brush_beside_even_light[0] == 400
    assert brush_beside_even_light[1].startswith("result?")
    for entry in browser.get_log("browser"):
        assert entry["level"] != "SEVERE" or "400 (Bad Request)" in entry["message"]
    assert "Traceback" not in lab.log.read_text()
