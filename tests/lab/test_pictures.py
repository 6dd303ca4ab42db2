"""What the lab does with an image: the settings, the brush, and the same result by other ways."""

from __future__ import annotations

import io
import runpy
import shlex

import numpy as np
import pytest
import scipy.fft
from PIL import Image

import pyclfft
from pyclfft import filter as filter_command
from pyclfft.errors import FormatError, PlanError, PyclfftError
from pyclfft.image.imagefile import ImageFile, Metadata, encode_image
from pyclfft.lab import brush, pictures
from pyclfft.lab.brush import Stroke, parse_stroke
from pyclfft.lab.kinds import KINDS, SLIDERS, Settings
from pyclfft.lab.tabs import Tab, Tabs, device_choices

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


CASES = [
    *((name, "lowpass") for name in FILES),
    ("twelve.pgm", "highpass"), ("striped.png", "notch"), ("-float.tif", "highpass"),
    *(("grey.png", each) for each in list(SETTINGS)[1:-1] if each != "notch"),
    ("colour.png", "brightness"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_command_writes_the_very_file_that_is_saved(
    device, tmp_path, monkeypatch, name, settings
):
    tab = tab_of(name, **SETTINGS[settings])
    saved = pictures.saved(tab.job().result(tab.queue), tab.picture.suffix)
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(encode_image(FILES[name], "." + name.rpartition(".")[2]))
    program, command, *arguments = shlex.split(tab.job().command())
    assert (program, command) == ("pyclfft", "filter")
    assert filter_command.main([*arguments, "--quiet"]) == 0
    assert (tmp_path / tab.job().result_name).read_bytes() == saved


@pytest.mark.parametrize(
    ("name", "kind", "strokes"),
    [("grey.png", "lowpass", ()), ("-float.tif", "highpass", ()), ("colour.png", "none", ()),
     *((name, "highpass", (ERASE,)) for name in FILES), ("grey.png", "lowpass", (ERASE,))],
)  # fmt: skip
def test_the_program_writes_the_very_file_that_is_saved(
    device, tmp_path, monkeypatch, name, kind, strokes
):
    tab = tab_of(name, kind=kind)
    for stroke in strokes:
        tab.paint(stroke)
    job = tab.job()
    saved = pictures.saved(job.result(tab.queue), tab.picture.suffix)
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(encode_image(FILES[name], "." + name.rpartition(".")[2]))
    if job.has_mask:
        mask = ImageFile(job.mask(tab.queue), brush.WHITE)
        (tmp_path / "mask.png").write_bytes(encode_image(mask, ".png"))
    (tmp_path / "program.py").write_text(job.python())
    runpy.run_path(str(tmp_path / "program.py"))
    assert (tmp_path / job.result_name).read_bytes() == saved


@pytest.mark.parametrize(
    ("name", "kind"),
    [("grey.png", "none"), ("colour.png", "lowpass"), ("twelve.pgm", "highpass"),
     ("-float.tif", "bandstop"), ("deep one.png", "directional")],
)  # fmt: skip
def test_the_command_with_the_mask_writes_the_very_file_that_is_saved(
    device, tmp_path, monkeypatch, name, kind
):
    tab = tab_of(name, kind=kind)
    tab.paint(ERASE)
    job = tab.job()
    saved = pictures.saved(job.result(tab.queue), tab.picture.suffix)
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(encode_image(FILES[name], "." + name.rpartition(".")[2]))
    mask = ImageFile(job.mask(tab.queue), brush.WHITE)
    (tmp_path / "mask.png").write_bytes(encode_image(mask, ".png"))
    words = shlex.split(job.command())
    assert "--use-mask mask.png" in job.command()
    assert filter_command.main([*words[2:], "--quiet"]) == 0
    assert (tmp_path / job.result_name).read_bytes() == saved


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.has_mask])
def test_the_brush_goes_with_gains_from_0_to_1(device, kind):
    tab = tab_of("striped.png", kind=kind)
    tab.paint(ERASE)
    with pytest.raises(PlanError, match="press Clear, or choose another filter"):
        tab.job().result(tab.queue)


def test_a_device_is_named_in_both(device):
    job = tab_of("grey.png").job()
    assert "--device 0:0 -o" in job.command("0:0")
    assert "pyclfft.use_device('0:0')" in job.python("0:0")


def test_the_result_is_that_of_the_definition(device):
    """Of scipy.fft, in double precision, with the gains of strokes and of a Gaussian."""
    tab = tab_of("deep one.png", kind="lowpass", cutoff=0.2)
    tab.paint(ERASE)
    pixels = FILES["deep one.png"].pixels.astype(float)
    down, across = (scipy.fft.fftfreq(n) for n in pixels.shape)
    gains = np.exp(-0.5 * (np.add.outer(down**2, across**2)) / 0.2**2)
    gains *= brush.painted(pixels.shape, (ERASE,))
    expected = np.clip(scipy.fft.ifft2(scipy.fft.fft2(pixels) * gains).real, 0, 65535)
    result = tab.job().result(tab.queue).pixels
    assert np.abs(result - expected).max() < 65535 / brush.WHITE * 5


# --- the brush ------------------------------------------------------------------------------------


def drawn_slowly(size, strokes):
    """The gains by the definition: the distance of each bin from each line, and of its mirror."""
    gains = np.ones(size)
    for stroke in strokes:
        ends = stroke.points[1:] or stroke.points
        for row in range(size[0]):
            for column in range(size[1]):
                for (r0, c0), (r1, c1) in zip(stroke.points, ends, strict=False):
                    for r, c in ((row, column), (-row % size[0], -column % size[1])):
                        r, c = (
                            r - size[0] * (r >= (size[0] + 1) // 2),
                            c - size[1] * (c >= (size[1] + 1) // 2),
                        )
                        length = (r1 - r0) ** 2 + (c1 - c0) ** 2
                        t = ((r - r0) * (r1 - r0) + (c - c0) * (c1 - c0)) / length if length else 0
                        t = min(max(t, 0), 1)
                        distance = (r - r0 - t * (r1 - r0)) ** 2 + (c - c0 - t * (c1 - c0)) ** 2
                        if distance <= stroke.radius**2:
                            gains[row, column] = brush.MODES[stroke.mode]
    return gains


@pytest.mark.parametrize("size", [(16, 18), (15, 17), (9, 24), (1, 7)])
def test_strokes_touch_what_lies_near_and_its_mirror_image(size):
    strokes = (
        Stroke("erase", 3.0, ((-7.2, -8.0), (2.0, 3.0), (2.5, 9.0))),
        Stroke("restore", 1.5, ((0.0, 0.0),)),
        Stroke("erase", 1.0, ((100.0, 100.0),)),
    )
    gains = brush.painted(size, strokes)
    np.testing.assert_array_equal(gains, drawn_slowly(size, strokes))
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


def test_a_mask_is_what_its_picture_says():
    gains = RANDOM.random((5, 8)).astype(np.float32)
    again = brush.gains_of(brush.levels(gains))
    assert np.abs(again - gains).max() < 1e-5
    np.testing.assert_array_equal(brush.levels(again), brush.levels(gains))


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


def test_each_change_counts():
    tab = tab_of("grey.png")
    seen = [tab.version]
    to_set, to_paint = (lambda: tab.set("cutoff", 0.3)), (lambda: tab.paint(ERASE))
    for change in (to_set, to_paint, tab.undo, tab.clear, lambda: tab.use("")):
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
