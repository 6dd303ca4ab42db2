"""What `bench --cpu` shows: a line for each case and CPU device, beside libraries for CPUs.

On each device pyclfft takes part twice: with arrays on the device, and from NumPy array to NumPy
array. Libraries that know only arrays of the host are measured once and stand beside every device.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from .render import Results, View
from .rivals import FFTW, Ours, OursInSteps, OursOnHost, SciPy
from .runner import WRONG, Row
from .table import Column, factors, find, mean_speed, number, ratio, target_note, time

LARGE = 2**20  # bytes of an input, from which on the target from NumPy to NumPy applies

# The targets: on a device, the geometric mean of a rival's time divided by ours is at least this.
# Intel's runtime has others on CPUs with AVX2.
MEANS = {
    ("Intel", FFTW.name): ("target: 2.4 times or more with AVX-512, 2.1 with AVX2",),
    ("Intel", SciPy.name): ("target: 4 times or more with AVX-512, 3.3 with AVX2",),
    ("PoCL", FFTW.name): target_note(2.0),
    ("PoCL", SciPy.name): target_note(3.3),
}
NUMPY_MEANS = {"Intel": 1.7, "PoCL": 1.7}  # SciPy's time divided by ours from NumPy to NumPy

LEGEND = """\
Each time is the median of the milliseconds that one transform of the whole batch takes.
"pyclfft ms" is measured with arrays on the device, "NumPy ms" from NumPy array to NumPy array.
"+-%" is half the distance between the quartiles of "pyclfft ms", in percent of the median.
"error" is the larger relative L2 error of these two ways of calling pyclfft, over the first, the
middle and the last transform.
"/ours" divides the time of the library to its left by "pyclfft ms", and "/NumPy" divides it by
"NumPy ms": above 1, pyclfft is faster.
"pyclfft rfft2 ms" is an image filter made of pyclfft's real transforms, in the rows of filters.
A row ends with "slower" if SciPy takes less time than "pyclfft ms", with "launch" if the call is so
short that its launch takes most of the time, and with "WRONG" if a result of pyclfft is wrong.
The target rows are the cases of the group cpu-target. The project has set targets for their
means."""


def columns(results: Results) -> tuple[Column, ...]:
    """Return the columns: both times of pyclfft, then each rival's time and ratios."""
    return (
        Column("case", 16, lambda row: row.workload.case.name, "<"),
        Column("device", 6, lambda row: row.device, "<"),
        Column("batch", 6, lambda row: str(row.workload.batch)),
        Column(f"{Ours.name} ms", 10, lambda row: time(row.ours)),
        Column("+-%", 4, lambda row: number(row.ours.ms.percent, ".1f")),
        Column("NumPy ms", 8, lambda row: time(find(row, OursOnHost.name))),
        Column("error", 7, lambda row: number(_error(row), ".1e")),
        *(column for name in results.rivals for column in _of_rival(name)),
        Column("", 6, verdict, "<"),
    )


def _of_rival(name: str) -> Iterator[Column]:
    yield Column(f"{name} ms", len(name) + 3, lambda row: time(find(row, name)))
    yield Column("/ours", 5, lambda row: number(ratio(row, name), ".2f"))
    if name in (SciPy.name, OursInSteps.name):
        yield Column("/NumPy", 6, lambda row: number(ratio(row, name, OursOnHost.name), ".2f"))


def verdict(row: Row) -> str:
    """Return WRONG, "launch" for a row bound by its launch, "slower" than SciPy, or nothing."""
    if any(each.status == WRONG for each in row.own):
        return WRONG
    if _launch_bound(row):
        return "launch"
    return "slower" if ratio(row, SciPy.name) < 1 else ""


def summary(results: Results) -> Iterator[str]:
    """Yield, for each device, lines that sum up its rows beside the targets."""
    for device in results.devices:
        rows = [row for row in results.rows if row.device == device]
        targets = [row for row in rows if "cpu-target" in row.workload.case.groups]
        for name in results.libraries:
            ratios = [ratio(row, name) for row in targets]
            target = MEANS.get((device, name), ())
            yield mean_speed(f"{Ours.name} on {device}", name, ratios, "target rows", *target)
        if SciPy.name in results.contenders:
            yield from _beside_scipy(device, rows)


def _beside_scipy(device: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield how all rows of a device, not only the target rows, compare with SciPy."""
    large = [row for row in rows if _input_bytes(row) >= LARGE]
    ratios = [ratio(row, SciPy.name, OursOnHost.name) for row in large]
    target = target_note(NUMPY_MEANS.get(device))
    who = f"{OursOnHost.name} on {device}"
    yield mean_speed(who, SciPy.name, ratios, "rows with an input of 1 MiB or more", *target)
    for ours in (Ours.name, OursOnHost.name):
        faster = {
            row.workload.case.name: 1 / beside
            for row in rows
            if (beside := ratio(row, SciPy.name, ours)) < 1 and not _launch_bound(row)
        }
        wanted = " (target: none)" if ours == Ours.name else ""
        who = f"{ours} on {device}"
        yield f"rows in which {SciPy.name} is faster than {who}{wanted}: {factors(faster)}"


def _error(row: Row) -> float:
    return float(np.max([each.error for each in row.own]))  # NaN if one of the errors is NaN


def _input_bytes(row: Row) -> int:
    return prod(row.workload.source_shape) * row.workload.source_dtype.itemsize


def _launch_bound(row: Row) -> bool:
    return "launch-bound" in row.workload.case.groups


ON_CPUS = View(columns, LEGEND, summary)
