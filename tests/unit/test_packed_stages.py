"""The stages of even rows of real numbers on GPUs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pyclfft.planning.arguments import Vector
from pyclfft.planning.factor import is_smooth
from pyclfft.planning.packed_stages import (
    CHOICES,
    MOST_BYTES,
    MOST_ELEMENTS,
    MOST_ELEMENTS_OF_LONG,
    SHORT,
    idle,
    packed_stages,
)
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.precision import COMPLEX_DTYPE
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_of
from pyclfft.planning.tables import CosinePairRoots
from tests.recorded_traits import RECORDED

LENGTHS = [n for n in (*range(1, 300), 500, 512, 768, 1000, 1024, 2000, 2048, 4096) if is_smooth(n)]


def best(*row):
    """Return the stages that should be quickest, or None."""
    return next(iter(packed_stages(*row)), None)


@pytest.mark.parametrize(("source", "quads"), CHOICES)
@pytest.mark.parametrize("precision", ["single", "double"])
def test_stages_fit_a_work_group(source, quads, precision):
    found = 0
    for n, most in product(LENGTHS, (16, 64, 512)):
        stages = best(n, source, quads, most, precision)
        if stages is None:
            continue
        found += 1
        assert stages.n == n
        assert stages.items <= most
        assert stages.elements <= MOST_ELEMENTS
        assert n * COMPLEX_DTYPE[precision].itemsize <= CHOICES[source, quads].most_bytes[precision]
        if quads and (source == "HERMITIAN" or n >= SHORT):
            # Work-items own whole pairs of butterflies next to the numbers.
            assert stages.pairs_end(first=source == "REAL")
    assert found > 50


@pytest.mark.parametrize(
    ("n", "source", "quads", "radices", "items"),
    [
        (512, "REAL", False, (8, 8, 8), 64),
        (2048, "HERMITIAN", False, (8, 16, 16), 128),
        (500, "REAL", True, (5, 10, 10), 50),
        (512, "HERMITIAN", True, (16, 8, 4), 32),
        (360, "HERMITIAN", False, (10, 6, 6), 36),  # no radix 12 next to the numbers
        (2048, "HERMITIAN", True, (16, 8, 4, 4), 128),  # a large radix next to the spectrum
        (512, "REAL", True, (4, 16, 8), 64),  # three stages
        (6000, "HERMITIAN", True, (10, 10, 12, 5), 300),  # work-items own mirror images
        (48, "HERMITIAN", True, (8, 3, 2), 6),  # short, so few work-items and a radix 2
    ],
)
def test_the_quickest_stages(n, source, quads, radices, items):
    """They are those that sweeps on an H200 and an H100 found, or as quick within 3 %."""
    stages = best(n, source, quads, 512, "single")
    assert (stages.radices, stages.items) == (radices, items)
    assert idle(stages, 0 if source == "HERMITIAN" else -1) == 0


@pytest.mark.parametrize(
    ("source", "quads", "precision", "n"),
    [
        ("HERMITIAN", False, "single", 5000),
        ("HERMITIAN", False, "single", 6144),
        ("HERMITIAN", True, "single", 6000),
        ("HERMITIAN", True, "double", 5000),
        ("REAL", True, "single", 5000),
        ("REAL", True, "double", 3000),
    ],
)
def test_long_rows_have_more_points_for_each_work_item(source, quads, precision, n):
    assert n * COMPLEX_DTYPE[precision].itemsize > MOST_BYTES
    stages = best(n, source, quads, 512, precision)
    assert (stages.n, len(stages.radices)) == (n, 4)
    assert stages.elements <= MOST_ELEMENTS_OF_LONG
    if quads:
        assert stages.pairs_end(first=source == "REAL")
    longest = CHOICES[source, quads].most_bytes[precision] // COMPLEX_DTYPE[precision].itemsize
    assert best(2 * longest, source, quads, 512, precision) is None


def test_short_rows_without_pairs_have_the_stages_of_real_rows():
    assert best(48, "REAL", True, 512, "single") == best(48, "REAL", False, 512, "single")


@pytest.mark.parametrize("n", [1, 16, 17 * 32, 2**13])
def test_other_rows_are_left_to_other_rules(n):
    assert best(n, "REAL", False, 512, "single") is None


@pytest.mark.parametrize(
    ("kind", "code", "n"), [("dct3", "f8", 9984), ("dct2", "f8", 5120), ("dst2", "f4", 10240)]
)
def test_stages_with_which_a_row_fits_local_memory(kind, code, n):
    """The first ones need more of it."""
    traits = RECORDED["h200"]
    problem = make_problem((100, n), code, (1,), kind, "forward")
    (only,) = schedule_of(problem, traits, None, parameters_for(traits)).passes
    assert dict(only.defines)["COSINE_PAIRS"] == "1"
    assert only.local_bytes <= traits.local_mem_bytes
    spectrum = "src_distances" if kind == "dct3" else "dst_distances"
    assert only.arguments[spectrum] == Vector("int64", (n, 0, 0, 0))
    source = "HERMITIAN" if kind == "dct3" else "REAL"
    precision = {"f4": "single", "f8": "double"}[code]
    radices = tuple(map(int, dict(only.defines)["RADICES"].split(",")))[:4]
    assert best(n // 2, source, True, 512, precision).radices != radices


@pytest.mark.parametrize(
    ("kind", "code", "n", "radices", "group", "split"),
    [
        ("r2c", "f4", 100, "10,5", 12 * 10, "0"),
        ("r2c", "f8", 100, "10,5", 3 * 10, "0"),
        ("c2c", "c16", 30, "2,15", 6 * 5, "0"),
        ("c2c", "c8", 2197, "13,13,13", 169, "1"),
    ],
)
def test_groups_found_by_trial(kind, code, n, radices, group, split):
    traits = RECORDED["h200"]
    problem = make_problem((1000, n), code, (1,), kind, "forward")
    (only,) = schedule_of(problem, traits, None, parameters_for(traits)).passes
    macros = dict(only.defines)
    assert macros["RADICES"].startswith(radices + ",1")
    assert macros["SPLIT"] == split
    assert only.local_size == (group,)


@pytest.mark.parametrize(
    ("kind", "n", "radices"), [("dct2", 60, "2,15"), ("dct2", 100, "2,25"), ("dst3", 100, "25,2")]
)
def test_two_work_items_that_own_mirror_images(kind, n, radices):
    """They have the large radix on the spectrum's side, and a group is one warp."""
    traits = RECORDED["h200"]
    problem = make_problem((1000, n), "f4", (1,), kind, "forward")
    (only,) = schedule_of(problem, traits, None, parameters_for(traits)).passes
    assert dict(only.defines)["RADICES"].startswith(radices + ",1")
    assert only.local_size == (32,)


def test_groups_of_mirror_images_within_a_limit():
    traits = RECORDED["h200"]
    problem = make_problem((1000, 100), "f4", (1,), "dct3", "forward")
    limited = parameters_for(traits).over({"stockham_items": 16}, "test")
    (only,) = schedule_of(problem, traits, None, limited).passes
    assert only.local_size[0] <= 16


def test_rows_of_a_matrix_and_named_groups_are_left_to_the_rules():
    traits = RECORDED["h200"]
    problem = make_problem((30, 1000), "c16", (0,), "c2c", "forward")
    (columns,) = schedule_of(problem, traits, None, parameters_for(traits)).passes
    assert not dict(columns.defines)["RADICES"].startswith("2,15")
    rows = make_problem((1000, 30), "c16", (1,), "c2c", "forward")
    named = parameters_for(traits).over({"stockham_group": 64}, "test")
    (only,) = schedule_of(rows, traits, None, named).passes
    assert not dict(only.defines)["RADICES"].startswith("2,15")


def test_both_roots_of_a_pair():
    n, k = 64, np.arange(32)
    w = np.exp(-2j * np.pi * k / (4 * n))
    values = CosinePairRoots(n, "double").values()
    assert values.shape == (32, 2)
    np.testing.assert_allclose(values, np.stack((w, -1j * w**5), axis=1), rtol=0, atol=1e-14)
