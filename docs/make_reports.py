"""Write what docs/results holds of some benchmarks into the pages that show it.

    python docs/make_reports.py [--check] [--plots] [--commands]

Between the lines ``<!-- results: NAME -->`` and ``<!-- end of results -->`` a page has what a
function here makes of the stored files: nobody types a number there. After a new run its files go
to docs/results, and this is called again; ``--plots`` draws their pictures again, too, and
``--commands`` prints what to call for new ones.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyclfft.bench import (
    convolve_ladder,
    convolve_plots,
    convolve_realtime,
    convolve_sweeps,
    convolve_view,
    dft_plots,
    dft_sweeps,
    dft_view,
    pieces,
    stft,
    worksize,
)
from pyclfft.bench.ladder_plots import path_of
from pyclfft.bench.render import Part
from pyclfft.bench.stft_contenders import BACK, COPY, DEVICE, HOST, OURS
from pyclfft.bench.table import listed
from pyclfft.errors import PyclfftError

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS / "results"
WIDTH = 118  # of lines of text
BLOCK = re.compile(r"(<!-- results: ([\w -]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


class Stored(NamedTuple):
    """A measurement in docs/results.

    Attributes
    ----------
    title : str
        The device, in headings of tables.
    name : str
        Of the files, without their ends.
    device : str
        What the command has after ``--device``: the device, and other options.
    """

    title: str
    name: str
    device: str

    @property
    def path(self) -> Path:
        """The file with the figures."""
        return RESULTS / f"{self.name}.json"


WORKSIZES = (
    Stored("Intel's runtime", "worksize-intel", "intel"),
    Stored("PoCL", "worksize-pocl", "portable"),
    Stored("NVIDIA H200", "worksize-h200", "gpu"),
)
STFTS = (
    Stored("NVIDIA H100", "stft-h100", "gpu"),
    Stored("NVIDIA H200", "stft-h200", "gpu"),
    Stored("Intel's runtime", "stft-epyc-intel", "intel"),
    Stored("PoCL", "stft-epyc-pocl", "portable"),
)
CONVOLUTIONS = (
    Stored("Intel's runtime", "convolve-epyc-intel", "intel --limit 1 --seconds 90 --samples 3"),
    Stored("NVIDIA H200", "convolve-h200", "gpu --limit 0.5 --samples 3"),
)
REALTIMES = (
    Stored("A sound card that nobody hears", "realtime-epyc-intel-null", "intel --realtime"),
    Stored("A JACK server", "realtime-epyc-intel-jack", "intel --realtime --sink jack"),
)

LADDERS = (
    Stored("NVIDIA H200", "convolve-ladder-h200", "gpu --ladder"),
    Stored("Intel's runtime", "convolve-ladder-epyc-intel", "intel --ladder --limit 5 --samples 3"),
)
PIECES = (
    Stored(
        "NVIDIA H200",
        "pieces-h200",
        "gpu --bytes 25769803776 --max-device-bytes 8589934592 --samples 1",
    ),
)
DFTS = (
    Stored("NVIDIA H200", "dft-h200", "gpu --sweep lengths,groups --samples 3 --limit 1"),
    Stored("Intel's runtime", "dft-epyc-intel", "intel --limit 5 --samples 3"),
)


# --- work sizes -----------------------------------------------------------------------------------


def published_worksizes() -> Iterator[Part]:
    """Yield the textbook's tables."""
    for figures in worksize.PUBLISHED:
        yield from worksize.tables(figures)


def measured_worksizes() -> Iterator[Part]:
    """Yield ours, device by device."""
    for stored in WORKSIZES:
        results = worksize.read(stored.path)
        yield f"### {stored.title}"
        yield where("worksize", stored, results.environment)
        yield from worksize.tables(results.figures(stored.title))
        picture = f"../results/{stored.name}.png"
        yield f"![Curves: time of each step over the size of its groups]({picture})"


def everybodys() -> tuple[worksize.Figures, ...]:
    """Return all tables, ours first."""
    ours = (worksize.read(each.path).figures(each.title) for each in WORKSIZES)
    return (*ours, *worksize.PUBLISHED)


def best_worksizes() -> Iterator[Part]:
    """Yield the best sizes by kernel and device."""
    yield worksize.best_sizes(everybodys())


def conclusions() -> Iterator[Part]:
    """Yield what follows on each device."""
    yield worksize.conclusions(everybodys())


# --- spectrograms ---------------------------------------------------------------------------------


def contenders() -> Iterator[Part]:
    """Yield who takes how long for a song, device by device."""
    for stored in STFTS:
        results = stft.read(stored.path)
        yield f"### {stored.title}"
        yield where("stft", stored, results.environment)
        yield (
            f"The sound lasts {results.seconds} s and has {stft.RATE} samples a second. Its frames "
            f"have {stft.N_FFT} samples and begin {stft.HOP} samples apart. Each time is a median. "
            f"`/{OURS}` is the time divided by the time of `{OURS}` between arrays in the same "
            f"place. `{COPY}` reads as many bytes as the input has, and writes as many as the "
            f"result has. The way back is `istft`."
        )
        yield contenders_table(results)
        absent = [f"{each.name} ({each.where})" for each in results.entries if each.word]
        if absent:
            yield f"These contenders were not installed or have failed: {listed(absent)}."
        if results.overlap:
            yield stft.overlap_line(results.overlap)


def contenders_table(results: stft.Results) -> stft.Table:
    """Return the times of those who took part."""
    present = [each for each in results.entries if not each.word]
    rows = [
        [
            each.name, each.where, f"{each.ms.median:.4g}",
            f"{each.ms.median / results.ours(each.where).ms.median:.3g}",
        ]
        for where in (DEVICE, BACK, HOST)
        for each in present
        if each.where == where
    ]  # fmt: skip
    return stft.Table(["who", "between arrays", "ms", f"/{OURS}"], rows)


def beside_the_report() -> Iterator[Part]:
    """Yield the report's figures beside ours, device by device."""
    for stored in STFTS:
        results = stft.read(stored.path)
        yield f"### {stored.title}"
        yield where("stft", stored, results.environment)
        parts = list(stft.report_parts(results))
        yield from (f"{_sentence(each)}:" if isinstance(each, str) else each for each in parts)
        yield (
            "![Curves: milliseconds of 1164 frames, and the speed-up, over the frames of a launch]"
            f"(../results/{stored.name}.png)"
        )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}".rstrip(":")


# --- convolution ----------------------------------------------------------------------------------

# Each picture of `bench convolve`, in words.
CONVOLUTION_PICTURES = {
    "waveforms": "Waveforms: a sweep and noise, dry, in the hall, and in the room of noise",
    "spectra": "Curves: levels of both impulse responses by frequency",
    "ir": "Curves: milliseconds over the length of the impulse response, by room",
    "dry": "Curves: milliseconds over the length of the dry sound",
    "crossing": "Curves: direct sums and transforms over the length of the response; they cross",
}


def convolutions() -> Iterator[Part]:
    """Yield who takes how long for a convolution, device by device."""
    for stored in CONVOLUTIONS:
        results = convolve_sweeps.read(stored.path)
        yield f"### {stored.title}"
        yield where("convolve", stored, results.environment)
        yield from convolve_view.parts(results)
        yield from drawn(stored, CONVOLUTION_PICTURES)


# --- direct transforms ----------------------------------------------------------------------------

# Each picture of `bench dft`, in words.
DFT_PICTURES = {
    "lengths": "Curves: seconds over the number of samples, for each way, beside the report's",
    "ranks": "Bars: milliseconds of each step by the number of ranks, for the loop and for tiles",
    "groups": "Bars: milliseconds of each step by the work-items of a group, for both kernels",
}


def parallel_transforms() -> Iterator[Part]:
    """Yield who takes how long for a direct transform, device by device."""
    for stored in DFTS:
        results = dft_sweeps.read(stored.path)
        yield f"### {stored.title}"
        yield where("dft", stored, results.environment)
        yield from dft_view.parts(results)
        yield from drawn(stored, DFT_PICTURES)


def realtimes() -> Iterator[Part]:
    """Yield how much time blocks of a stream took, sink by sink."""
    for stored in REALTIMES:
        results = convolve_realtime.read(stored.path)
        yield f"### {stored.title}"
        yield where("convolve", stored, results.environment)
        yield from convolve_realtime.parts(results)


def climbs() -> Iterator[Part]:
    """Yield what each optimisation of direct convolution buys, device by device."""
    for stored in LADDERS:
        results = convolve_ladder.read(stored.path)
        yield f"### {stored.title}"
        yield where("convolve", stored, results.environment)
        yield from convolve_ladder.parts(results)
        picture = f"../results/{stored.name}.png"
        yield f"![Bars: how many times as fast as the plain kernel each version is]({picture})"


def in_pieces() -> Iterator[Part]:
    """Yield how fast arrays go through a device in pieces."""
    for stored in PIECES:
        results = pieces.read(stored.path)
        yield where("pieces", stored, results.environment)
        yield from pieces.parts_of(results)


def drawn(stored: Stored, pictures: Mapping[str, str]) -> Iterator[Part]:
    """Yield the pictures of a measurement; sweeps that were left out have none."""
    for name, said in pictures.items():
        file = path_of(f"{stored.name}.png", name)
        if (RESULTS / file).exists():
            yield f"![{said}](../results/{file})"


# --- pages ----------------------------------------------------------------------------------------


Parts = Callable[[], Iterator[Part]]
PAGES: Mapping[str, Mapping[str, Parts]] = {
    "explanation/worksize.md": {
        "published": published_worksizes,
        "measured": measured_worksizes,
        "best sizes": best_worksizes,
        "conclusions": conclusions,
    },
    "explanation/stft.md": {"contenders": contenders, "beside the report": beside_the_report},
    "explanation/convolution-ladder.md": {"climbs": climbs},
    "explanation/benchmarks.md": {"pieces": in_pieces},
    "explanation/convolution.md": {"convolutions": convolutions, "real time": realtimes},
    "explanation/dft-parallel.md": {"parallel transforms": parallel_transforms},
}


def where(command: str, stored: Stored, environment: Mapping[str, str]) -> str:
    """Say what was called, when and where."""
    return (
        f"`pyclfft bench {command} --device {stored.device}` printed this on "
        f"{environment['date'].split()[0]}, at commit {environment['commit']}, on "
        f"{environment['device']}; {environment['system']}. "
        f"[All results of this run](../results/{stored.name}.json)."
    )


def text_of(parts: Iterator[Part]) -> str:
    """Return parts as Markdown."""
    return "\n\n".join(
        wrapped(each) if isinstance(each, str) else each.markdown() for each in parts
    )


def wrapped(text: str) -> str:
    """Break lines between words only."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def page(text: str, blocks: Mapping[str, Parts]) -> str:
    """Return a page with its results as they are stored.

    Raises
    ------
    SystemExit
        Its blocks are not those that there are.
    """
    found = [match[2] for match in BLOCK.finditer(text)]
    if sorted(found) != sorted(blocks):
        raise SystemExit(f"the page has results of {found}, not of {list(blocks)}")
    return BLOCK.sub(lambda match: f"{match[1]}\n{text_of(blocks[match[2]]())}\n\n{match[3]}", text)


def draw() -> None:
    """Draw all pictures again, from the stored figures."""
    for stored in WORKSIZES:
        worksize.write_plot(stored.path.with_suffix(".png"), worksize.read(stored.path))
    for stored in STFTS:
        stft.write_plot(stored.path.with_suffix(".png"), stft.read(stored.path))
    for stored in CONVOLUTIONS:
        picture = stored.path.with_suffix(".png")
        convolve_plots.write_plots(str(picture), convolve_sweeps.read(stored.path))
    for stored in LADDERS:
        picture = stored.path.with_suffix(".png")
        convolve_ladder.write_plot(str(picture), convolve_ladder.read(stored.path))
    for stored in DFTS:
        picture = stored.path.with_suffix(".png")
        dft_plots.write_plots(str(picture), dft_sweeps.read(stored.path))


def commands() -> Iterator[str]:
    """Yield the commands that measure everything anew, to be called in the repository's folder."""
    for command, several in (
        ("worksize", WORKSIZES),
        ("stft", STFTS),
        ("convolve", (*CONVOLUTIONS, *LADDERS)),
        ("dft", DFTS),
    ):
        for stored in several:
            name = f"docs/results/{stored.name}"
            files = f"--json {name}.json --plot {name}.png"
            yield f"pyclfft bench {command} --device {stored.device} {files}"
    for command, several in (("convolve", REALTIMES), ("pieces", PIECES)):
        for stored in several:
            file = f"--json docs/results/{stored.name}.json"
            yield f"pyclfft bench {command} --device {stored.device} {file}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description="Write stored results into the pages.")
    add = parser.add_argument
    add("--check", action="store_true", help="write nothing; fail if a page is another one")
    add("--plots", action="store_true", help="draw the pictures again, too")
    add("--commands", action="store_true", help="only print the commands that measure all of it")
    options = parser.parse_args(arguments)
    if options.commands:
        print(*commands(), sep="\n")
        return
    try:
        for name, blocks in PAGES.items():
            path = DOCS / name
            before = path.read_text(encoding="utf-8")
            after = page(before, blocks)
            if not options.check:
                path.write_text(after, encoding="utf-8")
            elif after != before:
                raise SystemExit(f"{path} is not what docs/make_reports.py writes: call it")
        if options.plots:
            draw()
    except (PyclfftError, OSError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
