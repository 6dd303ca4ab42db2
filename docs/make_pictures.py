"""Make the pictures of the documentation: every image in them is computed by pyclfft.

    python docs/make_pictures.py [--output FOLDER] [NAME.png ...]

Panels show pixels as they are, without a change of brightness, unless their caption says so.
"""

from __future__ import annotations

import argparse
import runpy
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import pyclfft
from pyclfft import __main__ as commands
from pyclfft.audio.audio_writing import write_audio
from pyclfft.audio.audiofile import AudioFile, read_audio
from pyclfft.distributed.csv_samples import read_samples
from pyclfft.image.imagefile import read_image

SAMPLES = Path(__file__).resolve().parents[1] / "samples"

GAP = 8
CAPTION_HEIGHT = 24
PAPER, INK, FAINT = 255, 30, 205
COLOURS = {"black": (60, 60, 60), "blue": (0, 95, 190), "orange": (220, 95, 0)}
SMOOTH = 4  # plots are drawn this many times larger, then reduced

Cell = Image.Image


def sample(name: str) -> np.ndarray:
    """Return the pixels of a sample image."""
    return read_image(SAMPLES / name).pixels


# --- layout ---------------------------------------------------------------------------------------


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the font that Pillow brings."""
    return ImageFont.load_default(size)


def panel(pixels: np.ndarray | Cell, caption: str = "", zoom: float = 1) -> Cell:
    """Return pixels with a caption above them; enlarged pixels stay squares."""
    if isinstance(pixels, np.ndarray):
        pixels = Image.fromarray(pixels)
    if zoom != 1:
        size = (round(pixels.width * zoom), round(pixels.height * zoom))
        pixels = pixels.resize(size, Image.Resampling.NEAREST if zoom > 1 else Image.Resampling.BOX)
    return stack([text(caption, pixels.width), pixels], gap=0) if caption else pixels


def text(words: str, width: int, size: float = 14) -> Cell:
    """Return one line of text on paper."""
    line = Image.new("L", (width, CAPTION_HEIGHT), PAPER)
    ImageDraw.Draw(line).text((1, CAPTION_HEIGHT / 2), words, INK, font(size), anchor="lm")
    return line


def row(cells: Sequence[Cell], gap: int = GAP) -> Cell:
    """Set cells beside each other."""
    width = sum(cell.width for cell in cells) + gap * (len(cells) - 1)
    sheet = Image.new(_mode(cells), (width, max(cell.height for cell in cells)), _paper(cells))
    x = 0
    for cell in cells:
        sheet.paste(cell.convert(sheet.mode), (x, 0))
        x += cell.width + gap
    return sheet


def stack(cells: Sequence[Cell], gap: int = GAP) -> Cell:
    """Set cells below each other."""
    height = sum(cell.height for cell in cells) + gap * (len(cells) - 1)
    sheet = Image.new(_mode(cells), (max(cell.width for cell in cells), height), _paper(cells))
    y = 0
    for cell in cells:
        sheet.paste(cell.convert(sheet.mode), (0, y))
        y += cell.height + gap
    return sheet


def _mode(cells: Sequence[Cell]) -> str:
    return "RGB" if any(cell.mode == "RGB" for cell in cells) else "L"


def _paper(cells: Sequence[Cell]) -> int | tuple[int, int, int]:
    return (PAPER,) * 3 if _mode(cells) == "RGB" else PAPER


def plot(
    curves: dict[str, np.ndarray],
    size: tuple[int, int],
    limits: tuple[float, float],
    caption: str | Cell,
    levels: dict[float, str] | None = None,
    mark: int | None = None,
) -> Cell:
    """Draw values against their index.

    Parameters
    ----------
    curves : dict of str to ndarray
        By colour; all of the same length.
    size : (int, int)
        Width and height in pixels, without the caption.
    limits : (float, float)
        Values at the bottom and at the top.
    caption : str or image
        Stands above.
    levels : dict of float to str, optional
        Values with a horizontal line, and what stands beside it: above the highest, else below.
    mark : int, optional
        Index with a vertical line and its number.
    """
    width, height = (extent * SMOOTH for extent in size)
    sheet = Image.new("RGB", (width, height), (PAPER,) * 3)
    draw = ImageDraw.Draw(sheet)
    last = max(len(values) for values in curves.values()) - 1
    grey, faint = (130,) * 3, (FAINT,) * 3

    def level(value: float) -> float:
        return height * (1 - (value - limits[0]) / (limits[1] - limits[0]))

    for value, words in (levels or {}).items():
        top = value == max(levels or ())
        draw.line((0, level(value), width, level(value)), faint, SMOOTH)
        place = (0.6 * width, level(value) + (-1 if top else 3) * SMOOTH)
        draw.text(place, words, grey, font(12 * SMOOTH), anchor="mb" if top else "mt")
    if mark is not None:
        x = mark * width / last
        draw.line((x, 0, x, height), faint, SMOOTH)
        draw.text((x + 3 * SMOOTH, height / 2), str(mark), grey, font(12 * SMOOTH), anchor="lm")
    for colour, values in curves.items():
        points = [(index * width / last, level(float(v))) for index, v in enumerate(values)]
        draw.line(points, COLOURS[colour], round(1.6 * SMOOTH), joint="curve")
    draw.rectangle((0, 0, width - 1, height - 1), outline=faint, width=SMOOTH)
    small = sheet.resize(size, Image.Resampling.BOX)
    return panel(small, caption) if isinstance(caption, str) else stack([caption, small], gap=0)


def framed(pixels: np.ndarray, zoom: float = 1) -> Cell:
    """Return pixels with a thin line around them, which shows where white ends."""
    cell = panel(pixels, zoom=zoom)
    ImageDraw.Draw(cell).rectangle((0, 0, cell.width - 1, cell.height - 1), outline=FAINT)
    return cell


def legend(words: dict[str, str], width: int) -> Cell:
    """Return one line of words, each in its colour."""
    line = Image.new("RGB", (width, CAPTION_HEIGHT), (PAPER,) * 3)
    draw, x = ImageDraw.Draw(line), 1.0
    for colour, word in words.items():
        draw.text((x, CAPTION_HEIGHT / 2), word, COLOURS[colour], font(14), anchor="lm")
        x += draw.textlength(word + "  ", font(14))
    return line


# --- pictures -------------------------------------------------------------------------------------


def scene_before_after() -> Cell:
    """Show what the README's first command does."""
    image = sample("scene.pgm")
    return row(
        [
            panel(image, "samples/scene.pgm"),
            panel(pyclfft.filter_image(image, "highpass"), "--highpass"),
        ]
    )


def kinds() -> Cell:
    """Show the four kinds on a zone plate, whose frequency grows with the radius."""
    image = sample("zoneplate.pgm")
    half = 120  # of the detail's side
    middle = slice(256 - half, 256 + half)
    # The ring of radius r has a frequency of r / sqrt(2) bins: the gains that belong to the detail.
    bins = round(half / 2**0.5)
    shown = slice(256 - bins, 256 + bins)
    explanation = (
        "The frequency of a ring grows",
        "with its radius, so each result",
        "looks like its filter's gains:",
        "white 1, black 0, DC in the",
        "middle, to the same scale.",
    )
    lines = [text(words, 2 * half) for words in (" ", *explanation)]
    columns = [stack([panel(image[middle, middle], "zoneplate.pgm"), stack(lines, gap=0)])]
    for kind, cutoff, words in (
        ("lowpass", 40, "--lowpass 40"),
        ("highpass", 40, "--highpass 40"),
        ("bandpass", (24, 56), "--bandpass 24 56"),
        ("bandstop", (24, 56), "--bandstop 24 56"),
    ):
        result = pyclfft.filter_image(image, kind, cutoff, part="real", scale="stretch")
        gains = np.fft.fftshift(pyclfft.filter_mask(image.shape, kind, cutoff))[shown, shown]
        white = framed((255 * gains).astype(np.uint8), half / bins)
        columns.append(stack([panel(result[middle, middle], words), white]))
    return row(columns)


def shapes() -> Cell:
    """Show the ringing of an ideal filter, and how the others avoid it."""
    image = sample("letters.pgm")
    rows, columns = slice(20, 220), slice(18, 258)
    through = 180  # a row that crosses the stems of both letters
    cutoff, bins = 24, 73
    before = image[through, columns]
    brightness = {"size": (240, 130), "limits": (-60, 330), "levels": {0: "black", 255: "white"}}
    gain = {"size": (240, 100), "limits": (-0.25, 1.25), "levels": {0: "0", 1: "1"}}
    cells = [
        stack(
            [
                panel(image[rows, columns], "letters.pgm (detail)"),
                plot({"black": np.ones(bins)}, caption=f"no filter: bins 0 to {bins - 1}", **gain),
                plot({"black": before}, caption=f"brightness along row {through}", **brightness),
            ]
        )
    ]
    for shape, words in (
        ("ideal", "--lowpass 24 --shape ideal"),
        ("butterworth", "butterworth, order 2"),
        ("gaussian", "gaussian"),
    ):
        options = {"kind": "lowpass", "cutoff": cutoff, "shape": shape}
        result = pyclfft.filter_image(image, part="real", scale="none", **options)
        shown = np.clip(np.rint(result), 0, 255).astype(np.uint8)
        gains = pyclfft.filter_mask(image.shape, **options)[0, :bins]
        curves = {"black": before, "orange": result[through, columns]}
        caption = legend({"black": "image,", "orange": "result"}, 240)
        cells.append(
            stack(
                [
                    panel(shown[rows, columns], words),
                    plot({"blue": gains}, caption="gain", mark=cutoff, **gain),
                    plot(curves, caption=caption, **brightness),
                ]
            )
        )
    return row(cells)


def steps() -> Cell:
    """Show the way through the frequency domain: image, spectrum, gains, product, result."""
    image = sample("letters.pgm")
    options = {"shape": "butterworth", "order": 3}
    spectrum = np.fft.fftshift(pyclfft.fft2(image.astype(np.float32)))
    gains = np.fft.fftshift(pyclfft.filter_mask(image.shape, "bandpass", (12, 60), **options))

    def decades(values: np.ndarray) -> np.ndarray:
        """Show 10^2.5 as black and 10^6.5 as white."""
        logarithm = np.log10(np.maximum(np.abs(values), 1))
        return (255 * np.clip((logarithm - 2.5) / 4, 0, 1)).astype(np.uint8)

    result = pyclfft.filter_image(image, "bandpass", (12, 60), **options)
    shown = slice(128, 384)  # of the spectra: bins -128 .. 127
    return row(
        [
            panel(image, "image", 0.5),
            panel(decades(spectrum)[shown, shown], "fft2 (log of magnitude)"),
            panel((255 * gains[shown, shown]).astype(np.uint8), "gains of a band pass, 12 to 60"),
            panel(decades(spectrum * gains)[shown, shown], "product"),
            panel(result, "ifft2 (magnitude)", 0.5),
        ]
    )


def padding() -> Cell:
    """Show opposite edges that leak into each other, and what padding does about it."""
    image = sample("gradient.pgm")
    results = {
        pad: pyclfft.filter_image(
            image, "lowpass", 6, shape="gaussian", pad=pad, part="real", scale="clip"
        )
        for pad in ("none", "zero", "edge", "mirror")
    }
    along = 8
    curves = {
        "black": image[along],
        "orange": results["none"][along],
        "blue": results["mirror"][along],
    }
    words = {"black": f"row {along}: image,", "orange": "pad none,", "blue": "pad mirror"}
    size = (image.shape[1], image.shape[0])
    return stack(
        [
            row(
                [
                    panel(image, "gradient.pgm"),
                    panel(results["none"], "--pad none: opposite edges mix"),
                    panel(results["zero"], "--pad zero: edges mix with black"),
                ]
            ),
            row(
                [
                    plot(curves, size, (0, 255), legend(words, size[0])),
                    panel(results["edge"], "--pad edge"),
                    panel(results["mirror"], "--pad mirror"),
                ]
            ),
        ]
    )


def scales() -> Cell:
    """Show one high pass, brought to 0 .. 255 in four ways."""
    image = sample("scene.pgm")
    detail = (slice(272, 512), slice(176, 416))
    cells = [panel(image[detail], "scene.pgm (detail)")]
    for words, options in (
        ("--highpass 16 (default)", {}),
        ("--scale clip", {"scale": "clip"}),
        ("--part real --scale stretch", {"part": "real", "scale": "stretch"}),
        ("--keep-dc", {"keep_dc": True}),
    ):
        result = pyclfft.filter_image(image, "highpass", 16, **options)
        cells.append(panel(result[detail], words))
    return row(cells)


def depth() -> Cell:
    """Show a message that is fainter than one step of 8 bits."""
    file = read_image(SAMPLES / "depth12.pgm")

    def eight_bits(pixels: np.ndarray) -> np.ndarray:
        return (pixels.astype(np.uint32) * 255 // file.maxval).astype(np.uint8)

    deep = pyclfft.filter_image(file.pixels, "highpass", maxval=file.maxval)
    shallow = pyclfft.filter_image(eight_bits(file.pixels), "highpass")
    return row(
        [
            panel(eight_bits(file.pixels), "depth12.pgm, shown with 8 bits"),
            panel(eight_bits(deep), "highpass of the 12-bit image"),
            panel(shallow, "highpass of its 8-bit copy"),
        ]
    )


def colours() -> Cell:
    """Show a low pass of every channel, and of the brightness alone."""
    image = sample("colours.png")
    options = {"cutoff": 6, "shape": "gaussian", "part": "real", "scale": "clip"}
    return row(
        [
            panel(image, "colours.png", 2),
            panel(
                pyclfft.filter_image(image, "lowpass", channels="each", **options),
                "lowpass 6, channels each", 2,
            ),
            panel(
                pyclfft.filter_image(image, "lowpass", channels="luma", **options),
                "lowpass 6, channels luma", 2,
            ),
        ]
    )  # fmt: skip


def with_stripes(image: np.ndarray) -> np.ndarray:
    """Return an image with two waves, as samples/remove_stripes.py makes it."""
    y, x = np.indices(image.shape)
    waves = 15 * np.cos(2 * np.pi * 0.2 * x) + 25 * np.cos(2 * np.pi * (0.07 * y + 0.11 * x))
    return np.clip(image + waves, 0, 255).astype(np.uint8)


def stripes() -> Cell:
    """Show stripes, their peaks in the spectrum, the notches there, and the result."""
    striped = with_stripes(sample("scene.pgm"))
    points = pyclfft.find_notches(striped)
    logarithm = np.log10(1 + np.abs(np.fft.fftshift(pyclfft.fft2(striped.astype(np.float32)))))
    spectrum = (255 * np.clip((logarithm - 2) / 4, 0, 1)).astype(np.uint8)
    gains = np.fft.fftshift(pyclfft.filter_mask(striped.shape, "notch", points=points))
    clean = pyclfft.filter_image(striped, "notch", points=points)
    detail, shown = (slice(272, 512), slice(176, 416)), slice(136, 376)
    return row(
        [
            panel(striped[detail], "stripes (detail)"),
            panel(spectrum[shown, shown], "spectrum, DC in the middle"),
            panel((255 * gains[shown, shown]).astype(np.uint8), "gains of --notch auto"),
            panel(clean[detail], "result"),
        ]
    )


def halftone() -> Cell:
    """Show a scanned print, which consists of dots, and what remains without their peaks."""
    image = sample("scene.pgm")
    y, x = np.indices(image.shape)
    angle, period = np.deg2rad(30), 6
    u = (np.cos(angle) * x + np.sin(angle) * y) / period
    v = (np.cos(angle) * y - np.sin(angle) * x) / period
    screen = 127.5 + 127.5 * (np.cos(2 * np.pi * u) + np.cos(2 * np.pi * v)) / 2
    printed = np.clip(127.5 + 2 * (image - screen), 0, 255).astype(np.uint8)
    scanned = pyclfft.filter_image(printed, "lowpass", sigma=0.8)
    clean = pyclfft.filter_image(scanned, "notch", points="auto", radius=0.05)
    detail = (slice(272, 512), slice(176, 416))
    return row(
        [
            panel(image[detail], "scene.pgm (detail)"),
            panel(scanned[detail], "printed in dots and scanned"),
            panel(clean[detail], "--notch auto --radius 0.05"),
        ]
    )


def light() -> Cell:
    """Show a picture in uneven light, evened out; and a soft picture, sharpened."""
    image = sample("scene.pgm")
    across = np.geomspace(0.12, 1, image.shape[1])
    dark = np.rint(image * across).astype(np.uint8)
    options = {"gains": (0.3, 1), "keep_dc": True, "pad": "mirror", "scale": "max"}
    even = pyclfft.filter_image(dark, "homomorphic", **options)
    soft = pyclfft.filter_image(image, "lowpass", sigma=1.5)
    sharp = pyclfft.filter_image(soft, "unsharp", amount=2)
    detail = (slice(272, 512), slice(176, 416))
    return row(
        [
            panel(dark, "uneven light", 240 / 512),
            panel(even, "--homomorphic --gains 0.3 1", 240 / 512),
            panel(soft[detail], "a soft picture (detail)"),
            panel(sharp[detail], "--unsharp 2"),
        ]
    )


def blur() -> Cell:
    """Show a picture that was moved while it was taken, and what Wiener's filter makes of it."""
    image = sample("scene.pgm") / np.float32(255)
    psf = np.ones((1, 15)) / 15
    moved = pyclfft.convolve(
        np.pad(image, ((0, 0), (7, 7)), mode="wrap"), psf.astype("f4"), "valid"
    )
    moved += np.random.default_rng(0).normal(0, 0.004, moved.shape).astype(np.float32)
    cells = [panel(_grey(image)[272:512, 176:416], "scene.pgm (detail)")]
    for words, shown in (
        ("moved by 15 pixels, noise", moved),
        ("wiener, balance 0.001", pyclfft.wiener(moved, psf, 0.001)),
        ("wiener, balance 0.1", pyclfft.wiener(moved, psf, 0.1)),
    ):
        cells.append(panel(_grey(shown)[272:512, 176:416], words))
    return row(cells)


def _grey(values: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 as pixels."""
    return np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)


def spectrum() -> Cell:
    """Return the spectrum of the scene with stripes in two directions, as the command draws it."""
    y, x = np.mgrid[:512, :512]
    waves = 20 * np.sin(2 * np.pi * (0.08 * x + 0.06 * y)) + 15 * np.sin(2 * np.pi * 0.1 * y)
    striped = np.clip(sample("scene.pgm") + waves, 0, 255).astype(np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        photo, drawn = Path(folder, "striped.png"), Path(folder, "spectrum.png")
        Image.fromarray(striped).save(photo)
        commands.main(["spectrum", str(photo), "--window=hann", f"--output={drawn}"])
        picture = Image.open(drawn).convert("RGB")
    shown = panel(striped, "striped.png", 0.62)
    drawing = picture.resize((picture.width * 3 // 4, picture.height * 3 // 4))
    # A third of the bytes, and circles keep their colour, though few pixels have it.
    return row([shown, drawing]).quantize(160, Image.Quantize.MAXCOVERAGE)


def volume() -> Cell:
    """Show a slice of a noisy ball, filtered on its own and together with its neighbours."""
    z, y, x = np.mgrid[:48, :64, :64]
    ball = np.where(np.hypot(np.hypot(z - 24, y - 32), x - 32) < 14, 180, 40).astype(np.uint8)
    noise = np.random.default_rng(1).normal(0, 40, ball.shape)
    noisy = np.clip(ball + noise, 0, 255).astype(np.uint8)
    border = {"cutoff": 8, "unit": "px-period", "shape": "gaussian", "pad": "mirror"}
    alone = pyclfft.filter_image(noisy, "lowpass", axes=(1, 2), **border)
    together = pyclfft.filter_volume(noisy, "lowpass", **border)
    panels = {
        "slice 24 of a ball": ball, "with noise": noisy, "filtered slice by slice": alone,
        "filtered as a volume": together,
    }  # fmt: skip
    return row([panel(each[24], words, 3.5) for words, each in panels.items()])


def spectrogram() -> Cell:
    """Return the sample sound as the command draws it, on an axis of notes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tune.png")
        options = ["--n-fft=1024", "--hop=64", "--log-frequency", f"--output={path}"]
        commands.main(["spectrogram", str(SAMPLES / "tune.wav"), *options])
        return Image.open(path).convert("RGB")


def channels() -> Cell:
    """Return a sound of two channels as the command draws it: a panel for each."""
    y, other = synthesised("scale"), synthesised("chords")
    length = min(len(y), len(other))
    both = np.stack([y[:length], other[:length]])
    return drawn(both, "spectrogram", "--channel=all", "--fmax=4000")


def notes() -> Cell:
    """Return chords with the notes that are found in them."""
    return drawn(
        synthesised("chords"), "spectrogram", "--log-frequency", "--notes={folder}/notes.csv",
        "--fmin=200", "--fmax=4000", "--hop=128",
    )  # fmt: skip


def denoised() -> Cell:
    """Return chords under noise and hum before and after the command that removes both."""
    y = synthesised("chords")
    t = np.arange(len(y)) / 22050
    y = y + np.std(y) * 10**-0.5 * np.random.default_rng(1).standard_normal(len(y))
    y += 0.05 * sum(np.sin(2 * np.pi * 50 * k * t) / k for k in range(1, 9))
    return drawn(y, "denoise", "{folder}/clean.wav", "--hum=50")


def synthesised(piece: str) -> np.ndarray:
    """Return a piece that samples/synth.py plays on a piano, with 22050 samples a second."""
    synth = runpy.run_path(str(SAMPLES / "synth.py"))
    return 0.5 * synth["render"](synth["PIECES"][piece]())


def drawn(samples: np.ndarray, command: str, *options: str) -> Cell:
    """Return what a command draws of a sound, of one channel or of several."""
    with tempfile.TemporaryDirectory() as folder:
        sound, picture = Path(folder, "sound.wav"), Path(folder, "sound.png")
        write_audio(sound, np.atleast_2d(samples), 22050, "16")
        target = "--picture" if command == "denoise" else "--output"
        given = [option.format(folder=folder) for option in options]
        commands.main([command, str(sound), *given, f"{target}={picture}", "--quiet"])
        cell = panel(Image.open(picture).convert("RGB"), zoom=0.6)
        return cell.quantize(160, dither=Image.Dither.NONE).convert("RGB")


def room() -> Cell:
    """Show the sample sound dry, the impulse response of a hall, and the sound in this hall."""
    with tempfile.TemporaryDirectory() as folder:
        runpy.run_path(str(SAMPLES / "make_rooms.py"))["main"]([folder])
        dry, hall, wet = SAMPLES / "tune.wav", Path(folder, "hall.wav"), Path(folder, "wet.wav")
        commands.main(["convolve", str(dry), str(hall), str(wet), "--resample"])
        sounds = {"the dry sound": dry, "the hall's impulse response": hall, "the wet sound": wet}
        return stack([sounds_as_seen(path, name) for name, path in sounds.items()])


def sounds_as_seen(path: Path, caption: str, width: int = 900, seconds: float = 7.3) -> Cell:
    """Return the first channel of a sound: its waveform, and its levels by time and frequency."""
    sound = read_audio(path, channel=0)
    wave, levels = waveform(sound.samples[0], sound.sr, width, seconds), spectrum_of(sound)
    shown = round(width * min(1.0, sound.info.seconds / seconds))
    sheet = Image.new("L", (width, 160), PAPER)
    sheet.paste(levels.resize((shown, 160), Image.Resampling.BILINEAR), (0, 0))
    return stack([text(caption, width), wave, sheet], gap=4)


def waveform(samples: np.ndarray, sr: int, width: int, seconds: float) -> Cell:
    """Return a waveform: in each column of pixels a line from the least to the greatest value."""
    height = 90
    sheet = Image.new("L", (width, height), PAPER)
    draw = ImageDraw.Draw(sheet)
    per_column = seconds * sr / width
    peak = np.abs(samples).max()
    for x in range(min(width, int(len(samples) / per_column))):
        part = samples[round(x * per_column) : round((x + 1) * per_column)] / peak
        ends = height / 2 * (1 - np.array([part.max(), part.min()]))
        draw.line([(x, ends[0]), (x, ends[1])], INK)
    return sheet


def grey(levels: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 255 as pixels; others become black or white."""
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)


def spectrum_of(sound: AudioFile, reach: float = 5000) -> Cell:
    """Return levels up to a frequency in Hz, 80 dB from white to black, high frequencies on top."""
    n_fft = round(sound.sr / 11025) * 512
    levels = pyclfft.spectrogram(sound.samples[0], n_fft=n_fft, db=True, ref="max")
    bins = levels[: round(reach / sound.sr * n_fft)]
    return Image.fromarray(grey(255 * np.clip(-bins[::-1] / 80, 0, 1)))


def aligned() -> Cell:
    """Show two pictures of one scene, and their difference before and after they are aligned."""
    image = sample("scene.pgm").astype(np.float32)
    first, second = image[40:440, 40:440], image[63:463, 25:425]
    shift, _, _ = pyclfft.phase_cross_correlation(first, second)
    moved = np.roll(second, shift.astype(int), (0, 1))
    return row(
        [
            panel(grey(first), "one picture"),
            panel(grey(second), "another one"),
            panel(grey(128 + (first - second) / 2), "their difference"),
            panel(grey(128 + (first - moved) / 2), f"moved by {shift.astype(int).tolist()}"),
        ]
    )


def lengths() -> Cell:
    """Show what becomes of the spectrum of five sines whose number is changed to a power of two."""
    read = read_samples(SAMPLES / "sines.csv")
    count = len(read.values)
    return stack(
        [
            spectrum_in_decibels(read.values, read.rate, f"all {count} samples, as they are"),
            spectrum_in_decibels(read.values[:512], read.rate, "the first 512 samples"),
            spectrum_in_decibels(
                np.pad(read.values, (0, 1024 - count)), read.rate,
                f"all {count} samples and {1024 - count} zeros", count,
            ),
        ]
    )  # fmt: skip


def spectrum_in_decibels(
    samples: np.ndarray, rate: float, caption: str, count: int | None = None, reach: float = 250
) -> Cell:
    """Return the amplitudes up to `reach` Hz; `count` is how many of the samples are no padding."""
    bins = round(reach / rate * len(samples))
    found = 2 * np.abs(pyclfft.dft(samples, range(bins))) / (count or len(samples))
    levels = 20 * np.log10(np.maximum(found, 1e-6))
    words = {0.0: "0 dB: an amplitude of 1", -40.0: "-40 dB"}
    return plot({"blue": levels}, (900, 130), (-80, 12), f"{caption}, 0 to {reach:g} Hz", words)


def sines() -> Cell:
    """Return the sample of five sines as the command draws it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sines.png")
        commands.main(["dft", str(SAMPLES / "sines.csv"), f"--output={path}"])
        return Image.open(path).convert("RGB")


PICTURES: dict[str, Callable[[], Cell]] = {
    "scene_before_after.png": scene_before_after,
    "kinds.png": kinds,
    "shapes.png": shapes,
    "steps.png": steps,
    "padding.png": padding,
    "scales.png": scales,
    "depth.png": depth,
    "colours.png": colours,
    "stripes.png": stripes,
    "halftone.png": halftone,
    "light.png": light,
    "blur.png": blur,
    "spectrum.png": spectrum,
    "volume.png": volume,
    "spectrogram.png": spectrogram,
    "channels.png": channels,
    "notes.png": notes,
    "denoised.png": denoised,
    "room.png": room,
    "aligned.png": aligned,
    "lengths.png": lengths,
    "sines.png": sines,
}


def main() -> None:
    """Make all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).resolve().parent / "pictures",
        metavar="FOLDER", help="where to write them (default: docs/pictures)",
    )  # fmt: skip
    parser.add_argument(
        "names", nargs="*", metavar="NAME.png", help="make only these pictures (default: all)"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - set(PICTURES):
        parser.error(
            f"no picture is called {', '.join(unknown)}: choose from {', '.join(PICTURES)}"
        )
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or PICTURES:
        PICTURES[name]().save(folder / name, optimize=True)
        print(f"{folder / name}: {(folder / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
