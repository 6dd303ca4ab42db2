"""The benchmark without a device: its cases, its statistics, and what it shows of results."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pyclfft.bench import (
    cases,
    compare,
    cpu,
    environment,
    plot,
    render,
    rivals,
    runner,
    stored,
    table,
)
from pyclfft.bench.calls import CallCost
from pyclfft.bench.cases import CASES, GROUPS, Case, select, size_name
from pyclfft.bench.command import main
from pyclfft.bench.crossing import CallTimes, crossing
from pyclfft.bench.merge import Part, merge
from pyclfft.bench.numpy_calls import NumpyTimes
from pyclfft.bench.rivals import CPU_RIVALS, find_rivals
from pyclfft.bench.runner import (
    CopyRate,
    Noise,
    Outcome,
    Row,
    Settings,
    Side,
    in_rounds,
    measure,
    measure_sides,
    reference,
)
from pyclfft.bench.startup import Startup
from pyclfft.bench.statistics import Spread, geometric_mean, spread
from pyclfft.commandline import parse_count
from pyclfft.errors import DeviceError, FormatError, PlanError, PyclfftError
from pyclfft.tuning.tuner import fitting_elements
from tests.recorded_traits import RECORDED

# ---------------------------------------------------------------- cases

# Every length and size of the GPU table of PERFORMANCE.md.
TARGETS = (
    "256 1024 4096 8192 16384 2^16 2^18 2^20 2^22 2^24 2^26 1000 3125 2197 1009 4099 10007 999983 "
    "512^2 1024^2 2048^2 4096^2 8192^2 128^3 256^3"
)


def case(name):
    (found,) = select([name])
    return found


def test_targets_are_the_rows_of_the_table():
    assert " ".join(each.name for each in select(["target"])) == TARGETS


# Every length and size of the CPU table of PERFORMANCE.md that its targets were set by, and the
# rest of it.
CPU_TARGETS = "256 1024 4096 16384 2^16 2^18 2^20 2^22 1000 one-512^2 one-1024^2 one-2048^2"
CPU_OTHERS = {"1009", "one-1024"}


def test_cpu_targets_are_the_rows_of_the_table():
    assert " ".join(each.name for each in select(["cpu-target"])) == CPU_TARGETS
    others = select(["cpu", "!cpu-target"])
    assert {each.name for each in others} > CPU_OTHERS
    assert [each.name for each in select(["launch-bound"])] == ["one-1024"]


def test_cpus_are_measured_at_all_kinds():
    groups = {group for each in select(["cpu"]) for group in each.groups}
    assert groups >= {"1d", "2d", "3d", "double", "real", "odd", "prime", "one"}


def test_every_case_for_cpus_exists_and_fits():
    chosen = select(["cpu"])
    assert {each.name for each in chosen} == {*cases.CPU_TARGETS, *cases.CPU_OTHERS}
    fitting = fitting_elements(RECORDED["intel-cpu"])
    assert all(each.points <= fitting or each.fits_any for each in chosen)


def test_wide_rows_have_every_kind():
    """In both precisions, but for cosine transforms: those rows are all that some sizes have."""
    names = {each.name for each in select(["wide"])}
    for size in ("96000", "2^25", "65537", "1023x257", "200^3"):
        words = ("", "double-", "r2c-", "r2c-double-", "c2r-", "c2r-double-", "dct2-", "dct3-")
        assert {f"{word}{size}" for word in words} <= names, size


def test_names_are_unique():
    names = [each.name for each in CASES]
    assert len(set(names)) == len(names)
    assert not set(names) & set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
def test_no_group_is_empty(group):
    assert select([group])


@pytest.mark.parametrize(
    ("lengths", "name"),
    [
        ((1000,), "1000"), ((16384,), "16384"), ((2**16,), "2^16"), ((10**5,), "100000"),
        ((512, 512), "512^2"), ((100, 100, 100), "100^3"), ((1080, 1920), "1920x1080"),
    ],
)  # fmt: skip
def test_size_name(lengths, name):
    assert size_name(lengths) == name


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        (["1024"], "1024"),
        (
            ["one"],
            "one-1024 one-99991 one-999983 one-2^16 one-2^20 one-512^2 one-1024^2 one-2048^2",
        ),
        (["r2c-10*", "!wide"], "r2c-1024 r2c-1000 r2c-1024^2 r2c-105 r2c-1023 r2c-1025"),
        (["3d", "!r*", "!odd", "!inverse", "!wide"], "128^3 256^3"),
        (["64", "columns-4*", "double-10?4"], "double-1024 columns-4096 64"),
    ],
)
def test_selection(patterns, names):
    assert " ".join(each.name for each in select(patterns)) == names


def test_what_nothing_matches_is_named():
    with pytest.raises(PlanError, match=r"'1026'.*target"):
        select(["1024", "1026"])


def test_batches_fill_the_elements():
    assert case("1024").sized(2**26).shape == (65536, 1024)
    assert case("999983").sized(2**26).shape == (67, 999983)
    assert case("256^3").sized(2**26).shape == (4, 256, 256, 256)
    assert case("1024").sized(1000).shape == (1, 1024)
    assert case("one-2^16").sized(2**26).shape == (1, 65536)


def test_columns_lie_side_by_side():
    workload = case("columns-4096").sized(2**26)
    assert workload.shape == (4096, 16384)
    assert workload.axes == (0,)
    assert workload.one(np.arange(6).reshape(2, 3), 1).tolist() == [1, 4]


@pytest.mark.parametrize(
    ("name", "source", "result"),
    [
        ("1920x1080", ((2, 1080, 1920), "complex64"), ((2, 1080, 1920), "complex64")),
        ("r2c-128^3", ((2, 128, 128, 128), "float32"), ((2, 128, 128, 65), "complex64")),
        ("c2r-128^3", ((2, 128, 128, 65), "complex64"), ((2, 128, 128, 128), "float32")),
        ("r2c-double-4096", ((1024, 4096), "float64"), ((1024, 2049), "complex128")),
        ("c2r-double-4096", ((1024, 2049), "complex128"), ((1024, 4096), "float64")),
    ],
)
def test_arrays(name, source, result):
    workload = case(name).sized(2**22)
    assert (workload.source_shape, workload.source_dtype) == source
    assert (workload.result_shape, workload.result_dtype) == result
    sizes = [np.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in (source, result)]
    assert workload.nbytes == sum(sizes)


@pytest.mark.parametrize(("batch", "checked"), [(1, (0,)), (2, (0, 1)), (67, (0, 33, 66))])
def test_first_middle_and_last_are_checked(batch, checked):
    assert Case((8,), batch=batch).sized(1).checked == checked


@pytest.mark.parametrize(
    ("text", "count"), [("4096", 4096), ("2^20", 2**20), ("2**20", 2**20), ("1e6", 10**6)]
)
def test_parse_count(text, count):
    assert parse_count(text) == count


@pytest.mark.parametrize(
    "text", ["", "x", "0", "-1", "1.5", "2^-1", "2^0.5", "inf", "nan", "9^999"]
)
def test_no_count(text):
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a positive whole number")):
        parse_count(text)


def test_elements_suit_the_device():
    assert fitting_elements(RECORDED["h200"]) == 2**26
    assert fitting_elements(RECORDED["intel-cpu"]) == 2**22
    for traits in RECORDED.values():
        elements = fitting_elements(traits)
        assert 16 * elements <= traits.max_alloc_bytes
        assert 8 * 16 * elements <= traits.global_mem_bytes


# ---------------------------------------------------------------- inputs and references


@pytest.mark.parametrize("each", select(["!filter"]), ids=lambda case: case.name)
def test_reference_is_the_unscaled_transform(each):
    small = replace(each, lengths=tuple(min(n, 12 + n % 2) for n in each.lengths), batch=3)
    workload = small.sized(1)
    x = Noise().source(workload)
    assert (x.shape, x.dtype) == (workload.source_shape, workload.source_dtype)
    expected = reference(workload, x)
    assert expected.shape == (3, *workload.result_lengths)
    assert expected.dtype.itemsize >= 2 * workload.result_dtype.itemsize or (
        each.precision == "double"
    )
    function = {
        "c2c": np.fft.fft, "r2c": np.fft.rfft, "c2r": np.fft.irfft,
        "dct2": lambda rows: 2 * rows @ cosines(rows.shape[1]).T,
        "dct3": lambda rows: 2 * rows @ cosines(rows.shape[1]) - rows[:, :1],
    }[each.kind]  # fmt: skip
    if len(each.lengths) == 1 and each.direction == "forward":
        rows = np.moveaxis(x, -1, 0) if each.columns else x
        np.testing.assert_allclose(
            expected, function(rows.astype("D" if each.kind == "c2c" else "d"))
        )


def cosines(n):
    """Of type II, without its factor 2: a row for each result, its columns for type III."""
    return np.cos(np.pi / (2 * n) * np.arange(n)[:, None] * (2 * np.arange(n) + 1))


def test_noise_is_made_once_and_is_what_it_should_be():
    noise = Noise()
    x = noise.source(Case((1000,)).sized(10**5))
    assert np.shares_memory(x, noise.source(Case((10,)).sized(100)))
    assert -0.5 <= x.real.min() < -0.49 < 0.49 < x.imag.max() < 0.5
    assert abs(x.mean()) < 0.01


# ---------------------------------------------------------------- statistics


def test_spread():
    assert spread([4, 1, 3, 2, 5]) == Spread(3, 2, 4, 5)
    assert spread([4, 1, 3, 2, 5]).percent == pytest.approx(100 / 3)
    assert spread([]).count == 0
    assert math.isnan(spread([]).median)
    assert math.isnan(spread([]).percent)


def test_geometric_mean():
    assert geometric_mean([0.5, 2, 8]) == pytest.approx(2)
    assert math.isnan(geometric_mean([]))


# ---------------------------------------------------------------- outcomes


def outcome(contender="pyclfft", ms=1.0, error=1e-7, **more):
    more.setdefault("bound", 2e-7 if contender == "pyclfft" else math.inf)
    return Outcome(contender, Spread(ms, 0.9 * ms, 1.1 * ms, 5), 10, 0.1, error, **more)


def row(name="1024", ours=1.0, cufft=1.2, vkfft=1.5, **more):
    outcomes = (outcome(ms=ours, **more), outcome("cuFFT", cufft), outcome("VkFFT", vkfft, 9e-7))
    return Row(case(name).sized(2**20), outcomes)


REFUSED = Outcome("pyclfft", bound=1.0, word="refused", reason="PlanError: no such kind\nmore")


@pytest.mark.parametrize(
    ("made", "status"),
    [
        (outcome(), ""),
        (outcome(error=3e-7), "WRONG"),
        (outcome(error=math.nan), "WRONG"),
        (outcome("cuFFT", error=1.0), ""),
        (outcome("cuFFT", error=math.nan), ""),
        (REFUSED, "refused"),
    ],
)
def test_status(made, status):
    assert made.status == status


def test_behind_is_the_time_over_the_fastest_rivals():
    assert row(ours=1.2, cufft=1.5, vkfft=1.0).behind == pytest.approx(1.2)
    assert math.isnan(Row(case("1024").sized(1), (outcome(),)).behind)
    assert math.isnan(Row(case("1024").sized(1), (REFUSED, outcome("cuFFT"))).behind)
    without = Row(case("1024").sized(1), (outcome(), outcome("cuFFT", math.nan)))
    assert math.isnan(without.behind)


def test_fraction_of_the_copy():
    copy = CopyRate(10**9, Spread(2.0, 2.0, 2.0, 3))
    assert copy.gb_per_s == 1000
    assert copy.fraction(10**9, 2.0) == 0.5


# ---------------------------------------------------------------- what is shown


def results(*rows, contenders=("pyclfft", "cuFFT", "VkFFT")):
    return render.Results(
        environment={"device": "A device", "date": "today"},
        contenders=contenders,
        elements=2**20,
        settings=Settings(),
        copy=CopyRate(2**23, Spread(0.5, 0.5, 0.5, 3)),
        view=render.ON_ONE_DEVICE,
        rows=rows,
    )


FULL = results(
    row(),
    row("2^20", 1.0, 0.9, 2.0),
    row("256", error=1e-3),
    row("double-1024", 3.0, 1.0, 1.0),
    Row(case("r2c-1024").sized(2**20), (REFUSED, outcome("cuFFT"), outcome("VkFFT"))),
)


def shown(made):
    columns = made.view.columns(made)
    return [table.header(columns), *(table.line(columns, each) for each in made.rows)]


def test_table():
    heading, first, behind, wrong, other, refused = shown(FULL)
    words = "case batch pyclfft ms +-% copy error cuFFT ms error /ours VkFFT ms error /ours"
    assert " ".join(heading.split()) == words
    copy = f"{FULL.rows[0].workload.nbytes / 2 / 2**23 * 0.5:.0%}"
    words = f"1024 1024 1 10.0 {copy} 1.0e-07 1.2 1.0e-07 1.20 1.5 9.0e-07 1.50"
    assert " ".join(first.split()) == words
    assert behind.endswith("behind")
    assert wrong.endswith("WRONG")
    assert not other.endswith("behind")  # no row of the target's
    words = "r2c-1024 1024 refused - - - 1 1.0e-07 - 1 1.0e-07 -"
    assert " ".join(refused.split()) == words
    assert max(map(len, shown(FULL))) <= 120


def test_real_rows_of_odd_lengths_stand_beside_complex_ones():
    made = results(row("225", 2.0), row("r2c-225", 1.1), row("c2r-225", 1.2), row("r2c-1000"))
    line = (
        "time of real rows of odd lengths, divided by the time of complex rows of the same "
        "lengths: r2c-225 0.55, c2r-225 0.60"
    )
    assert line in list(render.summary(made))
    assert not any("odd" in each for each in render.summary(FULL))


def test_table_without_rivals():
    alone = results(Row(case("1024").sized(2**20), (outcome(),)), contenders=("pyclfft",))
    assert " ".join(shown(alone)[0].split()) == "case batch pyclfft ms +-% copy error"
    assert list(render.summary(alone)) == ["wrong results: none"]


def test_summary():
    cufft, vkfft, behind, wrong, reason = render.summary(FULL)
    mean = (1.2 * 0.9 * 1.2) ** (1 / 3)
    assert cufft == (
        f"pyclfft is {mean:.3f} times as fast as cuFFT "
        "(geometric mean of 3 of 3 target rows; target: 1.2 times or more)"
    )
    assert re.match(r"pyclfft is \d\.\d{3} times as fast as VkFFT \(", vkfft)
    assert behind == (
        "target rows in which a library is over 1.05 times as fast as pyclfft: "
        "2^20 (1.11 times as fast)"
    )
    assert wrong == "wrong results: 256"
    assert reason == "pyclfft refused: r2c-1024: PlanError: no such kind"
    assert FULL.failed
    assert not results(row()).failed


def test_summary_over_all_rows():
    """Where rows of the group wide are measured; CuPy's cosine transform is no time of cuFFT's."""
    single = Row(case("one-1024").sized(2**20), row(cufft=0.1, vkfft=0.1).outcomes)
    made = results(row(), row("7680", 1.0, 2.0, 0.5), row("dct2-7680", 1.0, 9.0, 3.0), single)
    *_, cufft, vkfft, behind, wrong = render.summary(made)
    mean = (1.2 * 2.0) ** 0.5
    assert cufft == (
        f"pyclfft is {mean:.3f} times as fast as cuFFT "
        "(geometric mean of 2 of 2 rows; target: 1.25 times or more)"
    )
    mean = (1.5 * 0.5 * 3.0) ** (1 / 3)
    assert vkfft == (
        f"pyclfft is {mean:.3f} times as fast as VkFFT "
        "(geometric mean of 3 of 3 rows; target: 1.2 times or more)"
    )
    assert behind == (
        "rows in which a library is over 1.05 times as fast as pyclfft: 7680 (2.00 times as fast)"
    )
    assert wrong == "wrong results: none"
    lines = list(render.summary(results(row(), single)))
    assert not any(line.startswith("rows in which") for line in lines)


def test_a_reason_is_said_once():
    rows = [Row(case(name).sized(1), (REFUSED,)) for name in ("r2c-1024", "c2r-1024")]
    assert list(render.reasons(rows)) == [
        "pyclfft refused: r2c-1024, c2r-1024: PlanError: no such kind"
    ]


def test_markdown():
    text = render.as_markdown(FULL)
    assert "- device: A device\n" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(FULL.rows)
    assert len({line.count("|") for line in table}) == 1
    assert all(f"- {line}\n" in text for line in render.summary(FULL))


def test_json():
    document = json.loads(render.as_json(FULL), parse_constant=pytest.fail)
    assert document["environment"]["device"] == "A device"
    assert [each["case"] for each in document["rows"]] == [each.name for each in FULL.rows]
    first = document["rows"][0]
    assert (first["target"], first["shape"], first["batch"]) == (True, [1024, 1024], 1024)
    assert first["outcomes"]["cuFFT"]["ratio"] == 1.2
    assert first["outcomes"]["cuFFT"]["bound"] is None
    assert first["outcomes"]["pyclfft"]["ms"]["median"] == 1
    assert document["rows"][-1]["outcomes"]["pyclfft"]["status"] == "refused"


@pytest.mark.parametrize("made", ["FULL", "ON_CPUS"])
def test_plot(tmp_path, made):
    pytest.importorskip("matplotlib")
    plot.write_plot(tmp_path / "bars.png", globals()[made])
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_plot_names_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PyclfftError, match="matplotlib: pip install matplotlib"):
        plot.pyplot()


# ---------------------------------------------------------------- CPUs


def cpu_row(name, device="Intel", ours=1.0, numpy=2.0, fftw=2.0, scipy=4.0, error=1e-7):
    outcomes = (
        outcome(ms=ours), outcome("pyclfft NumPy", numpy, error, bound=2e-7),
        outcome("FFTW", fftw), outcome("scipy", scipy),
    )  # fmt: skip
    return Row(case(name).sized(2**18), outcomes, device)


def on_cpus(*rows, contenders=("pyclfft", "pyclfft NumPy", "FFTW", "scipy")):
    made = results(*rows, contenders=contenders)
    return replace(made, view=cpu.ON_CPUS, devices=("Intel", "PoCL"))


ON_CPUS = on_cpus(
    cpu_row("1024"),
    cpu_row("1024", "PoCL", scipy=0.5, numpy=0.25),
    cpu_row("one-2048^2", fftw=8.0),
    cpu_row("one-1024", scipy=0.5),  # launch bound, and its input is small
    cpu_row("r2c-1024", "PoCL", numpy=8.0, error=1.5e-7),
    cpu_row("double-1024", error=1e-3),
)


def test_table_of_cpus():
    heading, first, slower, _, launch, real, wrong = shown(ON_CPUS)
    words = "case device batch pyclfft ms +-% NumPy ms error FFTW ms /ours scipy ms /ours /NumPy"
    assert " ".join(heading.split()) == words
    assert first.split() == [
        "1024",
        "Intel",
        "256",
        "1",
        "10.0",
        "2",
        "1.0e-07",
        "2",
        "2.00",
        "4",
        "4.00",
        "2.00",
    ]
    assert slower.endswith("0.50    2.00  slower")
    assert launch.endswith("launch")
    assert real.split()[6] == "1.5e-07"  # the larger of both
    assert wrong.endswith("WRONG")
    assert max(map(len, shown(ON_CPUS))) <= 120


def test_summary_of_cpus():
    assert list(render.summary(ON_CPUS)) == [
        "pyclfft on Intel is 4.000 times as fast as FFTW "
        "(geometric mean of 2 of 2 target rows; "
        "target: 2.4 times or more with AVX-512, 2.1 with AVX2)",
        "pyclfft on Intel is 4.000 times as fast as scipy "
        "(geometric mean of 2 of 2 target rows; "
        "target: 4 times or more with AVX-512, 3.3 with AVX2)",
        "pyclfft NumPy on Intel is 2.000 times as fast as scipy "
        "(geometric mean of 3 of 3 rows with an input of 1 MiB or more; target: 1.7 times or more)",
        "rows in which scipy is faster than pyclfft on Intel (target: none): none",
        "rows in which scipy is faster than pyclfft NumPy on Intel: none",
        "pyclfft on PoCL is 2.000 times as fast as FFTW "
        "(geometric mean of 1 of 1 target rows; target: 2 times or more)",
        "pyclfft on PoCL is 0.500 times as fast as scipy "
        "(geometric mean of 1 of 1 target rows; target: 3.3 times or more)",
        "pyclfft NumPy on PoCL is 1.000 times as fast as scipy "
        "(geometric mean of 2 of 2 rows with an input of 1 MiB or more; target: 1.7 times or more)",
        "rows in which scipy is faster than pyclfft on PoCL (target: none): "
        "1024 (2.00 times as fast)",
        "rows in which scipy is faster than pyclfft NumPy on PoCL: r2c-1024 (2.00 times as fast)",
        "wrong results: double-1024 on Intel",
    ]
    assert ON_CPUS.failed


def test_a_rival_that_does_not_take_part_has_no_column_and_no_line():
    contenders = ("pyclfft", "pyclfft NumPy", "FFTW")
    alone = replace(cpu_row("1024"), outcomes=cpu_row("1024").outcomes[:3])
    made = on_cpus(alone, contenders=contenders)
    assert "scipy" not in "".join([*shown(made), *render.summary(made)])
    (mean,) = (line for line in render.summary(made) if "times as fast" in line)
    assert re.match(r"pyclfft on Intel is \S+ times as fast as FFTW \(", mean)


def test_ours_from_numpy_is_no_rival():
    assert cpu_row("1024", ours=3.0, numpy=1.0).behind == pytest.approx(1.5)
    refused = replace(
        cpu_row("1024"), outcomes=(outcome(), replace(REFUSED, contender="pyclfft NumPy"))
    )
    assert shown(on_cpus(refused))[1].split()[5] == "refused"
    assert not on_cpus(refused).failed


def test_json_and_markdown_of_cpus():
    document = json.loads(render.as_json(ON_CPUS), parse_constant=pytest.fail)
    assert document["devices"] == ["Intel", "PoCL"]
    assert [(each["case"], each["device"]) for each in document["rows"][:2]] == [
        ("1024", "Intel"), ("1024", "PoCL"),
    ]  # fmt: skip
    assert "cpu-target" in document["rows"][0]["groups"]
    assert "launch-bound" in document["rows"][3]["groups"]
    text = render.as_markdown(ON_CPUS)
    assert "| 1024 | PoCL | 256 |" in text
    assert "NumPy array to NumPy array" in text


def test_every_rival_on_cpus_has_its_mean():
    """VkFFT's too, for which there is no target; of those rows in which it was measured."""
    rows = [cpu_row("1024"), cpu_row("4096")]
    vkfft = (outcome("VkFFT", 3.0), Outcome("VkFFT", word="failed", reason="it ends"))
    rows = [
        replace(each, outcomes=(*each.outcomes, more))
        for each, more in zip(rows, vkfft, strict=True)
    ]
    made = on_cpus(*rows, contenders=(*ON_CPUS.contenders, "VkFFT"))
    assert made.rivals == ("FFTW", "scipy", "VkFFT")
    line = "pyclfft on Intel is 3.000 times as fast as VkFFT (geometric mean of 1 of 2 target rows)"
    assert line in list(render.summary(made))


def test_a_rival_that_no_target_row_has_measured_has_no_mean():
    refused = replace(cpu_row("1024"), outcomes=(*cpu_row("1024").outcomes[:2],))
    made = on_cpus(refused)
    line = "pyclfft on Intel cannot be compared with FFTW: 0 of 1 target rows have times of both"
    assert line in list(render.summary(made))


# ---------------------------------------------------------------- files, and comparisons


def single(points, ours, scipy, function="fft"):
    """What was measured of one call."""
    spreads = (Spread(us, us, us, 9) for us in (ours, scipy))
    return CallTimes(function, "complex64", points, *spreads)


@pytest.fixture
def files(tmp_path):
    """Write results to files and return their names."""

    def write(*made):
        names = [str(tmp_path / f"{n}.json") for n in range(len(made))]
        for name, each in zip(names, made, strict=True):
            render.write(name, render.as_json(each))
        return names

    return write


COSTS = replace(
    results(row("one-2^16"), row("2^20")),
    startup=(Startup("1024", 1, Spread(0.2, 0.1, 0.3, 3), Spread(0.01, 0.01, 0.02, 3)),),
    calls=(CallCost("one-1024", 1, *(Spread(n, n, n, 9) for n in (11.0, 7.0, 25.0, 31.0))),),
    crossing=tuple(single(points, 8.0, points / 128) for points in (512, 1024, 2048)),
    numpy_calls=(
        NumpyTimes(2**16, "256", *(Spread(us, us, us, 9) for us in (20.0, 25.0, 20.0, 5.0))),
        NumpyTimes(2**20, "1024", *(Spread(us, us, us, 9) for us in (90.0, 100.0, 250.0, 80.0))),
        NumpyTimes(2**20, "r2c-1024", *(Spread(us, us, us, 9) for us in (90.0, 100.0, 250.0))),
    ),
)


@pytest.mark.parametrize("made", [FULL, ON_CPUS, COSTS])
def test_what_was_written_is_read_back(files, made):
    (name,) = files(made)
    again = stored.read(name)
    assert again.rows[0].workload == made.rows[0].workload
    assert render.as_json(again) == render.as_json(made)
    assert render.as_markdown(again) == render.as_markdown(made)


def test_single_calls_are_shown_beside_scipys():
    assert render.crossing_table(COSTS.crossing).markdown().splitlines()[2:] == [
        "| 512 | 4.0 | 8.0 |", "| 1024 | 8.0 | 8.0 |", "| 2048 | 16.0 | 8.0 |",
    ]  # fmt: skip
    assert any("pyclfft.scipy_backend(smallest=" in line for line in render.summary(COSTS))


def test_calls_from_numpy_to_numpy_are_shown_beside_others():
    assert render.numpy_table(COSTS.numpy_calls).markdown().splitlines()[2:] == [
        "| 256 | 64 | 20.0 | 25.0 | 20.0 | 0.80 | 5.0 | 0.20 |",
        "| 1024 | 1024 | 90.0 | 100.0 | 250.0 | 2.50 | 80.0 | 0.80 |",
        "| r2c-1024 | 1024 | 90.0 | 100.0 | 250.0 | 2.50 | - | - |",
    ]
    assert list(render.summary(COSTS))[-2:] == [
        "arrays for which pyclfft takes more than SciPy's time from NumPy to NumPy: 256 of 64 KiB",
        "arrays for which pyclfft takes more than 1.25 times FFTW's time from NumPy to NumPy: "
        "256 of 64 KiB",
    ]


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ((0.2, 0.5, 2, 4, 8), 4),
        ((2, 3, 4, 5, 6), 1),
        ((0.2, 0.5, 2, 0.9, 8), 4),  # disturbed once
        ((0.1, 1.1, 0.2, 0.3, 0.4), None),
        ((), None),
    ],
)
def test_from_where_on_single_calls_are_faster(ratios, expected):
    times = [single(2**n, 1.0, ratio) for n, ratio in enumerate(ratios)]
    assert crossing(times) == expected
    if times:
        said = "up to 16 points" if expected is None else f"from {expected} points on"
        assert said in render.crossing_line(times)


def test_older_files_have_no_single_calls():
    document = json.loads(render.as_json(COSTS))
    del document["crossing"], document["numpy_calls"]
    assert stored.results_of(document).crossing == ()
    assert stored.results_of(document).numpy_calls == ()


def test_a_contender_may_be_missing_in_a_file(files):
    document = json.loads(render.as_json(FULL))
    del document["rows"][0]["outcomes"]["cuFFT"]
    again = stored.results_of(document)
    assert [each.contender for each in again.rows[0].outcomes] == ["pyclfft", "cuFFT", "VkFFT"]
    assert table.time(again.rows[0].outcomes[1]) == "-"
    assert list(render.reasons(again.rows)) == list(render.reasons(FULL.rows))


def test_compare(files, capsys):
    before = results(row(ours=1.0), row("256", ours=1.0), row("4096", ours=1.0), FULL.rows[-1])
    after = results(row(ours=1.5), row("256", ours=1.15), row("4096", ours=0.5))
    names = files(before, after)
    found = compare.compare(*names)
    assert [change.word for change in found.changes] == ["slower", "", "faster"]
    assert found.changes[0].ratio == 1.5
    assert found.slower
    assert main(["--compare", *names]) == 1
    assert "1024          1       1.5  1.500  slower\n" in capsys.readouterr().out
    assert main(["--compare", names[0], names[0]]) == 0


def test_compare_keeps_devices_apart(files):
    before = on_cpus(cpu_row("1024"), cpu_row("1024", "PoCL"))
    after = on_cpus(cpu_row("1024"), cpu_row("1024", "PoCL", ours=2.0))
    found = compare.compare(*files(before, after))
    assert [(each.case, each.word) for each in found.changes] == [
        ("1024 on Intel", ""), ("1024 on PoCL", "slower"),
    ]  # fmt: skip


def test_compare_names_what_is_lost_and_what_differs(files):
    other = replace(results(row("256")), elements=7, environment={"device": "Another"})
    found = compare.compare(*files(results(row(), row("256")), other))
    assert found.slower
    assert found.notes == (
        "not the same device: A device and Another",
        "not the same number of elements: 1048576 and 7",
        "lost since: 1024",
    )


@pytest.mark.parametrize("count", [1, 2, 5])
def test_parts_share_the_cases(count):
    parts = [Part.parse(f"{number + 1}/{count}").of(CASES) for number in range(count)]
    assert sorted(map(len, parts))[-1] - sorted(map(len, parts))[0] <= 1
    assert Counter(case for part in parts for case in part) == Counter(CASES)


@pytest.mark.parametrize("text", ["", "2", "0/2", "3/2", "1/0", "a/b", "-1/2", "1/2/3", "1.0/2"])
def test_no_part(text, capsys):
    with pytest.raises(ValueError, match="no part"):
        Part.parse(text)
    with pytest.raises(SystemExit):
        main([f"--part={text}", "--list"])
    assert "the second of six is 2/6" in capsys.readouterr().err


def test_the_list_of_a_part(capsys):
    assert main(["--cases", "256,1024,4096", "--part", "2/2", "--list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1024 ")


def test_parts_are_merged_in_the_tables_order(files, tmp_path, capsys):
    parts = files(
        replace(results(row("1024"), row("2^16")), environment={"device": "A", "date": "today"}),
        replace(
            results(row("256"), row("4096")),
            environment={"device": "A", "date": "later"},
            calls=COSTS.calls,
        ),
    )
    to = tmp_path / "all.json"
    assert main(["--merge", *parts, "--json", str(to)]) == 0
    merged = stored.read(to)
    assert [each.name for each in merged.rows] == ["256", "1024", "4096", "2^16"]
    assert (merged.environment["date"], merged.calls) == ("today", COSTS.calls)
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if " 1.20 " in line][:4] == [
        "256", "1024", "4096", "2^16",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"environment": {"device": "B"}}, "device A and B"),
        ({"environment": {"device": "A", "sources": "12"}}, "sources not given and 12"),
        ({"elements": 7}, "elements 1048576 and 7"),
        ({"contenders": ("pyclfft",)}, "contenders pyclfft, cuFFT, VkFFT and pyclfft"),
        ({"settings": Settings(samples=3)}, "settings "),
    ],
)
def test_what_is_not_one_measurement_is_not_merged(files, capsys, other, named):
    one = replace(results(row("256")), environment={"device": "A"})
    parts = files(one, replace(replace(one, rows=results(row("1024")).rows), **other))
    assert main(["--merge", *parts]) == 2
    assert named in capsys.readouterr().err


def test_a_case_is_merged_once(files):
    with pytest.raises(FormatError, match="more than one of the files: 1024"):
        merge(files(results(row("256"), row("1024")), results(row("1024"))))


def test_the_hash_of_the_sources_is_that_of_their_content(monkeypatch, tmp_path):
    before = environment.sources()
    assert environment.sources() == before
    kernels = tmp_path / "cl"
    shutil.copytree(environment.kernel_folder(), kernels)
    monkeypatch.setattr(environment, "kernel_folder", lambda: kernels)
    assert environment.sources() == before
    (kernels / "textbook/norm.cl").write_text("// another")
    assert environment.sources() != before


OTHERS = ["", "[]", "{}", '{"schema": 0}', '{"schema": 1, "runs": []}', "\ud800"]


@pytest.mark.parametrize("text", OTHERS)
def test_compare_refuses_other_files(tmp_path, text):
    name = tmp_path / "x.json"
    name.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(FormatError, match=r"x\.json"):
        compare.compare(str(name), str(name))


# ---------------------------------------------------------------- contenders


def test_rivals_that_are_missing(monkeypatch):
    def missing(queue):
        raise ImportError("No module named 'fast'\nmore")

    monkeypatch.setattr("pyclfft.bench.rivals.RIVALS", {"fast": missing, "other": lambda q: "it"})
    said = "fast does not take part: No module named 'fast'"
    assert find_rivals("auto", None) == (["it"], [said])
    assert find_rivals("none", None) == ([], [])
    assert find_rivals("other", None) == (["it"], [])
    with pytest.raises(DeviceError, match=said):
        find_rivals("other,fast", None)
    with pytest.raises(PlanError, match=r"'slow'.*auto, none, fast, other"):
        find_rivals("slow", None)


def test_one_of_each_device_or_the_same_for_all(monkeypatch):
    monkeypatch.setattr(rivals, "VkFFTOnCPU", lambda queue: f"VkFFT on {queue}")
    monkeypatch.setattr(rivals, "SciPy", object)
    found, absent = find_rivals("scipy,vkfft", ["a", "b"], CPU_RIVALS)
    (first, second), on_devices = found
    assert first is second
    assert on_devices == ["VkFFT on a", "VkFFT on b"]
    assert absent == []
    with pytest.raises(PlanError, match=r"'cufft'.*auto, none, fftw, scipy, vkfft"):
        find_rivals("cufft", ["a"], CPU_RIVALS)


def test_a_contender_on_two_sides_is_measured_once():
    class Counting:
        name, version = "it", "1"

        def __init__(self):
            self.prepared = 0

        def prepare(self, workload, source):
            self.prepared += 1
            self.result = np.fft.fft(source)
            return lambda: None

        def synchronize(self):
            pass

        def fetch(self, indices):
            return self.result[list(indices)]

        def release(self):
            pass

    one, other, shared = Counting(), Counting(), Counting()
    sides = (Side((one, shared), "A"), Side((other, shared), "B"))
    short = Settings(samples=2, sample_s=1e-6)
    rows = measure_sides(Case((8,)).sized(32), sides, Noise(), short)
    assert [row.name for row in rows] == ["8 on A", "8 on B"]
    assert [each.prepared for each in (one, other, shared)] == [1, 1, 1]
    assert rows[0].outcomes[1] is rows[1].outcomes[1]
    assert rows[0].outcomes[0] is not rows[1].outcomes[0]


class Clock:
    """In the place of the module time: it goes on when a contender works, or somebody sleeps."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.log.append("pause")


class Working:
    """A contender whose calls take 2 ms of a clock, and which notes them."""

    version = "1"

    def __init__(self, name, clock):
        self.name, self.clock = name, clock

    def prepare(self, workload, source):
        self.result = np.fft.fft(source)

        def call():
            self.clock.now += 0.002
            self.clock.log.append(self.name)

        return call

    def synchronize(self):
        pass

    def fetch(self, indices):
        return self.result[list(indices)]

    def release(self):
        pass


@pytest.mark.parametrize("pause_s", [0, 0.02])
def test_contenders_take_turns_in_blocks_after_a_pause(monkeypatch, pause_s):
    clock = Clock()
    monkeypatch.setattr(runner, "time", clock)
    settings = Settings(samples=3, sample_s=0.005, min_calls=3, pause_s=pause_s)
    contenders = [Working(name, clock) for name in "ab"]
    row = measure(Case((8,)).sized(32), contenders, Noise(), settings)
    turn = {name: [*["pause"] * bool(pause_s), *[name] * 4] for name in "ab"}  # a warm-up, 3 calls
    log = clock.log[-3 * sum(map(len, turn.values())) :]
    order = "".join(log).replace("pause", "")[::4]
    assert [set(order[i : i + 2]) for i in (0, 2, 4)] == 3 * [{"a", "b"}]
    assert log == [step for name in order for step in turn[name]]
    assert "pause" not in clock.log[: -len(log)]
    assert [each.calls for each in row.outcomes] == [3, 3]
    assert [each.ms.median for each in row.outcomes] == pytest.approx([2, 2])  # without pauses


def test_every_contender_follows_every_other_one_at_times():
    order = "".join(in_rounds("abc", 40))
    assert all(sorted(order[i : i + 3]) == ["a", "b", "c"] for i in range(0, 120, 3))
    follows = Counter(first + second for first, second in pairwise(order) if first != second)
    assert set(follows) == {"ab", "ac", "ba", "bc", "ca", "cb"}
    assert min(follows.values()) >= 10
    assert "".join(in_rounds("abc", 40)) == order


def test_only_some_contenders_filter_images(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(runner, "time", clock)
    settings = Settings(samples=3)
    row = measure(
        Case((8, 6), "filter", batch=1).sized(1), [Working("a", clock)], Noise(), settings
    )
    assert not clock.log
    assert table.time(row.ours) == "-"
    assert row.ours.status == ""


def test_filters_are_of_8_bit_images_whatever_the_elements():
    names = ["filter-512^2", "filter-3000x4000", "filter-8000x6000"]
    assert [each.name for each in select(["filter"])] == names
    assert all("cpu" in each.groups and each.fits_any for each in select(["filter"]))
    load = case("filter-3000x4000").sized(1)
    assert load.shape == load.source_shape == load.result_shape == (1, 4000, 3000)
    assert load.source_dtype == load.result_dtype == np.uint8


def test_filters_in_steps_are_what_filter_image_documents():
    load = Case((12, 9), "filter", batch=1).sized(1)
    source = Noise().source(load)
    (expected,) = reference(load, source)
    down, across = (np.minimum(np.arange(n), n - np.arange(n)) for n in (12, 9))
    passed = np.hypot(down[:, None], across) >= 9 / 8
    values = np.abs(np.fft.ifft2(np.fft.fft2(source[0].astype(float)) * passed))
    np.testing.assert_allclose(expected, 255 * values / values.max(), atol=0.501)
    single = rivals.SciPy()
    single.prepare(load, source)()
    assert single.fetch([0]).dtype == np.uint8
    np.testing.assert_allclose(single.fetch([0])[0], expected, atol=1)


def test_commit_is_empty_outside_of_git(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert environment.commit() == ""


def test_importing_pyclfft_imports_no_benchmark():
    code = "import sys, pyclfft; print([m for m in sys.modules if 'bench' in m or m in sys.argv])"
    names = ("cupy", "matplotlib", "pyvkfft", "scipy")
    run = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr
