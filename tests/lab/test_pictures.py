"""What the lab does with an image: the settings, the brush, and the same result by other ways."""

from __future__ import annotations

import io
import runpy
import shlex
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.fft
from PIL import Image

import pyclfft
from pyclfft import filter as filter_command
from pyclfft.errors import FormatError, PlanError, PyclfftError
from pyclfft.image.imagefile import ImageFile, Metadata, encode_image, write_image
from pyclfft.image.mask_pictures import draw_gains, gains_in, read_gains
from pyclfft.lab import brush, pictures
from pyclfft.lab.brush import Stroke, parse_stroke
from pyclfft.lab.kinds import KINDS, SLIDERS, Settings
from pyclfft.lab.notches import Switch, listed, parse_switch
from pyclfft.lab.tabs import Tab, Tabs, device_choices
from tests.device.test_imaging import imagejs_square, padded

pytestmark = pytest.mark.one_cpu

RANDOM = np.random.default_rng(7)
FILES = {
    "grey.png": ImageFile(RANDOM.integers(0, 256, (30, 41), dtype=np.uint8), 255),
    "colour.png": ImageFile(
        RANDOM.integers(0, 256, (21, 32, 3), dtype=np.uint8), 255,
        RANDOM.integers(0, 256, (21, 32), dtype=np.uint8), Metadata(dpi=(72.0, 72.0)),
    ),
    "deep one.png": ImageFile(RANDOM.integers(0, 65536, (16, 18), dtype=np.uint16), 65535),
    "twelve.pgm": ImageFile(RANDOM.integers(0, 4096, (16, 18), dtype=np.uint16), 4095),
    "striped.png": ImageFile(
        np.tile(np.rint(128 + 90 * np.sin(np.arange(64) * np.pi / 4)).astype(np.uint8), (64, 1))
        + RANDOM.integers(0, 20, (64, 64), dtype=np.uint8), 255
    ),
    "-float.tif": ImageFile(RANDOM.random((17, 19)).astype(np.float32), 1),
    "crossed.png": ImageFile(
        (128 + 60 * np.sin(np.arange(64) * np.pi / 4)
         + 40 * np.sin(np.add.outer(12 * np.arange(64), 16 * np.arange(64)) * np.pi / 32)
         + RANDOM.normal(0, 3, (64, 64))).astype(np.uint8), 255
    ),
    "odd.png": ImageFile(RANDOM.integers(0, 65536, (15, 19), dtype=np.uint16), 65535),
}  # fmt: skip
ERASE = Stroke("erase", 2.5, ((4.0, -3.0), (6.0, 5.0)))


def picture_of(name):
    suffix = "." + name.rpartition(".")[2]
    return pictures.open_picture(encode_image(FILES[name], suffix), name)


def tab_of(name, **settings):
    tab = Tab(picture_of(name))
    for each, value in settings.items():
        tab.set(each, value)
    return tab


SETTINGS = {
    "lowpass": {"kind": "lowpass", "cutoff": 0.111},
    "highpass": {"kind": "highpass", "shape": "ideal", "cutoff": 0.05},
    "bandpass": {"kind": "bandpass", "shape": "butterworth", "order": 3.5, "low": 0.3, "high": 0.1},
    "bandstop": {"kind": "bandstop", "low": 0.1, "high": 0.3},
    "one frequency": {"kind": "bandpass", "low": 0.2, "high": 0.2, "shape": "ideal"},
    "with the mean": {"kind": "highpass", "keep_dc": True},
    "directional": {"kind": "directional", "angle": 30, "width": 50, "shape": "butterworth"},
    "notch": {"kind": "notch", "radius": 0.03},
    "unsharp": {"kind": "unsharp", "amount": 1.5, "sigma": 3},
    "highboost": {"kind": "highboost", "boost": 2},
    "homomorphic": {"kind": "homomorphic", "low gain": 0.3},
    "imagej": {"kind": "imagej", "large": 20, "small": 2.5},
    "brightness": {"kind": "lowpass", "channels": "luma"},
}


BRUSHED = [name for name in KINDS if not Settings(kind=name).no_brush]
CASES = [
    *((name, "lowpass") for name in FILES),
    ("twelve.pgm", "highpass"), ("striped.png", "notch"), ("-float.tif", "highpass"),
    *(("grey.png", each) for each in list(SETTINGS)[1:-1] if each != "notch"),
    ("colour.png", "brightness"),
]  # fmt: skip


def saved_and_written(tab, folder):
    """The file that the lab saves; what the copied words read is written into a folder."""
    job, name = tab.job(), tab.picture.name
    (folder / name).write_bytes(encode_image(FILES[name], "." + name.rpartition(".")[2]))
    if job.has_mask:
        mask = encode_image(job.mask(), job.mask_suffix)
        (folder / job.mask_name).write_bytes(mask)
    return pictures.saved(job.result(), tab.picture.suffix)


def by_command(job, folder):
    """The file that the copied command writes; the working directory is the folder."""
    program, command, *arguments = shlex.split(job.command())
    assert (program, command) == ("pyclfft", "filter")
    assert filter_command.main([*arguments, "--quiet"]) == 0
    return (folder / job.result_name).read_bytes()


def by_program(job, folder):
    """The file that the copied program writes; the working directory is the folder."""
    (folder / "program.py").write_text(job.python())
    runpy.run_path(str(folder / "program.py"))
    return (folder / job.result_name).read_bytes()


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_command_writes_the_very_file_that_is_saved(
    device, tmp_path, monkeypatch, name, settings
):
    tab = tab_of(name, **SETTINGS[settings])
    saved = saved_and_written(tab, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert not tab.job().has_mask
    assert by_command(tab.job(), tmp_path) == saved


@pytest.mark.parametrize(
    ("name", "kind"),
    [("grey.png", "lowpass"), ("-float.tif", "highpass"), ("colour.png", "none"),
     ("striped.png", "notch")],
)  # fmt: skip
def test_the_program_writes_the_very_file_that_is_saved(device, tmp_path, monkeypatch, name, kind):
    tab = tab_of(name, kind=kind)
    saved = saved_and_written(tab, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert by_program(tab.job(), tmp_path) == saved


@pytest.mark.parametrize(
    ("name", "settings"),
    [("grey.png", {"kind": "none"}),
     *((name, {"kind": "highpass"}) for name in FILES),
     *(("grey.png", each) for each in SETTINGS.values() if each["kind"] in BRUSHED),
     ("twelve.pgm", {"kind": "highboost"}), ("-float.tif", {"kind": "unsharp"}),
     ("colour.png", {"kind": "unsharp", "channels": "luma"}), ("colour.png", {"kind": "imagej"}),
     ("striped.png", {"kind": "notch"}), ("grey.png", {"kind": "notch"})],
)  # fmt: skip
def test_with_the_mask_both_write_the_very_file_that_is_saved(
    device, tmp_path, monkeypatch, name, settings
):
    tab = tab_of(name, **settings)
    tab.paint(ERASE)
    job = tab.job()
    saved = saved_and_written(tab, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert f"--use-mask {job.mask_name}" in job.command()
    assert by_command(job, tmp_path) == saved
    assert by_program(job, tmp_path) == saved


def test_the_brush_does_not_reach_logarithms(device):
    tab = tab_of("striped.png", kind="homomorphic")
    tab.job().result()
    assert 'does not go with "Even light"' in tab.settings.no_brush
    tab.paint(ERASE)
    with pytest.raises(PlanError, match=r"logarithm .* Press Clear, or choose another filter"):
        tab.job().result()
    assert [name for name in KINDS if name not in BRUSHED] == ["homomorphic"]


def test_a_device_is_named_in_both(device):
    tab = tab_of("grey.png")
    tab.use("0:0")
    assert "--device 0:0 -o" in tab.job().command()
    assert "pyclfft.use_device('0:0')" in tab.job().python()


def spread(squared, sigma):
    """The gains of a blur whose Gaussian has a width in pixels, in double precision."""
    return np.exp(-2 * np.pi**2 * sigma**2 * squared)


# The gains of a kind by the squared frequencies, in cycles a pixel.
GAINS = {
    "lowpass": lambda squared: np.exp(-0.5 * squared / 0.125**2),
    "unsharp": lambda squared: 1 + 1 * (1 - spread(squared, 2)),
    "highboost": lambda squared: 1.5 - spread(squared, 2),
    "imagej": lambda squared: np.where(
        squared == 0, 1, (1 - np.exp(-4 * 40**2 * squared)) * np.exp(-4 * 3**2 * squared)
    ),
}


@pytest.mark.parametrize("name", ["deep one.png", "odd.png"])
@pytest.mark.parametrize("kind", GAINS)
def test_the_result_is_that_of_the_definition(device, kind, name):
    """Of scipy.fft, in double precision, with the gains of strokes and of the kind."""
    tab = tab_of(name, kind=kind)
    tab.paint(ERASE)
    pixels = FILES[name].pixels.astype(float)
    size, pad = pixels.shape, "mirror" if kind == "imagej" else "none"
    plane = imagejs_square(size) if kind == "imagej" else size
    down, across = (scipy.fft.fftfreq(n) for n in plane)
    gains = GAINS[kind](np.add.outer(down**2, across**2)) * drawn_slowly(size, (ERASE,), plane)
    filtered = scipy.fft.ifft2(scipy.fft.fft2(padded(pixels[np.newaxis], plane, pad)[0]) * gains)
    first = [(n - m) // 2 for n, m in zip(plane, size, strict=True)]  # an odd one lies at the end
    expected = filtered.real[first[0] :, first[1] :][: size[0], : size[1]]
    result = tab.job().result().pixels
    bound = 1 if kind in ("unsharp", "highboost") else 5  # a mask's floats, or its 16 bits
    assert np.abs(result - np.clip(expected, 0, 65535)).max() < bound


# --- notches --------------------------------------------------------------------------------------


def wave_left(pixels, down, across):
    """How much of a wave of FILES["crossed.png"] is left; `down` and `across` are its bins."""
    before = scipy.fft.fft2(FILES["crossed.png"].pixels.astype(float))
    return abs(scipy.fft.fft2(pixels.astype(float))[down, across] / before[down, across])


def test_notches_are_switched_off_and_on_again(device, tmp_path, monkeypatch):
    tab = tab_of("crossed.png", kind="notch", radius=0.03)
    notches = listed(tab.job().notches, tab.off)
    assert [each["isOn"] for each in notches] == [True, True]
    for found, expected in zip(notches, [(0, 8), (12, 16)], strict=True):
        frequency = np.hypot(*expected) / 64
        assert found["frequency"] == pytest.approx(frequency, abs=0.1 / 64)
        assert found["period"] == pytest.approx(1 / frequency, rel=0.03)
        angle = np.degrees(np.arctan2(-expected[0], expected[1])) % 180
        assert abs((found["angle"] - angle + 90) % 180 - 90) < 1
    monkeypatch.chdir(tmp_path)

    saved_and_written(tab, tmp_path)
    assert "--notch auto" in tab.job().command()
    result = tab.job().result().pixels
    assert wave_left(result, 0, 8) < 0.05 > wave_left(result, 12, 16)

    tab.switch(Switch(0, False))
    assert [each["isOn"] for each in listed(tab.job().notches, tab.off)] == [False, True]
    result = tab.job().result().pixels
    assert wave_left(result, 0, 8) > 0.95
    assert wave_left(result, 12, 16) < 0.05
    (point,) = tab.job().notches[1:]
    assert "--notch {!r},{!r} ".format(*point) in tab.job().command()
    assert f"points={(point,)!r}" in tab.job().python()
    for strokes in ((), (ERASE,)):
        tab.strokes = strokes
        saved = saved_and_written(tab, tmp_path)
        assert by_command(tab.job(), tmp_path) == saved
        assert by_program(tab.job(), tmp_path) == saved
    tab.clear()

    tab.switch(Switch(1, False))  # none is left: the image stays as it is
    saved = saved_and_written(tab, tmp_path)
    np.testing.assert_array_equal(tab.job().result().pixels, FILES["crossed.png"].pixels)
    assert by_command(tab.job(), tmp_path) == saved
    tab.switch(Switch(0, True))
    tab.switch(Switch(1, True))
    assert "--notch auto" in tab.job().command()
    tab.switch(Switch(1, False))
    tab.open(picture_of("striped.png"))
    assert not tab.off


def test_the_chosen_device_looks_for_notches_once(monkeypatch):
    asked = []

    def find(pixels, queue):
        asked.append(queue.device)
        return [(0.0, 0.125 / len(asked))]

    monkeypatch.setattr(pictures, "find_notches", find)
    first, second = "first", "second"
    monkeypatch.setattr(pictures, "queue_on", lambda spec: SimpleNamespace(device=spec or first))
    tab = tab_of("crossed.png", kind="notch")
    for spec in ("", second, "", second):
        tab.device = spec
        frequency = 0.125 / (2 if spec else 1)
        assert tab.job().notches == tab.job().band["points"] == ((0.0, frequency),)
    assert asked == [first, second]


@pytest.mark.parametrize("name", ["grey.png", "colour.png", "-float.tif"])
def test_the_chosen_device_makes_the_spectrum(device, queue, monkeypatch, name):
    asked = []

    def on(spec):
        asked.append(spec)
        return queue

    monkeypatch.setattr(pictures, "queue_on", on)
    monkeypatch.setattr("pyclfft.runtime.queues.default_queue", None)  # nobody asks for it
    tab = tab_of(name)
    tab.device = "the chosen one"
    shown = np.asarray(Image.open(io.BytesIO(pictures.spectrum_preview(tab.job()))), float)
    pixels = FILES[name].pixels.astype(float)
    grey = pixels @ [0.299, 0.587, 0.114] if pixels.ndim == 3 else pixels
    expected = np.log1p(np.abs(np.fft.fftshift(np.fft.fft2(grey))))
    expected = 255 * (expected - expected.min()) / np.ptp(expected)
    assert asked == ["the chosen one"]
    assert np.abs(shown - expected).mean() < 4  # a JPEG


def test_without_peaks_the_command_still_looks_for_them(device, tmp_path, monkeypatch):
    tab = tab_of("grey.png", kind="notch")
    assert tab.job().notches == ()
    saved = saved_and_written(tab, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "--notch auto" in tab.job().command()
    assert by_command(tab.job(), tmp_path) == saved


@pytest.mark.parametrize(
    "sent",
    [None, [], {}, {"index": 0}, {"index": -1, "isOn": True}, {"index": 64, "isOn": True},
     {"index": 1.0, "isOn": True}, {"index": True, "isOn": True}, {"index": 0, "isOn": 1}],
)  # fmt: skip
def test_what_is_no_switch_is_refused(sent):
    with pytest.raises(PlanError, match="from 0 to 63, and is on or off"):
        parse_switch(sent)
    assert parse_switch({"index": 63, "isOn": False}) == Switch(63, False)


# --- the brush ------------------------------------------------------------------------------------


def drawn_slowly(size, strokes, plane=None):
    """The gains by the definition: the distance of each bin from each line, and of its mirror."""
    plane = plane or size
    gains = np.ones(plane)

    def place(index, axis):
        """Where a bin of the transform lies, in the image's bins from DC."""
        bins = index - plane[axis] * (index >= (plane[axis] + 1) // 2)
        return bins * (size[axis] / plane[axis])

    for stroke in strokes:
        ends = stroke.points[1:] or stroke.points
        for row, column in np.ndindex(plane):
            for (r0, c0), (r1, c1) in zip(stroke.points, ends, strict=False):
                for r, c in ((row, column), (-row % plane[0], -column % plane[1])):
                    r, c = place(r, 0), place(c, 1)
                    length = (r1 - r0) ** 2 + (c1 - c0) ** 2
                    t = ((r - r0) * (r1 - r0) + (c - c0) * (c1 - c0)) / length if length else 0
                    t = min(max(t, 0), 1)
                    distance = (r - r0 - t * (r1 - r0)) ** 2 + (c - c0 - t * (c1 - c0)) ** 2
                    if distance <= stroke.radius**2:
                        gains[row, column] = brush.MODES[stroke.mode]
    return gains


@pytest.mark.parametrize(
    ("size", "plane"),
    [((16, 18), None), ((15, 17), None), ((9, 24), None), ((1, 7), None),
     ((16, 18), (24, 27)), ((15, 17), (24, 26)), ((1, 7), (2, 11))],
)  # fmt: skip
def test_strokes_touch_what_lies_near_and_its_mirror_image(size, plane):
    """In a larger transform, too, whose bins lie closer together."""
    strokes = (
        Stroke("erase", 3.0, ((-7.2, -8.0), (2.0, 3.0), (2.5, 9.0))),
        Stroke("restore", 1.5, ((0.0, 0.0),)),
        Stroke("erase", 1.0, ((100.0, 100.0),)),
    )
    gains = pictures.unpainted(size, plane or size).drawn(strokes).gains
    np.testing.assert_array_equal(gains, drawn_slowly(size, strokes, plane))
    np.testing.assert_array_equal(gains, np.roll(gains[::-1, ::-1], (1, 1), (0, 1)))


def test_undone_strokes_leave_nothing():
    tab = tab_of("grey.png")
    tab.paint(ERASE)
    once = tab.job().painted.gains
    tab.paint(Stroke("erase", 5.0, ((0.0, 0.0),)))
    assert tab.job().painted.gains.sum() < once.sum()
    tab.undo()
    np.testing.assert_array_equal(tab.job().painted.gains, once)
    tab.clear()
    assert tab.job().painted.gains.all()
    assert not tab.job().has_mask


@pytest.mark.parametrize(("name", "most", "error"), [("m.png", 1, 1e-5), ("m.tif", 6, 0)])
def test_a_mask_is_what_its_picture_says(tmp_path, name, most, error):
    """In a PNG to 16 bits, in a TIFF as it is; and a kernel's rounding beyond 0 and 1 is none."""
    gains = np.float32(most) * RANDOM.random((5, 8), np.float32)
    gains[0, :2] = -1e-7, 1 + 1e-7
    image = draw_gains(gains, name, pictures.MASK_WHITE)
    write_image(tmp_path / name, image)
    again = read_gains(tmp_path / name)
    assert np.abs(again - gains).max() <= error
    np.testing.assert_array_equal(again, gains_in(image, name))


RIGHT = {"mode": "erase", "radius": 1, "points": [[0, 0]]}
WRONG = {
    "points": ([], 3, [[0]], [[0, float("nan")]], [[0, 1e9]], [[0, 0]] * (brush.MAX_POINTS + 1)),
    "radius": (0, 1e9, "a", float("nan"), None),
    "mode": ("x", ["erase"], None),
}


@pytest.mark.parametrize(
    "sent",
    [None, {}, [], *(RIGHT | {name: value} for name, values in WRONG.items() for value in values)],
)
def test_what_is_no_stroke_is_refused(sent):
    with pytest.raises(PlanError, match="a stroke has"):
        parse_stroke(sent)


def test_strokes_are_bounded():
    tab = tab_of("grey.png")
    for _ in range(brush.MAX_STROKES):
        tab.paint(ERASE)
    with pytest.raises(PlanError, match="undo some"):
        tab.paint(ERASE)


# --- the settings and the tabs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "x"), ("kind", ["lowpass"]), ("shape", "round"), ("channels", 3),
        ("keep_dc", "yes"), ("cutoff", "a"), ("cutoff", None), ("cutoff", float("nan")),
        ("order", float("inf")), ("positions", {}), ("__class__", 1),
    ],
)  # fmt: skip
def test_a_setting_that_is_none_is_refused(name, value):
    with pytest.raises(PyclfftError):
        Settings().changed(name, value)


@pytest.mark.parametrize("name", SLIDERS)
def test_positions_stay_between_the_ends(name):
    slider = SLIDERS[name]
    for sent, position in ((-5, slider.least), (1e9, slider.most), (slider.usual, slider.usual)):
        assert Settings().changed(name, sent).positions[name] == position


def test_only_sliders_with_a_meaning_are_shown():
    assert Settings(kind="lowpass", shape="butterworth").sliders == ("cutoff", "order")
    assert Settings(kind="bandpass").sliders == ("low", "high")
    assert Settings(kind="none", shape="butterworth").sliders == ()
    assert {name for kind in KINDS.values() for name in kind.sliders} <= set(SLIDERS)


def test_without_an_image_there_is_nothing_to_do():
    with pytest.raises(PlanError, match="open one first"):
        Tab().job()


def test_another_image_takes_the_strokes_away():
    tab = tab_of("grey.png", kind="highpass")
    tab.paint(ERASE)
    tab.job()
    tab.open(picture_of("colour.png"))
    assert tab.strokes == ()
    assert tab.job().painted.gains.shape == (21, 32)
    assert tab.settings.kind == "highpass"


def test_strokes_stay_when_the_transform_changes():
    tab = tab_of("grey.png", kind="highpass")
    tab.paint(ERASE)
    first = tab.job().painted.gains
    tab.set("kind", "imagej")
    assert tab.job().painted.gains.shape == (64, 64)  # ImageJ's square
    assert not tab.job().painted.gains.all()
    tab.set("kind", "unsharp")
    np.testing.assert_array_equal(tab.job().painted.gains, first)


def test_each_change_counts():
    tab = tab_of("grey.png")
    seen = [tab.version]
    to_set, to_paint = (lambda: tab.set("cutoff", 0.3)), (lambda: tab.paint(ERASE))
    to_switch = lambda: tab.switch(Switch(0, False))  # noqa: E731
    for change in (to_set, to_paint, tab.undo, tab.clear, to_switch, lambda: tab.use("")):
        change()
        seen.append(tab.version)
    assert seen == sorted(set(seen))


def test_shown_tabs_are_bounded():
    tabs = Tabs(2)
    shown = [Tab(), Tab()]
    for number, tab in enumerate(shown):
        tab.is_shown = lambda: True
        tabs.add(str(number), tab)
    with pytest.raises(PyclfftError, match="open in 2 tabs, which is its limit: close one"):
        tabs.add("3", Tab())
    tabs.remove("0")
    tabs.add("3", Tab())
    assert (len(tabs), tabs.get("0")) == (2, None)
    tabs.add("4", Tab())  # in the place of 3, which no browser shows
    assert (len(tabs), tabs.get("3"), tabs.get("1")) == (2, None, shown[1])


def test_a_device_can_be_chosen(device):
    choices = device_choices()
    assert next(iter(choices)) == ""
    assert len(choices) == 1 + len(pyclfft.devices())
    tab = tab_of("grey.png")
    for place in choices:
        tab.use(place)
        assert tab.queue.device in pyclfft.devices()
    with pytest.raises(PyclfftError):
        tab.use("no such device")
    assert tab.device == list(choices)[-1]
    named = device_choices("cpu")
    assert next(iter(named)) == "cpu"
    assert named["cpu"].endswith("(cpu)")
    assert Tab(device="cpu").queue.device in pyclfft.devices()


# --- images ---------------------------------------------------------------------------------------


def test_what_could_not_be_saved_is_refused():
    deep = np.zeros((4, 4), np.uint16)
    data = encode_image(ImageFile(deep, 65535), ".png")
    image = Image.fromarray(deep)
    assert pictures.open_picture(data, "a.png").suffix == ".png"
    assert image.mode == "I;16"
    with pytest.raises(FormatError, match="leave out its transparency"):
        _ = pictures.Picture("a", ImageFile(deep, 65535, deep)).suffix


def test_a_large_image_is_shown_smaller():
    file = ImageFile(np.zeros((10, 3 * pictures.MAX_SIDE), np.uint8), 255)
    assert Image.open(io.BytesIO(pictures.preview(file))).size == (pictures.MAX_SIDE, 4)
